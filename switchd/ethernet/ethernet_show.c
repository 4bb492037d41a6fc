/*  ethernet_show - the switch's tables as text, and the parameters that can be changed while it
 *  runs (TB-9, TB-10). */
#include "switchd/ethernet/ethernet_show.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/frame.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_queue.h"

typedef void show_port_fn(const struct ethernet *eth, uint32_t port, FILE *out);

struct show_table {
	const char *name, *header;
	show_port_fn *port;
};

static const char *const port_kind_name[PORT_KINDS] = {
	[PORT_EDGE] = "edge", [PORT_FABRIC] = "fabric"
};

static void show_ports(const struct ethernet *eth, uint32_t p, FILE *out)
{
	const struct port_config *config = &eth->sw.config->ports[p];
	const struct port_stats *stats = eth->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %9.3f %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %10" PRIu64
		" %8" PRIu64 "  %s\n",
		p,
		ethernet_port_up(eth, p) ? port_kind_name[config->kind]
		: config->vacant         ? "vacant"
					 : "down",
		config->peer_name, (double)config->rate_bps / 1e9, stats->tx_packets,
		stats->rx_packets, stats->queue_bytes, stats->dropped_bytes, stats->lost_frames,
		eth->sw.flood_ports >> p & 1 ? "yes" : "no");
}

static void show_queues(const struct ethernet *eth, uint32_t p, FILE *out)
{
	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"p%-4u %-16s %11" PRIu64 " %11" PRIu64 " %10" PRIu64 " %8" PRIu64
			" %12.3f %12.3f\n",
			p, eth->sw.config->classes[c].name, stats->queue_bytes,
			stats->queue_bytes_max, stats->marked, stats->drops,
			stats->tx_packets_measured
				? (double)stats->delay_ns_measured /
					  (double)stats->tx_packets_measured / 1e3
				: 0.0,
			(double)stats->delay_ns_max / 1e3);
	}
}

/* what limits a class there: what came in (lossless), or what waits to go out */
static void show_buffer(const struct ethernet *eth, uint32_t p, FILE *out)
{
	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct shared_buffer_input *input = &eth->buffer.inputs[p][c];
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"p%-4u %-16s %-8s %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %12" PRIu64
			" %12" PRIu64 " %11" PRIu64 "\n",
			p, eth->sw.config->classes[c].name,
			eth->roce.classes[c].lossless ? "input" : "output",
			shared_buffer_limit(&eth->buffer, p, c), input->bytes,
			stats->input_bytes_max, input->headroom_bytes, input->headroom_bytes_max,
			eth->buffer.outputs[p][c]);
	}
}

/* microseconds since @since_ps, if it is set, up to the fabric's time */
static double since_us(const struct ethernet *eth, node_time_t since_ps)
{
	return since_ps && eth->sw.shown_ps > since_ps
		       ? (double)(eth->sw.shown_ps - since_ps) / NODE_US
		       : 0.0;
}

/* what a class was held for, a pause that goes on included */
static double paused_us(const struct ethernet *eth, const struct ethernet_queue *queue)
{
	node_time_t since_ps = queue->stats->paused_since_ps ? queue->stats->paused_counted_ps : 0;

	return (double)queue->stats->paused_ps / NODE_US + since_us(eth, since_ps);
}

static void show_pfc(const struct ethernet *eth, uint32_t p, FILE *out)
{
	const struct port_stats *port = eth->ports[p].stats;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"p%-4u %-16s %-8s %12.3f %-8s %12.3f %12.3f %6" PRIu64 " %9" PRIu64
			" %9" PRIu64 "   0x%" PRIx64 "\n",
			p, eth->sw.config->classes[c].name, stats->xoff_since_ps ? "stop" : "go",
			since_us(eth, stats->xoff_since_ps), stats->paused_since_ps ? "held" : "-",
			since_us(eth, stats->paused_since_ps),
			paused_us(eth, &eth->ports[p].queues[c]), stats->stuck, port->pauses_sent,
			port->pauses_received, stats->waits_for);
	}
}

