/*  Fuzzes the transports of two NICs of fabric kind roce (TB-23, RC-4, RC-6): they send to each
 *  other over queue pairs and TCP. The input decides the fate of each frame in the fabric between
 *  them, which is first in, first out.
 *
 *  Input: [settings 2][fates ...]. Settings: bit 0 the fabric is hostile, 1 no DCQCN, 2 TCP reacts
 *  to marks, 3 a window of one packet, 4 an ACK for each packet, 5 no retries, 6 short timeouts, 7
 *  host 1 stops host 0 now and then, 8 PAUSE instead of PFC, 9 every mark gets a CNP, 10 short
 *  messages, 11 IPv6, 12 no TCP, 13 no queue pairs.
 *  A fate is a byte: below 160 the frame passes, below 200 it is lost, below 220 marked, below 232
 *  it comes [n 1] microseconds later, and all after it; below 240 PFC or PAUSE comes before it:
 *  [priorities 1][quanta 2][PAUSE 1]. From there on a hostile fabric also
 *    240 changes a byte of it             [place 1][with 1]
 *    243 gives another class or length    [class 1][length 2]
 *    244 sends it twice
 *    246 sends an answer for a flow       [kind 1][queue pair 3][psn 3][syndrome 1]
 *    248 sends the frame before it again
 *    250 sends any bytes as a record      [record kind 1][captured 1][bytes ...]
 *  Numbers are big endian. When the input has ended everything passes.
 *  Unless the fabric is hostile, the packets of each flow are delivered once and in order, all of
 *  them or the flow is in error, and every frame is accounted for. In a hostile fabric the NICs
 *  survive, and their counters stay right. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/dataplane.h"
#include "nicd/dataplane/nic.h"
#include "nicd/transport/queue_pair.h"
#include "nodes/config/parameter.h"
#include "nodes/control/config_check.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "nodes/wire/tcp_frame.h"
#include "tests/fuzz/script.h"

#define RATE_BPS 100000000000ull
#define GAP_BYTES 20u
#define LEAD_PS (500 * NODE_NS)
#define RING_BYTES (1u << 18)
#define WORKLOADS 2u
#define WINDOWS_MAX 4000u /* that the fabric has fates for; then all passes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a host, and the fabric's end of its two rings */
struct host {
	struct node_config config;
	struct port_config port;
	struct workload_config workloads[WORKLOADS];
	struct pause_config pause;
	uint32_t destination;
	struct ring_page *pages[2]; /* from the NIC, to it */
	struct ring_rx from;
	struct ring_tx to;
	struct link link;
	struct stats_page *stats;
	struct nic *nic;
	uint32_t sequence;    /* of the next frame to it */
	node_time_t at_ps;    /* of the last record to it */
	node_time_t later_ps; /* than they were sent */
	struct record before; /* the last frame to it */
	uint8_t before_bytes[FRAME_HEADERS_MAX];
};

struct harness {
	struct script script;
	bool hostile;
	struct host hosts[2];
};

/* ---- the fabric ---- */

static void put(struct host *host, struct record header, const uint8_t *bytes)
{
	struct record *record = ring_reserve(&host->to, header.captured_bytes);

	header.sequence = host->sequence++;
	if (!record) /* lost */
		return;
	header.at_ps = host->at_ps = node_time_max(host->at_ps, header.at_ps);
	*record = header;
	memcpy(record_captured(record), bytes, header.captured_bytes);
	ring_commit(&host->to, header.captured_bytes);
}

static void put_pause(struct harness *harness, struct host *host, node_time_t at)
{
	struct pause_frame frame = { .enabled = (uint8_t)take(&harness->script, 1) };
	struct record header = { .at_ps = at,
				 .wire_bytes = PAUSE_FRAME_BYTES + FRAME_FCS_BYTES,
				 .captured_bytes = PAUSE_FRAME_BYTES,
				 .kind = RECORD_PAUSE };
	uint16_t quanta = (uint16_t)take(&harness->script, 2);
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		frame.quanta[c] = quanta;
	frame.port = take(&harness->script, 1) & 1;
	pause_frame_write(&frame, (const uint8_t[]){ 2, 0, 0, 0, 0, 1 }, bytes);
	put(host, header, bytes);
}

