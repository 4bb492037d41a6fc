#include "orchestrator/live/live_link.h"

#include <inttypes.h>
#include <string.h>

#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/parameter.h"

/* names in JSON are those of the fields, without the prefix of a shape's values */
static void direction_put(json_t *object, const struct link_config *link)
{
	for (size_t r = 0; r < link_parameters.count; r++) {
		const struct parameter *row = &link_parameters.rows[r];
		uint64_t value = parameter_get(row, link);

		if (row->live)
			json_object_set_new(object, row->field,
					    row->unit == PARAMETER_UNIT_WORD
						    ? json_string(row->words[value - row->min])
						    : json_integer((json_int_t)value));
	}
}

/* what both directions of link @index are like: from its node a to its node b, and back */
static void directions_of(const struct plan *plan, uint32_t index, struct link_config *to_b,
			  struct link_config *to_a)
{
	const struct plan_link *ends = &plan->links[index];
	const struct port_config *a = &plan->nodes[ends->node_a].ports[ends->port_a];
	const struct port_config *b = &plan->nodes[ends->node_b].ports[ends->port_b];

	port_direction_get(a, b, to_b);
	port_direction_get(b, a, to_a);
}

json_t *live_link_describe(const struct live *live, uint32_t index)
{
	const struct plan_link *fixed = &live->plan->links[index];
	bool dead = !fabric_there(&live->fabric, fixed->node_a) ||
		    !fabric_there(&live->fabric, fixed->node_b);
	struct link_config to_b, to_a;
	json_t *link = json_pack(
		"{s:i, s:s, s:i, s:s, s:i}", "link", (int)index, "node_a",
		live->plan->nodes[fixed->node_a].name, "port_a", (int)fixed->port_a, "node_b",
		live->plan->nodes[fixed->node_b].name, "port_b", (int)fixed->port_b);

	directions_of(live->plan, index, &to_b, &to_a);
	direction_put(link, &to_b);
	json_object_set_new(link, "mtu_bytes", json_integer(fixed->mtu_bytes));
	json_object_set_new(link, "state",
			    json_string(fixed->down ? "down"
					: dead      ? "dead end"
						    : "up"));
	if (!parameters_equal(&link_parameters, &to_b, &to_a)) {
		json_t *back = json_object();

		direction_put(back, &to_a);
		json_object_set_new(link, "back", back);
	}
	return link;
}

json_t *live_links(struct live_query *query)
{
	json_t *links = json_array();

	for (uint32_t i = 0; i < query->live->plan->link_count; i++)
		if (!query->live->plan->links[i].vacant)
			json_array_append_new(links, live_link_describe(query->live, i));
	return json_pack("{s:s, s:o}", "fabric", query->live->place.name, "links", links);
}

json_t *live_link_show(struct live_query *query)
{
	int64_t index = live_link_find(query);

	return index < 0 ? query->refusal : live_link_describe(query->live, (uint32_t)index);
}

/* is @name that of a further interface of host @host, such as r1.eth1 of r1? */
static bool is_interface_of(const char *name, const char *host)
{
	size_t length = strlen(host);

	return !strncmp(name, host, length) && name[length] == '.';
}

/* Where a host has several interfaces, r1:s2 may be meant as r1.eth1:s2, and s2:r1 as s2:r1.eth1.
 * Return: a refusal that says so, malloc'd like all; NULL: there is no such link. */
static json_t *interface_hint(const struct plan *plan, const struct node_config *node,
			      const char *port)
{
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];
		const char *a = plan->nodes[link->node_a].name, *b = plan->nodes[link->node_b].name;

		if (link->vacant)
			continue;
		if (is_interface_of(a, node->name) && !strcmp(b, port))
			return live_refuse("%s has no port '%s' - did you mean '%s:%s'?",
					   node->name, port, a, port);
		if (is_interface_of(a, port) && !strcmp(b, node->name))
			return live_refuse("%s has no port '%s' - did you mean '%s:%s'?",
					   node->name, port, node->name, a);
	}
	return NULL;
}

int64_t live_link_find(struct live_query *query)
{
	json_t *hint;
	const char *port_name = live_query_text(query, "port");
	int64_t node = live_query_node(query, live_query_text(query, "node")), port;
	const struct node_config *config;

	if (node < 0)
		return -1;
	if (!port_name)
		return live_query_refused(query, live_refuse("the request names no port"));
	config = &query->live->plan->nodes[node];
	port = live_query_port(query, config, port_name);
	if (port < 0) {
		hint = interface_hint(query->live->plan, config, port_name);
		if (hint) {
			json_decref(query->refusal);
			query->refusal = hint;
		}
		return -1;
	}
	if (config->ports[port].vacant)
		return live_query_refused(query, live_refuse("port %" PRId64 " of %s has no link",
							     port, config->name));
	return config->ports[port].link_index;
}

