/*  Two NICs, hosts 0 and 1, at the two ends of one link of 200 Gb/s:
 *
 *      host 0  ----- 100 ns + 300 ns -----  host 1
 *
 *  The test is the runtime: windows as long as the link's lookahead, first one NIC, then the
 *  other. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nicd/datapath/datapath.h"
#include "nicd/traffic/send_queue.h"
#include "nodes/base/units.h"
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

/* ---- the fabric ---- */

static void setup(void)
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

static void fabric_build(void)
{
	size_t size = ring_bytes(RING_DATA_BYTES);

	for (uint32_t i = 0; i < 2; i++) {
		rings[i] = aligned_alloc(RING_LINE, size);
		memset(rings[i], 0, size);
		ring_init(rings[i], RING_DATA_BYTES);
	}
	for (uint32_t i = 0; i < 2; i++) {
		struct end *end = &ends[i];

		end->stats = calloc(1, stats_bytes(&end->config));
		stats_init(end->stats, &end->config);
		ck_assert_int_eq(link_init(&end->link, &end->config, 0, rings[i], size, rings[!i],
					   size, end->stats),
				 0);
		end->nic = nicd_ops.create(&end->config, &end->link, end->stats);
		ck_assert_ptr_nonnull(end->nic);
	}
}

static void fabric_free(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		nicd_ops.destroy(ends[i].nic);
		link_fini(&ends[i].link);
		free(ends[i].stats);
		free(rings[i]);
	}
}

/* runs until @limit or until nothing happens any more; returns the time of the next event */
static node_time_t fabric_run(node_time_t limit)
{
	node_time_t now = 0;

	while (now < limit) {
		node_time_t window_end = node_time_min(now + LEAD_PS, limit),
			    next = NODE_TIME_NEVER;

		for (uint32_t i = 0; i < 2; i++) {
			ring_refresh(&ends[i].link.rx);
			next = node_time_min(next, nicd_ops.run(ends[i].nic, window_end));
			next = node_time_min(next, link_flush(&ends[i].link, &(bool){ 0 }));
			ring_release(&ends[i].link.rx);
		}
		ck_assert_uint_ge(next, window_end);
		now = next;
	}
	return now;
}

/* TB-25: what was injected was delivered or is reported lost (once the fabric is quiet) */
static void fabric_check(void)
{
	const struct stats_page *tx = ends[0].stats, *rx = ends[1].stats;
	const struct port_stats *port = stats_port(ends[0].stats, 0);

	ck_assert_uint_eq(tx->injected_packets, rx->delivered_packets + port->lost_packets);
	ck_assert_uint_eq(tx->injected_bytes, rx->delivered_bytes + port->lost_bytes);
	ck_assert_uint_eq(tx->inside_packets, 0);
}

static node_time_t packet_ps(uint32_t frame_bytes)
{
	return (frame_bytes + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS;
}

/* ---- sending at line rate ---- */

TEST_GROUP(nicd_datapath, .setup = setup, .timeout_s = 90);

/* TB-7: a message takes exactly latency, delay and its packets back to back, without the last
 * gap */
TEST(nic_run__one_message_exactly)
{
	const struct message_stats *message;

	ends[0].workloads[0].messages_max = 1;
	ends[0].workloads[0].start_ps = 5000;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[1].stats->message_count, 1);
	message = stats_message(ends[1].stats, 0);
	ck_assert_uint_eq(message->bytes, 10 * CAPACITY_BYTES);
	ck_assert_uint_eq(message->start_ps, 5000);
	ck_assert_uint_eq(message->end_ps,
			  5000 + LEAD_PS + 10 * packet_ps(PACKET_BYTES) - GAP_BYTES * BYTE_PS);
	ck_assert_uint_eq(stats_flow_tx(ends[0].stats, 0)->messages, 1);
	ck_assert_uint_eq(stats_flow_tx(ends[0].stats, 0)->destination, 1);
	ck_assert_uint_eq(ends[0].stats->data_hops, 10);
	fabric_check();
	fabric_free();
}

