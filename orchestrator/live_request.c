#include "orchestrator/live_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/trace.h"
#include "nodes/wire/address.h"
#include "orchestrator/fabric_real.h"
#include "orchestrator/live_asking.h"
#include "orchestrator/live_describe.h"
#include "orchestrator/quantity.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static ask_fn ask_hosts, ask_exec, ask_show, ask_set, ask_links, ask_link_set, ask_link_down, ask_link_up, ask_start,
	ask_down;

static const struct question {
	const char *name;
	ask_fn *ask;
} questions[] = {
	{ "ps", live_describe },      { "hosts", ask_hosts },
	{ "exec", ask_exec },         { "show", ask_show },
	{ "set", ask_set },           { "links", ask_links },
	{ "link-set", ask_link_set }, { "link-down", ask_link_down },
	{ "link-up", ask_link_up },   { "start", ask_start },
	{ "down", ask_down },
};

void live_request(struct live *live, const char *text, size_t length, struct live_answer *answer)
{
	struct asking asking = { .live = live, .request = json_loadb(text, length, 0, NULL), .answer = answer };
	const char *name = json_string_value(json_object_get(asking.request, "ask"));
	size_t i = 0;

	*answer = (struct live_answer){ 0 };
	while (name && i < COUNT_OF(questions) && strcmp(questions[i].name, name))
		i++;
	if (!name)
		answer->body = refuse("a request is one JSON object with the key 'ask'");
	else if (i == COUNT_OF(questions))
		answer->body =
			refuse("nothing called '%s' can be asked of a running fabric; is it another heddle's?", name);
	else
		answer->body = questions[i].ask(&asking);
	json_decref(asking.request);
}

/* ---- hosts ---- */

static json_t *ask_hosts(struct asking *asking)
{
	const struct plan *plan = asking->live->plan;
	json_t *hosts = json_array();

	for (uint32_t i = 0; i < plan->host_count; i++) {
		char ipv4[INET_ADDRSTRLEN], ipv6[INET6_ADDRSTRLEN];
		struct in_addr address = { .s_addr = htonl(address_ipv4(i)) };
		uint8_t address6[16];

		address_ipv6(i, address6);
		inet_ntop(AF_INET, &address, ipv4, sizeof(ipv4));
		inet_ntop(AF_INET6, address6, ipv6, sizeof(ipv6));
		json_array_append_new(hosts,
				      json_pack("{s:s, s:s, s:s}", "name", plan->nodes[plan_host_node(plan, i)].name,
						"ipv4", ipv4, "ipv6", ipv6));
	}
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "fabric", asking->live->place.name, "pid", (int)getpid(),
			 "switches", (int)plan->switch_count, "links", (int)plan->link_count, "hosts_count",
			 (int)plan->host_count, "hosts", hosts);
}

/* adds one namespace to an answer, if there is such a one */
static void namespace_give(struct live_answer *answer, json_t *names, const char *name, int fd)
{
	if (fd < 0)
		return;
	answer->fds[answer->fd_count++] = fd;
	json_array_append_new(names, json_string(name));
}

/* a host is in namespaces of its own; a switch is where its veth links end */
static json_t *ask_exec(struct asking *asking)
{
	const struct live *live = asking->live;
	json_t *refusal = NULL, *names;
	int64_t node = node_find(asking, text_of(asking, "host"), &refusal);
	int net_fd = live->namespaces.net_fd, uts_fd = live->namespaces.uts_fd;

	if (node < 0)
		return refusal;
	if (live->plan->nodes[node].kind == NODE_NIC) {
		const struct host_net *host = &live->hosts[(uint32_t)node - live->plan->switch_count];

		net_fd = host->net_fd;
		uts_fd = host->uts_fd;
	}
	names = json_array();
	namespace_give(asking->answer, names, "user", live->namespaces.user_fd);
	namespace_give(asking->answer, names, "pid", live->namespaces.pid_fd);
	namespace_give(asking->answer, names, "mount", live->namespaces.mount_fd);
	namespace_give(asking->answer, names, "net", net_fd);
	namespace_give(asking->answer, names, "uts", uts_fd);
	return json_pack("{s:s, s:o}", "host", live->plan->nodes[node].name, "namespaces", names);
}

