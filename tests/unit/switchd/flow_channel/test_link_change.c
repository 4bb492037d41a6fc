/*  switchd/flow_channel/link_change: links that fail and return, and what becomes of packets and
 *  channels on them (FC-15, FC-17, FC-26, TB-4). */
#include "switchd/flow_channel/link_change.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

/* ---- the virtual clock ---- */

TEST_GROUP(virtual, .setup = setup, .teardown = teardown);

/* a flow waits for its own packets beyond the failed link, not for those of another flow */
TEST(link_settle__each_flow_waits_for_its_own)
{
	struct channel_set left = { 0 };

	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	host_send(&s, 1, NODE_US, 2, 2, 0, 1001);
	one_switch_run(&s, 2 * NODE_US);
	channel_set_add(&left, channel_expect(2, 1000));
	packet_expect(2, 1001);
	flow_channel_ops.link_down(s.dp, 2, 2 * NODE_US);
	host_send(&s, 0, 2 * NODE_US, 2, 1, 0, 1002);
	host_send(&s, 1, 2 * NODE_US, 2, 2, 0, 1003);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(3);
	flow_channel_ops.link_settle(s.dp, 2, &left, 4 * NODE_US);
	one_switch_run(&s, 6 * NODE_US);
	packet_expect(3, 1003);
	no_packet_expect(3);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 0);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 4);
	flow_channel_ops.link_settle(s.dp, 2, &left, 6 * NODE_US);
	one_switch_run(&s, 8 * NODE_US);
	no_packet_expect(3);
	flow_channel_ops.link_settle(s.dp, 2, &none_left, 8 * NODE_US);
	one_switch_run(&s, 10 * NODE_US);
	packet_expect(3, 1002);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 4);
	ck_assert_uint_eq(drops_all(), 0);
}

/* port_stats.left: the channels of the failed link whose packets are here or downstream, until they
 * are acknowledged */
TEST(link_down__what_is_left)
{
	const struct channel_set *left;
	uint32_t id;

	one_switch_open(&s);
	left = &stats_of(2)->left;
	switch_send(&s, 2, 0, 4, 7, 0, 1000);
	switch_send(&s, 2, 0, 0, 9, 0, 1001);
	switch_send(&s, 2, 0, 4, 8, 0, 1002);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, 1000);
	packet_expect(0, 1001);
	ck_assert_uint_eq(channel_set_count(left), 0);
	flow_channel_ops.link_down(s.dp, 2, NODE_US);
	ck_assert(channel_set_has(left, 7) && channel_set_has(left, 8) &&
		  channel_set_count(left) == 2);
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert(channel_set_has(left, 8) && channel_set_count(left) == 1);
	switch_send_ack(&s, 3, 2 * NODE_US, channel_expect(3, 1002), ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(channel_set_count(left), 0);
	all_released_expect();
}

/* nothing is settled at a port that is up, nor at one to a host */
TEST(link_settle__only_of_a_lost_link)
{
	struct channel_set left = { 0 };

	one_switch_open(&s);
	for (uint32_t port = 0; port < PORTS; port++)
		ck_assert(!link_change_settle(s.dp, port, &left, NODE_US));
}

/* ---- the real clock ---- */

TEST_GROUP(real, .setup = setup_real, .teardown = teardown);

/* FC-17: every unit that was queued for, granted to or in flight on the failed link is reported
 * lost, once */
