/*  dataplane_show - a switch's tables as text, and the parameters that can be changed while it runs
 *  (TB-9, TB-10). */
#include "switchd/flow_channel/dataplane_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/stats/trace.h"

typedef void show_port_fn(const struct dataplane *dp, uint32_t port, FILE *out);

struct show_table {
	const char *name, *header;
	show_port_fn *port;
	bool of_ports; /* a line for every port, whatever it does */
};

static const char *const port_kind_name[PORT_KINDS] = {
	[PORT_EDGE] = "edge", [PORT_FABRIC] = "fabric"
};

static void show_ports(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct port_config *config = &dp->sw.config->ports[p];
	const struct port_stats *stats = dp->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %8.3f %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64
		" %8" PRIu64 "\n",
		p,
		dataplane_port_up(dp, p) ? port_kind_name[config->kind]
		: config->vacant         ? "vacant"
					 : "down",
		config->peer_name, (double)config->rate_bps / 1e9, stats->tx_packets,
		stats->rx_packets, stats->acks, stats->queue_bytes, stats->lost_frames);
}

static void show_efct(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct efct *efct = &dp->ports[p].efct;

	for (uint32_t i = 0; i < efct->fresh; i++) {
		const struct efct_line *line = &efct->lines[i];
		const struct efct_pattern *pattern = &efct->patterns[i];

		if (line->active)
			fprintf(out, "p%-4u %7u %6u %6u %6u %10u %10u %11u\n", p, i,
				pattern->fabric_address, pattern->egress_port,
				pattern->traffic_class, line->data_flow, line->ack_flow,
				efct_flow_extent(line));
	}
}

/* what tells flows apart (FC-2); until the last flow under way has ended, also what will */
static void show_match(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct efct *efct = &dp->ports[p].efct;

	if (dp->ports[p].kind != PORT_EDGE)
		return;
	fprintf(out, "p%-4u ", p);
	flow_match_print(&efct->match->now, out);
	if (efct->draining) {
		fputs("; when its flows have ended: ", out);
		flow_match_print(&efct->match->wanted, out);
	}
	fputc('\n', out);
}

static void show_ifct(const struct dataplane *dp, uint32_t p, FILE *out)
{
	static const char *const wait_name[] = { "-",       "requesting", "channel",   "blocked",
						 "wake-up", "stopped",    "port-limit" };
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];

		if (entry->active)
			fprintf(out, "p%-4u %7u %6u %6u %6u   p%-6u %10u %10u %10u %12u %11u  %s\n",
				p, i, entry->fabric_address, entry->egress_port,
				entry->traffic_class, entry->follow_port, entry->next_data_flow,
				entry->data_flow, entry->ack_flow, ifct_queue_extent(entry),
				ifct_flow_extent(entry), wait_name[entry->wait]);
	}
}

/* flows that are not simply running at full speed */
static void show_limits(const struct dataplane *dp, uint32_t p, FILE *out)
{
	static const char *const state_name[] = { "RUNNING", "BLOCK_FOR_REDIRECT",
						  "BLOCK_UNTIL_EMPTY" };
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];
		node_time_t now = dp->sw.shown_ps;

		if (!entry->active || !(entry->setting || entry->um || entry->dm ||
					entry->wake_up_ps > now || entry->fc_state != RUNNING))
			continue;
		fprintf(out, "p%-4u %7u %13u %7u %2u %2u %8d %9d %12u %11u %10.3f  %s\n", p, i,
			entry->ep_congestion, entry->setting, entry->um, entry->dm, entry->headroom,
			entry->um ? entry->committed_units : 0, ifct_queue_extent(entry),
			ifct_flow_extent(entry),
			entry->wake_up_ps > now ? (double)(entry->wake_up_ps - now) / NODE_US : 0.0,
			state_name[entry->fc_state]);
	}
}

static void show_ofct(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct ofct *ofct = &dp->ports[p].ofct;

	for (uint32_t i = 0; i < ofct->fresh; i++) {
		const struct ofct_entry *entry = &ofct->entries[i];

		if (entry->active)
			fprintf(out, "p%-4u %7u   p%-8u %10u %10u %10u %11u\n", p, i,
				entry->input_port, entry->input_port_flow_id, entry->data_flow,
				entry->ack_flow, ofct_flow_extent(entry));
	}
}

