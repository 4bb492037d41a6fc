#include "switchd/port_group/lid_show.h"

#include <inttypes.h>

#include "switchd/port_group/lid_set.h"
#include "switchd/port_group/lid_switch.h"

/* ---- by port ---- */

/* @ps in microseconds, with a wait that has lasted since @since_ps, if there is one */
static double total_us(const struct lid_switch *lid, uint64_t ps, node_time_t since_ps)
{
	bool goes_on = since_ps && since_ps != NODE_TIME_NEVER && lid->sw.shown_ps > since_ps;

	return (double)(ps + (goes_on ? lid->sw.shown_ps - since_ps : 0)) / NODE_US;
}

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	const struct port_config *config = &lid->sw.config->ports[p];
	const struct port_stats *stats = lid->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %9.3f %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %10" PRIu64
		" %12" PRIu64 " %10" PRIu64 " %8" PRIu64 " %12.3f %8" PRIu64 " %14.3f\n",
		p, switch_port_state(&lid->sw, p), config->peer_name,
		(double)config->rate_bps / 1e9, stats->tx_packets, stats->rx_packets,
		stats->queue_bytes, stats->dropped_bytes, stats->choices, stats->choices_other,
		stats->fecn_marked, total_us(lid, stats->paused_ps, lid->sw.paused_since_ps[p]),
		stats->credit_waits, total_us(lid, stats->credit_wait_ps, stats->credit_since_ps));
}

static void show_lanes(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		const struct lid_port *port = &lid->ports[p];
		const struct lid_lane *lane = &port->lanes[l];

		fprintf(out, "p%-4u %-16s %5u %13u %10d %10u %8" PRIu64 "  %s\n", p,
			lid->sw.config->classes[l / lid->levels].name, l % lid->levels, lane->units,
			port->link->credits ? credit_available(&port->link->credit, l) : -1,
			port->link->rx.buffer_units ? port->link->rx.held_units[l] : 0,
			lane->log.count, lane->starved ? "waits for credit" : "-");
	}
}

/* the marks that a log remembers, oldest first */
static void show_log(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		const struct congestion_log *log = &lid->ports[p].lanes[l].log;
		uint64_t first =
			log->count > PORT_GROUP_MARKS_MAX ? log->count - PORT_GROUP_MARKS_MAX : 0;

		for (uint64_t i = first; i < log->count; i++) {
			const struct congestion_mark *mark = &log->marks[i % PORT_GROUP_MARKS_MAX];

			fprintf(out, "p%-4u %-16s %5u %14.3f %8u %8u\n", p,
				lid->sw.config->classes[l / lid->levels].name, l % lid->levels,
				(double)mark->at_ps / NODE_US, mark->dlid, mark->slid);
		}
	}
}

/* ---- the forwarding tables ---- */

static void put_port(uint32_t port, FILE *out)
{
	if (port == LFT_NO_PORT)
		fprintf(out, " %-6s", "-");
	else
		fprintf(out, " p%-5u", port);
}

static void put_ports(uint64_t ports, FILE *out)
{
	for (; ports; ports &= ports - 1)
		fprintf(out, " p%d", __builtin_ctzll(ports));
	fputc('\n', out);
}

/* entries with a port; for a @port those that use it, or may */
static void show_lft(const void *dataplane, int port, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	const struct port_group *tables = &lid->tables;

	fprintf(out, "dlid     static now    group  ports\n");
	for (uint32_t d = 0; d < tables->lid_count; d++) {
		uint64_t members = port_group_members(tables, d);

		if (tables->home[d] == LFT_NO_PORT ||
		    (port >= 0 && tables->home[d] != port && tables->now[d] != port &&
		     !(members >> port & 1)))
			continue;
		fprintf(out, "%-8u", d);
		put_port(tables->home[d], out);
		put_port(tables->now[d], out);
		fprintf(out, " %-5u ", tables->group[d]);
		put_ports(members, out);
	}
}

static void show_groups(const void *dataplane, int port, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	fprintf(out, "group  ports\n");
	for (uint32_t g = 1; g < PORT_GROUPS_MAX; g++) {
		uint64_t mask = lid->tables.mask[g];

		if (!mask || (port >= 0 && !(mask >> port & 1)))
			continue;
		fprintf(out, "%-5u ", g);
		put_ports(mask, out);
	}
}

const struct switch_table lid_show_tables[] = {
	{ "ports",
	  "port  kind    peer             rate_gbps   tx_packets   rx_packets queue_bytes "
	  "dropped_bytes   "
	  "choices      other    fecns    paused_us    waits credit_wait_us\n",
	  .rows = show_ports },
	{ "lanes",
	  "port  class            level waiting_units     credit held_units    fecns  "
	  "state\n",
	  .rows = show_lanes },
	{ "lft", .head = show_lft },
	{ "groups", .head = show_groups },
	{ "log", "port  class            level          at_us     dlid     slid\n",
	  .rows = show_log },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
