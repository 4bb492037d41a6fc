#include "orchestrator/fabric/flow_trail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/wire/frame.h"
#include "orchestrator/fabric/fabric_show.h"
#include "orchestrator/fabric/table_shelf.h"
#include "orchestrator/scenario/scenario_keys.h"

#define NONE FLOW_TRAIL_PORT_NONE
#define HOPS_MAX 256u /* of a flow: in an unordered class it may take many links */

/* a search; `error` of the shelf is that of the whole */
struct search {
	struct table_shelf shelf;
	struct flow_trail *trail;
	const struct plan *plan;
	struct flow_trail_block *block; /* the present one */
	/* the present flow: -1 and "" if it is of a program */
	int64_t slot;
	const char *headers; /* roce: of its frames, hexadecimal; NULL: none known */
};

static const char *name_of(const struct search *search, uint32_t node)
{
	return search->plan->nodes[node].name;
}

static const char *peer_of(const struct search *search, uint32_t node, int64_t port)
{
	const struct node_config *config = &search->plan->nodes[node];

	return port >= 0 && port < config->port_count ? config->ports[port].peer_name : "-";
}

static bool cell_is(const struct node_table *table, uint32_t row, const char *column,
		    const char *wanted)
{
	const char *cell = node_table_cell(table, row, column);

	return cell && !strcmp(cell, wanted);
}

/* a number of a cell; -1: it has none */
static int64_t cell_number(const struct node_table *table, uint32_t row, const char *column)
{
	return node_table_cell(table, row, column) ? node_table_number(table, row, column) : -1;
}

/* the first row with @number in @column and @second in @other, which may be NULL.
 * Return: -1: none */
static int64_t row_find(const struct node_table *table, const char *column, int64_t number,
			const char *other, int64_t second)
{
	for (uint32_t r = 0; r < table->row_count; r++)
		if (cell_number(table, r, column) == number &&
		    (!other || cell_number(table, r, other) == second))
			return r;
	return -1;
}

/* ---- blocks and hops ---- */

/* a new block, the present one from now on; NULL: there are enough, or memory is short */
static struct flow_trail_block *block_add(struct search *search, const char *traffic_class)
{
	struct flow_trail *trail = search->trail;

	search->block = NULL;
	if (trail->block_count == FLOW_TRAIL_BLOCKS_MAX) {
		trail->cut = true;
		return NULL;
	}
	search->block = &trail->blocks[trail->block_count];
	*search->block = (struct flow_trail_block){ .slot = -1 };
	search->block->hops = calloc(HOPS_MAX, sizeof(*search->block->hops));
	if (!search->block->hops) {
		search->shelf.error = -ENOMEM;
		return search->block = NULL;
	}
	search->block->hops_max = HOPS_MAX;
	trail->block_count++;
	snprintf(search->block->traffic_class, NODE_NAME_MAX, "%s",
		 traffic_class ? traffic_class : "");
	return search->block;
}

/* NULL: there are enough hops, or the flow was here before */
static struct flow_trail_hop *hop_add(struct search *search, uint32_t node, int64_t in_port,
				      int64_t out_port, int64_t in_id)
{
	struct flow_trail_block *block = search->block;

	for (uint32_t i = 0; i < block->hop_count; i++) {
		const struct flow_trail_hop *hop = &block->hops[i];

		if (hop->node == node && hop->in_port == in_port && hop->out_port == out_port &&
		    hop->in_id == in_id)
			return NULL;
	}
	if (block->hop_count == block->hops_max)
		return NULL;
	block->hops[block->hop_count] = (struct flow_trail_hop){ .node = node,
								 .in_port = in_port,
								 .out_port = out_port,
								 .in_id = in_id,
								 .out_id = -1,
								 .unacknowledged_bytes = -1 };
	return &block->hops[block->hop_count++];
}

