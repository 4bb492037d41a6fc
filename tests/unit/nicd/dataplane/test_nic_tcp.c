/*  nicd/dataplane with TCP connections, two NICs back to back as two_nics.h draws them (RC-6). */
#include "nicd/transport/queue_pair.h"
#include "nicd/transport/tcp_sender.h"
#include "nodes/base/random.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/tcp_frame.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define CAPACITY_BYTES (1000 - 82)

static void setup(void)
{
	two_setup();
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t w = 0; w < TWO_WORKLOADS; w++) {
			two[i].workloads[w].frame = FRAME_TCP;
			two[i].workloads[w].transport = TRANSPORT_TCP;
		}
}

/* everything has arrived, and no segment waits for one before it */
static void check_delivered(uint32_t flows, uint64_t messages)
{
	two_check_delivered(flows, messages);
	ck_assert_uint_eq(two[1].nic->tcp_receiver.pool.count, 0);
	ck_assert_uint_eq(two[1].stats->inside_bytes, 0);
}

TEST_GROUP(nic_tcp, .setup = setup, .timeout_s = 120);

/* RC-6: the next message of a closed loop starts when the previous one is acknowledged; every
 * segment is acknowledged */
TEST(nic_tcp__completion_at_the_ack)
{
	const node_time_t packets_ps = (10 * (1000 + 24) - TWO_GAP_BYTES) * TWO_BYTE_PS,
			  ack_ps = (60 + 4) * TWO_BYTE_PS;
	const node_time_t overhead_ps = 2 * 1000 * TWO_BYTE_PS;
	node_time_t end_ps, start_ps;

	two[0].workloads[0].message_bytes = 10 * CAPACITY_BYTES;
	two[0].workloads[0].messages_max = 2;
	two_build();
	ck_assert_uint_eq(two_run(NODE_S), NODE_TIME_NEVER);
	check_delivered(1, 2);
	end_ps = stats_message(two[1].stats, 0)->end_ps;
	start_ps = stats_message(two[1].stats, 1)->start_ps;
	ck_assert_uint_ge(end_ps, packets_ps + TWO_LEAD_PS);
	/* of the first packet, and of an ACK */
	ck_assert_uint_le(end_ps, packets_ps + TWO_LEAD_PS + 2 * overhead_ps);
	ck_assert_uint_eq(start_ps, end_ps + TWO_LEAD_PS + ack_ps);
	ck_assert_uint_eq(two_tx(0)->packets, 20);
	ck_assert_uint_eq(two_tx(0)->resent + two_tx(0)->timeouts + two_tx(0)->naks, 0);
	ck_assert_uint_eq(two[1].stats->injected_packets, 20);
	two_free();
}

/* RC-6: packets that waited are delayed by up to two full packets on the link as it is now, a
 * thousand times slower than when the NIC started */
TEST(nic_tcp__overhead_follows_the_rate_of_the_link)
{
	const node_time_t before_ps = 2 * 1000 * TWO_BYTE_PS;
	node_time_t delayed_ps;

	two_build();
	two[0].port.rate_bps = TWO_RATE_BPS / 1000;
	link_set(&two[0].link, &two[0].port);
	nicd_ops.link_set(two[0].nic, 0);
	two_run(NODE_NS);
	delayed_ps = two[0].nic->transport.flows[0].pace_at_ps;
	ck_assert_uint_gt(delayed_ps, before_ps);
	ck_assert_uint_le(delayed_ps, 1000 * 2 * (uint64_t)TWO_FRAME_BYTES * TWO_BYTE_PS);
	two_free();
}

/* RC-6: windows grow until the link is full, and the connections share it */
TEST(nic_tcp__fills_and_shares)
{
	two[0].workloads[0].connections = 2;
	two[0].workloads[0].message_bytes = 1ull << 35;
	two_build();
	two_run(NODE_MS);
	ck_assert_uint_ge(stats_port(two[0].stats, 0)->tx_busy_ps, 950 * NODE_US);
	ck_assert_uint_ge(two_tx(0)->packets + 20, two_tx(1)->packets);
	ck_assert_uint_le(two_tx(0)->packets, two_tx(1)->packets + 20);
	ck_assert_uint_gt(two_tx(0)->window_bytes_max, 10 * CAPACITY_BYTES);
	ck_assert_uint_eq(two_tx(0)->resent + two_tx(1)->resent, 0);
	two_free();
}

/* RC-6: up to a twentieth of all frames is lost in both directions, data and ACKs. Everything
 * arrives exactly once and in order. */