/* ---- one node ---- */

/* asks @node and puts its answer into words.  @what  it is asked for: "table 'foo'" */
static json_t *node_ask(struct asking *asking, uint32_t node, const char *what, struct control_message *message)
{
	const char *name = asking->live->plan->nodes[node].name;
	int error = fabric_ask(&asking->live->fabric, node, message);
	size_t length;
	char *text;
	json_t *body;

	if (error)
		return refuse("%s does not answer: %s", name, strerror(-error));
	text = message->body ? message->body : message->text;
	length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[length - 1] = 0;
	if (message->number == -ENOENT)
		body = refuse("%s has no %s; it has: %s", name, what, text[0] ? text : "nothing");
	else if (message->number)
		body = refuse("%s refuses %s: %s%s%s", name, what, strerror(-(int)message->number), text[0] ? ": " : "",
			      text);
	else
		body = json_pack("{s:s, s:s}", "node", name, "text", text);
	control_message_free(message);
	return body ? body : refuse("%s answers with something that is no UTF-8", name);
}

static json_t *trace_show(const struct asking *asking, uint32_t node)
{
	const struct fabric_node *state = &asking->live->fabric.nodes[node];
	const char *name = asking->live->plan->nodes[node].name;
	char *text = NULL;
	size_t size = 0;
	json_t *body;
	FILE *out;

	if (stats_check(state->stats, state->stats_size))
		return refuse("%s has destroyed its statistics page", name);
	out = open_memstream(&text, &size);
	if (!out)
		return refuse("not enough memory");
	trace_print(state->stats, out);
	fclose(out);
	body = json_pack("{s:s, s:s}", "node", name, "text", text && text[0] ? text : "nothing noted so far\n");
	free(text);
	return body;
}

static json_t *ask_show(struct asking *asking)
{
	struct control_message message = { .kind = CONTROL_SHOW, .number = -1 };
	const char *table = text_of(asking, "table"), *port = text_of(asking, "port");
	json_t *refusal = NULL;
	int64_t node = node_find(asking, text_of(asking, "node"), &refusal);
	char what[128];

	if (node < 0)
		return refusal;
	if (table && !strcmp(table, "trace"))
		return trace_show(asking, (uint32_t)node); /* even of a dead one */
	if (!node_lives(asking, (uint32_t)node, &refusal))
		return refusal;
	if (port) {
		message.number = port_find(&asking->live->plan->nodes[node], port, &refusal);
		if (message.number < 0)
			return refusal;
	}
	snprintf(message.text, sizeof(message.text), "%s", table ? table : "");
	snprintf(what, sizeof(what), "table '%.64s'", table ? table : "");
	return node_ask(asking, (uint32_t)node, what, &message);
}

static json_t *ask_set(struct asking *asking)
{
	struct control_message message = { .kind = CONTROL_SET };
	const char *name = text_of(asking, "name"), *value = text_of(asking, "value");
	json_t *refusal = NULL;
	int64_t node = node_find(asking, text_of(asking, "node"), &refusal);
	char what[128];

	if (node < 0 || !node_lives(asking, (uint32_t)node, &refusal))
		return refusal;
	if (!name || !value)
		return refuse("set needs a name and a value");
	snprintf(message.text, sizeof(message.text), "%s", name);
	snprintf(message.text2, sizeof(message.text2), "%s", value);
	snprintf(what, sizeof(what), "parameter '%.64s'", name);
	return node_ask(asking, (uint32_t)node, what, &message);
}

/* ---- links ---- */

