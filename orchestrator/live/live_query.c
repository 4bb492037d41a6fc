#include "orchestrator/live/live_query.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/port_name.h"
#include "orchestrator/scenario/scenario_keys.h"

json_t *live_refuse(const char *format, ...)
{
	char *sentence = NULL;
	va_list arguments;
	json_t *body;

	va_start(arguments, format);
	if (vasprintf(&sentence, format, arguments) < 0)
		sentence = NULL;
	va_end(arguments);
	body = sentence ? json_pack("{s:s}", "error", sentence) : NULL;
	if (!body) /* part of it was not valid UTF-8, or memory is short */
		body = json_pack("{s:s}", "error",
				 "the request cannot be answered: it is not valid UTF-8, or memory "
				 "is short");
	free(sentence);
	return body;
}

json_t *live_query_outward(const struct live_query *query, const char *what)
{
	return query->live->asker.inside
		       ? live_refuse("%s is refused to programs inside of a host: use 'heddle' of "
				     "the machine",
				     what)
		       : NULL;
}

const char *live_reason(const struct live *live, int error)
{
	return live->fabric.failure[0] ? live->fabric.failure : strerror(-error);
}

const char *live_query_text(const struct live_query *query, const char *key)
{
	return json_string_value(json_object_get(query->request, key));
}

int64_t live_query_node(struct live_query *query, const char *name)
{
	const struct plan *plan = query->live->plan;
	const struct node_config *found;
	uint32_t node;
	char hint[128];

	if (!name || !name[0])
		return live_query_refused(query, live_refuse("the request names no node"));
	found = plan_node_find(plan, name);
	if (!found)
		return live_query_refused(
			query,
			live_refuse("fabric %s has no node '%s'%s; 'heddle ps %s' lists them",
				    query->live->place.name, name,
				    key_name_hint(name, plan->nodes[0].name, plan->node_count,
						  sizeof(*plan->nodes), hint, sizeof(hint)),
				    query->live->place.name));
	node = (uint32_t)(found - plan->nodes);
	if (plan_elsewhere(plan, node))
		return live_query_refused(
			query, live_refuse("%s runs on machine %s: use 'heddle' there", name,
					   plan->machine_names[plan->machine_of[node]]));
	return node;
}

bool live_query_node_runs(struct live_query *query, uint32_t node)
{
	const struct fabric *fabric = &query->live->fabric;

	if (!fabric_pid(fabric, node))
		query->refusal = live_refuse("%s is dead: %s", query->live->plan->nodes[node].name,
					     fabric->nodes[node].fate);
	return fabric_pid(fabric, node) != 0;
}

int64_t live_query_port(struct live_query *query, const struct node_config *node, const char *name)
{
	uint64_t ports = port_name_find(node, name);
	char list[PORT_NAMES_MAX];

	if (!ports)
		query->refusal = live_refuse("%s has no port '%s'; it has %s", node->name, name,
					     port_names_list(node, UINT64_MAX, list, sizeof(list)));
	else if (ports & (ports - 1))
		query->refusal = live_refuse("%s has %d links to %s: name the number of a port",
					     node->name, __builtin_popcountll(ports), name);
	else
		return __builtin_ctzll(ports);
	return -1;
}