static void show_queues(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct port *port = &dp->ports[p];

	for (uint32_t c = 0; c < port->lane_count; c++) {
		char name[NODE_NAME_MAX + 8];

		snprintf(name, sizeof(name), port->lanes > 1 ? "%s/%u" : "%s",
			 dp->sw.config->classes[c / port->lanes].name, c % port->lanes);
		fprintf(out, "p%-4u %-16s %12u %14u %12u %14u %12" PRIu64 "  %-7s %s\n", p, name,
			port->link->held_units[c], port->promised_units[c],
			port->output[c].queue.units, port->output[c].queue.units_max,
			port->gauge.bytes, port->link->stop >> c & 1 ? "stop" : "go",
			link_stopped(port->link, c) ? "stop" : "go");
	}
}

static void show_acks(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct port *port = &dp->ports[p];

	if (port->kind == PORT_FABRIC)
		fprintf(out, "p%-4u %8u %12" PRIu64 " %12" PRIu64 " %10.2f\n", p, port->acks.count,
			port->stats->ack_frames, port->stats->acks,
			port->stats->ack_frames
				? (double)port->stats->acks / (double)port->stats->ack_frames
				: 0.0);
}

static void show_congestion(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct port_stats *stats = dp->ports[p].stats;
	uint64_t blocked = stats->blocked_extent + stats->blocked_rate + stats->blocked_empty +
			   stats->blocked_headroom + stats->blocked_port;

	fprintf(out,
		"p%-4u %9" PRIu64 " %7" PRIu64 " %8" PRIu64 " %12" PRIu64 " %10" PRIu64
		" %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %9" PRIu64
		" %11" PRIu64 "\n",
		p, stats->eca_acks, stats->eca_max, stats->limited, stats->extent_units,
		stats->extent_units_max, blocked, stats->metered, stats->headroom_starts,
		stats->headroom_stops, stats->stops, stats->fgfc_held, stats->fgfc_frames);
}

static void show_fgfc(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct fgfc *fgfc = &dp->ports[p].fgfc;

	for (uint32_t i = 0; fgfc_enabled(fgfc) && i < fgfc->channels; i++) {
		const struct fgfc_line *line = &fgfc->lines[i];

		if (!line->on && !line->told)
			continue;
		fprintf(out, "p%-4u %7u %-6s %12u %10.2f %16" PRIu64 "  ", p, i,
			!line->on    ? "ending"
			: line->told ? "held"
				     : "new",
			line->on ? ifct_queue_extent(&dp->ifcts[p].entries[i]) : 0,
			line->owed_eighths / 8.0, line->told_at_ps);
		flow_name_print(&line->name, out);
		flow_name_mask_print(&line->name, &fgfc->masks[i], out);
		fputc('\n', out);
	}
}

/* choices among several ports (FC-23 ... FC-25, FC-16) of flows that came in here; flows that are
 * being moved; and what the output asked */
static void show_paths(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct port_stats *stats = dp->ports[p].stats;
	const struct ifct *ifct = &dp->ifcts[p];
	uint32_t moving = 0;

	for (uint32_t i = 0; i < ifct->channels; i++)
		moving +=
			ifct->entries[i].active && ifct->entries[i].fc_state == BLOCK_FOR_REDIRECT;
	fprintf(out,
		"p%-4u %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
		" %8" PRIu32 " %8" PRIu64 " %12" PRIu64 "\n",
		p, stats->choices, stats->choices_other, stats->choices_detour, stats->choices_held,
		stats->redirects, moving, stats->folds, stats->reroute_acks);
}

/* flows of unordered classes that have several ways, or had until they folded (FC-16, EC-11) */
static void show_trees(const struct dataplane *dp, uint32_t p, FILE *out)
{
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];
		const struct tree_line *tree = &dp->ports[p].trees[i];

		if (!entry->active || tree->state == TREE_NONE)
			continue;
		fprintf(out, "p%-4u %7u %6u %6u %6u %12u %11u  ", p, i, entry->fabric_address,
			entry->egress_port, entry->traffic_class, ifct_queue_extent(entry),
			ifct_flow_extent(entry));
		if (tree->state == TREE_FOLDED)
			fprintf(out, "folded  p%u\n", tree->branch_port);
		else
			fprintf(out, "open    -\n");
	}
}

/* who is bound to the way of a source of congestion, and for how long yet (FC-24) */
static void show_sources(const struct dataplane *dp, uint32_t p, FILE *out)
{
	node_time_t now = dp->sw.shown_ps;
	const struct source_hold_line *line;
	uint32_t at = 0;

	while ((line = source_hold_next(&dp->hold, &at, now))) {
		const struct source_hold_key *key = &line->key;

		if (key->in_port == p)
			fprintf(out, "p%-4u %6u %6u %6u   p%-6u %6u %10.3f\n", p,
				key->fabric_address, key->egress_port, key->traffic_class,
				line->port, line->via, (double)(line->until_ps - now) / NODE_US);
	}
}