static void __attribute__((format(printf, 2, 3)))
hold(struct flow_trail_hop *hop, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(hop->held_by, sizeof(hop->held_by), format, arguments);
	va_end(arguments);
}

/* the other end of @port of @node: its node in *@next.  Return: the port there; NONE: no link, or
 * the destination is there */
static int64_t peer_port(const struct search *search, uint32_t node, int64_t port, uint32_t *next)
{
	const struct node_config *config = &search->plan->nodes[node];

	if (port < 0 || port >= config->port_count || config->ports[port].vacant)
		return NONE;
	*next = config->ports[port].peer_index;
	return *next == search->trail->to || *next >= search->plan->switch_count
		       ? NONE
		       : (int64_t)config->ports[port].peer_port;
}

/* ---- the source ---- */

/* why the flow in row @row of `flows` of the source does not send */
static void source_hold_write(struct search *search, const struct node_table *flows, uint32_t row,
			      struct flow_trail_hop *hop)
{
	const char *why = node_table_cell(flows, row, "held_by"),
		   *at = peer_of(search, hop->node, 0);
	int64_t rate_bps = node_table_number(flows, row, "allowed_rate_bps");

	if (!why)
		return;
	if (!strcmp(why, "fgfc"))
		hold(hop, "pause of this flow by %s (FGFC)", at);
	else if (!strcmp(why, "pfc"))
		hold(hop, "pause of its class by %s (PFC)", at);
	else if (!strcmp(why, "stop"))
		hold(hop, "STOP of its class by %s", at);
	else if (!strcmp(why, "credit"))
		hold(hop, "credit of %s", at);
	else if (!strcmp(why, "window"))
		hold(hop, "its window: ACKs are awaited");
	else if (!strcmp(why, "rate"))
		hold(hop, "its rate, %.9g Gb/s", (double)rate_bps / 1e9);
	else if (!strcmp(why, "error"))
		hold(hop, "an error: the queue pair gave up");
	else
		hold(hop, "its turn on the link");
}

/* the first hop of the present block: the flow in row @row of `flows` */
static void source_add(struct search *search, const struct node_table *flows, uint32_t row)
{
	struct flow_trail_hop *hop =
		hop_add(search, search->trail->from, NONE, 0, -1 - (int64_t)row);
	const char *workload = node_table_cell(flows, row, "workload");

	if (!hop)
		return;
	hop->in_id = -1;
	hop->waiting_bytes = (uint64_t)node_table_number(flows, row, "waiting_bytes");
	if (plan_fabric(search->plan) == FABRIC_ROCE)
		hop->unacknowledged_bytes = node_table_number(flows, row, "unacknowledged_bytes");
	source_hold_write(search, flows, row, hop);
	if (search->block->hop_count > 1) {
		search->block->slot = -1;
		return;
	}
	search->block->slot = node_table_number(flows, row, "slot");
	snprintf(search->block->workload, NODE_NAME_MAX, "%s", workload ? workload : "");
}

/* ---- flow channels ---- */

/* what flow @id of input @port waits for at @out */
static void channel_hold_write(struct search *search, uint32_t node, int64_t port, int64_t id,
			       const char *waits, struct flow_trail_hop *hop)
{
	const struct node_table *limits = table_shelf_get(&search->shelf, node, "limits");
	int64_t row = row_find(limits, "port", port, "flow_id", id);
	const char *next = peer_of(search, node, hop->out_port);

	if (!waits)
		return;
	if (!strcmp(waits, "requesting"))
		hold(hop, "its turn at the output to %s", next);
	else if (!strcmp(waits, "channel"))
		hold(hop, "a free flow channel on the link to %s", next);
	else if (!strcmp(waits, "stopped"))
		hold(hop, "STOP by %s for flows without credit", next);
	else if (!strcmp(waits, "port-limit"))
		hold(hop, "the injection limit of this input");
	else if (row >= 0 && cell_is(limits, (uint32_t)row, "flow_control", "stopped-for-redirect"))
		hold(hop, "a change of its path: until all that it sent is acknowledged");
	else if (!strcmp(waits, "wake-up"))
		hold(hop, "its rate limit for %.3f us (congestion factor %" PRId64 ")",
		     row < 0 ? 0.0
			     : (double)node_table_number(limits, (uint32_t)row, "wake_up_us") /
				       NODE_US,
		     row < 0 ? 0 : node_table_number(limits, (uint32_t)row, "ep_congestion"));
	else if (row >= 0 && cell_is(limits, (uint32_t)row, "downstream_metering", "1") &&
		 node_table_number(limits, (uint32_t)row, "credit_bytes") <= 0)
		hold(hop, "hop credit of %s", next);
	else
		hold(hop, "the limit of its data in flight (congestion factor %" PRId64 ")",
		     row < 0 ? 0 : node_table_number(limits, (uint32_t)row, "ep_congestion"));
}