/* TB-12: one message under way is enough to keep the link busy without a pause */
TEST(nic_run__closed_loop_fills_the_link)
{
	const uint64_t packets = 1000;

	ends[0].workloads[0].stop_ps = packets * packet_ps(PACKET_BYTES);
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->injected_packets, packets);
	ck_assert_uint_eq(stats_port(ends[0].stats, 0)->tx_busy_ps,
			  packets * packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(stats_port(ends[0].stats, 0)->paused_ps, 0);
	ck_assert_uint_eq(ends[1].stats->message_count, packets / 10);
	ck_assert_uint_eq(stats_message(ends[1].stats, 7)->start_ps,
			  7 * 10 * packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(stats_flow_rx(ends[1].stats, 0)->lost +
				  stats_flow_rx(ends[1].stats, 0)->reordered,
			  0);
	fabric_check();
	fabric_free();
}

/* TB-12: at twice the link's rate messages wait at the source, the ones without room deferred, and
 *  their times count from when they were due */
TEST(nic_run__open_loop_backlog)
{
	struct workload_config *workload = &ends[0].workloads[0];
	const node_time_t gap_ps = packet_ps(1000) / 2;
	const uint32_t messages = 12000;

	workload->arrival = ARRIVAL_PACED;
	workload->load_permille = 2000;
	workload->message_bytes = 1000 - 70;
	workload->messages_max = messages;
	ends[0].config.nic.messages_max = 1;
	ends[1].config.nic.messages_max = messages;
	fabric_build();
	fabric_run(NODE_S);
	ck_assert_uint_eq(ends[1].stats->message_count, messages);
	for (uint32_t i = 0; i < messages; i++) {
		ck_assert_uint_eq(stats_message(ends[1].stats, i)->start_ps, i * gap_ps);
		ck_assert_uint_eq(stats_message(ends[1].stats, i)->end_ps,
				  LEAD_PS + (i + 1) * packet_ps(1000) - GAP_BYTES * BYTE_PS);
	}
	fabric_check();
	fabric_free();
}

/* TB-13: what waits in a NIC on average, also of what still waits when the measured interval
 * ends */
TEST(nic_run__queue_mean)
{
	const node_time_t from_ps = packet_ps(PACKET_BYTES),
			  to_ps = 11 * packet_ps(PACKET_BYTES) / 2;
	uint64_t byte_ps = 0;

	ends[0].workloads[0].messages_max = 1;
	ends[0].config.measure_from_ps = from_ps;
	ends[0].config.measure_to_ps = to_ps;
	fabric_build();
	fabric_run(NODE_MS);
	/* the i-th packet waits until all before it have been sent */
	for (uint32_t i = 2; i < 10; i++)
		byte_ps += CAPACITY_BYTES *
			   (node_time_min(i * packet_ps(PACKET_BYTES), to_ps) - from_ps);
	ck_assert_uint_eq(stats_port(ends[0].stats, 0)->queue_byte_ns_sum, byte_ps / NODE_NS);
	fabric_check();
	fabric_free();
}

/* TB-12: five destinations in turn share the link evenly */
TEST(nic_run__round_robin)
{
	ends[0].workloads[0].destination = DESTINATION_ROUND_ROBIN;
	ends[0].workloads[0].destination_count = 5;
	ends[0].workloads[0].window = 5;
	fabric_build();
	fabric_run(200 * NODE_US);
	ck_assert_uint_eq(ends[0].stats->flow_tx_count, 5);
	for (uint32_t i = 1; i < 5; i++) {
		ck_assert_uint_eq(stats_flow_tx(ends[0].stats, i)->destination, i + 1);
		ck_assert_uint_le(stats_flow_tx(ends[0].stats, i)->packets,
				  stats_flow_tx(ends[0].stats, 0)->packets);
		ck_assert_uint_ge(stats_flow_tx(ends[0].stats, i)->packets + 1,
				  stats_flow_tx(ends[0].stats, 0)->packets);
	}
	/* host 1 takes only its own */
	ck_assert_uint_gt(ends[1].stats->drops[DROP_UNKNOWN_FLOW], 0);
	ck_assert_uint_eq(ends[1].stats->flow_rx_count, 1);
	fabric_free();
}

TEST(nic_run__flow_table_full)
{
	ends[0].workloads[0].destination = DESTINATION_ROUND_ROBIN;
	ends[0].workloads[0].destination_count = 5;
	ends[0].workloads[0].arrival = ARRIVAL_BURST;
	ends[0].workloads[0].burst_messages = 10;
	ends[0].config.nic.flows_max = 2;
	fabric_build();
	fabric_run(NODE_S);
	ck_assert_uint_eq(ends[0].stats->flow_tx_count, 2);
	ck_assert_uint_eq(ends[0].stats->drops[DROP_FLOW_TABLE_FULL], 6);
	ck_assert_uint_eq(ends[0].stats->injected_packets, 4 * 10);
	fabric_free();
}

/* FC-19: a class with a quarter of the link at most gets that, even when nobody else sends; the
 * other gets the rest */
TEST(nic_run__class_maximum)
{
	uint64_t limited, other;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].config.class_count = 2;
	ends[0].config.classes[1].max_permille = 250;
	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[0].stop_ps = 200 * NODE_US;
	ends[0].workloads[1].traffic_class = 1;
	fabric_build();
	fabric_run(200 * NODE_US);
	other = stats_flow_tx(ends[0].stats, 0)->bytes;
	limited = stats_flow_tx(ends[0].stats, 1)->bytes;
	ck_assert_uint_ge(limited * 1000 / (limited + other), 245);
	ck_assert_uint_le(limited * 1000 / (limited + other), 260);
	ck_assert_uint_ge(stats_port(ends[0].stats, 0)->tx_busy_ps, 199 * NODE_US);
	fabric_run(400 * NODE_US);
	ck_assert_uint_ge((stats_flow_tx(ends[0].stats, 1)->bytes - limited) * 8, 195 * 50000);
	ck_assert_uint_le((stats_flow_tx(ends[0].stats, 1)->bytes - limited) * 8, 205 * 50000);
	fabric_free();
}