static const struct show_table tables[] = {
	{ "ports",
	  "port  kind    peer             rate_gbps   tx_packets   rx_packets    acks_sent "
	  "queue_bytes     lost\n",
	  show_ports, false },
	{ "efct", "port  flow_id  dest   port  class  data_flow   ack_flow flow_extent\n",
	  show_efct, false },
	{ "match", "port  flow-key\n", show_match, false },
	{ "ifct",
	  "port  flow_id  dest   port  class follow_port next_data  data_flow   ack_flow "
	  "queue_extent flow_extent  "
	  "waits\n",
	  show_ifct, false },
	{ "ofct", "port  flow_id input_port    flow_id  data_flow   ack_flow flow_extent\n",
	  show_ofct, false },
	{ "limits",
	  "port  flow_id ep_congestion setting UM DM headroom committed queue_extent flow_extent "
	  "wake_up_us  "
	  "fc_state\n",
	  show_limits, false },
	{ "queues",
	  "port  class             input_units promised_units output_units output_max  queue_bytes "
	  " says    is_told\n",
	  show_queues, true },
	{ "fgfc", "port  flow_id state  queue_extent owed_units          told_ps  flow\n",
	  show_fgfc, false },
	{ "acks", "port  waiting  ack_frames         acks  per_frame\n", show_acks, false },
	{ "congestion",
	  "port   eca_acks eca_max  limited extent_units extent_max    blocked  metered   starts   "
	  " ended   stops "
	  "fgfc_held fgfc_frames\n",
	  show_congestion, true },
	{ "paths",
	  "port     choices      other     detour       held  redirects   moving    folds "
	  "reroute_acks\n",
	  show_paths, true },
	{ "trees", "port  flow_id  dest   port  class queue_extent flow_extent  state   branch\n",
	  show_trees, false },
	{ "sources", "port    dest   port  class follow_port  via    ends_us\n", show_sources,
	  false },
};

#define TABLES COUNT_OF(tables)

static void show_routes(const struct dataplane *dp, FILE *out)
{
	fprintf(out, "dest   ports\n");
	for (uint32_t a = 0; a < dp->routes.address_count; a++) {
		const struct route *route = &dp->routes.routes[a];

		if (!route->port_count)
			continue;
		fprintf(out, "%-6u", a);
		for (uint32_t i = 0; i < route->port_count; i++)
			fprintf(out, " p%u", route->ports[i]);
		fprintf(out, "\n");
	}
}

/* a table with a line for every port leaves out those that nobody has joined at, but when asked for
 * one */
static bool is_shown(const struct dataplane *dp, const struct show_table *table, uint32_t port)
{
	return !table->of_ports || dataplane_port_up(dp, port) ||
	       !dp->sw.config->ports[port].vacant;
}

int dataplane_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct dataplane *dp = dataplane;

	if (port < -1 || port >= (int)dp->sw.port_count)
		return -EINVAL;
	dp->sw.shown_ps = node_time_max(now, dp->sw.stats->now_ps);
	if (!strcmp(table, "routes")) {
		show_routes(dp, out);
		return 0;
	}
	for (uint32_t t = 0; t < TABLES; t++) {
		if (strcmp(tables[t].name, table) != 0)
			continue;
		fputs(tables[t].header, out);
		for (uint32_t p = 0; p < dp->sw.port_count; p++)
			if (port == (int)p || (port < 0 && is_shown(dp, &tables[t], p)))
				tables[t].port(dp, p, out);
		return 0;
	}
	for (uint32_t t = 0; t < TABLES; t++)
		fprintf(out, "%s ", tables[t].name);
	fprintf(out, "routes trace\n");
	return -ENOENT;
}

/* ---- parameters ---- */

#define TIMER_NS_MAX 1000000u

/* a whole number of @min..@max, or -1 */
static long number_of(const char *value, long min, long max)
{
	char *end;
	long number = strtol(value, &end, 10);

	return *value && !*end && number >= min && number <= max ? number : -1;
}

static int set_timer(struct dataplane *dp, size_t offset, const char *value)
{
	long ns = number_of(value, 0, TIMER_NS_MAX);

	if (ns < 0)
		return -EINVAL;
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		*(node_time_t *)((char *)&dp->ports[p].acks + offset) = (node_time_t)ns * NODE_NS;
	return 0;
}

static int set_collect(struct dataplane *dp, const char *value)
{
	long count = number_of(value, 1, ACK_FRAME_ACKS_MAX);

	if (count < 0)
		return -EINVAL;
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		dp->ports[p].acks.collect = (uint32_t)count;
	return 0;
}