/* as from the other host, for a flow that may be there */
static void put_answer(struct harness *harness, struct host *host, const struct record *like,
		       const uint8_t *bytes)
{
	uint32_t kind = take(&harness->script, 1), number = take(&harness->script, 3),
		 psn = take(&harness->script, 3), length;
	struct roce_reply reply = { .queue_pair =
					    number & 64 ? number : ROCE_REQUESTER | (number & 7),
				    .psn = psn & ROCE_PSN_MASK };
	struct tcp_ack ack = { .source = host->destination,
			       .destination = !host->destination,
			       .flow = number & 7 };
	struct record header = *like;
	struct roce_header data;
	uint8_t answer[ROCE_REPLY_BYTES_MAX];

	reply.syndrome = (uint8_t)take(&harness->script, 1);
	ack.fields = (struct tcp_fields){ .acknowledgement = psn,
					  .window = UINT16_MAX,
					  .flags = TCP_FLAG_ACK | (reply.syndrome & TCP_FLAG_ECE) };
	if (kind & 2) {
		length = tcp_ack_write(&ack, answer);
	} else {
		if (roce_frame_read(bytes, like->captured_bytes, like->wire_bytes - FRAME_FCS_BYTES,
				    &data))
			return;
		reply.ends = data.ends;
		length = kind & 1 ? roce_cnp_write(&reply, answer) : roce_ack_write(&reply, answer);
	}
	header.captured_bytes = length;
	header.wire_bytes = length + FRAME_FCS_BYTES;
	put(host, header, answer);
}

static void put_any(struct harness *harness, struct host *host, node_time_t at)
{
	uint8_t bytes[256];
	uint32_t kind = take(&harness->script, 1);
	struct record header = { .at_ps = at, .kind = (uint16_t)(kind % (RECORD_PAUSE + 2u)) };

	header.captured_bytes = take_bytes(&harness->script, take(&harness->script, 1), bytes);
	header.wire_bytes = header.captured_bytes + (kind & 128 ? FRAME_FCS_BYTES : 0);
	header.word = (uint64_t)kind << 32 | header.captured_bytes;
	put(host, header, bytes);
}

/* what only a hostile fabric does to a frame */
static void fate_hostile(struct harness *harness, struct host *host, uint32_t fate,
			 struct record *header, uint8_t *bytes)
{
	uint32_t place;

	if (fate < 243) {
		place = take(&harness->script, 1);
		if (place < header->captured_bytes)
			bytes[place] ^= (uint8_t)take(&harness->script, 1);
	} else if (fate < 244) {
		header->traffic_class = (uint16_t)take(&harness->script, 1);
		header->wire_bytes = take(&harness->script, 2) % 9000;
	} else if (fate < 246) {
		put(host, *header, bytes);
	} else if (fate < 248) {
		put_answer(harness, host, header, bytes);
	} else if (fate < 250 && host->before.wire_bytes) {
		host->before.at_ps = header->at_ps;
		put(host, host->before, host->before_bytes);
	} else {
		put_any(harness, host, header->at_ps);
	}
}

static void pass(struct harness *harness, struct host *host, struct record header,
		 const uint8_t *shared)
{
	uint32_t fate = take(&harness->script, 1);
	uint8_t bytes[RING_CAPTURED_MAX];

	memcpy(bytes, shared, header.captured_bytes);
	if (fate >= 160 && fate < 200) {
		host->sequence++;
		return;
	}
	if (fate >= 200 && fate < 220)
		ecn_mark(bytes, header.captured_bytes);
	else if (fate >= 220 && fate < 232)
		host->later_ps += take(&harness->script, 1) * NODE_US;
	header.at_ps += host->later_ps;
	if (fate >= 232 && fate < 240)
		put_pause(harness, host, header.at_ps);
	else if (fate >= 240 && harness->hostile)
		fate_hostile(harness, host, fate, &header, bytes);
	put(host, header, bytes);
	if (header.kind != RECORD_PACKET || header.captured_bytes > sizeof(host->before_bytes))
		return;
	host->before = header;
	memcpy(host->before_bytes, bytes, header.captured_bytes);
}