/* FC-19: the shares of classes follow a link that gets another rate: a quarter of it at most, of
 * 200 Gb/s, then of 80 Gb/s */
TEST(nic_link_set__class_maximum)
{
	uint64_t before;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].config.class_count = 2;
	ends[0].config.classes[1].max_permille = 250;
	ends[0].workloads[0].traffic_class = 1;
	fabric_build();
	fabric_run(100 * NODE_US);
	before = stats_flow_tx(ends[0].stats, 0)->bytes;
	ck_assert_uint_ge(before * 8, 97 * 50000); /* 50 Gb/s */
	ck_assert_uint_le(before * 8, 103 * 50000);
	ends[0].port.rate_bps = 80000000000;
	link_set(&ends[0].link, &ends[0].port);
	nicd_ops.link_set(ends[0].nic, 0);
	fabric_run(150 * NODE_US); /* what was allowed at once before is gone by now */
	before = stats_flow_tx(ends[0].stats, 0)->bytes;
	fabric_run(250 * NODE_US);
	/* 20 Gb/s */
	ck_assert_uint_ge((stats_flow_tx(ends[0].stats, 0)->bytes - before) * 8, 97 * 20000);
	ck_assert_uint_le((stats_flow_tx(ends[0].stats, 0)->bytes - before) * 8, 103 * 20000);
	fabric_free();
}

/* ---- stop and losses ---- */

