/*  switchd/flow_channel/headroom: credit for each flow and hop, granted and needed, and STOP, which
 *  flows with credit ignore (EC-12 to EC-14). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

/* ---- credit that this switch grants ---- */

TEST_GROUP(granted, .setup = setup, .teardown = teardown);

/* EC-12: at the target level UM is set, and the first ACK has the units of the flow that are here
 * or downstream; _i: hop credit is on */
TEST_RANGE(headroom__begins_at_the_target, 0, 2)
{
	node_time_t at;

	credit_on();
	congestion()->headroom = _i;
	one_switch_open(&s);
	through_send(0, 0);
	neighbour_stop(&s, 3, NODE_US, 1);
	through_send(2 * NODE_US, 1);
	one_switch_run(&s, 3 * NODE_US);
	no_ack_expect(2);
	at = through_send(3 * NODE_US, 2);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(2, 9)->um, _i);
	ck_assert_uint_eq(stats_of(2)->metered, _i);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, _i);
	if (!_i) {
		no_ack_expect(2);
		return;
	}
	ack_expect(2, 9, ACK_HEADROOM, 3 * UNITS);
	ck_assert_uint_eq(got.header.at_ps, at + ON_FABRIC * BYTE_PS + T1 + LEAD);
	ck_assert_int_eq(flow_at(2, 9)->committed_units, 2 * UNITS);
}

/* EC-13: a packet that leaves grants nothing above the high level, an eighth less than its units
 * above the target, an eighth more below; below the drop level metering ends */
TEST(headroom__credit_by_water_level)
{
	/* at 64, 48, 32, 16, 0; none at 80 */
	static const uint32_t credits[] = { 14, 14, 18, 18, ACK_VALUE_MAX };

	credit_on();
	acks_at_once();
	s.config.switch_.output_queue_units_max = UNITS;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	for (uint32_t i = 0; i < 6; i++)
		through_send(NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	ack_expect(2, 9, ACK_HEADROOM, 2 * UNITS);
	no_ack_expect(2);
	neighbour_stop(&s, 3, 5 * NODE_US, 0);
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 5; i++)
		ack_expect(2, 9, ACK_HEADROOM, credits[i]);
	no_ack_expect(2);
	ck_assert(!flow_at(2, 9)->um);
	ck_assert_uint_eq(stats_of(2)->metered, 0);
	ck_assert_uint_eq(stats_of(2)->headroom_stops, 1);
	ck_assert_uint_eq(stats_of(2)->headroom_units, 14 + 14 + 18 + 18);
	ck_assert_uint_eq(s.dp->ports[2].fabric.promised_units[0], 0);
}

/* EC-13: metering ends with the queue, also with a drop level of 0, below which is no queue:
 * promised units do not outlive the flow */
TEST(headroom__ends_with_the_queue)
{
	struct congestion_setting levels;

	credit_on();
	levels = congestion()->settings[0];
	levels.drop_units = 0;
	setting_last(0, 0, levels);
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	neighbour_stop(&s, 3, 3 * NODE_US, 0);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, 1);
	ack_arrive(3, 5 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, 2 * UNITS);
	all_released_expect();
}

/* EC-12: credit is sent before the delivery that frees its channel, though both arise at one
 * moment */
TEST(headroom__credit_before_delivery)
{
	credit_on();
	s.config.switch_.output_queue_units_max = UNITS;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		switch_send(&s, 2, NODE_US, 0, 5, i * UNITS, PACKET);
	neighbour_stop(&s, 0, 3 * NODE_US, 0);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_HEADROOM, 3 * UNITS);
	two_acks_expect(2, ACK_HEADROOM, 18, ACK_DELTA, UNITS);
	two_acks_expect(2, ACK_HEADROOM, ACK_VALUE_MAX, ACK_DELTA, UNITS);
	ack_expect(2, 5, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-12: after the loss of a frame with credit, upstream is told to end metering and to begin with
 * the state of now. _i: metering ends before upstream knows that it was on */
TEST_RANGE(headroom__lost_ack_is_sent_again, 0, 2)
{
	uint32_t frames;

	credit_on();
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss.any = true;
	s.links[2].loss.ppb = 1000000000;
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	neighbour_stop(&s, 3, 3 * NODE_US, !_i);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, 1);
	ck_assert_uint_eq(stats_of(2)->headroom_stops, _i);
	frames = s.links[2].tx.sequence;
	ck_assert_uint_gt(frames, _i);
	s.links[2].loss.any = false;
	s.links[2].loss.ppb = 0;
	no_ack_expect(2);
	for (uint32_t i = 0; i < frames; i++)
		neighbour_send_word(&s, 2, 5 * NODE_US, LINK_WORD_MISSING, 0, i);
	neighbour_send_word(&s, 2, 5 * NODE_US, LINK_WORD_SEEN, 0, frames);
	one_switch_run(&s, 7 * NODE_US);
	if (_i) {
		ack_expect(2, 9, ACK_HEADROOM, ACK_VALUE_MAX);
	} else {
		two_acks_expect(2, ACK_HEADROOM, ACK_VALUE_MAX, ACK_HEADROOM, 2 * UNITS);
		/* as if nothing had been lost */
		ck_assert_int_eq(flow_at(2, 9)->committed_units, 2 * UNITS);
	}
	no_ack_expect(2);
	ck_assert_uint_eq(s.dp->ports[2].fabric.promised_units[0], 0);
}

