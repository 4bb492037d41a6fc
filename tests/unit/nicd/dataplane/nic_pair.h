/*  nic_pair - two NICs, hosts 0 and 1, at the two ends of one link of 200 Gb/s:
 *
 *      host 0  ----- 100 ns + 300 ns -----  host 1
 *
 *  The test is the runtime: windows as long as the lookahead of the link, first one NIC, then the
 *  other. A test changes the configuration in ends[], then calls fabric_build(). */
#ifndef HEDDLE_TESTS_UNIT_NICD_DATAPLANE_NIC_PAIR_H
#define HEDDLE_TESTS_UNIT_NICD_DATAPLANE_NIC_PAIR_H

#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/dataplane.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define RATE_BPS 200000000000ull
#define BYTE_PS 40u
#define GAP_BYTES 20u
#define DELAY_PS (300 * NODE_NS)
#define LATENCY_PS (100 * NODE_NS)
#define LEAD_PS (DELAY_PS + LATENCY_PS)
#define RING_DATA_BYTES (1u << 18)
#define PACKET_BYTES 4096u
#define CAPACITY_BYTES (PACKET_BYTES - 70) /* IPv4 */

struct end {
	struct node_config config;
	struct port_config port;
	struct workload_config workloads[2];
	struct link link;
	struct stats_page *stats;
	void *nic;
};

static struct end ends[2];
static struct ring_page *rings[2]; /* ring i is written by end i */
static uint32_t destinations[] = { 1, 2, 3, 4, 5 };

static inline void setup(void)
{
	memset(ends, 0, sizeof(ends));
	for (uint32_t i = 0; i < 2; i++) {
		struct end *end = &ends[i];

		end->port = (struct port_config){
			.kind = PORT_EDGE,
			.rate_bps = RATE_BPS,
			.delay_ps = DELAY_PS,
			.mtu_bytes = 9216,
			.gap_bytes = GAP_BYTES,
			.ring_bytes = RING_DATA_BYTES,
		};
		end->config = (struct node_config){
			.kind = NODE_NIC,
			.index = i,
			.node_count = 2,
			.seed = i + 1,
			.measure_to_ps = NODE_TIME_NEVER,
			.class_count = 1,
			.classes = { { .name = "bulk", .max_permille = 1000 },
				     { .name = "other", .max_permille = 1000 } },
			.port_count = 1,
			.ports = &end->port,
			.nic = { .host_index = i,
				 .latency_ps = LATENCY_PS,
				 .flows_max = 16,
				 .fgfc_entries_max = 2,
				 .messages_max = 10000,
				 .workloads = end->workloads },
		};
		for (uint32_t w = 0; w < 2; w++)
			end->workloads[w] = (struct workload_config){
				.connections = 1,
				.workload_index = w,
				.name = "first",
				.frame = FRAME_IPV4,
				.packet_bytes = PACKET_BYTES,
				.window = 1,
				.stop_ps = NODE_TIME_NEVER,
				.message_bytes = 10 * CAPACITY_BYTES,
				.seed = 7 + w,
				.destination_count = 1,
				.destinations = destinations,
			};
		strcpy(end->workloads[1].name, "second");
	}
	ends[0].config.nic.workload_count = 1;
}

static inline void rings_clear(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		memset(rings[i], 0, ring_bytes(RING_DATA_BYTES));
		ring_init(rings[i], RING_DATA_BYTES, RING_CAPTURED_MAX);
	}
}

static inline void link_open(uint32_t i)
{
	size_t size = ring_bytes(RING_DATA_BYTES);

	ck_assert_int_eq(link_init(&ends[i].link, &ends[i].config, 0, rings[i], size, rings[!i],
				   size, ends[i].stats),
			 0);
}

static inline void fabric_build(void)
{
	size_t size = ring_bytes(RING_DATA_BYTES);

	for (uint32_t i = 0; i < 2; i++)
		rings[i] = aligned_alloc(RING_LINE, size);
	rings_clear();
	for (uint32_t i = 0; i < 2; i++) {
		struct end *end = &ends[i];

		end->stats = calloc(1, stats_bytes(&end->config));
		stats_init(end->stats, &end->config);
		link_open(i);
		end->nic = nicd_ops.create(&end->config, &end->link, end->stats);
		ck_assert_ptr_nonnull(end->nic);
	}
}

static inline void fabric_free(void)
{
	for (uint32_t i = 0; ends[0].nic && i < 2; i++) {
		nicd_ops.destroy(ends[i].nic);
		link_fini(&ends[i].link);
		free(ends[i].stats);
		free(rings[i]);
	}
	ends[0].nic = NULL;
}

/* runs until @limit, or until nothing can happen any more. Return: when the next event is due. */
static inline node_time_t fabric_run(node_time_t limit)
{
	node_time_t now = 0;

	while (now < limit) {
		node_time_t window_end = node_time_min(now + LEAD_PS, limit),
			    next = NODE_TIME_NEVER;

		for (uint32_t i = 0; i < 2; i++) {
			ring_refresh(&ends[i].link.rx.ring);
			next = node_time_min(next, nicd_ops.run(ends[i].nic, window_end));
			next = node_time_min(next, link_flush(&ends[i].link, &(bool){ 0 }));
			ring_release(&ends[i].link.rx.ring);
		}
		ck_assert_uint_ge(next, window_end);
		now = next;
	}
	return now;
}

static inline node_time_t packet_ps(uint32_t frame_bytes)
{
	return (frame_bytes + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS;
}

static inline struct flow_tx_stats *flow_tx(uint32_t slot)
{
	return stats_flow_tx(ends[0].stats, slot);
}

static inline struct flow_rx_stats *flow_rx(uint32_t slot)
{
	return stats_flow_rx(ends[1].stats, slot);
}

static inline const struct port_stats *sender_port(void)
{
	return stats_port(ends[0].stats, 0);
}

/* TB-25: injected packets were delivered or are reported lost, once nothing is in flight */
static inline void fabric_check(void)
{
	const struct stats_page *tx = ends[0].stats, *rx = ends[1].stats;
	const struct port_stats *port = sender_port();

	ck_assert_uint_eq(tx->injected_packets, rx->delivered_packets + port->lost_packets);
	ck_assert_uint_eq(tx->injected_bytes, rx->delivered_bytes + port->lost_bytes);
	ck_assert_uint_eq(tx->inside_packets, 0);
}

/* ---- FGFC ---- */

#define PAUSE_PS (100 * NODE_US)
#define PACKET_UNITS (PACKET_BYTES / UNIT_BYTES)

/* end 1, as the edge switch, sends an FGFC frame for flow @slot of host 0 under @match */
static inline void fgfc_send(uint32_t slot, uint32_t match, node_time_t now, node_time_t pause_ps,
			     uint32_t credit_units)
{
	static const uint8_t mac[6] = { 2 };
	struct frame_spec spec = {
		.kind = FRAME_IPV4, .destination = 1, .flow = slot, .frame_bytes = PACKET_BYTES
	};
	struct frame_payload payload = { 0 };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);
	struct fgfc_frame frame = { .pause_ps = pause_ps, .credit_units = credit_units };
	struct frame_fields fields;

	ck_assert_int_eq(frame_parse(bytes, captured, PACKET_BYTES, &fields), 0);
	frame.name = flow_name_of(&fields, 0);
	frame.name = flow_name_under(&frame.name, match);
	fgfc_frame_write(&frame, mac, bytes);
	link_send_fgfc(&ends[1].link, now, bytes, FGFC_FRAME_BYTES);
}

#endif
