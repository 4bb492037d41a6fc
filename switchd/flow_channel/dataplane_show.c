#include "switchd/flow_channel/dataplane_show.h"

#include <inttypes.h>

#include "switchd/flow_channel/dataplane.h"

/* Positions and extents are kept in units; users read bytes. */
static uint64_t bytes_of_units(uint32_t units)
{
	return (uint64_t)units * UNIT_BYTES;
}

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct port_config *config = &dp->sw.config->ports[p];
	const struct port_stats *stats = dp->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %8.3f %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64
		" %8" PRIu64 "\n",
		p, switch_port_state(&dp->sw, p), config->peer_name, (double)config->rate_bps / 1e9,
		stats->tx_packets, stats->rx_packets, stats->acks, stats->queue_bytes,
		stats->lost_frames);
}

static void show_efct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct efct *efct = &dp->ports[p].efct;

	for (uint32_t i = 0; i < efct->fresh; i++) {
		const struct efct_line *line = &efct->lines[i];
		const struct efct_pattern *pattern = &efct->patterns[i];

		if (line->active)
			fprintf(out,
				"p%-4u %7u %6u %6u %6u %13" PRIu64 " %18" PRIu64 " %20" PRIu64 "\n",
				p, i, pattern->fabric_address, pattern->egress_port,
				pattern->traffic_class, bytes_of_units(line->data_flow),
				bytes_of_units(line->ack_flow),
				bytes_of_units(efct_flow_extent(line)));
	}
}

/* the fields that distinguish flows (FC-2); also the next ones, until the last flow in flight
 * has ended */
static void show_match(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
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

static void show_ifct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	static const char *const wait_name[] = { "-",       "requesting", "channel",   "blocked",
						 "wake-up", "stopped",    "port-limit" };
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];

		if (entry->active)
			fprintf(out,
				"p%-4u %7u %6u %6u %6u   p%-8u %14" PRIu64 " %13" PRIu64
				" %18" PRIu64 " %13" PRIu64 " %20" PRIu64 "  %s\n",
				p, i, entry->fabric_address, entry->egress_port,
				entry->traffic_class, entry->follow_port,
				bytes_of_units(entry->next_data_flow),
				bytes_of_units(entry->data_flow), bytes_of_units(entry->ack_flow),
				bytes_of_units(ifct_queue_extent(entry)),
				bytes_of_units(ifct_flow_extent(entry)), wait_name[entry->wait]);
	}
}

/* flows that are not simply running at full speed */
static void show_limits(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	static const char *const state_name[] = { "running", "stopped-for-redirect",
						  "stopped-until-empty" };
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];
		node_time_t now = dp->sw.shown_ps;

		if (!entry->active || !(entry->setting || entry->um || entry->dm ||
					entry->wake_up_ps > now || entry->fc_state != RUNNING))
			continue;
		fprintf(out,
			"p%-4u %7u %13u %7u %17s %15" PRId64 " %19s %12" PRId64 " %13" PRIu64
			" %20" PRIu64 " %10.3f  %s\n",
			p, i, entry->ep_congestion, entry->setting, entry->um ? "yes" : "no",
			entry->um ? (int64_t)entry->committed_units * UNIT_BYTES : 0,
			entry->dm ? "yes" : "no", (int64_t)entry->headroom * UNIT_BYTES,
			bytes_of_units(ifct_queue_extent(entry)),
			bytes_of_units(ifct_flow_extent(entry)),
			entry->wake_up_ps > now ? (double)(entry->wake_up_ps - now) / NODE_US : 0.0,
			state_name[entry->fc_state]);
	}
}

static void show_ofct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct ofct *ofct = &dp->ports[p].ofct;

	for (uint32_t i = 0; i < ofct->fresh; i++) {
		const struct ofct_entry *entry = &ofct->entries[i];

		if (entry->active)
			fprintf(out,
				"p%-4u %7u   p%-8u %8u %13" PRIu64 " %18" PRIu64 " %20" PRIu64 "\n",
				p, i, entry->input_port, entry->input_port_flow_id,
				bytes_of_units(entry->data_flow), bytes_of_units(entry->ack_flow),
				bytes_of_units(ofct_flow_extent(entry)));
	}
}

static void show_queues(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct port *port = &dp->ports[p];

	for (uint32_t c = 0; c < port->lane_count; c++) {
		char name[NODE_NAME_MAX + 8];

		snprintf(name, sizeof(name), port->lanes > 1 ? "%s/%u" : "%s",
			 dp->sw.config->classes[c / port->lanes].name, c % port->lanes);
		fprintf(out, "p%-4u %-16s %12u %14u %12u %14u %12" PRIu64 "  %-7s %s\n", p, name,
			port->link->rx.held_units[c], port->promised_units[c],
			port->output[c].queue.units, port->output[c].queue.units_max,
			port->gauge.bytes, port->link->stop.wanted >> c & 1 ? "STOP" : "XON",
			link_stopped(port->link, c) ? "STOP" : "XON");
	}
}