TEST_RANGE(nic_tcp__lossy_link_exactly_once, 0, 16)
{
	struct random random;

	random_init(&random, 2000 + (uint64_t)_i, 0);
	for (uint32_t i = 0; i < 2; i++) {
		two[i].config.seed = 100 + 2 * (uint64_t)_i + i;
		two[i].port.loss_ppb = (uint32_t)random_below(&random, 50000000);
		two[i].config.roce.tcp.rto_min_ps = 20 * NODE_US;
		two[i].config.roce.tcp.initial_packets = 1 + (uint32_t)random_below(&random, 20);
		two[i].config.roce.tcp.window_packets_max = 1 + (uint32_t)random_below(&random, 50);
	}
	two[0].workloads[0].connections = 1 + (uint32_t)random_below(&random, 5);
	two[0].workloads[0].window = 1 + (uint32_t)random_below(&random, 4);
	two[0].workloads[0].message_bytes = 1 + random_below(&random, 40000);
	two[0].workloads[0].messages_max = 200;
	two[1].config.nic.workload_count = (uint32_t)_i & 1; /* in the other direction, too */
	two[1].workloads[0].messages_max = 100;
	two_build();
	ck_assert_uint_eq(two_run(NODE_TIME_NEVER - 1), NODE_TIME_NEVER);
	check_delivered(two[0].workloads[0].connections, 200);
	if (_i & 1)
		ck_assert_uint_eq(stats_flow_rx(two[0].stats, 0)->messages, 100);
	two_free();
}

/* A loss is repaired by fast retransmit, without a timeout: only the lost packet is sent again. */
TEST(nic_tcp__loss_is_repaired_by_fast_retransmit)
{
	two[0].port.loss_ppb = 1000000; /* one in a thousand */
	two[0].workloads[0].message_bytes = 1ull << 35;
	two[0].workloads[0].messages_max = 1;
	two_build();
	two_run(2 * NODE_MS);
	ck_assert_uint_gt(stats_port(two[0].stats, 0)->lost_packets, 5);
	ck_assert_uint_gt(two_tx(0)->naks, 3);
	ck_assert_uint_eq(two_tx(0)->timeouts, 0);
	ck_assert_uint_le(two_tx(0)->resent, stats_port(two[0].stats, 0)->lost_packets);
	ck_assert_uint_gt(two_rx(0)->out_of_order, 0);
	ck_assert_uint_eq(two_rx(0)->lost + two_rx(0)->reordered + two_rx(0)->duplicates, 0);
	two_free();
}

/* RFC 3168: data is ECN-capable if the configuration says so, ACKs never are */
TEST_RANGE(nic_tcp__only_data_is_ecn_capable, 0, 2)
{
	const uint8_t *bytes;
	struct record header;

	two[0].config.roce.tcp.ecn = _i;
	two_build();
	two_run(TWO_LEAD_PS);
	ring_refresh(&two[1].link.rx.ring);
	bytes = ring_peek(&two[1].link.rx.ring, &header);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(ecn_read(bytes, header.captured_bytes), _i ? 2 : 0);
	two_run(TWO_LEAD_PS + 200 * NODE_NS); /* it has arrived, and its ACK is in flight */
	ring_refresh(&two[0].link.rx.ring);
	bytes = ring_peek(&two[0].link.rx.ring, &header);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(header.captured_bytes, FRAME_BYTES_MIN);
	ck_assert_uint_eq(ecn_read(bytes, header.captured_bytes), 0);
	two_free();
}

/* RC-6, RC-4: a connection and a queue pair, each in its class, get the shares of their classes */
TEST(nic_tcp__shares_the_link_with_a_queue_pair)
{
	two[0].config.classes[0].min_permille = 750;
	two[0].config.classes[1].min_permille = 250;
	two[0].config.nic.workload_count = 2;
	two[0].workloads[0].message_bytes = two[0].workloads[1].message_bytes = 1ull << 35;
	two[0].workloads[1].frame = FRAME_ROCE;
	two[0].workloads[1].transport = TRANSPORT_RC;
	two[0].workloads[1].traffic_class = 1;
	two_build();
	two_run(500 * NODE_US);
	for (uint32_t i = 0; i < 2; i++) {
		const struct flow_tx_stats *flow = two_tx(i);
		uint64_t permille = flow->bytes * 1000 / (two_tx(0)->bytes + two_tx(1)->bytes);

		ck_assert_uint_ge(permille, flow->traffic_class ? 230 : 730);
		ck_assert_uint_eq(flow->resent, 0);
	}
	two_free();
}