static void show_ecn(const struct ethernet *eth, uint32_t p, FILE *out)
{
	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct roce_class_config *class = &eth->ports[p].queues[c].class;
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"p%-4u %-16s %-4s %10" PRIu64 " %10" PRIu64 " %8u %11" PRIu64 " %10" PRIu64
			"\n",
			p, eth->sw.config->classes[c].name, class->ecn ? "on" : "off",
			class->kmin_bytes, class->kmax_bytes, class->pmax_ppm, stats->queue_bytes,
			stats->marked);
	}
}

/* watched queues (RC-7 ... RC-9) */
static void show_states(const struct ethernet *eth, uint32_t p, FILE *out)
{
	static const char *const state_name[ROCE_STATES] = { "ecn-normal", "ecn-failed",
							     "cnp-failed" };

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct ethernet_queue *queue = &eth->ports[p].queues[c];
		const struct class_stats *stats = queue->stats;

		if (!eth->roce.classes[c].watched)
			continue;
		fprintf(out,
			"p%-4u %-16s %-10s %-10s %11" PRIu64 " %11" PRIu64 " %10" PRIu64
			" %12" PRIu64 " %7" PRIu64 " %8" PRIu64 " %6u\n",
			p, eth->sw.config->classes[c].name, state_name[queue->watch.state],
			state_name[stats->state_max], queue->gauge.bytes,
			roce_queue_reference_bytes(&queue->watch), stats->cnps_seen,
			stats->cnps_supplemented, stats->signals_pause, stats->signals_resume,
			queue->signals.paused);
	}
}

static const struct show_table tables[] = {
	{ "ports",
	  "port  kind    peer             rate_gbps   tx_packets   rx_packets queue_bytes "
	  "dropped_bytes lost  floods\n",
	  show_ports },
	{ "queues",
	  "port  class            queue_bytes   queue_max     marked    drops delay_us(avg) "
	  "delay_us(max)\n",
	  show_queues },
	{ "buffer",
	  "port  class            limit_of       limit input_bytes   input_max headroom_use "
	  "headroom_max "
	  "output_bytes\n",
	  show_buffer },
	{ "pfc",
	  "port  class            says          for_us is_told        for_us    paused_us  stuck   "
	  "   sent  received   "
	  "waits_for\n",
	  show_pfc },
	{ "ecn",
	  "port  class            ecn        kmin       kmax pmax_ppm queue_bytes     marked\n",
	  show_ecn },
	{ "states",
	  "port  class            state      worst      queue_bytes   reference  cnps_seen "
	  "supplemented  pauses  "
	  "resumes paused\n",
	  show_states },
};

#define TABLES COUNT_OF(tables)

static void show_routes(const struct ethernet *eth, FILE *out)
{
	fprintf(out, "dest   ports\n");
	for (uint32_t a = 0; a < eth->routes.address_count; a++) {
		const struct route *route = &eth->routes.routes[a];

		if (!route->port_count)
			continue;
		fprintf(out, "%-6u", a);
		for (uint32_t i = 0; i < route->port_count; i++)
			fprintf(out, " p%u", route->ports[i]);
		fprintf(out, "\n");
	}
}

static void show_flow(const struct ethernet *eth, const struct flow_line *line, FILE *out)
{
	int family = line->key.ip_version == 4 ? AF_INET : AF_INET6;
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN], queue_pair[16] = "-";

	inet_ntop(family, line->key.source_ip, source, sizeof(source));
	inet_ntop(family, line->key.destination_ip, destination, sizeof(destination));
	if (line->queue_pair != FLOW_QUEUE_PAIR_UNKNOWN)
		snprintf(queue_pair, sizeof(queue_pair), "0x%06x", line->queue_pair);
	fprintf(out,
		"p%-4u %-16s %-24s %-24s %6u %10s %13.3f %12.3f %10" PRIu64 " %12" PRIu64 "  %s\n",
		line->port, eth->sw.config->classes[line->traffic_class].name, source, destination,
		line->key.source_port, queue_pair, since_us(eth, line->seen_ps),
		since_us(eth, line->cnp_ps), line->cnps_seen, line->cnps_supplemented,
		line->pinned ? "paused" : "-");
}

/* what is remembered of flows, as of @port or (-1) of all; a flow is at the port where its data
 * goes out */