/* TB-13: what the peer does not take waits at its sender, lossless, and the wait is measured */
TEST(nic_run__stops)
{
	const struct port_stats *port;

	ends[0].workloads[0].messages_max = 50;
	fabric_build();
	for (uint32_t i = 0; i < 4; i++) {
		fabric_run((10 * i + 5) * NODE_US);
		link_hold(&ends[1].link, 0, !(i % 2));
		link_send_words(&ends[1].link, (10 * i + 5) * NODE_US, false);
		ck_assert(!link_words_due(&ends[1].link));
	}
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	port = stats_port(ends[0].stats, 0);
	ck_assert_uint_eq(ends[1].stats->message_count, 50);
	ck_assert_uint_ge(port->paused_ps, 2 * 9 * NODE_US);
	ck_assert_uint_le(port->paused_ps, 2 * 10 * NODE_US);
	/* whatever passed between the first and the last packet was sending or waiting */
	ck_assert_uint_eq(port->tx_busy_ps + port->paused_ps,
			  stats_flow_rx(ends[1].stats, 0)->last_ps - LEAD_PS + GAP_BYTES * BYTE_PS);
	fabric_check();
	fabric_free();
}

/* runs until @limit; how many packets have come by then? */
static uint64_t received_at(node_time_t limit)
{
	fabric_run(limit);
	return ends[1].stats->delivered_packets;
}

/* EC-4: host 1 pauses its link from 10 us on for 10 us of every 20 us, until 50 us. What was under
 * way when it said so still comes, then nothing until a round trip after the end; nothing is
 * lost. */