/* forged frames are dropped and counted, or received without harm */
TEST_RANGE(nic_tcp__forged_frames_are_harmless, 0, 10)
{
	struct random random;

	random_init(&random, 3000 + (uint64_t)_i, 0);
	two[0].workloads[0].messages_max = 50;
	two[0].workloads[0].message_bytes = 100000;
	two_build();
	for (uint32_t i = 0; i < 300; i++) {
		struct tcp_ack ack = {
			.source = 1 - (uint32_t)random_below(&random, 2),
			.destination = 0,
			.flow = (uint32_t)random_below(&random, 3),
			.fields = { .acknowledgement = (uint32_t)random_next(&random),
				    .flags = TCP_FLAG_ACK },
		};
		uint8_t frame[FRAME_BYTES_MIN], *bytes;

		tcp_ack_write(&ack, frame);
		frame[random_below(&random, sizeof(frame))] ^= (uint8_t)random_below(&random, 256);
		two_run(two_now + NODE_US);
		if (two_now == NODE_TIME_NEVER)
			break;
		two_now = node_time_max(two_now, two[1].link.tx.busy_until_ps);
		bytes = link_send_packet(&two[1].link, two_now, sizeof(frame) + 4, sizeof(frame),
					 sizeof(frame), 0, SEND_NONE);
		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, frame, sizeof(frame));
		link_flush(&two[1].link, &(bool){ 0 });
	}
	two_run(NODE_S);
	ck_assert_uint_eq(two_rx(0)->messages, 50);
	ck_assert_uint_eq(two_rx(0)->lost + two_rx(0)->reordered, 0);
	two_free();
}

/* a segment of host 1's stream that host 1 has not sent */
static void forge(uint32_t sequence, uint32_t frame_bytes)
{
	struct frame_spec spec = { .kind = FRAME_TCP,
				   .destination = 1,
				   .frame_bytes = frame_bytes };
	struct frame_payload payload = { .message_bytes = 1000, .message_first = true };
	struct tcp_fields fields = { .sequence = sequence, .flags = TCP_FLAG_ACK };
	uint32_t captured = frame_headers_bytes(FRAME_TCP);
	uint8_t bytes[FRAME_HEADERS_MAX];

	frame_write(&spec, &payload, bytes);
	tcp_fields_write(&fields, bytes);
	memcpy(link_send_packet(&two[0].link, two_now, frame_bytes + FRAME_FCS_BYTES, captured,
				frame_bytes, 0, 0),
	       bytes, captured);
	two_run(two_now + 10 * NODE_US);
}

/* TB-25: a segment that waits and is then covered by a longer one is removed from the books, too */
TEST(nic_tcp__covered_segments_are_released)
{
	two[0].config.nic.workload_count = 0;
	two_build();
	forge(200, 154);
	forge(300, 154);
	ck_assert_uint_eq(two[1].stats->inside_packets, 2);
	forge(0, 454);
	ck_assert_uint_eq(two[1].nic->tcp_receiver.pool.count, 0);
	ck_assert_uint_eq(two[1].stats->inside_packets + two[1].stats->inside_bytes, 0);
	ck_assert_uint_eq(two[1].stats->delivered_packets, 1);
	ck_assert_uint_eq(two[1].stats->drops[DROP_DUPLICATE], 2);
	two_free();
}

/* a packet of a queue pair in the same slot, which host 1 has not sent either */
static void forge_roce(void)
{
	struct frame_spec spec = { .kind = FRAME_ROCE,
				   .destination = 1,
				   .flow = QUEUE_PAIR_RELIABLE,
				   .frame_bytes = 100 };
	struct frame_payload payload = { .message_bytes = 1000,
					 .payload_bytes = 14,
					 .message_first = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);

	memcpy(link_send_packet(&two[0].link, two_now, 104, captured, 100, 0, 0), bytes, captured);
	two_run(two_now + 10 * NODE_US);
}

/* A slot is of one transport: frames of the other are dropped, and change nothing. _i: it is a
 * queue pair's */
TEST_RANGE(nic_tcp__slot_of_the_other_transport, 0, 2)
{
	two[0].config.nic.workload_count = 0;
	two_build();
	if (_i)
		forge_roce();
	else
		forge(0, 154);
	ck_assert_uint_eq(two_rx(0)->packets, 1);
	ck_assert_uint_eq(two[1].stats->drops[DROP_UNKNOWN_FLOW], 0);
	if (_i)
		forge(100, 154);
	else
		forge_roce();
	ck_assert_uint_eq(two[1].stats->drops[DROP_UNKNOWN_FLOW], 1);
	ck_assert_uint_eq(two_rx(0)->packets, 1);
	ck_assert_int_eq(two[1].nic->replies.responders[0].tcp, !_i);
	ck_assert_uint_eq(two[1].stats->delivered_packets, 1);
	ck_assert_uint_eq(two[1].stats->inside_packets, 0);
	two_free();
}

/* a segment that is longer than any frame for this host is of no flow */
TEST(nic_tcp__segment_too_long)
{
	two[0].port.mtu_bytes = two[1].port.mtu_bytes = 9216;
	two[0].config.nic.workload_count = 0;
	two_build();
	two[1].nic->receive.frame_bytes_max = 500;
	forge(0, 501);
	ck_assert_uint_eq(two[1].stats->drops[DROP_OVERSIZE], 1);
	ck_assert_uint_eq(two[1].stats->flow_rx_count, 0);
	ck_assert(!two[1].nic->replies.responders[0].open);
	forge(0, 500);
	ck_assert_uint_eq(two[1].stats->drops[DROP_OVERSIZE], 1);
	ck_assert_uint_eq(two_rx(0)->packets, 1);
	two_free();
}
