#include "orchestrator/live/live_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/monotonic.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/fabric_ask.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/fabric_show.h"
#include "orchestrator/fabric/flow_trail_text.h"
#include "orchestrator/live/live_capture.h"
#include "orchestrator/live/live_change.h"
#include "orchestrator/live/live_describe.h"
#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/live/live_link.h"
#include "orchestrator/live/live_load.h"
#include "orchestrator/live/live_outside.h"
#include "orchestrator/live/live_program.h"
#include "orchestrator/live/live_query.h"
#include "orchestrator/live/live_room.h"
#include "orchestrator/live/live_save.h"
#include "orchestrator/live/parameter.h"
#include "orchestrator/plan/plan_spare.h"

#define REASON_MAX 2048u   /* of a node's refusal, as far as it is shown */
#define NAME_SHOWN_MAX 64u /* bytes of a table's or parameter's name that an answer repeats */

static live_query_fn ask_hosts, ask_show, ask_set, ask_start, ask_down;

static const struct question {
	const char *name;
	live_query_fn *ask;
} questions[] = {
	{ "ps", live_describe },
	{ "hosts", ask_hosts },
	{ "exec", live_room_exec },
	{ "run", live_room_run },
	{ "log", live_programs_log },
	{ "show", ask_show },
	{ "set", ask_set },
	{ "links", live_links },
	{ "link-show", live_link_show },
	{ "link-set", live_link_set },
	{ "link-down", live_link_down },
	{ "link-up", live_link_up },
	{ "start", ask_start },
	{ "faults", live_fault_list },
	{ "faults-start", live_fault_start },
	{ "faults-stop", live_fault_stop },
	{ "loads", live_load_list },
	{ "load-start", live_load_start },
	{ "load-stop", live_load_stop },
	{ "load-set", live_load_set },
	{ "add-switch", live_add_switch },
	{ "add-host", live_add_host },
	{ "add-link", live_add_link },
	{ "remove", live_remove },
	{ "capture", live_capture_begin },
	{ "capture-end", live_capture_ask_end },
	{ "outside", live_outside },
	{ "save", live_save },
	{ "down", ask_down },
};

static bool is_words(const json_t *value)
{
	const json_t *word;
	size_t i;

	json_array_foreach (value, i, word) {
		if (!json_is_string(word))
			return false;
	}
	return json_is_array(value);
}

/* every member is a string, except the array `neighbours`; a refusal, or NULL */
static json_t *form_check(json_t *request)
{
	const char *key;
	json_t *value;

	json_object_foreach (request, key, value) {
		bool words = !strcmp(key, "neighbours");

		if (words ? !is_words(value) : !json_is_string(value))
			return live_refuse("'%s' of a request must be %s", key,
					   words ? "an array of texts" : "a text");
	}
	return NULL;
}

void live_request(struct live *live, const char *text, size_t length, struct live_answer *answer)
{
	struct live_query query = { .live = live,
				    .request = json_loadb(text, length, 0, NULL),
				    .answer = answer };
	const char *name = json_string_value(json_object_get(query.request, "ask"));
	size_t i = 0;

	query.refusal = form_check(query.request);
	*answer = (struct live_answer){ 0 };
	live->fabric.patience_until_ns = monotonic_ns() + LIVE_REQUEST_MS * 1000000ull;
	while (name && i < COUNT_OF(questions) && strcmp(questions[i].name, name))
		i++;
	if (query.refusal)
		answer->body = query.refusal;
	else if (!name)
		answer->body = live_refuse("a request is one JSON object with the key 'ask'");
	else if (i == COUNT_OF(questions))
		answer->body =
			live_refuse("a running fabric has no request '%s'; was it started by "
				    "another version of heddle?",
				    name);
	else
		answer->body = questions[i].ask(&query);
	json_decref(query.request);
}

/* ---- hosts ---- */