TEST(nic_run__pauses)
{
	struct pause_config pause = { .start_ps = 10 * NODE_US,
				      .stop_ps = 50 * NODE_US,
				      .every_ps = 20 * NODE_US,
				      .for_ps = 10 * NODE_US,
				      .classes = 1 };
	const struct port_stats *port;
	uint64_t before, after;

	ends[1].config.nic.pause_count = 1;
	ends[1].config.nic.pauses = &pause;
	ends[0].workloads[0].stop_ps = 100 * NODE_US;
	fabric_build();
	port = stats_port(ends[0].stats, 0);
	for (node_time_t at = 10 * NODE_US; at < 50 * NODE_US; at += 20 * NODE_US) {
		before = received_at(at);
		after = received_at(at + NODE_US);
		ck_assert_uint_gt(before, 0);
		ck_assert_uint_gt(after, before); /* what was under way */
		/* as the real clock does after every turn: no host is attached, so nothing
		 * changes */
		nicd_ops.host_deliver(ends[1].nic, at + NODE_US);
		ck_assert_uint_eq(received_at(at + 10 * NODE_US + 2 * LEAD_PS), after);
		ck_assert_uint_gt(received_at(at + 12 * NODE_US), after);
	}
	before = received_at(60 * NODE_US);
	ck_assert_uint_ge(received_at(70 * NODE_US),
			  before + 10 * NODE_US / packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_ge(port->paused_ps, 2 * 9 * NODE_US);
	ck_assert_uint_le(port->paused_ps, 2 * 10 * NODE_US);
	ck_assert_uint_eq(ends[1].stats->message_count * 10, ends[0].stats->injected_packets);
	fabric_check();
	fabric_free();
}

/* ---- FGFC (EC-15 ... EC-17): end 1 plays the edge switch ---- */

#define PAUSE_PS (100 * NODE_US)
#define PACKET_UNITS (PACKET_BYTES / UNIT_BYTES)

/* two closed loops to host 1: flows 0 and 1 */
static void two_flows(void)
{
	ends[0].config.nic.workload_count = 2;
	fabric_build();
}

/* end 1 names flow @slot of host 0 under @match */
static void fgfc_send(uint32_t slot, uint32_t match, node_time_t now, node_time_t pause_ps,
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

static uint64_t sent(uint32_t slot)
{
	return stats_flow_tx(ends[0].stats, slot)->packets;
}

static const struct port_stats *sender_port(void)
{
	return stats_port(ends[0].stats, 0);
}

/* one flow is held, the other has the whole link; then they share it again */
TEST(nic_fgfc__others_at_full_rate)
{
	uint64_t before;

	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(PAUSE_PS);
	ck_assert_uint_eq(sender_port()->fgfc_frames, 1);
	ck_assert_uint_eq(sender_port()->fgfc_held, 1);
	ck_assert_uint_le(sent(0), 2); /* before it came */
	ck_assert_uint_ge((sent(0) + sent(1)) * packet_ps(PACKET_BYTES), PAUSE_PS);
	ck_assert_uint_eq(sender_port()->paused_ps, 0);
	before = sent(1);
	fabric_run(3 * PAUSE_PS);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
	ck_assert_uint_ge(sent(0) * 2 * packet_ps(PACKET_BYTES) + NODE_US, 2 * PAUSE_PS);
	ck_assert_uint_ge((sent(1) - before) * 2 * packet_ps(PACKET_BYTES) + NODE_US, 2 * PAUSE_PS);
	ck_assert_uint_eq(stats_flow_rx(ends[1].stats, 0)->reordered +
				  stats_flow_rx(ends[1].stats, 1)->reordered,
			  0);
	fabric_free();
}

/* so much of it, and the packet that takes the last unit */
TEST_RANGE(nic_fgfc__credit, 0, 4)
{
	static const uint32_t packets[] = { 1, 1, 2, 3 };
	static const uint32_t credit[] = { 1, PACKET_UNITS, PACKET_UNITS + 1, 3 * PACKET_UNITS };
	uint64_t before;

	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	before = sent(0);
	fgfc_send(0, MATCH_ALL, 10 * NODE_US, PAUSE_PS, credit[_i]);
	fabric_run(100 * NODE_US);
	ck_assert_uint_eq(sent(0) - before, packets[_i]);
	ck_assert_uint_eq(sender_port()->fgfc_held, 1);
	fabric_free();
}

TEST(nic_fgfc__end_frame)
{
	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	ck_assert_uint_le(sent(0), 2);
	fgfc_send(0, MATCH_ALL, 10 * NODE_US, 0, 0);
	fabric_run(20 * NODE_US);
	ck_assert_uint_ge(sent(0), 20);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
	fgfc_send(0, MATCH_ALL, 20 * NODE_US, 0, 0); /* once more: nothing to end */
	fabric_run(21 * NODE_US);
	ck_assert_uint_eq(sender_port()->fgfc_frames, 3);
	fabric_free();
}

/* one that has nothing to send is held all the same, and both flows of a group share its credit */
TEST(nic_fgfc__group)
{
	uint64_t before;

	ends[0].workloads[1].start_ps = 5 * NODE_US;
	two_flows();
	fgfc_send(0, MATCH_IP_PAIR, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	before = sent(0);
	ck_assert_uint_le(before, 3);
	ck_assert_uint_eq(sent(1), 0);
	for (uint32_t i = 0; i < 4; i++) {
		fgfc_send(0, MATCH_IP_PAIR, (10 + 2 * i) * NODE_US, PAUSE_PS, PACKET_UNITS);
		fabric_run((12 + 2 * i) * NODE_US);
	}
	ck_assert_uint_eq(sent(0) - before, 2);
	ck_assert_uint_eq(sent(1), 2);
	fabric_free();
}

/* there is room for two: the third runs free, the two stay held */
TEST(nic_fgfc__table_full)
{
	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fgfc_send(9, MATCH_ALL, 0, PAUSE_PS, 0);
	fgfc_send(1, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(50 * NODE_US);
	ck_assert_uint_eq(sender_port()->fgfc_refused, 1);
	ck_assert_uint_eq(sender_port()->fgfc_held, 2);
	ck_assert_uint_le(sent(0), 3);
	ck_assert_uint_ge(sent(1), 250);
	fabric_free();
}

TEST(nic_fgfc__malformed)
{
	uint8_t bytes[FGFC_FRAME_BYTES] = { 0 };

	two_flows();
	link_send_fgfc(&ends[1].link, 0, bytes, sizeof(bytes));
	link_send_fgfc(&ends[1].link, 0, bytes, 60);
	fabric_run(10 * NODE_US);
	ck_assert_uint_eq(ends[0].stats->drops[DROP_MALFORMED], 2);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
	fabric_free();
}

/* FC-17: every loss on a guarded link is reported to the NIC that sent the packet, the last one
 * too; nothing stalls */
TEST_RANGE(nic_run__losses_are_reported, 1, 20)
{
	for (uint32_t i = 0; i < 2; i++) {
		ends[i].port.guarded = true;
		ends[i].port.loss_ppb = 50000000;
	}
	ends[0].workloads[0].messages_max = 500;
	ends[0].config.seed = (uint64_t)_i;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->injected_packets, 5000);
	ck_assert_uint_gt(stats_port(ends[0].stats, 0)->lost_packets, 150);
	ck_assert_uint_eq(stats_flow_tx(ends[0].stats, 0)->reported_lost,
			  stats_port(ends[0].stats, 0)->lost_packets);
	ck_assert_uint_le(stats_flow_rx(ends[1].stats, 0)->lost,
			  stats_port(ends[0].stats, 0)->lost_packets);
	ck_assert_uint_eq(stats_flow_rx(ends[1].stats, 0)->reordered, 0);
	ck_assert_uint_lt(ends[1].stats->message_count, 500);
	ck_assert_uint_gt(ends[1].stats->message_count, 100);
	fabric_check();
	fabric_free();
}

/* TB-23: frames of a kind that a NIC never gets, and nonsense, are counted */
TEST(nic_run__bad_frames)
{
	uint8_t ack_frame[64] = { 0 };

	ends[0].config.nic.workload_count = 0;
	fabric_build();
	link_send_acks(&ends[0].link, 0, ack_frame, sizeof(ack_frame), 60);
	memset(link_send_packet(&ends[0].link, 0, 104, 100, 100, 0, 0), 0xff, 100);
	memset(link_send_packet(&ends[0].link, 0, 9224, 9000, 9220, 0, 0), 0xff, 9000);
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_MALFORMED], 2);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_OVERSIZE], 1);
	ck_assert_uint_eq(ends[1].stats->delivered_packets, 0);
	fabric_free();
}

