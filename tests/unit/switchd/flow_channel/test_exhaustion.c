/*  switchd/flow_channel: no free line or flow id: flows wait, counted, and lose nothing (FC-9). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(exhaustion, .setup = setup, .teardown = teardown);

/* no free EFCT line: new flows wait, counted, in order; flows with a line are forwarded */
TEST(exhaustion__efct)
{
	uint32_t id;

	s.ports[0].channels = 2;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	host_send(&s, 0, 0, 2, 1, 0, 1001);
	host_send(&s, 0, 0, 2, 2, 0, 1002); /* these wait */
	host_send(&s, 0, 0, 2, 3, 0, 1003);
	host_send(&s, 0, 0, 2, 2, 0, 1004);
	host_send(&s, 0, 0, 2, 0, 0, 1005); /* has a line */
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	id = channel_expect(2, 1001);
	packet_expect(2, 1005);
	no_packet_expect(2);
	ck_assert_uint_eq(stats_of(0)->channel_waits, 3);
	switch_send_ack(&s, 2, NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(
		2, 1002); /* the flow that has waited longest gets the line, for all its packets */
	id = channel_expect(2, 1004);
	no_packet_expect(2);
	host_send(&s, 0, 2 * NODE_US, 2, 3, 0, 1006); /* may not overtake 1003 */
	switch_send_ack(&s, 2, 3 * NODE_US, id, ACK_DELTA, 8);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(2, 1003);
	packet_expect(2, 1006);
	ck_assert_uint_eq(stats_of(0)->efct_used_max, 2);
	ck_assert_uint_eq(drops_all(), 0);
}

/* no free flow id on the output link: flows wait in their own queues and get ids in the order of
 * arrival; other flows are forwarded */
TEST(exhaustion__ofct)
{
	node_time_t now = NODE_US;

	s.ports[2].channels = 1;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 4; i++)
		host_send(&s, i % 2, 0, 2, i, 0, 1000 + i);
	host_send(&s, 0, 0, 4, 9, 0, 1009); /* to another switch */
	host_send(&s, 0, 0, 2, 0, 0, 1000); /* the flow with the id */
	one_switch_run(&s, now);
	packet_expect(2, 1000);
	packet_expect(2, 1000);
	no_packet_expect(2);
	packet_expect(3, 1009);
	ck_assert_uint_eq(stats_of(2)->channel_waits, 3);
	for (uint32_t i = 1; i < 4; i++) {
		switch_send_ack(&s, 2, now, 0, ACK_DELTA, i == 1 ? 8 : 4);
		one_switch_run(&s, now += NODE_US);
		packet_expect(2, 1000 + i);
		no_packet_expect(2);
	}
	switch_send_ack(&s, 2, now, 0, ACK_DELTA, 4);
	switch_send_ack(&s, 3, now, 0, ACK_DELTA, 4);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(stats_of(2)->ofct_used_max, 1);
}

/* a freed id goes to the flow that has waited longest for it, not to one that waited for an EFCT
 * line until now */
TEST(exhaustion__ofct_before_efct)
{
	s.ports[0].channels = 1;
	s.ports[2].channels = 1;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);            /* has line and id */
	host_send(&s, 0, 0, 2, 1, 0, 1001);            /* waits for the line */
	host_send(&s, 1, 50 * NODE_NS, 2, 0, 0, 1002); /* waits for the id */
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1000);
	switch_send_ack(&s, 2, 2 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(2, 1002);
	no_packet_expect(2);
	switch_send_ack(&s, 2, 3 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(2, 1001);
}

/* a free line goes to one flow after the other, each with all its packets; those of the others go
 * on waiting in their order */
TEST(exhaustion__efct_again_and_again)
{
	static const uint32_t flows[] = { 0, 1, 2, 1, 3, 2, 3 };
	node_time_t now = NODE_US;
	uint32_t id;

	s.ports[0].channels = 1;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 7; i++)
		host_send(&s, 0, 0, 2, flows[i], 0, 1000 + i);
	one_switch_run(&s, now);
	id = channel_expect(2, 1000);
	no_packet_expect(2);
	ck_assert_uint_eq(stats_of(0)->channel_waits, 6);
	switch_send_ack(&s, 2, now, id, ACK_DELTA, 4);
	one_switch_run(&s, now += NODE_US);
	packet_expect(2, 1001);
	id = channel_expect(2, 1003);
	no_packet_expect(2);
	switch_send_ack(&s, 2, now, id, ACK_DELTA, 8);
	one_switch_run(&s, now += NODE_US);
	packet_expect(2, 1002);
	id = channel_expect(2, 1005);
	no_packet_expect(2);
	switch_send_ack(&s, 2, now, id, ACK_DELTA, 8);
	one_switch_run(&s, now += NODE_US);
	packet_expect(2, 1004);
	id = channel_expect(2, 1006);
	no_packet_expect(2);
	switch_send_ack(&s, 2, now, id, ACK_DELTA, 8);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}