static void show_flows(const struct ethernet *eth, int port, FILE *out)
{
	const struct flow_watch *watch = &eth->flows;

	fprintf(out, "flows %u of %u, forgotten %" PRIu64 ", unwatched packets %" PRIu64 "\n",
		watch->used, watch->sets * watch->ways, watch->forgotten, watch->unwatched);
	fprintf(out, "port  class            source                   destination               "
		     "sport queue_pair "
		     "packet_us_ago   cnp_us_ago  cnps_seen supplemented  signal\n");
	for (uint32_t i = 0; i < watch->sets * watch->ways; i++)
		if (watch->hashes[i] && (port < 0 || watch->lines[i].port == port))
			show_flow(eth, &watch->lines[i], out);
}

/* the whole of it, in front of the ports' part */
static void show_shared(const struct ethernet *eth, FILE *out)
{
	const struct shared_buffer *buffer = &eth->buffer;

	fprintf(out,
		"buffer %" PRIu64 " bytes, shared %" PRIu64 ", of it used %" PRIu64
		", for no input %" PRIu64 "\n",
		buffer->buffer_bytes, buffer->shared_bytes, buffer->used_bytes, buffer->own_bytes);
}

/* a port that nobody has joined at is left out, but when it is asked for */
static bool is_shown(const struct ethernet *eth, uint32_t port)
{
	return ethernet_port_up(eth, port) || !eth->sw.config->ports[port].vacant;
}

int ethernet_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct ethernet *eth = dataplane;

	if (port < -1 || port >= (int)eth->sw.port_count)
		return -EINVAL;
	eth->sw.shown_ps = node_time_max(now, eth->sw.stats->now_ps);
	if (!strcmp(table, "routes")) {
		show_routes(eth, out);
		return 0;
	}
	if (!strcmp(table, "flows")) {
		show_flows(eth, port, out);
		return 0;
	}
	if (!strcmp(table, "buffer"))
		show_shared(eth, out);
	for (uint32_t t = 0; t < TABLES; t++) {
		if (strcmp(tables[t].name, table) != 0)
			continue;
		fputs(tables[t].header, out);
		for (uint32_t p = 0; p < eth->sw.port_count; p++)
			if (port == (int)p || (port < 0 && is_shown(eth, p)))
				tables[t].port(eth, p, out);
		return 0;
	}
	for (uint32_t t = 0; t < TABLES; t++)
		fprintf(out, "%s ", tables[t].name);
	fprintf(out, "flows routes trace\n");
	return -ENOENT;
}

/* ---- parameters ---- */

#define PPM 1000000u
#define TIME_US_MAX 3600000000u

/* a whole number of 0..@max */
static bool number_of(const char *value, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno && *number <= max;
}

static int set_ecn(struct roce_class_config *class, const char *value)
{
	if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return -EINVAL;
	class->ecn = !strcmp(value, "on");
	return 0;
}

static int set_share(uint32_t *share, uint32_t max, const char *value)
{
	uint64_t number;

	if (!number_of(value, max, &number))
		return -EINVAL;
	*share = (uint32_t)number;
	return 0;
}

static int set_bytes(uint64_t *bytes, const char *value)
{
	return number_of(value, ROCE_BYTES_MAX, bytes) ? 0 : -EINVAL;
}

/* a level that is set is that of every port */
static int set_level(uint64_t *bytes, uint64_t *per_bps, const char *value)
{
	int error = set_bytes(bytes, value);

	if (!error)
		*per_bps = 0;
	return error;
}

static int class_set(struct roce_class_config *class, const char *name, const char *value)
{
	int error = -ENOENT;

	if (!strcmp(name, "ecn"))
		error = set_ecn(class, value);
	else if (!strcmp(name, "kmin"))
		error = set_level(&class->kmin_bytes, &class->kmin_per_bps, value);
	else if (!strcmp(name, "kmax"))
		error = set_level(&class->kmax_bytes, &class->kmax_per_bps, value);
	else if (!strcmp(name, "pmax"))
		error = set_share(&class->pmax_ppm, PPM, value);
	else if (!strcmp(name, "queue"))
		error = set_bytes(&class->queue_bytes_max, value);
	else if (!strcmp(name, "alpha"))
		error = set_share(&class->alpha_permille, ROCE_ALPHA_PERMILLE_MAX, value);
	else if (!strcmp(name, "xoff"))
		error = set_bytes(&class->xoff_bytes, value);
	else if (!strcmp(name, "xon-offset"))
		error = set_bytes(&class->xon_offset_bytes, value);
	return error;
}