/* ---- attached hosts, real clock ---- */

#define HOST_BYTES (64u << 20)
#define HOST_QUEUES 2u

static node_time_t real_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec) * NODE_NS;
}

/* one turn of both NICs, as pace.c takes it */
static void real_turn(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		node_time_t now = real_now();

		nicd_ops.host_receive(ends[i].nic, &(uint32_t){ (1u << HOST_QUEUES) - 1 }, now);
		link_refresh(&ends[i].link, 0);
		nicd_ops.run(ends[i].nic, now + 1);
		link_flush(&ends[i].link, &(bool){ 0 });
		if (!ends[i].link.down)
			ring_release(&ends[i].link.rx);
		nicd_ops.host_deliver(ends[i].nic, now);
	}
}

static void real_setup(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		ends[i].config.clock = CLOCK_REAL;
		ends[i].config.nic.host_queues = HOST_QUEUES;
		ends[i].port.rate_bps = 10000000000ull;
		ends[i].port.mtu_bytes = 1514;
	}
	ends[0].config.nic.workload_count = 0;
	fabric_build();
}

static uint8_t pattern(uint64_t i)
{
	return (uint8_t)(i * 7 + i / 4093);
}

/* Host 1 takes what host 0 sends and compares it. Return: exit status */
static int host_talk(uint32_t host)
{
	static uint8_t bytes[1 << 16];
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(5001) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	uint64_t at = 0;

	inet_pton(AF_INET, "10.9.0.2", &address.sin_addr);
	if (host) {
		if (bind(fd, (void *)&address, sizeof(address)) || listen(fd, 1) ||
		    (fd = accept(fd, NULL, NULL)) < 0)
			return 1;
		for (ssize_t got; (got = read(fd, bytes, sizeof(bytes))) > 0;)
			for (ssize_t i = 0; i < got; i++)
				if (bytes[i] != pattern(at++))
					return 2;
		return at == HOST_BYTES ? 0 : 3;
	}
	for (int tries = 0; connect(fd, (void *)&address, sizeof(address)); tries++) {
		if (tries == 50)
			return 4;
		usleep(100000);
	}
	while (at < HOST_BYTES) {
		for (uint32_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = pattern(at + i);
		for (size_t sent = 0; sent < sizeof(bytes);) {
			ssize_t more = write(fd, bytes + sent, sizeof(bytes) - sent);

			if (more < 0)
				return 5;
			sent += (size_t)more;
		}
		at += sizeof(bytes);
	}
	return 0;
}

/* a process in a network namespace of its own, which is given h0 or h1 */
static pid_t host_start(uint32_t host)
{
	char command[128], byte;
	int ready[2], go[2];
	pid_t pid;

	ck_assert(!pipe(ready) && !pipe(go));
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNET) || write(ready[1], "r", 1) != 1 ||
		    read(go[0], &byte, 1) != 1)
			_exit(9);
		snprintf(command, sizeof(command),
			 "ip addr add 10.9.0.%u/24 dev h%u && ip link set h%u up", host + 1, host,
			 host);
		_exit(system(command) ? 9 : host_talk(host));
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	snprintf(command, sizeof(command), "ip link set h%u netns %d", host, (int)pid);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(write(go[1], "g", 1), 1);
	return pid;
}