/* flow channel @id of input @port of @node, and what is downstream of it */
static void channel_follow(struct search *search, uint32_t node, int64_t port, int64_t id)
{
	const struct node_table *ifct = table_shelf_get(&search->shelf, node, "ifct"),
				*ofct = table_shelf_get(&search->shelf, node, "ofct");
	int64_t row = row_find(ifct, "port", port, "flow_id", id), next_port;
	struct flow_trail_hop *hop;
	uint32_t next;

	/* under the real clock the id may be another flow's by now */
	if (row >= 0 && !cell_is(ifct, (uint32_t)row, "dest", name_of(search, search->trail->to)))
		row = -1;
	if (row < 0) { /* what has arrived here is with its host, or it is on the link */
		const struct port_config *last = &search->plan->nodes[search->trail->to].ports[0];

		hop_add(search, node, port,
			last->peer_index == node ? (int64_t)last->peer_port : NONE, id);
		return;
	}
	hop = hop_add(search, node, port, cell_number(ifct, (uint32_t)row, "follow_port"), id);
	if (!hop)
		return;
	hop->waiting_bytes = (uint64_t)node_table_number(ifct, (uint32_t)row, "waiting_bytes");
	hop->unacknowledged_bytes = node_table_number(ifct, (uint32_t)row, "unacknowledged_bytes");
	channel_hold_write(search, node, port, id, node_table_cell(ifct, (uint32_t)row, "waits"),
			   hop);
	for (uint32_t r = 0; r < ofct->row_count; r++) {
		int64_t out = cell_number(ofct, r, "port"),
			out_id = cell_number(ofct, r, "flow_id");

		if (cell_number(ofct, r, "input_port") != port ||
		    cell_number(ofct, r, "input_flow_id") != id)
			continue;
		if (hop->out_id < 0 || out == hop->out_port) {
			hop->out_port = out;
			hop->out_id = out_id;
		}
		next_port = peer_port(search, node, out, &next);
		if (next_port != NONE)
			channel_follow(search, next, next_port, out_id);
	}
}

/* a block for each flow channel of the source's port; rows of `flows` in it if it is the only one
 * of its class, else in a block before */
static void channels_find(struct search *search, const struct node_table *flows)
{
	const struct port_config *edge = &search->plan->nodes[search->trail->from].ports[0];
	const struct node_table *efct = table_shelf_get(&search->shelf, edge->peer_index, "efct");
	const char *to = name_of(search, search->trail->to);
	uint32_t alone = 0;

	for (uint32_t r = 0; r < efct->row_count; r++)
		alone += cell_number(efct, r, "port") == (int64_t)edge->peer_port &&
			 cell_is(efct, r, "dest", to);
	for (uint32_t r = 0; r < flows->row_count; r++) {
		if (!cell_is(flows, r, "destination", to) || alone == 1)
			continue;
		if (!block_add(search, node_table_cell(flows, r, "class")))
			return;
		source_add(search, flows, r);
		snprintf(search->block->note, sizeof(search->block->note),
			 alone ? "at its host; flow channels of all flows are below"
			       : "nothing of it is in the fabric now");
	}
	for (uint32_t r = 0; r < efct->row_count; r++) {
		if (cell_number(efct, r, "port") != (int64_t)edge->peer_port ||
		    !cell_is(efct, r, "dest", to))
			continue;
		if (!block_add(search, node_table_cell(efct, r, "class")))
			return;
		for (uint32_t f = 0; alone == 1 && f < flows->row_count; f++)
			if (cell_is(flows, f, "destination", to))
				source_add(search, flows, f);
		channel_follow(search, edge->peer_index, edge->peer_port,
			       cell_number(efct, r, "flow_id"));
	}
}