/* what @from has sent comes to @to */
static void carry(struct harness *harness, struct host *from, struct host *to)
{
	struct record record;
	const uint8_t *bytes;

	ring_refresh(&from->from);
	while ((bytes = ring_peek(&from->from, &record))) {
		if (record.kind == RECORD_PACKET)
			pass(harness, to, record, bytes);
		ring_pop(&from->from, &record); /* what is said to the switch ends here */
	}
	ring_release(&from->from);
	ring_publish(&to->to);
}

/* ---- the books ---- */

static enum transport_kind transport_of(const struct host *host, uint32_t slot)
{
	return host->workloads[stats_flow_tx(host->stats, slot)->workload_index].transport;
}

/* what is in flight and what waits, by each account */
static void flows_check(const struct host *host)
{
	const struct transport *transport = &host->nic->transport;
	uint32_t messages = 0;
	uint64_t unsent = 0;

	for (uint32_t f = 0; f < transport->flow_count; f++) {
		const struct transport_flow *flow = &transport->flows[f];

		assert(flow->acknowledged <= flow->next && flow->next <= flow->top &&
		       flow->top <= flow->end);
		assert(flow->in_error ||
		       (flow->messages.first == INDEX_NONE) == (flow->acknowledged == flow->end));
		assert(!flow->in_error || flow->messages.first == INDEX_NONE);
		messages += transport_waiting(transport, f);
		for (uint32_t m = flow->messages.first; m != INDEX_NONE;
		     m = transport->pool.next[m]) {
			const struct transport_message *message = &transport->messages[m];
			uint64_t sent =
				flow->top > message->packet
					? (flow->top - message->packet) * flow->shape.capacity_bytes
					: 0;

			unsent += sent < message->bytes ? message->bytes - sent : 0;
		}
	}
	assert(messages == transport->pool.count);
	assert(unsent == stats_port(host->stats, 0)->queue_bytes);
	assert(host->stats->inside_packets == host->nic->tcp_receiver.pool.count);
}

/* each frame that came is delivered, waits, or is counted under a name; malformed ones and bad
 * records count other things too */
static void arrivals_check(const struct host *host)
{
	uint64_t arrived = stats_port(host->stats, 0)->rx_packets;
	uint64_t known = host->stats->delivered_packets + host->stats->inside_packets, others;

	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		if (reason != DROP_LINK_LOSS && reason != DROP_MALFORMED &&
		    reason != DROP_BAD_RECORD && reason != DROP_RING_FULL)
			known += host->stats->drops[reason];
	others = host->stats->drops[DROP_MALFORMED] + host->stats->drops[DROP_BAD_RECORD];
	assert(known <= arrived && arrived <= known + others);
}

/* once, in order, and all of it; @from's flows are those that @to received */
static void delivery_check(const struct host *from, const struct host *to)
{
	for (uint32_t f = 0; f < to->stats->flow_rx_count; f++) {
		const struct flow_rx_stats *got = stats_flow_rx(to->stats, f);
		const struct flow_tx_stats *sent = stats_flow_tx(from->stats, got->source_slot);
		uint64_t packets = sent->packets - sent->resent;

		assert(got->source_slot < from->stats->flow_tx_count && !got->reordered &&
		       !got->lost);
		assert(sent->in_error ? got->packets <= packets && got->messages <= sent->messages
				      : got->packets == packets && got->messages == sent->messages);
	}
	assert(to->stats->flow_rx_count <= from->stats->flow_tx_count);
	for (uint32_t f = 0; f < from->stats->flow_tx_count; f++)
		assert(transport_of(from, f) != TRANSPORT_NONE);
}

