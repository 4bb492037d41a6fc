/*  switchd/flow_channel/ack_path: ACKs are made at the egress edge, pass transit switches and end
 *  at the ingress edge, in frames of several ACKs (FC-12, FC-14, FC-18). */
#include "switchd/flow_channel/ack_upstream.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(ack, .setup = setup, .teardown = teardown);

/* FC-12: the egress edge makes the ACK when the packet leaves; after T1 the ACK is sent upstream */
TEST(ack__made_at_the_egress_edge)
{
	node_time_t at;

	one_switch_open(&s);
	at = switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.at_ps, at + 1516 * BYTE_PS + T1 + LEAD);
	ck_assert_uint_eq(got.header.wire_bytes, ack_frame_wire_bytes(1));
	ck_assert(!neighbour_receive(&s, 3, RECORD_ACKS, &got));
	all_released_expect();
}

/* FC-12: data does not block an ACK at the same port. The ACK leaves after T3 and after the frame
 * that is being sent, and data follow it. _i: 0: more data than the link carries, 1: the peer has
 * stopped the data. */
TEST_RANGE(ack__data_cannot_block_it, 0, 2)
{
	node_time_t at, due;

	one_switch_open(&s);
	if (_i)
		neighbour_stop(&s, 2, 0, 1);
	for (uint32_t i = 0; i < 12; i++)
		host_send(&s, i % 2, NODE_NS, 2, i, 0, 4000);
	at = switch_send(&s, 2, 500 * NODE_NS, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	due = at + (1500 + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES) * BYTE_PS + 3 * T1;
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_le(
		got.header.at_ps,
		due + (4000 + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES + GAP_BYTES) * BYTE_PS + LEAD);
	ck_assert(neighbour_receive(&s, 2, RECORD_PACKET, &got) == !_i);
	ck_assert_uint_eq(s.stats->inside_packets, _i ? 12 : 0);
}

/* FC-12, FC-14: at the ingress edge the ACK frees the lines of OFCT, IFCT and EFCT, and ends */
TEST(ack__ends_at_the_ingress_edge)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	ck_assert_uint_eq(s.dp->ports[0].edge.efct.used, 1);
	ck_assert_uint_eq(s.dp->ports[2].fabric.ofct.used, 1);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[0].entries, 0)), 12);
	switch_send_ack(&s, 2, NODE_US, header_of_packet(2).flow_id, ACK_DELTA, 6);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[0].entries, 0)), 6);
	ck_assert_uint_eq(efct_flow_extent(TABLE_AT(s.dp->ports[0].edge.efct.lines, 0)), 6);
	switch_send_ack(&s, 2, 2 * NODE_US, header_of_packet(2).flow_id, ACK_DELTA_ECA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* FC-12: a transit switch gives an ACK the flow id of the upstream link, also one that acknowledges
 * nothing (FC-13) */
TEST(ack__renamed_on_the_way_up)
{
	uint32_t id;

	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 0, 1500);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, 1500);
	switch_send_ack(&s, 3, NODE_US, id, ACK_ECA, 33);
	one_switch_run(&s, 2 * NODE_US);
	ack_expect(2, 9, ACK_ECA, 33);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[2].entries, 9)), 6);
	switch_send_ack(&s, 3, 2 * NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	ack_expect(2, 9, ACK_DELTA, 6);
	all_released_expect();
}

/* FC-14: a second packet meets the first one's ACK here: from here on it is a first packet again,
 * and no hole */
TEST(ack__second_packet_meets_it)
{
	uint32_t id;

	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 65530, 1500);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, 1500);
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, NODE_US + 20 * NODE_NS);
	all_released_expect();
	/* sent before its sender can have received the ACK */
	switch_send(&s, 2, NODE_US, 4, 9, 0, 1501);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(3, 1501);
	ck_assert_uint_eq(header_of_packet(3).data_flow, 6);
	switch_send_ack(&s, 3, 2 * NODE_US, header_of_packet(3).flow_id, ACK_DELTA, 6);
	ck_assert_uint_eq(stats_of(2)->hole_units, 0);
	ack_expect(2, 9, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
}

/* FC-18: ACKs that wait together leave in one frame, summed for each flow, T1 after the first */
TEST(ack__several_in_a_frame)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	node_time_t at;

	one_switch_open(&s);
	for (uint32_t i = 0; i < 9; i++)
		switch_send(&s, 2, 0, 4, i % 3, i / 3, 70);
	one_switch_run(&s, NODE_US);
	for (uint32_t i = 0; i < 9; i++) {
		packet_expect(3, 70);
		acks[i % 3] = (struct ack){ .flow_id = header_of_packet(3).flow_id,
					    .type = ACK_DELTA,
					    .value = 1 };
	}
	at = switch_send_acks(&s, 3, NODE_US, acks, 3);
	for (uint32_t i = 0; i < 3; i++)
		acks[i].value = 2;
	switch_send_acks(&s, 3, NODE_US, acks, 3);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(acks_receive(2, acks), 3);
	ck_assert_uint_eq(got.header.at_ps, at + ack_frame_wire_bytes(3) * BYTE_PS + T1 + LEAD);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(acks[i].flow_id, i);
		ck_assert_uint_eq(acks[i].value, 3);
	}
	all_released_expect();
}

/* TB-23: the link has 16 channels: an ACK of any type for an idle one, or for one that there is
 * not, is dropped and counted */
TEST_RANGE(ack__of_no_channel_in_use, 0, ACK_TYPES)
{
	static const uint32_t ids[] = { 0, 15, 16, 17, 2047 };

	one_switch_open(&s);
	for (uint32_t i = 0; i < 5; i++)
		switch_send_ack(&s, 3, i * NODE_US, ids[i], (enum ack_type)_i, 6);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 5);
	all_released_expect();
}

/* TB-23: ACKs are for switches: a host that sends some changes nothing */
TEST(ack__from_a_host)
{
	one_switch_open(&s);
	switch_send_ack(&s, 0, 0, 0, ACK_ECA, 9);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 1);
	ck_assert_uint_eq(drops_all(), 1);
}

/* TB-23: more than is in flight is acknowledged: dropped, and the flow is as before */
TEST(ack_upstream__of_more_than_is_in_flight)
{
	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 0, 1500);
	one_switch_run(&s, NODE_US);
	ack_upstream(s.dp, flow_ref(2, 9), ACK_DELTA, 7, NODE_US);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 1);
	ck_assert_uint_eq(stats_of(2)->dropped_frames, 1);
	ck_assert_uint_eq(stats_of(2)->dropped_bytes, 0);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[2].entries, 9)), 6);
	one_switch_run(&s, FAR);
	ck_assert(!neighbour_receive(&s, 2, RECORD_ACKS, &got));
}