/* ---- kinds in which flows share queues ---- */

/* what waits of the present flow at an output */
struct backlog {
	uint64_t bytes, packets;
	int64_t level; /* of its lane */
};

static struct backlog backlog_of(struct search *search, uint32_t node, int64_t port)
{
	const struct node_table *waiting = table_shelf_get(&search->shelf, node, "waiting");
	struct backlog backlog = { 0 };

	for (uint32_t r = 0; r < waiting->row_count; r++) {
		if (cell_number(waiting, r, "port") != port ||
		    !cell_is(waiting, r, "source", name_of(search, search->trail->from)) ||
		    !cell_is(waiting, r, "destination", name_of(search, search->trail->to)) ||
		    (search->slot >= 0 && cell_number(waiting, r, "slot") != search->slot))
			continue;
		backlog.bytes += (uint64_t)node_table_number(waiting, r, "bytes");
		backlog.packets += (uint64_t)node_table_number(waiting, r, "packets");
		backlog.level = cell_number(waiting, r, "level");
	}
	return backlog;
}

/* Has row @row of `lanes` less credit than one of these packets takes? The switch itself only looks
 * once the link is free. */
static bool lacks_credit(const struct node_table *lanes, uint32_t row,
			 const struct backlog *backlog)
{
	int64_t credit_units = cell_number(lanes, row, "credit_units");
	uint64_t packet_bytes = backlog->packets ? backlog->bytes / backlog->packets : 0;

	return node_table_cell(lanes, row, "credit_units") &&
	       credit_units < (int64_t)units_of_bytes((uint32_t)packet_bytes);
}

/* what @backlog at @hop's output waits for */
static void queue_hold_write(struct search *search, const struct backlog *backlog,
			     struct flow_trail_hop *hop)
{
	bool roce = plan_fabric(search->plan) == FABRIC_ROCE;
	const struct node_table *table =
		table_shelf_get(&search->shelf, hop->node, roce ? "pfc" : "lanes");
	const char *traffic_class = search->block->traffic_class,
		   *next = peer_of(search, hop->node, hop->out_port);

	for (uint32_t r = 0; r < table->row_count; r++) {
		if (cell_number(table, r, "port") != hop->out_port ||
		    (traffic_class[0] && !cell_is(table, r, "class", traffic_class)))
			continue;
		if (roce && cell_is(table, r, "from_peer", "XOFF")) {
			hold(hop, "pause of its class by %s (PFC), for %.3f us so far", next,
			     (double)node_table_number(table, r, "from_peer_us") / NODE_US);
			return;
		}
		if (!roce && cell_number(table, r, "level") == backlog->level &&
		    lacks_credit(table, r, backlog)) {
			hold(hop, "credit of %s (lane %" PRId64 ", %" PRId64 " units left)", next,
			     backlog->level, node_table_number(table, r, "credit_units"));
			return;
		}
	}
	hold(hop, "its turn in the queue to %s", next);
}

/* is the class of the present flow one in which each packet chooses? */
static bool is_unordered(const struct search *search, uint32_t node)
{
	const struct node_config *config = &search->plan->nodes[node];

	for (uint32_t c = 0; c < config->class_count; c++)
		if (!strcmp(config->classes[c].name, search->block->traffic_class))
			return config->classes[c].unordered;
	return false;
}

