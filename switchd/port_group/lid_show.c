/*  lid_show - the switch's tables as text, and the parameters that can be changed while it runs
 *  (TB-9, TB-10). */
#include "switchd/port_group/lid_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/stats/trace.h"

static const char *const port_kind_name[PORT_KINDS] = {
	[PORT_EDGE] = "edge", [PORT_FABRIC] = "fabric"
};
static const char *const policy_name[PORT_GROUP_POLICIES] = { [POLICY_RANDOM] = "random",
							      [POLICY_GREEDY] = "greedy",
							      [POLICY_GREEDY_RANDOM] =
								      "greedy-random" };

/* a port that nobody has joined at is left out, but when it is asked for */
static bool is_shown(const struct lid_switch *lid, uint32_t port, int asked)
{
	if (asked >= 0)
		return (uint32_t)asked == port;
	return lid_port_up(lid, port) || !lid->sw.config->ports[port].vacant;
}

/* ---- by port ---- */

/* microseconds that @ps and, from @since_ps if there is one, a wait that goes on are together */
static double total_us(const struct lid_switch *lid, uint64_t ps, node_time_t since_ps)
{
	bool goes_on = since_ps && since_ps != NODE_TIME_NEVER && lid->sw.shown_ps > since_ps;

	return (double)(ps + (goes_on ? lid->sw.shown_ps - since_ps : 0)) / NODE_US;
}

static void show_port(const struct lid_switch *lid, uint32_t p, FILE *out)
{
	const struct port_config *config = &lid->sw.config->ports[p];
	const struct port_stats *stats = lid->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %9.3f %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %10" PRIu64
		" %12" PRIu64 " %10" PRIu64 " %8" PRIu64 " %12.3f %8" PRIu64 " %14.3f\n",
		p,
		lid_port_up(lid, p) ? port_kind_name[config->kind]
		: config->vacant    ? "vacant"
				    : "down",
		config->peer_name, (double)config->rate_bps / 1e9, stats->tx_packets,
		stats->rx_packets, stats->queue_bytes, stats->dropped_bytes, stats->choices,
		stats->choices_other, stats->fecn_marked,
		total_us(lid, stats->paused_ps, lid->sw.paused_since_ps[p]), stats->credit_waits,
		total_us(lid, stats->credit_wait_ps, stats->credit_since_ps));
}

static void show_lanes(const struct lid_switch *lid, uint32_t p, FILE *out)
{
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		const struct lid_port *port = &lid->ports[p];
		const struct lid_lane *lane = &port->lanes[l];

		fprintf(out, "p%-4u %-16s %5u %13u %10d %10u %8" PRIu64 "  %s\n", p,
			lid->sw.config->classes[l / lid->levels].name, l % lid->levels, lane->units,
			port->link->credits ? credit_available(&port->link->credit, l) : -1,
			port->link->buffer_units ? port->link->held_units[l] : 0, lane->log.count,
			lane->starved ? "waits for credit" : "-");
	}
}