static json_t *link_describe(const struct live *live, uint32_t index)
{
	const struct plan_link *fixed = &live->plan->links[index];
	const struct live_link *link = &live->links[index];
	bool dead = !live->fabric.nodes[fixed->node_a].pid || !live->fabric.nodes[fixed->node_b].pid;

	return json_pack("{s:i, s:s, s:i, s:s, s:i, s:I, s:I, s:I, s:I, s:i, s:s}", "link", (int)index, "node_a",
			 live->plan->nodes[fixed->node_a].name, "port_a", (int)fixed->port_a, "node_b",
			 live->plan->nodes[fixed->node_b].name, "port_b", (int)fixed->port_b, "rate_bps",
			 (json_int_t)link->rate_bps, "delay_ps", (json_int_t)link->delay_ps, "loss_ppb",
			 (json_int_t)link->loss_ppb, "bit_error_e15", (json_int_t)link->bit_error_e15, "mtu_bytes",
			 (int)fixed->mtu_bytes, "state",
			 link->down ? "down"
			 : dead     ? "dead end"
				    : "up");
}

static json_t *ask_links(struct asking *asking)
{
	json_t *links = json_array();

	for (uint32_t i = 0; i < asking->live->plan->link_count; i++)
		json_array_append_new(links, link_describe(asking->live, i));
	return json_pack("{s:s, s:o}", "fabric", asking->live->place.name, "links", links);
}

/* the link at the request's node and port; -1 with *@refusal */
static int64_t link_find(const struct asking *asking, json_t **refusal)
{
	const char *port_name = text_of(asking, "port");
	int64_t node = node_find(asking, text_of(asking, "node"), refusal), port;
	const struct node_config *config;

	if (node < 0)
		return -1;
	if (!port_name) {
		*refusal = refuse("the request names no port");
		return -1;
	}
	config = &asking->live->plan->nodes[node];
	port = port_find(config, port_name, refusal);
	if (port < 0)
		return -1;
	if (config->ports[port].vacant) {
		*refusal = refuse("nothing is plugged into port %" PRId64 " of %s", port, config->name);
		return -1;
	}
	return config->ports[port].link_index;
}

/* one key of link-set: what it may be, and where it goes */
static const struct link_key {
	const char *name;
	enum quantity_kind kind;
	uint64_t divisor, min, max; /* of the value kept: quantity / divisor */
} link_keys[] = {
	{ "rate", QUANTITY_RATE, 1, 1000000, 800000000000 },
	{ "delay", QUANTITY_TIME, 1, 0, NODE_S },
	{ "loss", QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000000, 0, 900000000 },
	{ "bit-errors", QUANTITY_SHARE, 1, 0, QUANTITY_SHARE_ONE / 1000 },
};

enum { LINK_RATE, LINK_DELAY, LINK_LOSS, LINK_BIT_ERRORS };

/* reads the keys of the request into @link; NULL, or the refusal */
static json_t *link_read(const struct asking *asking, struct live_link *link)
{
	uint64_t values[COUNT_OF(link_keys)] = { link->rate_bps, link->delay_ps, link->loss_ppb, link->bit_error_e15 };
	unsigned given = 0;

	for (size_t i = 0; i < COUNT_OF(link_keys); i++) {
		const struct link_key *key = &link_keys[i];
		const char *text = text_of(asking, key->name);
		char why[256], low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX];
		uint64_t value;

		if (!text)
			continue;
		if (quantity_parse(key->kind, text, &value, why, sizeof(why)))
			return refuse("%s: %s", key->name, why);
		if (value % key->divisor || value / key->divisor < key->min || value / key->divisor > key->max)
			return refuse("%s: '%s' is out of range; expected %s to %s%s", key->name, text,
				      quantity_format(key->kind, key->min * key->divisor, low),
				      quantity_format(key->kind, key->max * key->divisor, high),
				      key->divisor > 1 ? " in steps of 1e-9" : "");
		values[i] = value / key->divisor;
		given++;
	}
	*link = (struct live_link){ .rate_bps = values[LINK_RATE],
				    .delay_ps = values[LINK_DELAY],
				    .loss_ppb = (uint32_t)values[LINK_LOSS],
				    .bit_error_e15 = values[LINK_BIT_ERRORS],
				    .down = link->down };
	return given ? NULL : refuse("set what? Expected one or more of rate=, delay=, loss=, bit-errors=");
}

