#include "orchestrator/prompt/show_line.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/port_name.h"
#include "orchestrator/fabric/flow_trail_text.h"
#include "orchestrator/scenario/scenario_keys.h"

#define WORDS_MAX 3u

/* what is to be shown */
struct request {
	struct fabric *fabric;
	char *words[WORDS_MAX]; /* NULL: not given */
	bool json;
	FILE *out;
	struct why *why;
};

static int words_split(struct request *request, char *rest)
{
	uint32_t count = 0;
	char *word;

	while ((word = strsep(&rest, " \t"))) {
		if (!strcmp(word, "--json"))
			request->json = true;
		else if (word[0] == '-' && word[1] == '-')
			return why_say(request->why, FABRIC_SHOW_REFUSED,
				       "show has no option '%s'; it has --json", word);
		else if (word[0] && count == WORDS_MAX)
			return why_say(request->why, FABRIC_SHOW_REFUSED,
				       "show takes a node, a table and perhaps a port, no '%s'",
				       word);
		else if (word[0])
			request->words[count++] = word;
	}
	return 0;
}

static int node_unknown(const struct request *request, const char *name)
{
	const struct plan *plan = request->fabric->plan;
	char hint[128];

	return why_say(request->why, FABRIC_SHOW_REFUSED, "there is no node '%s'%s", name,
		       key_name_hint(name, plan->nodes[0].name, plan->node_count,
				     sizeof(*plan->nodes), hint, sizeof(hint)));
}

/* prints @object, taken, for programs */
static int object_print(const struct request *request, json_t *object)
{
	if (!object)
		return -ENOMEM;
	json_dumpf(object, request->out, JSON_INDENT(2) | JSON_REAL_PRECISION(NODE_TABLE_DIGITS));
	fputc('\n', request->out);
	json_decref(object);
	return 0;
}

static int table_show(const struct request *request, const struct node_config *node,
		      const char *name, int64_t port)
{
	struct node_table table;
	int error = fabric_show(request->fabric, node->index, name, port, &table, request->why);

	if (error)
		return error;
	if (request->json)
		error = object_print(request, node_table_json(&table, node->name, name));
	else
		node_table_print(&table, request->out);
	node_table_free(&table);
	return error;
}

/* "flow A B" */
static int flow_show(const struct request *request)
{
	struct flow_trail trail;
	int error;

	if (!request->words[2])
		return why_say(request->why, FABRIC_SHOW_REFUSED,
			       "show flow needs two hosts, e.g. 'show flow h1 h5'");
	error = flow_trail_find(request->fabric, request->words[1], request->words[2], &trail,
				request->why);
	if (!error && request->json)
		error = object_print(request, flow_trail_text_json(&trail));
	else if (!error)
		error = flow_trail_text_print(&trail, request->out);
	flow_trail_free(&trail);
	return error;
}

int show_line(struct fabric *fabric, char *words, FILE *out, struct why *why)
{
	struct request request = { .fabric = fabric, .out = out, .why = why };
	const struct node_config *node;
	const char *name, *table, *port;
	char list[PORT_NAMES_MAX];
	uint64_t ports = 0;

	if (words_split(&request, words))
		return FABRIC_SHOW_REFUSED;
	name = request.words[0];
	table = request.words[1];
	port = request.words[2];
	if (name && !strcmp(name, "flow") && !plan_node_find(fabric->plan, name))
		return flow_show(&request);
	if (!table)
		return why_say(why, FABRIC_SHOW_REFUSED,
			       "show needs a node and a table, e.g. 'show s2 ifct p1'");
	if (!plan_node_find(fabric->plan, name) && plan_node_find(fabric->plan, table)) {
		table = request.words[0];
		name = request.words[1];
	}
	node = plan_node_find(fabric->plan, name);
	if (!node)
		return node_unknown(&request, name);
	if (port)
		ports = port_name_find(node, port);
	if (port && !ports)
		return why_say(why, FABRIC_SHOW_REFUSED, "%s has no port '%s'; it has %s", name,
			       port, port_names_list(node, UINT64_MAX, list, sizeof(list)));
	return table_show(&request, node, table, port ? __builtin_ctzll(ports) : -1);
}
