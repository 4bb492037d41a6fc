#include "switchd/ethernet/ethernet_show.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "nodes/node/show_text.h"
#include "switchd/common/waiting.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/ethernet/ethernet_pause.h"
#include "switchd/ethernet/ethernet_queue.h"

static void show_ports(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	const struct port_config *config = &eth->sw.config->ports[p];
	const struct port_stats *stats = eth->ports[p].stats;

	fprintf(out,
		"%u\t%s\t%s\t%.9g\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		"\t%d\n",
		p, switch_port_state(&eth->sw, p), config->peer_name,
		(double)config->rate_bps / 1e9, stats->tx_packets, stats->rx_packets,
		stats->queue_bytes, stats->dropped_bytes, stats->lost_frames,
		(int)(eth->sw.flood_ports >> p & 1));
}

static void show_queues(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\n",
			p, eth->sw.config->classes[c].name, stats->queue_bytes,
			stats->queue_bytes_max, stats->marked, stats->drops,
			stats->tx_packets_measured
				? stats->delay_ns_measured * NODE_NS / stats->tx_packets_measured
				: 0,
			stats->delay_ns_max * NODE_NS);
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
			"%u\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\n",
			p, eth->sw.config->classes[c].name,
			eth->roce.classes[c].lossless ? "input" : "output",
			shared_buffer_limit(&eth->buffer, p, c), input->bytes,
			stats->input_bytes_max, input->headroom_bytes, input->headroom_limit_bytes,
			eth->buffer.outputs[p][c]);
	}
}

/* since @since_ps, if it is set, up to the fabric's time */
static uint64_t since(const struct ethernet *eth, node_time_t since_ps)
{
	return since_ps && eth->sw.shown_ps > since_ps ? eth->sw.shown_ps - since_ps : 0;
}

static void show_pfc(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	const struct port_stats *port = eth->ports[p].stats;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out,
			"%u\t%s\t%s\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\t%" PRIu64 "\t",
			p, eth->sw.config->classes[c].name, stats->xoff_since_ps ? "XOFF" : "XON",
			since(eth, stats->xoff_since_ps), stats->paused_since_ps ? "XOFF" : "XON",
			since(eth, stats->paused_since_ps),
			ethernet_pause_ps(&eth->ports[p].queues[c], eth->sw.shown_ps), stats->stuck,
			port->pauses_sent, port->pauses_received);
		show_text_ports(stats->waits_for, out);
		fputc('\n', out);
	}
}

static void show_ecn(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct roce_class_config *class = &eth->ports[p].queues[c].class;
		const struct class_stats *stats = eth->ports[p].queues[c].stats;

		fprintf(out, "%u\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%u\t%" PRIu64 "\t%" PRIu64 "\n",
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
			"%u\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\t%" PRIu64 "\t%u\n",
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
		"%u\t%s\t%s\t%s\t%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
		line->port, eth->sw.config->classes[line->traffic_class].name, source, destination,
		line->key.source_port, queue_pair, since(eth, line->seen_ps),
		since(eth, line->cnp_ps), line->cnps_seen, line->cnps_supplemented,
		line->pinned ? "paused" : "-");
}

/* watched flows whose data leaves by @port; -1: all */
static void show_flows(const void *dataplane, int port, FILE *out)
{
	const struct ethernet *eth = dataplane;
	const struct flow_watch *watch = &eth->flows;

	fprintf(out,
		"=used\t%u\n=limit\t%u\n=forgotten\t%" PRIu64 "\n=unwatched_packets\t%" PRIu64 "\n",
		watch->used, watch->sets * watch->ways, watch->forgotten, watch->unwatched);
	fputs("port:port\tclass:text\tsource:flow\tdestination:flow\tsport\tqueue_pair:text\t"
	      "packet_ago_us:ps\tcnp_ago_us:ps\tcnps_seen\tsupplemented\tsignal:text\n",
	      out);
	for (uint32_t i = 0; i < watch->sets * watch->ways; i++)
		if (watch->hashes[i] && (port < 0 || watch->lines[i].port == port))
			show_flow(eth, &watch->lines[i], out);
}

static void show_waiting(const void *dataplane, uint32_t p, FILE *out)
{
	const struct ethernet *eth = dataplane;
	struct waiting waiting;

	waiting_init(&waiting);
	for (uint32_t c = 0; c < eth->sw.class_count; c++)
		waiting_add(&waiting, &eth->ports[p].queues[c].queue, 0, ethernet_queue_bytes);
	waiting_print(&waiting, &eth->sw, p, out);
}

/* the buffer of the switch, before the rows of ports */
static void show_shared(const void *dataplane, int port, FILE *out)
{
	const struct shared_buffer *buffer = &((const struct ethernet *)dataplane)->buffer;

	(void)port;
	fprintf(out,
		"=buffer_bytes\t%" PRIu64 "\n=shared_bytes\t%" PRIu64 "\n=used_bytes\t%" PRIu64
		"\n=for_no_input_bytes\t%" PRIu64 "\n",
		buffer->buffer_bytes, buffer->shared_bytes, buffer->used_bytes, buffer->own_bytes);
}

const struct switch_table ethernet_show_tables[] = {
	{ "ports",
	  "port:port\tkind:text\tpeer:text\trate_gbps\ttx_packets\trx_packets\tqueue_bytes\t"
	  "dropped_bytes\tlost\tfloods:flag\n",
	  .rows = show_ports },
	{ "queues",
	  "port:port\tclass:text\tqueue_bytes\tqueue_max\tmarked\tdrops\tdelay_mean_us:ps\t"
	  "delay_max_us:ps\n",
	  .rows = show_queues },
	{ "buffer",
	  "port:port\tclass:text\tlimit_of:text\tlimit\tinput_bytes\tinput_max\theadroom_use\t"
	  "headroom_max\toutput_bytes\n",
	  .rows = show_buffer, .head = show_shared },
	{ "pfc",
	  "port:port\tclass:text\tto_peer:text\tto_peer_us:ps\tfrom_peer:text\tfrom_peer_us:ps\t"
	  "paused_us:ps\tstuck\tsent\treceived\twaits_for:ports\n",
	  .rows = show_pfc },
	{ "ecn", "port:port\tclass:text\tecn:text\tkmin\tkmax\tpmax_ppm\tqueue_bytes\tmarked\n",
	  .rows = show_ecn },
	{ "states",
	  "port:port\tclass:text\tstate:text\tworst:text\tqueue_bytes\treference\tcnps_seen\t"
	  "supplemented\tpauses\tresumes\tpaused\n",
	  .rows = show_states },
	{ "flows", .head = show_flows },
	{ "waiting", "port:port\t" WAITING_COLUMNS, .rows = show_waiting },
	{ "routes", .head = switch_show_routes },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};