/* @name of all classes, or after "CLASS." of one */
static int classes_set(const struct ethernet *eth, const char *name, const char *value,
		       struct roce_config *roce)
{
	const char *dot = strchr(name, '.');
	int error = -ENOENT;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const char *class = eth->sw.config->classes[c].name;

		if (dot && (strlen(class) != (size_t)(dot - name) ||
			    strncmp(class, name, (size_t)(dot - name)) != 0))
			continue;
		error = class_set(&roce->classes[c], dot ? dot + 1 : name, value);
		if (error)
			return error;
	}
	return error;
}

static int set_time(node_time_t *time_ps, const char *value)
{
	uint64_t us;

	if (!number_of(value, TIME_US_MAX, &us))
		return -EINVAL;
	*time_ps = us * NODE_US;
	return 0;
}

/* what is no class's */
static int roce_value_set(const char *name, const char *value, struct roce_config *roce)
{
	int error = -ENOENT;

	if (!strcmp(name, "watchdog"))
		error = set_time(&roce->watchdog_ps, value);
	else if (!strcmp(name, "supplement-period"))
		error = set_time(&roce->increase_period_ps, value);
	else if (!strcmp(name, "reference"))
		error = set_share(&roce->reference_permille, UINT32_MAX, value);
	else if (!strcmp(name, "path-high"))
		error = set_level(&roce->path_high_bytes, &roce->path_per_bps, value);
	else if (!strcmp(name, "path-low"))
		error = set_level(&roce->path_low_bytes, &roce->path_per_bps, value);
	return error;
}

/* kmin and kmax that are for different rates go together at some ports only */
static int markings_check(const struct ethernet *eth, const struct roce_config *roce, char *why,
			  size_t why_max)
{
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++) {
			uint64_t kmin_bytes, kmax_bytes;

			roce_marking_at(&roce->classes[c], eth->sw.config->ports[p].rate_bps,
					eth->ports[p].mtu_bytes + FRAME_FCS_BYTES, &kmin_bytes,
					&kmax_bytes);
			if (kmin_bytes <= kmax_bytes)
				continue;
			snprintf(why, why_max,
				 "at p%u kmin would be %" PRIu64 ", more than kmax, %" PRIu64, p,
				 kmin_bytes, kmax_bytes);
			return -EINVAL;
		}
	return 0;
}

/* all of it or nothing: what it comes to must be a configuration that could have been given at
 * start */
int ethernet_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct ethernet *eth = dataplane;
	struct roce_config changed = eth->roce;
	char why[200] = "";
	int error;

	trace(eth->sw.stats, eth->sw.stats->now_ps, TRACE_PARAMETER_SET, 0, 0,
	      (uint32_t)strtoul(value, NULL, 10));
	error = roce_value_set(name, value, &changed);
	if (error == -ENOENT)
		error = classes_set(eth, name, value, &changed);
	if (error == -EINVAL)
		snprintf(why, sizeof(why),
			 "%.40s is no value of it, or out of range; numbers are whole", value);
	if (!error)
		error = roce_config_check(&changed, eth->sw.class_count, why, sizeof(why));
	if (!error)
		error = markings_check(eth, &changed, why, sizeof(why));
	if (!error) {
		eth->roce = changed;
		for (uint32_t p = 0; p < eth->sw.port_count; p++)
			ethernet_queue_levels(eth, p);
		ethernet_path_periods(eth, eth->sw.stats->now_ps);
	} else {
		fprintf(out,
			"%s%s[CLASS.]ecn (on, off) [CLASS.]kmin kmax queue xoff xon-offset "
			"(0..%llu bytes; queue, "
			"xoff 0: none) [CLASS.]pmax (0..%u ppm) [CLASS.]alpha (0..%u permille) "
			"watchdog "
			"supplement-period (1..%u us) reference (1000..1000000 permille of kmax) "
			"path-high path-low "
			"(bytes)\n",
			why, *why ? "\n" : "", ROCE_BYTES_MAX, PPM, ROCE_ALPHA_PERMILLE_MAX,
			TIME_US_MAX);
	}
	return error;
}
