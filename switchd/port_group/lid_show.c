#include "switchd/port_group/lid_show.h"

#include <inttypes.h>

#include "nodes/node/show_text.h"
#include "switchd/common/waiting.h"
#include "switchd/port_group/lid_switch.h"

/* ---- by port ---- */

/* @ps with a wait that has lasted since @since_ps, if there is one */
static uint64_t total_ps(const struct lid_switch *lid, uint64_t ps, node_time_t since_ps)
{
	bool goes_on = since_ps && since_ps != NODE_TIME_NEVER && lid->sw.shown_ps > since_ps;

	return ps + (goes_on ? lid->sw.shown_ps - since_ps : 0);
}

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	const struct port_config *config = &lid->sw.config->ports[p];
	const struct port_stats *stats = lid->ports[p].stats;

	fprintf(out,
		"%u\t%s\t%s\t%.9g\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		p, switch_port_state(&lid->sw, p), config->peer_name,
		(double)config->rate_bps / 1e9, stats->tx_packets, stats->rx_packets,
		stats->queue_bytes, stats->dropped_bytes, stats->choices, stats->choices_other,
		stats->fecn_marked, total_ps(lid, stats->paused_ps, lid->sw.paused_since_ps[p]),
		stats->credit_waits, total_ps(lid, stats->credit_wait_ps, stats->credit_since_ps));
}

static void show_lanes(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		const struct lid_port *port = &lid->ports[p];
		const struct lid_lane *lane = &port->lanes[l];

		fprintf(out, "%u\t%s\t%u\t%u\t", p, lid->sw.config->classes[l / lid->levels].name,
			l % lid->levels, lane->units);
		if (port->link->credits)
			fprintf(out, "%d", credit_available(&port->link->credit, l));
		fprintf(out, "\t%u\t%" PRIu64 "\t%s\n",
			port->link->rx.buffer_units ? port->link->rx.held_units[l] : 0,
			lane->log.count, lane->waited ? "waits for credit" : "-");
	}
}

static uint32_t waiting_bytes_of(const struct packet *packet)
{
	return packet->frame_bytes;
}

static void show_waiting(const void *dataplane, uint32_t p, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	struct waiting waiting;

	waiting_init(&waiting);
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		const struct input_turns *turns = &lid->ports[p].lanes[l].turns;

		for (uint64_t inputs = turns->waiting; inputs; inputs &= inputs - 1)
			waiting_add(&waiting, &turns->inputs[__builtin_ctzll(inputs)].queue,
				    l % lid->levels, waiting_bytes_of);
	}
	waiting_print(&waiting, &lid->sw, p, out);
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

			fprintf(out, "%u\t%s\t%u\t%" PRIu64 "\t%u\t%u\n", p,
				lid->sw.config->classes[l / lid->levels].name, l % lid->levels,
				mark->at_ps, mark->dlid, mark->slid);
		}
	}
}

/* ---- the forwarding tables ---- */

static void put_port(uint32_t port, FILE *out)
{
	if (port != LFT_NO_PORT)
		fprintf(out, "%u", port);
	fputc('\t', out);
}

/* entries with a port; for a @port those that use it, or may */
static void show_lft(const void *dataplane, int port, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	const struct port_group *tables = &lid->tables;

	fputs("dlid:lid\tlid\tstatic_port:port\tnow_port:port\tgroup\tports:ports\n", out);
	for (uint32_t d = 0; d < tables->lid_count; d++) {
		uint64_t members = port_group_members(tables, d);

		if (tables->lids[d].home == LFT_NO_PORT ||
		    (port >= 0 && tables->lids[d].home != port && tables->lids[d].now != port &&
		     !(members >> port & 1)))
			continue;
		fprintf(out, "%u\t%u\t", d, d);
		put_port(tables->lids[d].home, out);
		put_port(tables->lids[d].now, out);
		fprintf(out, "%u\t", tables->lids[d].group);
		show_text_ports(members, out);
		fputc('\n', out);
	}
}

static void show_groups(const void *dataplane, int port, FILE *out)
{
	const struct lid_switch *lid = dataplane;
	fputs("group\tports:ports\n", out);
	for (uint32_t g = 1; g < PORT_GROUPS_MAX; g++) {
		uint64_t mask = lid->tables.mask[g];

		if (!mask || (port >= 0 && !(mask >> port & 1)))
			continue;
		fprintf(out, "%u\t", g);
		show_text_ports(mask, out);
		fputc('\n', out);
	}
}

const struct switch_table lid_show_tables[] = {
	{ "ports",
	  "port:port\tkind:text\tpeer:text\trate_gbps\ttx_packets\trx_packets\tqueue_bytes\t"
	  "dropped_bytes\tchoices\tother\tfecns\tpaused_us:ps\twaits\tcredit_wait_us:ps\n",
	  .rows = show_ports },
	{ "lanes",
	  "port:port\tclass:text\tlevel\twaiting_units\tcredit_units\theld_units\tfecns\t"
	  "state:text\n",
	  .rows = show_lanes },
	{ "waiting", "port:port\t" WAITING_COLUMNS, .rows = show_waiting },
	{ "lft", .head = show_lft },
	{ "groups", .head = show_groups },
	{ "log", "port:port\tclass:text\tlevel\tat_us:ps\tdlid:lid\tslid:lid\n", .rows = show_log },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
