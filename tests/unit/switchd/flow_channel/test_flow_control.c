/*  switchd/flow_channel/flow_control: a flow reacts to congestion at its input: settings, slow
 *  start, rate, extent and limit-after-ack, each to the picosecond (EC-5 to EC-8). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

TEST_GROUP(limits, .setup = setup, .teardown = teardown);

/* EC-5: at every IFCT of the path ACK_ECA selects the last setting that it reaches, ACK_DELTA_ECA
 * keeps it, ACK_DELTA clears it */
TEST_RANGE(setting__ack_eca_selects_delta_eca_keeps_delta_clears, 0, 2)
{
	uint32_t id;

	setting_last(1, 30, free_setting());
	setting_last(2, 60, free_setting());
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		flow_send(FROM, 0, i * UNITS, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t eca = ((const uint32_t[]){ 45, 255, 29, 59 })[i];

		ack_arrive(2, (2 + 2 * i) * NODE_US, id, ACK_ECA, eca);
		ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, eca);
		ck_assert_uint_eq(flow_at(FROM, FLOW)->setting,
				  ((const uint32_t[]){ 1, 2, 0, 1 })[i]);
		ck_assert_uint_eq(stats_of(FROM)->limited, 1);
		if (_i)
			ack_expect(3, 9, ACK_ECA, eca);
	}
	ck_assert_uint_eq(ifct_total_extent(flow_at(FROM, FLOW)), 3 * UNITS);
	ack_arrive(2, 10 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, 59);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->setting, 1);
	ack_arrive(2, 12 * NODE_US, id, ACK_DELTA, UNITS);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, 0);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->setting, 0);
	ck_assert_uint_eq(stats_of(FROM)->limited, 0);
	ack_arrive(2, 14 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* EC-1: a factor has 8 bits and is not 0: other values of a peer are dropped */
TEST_RANGE(setting__ack_eca_without_a_factor_is_refused, 0, 3)
{
	static const uint32_t values[] = { 0, ECA_MAX + 1, ACK_VALUE_MAX };
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_ECA, values[_i]);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 1);
	ck_assert_uint_eq(stats_of(0)->limited, 0);
	ck_assert_uint_eq(flow_at(0, 0)->ep_congestion, 0);
	ack_arrive(2, 3 * NODE_US, id, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-6: a new flow has half the bandwidth until its first ACK_DELTA; without slow start it has all
 * of it from the first packet on */
TEST_RANGE(slow_start__until_the_first_ack_delta, 0, 2)
{
	node_time_t full = (ON_FABRIC + GAP_BYTES) * BYTE_PS, first;
	struct congestion_setting half = free_setting();
	uint32_t id;

	half.rate_bps = 100000000000;
	setting_last(1, 200, half);
	congestion()->slow_start = _i;
	congestion()->slow_start_setting = 1;
	congestion()->rate_limit = true;
	one_switch_open(&s);
	first = host_send(&s, 0, 0, 2, 1, 0, PACKET) + (PACKET + FRAME_FCS_BYTES) * BYTE_PS + LEAD;
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect_at(2, PACKET, first);
	packet_expect_at(2, PACKET, first + (_i ? PACKET * 2 * BYTE_PS : full));
	id = header_of_packet(2).flow_id;
	ack_arrive(2, 2 * NODE_US, id, ACK_DELTA_ECA, UNITS / 2);
	ck_assert_uint_eq(flow_at(0, 0)->setting, _i);
	ack_arrive(2, 4 * NODE_US, id, ACK_DELTA, UNITS / 2);
	ck_assert_uint_eq(flow_at(0, 0)->setting, 0);
	first = host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET) +
		(PACKET + FRAME_FCS_BYTES) * BYTE_PS + LEAD;
	host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET);
	switch_send(&s, 3, 6 * NODE_US, 2, 9, 0, PACKET);
	one_switch_run(&s, 6 * NODE_US + 300 * NODE_NS);
	ck_assert_uint_eq(flow_at(3, 9)->setting, 0); /* slow start is for the ingress edge */
	one_switch_run(&s, 10 * NODE_US);
	packet_expect_at(2, PACKET, first);
	packet_expect_at(2, PACKET, first + full);
}

