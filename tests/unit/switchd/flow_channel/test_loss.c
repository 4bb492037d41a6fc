/*  switchd/flow_channel: lost packets and ACK frames are detected and reported, on plain and on
 *  guarded links, and nothing stays allocated (FC-17). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(loss, .setup = setup, .teardown = teardown);

/* FC-17: a hole in a flow is reported upstream from here, and changes no extent; _i: the link is
 * guarded, which changes nothing */
TEST_RANGE(loss__hole, 0, 2)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t lost = 0, delivered = 0, count;

	s.ports[2].guarded = _i;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1); /* so that the channel stays */
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	switch_send(&s, 2, 0, 0, 5, 18, 1502); /* 6 units are missing */
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(stats_of(2)->hole_units, 6);
	ck_assert_uint_eq(ifct_total_extent(TABLE_AT(s.dp->ifcts[2].entries, 5)), 18);
	no_packet_expect(0);
	neighbour_stop(&s, 0, NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		packet_expect(0, 1500 + i);
	while (neighbour_receive(&s, 2, RECORD_ACKS, &got)) {
		count = (uint32_t)ack_frame_read(got.bytes, got.header.captured_bytes, acks);
		for (uint32_t i = 0; i < count; i++)
			*(acks[i].type == ACK_LOSS ? &lost : &delivered) += acks[i].value;
	}
	ck_assert_uint_eq(lost, 6);
	ck_assert_uint_eq(delivered, 18);
	all_released_expect();
}

/* FC-17, FC-14: the loss of a flow's first packet is a hole too, on a channel that is free here */
TEST(loss__first_packet)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	s.ports[2].guarded = true;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, NODE_US);
	ack_expect(2, 5, ACK_DELTA, 6);
	all_released_expect();
	switch_send(&s, 2, NODE_US, 1, 5, 12, 1500); /* 6 units are missing */
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(acks_receive(2, acks), 2);
	ck_assert_uint_eq(acks[0].type, ACK_DELTA);
	ck_assert_uint_eq(acks[1].type, ACK_LOSS);
	ck_assert_uint_eq(acks[1].value, 6);
	all_released_expect();
}

/* FC-17: two losses on a guarded output. The one that another packet follows is reported by the
 * peer as a hole, not by the link. The last one is reported by the link, and the next packet has
 * the position that the peer expects. */
TEST(loss__hole_and_tail_on_guarded_output)
{
	uint32_t id;

	s.ports[2].guarded = true;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, 1500);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 2);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SEEN, 0, 3);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->tail_units, 6);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 6);
	ck_assert_uint_eq(ifct_flow_extent(TABLE_AT(s.dp->ifcts[0].entries, 0)), 12);
	host_send(&s, 0, 2 * NODE_US, 2, 1, 0, 1501);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_LOSS, 6); /* the hole */
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(2, 1500);
	packet_expect(2, 1500);
	packet_expect(2, 1501);
	ck_assert_uint_eq(header_of_packet(2).data_flow, 12);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 12);
	switch_send_ack(&s, 2, 3 * NODE_US, id, ACK_DELTA, 12);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* the source counts the loss of a packet of 6 units, and nothing remains of its flow */
static void one_loss_reported(void)
{
	ck_assert_uint_eq(stats_of(0)->loss_reports, 1);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 6);
	all_released_expect();
}

/* port 2 has sent one frame, and SYNC after it: its peer reports that the frame is missing */
static void first_frame_missed(void)
{
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SYNC), 1);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SEEN, 0, 1);
}

/* a loss that a downstream switch reports frees channels as a delivery does, and is counted at the
 * ingress edge */
TEST(loss__reported_to_the_source)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	switch_send_ack(&s, 2, NODE_US, header_of_packet(2).flow_id, ACK_LOSS, 6);
	one_switch_run(&s, FAR);
	one_loss_reported();
}

/* the last frame is lost on a guarded output: SYNC reveals it, the peer reports it, all channels
 * are free */
TEST(loss__last_packet_on_guarded_link)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss.any = true;
	s.links[2].loss.ppb = 1000000000;
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	first_frame_missed();
	one_switch_run(&s, FAR);
	one_loss_reported();
}

/* a lost ACK frame is sent again, with the same ACKs */
TEST(loss__ack_frame_on_guarded_link)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss.any = true;
	s.links[2].loss.ppb = 1000000000;
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, NODE_US);
	s.links[2].loss.any = false;
	s.links[2].loss.ppb = 0;
	first_frame_missed();
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.sequence, 1);
}

/* on a guarded edge link a packet is delivered when the receiver has it: only then the ACK is
 * sent */
TEST(loss__guarded_edge_link)
{
	s.ports[0].guarded = true;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	one_switch_run(&s, NODE_US);
	packet_expect(0, 1500);
	ck_assert(!neighbour_receive(&s, 2, RECORD_ACKS, &got));
	neighbour_send_word(&s, 0, NODE_US, LINK_WORD_SEEN, 0, 1);
	one_switch_run(&s, 2 * NODE_US);
	ack_expect(2, 5, ACK_DELTA, 6);
	neighbour_send_word(&s, 0, 2 * NODE_US, LINK_WORD_MISSING, 0, 1);
	neighbour_send_word(&s, 0, 2 * NODE_US, LINK_WORD_SEEN, 0, 2);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_LOSS, 6);
	all_released_expect();
}

/* FC-17: losses on a guarded input are detected by the next frame or by SYNC, and the link names
 * the frames; a hole is reported, a loss that no packet follows is not */
TEST(loss__input_is_guarded)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	s.neighbours[2].sequence++;
	switch_send(&s, 2, 0, 0, 5, 18, 1502);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 2);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SEEN), 4);
	ack_expect(2, 5, ACK_LOSS, 6);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SYNC, 0, 6);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 4);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 5);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SEEN), 6);
	ck_assert_uint_eq(stats_of(2)->hole_units, 6);
	ck_assert(!neighbour_receive(&s, 2, RECORD_ACKS, &got));
	ck_assert_uint_eq(drops_all(), 0);
}

/* a peer that acknowledges a packet, and then reports it missing: the report is dropped */
TEST(loss__acknowledged_and_missing)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	switch_send_ack(&s, 2, NODE_US, channel_expect(2, 1500), ACK_DELTA, 6);
	one_switch_run(&s, 2 * NODE_US);
	all_released_expect();
	neighbour_send_word(&s, 2, 2 * NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, 2 * NODE_US, LINK_WORD_SEEN, 0, 1);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 1);
	ck_assert_uint_eq(drops_all(), 1);
	ck_assert_uint_eq(stats_of(2)->dropped_frames, 1);
	ck_assert_uint_eq(stats_of(2)->tail_units, 0);
	ck_assert_uint_eq(stats_of(0)->loss_reports, 0);
	all_released_expect();
}
