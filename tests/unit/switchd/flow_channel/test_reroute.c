/*  switchd/flow_channel/reroute: which switch obeys a redirect, and how the flow then moves
 *  (FC-25). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

/* a flow from switch 3 to host 2 has a packet downstream, and another one that waits for p2, which
 * is blocked; @rival: after packets of another flow */
static void congest(bool rival)
{
	node_time_t now = 0;

	open_switch(false, false);
	switch_send(&s, 3, now, 2, 1, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	port_block(2);
	for (uint32_t i = 0; rival && i < 6; i++)
		host_send(&s, 0, 6 * NODE_US, 2, 0, 0, 4000);
	one_switch_run(&s, 9 * NODE_US);
	switch_send(&s, 3, 10 * NODE_US, 2, 1, units_of_bytes(1000), 1000);
	one_switch_run(&s, 20 * NODE_US);
}

TEST_GROUP(reroute, .teardown = teardown);

TEST(reroute_look__another_flow_waits)
{
	uint32_t value = 99;

	congest(true);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	/* the congested switch has no choice itself */
	ck_assert_uint_eq(value, FAR_AWAY + JOIN);
}

/* ours: a flow alone would be no faster elsewhere */
TEST(reroute_look__alone)
{
	uint32_t value;

	congest(false);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(reroutes(3, &value), 0);
}

/* no choice here: the ACK is sent upstream. It says that the congestion is elsewhere, and counts
 * switches without a choice. */
TEST(reroute_on_ack__no_choice)
{
	uint32_t value = 0;

	open_switch(false, true);
	switch_send(&s, 3, 0, 2, 1, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	reroute_arrive(2, channel_expect(2, 1000), 5 * NODE_US, JOIN);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, FAR_AWAY + 2 * JOIN);
	ck_assert_uint_eq(stats_of(3)->redirects, 0);
}

/* _i: transit switches obey. If not, the ACK says for the ingress edge that one had a choice. */
TEST_RANGE(reroute_on_ack__in_the_middle, 0, 2)
{
	uint32_t value = 0, port;

	open_switch(true, _i);
	switch_send(&s, 1, 0, 2, 1, 0, 1000);
	one_switch_run(&s, 2 * NODE_US);
	port = packet_expect_of(0xc, 1000);
	reroute_arrive(port, header_of_packet(port).flow_id, 3 * NODE_US, 0);
	ck_assert_uint_eq(stats_of(1)->redirects, _i);
	ck_assert_uint_eq(reroutes(1, &value), !_i);
	ck_assert_uint_eq(value, _i ? 0 : FAR_AWAY + CHOICE);
}

/* FC-15: the flow stops until its extent is 0, then takes the other port: nothing is overtaken */
TEST(reroute_emptied__then_the_other_port)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	reroute_arrive(port, flow_id, 2 * NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	host_send(&s, 0, 4 * NODE_US, 2, 0, 0, 1100);
	one_switch_run(&s, 8 * NODE_US);
	no_packet_expect(2);
	no_packet_expect(3);
	switch_send_ack(&s, port, 9 * NODE_US, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, 12 * NODE_US);
	no_packet_expect(port);
	packet_expect(5 - port, 1100);
	ck_assert_uint_eq(drops_all(), 0);
}

/* the flow has no packets when its extent becomes 0 */
TEST(reroute_emptied__without_packets)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	reroute_arrive(port, flow_id, 2 * NODE_US, FAR_AWAY);
	switch_send_ack(&s, port, 4 * NODE_US, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, 6 * NODE_US);
	all_released_expect(); /* the flow has ended: it has no channel to move */
	host_send(&s, 0, 7 * NODE_US, 2, 0, 0, 1100);
	one_switch_run(&s, 9 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->tx_packets + stats_of(3)->tx_packets, 2);
}

/* ours: a flow that has moved keeps its port for redirect_pause */
TEST(reroute_on_ack__not_again_within_the_pause)
{
	uint32_t flow_id, port = flow_begin(&flow_id);
	node_time_t moved = 9 * NODE_US;

	reroute_arrive(port, flow_id, 2 * NODE_US, FAR_AWAY);
	host_send(&s, 0, 4 * NODE_US, 2, 0, 0, 1100);
	one_switch_run(&s, 8 * NODE_US);
	switch_send_ack(&s, port, moved, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, moved + 2 * NODE_US);
	port = 5 - port;
	flow_id = channel_expect(port, 1100);
	reroute_arrive(port, flow_id, moved + 3 * NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	reroute_arrive(port, flow_id, moved + PAUSE + 2 * NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 2);
}

/* a source of endpoint congestion keeps its path: another path would not help */
TEST(reroute_on_ack__source_of_congestion)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	switch_send_ack(&s, port, 2 * NODE_US, flow_id, ACK_ECA, 9);
	one_switch_run(&s, 3 * NODE_US);
	reroute_arrive(port, flow_id, 4 * NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
}