static void show_acks(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct port *port = &dp->ports[p];

	if (port->kind == PORT_FABRIC)
		fprintf(out, "p%-4u %8u %12" PRIu64 " %12" PRIu64 " %10.2f\n", p, port->acks.count,
			port->stats->ack_frames, port->stats->acks,
			port->stats->ack_frames
				? (double)port->stats->acks / (double)port->stats->ack_frames
				: 0.0);
}

static void show_congestion(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
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

static void show_fgfc(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct fgfc *fgfc = &dp->ports[p].fgfc;

	for (uint32_t i = 0; fgfc_enabled(fgfc) && i < fgfc->channels; i++) {
		const struct fgfc_line *line = &fgfc->lines[i];

		if (!line->on && !line->told)
			continue;
		fprintf(out, "p%-4u %7u %-6s %13" PRIu64 " %10.2f %16" PRIu64 "  ", p, i,
			!line->on    ? "ending"
			: line->told ? "held"
				     : "new",
			line->on ? bytes_of_units(ifct_queue_extent(&dp->ifcts[p].entries[i])) : 0,
			line->owed_eighths / 8.0, line->told_at_ps);
		flow_name_print(&line->name, out);
		flow_name_mask_print(&line->name, &fgfc->masks[i], out);
		fputc('\n', out);
	}
}

/* choices among several ports (FC-23 ... FC-25, FC-16) of flows that came in here; flows that are
 * being moved; and what the output asked */
static void show_paths(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
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

/* flows of unordered classes that have several paths, or had until they folded (FC-16, EC-11) */
static void show_trees(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = &ifct->entries[i];
		const struct tree_line *tree = &dp->ports[p].trees[i];

		if (!entry->active || tree->state == TREE_NONE)
			continue;
		fprintf(out, "p%-4u %7u %6u %6u %6u %13" PRIu64 " %20" PRIu64 "  ", p, i,
			entry->fabric_address, entry->egress_port, entry->traffic_class,
			bytes_of_units(ifct_queue_extent(entry)),
			bytes_of_units(ifct_flow_extent(entry)));
		if (tree->state == TREE_FOLDED)
			fprintf(out, "folded  p%u\n", tree->branch_port);
		else
			fprintf(out, "open    -\n");
	}
}

/* flows that keep to the path of a source of congestion, and for how long (FC-24) */
static void show_sources(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
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

const struct switch_table dataplane_show_tables[] = {
	{ "ports",
	  "port  kind    peer             rate_gbps   tx_packets   rx_packets    acks_sent "
	  "queue_bytes     lost\n",
	  .rows = show_ports, .vacant_ports = true },
	{ "efct",
	  "port  flow_id  dest   port  class    sent_bytes acknowledged_bytes "
	  "unacknowledged_bytes\n",
	  .rows = show_efct, .vacant_ports = true },
	{ "match", "port  flow-key\n", .rows = show_match, .vacant_ports = true },
	{ "ifct",
	  "port  flow_id  dest   port  class follow_port received_bytes    sent_bytes "
	  "acknowledged_bytes waiting_bytes unacknowledged_bytes  waits\n",
	  .rows = show_ifct, .vacant_ports = true },
	{ "ofct",
	  "port  flow_id input_port  flow_id    sent_bytes acknowledged_bytes "
	  "unacknowledged_bytes\n",
	  .rows = show_ofct, .vacant_ports = true },
	{ "limits",
	  "port  flow_id ep_congestion setting upstream_metering committed_bytes "
	  "downstream_metering credit_bytes waiting_bytes unacknowledged_bytes wake_up_us  "
	  "flow_control\n",
	  .rows = show_limits, .vacant_ports = true },
	{ "queues",
	  "port  class             input_units promised_units output_units output_max  queue_bytes "
	  "to_peer from_peer\n",
	  .rows = show_queues },
	{ "fgfc", "port  flow_id state  waiting_bytes owed_units          told_ps  flow\n",
	  .rows = show_fgfc, .vacant_ports = true },
	{ "acks", "port  waiting  ack_frames         acks  per_frame\n", .rows = show_acks,
	  .vacant_ports = true },
	{ "congestion",
	  "port   eca_acks eca_max  limited extent_units extent_max    blocked  metered   starts   "
	  " ended   stops "
	  "fgfc_held fgfc_frames\n",
	  .rows = show_congestion },
	{ "paths",
	  "port     choices      other     detour       held  redirects   moving    folds "
	  "reroute_acks\n",
	  .rows = show_paths },
	{ "trees",
	  "port  flow_id  dest   port  class waiting_bytes unacknowledged_bytes  state   branch\n",
	  .rows = show_trees, .vacant_ports = true },
	{ "sources", "port    dest   port  class follow_port  via    ends_us\n",
	  .rows = show_sources, .vacant_ports = true },
	{ "routes", .head = switch_show_routes },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
