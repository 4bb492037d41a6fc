/*  two_nics - two NICs of a fabric of kind roce, hosts 0 and 1, at the two ends of one link of 100
 *  Gb/s:
 *
 *      host 0  ----- 100 ns + 400 ns -----  host 1
 *
 *  The test is the clock: its windows are as long as the lookahead of the link, and the NICs run
 *  in turn. */
#ifndef HEDDLE_TESTS_UNIT_NICD_DATAPLANE_TWO_NICS_H
#define HEDDLE_TESTS_UNIT_NICD_DATAPLANE_TWO_NICS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/dataplane.h"
#include "nicd/dataplane/nic.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/frame.h"

#define TWO_PATH_MTU 1024u /* RC-4: the payload of a full packet */
/* the frame of a full packet over IPv4 without FCS: 54 bytes of headers, ICRC */
#define TWO_FRAME_BYTES (TWO_PATH_MTU + 58)
#define TWO_RATE_BPS 100000000000ull
#define TWO_BYTE_PS 80u
#define TWO_GAP_BYTES 20u
#define TWO_LATENCY_PS (100 * NODE_NS)
#define TWO_DELAY_PS (400 * NODE_NS)
#define TWO_LEAD_PS (TWO_LATENCY_PS + TWO_DELAY_PS)
#define TWO_RING_BYTES (1u << 18)
#define TWO_WORKLOADS 3u

struct two_end {
	struct node_config config;
	struct port_config port;
	struct workload_config workloads[TWO_WORKLOADS];
	struct pause_config pauses[2];
	uint32_t destinations[2];
	struct link link;
	struct stats_page *stats;
	struct nic *nic;
};

static struct two_end two[2];
static struct ring_page *two_rings[2]; /* end i writes to ring i */
static node_time_t two_now;

static inline struct roce_config two_roce(void)
{
	struct roce_config roce = {
		.pfc = true,
		.cnp_class = 1,
		.watchdog_ps = 10 * NODE_MS,
		.dcqcn = { .cnp_interval_ps = 50 * NODE_US },
		.queue_pair = { .ack_packets = 16, .timeout_ps = 100 * NODE_US, .retries = 7 },
		.tcp = { .initial_packets = 10, .window_packets_max = 1024, .rto_min_ps = NODE_MS },
	};

	for (uint32_t c = 0; c < 2; c++)
		roce.classes[c] = (struct roce_class_config){ .lossless = true, .ecn = true };
	return roce;
}

/* host 0 sends closed-loop messages to host 1, one after the other; host 1 starts none */
static inline void two_setup(void)
{
	memset(two, 0, sizeof(two));
	two_now = 0;
	for (uint32_t i = 0; i < 2; i++) {
		struct two_end *end = &two[i];

		end->port = (struct port_config){
			.kind = PORT_EDGE,
			.rate_bps = TWO_RATE_BPS,
			.delay_ps = TWO_DELAY_PS,
			.mtu_bytes = 9216,
			.gap_bytes = TWO_GAP_BYTES,
			.ring_bytes = TWO_RING_BYTES,
		};
		end->config = (struct node_config){
			.kind = NODE_NIC,
			.fabric = FABRIC_ROCE,
			.index = i,
			.node_count = 2,
			.seed = i + 1,
			.measure_to_ps = NODE_TIME_NEVER,
			.class_count = 2,
			.lanes = 1,
			.classes = { { .name = "roce", .max_permille = 1000 },
				     { .name = "cnp", .max_permille = 1000 } },
			.roce = two_roce(),
			.port_count = 1,
			.ports = &end->port,
			.nic = { .host_index = i,
				 .latency_ps = TWO_LATENCY_PS,
				 .flows_max = 4096,
				 .messages_max = 20000,
				 .workloads = end->workloads,
				 .pauses = end->pauses },
		};
		end->destinations[0] = !i;
		for (uint32_t w = 0; w < TWO_WORKLOADS; w++)
			end->workloads[w] = (struct workload_config){
				.workload_index = w,
				.name = "load",
				.frame = FRAME_ROCE,
				.transport = TRANSPORT_RC,
				.connections = 1,
				.packet_bytes = TWO_FRAME_BYTES,
				.window = 1,
				.stop_ps = NODE_TIME_NEVER,
				.message_bytes = 10000,
				.seed = 7 + w,
				.destination_count = 1,
				.destinations = end->destinations,
			};
	}
	two[0].config.nic.workload_count = 1;
}