/* On a guarded link metering begins with an end of metering: had an earlier end been lost, the
 * first credit would be added to the old one */
TEST(headroom__begins_with_an_end_on_a_guarded_link)
{
	credit_on();
	s.ports[2].guarded = true;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	one_switch_run(&s, 3 * NODE_US);
	two_acks_expect(2, ACK_HEADROOM, ACK_VALUE_MAX, ACK_HEADROOM, 2 * UNITS);
}

/* ---- credit that it needs ---- */

TEST_GROUP(needed, .setup = setup, .teardown = teardown);

/* a packet that waits for one cause after the other counts for each */
TEST_RANGE(headroom__counts_after_another_cause, 0, 2)
{
	struct congestion_setting narrow = free_setting();
	uint32_t id;

	narrow.flow_extent_units = UNITS;
	setting_last(1, 1, narrow);
	congestion()->flow_limit = true;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 2; i++)
		flow_send(FROM, 0, i * UNITS, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	packet_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_ECA, 1);
	ack_arrive(2, 3 * NODE_US, id, ACK_HEADROOM, 2 * UNITS);
	flow_send(FROM, 5 * NODE_US, 2 * UNITS, PACKET);
	one_switch_run(&s, 7 * NODE_US);
	ck_assert_uint_eq(stats_of(FROM)->blocked_extent, 1);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 0);
	ack_arrive(2, 7 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	no_packet_expect(2);
	ck_assert_uint_eq(stats_of(FROM)->blocked_extent, 1);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 1);
	ack_arrive(2, 9 * NODE_US, id, ACK_HEADROOM, 1);
	packet_expect(2, PACKET);
}

/* EC-12, EC-13: DM. Units in flight downstream count against the first credit; further credit is
 * added. Above 0 a packet is sent and takes its units, also to below 0. The greatest value ends
 * metering. */
TEST_RANGE(headroom__packets_wait_for_credit, 0, 2)
{
	uint32_t id;

	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		flow_send(FROM, 0, i * UNITS, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_HEADROOM, 2 * UNITS);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -16);
	for (uint32_t i = 3; i < 8; i++)
		flow_send(FROM, 3 * NODE_US, i * UNITS, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 1);
	ack_arrive(2, 5 * NODE_US, id, ACK_HEADROOM, UNITS);
	no_packet_expect(2);
	ack_arrive(2, 6 * NODE_US, id, ACK_DELTA, UNITS);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 1); /* the same packet */
	if (_i)
		ack_expect(3, 9, ACK_DELTA, UNITS);
	ack_arrive(2, 7 * NODE_US, id, ACK_HEADROOM, 1);
	packet_expect(2, PACKET);
	no_packet_expect(2);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -15);
	ack_arrive(2, 9 * NODE_US, id, ACK_HEADROOM, 2 * UNITS);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	no_packet_expect(2);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -15);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 3);
	ack_arrive(2, 11 * NODE_US, id, ACK_HEADROOM, ACK_VALUE_MAX);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	ck_assert(!flow_at(FROM, FLOW)->dm);
	no_ack_expect(3); /* credit is not sent further upstream */
}

