/*  switchd/flow_channel: a dropped packet is counted under its reason, and its buffer is free again
 *  (TB-23, TB-25). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(drop, .setup = setup, .teardown = teardown);

TEST(drop__unknown_destination)
{
	s.config.switch_.host_count = 1; /* the sender alone */
	one_switch_open(&s);
	host_send(&s, 0, 0, 50, 1, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
	ck_assert_uint_eq(drops_all(), 1);
	all_released_expect();
}

TEST(drop__no_route)
{
	s.config.switch_.route_count = 1;
	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 1, 0, 1500);
	switch_send(&s, 2, 0, 4, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 2);
	ack_expect(2, 5, ACK_LOSS, 6); /* its sender counts on an ACK */
	all_released_expect();
}

TEST(drop__malformed)
{
	static const uint8_t junk[100] = { 0x55 };
	uint8_t frame[FRAME_HEADERS_MAX];
	uint32_t captured = frame_make(0, 2, 0, 3, 1500, frame);

	s.config.class_count = 4;
	one_switch_open(&s);
	/* too short to be a frame */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 100, 0, junk, 10);
	/* of class 3, sent as 2 */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 1504, 2, frame, captured);
	/* more captured than there is */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 64, 3, frame, captured);
	/* ACKs from a host */
	neighbour_send_frame(&s, 0, 0, RECORD_ACKS, 20, 0, junk, 20);
	/* no fabric header */
	neighbour_send_frame(&s, 2, 0, RECORD_PACKET, 120, 0, junk, 26);
	/* too short for a fabric header */
	neighbour_send_frame(&s, 2, 0, RECORD_PACKET, 120, 0, junk, 5);
	neighbour_send_frame(&s, 2, 0, RECORD_ACKS, 100, 0, junk, 100); /* no ACK frame */
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED) + drops(DROP_BAD_RECORD), 7);
	ck_assert_uint_eq(drops_all(), 7);
	all_released_expect();
}

TEST(drop__oversize)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, MTU + 1);
	host_send(&s, 0, 0, 2, 1, 0, MTU);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	packet_expect(2, MTU);
}

TEST(drop__channel_out_of_range)
{
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 16, 0, 1500);
	switch_send(&s, 2, 0, 0, 2047, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_CHANNEL), 2);
	all_released_expect();
}

TEST(drop__ack_for_nothing)
{
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, 1500);
	switch_send_ack(&s, 2, NODE_US, id, ACK_DELTA, 7);     /* more than is in flight */
	switch_send_ack(&s, 2, NODE_US, id + 1, ACK_DELTA, 1); /* another channel */
	switch_send_ack(&s, 2, NODE_US, 2047, ACK_DELTA, 1);   /* none */
	switch_send_ack(&s, 2, NODE_US, id + 1, ACK_HEADROOM, 1);
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 1); /* another link */
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 5);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[0].entries, 0)), 6);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
}

/* A packet that is too long, with a valid header: its loss is reported, and it leaves no hole. */
TEST(drop__oversize_on_fabric)
{
	one_switch_open(&s);
	neighbour_stop(&s, 0, 1500 * BYTE_PS, 1);
	switch_send(&s, 2, 0, 0, 7, 0, 1000);
	switch_send(&s, 2, 0, 0, 7, 4, 1001); /* waits, so that the channel stays */
	switch_send(&s, 2, 0, 0, 7, 8, MTU + 1);
	switch_send(&s, 2, 0, 0, 7, 25, 1002);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	ck_assert_uint_eq(stats_of(2)->hole_units, 0);
	ck_assert_uint_eq(ifct_total_extent(TABLE_AT(s.dp->ifcts[2].entries, 7)), 8);
	ack_expect(2, 7, ACK_DELTA, 4);
	ack_expect(2, 7, ACK_LOSS, 17);
}

/* A packet that is too long after a hole: both losses are reported, the hole is counted alone. */
TEST(drop__oversize_on_fabric_after_a_hole)
{
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1); /* so that the channel stays */
	switch_send(&s, 2, 0, 0, 7, 0, 1000);
	switch_send(&s, 2, 0, 0, 7, 8, MTU + 1); /* 4 units are missing */
	switch_send(&s, 2, 0, 0, 7, 25, 1002);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	ck_assert_uint_eq(stats_of(2)->hole_units, 4);
	ack_expect(2, 7, ACK_LOSS, 4 + 17);
	ck_assert_uint_eq(ifct_total_extent(TABLE_AT(s.dp->ifcts[2].entries, 7)), 8);
	ck_assert_uint_eq(drops_all(), 1);
}

/* a packet in a channel that another flow uses, by its destination or by its position */
TEST_RANGE(drop__channel_of_another_flow, 0, 2)
{
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	switch_send(&s, 2, 0, 0, 7, 0, 1000);
	switch_send(&s, 2, 0, _i ? 0 : 1, 7, _i ? 3 : 4, 1001);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_BAD_CHANNEL), 1);
	ck_assert_uint_eq(drops_all(), 1);
	ck_assert_uint_eq(stats_of(2)->dropped_frames, 1);
	ck_assert_uint_eq(stats_of(2)->hole_units, 0);
	ck_assert_uint_eq(ifct_total_extent(TABLE_AT(s.dp->ifcts[2].entries, 7)), 4);
	ck_assert_uint_eq(s.dp->sw.pool.used, 1);
	no_packet_expect(1);
}
