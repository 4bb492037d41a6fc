/*  switchd/flow_channel/link_change: a link fails while flows wait for a limit, for hop credit or
 *  for the end of STOP (FC-17, EC-8, EC-9, EC-12). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

TEST_GROUP(links, .setup = setup_real, .teardown = teardown);

/* one flow with each cause of waiting, all to port 2, and one to port 3 */
static void wait_for_every_cause(void)
{
	static const uint32_t ecas[] = { 1, 50, 100 };
	uint32_t ids[4];

	for (uint32_t i = 0; i < 4; i++)
		ids[i] = flow_begin(0, i, 2 * i * NODE_US);
	flow_begin(1, 0, 8 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		ack_arrive(2, (10 + 2 * i) * NODE_US, ids[i], ACK_ECA, ecas[i]);
	ack_arrive(2, 16 * NODE_US, ids[3], ACK_HEADROOM, 1);
	/* the first flow last: it is sent, and then the port is above its limit */
	for (uint32_t i = 0; i < 4; i++)
		host_send(&s, 0, 18 * NODE_US, 2, (i + 1) % 4, 0, PACKET);
	one_switch_run(&s, 22 * NODE_US);
	host_send(&s, 0, 22 * NODE_US, 2, 0, 0, PACKET);
	neighbour_stop(&s, 2, 23 * NODE_US, 1);
	host_send(&s, 1, 24 * NODE_US, 2, 0, 0, PACKET);
	host_send(&s, 0, 24 * NODE_US, 2, 4, 0, PACKET);
	host_send(&s, 0, 24 * NODE_US, 4, 5, 0, PACKET);
	one_switch_run(&s, 30 * NODE_US);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got))
		;
}

/* FC-17: whatever a flow waits for when its link fails, its packets are lost, each once, and
 * nothing of it stays allocated; a flow to another port that waited for the same limit resumes */
TEST(link_down__flows_that_wait)
{
	static const enum ifct_wait waits[] = { IFCT_ASLEEP,  IFCT_BLOCKED,    IFCT_BLOCKED,
						IFCT_BLOCKED, IFCT_PORT_LIMIT, IFCT_PORT_LIMIT };
	struct congestion_setting setting = free_setting();

	setting.rate_bps = 100000000;
	setting_last(1, 1, setting);
	setting.flow_extent_units = 0;
	setting_last(2, 50, setting);
	setting.limit_after_ack = true;
	setting.byte_time_ps = 40;
	setting_last(3, 100, setting);
	congestion()->rate_limit = congestion()->flow_limit = congestion()->limit_after_ack = true;
	congestion()->headroom = true;
	congestion()->port_limit_units = 5 * UNITS - 1;
	one_switch_open(&s);
	wait_for_every_cause();
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(flow_at(0, i)->wait, waits[i]);
	ck_assert_uint_eq(flow_at(1, 0)->wait, IFCT_STOPPED);
	flow_channel_ops.link_down(s.dp, 2, 30 * NODE_US);
	flow_channel_ops.link_settle(s.dp, 2, &none_left, 30 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, (3 + 2 + 2 + 2 + 1) * UNITS);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 2 * UNITS);
	one_switch_run(&s, 32 * NODE_US);
	ack_arrive(3, 32 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, UNITS);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), drops(DROP_NO_ROUTE)); /* none was on the link */
}

/* FC-17, EC-9: the losses of a failed link release flows that wait for the port's limit, but not
 * onto that link */
TEST_RANGE(link_down__its_losses_release_no_flow_onto_it, 0, 2)
{
	congestion()->port_limit_units = 40;
	s.config.class_count = 2;
	s.config.switch_.output_queue_units_max = 48;
	one_switch_open(&s);
	neighbour_stop(&s, 1, 0, 3);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 0, NODE_US, 1, 1, 1, PACKET);
	for (uint32_t i = 0; i < 5; i++)
		host_send(&s, 0, NODE_US, 1, 2, _i, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(0, 1)->wait, IFCT_PORT_LIMIT);
	flow_channel_ops.link_down(s.dp, 1, 5 * NODE_US);
	all_released_expect();
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 8 * UNITS);
	one_switch_unplug(&s, 1);
	one_switch_plug(&s, 1);
	flow_channel_ops.link_up(s.dp, 1, 6 * NODE_US);
	host_send(&s, 0, 7 * NODE_US, 1, 3, _i, 1000);
	one_switch_run(&s, FAR);
	packet_expect(1, 1000);
	no_packet_expect(1);
	all_released_expect();
}

/* A flow without packets lasts until its wake-up time, and its next packet finds no route: no flow
 * is limited any more */
TEST(link_down__flow_that_is_remembered)
{
	uint32_t id;

	id = limited_flow();
	ack_arrive(2, 4 * NODE_US, id, ACK_DELTA_ECA, 1);
	switch_send_ack(&s, 2, 6 * NODE_US, id, ACK_DELTA_ECA, UNITS - 1);
	one_switch_run(&s, 6 * NODE_US + 100 * NODE_NS);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	flow_channel_ops.link_down(s.dp, 2, 6 * NODE_US + 100 * NODE_NS);
	host_send(&s, 0, 6 * NODE_US + 100 * NODE_NS, 2, 1, 0, PACKET);
	one_switch_run(&s, 6 * NODE_US + 400 * NODE_NS);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	all_released_expect();
}

/* EC-12: the upstream link of a metered flow fails: the flow is forwarded, and a new link starts
 * with no flow metered and no class stopped */
TEST(link_down__upstream_of_a_metered_flow)
{
	credit_on();
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		through_send(NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->metered, 1);
	flow_channel_ops.link_down(s.dp, 2, 5 * NODE_US);
	neighbour_stop(&s, 3, 6 * NODE_US, 0);
	one_switch_run(&s, 8 * NODE_US);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	flow_channel_ops.link_up(s.dp, 2, 8 * NODE_US);
	ack_arrive(3, 8 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, 3 * UNITS);
	all_released_expect();
	through_send(11 * NODE_US, 0); /* a new link counts from 0 */
	one_switch_run(&s, 12 * NODE_US);
	no_ack_expect(2);
	ck_assert(!flow_at(2, 9)->um);
	ck_assert(!s.links[2].stop.wanted);
}