/* EC-5: at 50 Gb/s a byte takes 160 ps: a packet waits for the bytes of the one before it, whatever
 * its own length */
TEST_RANGE(rate__gaps_between_packets, 0, 2)
{
	static const uint32_t bytes[] = { 4096, 1000, 300, 2000, 100 };
	struct congestion_setting slow = free_setting();
	uint32_t id, position = 4;
	node_time_t at, out;

	slow.rate_bps = 50000000000;
	setting_last(1, 1, slow);
	congestion()->rate_limit = true;
	one_switch_open(&s);
	flow_send(FROM, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, 1000);
	ack_arrive(2, NODE_US, id, ACK_ECA, 1);
	at = flow_send(FROM, 3 * NODE_US, position, bytes[0]);
	out = at + (bytes[0] + FRAME_FCS_BYTES + (_i ? FABRIC_HEADER_BYTES : 0)) * BYTE_PS + LEAD;
	for (uint32_t i = 1; i < 5; i++) {
		position += units_of_bytes(bytes[i - 1]);
		flow_send(FROM, 3 * NODE_US, position, bytes[i]);
	}
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 5; i++) {
		packet_expect_at(2, bytes[i], out);
		out += bytes[i] * 160;
	}
	ck_assert_uint_eq(stats_of(FROM)->blocked_rate, 4);
	ck_assert_uint_eq(s.dp->wakes.count, 0);
}

/* A packet arrives at the moment at which its flow ends, and is sent at once; its ACK frees the
 * flow, once. */
TEST(rate__ends_as_a_packet_comes)
{
	struct congestion_setting slow = free_setting();
	node_time_t sent;

	slow.rate_bps = 100000000000;
	slow.flow_extent_units = 0;
	setting_last(1, 1, slow);
	detect_above(UNITS - 1);
	congestion()->rate_limit = true;
	one_switch_open(&s);
	sent = host_send(&s, 0, 0, 1, 1, 0, PACKET);
	one_switch_run(&s, sent + (PACKET + FRAME_FCS_BYTES) * BYTE_PS + 1);
	ck_assert_uint_eq(flow_at(0, 0)->wake_up_ps,
			  (PACKET + FRAME_FCS_BYTES) * BYTE_PS + 2 * PACKET * BYTE_PS);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	host_send(&s, 0, flow_at(0, 0)->wake_up_ps - (1000 + FRAME_FCS_BYTES) * BYTE_PS, 1, 1, 0,
		  1000);
	one_switch_run(&s, FAR);
	packet_expect(1, PACKET);
	packet_expect(1, 1000);
	all_released_expect();
}

/* EC-7: above the limit nothing is forwarded, at the ingress edge and at transit switches; the ACK
 * that brings the extent down to the limit releases one packet */
TEST_RANGE(extent__limit_holds, 0, 2)
{
	struct congestion_setting narrow = free_setting();
	uint32_t id;

	narrow.flow_extent_units = 20;
	setting_last(1, 1, narrow);
	congestion()->flow_limit = true;
	one_switch_open(&s);
	flow_send(FROM, 0, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_ECA, 1);
	for (uint32_t i = 1; i < 5; i++)
		flow_send(FROM, 3 * NODE_US, i * UNITS, PACKET - i);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(2, PACKET - 1);
	no_packet_expect(2);
	ck_assert_uint_eq(ifct_flow_extent(flow_at(FROM, FLOW)), 2 * UNITS);
	ck_assert_uint_eq(stats_of(FROM)->blocked_extent, 1);
	ack_arrive(2, 5 * NODE_US, id, ACK_DELTA_ECA, 11); /* 21 are left */
	no_packet_expect(2);
	ack_arrive(2, 7 * NODE_US, id, ACK_DELTA_ECA, 1);
	packet_expect(2, PACKET - 2);
	no_packet_expect(2);
	ack_arrive(2, 9 * NODE_US, id, ACK_DELTA, 1);
	packet_expect(2, PACKET - 3);
	packet_expect(2, PACKET - 4);
}