static json_t *ask_hosts(struct live_query *query)
{
	struct plan_counts counts = plan_spare_counts(query->live->plan);

	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:s, s:s}", "fabric",
			 query->live->place.name, "pid", (int)getpid(), "switches",
			 (int)counts.switches, "links", (int)counts.links, "hosts_count",
			 (int)counts.hosts, "hosts", live_hosts_describe(query->live),
			 "users_missing", query->live->namespaces.ids_missing, "limits_missing",
			 live_rooms_limits_missing(query->live));
}

/* ---- one node ---- */

/* the lines of @text as one: "a, b".  @line: as long as they fit */
static void lines_join(char *text, char *line, size_t line_max)
{
	size_t length = 0;
	char *rest;

	line[0] = 0;
	for (char *each = strtok_r(text, "\n", &rest); each && length < line_max;
	     each = strtok_r(NULL, "\n", &rest))
		length += (size_t)snprintf(line + length, line_max - length, "%s%s",
					   length ? ", " : "", each);
}

/* sends @message to @node and makes its reply the answer. @what names the object: "table 'foo'" */
static json_t *node_ask(struct live_query *query, uint32_t node, const char *what,
			struct control_message *message)
{
	const char *name = query->live->plan->nodes[node].name;
	int error = fabric_ask(&query->live->fabric, node, message);
	size_t length;
	char *text, reason[REASON_MAX];
	json_t *body;

	if (error)
		return live_refuse("%s does not answer: %s", name,
				   fabric_process(&query->live->fabric, node)->stopped_ns
					   ? "it is stopped"
					   : strerror(-error));
	text = message->body ? message->body : message->text;
	utf8_plain_lines(text);
	length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[length - 1] = 0;
	if (message->number)
		lines_join(text, reason, sizeof(reason));
	if (message->number == -ENOENT)
		body = live_refuse("%s has no %s; it has: %s", name, what,
				   reason[0] ? reason : "nothing");
	else if (message->number)
		body = live_refuse("%s refuses %s: %s%s%s", name, what,
				   strerror(-(int)message->number), reason[0] ? ": " : "", reason);
	else
		body = json_pack("{s:s, s:s}", "node", name, "text", text);
	control_message_free(message);
	return body ? body : live_refuse("the answer of %s is not valid UTF-8", name);
}

/* the answer of form "json", or text for people */
static json_t *table_answer(const struct live_query *query, const char *node, const char *name,
			    const struct node_table *table)
{
	const char *form = live_query_text(query, "form");
	char *text = NULL;
	size_t size = 0;
	json_t *body;
	FILE *out;

	if (form && !strcmp(form, "json"))
		return node_table_json(table, node, name);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	node_table_print(table, out);
	fclose(out);
	if (size && text[size - 1] == '\n')
		text[size - 1] = 0;
	body = json_pack("{s:s, s:s}", "node", node, "text", text);
	free(text);
	return body;
}

static json_t *table_show(struct live_query *query, uint32_t node, const char *name, int64_t port)
{
	struct fabric *fabric = &query->live->fabric;
	const char *node_name = query->live->plan->nodes[node].name;
	struct node_table table;
	struct why why;
	json_t *body;
	int error = fabric_show(fabric, node, name, port, &table, &why);

	if (error == FABRIC_SHOW_REFUSED)
		return live_refuse("%s", why.text);
	if (error)
		return live_refuse("%s does not answer: %s", node_name,
				   fabric_process(fabric, node)->stopped_ns ? "it is stopped"
									    : strerror(-error));
	body = table_answer(query, node_name, name, &table);
	node_table_free(&table);
	return body ? body : live_refuse("not enough memory");
}

