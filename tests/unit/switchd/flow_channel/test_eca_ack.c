/*  switchd/flow_channel: notification of endpoint congestion: ACKs of an egress queue, ACKs that an
 *  input rewrites, and ECN marks (EC-1 to EC-4, FC-12, FC-24). */
#include "nodes/wire/ecn_mark.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

TEST_GROUP(notified, .setup = setup, .teardown = teardown);

/* EC-1, EC-2, EC-3, EC-4: three packets queue at a host that pauses. Each request above the
 * threshold is notified at once, without acknowledging anything. The ACK of each packet that leaves
 * has the ECA of the queue, that packet included. On a guarded link it is sent once the packet has
 * arrived. */
TEST_RANGE(eca__at_enqueue_and_at_dequeue, 0, 2)
{
	node_time_t at[3];

	detect_above(16);
	acks_at_once();
	s.ports[0].guarded = _i;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		at[i] = switch_send(&s, 2, NODE_US, 0, 5, UNITS * i, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	ack_expect(2, 5, ACK_ECA, 16);
	ck_assert_uint_eq(got.header.at_ps, at[1] + ON_FABRIC * BYTE_PS + LEAD);
	ack_expect(2, 5, ACK_ECA, 32);
	ck_assert_uint_eq(got.header.at_ps, at[2] + ON_FABRIC * BYTE_PS + LEAD);
	no_ack_expect(2);
	ck_assert_uint_eq(ifct_total_extent(flow_at(2, 5)), 3 * UNITS);
	ck_assert_uint_eq(stats_of(0)->eca_acks, 2);
	ck_assert_uint_eq(stats_of(0)->eca_max, 32);
	ck_assert_uint_eq(stats_of(0)->eca_first_ps, at[1] + ON_FABRIC * BYTE_PS);
	neighbour_stop(&s, 0, 10 * NODE_US, 0);
	one_switch_run(&s, 20 * NODE_US);
	if (_i) {
		no_ack_expect(2);
		neighbour_send_word(&s, 0, 20 * NODE_US, LINK_WORD_SEEN, 0, 3);
		one_switch_run(&s, FAR);
		two_acks_expect(2, ACK_DELTA, UNITS, ACK_DELTA_ECA, 2 * UNITS);
	} else {
		ack_expect(2, 5, ACK_DELTA_ECA, UNITS);
		ack_expect(2, 5, ACK_DELTA_ECA, UNITS);
		ack_expect(2, 5, ACK_DELTA, UNITS);
	}
	no_ack_expect(2);
	ck_assert_uint_eq(stats_of(0)->delta_eca_acks, 2);
	all_released_expect();
}

/* EC-1: the queue of one class of a port is no congestion of another class */
TEST(eca__of_each_class)
{
	detect_above(16);
	s.config.class_count = 2;
	one_switch_open(&s);
	neighbour_stop(&s, 1, 0, 3);
	for (uint32_t i = 0; i < 2; i++)
		host_send(&s, 0, NODE_US, 1, i, 0, PACKET);
	host_send(&s, 0, NODE_US, 1, 7, 1, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->eca_acks, 1);
	ck_assert_uint_eq(flow_at(0, 1)->ep_congestion, 16);
	ck_assert_uint_eq(flow_at(0, 2)->ep_congestion, 0);
}

/* FC-12: ACKs that pass an input with a congested queue of the flow are sent on with its
 * congestion, if that is greater. The ECA that this switch stores does not change. */
TEST(inputs__acks_rewritten)
{
	uint32_t id;

	congestion()->inputs = true;
	congestion()->inputs_thresh_units = UNITS;
	congestion()->inputs_shift = 2;
	acks_at_once();
	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, PACKET);
	ack_arrive(3, NODE_US, id, ACK_ECA, 5); /* nothing is queued: unchanged */
	ack_expect(2, 9, ACK_ECA, 5);
	neighbour_stop(&s, 3, 3 * NODE_US, 1);
	for (uint32_t i = 1; i < 4; i++)
		switch_send(&s, 2, 4 * NODE_US, 4, 9, i * UNITS, PACKET);
	one_switch_run(&s, 6 * NODE_US);
	ck_assert_uint_eq(ifct_queue_extent(flow_at(2, 9)), 3 * UNITS);
	ack_arrive(3, 6 * NODE_US, id, ACK_ECA, 9);
	ack_expect(2, 9, ACK_ECA, 9);
	ack_arrive(3, 8 * NODE_US, id, ACK_ECA, 5);
	ack_expect(2, 9, ACK_ECA, 2 * UNITS / 4);
	ck_assert_uint_eq(flow_at(2, 9)->ep_congestion, 5);
	ack_arrive(3, 10 * NODE_US, id, ACK_DELTA, UNITS);
	two_acks_expect(2, ACK_ECA, 2 * UNITS / 4, ACK_DELTA_ECA, UNITS);
	ck_assert_uint_eq(flow_at(2, 9)->ep_congestion, 0);
	ck_assert_uint_eq(stats_of(2)->acks_rewritten, 2);
}

/* FC-24, [S2 fig. 6, 612]: a packet with CE makes its flow a source; _i: not if that is off (0) or
 * CE is not set (1) */
TEST_RANGE(ecn__makes_a_source, 0, 3)
{
	struct frame_spec spec = { .kind = FRAME_IPV4,
				   .source = 0,
				   .destination = 1,
				   .frame_bytes = 1000,
				   .ecn_capable = true };
	struct frame_payload payload = { .message_bytes = 900, .message_first = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);

	congestion()->ecn = _i;
	congestion()->ecn_eca = 7;
	one_switch_open(&s);
	if (_i != 1)
		ck_assert(ecn_mark(bytes, captured));
	neighbour_stop(&s, 1, 0, 1);
	neighbour_send_frame(&s, 0, NODE_NS, RECORD_PACKET, 1000 + FRAME_FCS_BYTES, 0, bytes,
			     captured);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(flow_at(0, 0)->ep_congestion, _i == 2 ? 7 : 0);
	ck_assert_uint_eq(stats_of(1)->ecn_packets, _i == 2);
	neighbour_stop(&s, 1, NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->delta_eca_acks, _i == 2);
	all_released_expect();
}
