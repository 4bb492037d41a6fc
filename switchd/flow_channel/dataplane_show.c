#include "switchd/flow_channel/dataplane_show.h"

#include <inttypes.h>

#include "nodes/link/link_send.h"
#include "switchd/flow_channel/dataplane.h"

/* Positions and extents are kept in units; users read bytes. */
static uint64_t bytes_of_units(uint32_t units)
{
	return (uint64_t)units * UNIT_BYTES;
}

static const char *class_name(const struct dataplane *dp, uint32_t traffic_class)
{
	return dp->sw.config->classes[traffic_class].name;
}

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct port_config *config = &dp->sw.config->ports[p];
	const struct port_stats *stats = dp->ports[p].stats;

	fprintf(out,
		"%u\t%s\t%s\t%.9g\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\n",
		p, switch_port_state(&dp->sw, p), config->peer_name, (double)config->rate_bps / 1e9,
		stats->tx_packets, stats->rx_packets, stats->acks, stats->queue_bytes,
		stats->lost_frames);
}

static void show_efct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct efct *efct = &dp->ports[p].edge.efct;

	for (uint32_t i = 0; i < efct->fresh; i++) {
		const struct efct_line *line = TABLE_AT(efct->lines, i);
		const struct efct_pattern *pattern = TABLE_AT(efct->patterns, i);

		if (line->active)
			fprintf(out, "%u\t%u\t%u.%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
				p, i, pattern->fabric_address, pattern->egress_port,
				class_name(dp, pattern->traffic_class),
				bytes_of_units(line->data_flow), bytes_of_units(line->ack_flow),
				bytes_of_units(efct_flow_extent(line)));
	}
}

/* the fields that distinguish flows (FC-2); also the next ones, until the last flow in flight
 * has ended */
static void show_match(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct efct *efct = &dp->ports[p].edge.efct;

	if (dp->ports[p].kind != PORT_EDGE)
		return;
	fprintf(out, "%u\t", p);
	flow_match_print(&efct->match->now, out);
	fputc('\t', out);
	if (efct->draining)
		flow_match_print(&efct->match->wanted, out);
	fputc('\n', out);
}

static void show_ifct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	static const char *const wait_name[] = { "-",       "requesting", "channel",   "blocked",
						 "wake-up", "stopped",    "port-limit" };
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = TABLE_AT(ifct->entries, i);

		if (entry->active)
			fprintf(out,
				"%u\t%u\t%u.%u\t%s\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
				"\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
				p, i, entry->fabric_address, entry->egress_port,
				class_name(dp, entry->traffic_class), entry->follow_port,
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
		const struct ifct_entry *entry = TABLE_AT(ifct->entries, i);
		node_time_t now = dp->sw.shown_ps;

		if (!entry->active || !(entry->setting || entry->um || entry->dm ||
					entry->wake_up_ps > now || entry->fc_state != RUNNING))
			continue;
		fprintf(out,
			"%u\t%u\t%u\t%u\t%d\t%" PRId64 "\t%d\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\t%s\n",
			p, i, entry->ep_congestion, entry->setting, entry->um,
			entry->um ? (int64_t)entry->committed_units * UNIT_BYTES : 0, entry->dm,
			(int64_t)entry->headroom * UNIT_BYTES,
			bytes_of_units(ifct_queue_extent(entry)),
			bytes_of_units(ifct_flow_extent(entry)),
			entry->wake_up_ps > now ? entry->wake_up_ps - now : 0,
			state_name[entry->fc_state]);
	}
}