/* ---- two NICs ---- */

static void roce_make(struct roce_config *roce, uint32_t setting)
{
	struct roce_config defaults = { 0 };

	parameters_default(&roce_parameters, &defaults);
	*roce = (struct roce_config){
		.pfc = true,
		.pause = setting & 256,
		.cnp_class = 1,
		.buffer_bytes = 1 << 20,
		.increase_period_ps = NODE_NS,
		.reference_permille = 1000,
		.path_target = ROCE_CNP_FAILED,
		.path_high_bytes = 2,
		.path_low_bytes = 1,
		.flows_max = 1,
		.watchdog_ps = 20 * NODE_US,
		.dcqcn = { .enabled = !(setting & 2),
			   .g_ppb = 3906250,
			   .alpha_initial_ppm = 1000000,
			   .alpha_timer_ps = 55 * NODE_US,
			   .increase_timer_ps = 55 * NODE_US,
			   .byte_counter_bytes = 100000,
			   .fast_recovery = 5,
			   .ai_bps = 4000000000,
			   .hai_bps = 20000000000,
			   .rate_min_bps = 100000000,
			   .clamp_target = true,
			   .cnp_interval_ps = setting & 512 ? 0 : 50 * NODE_US },
		.queue_pair = { .ack_packets = setting & 16 ? 1 : 16,
				.window_bytes = setting & 8 ? 1 : 0,
				.timeout_ps = setting & 64 ? 5 * NODE_US : 100 * NODE_US,
				.retries = setting & 32 ? 0 : 7 },
		.tcp = { .initial_packets = 4,
			 .window_packets_max = 64,
			 .ecn = setting & 4,
			 .rto_min_ps = setting & 64 ? NODE_US : 100 * NODE_US },
	};
	roce->swift = defaults.swift;
	roce->classes[0] = roce->classes[1] =
		(struct roce_class_config){ .lossless = true, .ecn = true, .xoff_bytes = 1000 };
}

static void config_make(struct host *host, uint32_t i, uint32_t setting)
{
	host->destination = !i;
	host->port = (struct port_config){ .kind = PORT_EDGE,
					   .peer_name = "s",
					   .peer_index = 2,
					   .channels = 1,
					   .rate_bps = RATE_BPS,
					   .delay_ps = 400 * NODE_NS,
					   .mtu_bytes = 9216,
					   .gap_bytes = GAP_BYTES,
					   .ring_bytes = RING_BYTES };
	host->config = (struct node_config){
		.kind = NODE_NIC,
		.fabric = FABRIC_ROCE,
		.name = "h",
		.index = i,
		.node_count = 3,
		.seed = i + 1,
		.measure_to_ps = NODE_TIME_NEVER,
		.class_count = 2,
		.lanes = 1,
		.classes = { { .name = "data", .max_permille = 1000 },
			     { .name = "cnp", .max_permille = 1000 } },
		.port_count = 1,
		.ports = &host->port,
		.nic = { .host_index = i,
			 .latency_ps = 100 * NODE_NS,
			 .flows_max = 8,
			 .messages_max = 100,
			 .fgfc_entries_max = 1,
			 .workload_count = WORKLOADS,
			 .workloads = host->workloads,
			 .pause_count = i && setting & 128,
			 .pauses = &host->pause },
	};
	roce_make(&host->config.roce, setting);
	host->pause = (struct pause_config){
		.classes = 1, .for_ps = 5 * NODE_US, .every_ps = 20 * NODE_US, .stop_ps = NODE_MS
	};
}