/* EC-12: packets that wait for credit start metering one hop upstream */
TEST(headroom__one_hop_further_up)
{
	credit_on();
	one_switch_open(&s);
	through_send(0, 0);
	one_switch_run(&s, NODE_US);
	ack_arrive(3, NODE_US, channel_expect(3, PACKET), ACK_HEADROOM, UNITS);
	for (uint32_t i = 1; i < 3; i++)
		through_send(3 * NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(3);
	ack_expect(2, 9, ACK_HEADROOM, 3 * UNITS);
}

/* EC-12: credit belongs to a channel: once that is free, the flow's next packet needs none. Credit
 * for a free channel is invalid, but not where frames can be lost */
TEST_RANGE(headroom__ends_with_its_channel, 0, 2)
{
	uint32_t id;

	s.ports[2].guarded = _i;
	one_switch_open(&s);
	flow_send(3, 0, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_HEADROOM, 1);
	flow_send(3, 3 * NODE_US, UNITS, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(2);
	ack_arrive(2, 5 * NODE_US, id, ACK_DELTA, UNITS);
	id = channel_expect(2, PACKET);
	ack_arrive(2, 7 * NODE_US, id, ACK_DELTA, UNITS);
	all_released_expect();
	ack_arrive(2, 9 * NODE_US, id, ACK_HEADROOM, UNITS);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), !_i);
}

/* ---- STOP and XON ---- */

TEST_GROUP(stop, .setup = setup, .teardown = teardown);

/* EC-14: STOP stops flows without credit, not those with credit. XON resumes flows in the order of
 * arrival. */
TEST(stop__only_flows_without_credit)
{
	uint32_t with_credit;

	congestion()->headroom = true;
	one_switch_open(&s);
	with_credit = flow_begin(1, 9, 0);
	ack_arrive(2, 2 * NODE_US, with_credit, ACK_HEADROOM, 5 * UNITS);
	neighbour_stop(&s, 2, 4 * NODE_US, 1);
	for (uint32_t i = 0; i < 6; i++)
		host_send(&s, 0, 5 * NODE_US, 2, i % 3, 0, 1000 + i);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 1, 6 * NODE_US, 2, 9, 0, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(channel_expect(2, PACKET), with_credit);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 2)->wait, IFCT_STOPPED);
	neighbour_stop(&s, 2, 10 * NODE_US, 0);
	one_switch_run(&s, 12 * NODE_US);
	for (uint32_t i = 0; i < 6; i++)
		packet_expect(2, 1000 + i / 2 + i % 2 * 3); /* each with all of its packets */
	no_packet_expect(2);
}

/* EC-14: a stopped flow resumes when it is granted credit; the others still wait */
TEST(stop__credit_resumes)
{
	uint32_t id;

	congestion()->headroom = true;
	one_switch_open(&s);
	id = flow_begin(0, 1, 0);
	neighbour_stop(&s, 2, NODE_US, 1);
	host_send(&s, 1, 2 * NODE_US, 2, 1, 0, 1000);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, 1001);
	host_send(&s, 0, 3 * NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(2);
	ack_arrive(2, 5 * NODE_US, id, ACK_HEADROOM, UNITS);
	no_packet_expect(2); /* all of that is in flight */
	/* it waits for more credit, not for the end of STOP */
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_BLOCKED);
	ack_arrive(2, 7 * NODE_US, id, ACK_HEADROOM, 1);
	packet_expect(2, 1001);
	no_packet_expect(2);
	neighbour_stop(&s, 2, 10 * NODE_US, 0);
	one_switch_run(&s, 12 * NODE_US);
	packet_expect(2, 1000);
	packet_expect(2, 1002);
}

/* EC-13, EC-14: a flow whose metering ends during STOP is stopped like the others */
TEST(stop__holds_when_credit_ends)
{
	uint32_t id;

	congestion()->headroom = true;
	one_switch_open(&s);
	id = flow_begin(0, 1, 0);
	ack_arrive(2, NODE_US, id, ACK_HEADROOM, UNITS);
	neighbour_stop(&s, 2, 3 * NODE_US, 1);
	host_send(&s, 0, 4 * NODE_US, 2, 1, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_BLOCKED);
	ack_arrive(2, 5 * NODE_US, id, ACK_HEADROOM, ACK_VALUE_MAX);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_STOPPED);
	neighbour_stop(&s, 2, 8 * NODE_US, 0);
	one_switch_run(&s, 10 * NODE_US);
	packet_expect(2, 1000);
}