static void show_ofct(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct ofct *ofct = &dp->ports[p].fabric.ofct;

	for (uint32_t i = 0; i < ofct->fresh; i++) {
		const struct ofct_entry *entry = TABLE_AT(ofct->entries, i);

		if (entry->active)
			fprintf(out, "%u\t%u\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", p,
				i, entry->input_port, entry->input_port_flow_id,
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
		fprintf(out, "%u\t%s\t%u\t%u\t%u\t%u\t%" PRIu64 "\t%s\t%s\n", p, name,
			port->link->rx.held_units[c], port->fabric.promised_units[c],
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
		fprintf(out, "%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%.2f\n", p, port->fabric.acks.count,
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
		"%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		p, stats->eca_acks, stats->eca_max, stats->limited, stats->extent_units,
		stats->extent_units_max, blocked, stats->metered, stats->headroom_starts,
		stats->headroom_stops, stats->stops, stats->fgfc_held, stats->fgfc_frames);
}

static void show_fgfc(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct fgfc *fgfc = &dp->ports[p].edge.fgfc;

	for (uint32_t i = 0; fgfc_enabled(fgfc) && i < fgfc->channels; i++) {
		const struct fgfc_line *line = TABLE_AT(fgfc->lines, i);
		const struct ifct_entry *entry = TABLE_AT(dp->ifcts[p].entries, i);

		if (!line->on && !line->told)
			continue;
		fprintf(out, "%u\t%u\t", p, i);
		if (line->on) /* else the channel may be another flow's */
			fprintf(out, "%u.%u", entry->fabric_address, entry->egress_port);
		fprintf(out, "\t%s\t%" PRIu64 "\t%.2f\t%" PRIu64 "\t",
			!line->on    ? "ending"
			: line->told ? "held"
				     : "new",
			line->on ? bytes_of_units(ifct_queue_extent(entry)) : 0,
			line->owed_eighths / 8.0, line->told_at_ps);
		flow_name_print(&line->name, out);
		flow_name_mask_print(&line->name, &fgfc->masks[i], out);
		fputc('\n', out);
	}
}

/* choices among several ports (FC-23 ... FC-25, FC-16) of flows that came in here; flows that are
 * being moved; and what the output requested */
static void show_paths(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct port_stats *stats = dp->ports[p].stats;
	const struct ifct *ifct = &dp->ifcts[p];
	uint32_t moving = 0;

	for (uint32_t i = 0; i < ifct->channels; i++)
		moving += TABLE_AT(ifct->entries, i)->active &&
			  TABLE_AT(ifct->entries, i)->fc_state == BLOCK_FOR_REDIRECT;
	fprintf(out,
		"%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32
		"\t%" PRIu64 "\t%" PRIu64 "\n",
		p, stats->choices, stats->choices_other, stats->choices_detour, stats->choices_held,
		stats->redirects, moving, stats->folds, stats->reroute_acks);
}

/* flows of unordered classes that have several paths, or had until they folded (FC-16, EC-11) */
static void show_trees(const void *dataplane, uint32_t p, FILE *out)
{
	const struct dataplane *dp = dataplane;
	const struct ifct *ifct = &dp->ifcts[p];

	for (uint32_t i = 0; i < ifct->channels; i++) {
		const struct ifct_entry *entry = TABLE_AT(ifct->entries, i);
		const struct tree_line *tree = TABLE_AT(dp->ports[p].trees, i);

		if (!entry->active || tree->state == TREE_NONE)
			continue;
		fprintf(out, "%u\t%u\t%u.%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t", p, i,
			entry->fabric_address, entry->egress_port,
			class_name(dp, entry->traffic_class),
			bytes_of_units(ifct_queue_extent(entry)),
			bytes_of_units(ifct_flow_extent(entry)));
		if (tree->state == TREE_FOLDED)
			fprintf(out, "folded\t%u\n", tree->branch_port);
		else
			fputs("open\t-\n", out);
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
			fprintf(out, "%u\t%u.%u\t%s\t%u\t%u\t%" PRIu64 "\n", p, key->fabric_address,
				key->egress_port, class_name(dp, key->traffic_class), line->port,
				line->via, line->until_ps - now);
	}
}

const struct switch_table dataplane_show_tables[] = {
	{ "ports",
	  "port:port\tkind:text\tpeer:text\trate_gbps\ttx_packets\trx_packets\tacks_sent\t"
	  "queue_bytes\tlost\n",
	  .rows = show_ports },
	{ "efct",
	  "port:port\tflow_id\tdest:edge\tclass:text\tsent_bytes\tacknowledged_bytes\t"
	  "unacknowledged_bytes\n",
	  .rows = show_efct, .vacant_ports = true },
	{ "match", "port:port\tflow-key:text\tnext:text\n", .rows = show_match,
	  .vacant_ports = true },
	{ "ifct",
	  "port:port\tflow_id\tdest:edge\tclass:text\tfollow_port:port\treceived_bytes\t"
	  "sent_bytes\tacknowledged_bytes\twaiting_bytes\tunacknowledged_bytes\twaits:text\n",
	  .rows = show_ifct, .vacant_ports = true },
	{ "ofct",
	  "port:port\tflow_id\tinput_port:port\tinput_flow_id\tsent_bytes\tacknowledged_bytes\t"
	  "unacknowledged_bytes\n",
	  .rows = show_ofct, .vacant_ports = true },
	{ "limits",
	  "port:port\tflow_id\tep_congestion\tsetting\tupstream_metering:flag\tcommitted_bytes\t"
	  "downstream_metering:flag\tcredit_bytes\twaiting_bytes\tunacknowledged_bytes\t"
	  "wake_up_us:ps\tflow_control:text\n",
	  .rows = show_limits, .vacant_ports = true },
	{ "queues",
	  "port:port\tclass:text\tinput_units\tpromised_units\toutput_units\toutput_max\t"
	  "queue_bytes\tto_peer:text\tfrom_peer:text\n",
	  .rows = show_queues },
	{ "fgfc",
	  "port:port\tflow_id\tdest:edge\tstate:text\twaiting_bytes\towed_units\ttold_us:ps\t"
	  "flow:flow\n",
	  .rows = show_fgfc, .vacant_ports = true },
	{ "acks", "port:port\twaiting\tack_frames\tacks\tper_frame\n", .rows = show_acks,
	  .vacant_ports = true },
	{ "congestion",
	  "port:port\teca_acks\teca_max\tlimited\textent_units\textent_max\tblocked\tmetered\t"
	  "starts\tended\tstops\tfgfc_held\tfgfc_frames\n",
	  .rows = show_congestion },
	{ "paths",
	  "port:port\tchoices\tother\tdetour\theld\tredirects\tmoving\tfolds\treroute_acks\n",
	  .rows = show_paths },
	{ "trees",
	  "port:port\tflow_id\tdest:edge\tclass:text\twaiting_bytes\tunacknowledged_bytes\t"
	  "state:text\tbranch_port:port\n",
	  .rows = show_trees, .vacant_ports = true },
	{ "sources", "port:port\tdest:edge\tclass:text\tfollow_port:port\tvia:switch\tends_us:ps\n",
	  .rows = show_sources, .vacant_ports = true },
	{ "routes", .head = switch_show_routes },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