/* EC-7, ours: the last switch limits no flow, because that would only idle the link to the host */
TEST(extent__no_limit_in_the_last_switch)
{
	struct congestion_setting narrow = free_setting();

	narrow.flow_extent_units = 0;
	setting_last(1, 1, narrow);
	detect_above(0);
	congestion()->flow_limit = true;
	s.ports[0].guarded = true; /* so extents outlast the queue */
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		switch_send(&s, 2, 0, 0, 5, UNITS * i, PACKET);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(flow_at(2, 5)->setting, 1);
	ck_assert_uint_eq(ifct_flow_extent(flow_at(2, 5)), 3 * UNITS);
	for (uint32_t i = 0; i < 3; i++)
		packet_expect(0, PACKET);
}

/* EC-8: blocked until the last ACK; then RUNNING: the next packet is sent at the wake-up time, and
 * blocks the flow again */
TEST(limit_after_ack__blocked_until_empty_then_asleep)
{
	uint32_t id = limited_flow();
	node_time_t acked;

	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->blocked_empty, 1);
	ack_arrive(2, 4 * NODE_US, id, ACK_DELTA_ECA, 10);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	ck_assert_uint_eq(stats_of(0)->blocked_empty, 1); /* no packet more */
	no_packet_expect(2);
	acked = ack_arrive(2, 6 * NODE_US, id, ACK_DELTA_ECA, 6);
	packet_expect_at(2, PACKET, acked + 6 * UNIT_BYTE_TIME_PS + LEAD);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	acked = ack_arrive(2, 8 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	packet_expect_at(2, PACKET, acked + UNITS * UNIT_BYTE_TIME_PS + LEAD);
	ack_arrive(2, 10 * NODE_US, header_of_packet(2).flow_id, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-8: ACK_DELTA releases a blocked flow at once */
TEST(limit_after_ack__ack_delta_clears)
{
	uint32_t id = limited_flow();
	node_time_t acked;

	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(2);
	acked = ack_arrive(2, 4 * NODE_US, id, ACK_DELTA, 1);
	packet_expect_at(2, PACKET, acked + LEAD);
}

/* EC-8: line and channel of a flow last until its wake-up time, also without packets: a packet that
 * arrives earlier waits for that time, after it the flow is a new one */
TEST_RANGE(limit_after_ack__outlives_the_packets, 0, 2)
{
	uint32_t id = limited_flow();
	node_time_t wake_up =
		4 * NODE_US + ack_frame_wire_bytes(1) * BYTE_PS + UNITS * UNIT_BYTE_TIME_PS;

	switch_send_ack(&s, 2, 4 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	one_switch_run(&s, 4 * NODE_US + 100 * NODE_NS);
	ck_assert_uint_eq(s.dp->ports[2].fabric.ofct.used, 0);
	if (_i)
		host_send(&s, 0, wake_up - 300 * NODE_NS, 2, 1, 0, PACKET);
	one_switch_run(&s, wake_up);
	ck_assert_uint_eq(s.dp->ports[0].edge.efct.used, 1);
	ck_assert_uint_eq(s.dp->ifcts[0].used, 1);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	no_packet_expect(2);
	one_switch_run(&s, wake_up + 1);
	if (!_i) {
		all_released_expect();
		host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET);
		wake_up = 6 * NODE_US + (PACKET + FRAME_FCS_BYTES) * BYTE_PS;
	}
	one_switch_run(&s, 10 * NODE_US);
	packet_expect_at(2, PACKET, wake_up + LEAD);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, _i ? BLOCK_UNTIL_EMPTY : RUNNING);
}