static int set_output_queue(struct dataplane *dp, const char *value)
{
	long units = number_of(value, 1, 1 << 20);

	/* the pool is made for the configured size: smaller is possible, larger not */
	if (units < 0 || (uint32_t)units > dp->sw.config->switch_.output_queue_units_max)
		return -EINVAL;
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		for (uint32_t c = 0; c < dp->lane_count; c++)
			dp->ports[p].output[c].queue.units_max = (uint32_t)units;
	return 0;
}

static int match_of(const char *value, struct flow_match *match, FILE *out)
{
	char why[240];
	int error = flow_match_parse(value, match, why, sizeof(why));

	if (error)
		fprintf(out, "%s\n", why);
	return error;
}

static int set_match(struct dataplane *dp, const char *value, FILE *out)
{
	struct flow_match match;
	int error = match_of(value, &match, out);

	for (uint32_t p = 0; !error && p < dp->sw.port_count; p++)
		if (dp->ports[p].kind == PORT_EDGE)
			efct_match_set(&dp->ports[p].efct, &match);
	return error;
}

/* FC-2: the same for the edge port that @name, "match.pN", names */
static int set_match_of_port(struct dataplane *dp, const char *name, const char *value, FILE *out)
{
	long port = number_of(name + strlen("match.p"), 0, NODE_PORTS_MAX - 1);
	struct flow_match match;

	if (port < 0 || (uint32_t)port >= dp->sw.port_count || dp->ports[port].kind != PORT_EDGE) {
		fprintf(out, "%s: no edge port\n", name);
		return -EINVAL;
	}
	if (match_of(value, &match, out))
		return -EINVAL;
	efct_match_set(&dp->ports[port].efct, &match);
	return 0;
}

/* A mechanism that only says whether a flow may go on: those that it holds find out with their next
 * ACK, or when their time has come. */
static int set_mechanism(struct dataplane *dp, bool *mechanism, const char *value)
{
	if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return -EINVAL;
	*mechanism = !strcmp(value, "on");
	injection_init(&dp->injection, &dp->congestion);
	return 0;
}

static int parameter_set(struct dataplane *dp, const char *name, const char *value, FILE *out)
{
	if (!strcmp(name, "ack.t1"))
		return set_timer(dp, offsetof(struct ack_collector, t1_ps), value);
	if (!strcmp(name, "ack.t2"))
		return set_timer(dp, offsetof(struct ack_collector, t2_ps), value);
	if (!strcmp(name, "ack.t3"))
		return set_timer(dp, offsetof(struct ack_collector, t3_ps), value);
	if (!strcmp(name, "ack.collect"))
		return set_collect(dp, value);
	if (!strcmp(name, "output-queue"))
		return set_output_queue(dp, value);
	if (!strcmp(name, "match"))
		return set_match(dp, value, out);
	if (!strncmp(name, "match.p", strlen("match.p")))
		return set_match_of_port(dp, name, value, out);
	if (!strcmp(name, "congestion.rate-limit"))
		return set_mechanism(dp, &dp->congestion.rate_limit, value);
	if (!strcmp(name, "congestion.flow-limit"))
		return set_mechanism(dp, &dp->congestion.flow_limit, value);
	if (!strcmp(name, "congestion.limit-after-ack"))
		return set_mechanism(dp, &dp->congestion.limit_after_ack, value);
	if (!strcmp(name, "congestion.inputs"))
		return set_mechanism(dp, &dp->congestion.inputs, value);
	return -ENOENT;
}

int dataplane_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct dataplane *dp = dataplane;
	int error;

	/* what is scheduled already may be due sooner: looked at with the next event */
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		switch_touch(&dp->sw, p);
	trace(dp->sw.stats, dp->sw.stats->now_ps, TRACE_PARAMETER_SET, 0, 0,
	      (uint32_t)strtoul(value, NULL, 10));
	error = parameter_set(dp, name, value, out);
	if (error)
		fprintf(out,
			"ack.t1 ack.t2 ack.t3 (0..%u ns) ack.collect (1..%u) output-queue (1..%u "
			"units) "
			"match, match.pN of an edge port (fields such as "
			"source-mac,destination-ip/24,source-port&0xff00, or "
			"the sum of 1 source-mac, 2 destination-mac, 4 vlan, 8 ip-pair, 16 ports, "
			"32 flow-label, 64 "
			"hpc) "
			"congestion.inputs congestion.rate-limit congestion.flow-limit "
			"congestion.limit-after-ack "
			"(on, off)\n",
			TIMER_NS_MAX, ACK_FRAME_ACKS_MAX,
			dp->sw.config->switch_.output_queue_units_max);
	return error;
}