/* the marks that a log remembers, oldest first */
static void show_log(const struct lid_switch *lid, uint32_t p, FILE *out)
{
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

/* entries that lead somewhere; with a @port those that lead, or may, there */
static void show_lft(const struct lid_switch *lid, int port, FILE *out)
{
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

static void show_groups(const struct lid_switch *lid, int port, FILE *out)
{
	fprintf(out, "group  ports\n");
	for (uint32_t g = 1; g < PORT_GROUPS_MAX; g++) {
		uint64_t mask = lid->tables.mask[g];

		if (!mask || (port >= 0 && !(mask >> port & 1)))
			continue;
		fprintf(out, "%-5u ", g);
		put_ports(mask, out);
	}
}

static void show_settings(const struct lid_switch *lid, FILE *out)
{
	const struct port_group_config *settings = &lid->settings;

	fprintf(out,
		"lid-bits  %u\nadaptive  %s\npolicy    %s\nupdate    %s\npending   %u units\nqueue "
		"    %u units\n"
		"marks     %u\nwindow    %" PRIu64 " ns\nhold      %" PRIu64 " ns\nfecn      ",
		settings->lid_bits, settings->adaptive ? "yes" : "no",
		policy_name[settings->policy], settings->update_lft ? "yes" : "no",
		settings->pending_units, settings->queue_units, settings->log_marks,
		settings->log_window_ps / NODE_NS, settings->hold_ps / NODE_NS);
	if (settings->fecn)
		fprintf(out, "%u units\n", settings->fecn_units);
	else
		fprintf(out, "no\n");
}

int lid_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	static const struct {
		const char *name, *header;
		void (*port)(const struct lid_switch *lid, uint32_t port, FILE *out);
	} tables[] = {
		{ "ports",
		  "port  kind    peer             rate_gbps   tx_packets   rx_packets queue_bytes "
		  "dropped_bytes   "
		  "choices      other    fecns    paused_us    waits credit_wait_us\n",
		  show_port },
		{ "lanes",
		  "port  class            level waiting_units     credit held_units    fecns  "
		  "state\n",
		  show_lanes },
		{ "log", "port  class            level          at_us     dlid     slid\n",
		  show_log },
	};
	struct lid_switch *lid = dataplane;

	if (port < -1 || port >= (int)lid->sw.port_count)
		return -EINVAL;
	lid->sw.shown_ps = node_time_max(now, lid->sw.stats->now_ps);
	for (uint32_t t = 0; t < COUNT_OF(tables); t++) {
		if (strcmp(tables[t].name, table) != 0)
			continue;
		fputs(tables[t].header, out);
		for (uint32_t p = 0; p < lid->sw.port_count; p++)
			if (is_shown(lid, p, port))
				tables[t].port(lid, p, out);
		return 0;
	}
	if (!strcmp(table, "lft"))
		show_lft(lid, port, out);
	else if (!strcmp(table, "groups"))
		show_groups(lid, port, out);
	else if (!strcmp(table, "settings"))
		show_settings(lid, out);
	else
		fprintf(out, "ports lanes lft groups log settings trace\n");
	return !strcmp(table, "lft") || !strcmp(table, "groups") || !strcmp(table, "settings")
		       ? 0
		       : -ENOENT;
}

/* ---- parameters ---- */

/* a whole number up to 32 bits */
static int set_number(uint32_t *number, const char *value)
{
	unsigned long long parsed;
	char *end;

	errno = 0;
	parsed = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || parsed > UINT32_MAX)
		return -EINVAL;
	*number = (uint32_t)parsed;
	return 0;
}

static int set_flag(bool *flag, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*flag = !strcmp(value, "yes");
	return 0;
}

static int set_time(node_time_t *time_ps, const char *value)
{
	uint32_t ns;

	if (set_number(&ns, value))
		return -EINVAL;
	*time_ps = ns * NODE_NS;
	return 0;
}

static int set_policy(enum port_group_policy *policy, const char *value)
{
	for (uint32_t i = 0; i < PORT_GROUP_POLICIES; i++)
		if (!strcmp(policy_name[i], value)) {
			*policy = (enum port_group_policy)i;
			return 0;
		}
	return -EINVAL;
}

static int setting_set(struct port_group_config *settings, const char *name, const char *value)
{
	int error = -ENOENT;

	if (!strcmp(name, "adaptive"))
		error = set_flag(&settings->adaptive, value);
	else if (!strcmp(name, "update"))
		error = set_flag(&settings->update_lft, value);
	else if (!strcmp(name, "fecn"))
		error = set_flag(&settings->fecn, value);
	else if (!strcmp(name, "policy"))
		error = set_policy(&settings->policy, value);
	else if (!strcmp(name, "fecn-at"))
		error = set_number(&settings->fecn_units, value);
	else if (!strcmp(name, "pending"))
		error = set_number(&settings->pending_units, value);
	else if (!strcmp(name, "queue"))
		error = set_number(&settings->queue_units, value);
	else if (!strcmp(name, "marks"))
		error = set_number(&settings->log_marks, value);
	else if (!strcmp(name, "window"))
		error = set_time(&settings->log_window_ps, value);
	else if (!strcmp(name, "hold"))
		error = set_time(&settings->hold_ps, value);
	return error;
}

/* all of it or nothing: what it comes to must be a configuration that could have been given at
 * start */
int lid_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct lid_switch *lid = dataplane;
	struct port_group_config changed = lid->settings;
	char why[200] = "";
	int error = setting_set(&changed, name, value);

	trace(lid->sw.stats, lid->sw.stats->now_ps, TRACE_PARAMETER_SET, 0, 0,
	      (uint32_t)strtoul(value, NULL, 10));
	if (!error)
		error = port_group_config_check(&changed, why, sizeof(why));
	else if (error == -EINVAL)
		snprintf(why, sizeof(why),
			 "%.40s is no value of it; numbers are whole and have no unit", value);
	if (!error)
		lid->settings = changed;
	else
		fprintf(out,
			"%s%sadaptive update fecn (yes, no) policy (random, greedy, greedy-random) "
			"pending queue "
			"fecn-at "
			"(1..%u data units) marks (1..%u) window hold (ns)\n",
			why, *why ? "\n" : "", PORT_GROUP_UNITS_MAX, PORT_GROUP_MARKS_MAX);
	return error;
}