/* a set of @port alone; empty if a node says a port that no node has */
static uint64_t port_bit(int64_t port)
{
	return port >= 0 && port < NODE_PORTS_MAX ? 1ull << port : 0;
}

/* of a switch of a port-group fabric: the table of its LIDs has the port */
static uint64_t outputs_by_lid(struct search *search, uint32_t node)
{
	const struct node_table *table = table_shelf_get(&search->shelf, node, "lft");
	const char *column = is_unordered(search, node) ? "now_port" : "static_port";
	uint64_t ports = 0;

	for (uint32_t r = 0; r < table->row_count; r++)
		if (cell_is(table, r, "dlid", name_of(search, search->trail->to)))
			ports |= port_bit(cell_number(table, r, column));
	return ports;
}

/* the headers of the flow are known: its switch computes the output */
static uint64_t outputs_by_headers(struct search *search, uint32_t node)
{
	const struct node_table *table;
	char name[8 + 2 * FRAME_HEADERS_MAX + 1];

	snprintf(name, sizeof(name), "output %s", search->headers);
	table = table_shelf_get(&search->shelf, node, name);
	return table->row_count ? port_bit(cell_number(table, 0, "port")) : 0;
}

/* all ports of the routes to the switch of the destination */
static uint64_t outputs_by_routes(struct search *search, uint32_t node)
{
	const struct port_config *last = &search->plan->nodes[search->trail->to].ports[0];
	const struct node_table *table;
	uint64_t ports = 0;

	if (last->peer_index == node)
		return 1ull << last->peer_port;
	table = table_shelf_get(&search->shelf, node, "routes");
	for (uint32_t r = 0; r < table->row_count; r++) {
		const char *at = node_table_cell(table, r, "ports");

		if (!cell_is(table, r, "dest", last->peer_name))
			continue;
		for (char *end; at && *at; at = end) {
			int64_t port = strtol(at, &end, 10);

			if (end == at)
				break;
			ports |= port_bit(port);
		}
	}
	return ports;
}

/* the ports by which the present flow leaves @node: a set */
static uint64_t outputs_of(struct search *search, uint32_t node)
{
	if (plan_fabric(search->plan) == FABRIC_PORT_GROUP)
		return outputs_by_lid(search, node);
	return search->headers ? outputs_by_headers(search, node) : outputs_by_routes(search, node);
}

/* the present flow at @node, where it comes in by @port, and downstream. It also takes ports at
 * which packets of it wait, whatever it would take now. */
static void queue_follow(struct search *search, uint32_t node, int64_t port)
{
	uint64_t outputs = outputs_of(search, node);
	const struct node_config *config = &search->plan->nodes[node];
	struct flow_trail_hop *hop;
	int64_t next_port;
	uint32_t next;

	if (!outputs)
		hop_add(search, node, port, NONE, -1);
	for (uint32_t p = 0; p < config->port_count; p++) {
		struct backlog backlog = backlog_of(search, node, p);

		if (!backlog.bytes && !(outputs >> p & 1))
			continue;
		hop = hop_add(search, node, port, p, -1);
		if (!hop)
			continue;
		hop->waiting_bytes = backlog.bytes;
		if (backlog.bytes)
			queue_hold_write(search, &backlog, hop);
		next_port = peer_port(search, node, p, &next);
		if (next_port != NONE)
			queue_follow(search, next, next_port);
	}
}