json_t *live_link_read(const struct live_query *query, const struct parameter_table *table,
		       enum port_kind kind, void *structure, unsigned *given)
{
	bool counts = link_counts_frames(plan_fabric(query->live->plan), kind);

	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];
		const char *text = row->live ? live_query_text(query, row->key) : NULL;
		uint64_t value;
		struct why why;

		if (!text)
			continue;
		if (parameter_read(row, row->key, text, &value, &why))
			return live_refuse("%s", why.text);
		if (counts && value &&
		    (!strcmp(row->key, "reorder") || !strcmp(row->key, "duplicate")))
			return live_refuse("%s: this link numbers its frames, so it cannot reorder "
					   "or duplicate them; links of hosts of a fabric of flow "
					   "channels can, and all links of kind roce",
					   row->key);
		parameter_put(row, structure, value);
		++*given;
	}
	return NULL;
}

/* the token bucket of the host at this link, if there is one, follows the new rate */
static int host_rate_follow(struct live *live, const struct plan_link *ends, uint64_t rate_bps)
{
	if (ends->node_a < live->plan->switch_count)
		return 0;
	return host_net_rate(&live->hosts[ends->node_a - live->plan->switch_count],
			     &live->namespaces, rate_bps / live->plan->dilation);
}

/* node a of a host's link is its NIC */
static int link_apply(struct live *live, uint32_t index, const struct link_config *to_b,
		      const struct link_config *to_a)
{
	int error = fabric_link_set(&live->fabric, index, to_b, to_a);

	return error ? error : host_rate_follow(live, &live->plan->links[index], to_b->rate_bps);
}

/* which directions of the link @ends the request is about; a refusal, or NULL */
static json_t *directions_read(const struct live_query *query, const struct plan_link *ends,
			       bool *to_b, bool *to_a)
{
	const struct node_config *nodes = query->live->plan->nodes;
	const char *towards = live_query_text(query, "towards");

	*to_b = !towards || !strcmp(towards, nodes[ends->node_b].name);
	*to_a = !towards || !strcmp(towards, nodes[ends->node_a].name);
	return *to_b || *to_a
		       ? NULL
		       : live_refuse("--towards: expected an end of this link, %s or %s, "
				     "not '%s'",
				     nodes[ends->node_a].name, nodes[ends->node_b].name, towards);
}

json_t *live_link_set(struct live_query *query)
{
	struct live *live = query->live;
	int64_t index = live_link_find(query);
	const struct plan_link *ends;
	struct link_config to_b, to_a, to_b_was, to_a_was;
	bool sets_b, sets_a;
	enum port_kind kind;
	unsigned given = 0;
	int error;

	if (index < 0)
		return query->refusal;
	ends = &live->plan->links[index];
	kind = live->plan->nodes[ends->node_a].ports[ends->port_a].kind;
	directions_of(live->plan, (uint32_t)index, &to_b, &to_a);
	to_b_was = to_b;
	to_a_was = to_a;
	query->refusal = directions_read(query, ends, &sets_b, &sets_a);
	if (!query->refusal && sets_b)
		query->refusal = live_link_read(query, &link_parameters, kind, &to_b, &given);
	if (!query->refusal && sets_a)
		query->refusal = live_link_read(query, &link_parameters, kind, &to_a, &given);
	if (!query->refusal && !given)
		query->refusal =
			live_refuse("nothing to set: expected one or more of rate=, delay=, "
				    "jitter=, loss= and others; 'heddle link --help' has them");
	if (query->refusal)
		return query->refusal;
	error = link_apply(live, (uint32_t)index, &to_b, &to_a);
	if (error) /* both directions, and the host, or none */
		link_apply(live, (uint32_t)index, &to_b_was, &to_a_was);
	return error ? live_refuse("the link is unchanged: %s", live_reason(live, error))
		     : live_link_describe(live, (uint32_t)index);
}

static json_t *link_switch(struct live_query *query, bool down)
{
	struct live *live = query->live;
	int64_t index = live_link_find(query);
	struct plan_link *link;
	int error;

	if (index < 0)
		return query->refusal;
	link = &live->plan->links[index];
	if (link->down == down)
		return live_link_describe(live, (uint32_t)index);
	link->down = down;
	error = down ? fabric_link_down(&live->fabric, (uint32_t)index)
		     : fabric_link_up(&live->fabric, (uint32_t)index);
	if (error) {
		link->down = true; /* at least one end is, so routes avoid it */
		(void)manager_pair_sweep(&live->managers);
		return live_refuse("%s: %s",
				   down ? "the link is down, but not at both ends"
					: "the link stays down",
				   live_reason(live, error));
	}
	error = manager_pair_sweep(&live->managers);
	return error ? live_refuse("the link is %s, but the routes are unchanged: %s",
				   down ? "down" : "up", live_reason(live, error))
		     : live_link_describe(live, (uint32_t)index);
}

json_t *live_link_down(struct live_query *query)
{
	return link_switch(query, true);
}

json_t *live_link_up(struct live_query *query)
{
	return link_switch(query, false);
}