static int packet_socket(uint32_t host)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL)), on = 1;
	int fanout = (int)(host + 1) | PACKET_FANOUT_HASH << 16;
	char name[16];

	snprintf(name, sizeof(name), "f%u", host);
	address.sll_ifindex = (int)if_nametoindex(name);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &(int){ 8 << 20 }, sizeof(int));
	ck_assert_int_eq(bind(fd, (void *)&address, sizeof(address)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof(fanout)), 0);
	return fd;
}

/* TB-15: TCP between two namespaces over two NICs, 64 MiB, every byte compared; two thirds of the
 *  way the link is pulled out for a moment and plugged in again */
TEST(nic_host__tcp_over_veth)
{
	pid_t pids[2];
	int status, fds[HOST_QUEUES];
	uint32_t left = 2;
	bool pulled = false;
	node_time_t until = real_now() + 60 * NODE_S;

	if (geteuid() || unshare(CLONE_NEWNET) ||
	    system("ip link add f0 type veth peer name h0 2>/dev/null"))
		return; /* needs root and iproute2 */
	ck_assert_int_eq(system("ip link add f1 type veth peer name h1; ip link set f0 up; ip link "
				"set f1 up"),
			 0);
	real_setup();
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t q = 0; q < HOST_QUEUES; q++)
			fds[q] = packet_socket(i);
		ck_assert_int_eq(nicd_ops.host_open(ends[i].nic, fds, HOST_QUEUES), 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		pids[i] = host_start(!i);
	while (left && real_now() < until) {
		for (uint32_t i = 0; i < 1000; i++)
			real_turn();
		if (!pulled && ends[1].stats->delivered_bytes > HOST_BYTES / 3 * 2) {
			pulled = true;
			for (uint32_t i = 0; i < 2; i++)
				nicd_ops.link_down(ends[i].nic, 0, real_now());
			for (uint32_t i = 0; i < 1000; i++)
				real_turn();
			for (uint32_t i = 0; i < 2; i++) {
				memset(rings[i], 0, ring_bytes(RING_DATA_BYTES));
				ring_init(rings[i], RING_DATA_BYTES);
			}
			for (uint32_t i = 0; i < 2; i++) {
				size_t size = ring_bytes(RING_DATA_BYTES);

				link_fini(&ends[i].link);
				ck_assert_int_eq(link_init(&ends[i].link, &ends[i].config, 0,
							   rings[i], size, rings[!i], size,
							   ends[i].stats),
						 0);
				nicd_ops.link_up(ends[i].nic, 0, real_now());
			}
		}
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			ck_assert_int_eq(status, 0);
			left--;
		}
	}
	for (uint32_t i = 0; left && i < 2; i++)
		kill(pids[i], SIGKILL);
	ck_assert_uint_eq(left, 0);
	ck_assert(pulled);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(ends[i].stats->injected_packets, ends[i].stats->host_tx_packets);
		ck_assert_uint_eq(ends[i].stats->delivered_packets, ends[i].stats->host_rx_packets);
		ck_assert_uint_eq(ends[i].stats->drops[DROP_MALFORMED] +
					  ends[i].stats->drops[DROP_OVERSIZE],
				  0);
		ck_assert_uint_eq(ends[i].stats->drops[DROP_BUFFER_OVERFLOW] +
					  ends[i].stats->drops[DROP_RING_FULL],
				  0);
	}
	fabric_free();
}

