/*  switchd/flow_channel/reroute: redirects in a tree: the port that an ACK names, and outputs,
 *  which leave links downward to the input at their lower end (FC-25, ours). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

/* ---- the port that the flow takes ---- */

TEST_GROUP(tree, .teardown = teardown);

/* A flow of host 0 has just left by @first. After its pause a REROUTE ACK with @value arrives for
 * it. Return: its port then. */
static uint32_t moved_to(uint32_t first, uint32_t value)
{
	uint32_t flow_id = header_of_packet(first).flow_id;

	reroute_arrive(first, flow_id, SETTLED, value);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	host_send(&s, 0, SETTLED + 2 * NODE_US, 2, 0, 0, 1100);
	switch_send_ack(&s, first, SETTLED + 5 * NODE_US, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, SETTLED + 8 * NODE_US);
	ck_assert_uint_eq(drops_all(), 0);
	return packet_expect_of(0xe, 1100);
}

/* An edge switch with p1, p2 and p3 upward. A flow of host 0 to switch 2 leaves by *@first of
 * @candidates. Return: its port after a REROUTE ACK with @value. */
static uint32_t moved_by(uint32_t candidates, uint32_t value, uint32_t *first)
{
	open_tree(0xe, candidates, 0xe, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	*first = packet_expect_of(0xe, 1000);
	return moved_to(*first, value);
}

/* the ACK names port _i. If that is the flow's own port, the flow leaves it. */
TEST_RANGE(reroute_on_ack__by_the_port_with_capacity, 1, 4)
{
	uint32_t first, then = moved_by(0xe, FAR_AWAY + (uint32_t)_i * HINT, &first);

	if ((uint32_t)_i == first)
		ck_assert_uint_ne(then, first);
	else
		ck_assert_int_eq(then, _i);
}

/* p1 is no next hop, the other numbers are of no port: the ACK counts as one without a port */
TEST_RANGE(reroute_on_ack__hint_to_no_next_hop, 0, 3)
{
	static const uint32_t hints[] = { 1, 4, 63 };
	uint32_t first, then = moved_by(0xc, FAR_AWAY + hints[_i] * HINT, &first);

	ck_assert_uint_eq(then, 5 - first);
}

TEST(reroute_on_ack__hinted_port_is_down)
{
	uint32_t first, down;

	open_tree(0xe, 0xe, 0xe, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	first = packet_expect_of(0xe, 1000);
	down = first == 3 ? 2 : 3;
	s.dp->routes.ports_up &= ~(1ull << down);
	ck_assert_uint_eq(moved_to(first, FAR_AWAY + down * HINT), first == 1 ? 2 : 1);
}

/* a flow that has just begun keeps its port: switches downstream do not know its load yet */
TEST(reroute_begin__stays_for_the_pause)
{
	uint32_t port;

	open_tree(0xc, 0xc, 0xc, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	port = packet_expect_of(0xc, 1000);
	reroute_arrive(port, header_of_packet(port).flow_id, TREE_PAUSE - NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
	reroute_arrive(port, header_of_packet(port).flow_id, TREE_PAUSE + NODE_US, FAR_AWAY);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* a switch without a choice counts itself, up to seven, and changes nothing else */
TEST_RANGE(reroute_on_ack__hint_is_sent_on, 0, 4)
{
	static const uint32_t received[] = { FAR_AWAY + 63 * HINT, FAR_AWAY + 6 * JOIN + 63 * HINT,
					     FAR_AWAY + 7 * JOIN + 63 * HINT,
					     FAR_AWAY + CHOICE + 7 * JOIN },
			      sent[] = { FAR_AWAY + JOIN + 63 * HINT,
					 FAR_AWAY + 7 * JOIN + 63 * HINT,
					 FAR_AWAY + 7 * JOIN + 63 * HINT,
					 FAR_AWAY + CHOICE + 7 * JOIN };
	uint32_t value = 0;

	open_tree(0xc, 1 << 2, 1 << 3, 0);
	switch_send(&s, 3, 0, 2, 1, 0, 1000);
	one_switch_run(&s, SETTLED);
	reroute_arrive(2, channel_expect(2, 1000), SETTLED, received[_i]);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, sent[_i]);
}

/* An output upward is congested, and no other one has two flows less: switches upstream could do no
 * better, as long as all links are up. _i: a link is down. */
TEST_RANGE(reroute_on_ack__upward_it_ends, 0, 2)
{
	uint32_t value = 0, port;

	open_tree(0xf, 0xc, 0xc, 0);
	switch_send(&s, 1, 0, 2, 1, 0, 1000);
	switch_send(&s, 1, NODE_US, 3, 2, 0, 1000);
	one_switch_run(&s, SETTLED);
	port = packet_expect_of(0xc, 1000);
	packet_expect(5 - port, 1000); /* one flow each */
	if (_i)
		s.dp->routes.ports_up &= ~1ull;
	reroute_arrive(port, header_of_packet(5 - port).flow_id, SETTLED, 0);
	ck_assert_uint_eq(stats_of(1)->redirects, 0);
	ck_assert_uint_eq(reroutes(1, &value), _i);
}

/* ---- outputs downward ---- */

/* A flow from switch 3 and one of host 0 wait for p2, a port downward, which is blocked. @source:
 * the latter is a source of congestion. */
static void congest_downward(bool source)
{
	open_tree(0xc, 1 << 2, 1 << 3, 1);
	switch_send(&s, 3, 0, 2, 1, 0, 1000);
	host_send(&s, 0, NODE_US, 3, 0, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(2, 1000);
	packet_expect(2, 1000);
	if (source)
		switch_send_ack(&s, 2, 6 * NODE_US, header_of_packet(2).flow_id, ACK_ECA, 9);
	one_switch_run(&s, SETTLED);
	port_block(2);
	for (uint32_t i = 0; i < 6; i++)
		host_send(&s, 0, SETTLED, 3, 0, 0, 4000);
	one_switch_run(&s, SETTLED + 3 * NODE_US);
	switch_send(&s, 3, SETTLED + 3 * NODE_US, 2, 1, units_of_bytes(1000), 1000);
	one_switch_run(&s, SETTLED + 5 * NODE_US);
}

/* the lower end of the link sends requests: it knows which ports have capacity */
TEST(reroute_look__downward_it_is_for_the_other_end)
{
	uint32_t value;

	congest_downward(false);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(reroutes(3, &value), 0);
}

/* the lower end does not know that the flow waits for a source */
TEST(reroute_look__downward_after_a_source)
{
	uint32_t value = 0;

	congest_downward(true);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, FAR_AWAY + JOIN);
}