TEST_RANGE(link_down__fabric, 0, 2)
{
	s.ports[2].channels = 2;
	s.ports[2].guarded = _i;
	s.config.switch_.output_queue_units_max = 8;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 6; i++) {
		host_send(&s, 0, 0, 2, 1, 0, 1000); /* 4 units */
		host_send(&s, 1, 0, 2, i, 0, 1000); /* most of them wait for a channel */
		switch_send(&s, 3, 0, 2, 7, 4 * i, 1000);
	}
	one_switch_run(&s, 200 * NODE_NS);
	port_block(2);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_gt(stats_of(2)->tx_packets, 1);
	ck_assert_uint_gt(stats_of(2)->channel_waits, 0);
	ck_assert_uint_gt(s.stats->inside_packets, 0);
	flow_channel_ops.link_down(s.dp, 2, 5 * NODE_US);
	flow_channel_ops.link_down(s.dp, 2, 5 * NODE_US);
	flow_channel_ops.link_settle(s.dp, 2, &none_left, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 24);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 24);
	all_released_expect();
	one_switch_run(&s, 6 * NODE_US);
	ack_expect(3, 7, ACK_LOSS, 24);
	/* those were committed to the link; the others have no other route */
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 16 - stats_of(2)->tx_packets);
	ck_assert_uint_eq(drops_all(), drops(DROP_LINK_DOWN) + drops(DROP_NO_ROUTE));
	host_send(&s, 0, 7 * NODE_US, 2, 1, 0, 1000);
	host_send(&s, 0, 7 * NODE_US, 4, 1, 0, 1000);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 17 - stats_of(2)->tx_packets);
	packet_expect(3, 1000);
}

TEST_RANGE(link_down__edge, 0, 2)
{
	s.ports[1].guarded = _i;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 6; i++)
		switch_send(&s, 2, 0, 1, 7, 4 * i, 1000);
	one_switch_run(&s, 100 * NODE_NS);
	port_block(1);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(1, 1000);
	packet_expect(1, 1000);
	no_packet_expect(1);
	while (neighbour_receive(&s, 2, RECORD_ACKS, &got))
		;
	flow_channel_ops.link_down(s.dp, 1, 5 * NODE_US);
	one_switch_run(&s, FAR);
	ack_expect(2, 7, ACK_LOSS, _i ? 24 : 16);
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 4);
	ck_assert_uint_eq(s.stats->inside_bytes, 0);
	all_released_expect();
}

/* FC-26: the other path is taken at once, and the former one again when it is up */
TEST(link_down__other_path)
{
	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	flow_channel_ops.link_down(s.dp, 2, 0);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	host_send(&s, 0, 0, 3, 1, 0, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 1000);
	packet_expect(3, 1001);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	flow_channel_ops.link_up(s.dp, 2, NODE_US);
	host_send(&s, 0, NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1002);
	ck_assert_uint_eq(drops_all(), 0);
}

/* packets of the former link are forwarded; until they are acknowledged, records of the new one
 * wait */
TEST(link_up__waits_for_the_former_link)
{
	uint32_t id;

	s.config.switch_.output_queue_units_max = 4;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 7, 0, 1000);
	switch_send(&s, 2, 0, 4, 7, 4, 1001);
	neighbour_stop(&s, 3, 1500 * BYTE_PS, 1); /* the first one has passed the crossbar */
	one_switch_run(&s, NODE_US);
	flow_channel_ops.link_down(s.dp, 2, NODE_US);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	flow_channel_ops.link_up(s.dp, 2, NODE_US);
	switch_send(&s, 2, NODE_US, 0, 7, 0, 1002); /* counted from 0 again: no hole (FC-17) */
	one_switch_run(&s, 2 * NODE_US);
	no_packet_expect(0);
	id = channel_expect(3, 1000);
	no_packet_expect(3);
	neighbour_stop(&s, 3, 2 * NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(3, 1001);
	no_packet_expect(0);
	switch_send_ack(&s, 3, 3 * NODE_US, id, ACK_DELTA, 8);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(0, 1002);
	ack_expect(2, 7, ACK_DELTA, 4);
	ck_assert_uint_eq(drops_all(), 0);
	all_released_expect();
}

/* a vacant port becomes a fabric port */
TEST(link_up__vacant)
{
	struct port_config port;

	port = s.ports[3];
	s.ports[3] =
		(struct port_config){ .vacant = true, .channels = port.channels, .mtu_bytes = MTU };
	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 1, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	s.ports[3] = port;
	one_switch_plug(&s, 3);
	flow_channel_ops.link_up(s.dp, 3, NODE_US);
	host_send(&s, 0, NODE_US, 4, 1, 0, 1000);
	switch_send(&s, 3, NODE_US, 0, 7, 0, 1001);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(3, 1000);
	packet_expect(0, 1001);
	ack_expect(3, 7, ACK_DELTA, 4);
	ck_assert_uint_eq(drops_all(), 1);
}