/* ---- the whole ---- */

/* TB-7: two runs leave the same statistics, byte for byte */
TEST(nic_run__same_seed_same_bytes)
{
	size_t size = stats_bytes(&ends[1].config);
	void *first = malloc(size);

	for (uint32_t i = 0; i < 2; i++) {
		ends[i].port.guarded = true;
		ends[i].port.loss_ppb = 1000000;
	}
	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[0].arrival = ARRIVAL_POISSON;
	ends[0].workloads[0].load_permille = 600;
	ends[0].workloads[1].arrival = ARRIVAL_BURST;
	ends[0].workloads[1].burst_messages = 3;
	ends[0].workloads[1].burst_period_ps = 20 * NODE_US;
	fabric_build();
	fabric_run(500 * NODE_US);
	ck_assert_uint_gt(ends[1].stats->message_count, 100);
	memcpy(first, ends[1].stats, size);
	fabric_free();
	fabric_build();
	fabric_run(500 * NODE_US);
	ck_assert_mem_eq(first, ends[1].stats, size);
	fabric_free();
	free(first);
}

TEST(nic_run__nothing_to_do)
{
	ends[0].config.nic.workload_count = 0;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->events, 0);
	fabric_free();
}

/* ---- show and set (TB-6, TB-9) ---- */

static char *shown(const char *table, int port, int expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(nicd_ops.show(ends[0].nic, table, port, 0, out), expected);
	fclose(out);
	return text;
}

TEST(nic_show__tables)
{
	static const char *const tables[] = { "flows", "received", "workloads", "fgfc" };
	char *text;

	fabric_build();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 5);
	fabric_run(20 * NODE_US);
	for (uint32_t i = 0; i < 4; i++) {
		text = shown(tables[i], -1, 0);
		ck_assert_ptr_nonnull(strchr(text, '\n'));
		free(text);
	}
	text = shown("flows", 0, 0);
	ck_assert_ptr_nonnull(strstr(text, "first"));
	ck_assert_ptr_nonnull(strstr(text, "bulk"));
	free(text);
	text = shown("fgfc", 0, 0);
	ck_assert_ptr_nonnull(strstr(
		text,
		"ipv4 class 0 from 02:48:00:00:00:01 to 02:48:00:00:00:02 10.0.0.1 > 10.0.0.2 "
		"protocol 17 ports 49152 > 18432\n"));
	free(text);
	free(shown("flows", 1, -EINVAL));
	text = shown("ifct", 0, -ENOENT);
	ck_assert_str_eq(text, "flows received workloads fgfc\n");
	free(text);
	fabric_free();
}

TEST(nic_set__load)
{
	static const char *const bad[] = {
		"", "0", "-5", "x", "12x", "10001", "99999999999999999999"
	};
	FILE *out = fopen("/dev/null", "w");

	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[1].arrival = ARRIVAL_POISSON;
	ends[0].workloads[1].load_permille = 100;
	fabric_build();
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.second.load", "500", out), 0);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.first.load", "500", out), -EINVAL);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.third.load", "500", out), -ENOENT);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.second.load", bad[i], out),
				 -EINVAL);
	fclose(out);
	fabric_free();
}