/* tells one end of a link how it is from now on; an end that is dead is told when it is started again */
static int end_set(struct live *live, uint32_t node, uint32_t port, const struct live_link *link)
{
	struct port_config config = live->plan->nodes[node].ports[port];
	int error;

	if (!live->fabric.nodes[node].pid)
		return 0;
	config.rate_bps = link->rate_bps;
	config.delay_ps = link->delay_ps;
	config.loss_ppb = link->loss_ppb;
	config.bit_error_e15 = link->bit_error_e15;
	error = fabric_link_set(&live->fabric, node, port, &config);
	if (!error && node >= live->plan->switch_count) /* the host's own token bucket follows */
		error = host_net_rate(&live->hosts[node - live->plan->switch_count], &live->namespaces, link->rate_bps);
	return error;
}

static json_t *ask_link_set(struct asking *asking)
{
	json_t *refusal = NULL;
	struct live *live = asking->live;
	int64_t index = link_find(asking, &refusal);
	const struct plan_link *fixed;
	struct live_link link;
	uint32_t where;
	int error;

	if (index < 0)
		return refusal;
	link = live->links[index];
	refusal = link_read(asking, &link);
	if (refusal)
		return refusal;
	fixed = &live->plan->links[index];
	where = fixed->node_a;
	error = end_set(live, fixed->node_a, fixed->port_a, &link);
	if (!error) {
		where = fixed->node_b;
		error = end_set(live, fixed->node_b, fixed->port_b, &link);
		if (error) /* both directions or none */
			end_set(live, fixed->node_a, fixed->port_a, &live->links[index]);
	}
	if (error)
		return refuse("%s does not take it: %s", live->plan->nodes[where].name, strerror(-error));
	live->links[index] = link;
	return link_describe(live, (uint32_t)index);
}

static json_t *link_switch(struct asking *asking, bool down)
{
	json_t *refusal = NULL;
	struct live *live = asking->live;
	int64_t index = link_find(asking, &refusal);
	int error;

	if (index < 0)
		return refusal;
	if (live->links[index].down == down)
		return link_describe(live, (uint32_t)index);
	error = down ? fabric_link_down(&live->fabric, (uint32_t)index)
		     : fabric_link_up(&live->fabric, (uint32_t)index);
	if (error)
		return refuse("the link cannot be taken %s: %s", down ? "down" : "up", strerror(-error));
	live->links[index].down = down;
	return link_describe(live, (uint32_t)index);
}

static json_t *ask_link_down(struct asking *asking)
{
	return link_switch(asking, true);
}

static json_t *ask_link_up(struct asking *asking)
{
	return link_switch(asking, false);
}

/* ---- nodes ---- */

static json_t *ask_start(struct asking *asking)
{
	json_t *refusal = NULL;
	int64_t node = node_find(asking, text_of(asking, "node"), &refusal);
	char text[128];
	int error;

	if (node < 0)
		return refusal;
	error = fabric_node_restart(&asking->live->fabric, (uint32_t)node);
	if (error == -EEXIST)
		return refuse("%s runs already", asking->live->plan->nodes[node].name);
	if (error)
		return refuse("%s cannot be started: %s", asking->live->plan->nodes[node].name, strerror(-error));
	snprintf(text, sizeof(text), "%s runs again, pid %d", asking->live->plan->nodes[node].name,
		 (int)asking->live->fabric.nodes[node].pid);
	return json_pack("{s:s}", "text", text);
}

/* ---- the end ---- */

static json_t *ask_down(struct asking *asking)
{
	asking->live->ending = true;
	return json_pack("{s:s, s:i}", "fabric", asking->live->place.name, "pid", (int)getpid());
}
