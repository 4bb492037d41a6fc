/*  switchd/flow_channel/reroute: redirects for a group of flows of one link ([S3] on fig. 10,
 *  FC-25). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

/* ---- the output requests ---- */

#define GROUP_FLOWS 8u
#define GROUP_PORT 3u

/* Flows 0 to 7 from switch 3 wait for p2, which is blocked; data of each is downstream. After the
 * first interval one of them has another packet: at most @most flows are redirected. */
static void congest_group(uint32_t most, uint32_t full_units)
{
	open_switch(false, false);
	s.config.switch_.routing.redirect_group = most;
	s.config.switch_.routing.redirect_interval_ps = 20 * NODE_US;
	s.config.switch_.routing.redirect_full_units = full_units;
	for (uint32_t f = 0; f < GROUP_FLOWS; f++)
		switch_send(&s, GROUP_PORT, 0, 2, f, 0, 500);
	one_switch_run(&s, 5 * NODE_US);
	for (uint32_t f = 0; f < GROUP_FLOWS; f++)
		packet_expect(2, 500);
	port_block(2);
	for (uint32_t i = 0; i < 5; i++) /* fill the output's queue */
		switch_send(&s, GROUP_PORT, 6 * NODE_US, 2, 0,
			    units_of_bytes(500) + i * units_of_bytes(4000), 4000);
	for (uint32_t f = 1; f < GROUP_FLOWS; f++)
		switch_send(&s, GROUP_PORT, 10 * NODE_US, 2, f, units_of_bytes(500), 500);
	one_switch_run(&s, 20 * NODE_US);
	while (neighbour_receive_any(&s, GROUP_PORT, &got))
		; /* the requests while two of them waited */
	switch_send(&s, GROUP_PORT, 40 * NODE_US, 2, 1, 2 * units_of_bytes(500), 500);
	one_switch_run(&s, 50 * NODE_US);
}

TEST_GROUP(group, .teardown = teardown);

/* One frame for the group: an ACK for each flow, with the number of flows on the link. No flow
 * twice, and at most half of the flows that wait. */
TEST_RANGE(reroute_look__a_group_in_one_frame, 0, 5)
{
	uint32_t most = 1u << _i, expected = most < GROUP_FLOWS / 2 ? most : GROUP_FLOWS / 2, count;
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t flows = 0;

	congest_group(most, 1);
	count = acks_receive(GROUP_PORT, acks);
	ck_assert_uint_eq(count, expected);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(acks[i].type, ACK_REROUTE);
		ck_assert_uint_lt(acks[i].flow_id, GROUP_FLOWS);
		ck_assert(!(flows >> acks[i].flow_id & 1));
		flows |= 1u << acks[i].flow_id;
		ck_assert_uint_eq(acks[i].value,
				  FAR_AWAY + JOIN + (most > 1 ? GROUP_FLOWS * FLOWS : 0));
	}
	ck_assert(flows & 1 << 1); /* the flow whose packet arrived */
	ck_assert(!neighbour_receive(&s, GROUP_PORT, RECORD_ACKS, &got));
}

/* in mild congestion at most the flow of the header: 69 units wait; 100000 would redirect for
 * certain */
TEST(reroute_look__a_group_in_mild_congestion)
{
	congest_group(8, 100000);
	ck_assert_uint_le(stats_of(2)->reroute_acks, 1);
}

/* ---- the switch that obeys ---- */

/* two flows of host 0 to switch 2, over p2 or p3 */
static struct {
	uint32_t port, flow_id;
} member[2];

/* @together: both flows have the same port */
static void group_begin(bool together)
{
	uint32_t flow = 0;

	open_switch(true, false);
	s.config.switch_.routing.redirect_group = 8;
	s.config.switch_.routing.redirect_interval_ps = 10 * NODE_US;
	for (uint32_t m = 0; m < 2; m++)
		do { /* more flows, until one has the wanted port */
			host_send(&s, 0, flow * NODE_US, 2, flow, 0, 1000);
			one_switch_run(&s, (flow + 1) * NODE_US);
			flow++;
			member[m].port = packet_expect_of(0xc, 1000);
			member[m].flow_id = header_of_packet(member[m].port).flow_id;
		} while (m && (member[1].port == member[0].port) != together && flow < 10);
	ck_assert_int_eq(member[0].port == member[1].port, together);
}

/* member @m is notified at @at that @flows share a link downstream of its port */
static void group_notify(uint32_t m, node_time_t at, uint32_t flows)
{
	reroute_arrive(member[m].port, member[m].flow_id, at, FAR_AWAY + JOIN + flows * FLOWS);
}

#define NOTIFIED (20 * NODE_US)

/* a port without a number counts 0 */
TEST(reroute_on_ack__a_port_without_report)
{
	group_begin(true);
	group_notify(0, NOTIFIED, 2);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* The other port has the number 3. A flow moves away from 5, not from 4: it would be one of 4
 * there. */
TEST_RANGE(reroute_on_ack__two_less_at_least, 2, 6)
{
	group_begin(false);
	group_notify(1, NOTIFIED, 3);
	ck_assert_uint_eq(stats_of(0)->redirects, 1); /* the first member's port has no number */
	group_notify(0, NOTIFIED + 10 * NODE_US, (uint32_t)_i);
	ck_assert_uint_eq(stats_of(0)->redirects, 1 + (_i > 3)); /* one of three has moved */
}

/* two flows of a group of _i, in one frame. With two or three on the link one moves: then the
 * numbers are too close. */
TEST_RANGE(reroute_on_ack__a_group_that_counts_itself, 2, 6)
{
	struct ack acks[2];

	group_begin(true);
	for (uint32_t m = 0; m < 2; m++)
		acks[m] =
			(struct ack){ .flow_id = (uint16_t)member[m].flow_id,
				      .type = ACK_REROUTE,
				      .value = (uint16_t)(FAR_AWAY + JOIN + (uint32_t)_i * FLOWS) };
	switch_send_acks(&s, member[0].port, NOTIFIED, acks, 2);
	one_switch_run(&s, NOTIFIED + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, _i < 4 ? 1 : 2);
	ck_assert_uint_eq(drops_all(), 0);
}

/* an old number fades: the port is tried again */
TEST(reroute_on_ack__reports_fade)
{
	node_time_t later;

	group_begin(false);
	later = NOTIFIED + 33 * s.config.switch_.routing.redirect_interval_ps;
	s.dp->ports[member[1].port].fabric.told =
		(struct redirect_told){ .at_ps = NOTIFIED, .flows = 4 };
	group_notify(0, NOTIFIED + NODE_US, 4);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
	group_notify(0, later, 4);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* A frame with three ACKs for one flow, one for a free channel, and one for a flow alone on its
 * link, which is impossible. The flow stops once; bad ACKs are counted and change nothing. */
TEST(reroute_on_ack__malformed)
{
	uint16_t value = FAR_AWAY + JOIN + 9 * FLOWS;
	struct ack acks[5];

	group_begin(true);
	for (uint32_t i = 0; i < 5; i++)
		acks[i] = (struct ack){ .flow_id = (uint16_t)member[0].flow_id,
					.type = ACK_REROUTE,
					.value = value };
	acks[0].value = FAR_AWAY + JOIN + FLOWS;
	acks[2].flow_id = 15;
	switch_send_acks(&s, member[0].port, NOTIFIED, acks, 5);
	one_switch_run(&s, NOTIFIED + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 2);
	ck_assert_uint_eq(drops_all(), 2);
}
