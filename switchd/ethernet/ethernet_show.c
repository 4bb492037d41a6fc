#include "switchd/ethernet/ethernet_show.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "switchd/ethernet/ethernet.h"

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	const struct port_config *config = &eth->sw.config->ports[p];
	const struct port_stats *stats = eth->ports[p].stats;

	fprintf(out,
		"p%-4u %-7s %-16s %9.3f %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %10" PRIu64
		" %8" PRIu64 "  %s\n",
		p, switch_port_state(&eth->sw, p), config->peer_name,
		(double)config->rate_bps / 1e9, stats->tx_packets, stats->rx_packets,
		stats->queue_bytes, stats->dropped_bytes, stats->lost_frames,
		eth->sw.flood_ports >> p & 1 ? "yes" : "no");
}

static void show_queues(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
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

/* the limit of a class: of its input if it is lossless, else of its output queue */
static void show_buffer(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
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

/* how long a class was paused, with the present pause */
static double paused_us(const struct ethernet *eth, const struct ethernet_queue *queue)
{
	node_time_t since_ps = queue->stats->paused_since_ps ? queue->stats->paused_counted_ps : 0;

	return (double)queue->stats->paused_ps / NODE_US + since_us(eth, since_ps);
}

/* "p1 p3", or "-" for none; ends the line */
static void ports_print(uint64_t ports, FILE *out)
{
	fputs(ports ? "" : "-", out);
	for (const char *gap = ""; ports; ports &= ports - 1, gap = " ")
		fprintf(out, "%sp%d", gap, __builtin_ctzll(ports));
	fputc('\n', out);
}

static void show_pfc(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	const struct port_stats *port = eth->ports[p].stats;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"p%-4u %-16s %-8s %12.3f %-8s %12.3f %12.3f %6" PRIu64 " %9" PRIu64
			" %9" PRIu64 "   ",
			p, eth->sw.config->classes[c].name, stats->xoff_since_ps ? "XOFF" : "XON",
			since_us(eth, stats->xoff_since_ps),
			stats->paused_since_ps ? "XOFF" : "XON",
			since_us(eth, stats->paused_since_ps),
			paused_us(eth, &eth->ports[p].queues[c]), stats->stuck, port->pauses_sent,
			port->pauses_received);
		ports_print(stats->waits_for, out);
	}
}

static void show_ecn(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
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
static void show_states(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
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

/* watched flows whose data leaves by @port; -1: all */
static void show_flows(const void *dataplane, int port, FILE *out)
{
	const struct ethernet *eth = dataplane;
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

/* the buffer of the switch, before the rows of ports */
static void show_shared(const void *dataplane, int port, FILE *out)
{
	const struct shared_buffer *buffer = &((const struct ethernet *)dataplane)->buffer;

	(void)port;
	fprintf(out,
		"buffer %" PRIu64 " bytes, shared %" PRIu64 ", of it used %" PRIu64
		", for no input %" PRIu64 "\n",
		buffer->buffer_bytes, buffer->shared_bytes, buffer->used_bytes, buffer->own_bytes);
}

const struct switch_table ethernet_show_tables[] = {
	{ "ports",
	  "port  kind    peer             rate_gbps   tx_packets   rx_packets queue_bytes "
	  "dropped_bytes lost  floods\n",
	  .rows = show_ports },
	{ "queues",
	  "port  class            queue_bytes   queue_max     marked    drops delay_us(avg) "
	  "delay_us(max)\n",
	  .rows = show_queues },
	{ "buffer",
	  "port  class            limit_of       limit input_bytes   input_max headroom_use "
	  "headroom_max "
	  "output_bytes\n",
	  .rows = show_buffer, .head = show_shared },
	{ "pfc",
	  "port  class            to_peer       for_us from_peer      for_us    paused_us  stuck   "
	  "   sent  received   "
	  "waits_for\n",
	  .rows = show_pfc },
	{ "ecn",
	  "port  class            ecn        kmin       kmax pmax_ppm queue_bytes     marked\n",
	  .rows = show_ecn },
	{ "states",
	  "port  class            state      worst      queue_bytes   reference  cnps_seen "
	  "supplemented  pauses  "
	  "resumes paused\n",
	  .rows = show_states },
	{ "flows", .head = show_flows },
	{ "routes", .head = switch_show_routes },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