static inline void two_build(void)
{
	size_t size = ring_bytes(TWO_RING_BYTES);

	for (uint32_t i = 0; i < 2; i++) {
		two_rings[i] = aligned_alloc(RING_LINE, size);
		memset(two_rings[i], 0, size);
		ring_init(two_rings[i], TWO_RING_BYTES, RING_CAPTURED_MAX);
	}
	for (uint32_t i = 0; i < 2; i++) {
		struct two_end *end = &two[i];

		end->stats = calloc(1, stats_bytes(&end->config));
		stats_init(end->stats, &end->config);
		ck_assert_int_eq(link_init(&end->link, &end->config, 0, two_rings[i], size,
					   two_rings[!i], size, end->stats),
				 0);
		end->nic = nicd_ops.create(&end->config, &end->link, end->stats);
		ck_assert_ptr_nonnull(end->nic);
	}
}

static inline void two_free(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		nicd_ops.destroy(two[i].nic);
		link_fini(&two[i].link);
		free(two[i].stats);
		free(two_rings[i]);
	}
}

/* Runs until @limit, or until both nodes are idle.  Return: the time of the next event. */
static inline node_time_t two_run(node_time_t limit)
{
	node_time_t next = two_now;

	while (next < limit) {
		node_time_t window_end = node_time_min(next + TWO_LEAD_PS, limit);

		next = NODE_TIME_NEVER;
		for (uint32_t i = 0; i < 2; i++) {
			ring_refresh(&two[i].link.rx.ring);
			next = node_time_min(next, nicd_ops.run(two[i].nic, window_end));
			next = node_time_min(next, link_flush(&two[i].link, &(bool){ 0 }));
			ring_release(&two[i].link.rx.ring);
		}
		ck_assert_uint_ge(next, window_end);
	}
	two_now = limit;
	return next;
}

/* TB-25: of the packets that one end injected, the other delivered each, dropped it under a name,
 * or the link lost it (once the fabric is idle) */
static inline void two_check_books(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct stats_page *tx = two[i].stats, *rx = two[!i].stats;
		uint64_t lost = stats_port(two[i].stats, 0)->lost_packets;

		ck_assert_uint_eq(tx->injected_packets,
				  rx->delivered_packets + lost + rx->drops[DROP_OUT_OF_ORDER] +
					  rx->drops[DROP_DUPLICATE] + rx->drops[DROP_BAD_ICRC] +
					  rx->drops[DROP_UNKNOWN_FLOW]);
		ck_assert_uint_eq(rx->inside_packets + rx->drops[DROP_BAD_RECORD], 0);
	}
}

static inline const struct flow_tx_stats *two_tx(uint32_t slot)
{
	return stats_flow_tx(two[0].stats, slot);
}

static inline const struct flow_rx_stats *two_rx(uint32_t slot)
{
	return stats_flow_rx(two[1].stats, slot);
}

/* everything that host 0 started, with a transport, has arrived once, in order, and is
 * acknowledged */
static inline void two_check_delivered(uint32_t flows, uint64_t messages)
{
	const struct nic *sender = two[0].nic;
	uint64_t sent = 0, received = 0;

	ck_assert_uint_eq(two[0].stats->flow_tx_count, flows);
	ck_assert_uint_eq(two[1].stats->flow_rx_count, flows);
	for (uint32_t i = 0; i < flows; i++) {
		ck_assert_uint_eq(two_rx(i)->lost + two_rx(i)->reordered, 0);
		ck_assert_uint_eq(two_tx(i)->in_error, 0);
		sent += two_tx(i)->packets - two_tx(i)->resent;
		received += two_rx(i)->packets;
		messages -= two_rx(i)->messages;
	}
	ck_assert_uint_eq(messages, 0);
	ck_assert_uint_eq(sent, received);
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->queue_bytes, 0);
	ck_assert_uint_eq(sender->transport.pool.count, 0);
	ck_assert_uint_eq(sender->workloads.workloads[0].sent,
			  sender->workloads.workloads[0].started);
	two_check_books();
}

#endif