static void workloads_make(struct host *host, uint32_t setting)
{
	for (uint32_t w = 0; w < WORKLOADS; w++)
		host->workloads[w] = (struct workload_config){
			.workload_index = w,
			.name = "load",
			.frame = w                ? FRAME_TCP
				 : setting & 2048 ? FRAME_ROCE_IPV6
						  : FRAME_ROCE,
			.transport = w ? TRANSPORT_TCP : TRANSPORT_RC,
			.connections = 2,
			.packet_bytes = 1102, /* a path MTU of 1024 */
			.window = 2,
			.stop_ps = NODE_MS,
			.message_bytes = setting & 1024 ? 100 : 20000,
			.messages_max = setting >> (13 - w) & 1 ? 1
					: setting & 1024        ? 200
								: 12,
			.seed = 7 + w,
			.destination_count = 1,
			.destinations = &host->destination,
		};
}

static void open_host(struct host *host)
{
	size_t size = ring_bytes(RING_BYTES);
	struct why why;
	int error;

	error = node_config_check(&host->config, &why);
	if (error)
		fprintf(stderr, "%s\n", why.text);
	assert(!error);
	for (uint32_t i = 0; i < 2; i++) {
		host->pages[i] = aligned_alloc(RING_LINE, size);
		memset(host->pages[i], 0, size);
		ring_init(host->pages[i], RING_BYTES, RING_CAPTURED_MAX);
	}
	host->stats = calloc(1, stats_bytes(&host->config));
	stats_init(host->stats, &host->config);
	error = link_init(&host->link, &host->config, 0, host->pages[0], size, host->pages[1], size,
			  host->stats) ||
		ring_rx_attach(&host->from, host->pages[0], size) ||
		ring_tx_attach(&host->to, host->pages[1], size);
	assert(!error);
	(void)error;
	host->nic = nicd_ops.create(&host->config, &host->link, host->stats);
	assert(host->nic);
}

static void close_host(struct host *host)
{
	nicd_ops.destroy(host->nic);
	link_fini(&host->link);
	free(host->stats);
	free(host->pages[0]);
	free(host->pages[1]);
}

/* one window of both.  Return: when the next thing happens */
static node_time_t run_window(struct harness *harness, node_time_t end)
{
	node_time_t next = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < 2; i++) {
		struct host *host = &harness->hosts[i];
		bool packet;

		ring_refresh(&host->link.rx.ring);
		next = node_time_min(next, nicd_ops.run(host->nic, end));
		assert(next >= end);
		next = node_time_min(next, link_flush(&host->link, &packet));
		ring_release(&host->link.rx.ring);
		flows_check(host);
		arrivals_check(host);
	}
	carry(harness, &harness->hosts[0], &harness->hosts[1]);
	carry(harness, &harness->hosts[1], &harness->hosts[0]);
	return next;
}

/* until nothing happens any more; but a TCP connection to which something was forged may try for
 * ever */
static void run(struct harness *harness)
{
	node_time_t next = 0;

	for (uint32_t i = 0; next != NODE_TIME_NEVER && !(harness->hostile && i == 2 * WINDOWS_MAX);
	     i++) {
		if (i == WINDOWS_MAX)
			harness->script.at = harness->script.end;
		assert(i < 20 * WINDOWS_MAX);
		next = run_window(harness, next + LEAD_PS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct harness harness;
	uint32_t setting;

	memset(&harness, 0, sizeof(harness));
	harness.script = (struct script){ data, data + size };
	setting = take(&harness.script, 2);
	harness.hostile = setting & 1;
	for (uint32_t i = 0; i < 2; i++) {
		config_make(&harness.hosts[i], i, setting);
		workloads_make(&harness.hosts[i], setting);
		open_host(&harness.hosts[i]);
	}
	run(&harness);
	if (!harness.hostile) {
		delivery_check(&harness.hosts[0], &harness.hosts[1]);
		delivery_check(&harness.hosts[1], &harness.hosts[0]);
	}
	for (uint32_t i = 0; i < 2; i++)
		close_host(&harness.hosts[i]);
	return 0;
}
