/*  switchd/flow_channel/reroute: in a tree the input at the lower end of a full link requests that
 *  a flow arrives by another one (FC-25, ours; input_load.h). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

#define TREE_WINDOW NODE_US /* of the load of an input */
#define STREAM_BYTES 4000u
#define ALL_HOSTS UINT32_MAX

static uint32_t positions[3]; /* of the next packets of stream(), by host */

/* p0 is downward, to hosts 2 to 4; the ports of @upward are upward */
static void open_below(uint32_t upward)
{
	memset(positions, 0, sizeof(positions));
	open_tree(0xf, 1 << 0, upward, 0);
}

/* Frames for @hosts hosts from host 2 on arrive over p2, from @begin to @end, with @idle_ps between
 * any two. @ordered: set of hosts; flows to others are unordered. */
static void stream(node_time_t begin, node_time_t end, uint32_t hosts, node_time_t idle_ps,
		   uint32_t ordered)
{
	uint32_t count = 0;

	for (node_time_t at = begin; at < end; count++) {
		uint32_t host = count % hosts;

		switch_send_of(&s, 2, at, 2 + host, 1 + host, positions[host], STREAM_BYTES,
			       ordered >> host & 1);
		positions[host] += units_of_bytes(STREAM_BYTES);
		at = s.neighbours[2].busy_until_ps + idle_ps;
		if (count % 16 == 15)
			one_switch_run(&s, at - idle_ps);
	}
	one_switch_run(&s, end + NODE_US);
	ck_assert_uint_eq(drops_all(), 0);
}

/* the input requests nothing of such a stream */
static void no_request_expect(uint32_t hosts, node_time_t idle_ps, uint32_t ordered)
{
	stream(SETTLED, SETTLED + TREE_INTERVAL, hosts, idle_ps, ordered);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* so much has arrived over @port that it has no capacity, at any time */
static void fill(uint32_t port)
{
	s.dp->ports[port].fabric.input_load.bytes = 1ull << 40;
}

TEST_GROUP(arrived, .teardown = teardown);

/* the first port (_i = 0) or the third has capacity; the flow that was there first is to move */
TEST_RANGE(reroute_arrived__names_the_port_with_capacity, 0, 2)
{
	uint32_t value = 0;

	open_below(0xe);
	fill(_i ? 1 : 3);
	stream(SETTLED, SETTLED + 4 * TREE_WINDOW, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(rerouted, 1);
	ck_assert_uint_eq(value, FAR_AWAY + (_i ? 3 : 1) * HINT);
}

/* a request takes time to act: for an interval no flow is sent to the same port, for half of one no
 * flow away from here; the next request is for another flow */
TEST(reroute_arrived__once_in_an_interval)
{
	uint32_t value;

	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(rerouted, 1);
	stream(SETTLED + TREE_INTERVAL, SETTLED + 2 * TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(rerouted, 2);
}

/* no request to another port in half of an interval */
TEST(reroute_arrived__quiet_for_half_an_interval)
{
	open_below(0xe);
	stream(SETTLED, SETTLED + TREE_INTERVAL / 2, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
}

/* p1 has been named to another flow */
TEST(reroute_arrived__another_one_is_sent_elsewhere)
{
	uint32_t value = 0;

	open_below(0xe);
	s.dp->ports[1].fabric.input_load.named_until_ps = FAR;
	stream(SETTLED, SETTLED + TREE_INTERVAL / 2, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(value, FAR_AWAY + 3 * HINT);
	ck_assert_uint_gt(s.dp->ports[3].fabric.input_load.named_until_ps, SETTLED + TREE_INTERVAL);
}

/* all ports are full: a flow is sent to one with two flows less */
TEST(reroute_arrived__fewer_flows_elsewhere)
{
	uint32_t value = 0;

	open_below(0xe);
	fill(1);
	fill(3);
	s.dp->ports[1].fabric.input_load.last_hosts = 7;
	s.dp->ports[3].fabric.input_load.last_hosts = 1;
	stream(SETTLED, SETTLED + TREE_INTERVAL, 3, 0, ALL_HOSTS);
	ck_assert_uint_ge(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_ge(reroutes(2, &value), 1);
	ck_assert_uint_eq(value, FAR_AWAY + 3 * HINT);
}

TEST(reroute_arrived__no_port_has_capacity)
{
	open_below(0xe);
	fill(1);
	fill(3);
	s.dp->ports[1].fabric.input_load.last_hosts = s.dp->ports[3].fabric.input_load.last_hosts =
		1;
	no_request_expect(2, 0, ALL_HOSTS);
}

/* a slow link is full with less bytes */
TEST(reroute_arrived__the_other_one_is_slow)
{
	open_below(0xc);
	s.ports[3].rate_bps /= 4;
	s.dp->ports[3].fabric.input_load.bytes = 240000; /* since 0: more than it can carry */
	s.dp->ports[3].fabric.input_load.last_hosts = 1;
	no_request_expect(2, 0, ALL_HOSTS);
}

/* an idle link is down */
TEST(reroute_arrived__the_other_one_is_down)
{
	open_below(0xc);
	s.dp->routes.ports_up &= ~(1ull << 3);
	no_request_expect(2, 0, ALL_HOSTS);
}

TEST(reroute_arrived__one_host)
{
	open_below(0xc);
	no_request_expect(1, 0, ALL_HOSTS);
}

/* two flows, and the link is idle for a fifth of the time */
TEST(reroute_arrived__not_full)
{
	open_below(0xc);
	no_request_expect(2, STREAM_BYTES * BYTE_PS / 4, ALL_HOSTS);
}

TEST(reroute_arrived__unordered)
{
	open_below(0xc);
	no_request_expect(2, 0, 0);
}

/* unordered flows use all paths and cannot move: the ordered flow that was there first is to
 * move */
TEST(reroute_arrived__beside_unordered)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, 1u << 1);
	ck_assert_uint_ge(stats_of(2)->reroute_acks, 1);
}

/* p2 is no port upward: the switch downstream has chosen the port */
TEST(reroute_arrived__from_below)
{
	open_below(0xa);
	no_request_expect(2, 0, ALL_HOSTS);
}

/* a source would be no faster on another path, and no other flow is to move while the source is the
 * one that was there first */
TEST(reroute_arrived__source_of_congestion)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_WINDOW / 2, 2, 0, ALL_HOSTS);
	packet_expect(0, STREAM_BYTES);
	switch_send_ack(&s, 0, SETTLED + TREE_WINDOW, header_of_packet(0).flow_id, ACK_ECA, 9);
	stream(SETTLED + 2 * TREE_WINDOW, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* without ports upward nothing is counted */
TEST(reroute_arrived__no_tree)
{
	open_below(0);
	no_request_expect(2, 0, ALL_HOSTS);
	ck_assert_uint_eq(s.dp->ports[2].fabric.input_load.last_bytes, 0);
}