/* a block for each flow of workloads; without any one for all packets of the two hosts */
static void queues_find(struct search *search, const struct node_table *flows)
{
	const struct port_config *edge = &search->plan->nodes[search->trail->from].ports[0];
	const struct node_table *headers =
		table_shelf_get(&search->shelf, search->trail->from, "headers");
	const char *to = name_of(search, search->trail->to);

	for (uint32_t r = 0; r < flows->row_count; r++) {
		if (!cell_is(flows, r, "destination", to))
			continue;
		if (!block_add(search, node_table_cell(flows, r, "class")))
			return;
		source_add(search, flows, r);
		search->slot = search->block->slot;
		search->headers = node_table_cell(headers, r, "headers");
		if (search->headers)
			queue_follow(search, edge->peer_index, edge->peer_port);
		else
			snprintf(search->block->note, sizeof(search->block->note),
				 "it has sent nothing so far");
	}
	if (search->trail->block_count || !plan_is_real(search->plan) || !block_add(search, NULL))
		return;
	snprintf(search->block->note, sizeof(search->block->note),
		 "packets of all programs; where several ports lead there, each is listed");
	search->slot = -1;
	search->headers = NULL;
	queue_follow(search, edge->peer_index, edge->peer_port);
}

/* ---- all of it ---- */

/* host @name in *@node; else a refusal in @why */
static int host_find(const struct plan *plan, const char *name, uint32_t *node, struct why *why)
{
	const struct node_config *config = plan_node_find(plan, name);
	char hint[128];

	if (config && config->kind == NODE_NIC) {
		*node = config->index;
		return 0;
	}
	if (config)
		return why_say(why, FABRIC_SHOW_REFUSED,
			       "%s is a switch: a flow is from one host to another", name);
	return why_say(why, FABRIC_SHOW_REFUSED, "there is no host '%s'%s", name,
		       key_name_hint(name, plan->nodes[plan->switch_count].name, plan->host_count,
				     sizeof(*plan->nodes), hint, sizeof(hint)));
}

/* there is no flow: the destinations that there are */
static int none_found(const struct search *search, const struct node_table *flows, struct why *why)
{
	const char *from = name_of(search, search->trail->from);
	const char *last = "";

	why_say(why, 0, "no flow from %s to %s now", from, name_of(search, search->trail->to));
	for (uint32_t r = 0; r < flows->row_count; r++) {
		const char *to = node_table_cell(flows, r, "destination");

		if (!to || !strcmp(to, last))
			continue;
		why_add(why, "%s %s", last[0] ? "," : "; there are flows to", to);
		last = to;
	}
	if (!last[0] && !plan_is_real(search->plan))
		why_add(why, "; %s sends nothing", from);
	return FABRIC_SHOW_REFUSED;
}

int flow_trail_find(struct fabric *fabric, const char *from, const char *to,
		    struct flow_trail *trail, struct why *why)
{
	struct search search = { .trail = trail, .plan = fabric->plan, .slot = -1 };
	const struct node_table *flows;
	int error;

	*trail = (struct flow_trail){ .plan = fabric->plan };
	why->text[0] = 0;
	if (host_find(fabric->plan, from, &trail->from, why) ||
	    host_find(fabric->plan, to, &trail->to, why))
		return FABRIC_SHOW_REFUSED;
	trail->blocks = calloc(FLOW_TRAIL_BLOCKS_MAX, sizeof(*trail->blocks));
	if (!trail->blocks)
		return -ENOMEM;
	table_shelf_init(&search.shelf, fabric);
	flows = table_shelf_get(&search.shelf, trail->from, "flows");
	if (plan_fabric(fabric->plan) == FABRIC_FLOW_CHANNEL)
		channels_find(&search, flows);
	else
		queues_find(&search, flows);
	error = search.shelf.error;
	if (error == FABRIC_SHOW_REFUSED)
		*why = search.shelf.why;
	else if (!error && !trail->block_count)
		error = none_found(&search, flows, why);
	table_shelf_free(&search.shelf);
	return error;
}

void flow_trail_free(struct flow_trail *trail)
{
	for (uint32_t i = 0; i < trail->block_count; i++)
		free(trail->blocks[i].hops);
	free(trail->blocks);
	*trail = (struct flow_trail){ 0 };
}