/* the flows from host @from to host @to */
static json_t *flow_show(struct live_query *query, const char *from, const char *to)
{
	struct fabric *fabric = &query->live->fabric;
	const char *form = live_query_text(query, "form");
	struct flow_trail trail;
	char *text = NULL;
	struct why why;
	size_t size = 0;
	json_t *body = NULL;
	FILE *out;
	int error;

	if (!from || !from[0] || !to)
		return live_refuse("show flow needs two hosts");
	error = flow_trail_find(fabric, from, to, &trail, &why);
	if (error == FABRIC_SHOW_REFUSED) {
		body = live_refuse("%s", why.text);
	} else if (error) {
		body = live_refuse("a node on the path does not answer: %s", strerror(-error));
	} else if (form && !strcmp(form, "json")) {
		body = flow_trail_text_json(&trail);
	} else if ((out = open_memstream(&text, &size))) {
		error = flow_trail_text_print(&trail, out);
		fclose(out);
		body = error ? NULL : json_pack("{s:s, s:s}", "from", from, "text", text);
		free(text);
	}
	flow_trail_free(&trail);
	return body ? body : live_refuse("not enough memory");
}

static json_t *ask_show(struct live_query *query)
{
	const char *name = live_query_text(query, "node"), *table = live_query_text(query, "table"),
		   *port = live_query_text(query, "port");
	int64_t node, port_number = -1;

	if (name && !strcmp(name, "flow") && !plan_node_find(query->live->plan, name))
		return flow_show(query, table, port);
	/* the words may come in either order */
	if (name && table && !plan_node_find(query->live->plan, name) &&
	    plan_node_find(query->live->plan, table)) {
		const char *swapped = name;

		name = table;
		table = swapped;
	}
	node = live_query_node(query, name);
	if (node < 0)
		return query->refusal;
	table = table ? table : "";
	if (!strcmp(table, "trace")) /* also of a dead node */
		return table_show(query, (uint32_t)node, table, -1);
	if (!live_query_node_runs(query, (uint32_t)node))
		return query->refusal;
	if (port) {
		port_number = live_query_port(query, &query->live->plan->nodes[node], port);
		if (port_number < 0)
			return query->refusal;
	}
	return table_show(query, (uint32_t)node, table, port_number);
}

static json_t *ask_set(struct live_query *query)
{
	struct control_message message = { .kind = CONTROL_SET };
	const char *name = live_query_text(query, "name"), *value = live_query_text(query, "value");
	json_t *answer;
	int64_t node = live_query_node(query, live_query_text(query, "node"));
	char what[128];
	struct why why;

	if (node < 0 || !live_query_node_runs(query, (uint32_t)node))
		return query->refusal;
	if (!name || !value)
		return live_refuse("set needs a name and a value");
	if (parameter_convert(&query->live->plan->nodes[node], name, value, message.text2,
			      sizeof(message.text2), &why))
		return live_refuse("%s", why.text);
	snprintf(message.text, sizeof(message.text), "%s", name);
	snprintf(what, sizeof(what), "parameter '%.*s'", utf8_length(name, NAME_SHOWN_MAX), name);
	answer = node_ask(query, (uint32_t)node, what, &message);
	if (!json_object_get(answer, "error"))
		live_set_keep(&query->live->sets, query->live->plan->nodes[node].name, name, value);
	return answer;
}

/* ---- nodes ---- */

static json_t *ask_start(struct live_query *query)
{
	int64_t node = live_query_node(query, live_query_text(query, "node"));
	char text[128];
	int error;

	if (node < 0)
		return query->refusal;
	live_load_node_starts(query->live, (uint32_t)node);
	error = fabric_node_restart(&query->live->fabric, (uint32_t)node);
	if (error == -EEXIST)
		return live_refuse("%s runs already", query->live->plan->nodes[node].name);
	live_set_drop(&query->live->sets, query->live->plan->nodes[node].name);
	if (!error)
		error = manager_pair_sweep(&query->live->managers);
	if (error)
		return live_refuse("%s cannot be started: %s", query->live->plan->nodes[node].name,
				   live_reason(query->live, error));
	snprintf(text, sizeof(text), "%s runs again, pid %d", query->live->plan->nodes[node].name,
		 (int)fabric_pid(&query->live->fabric, node));
	live_note("%s", text);
	return json_pack("{s:s}", "text", text);
}

/* ---- the end ---- */

static json_t *ask_down(struct live_query *query)
{
	query->live->ending = true;
	return json_pack("{s:s, s:i}", "fabric", query->live->place.name, "pid", (int)getpid());
}
