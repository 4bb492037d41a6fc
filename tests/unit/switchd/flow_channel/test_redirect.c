/*  switchd/flow_channel/redirect, switchd/flow_channel/reroute: when an output asks, who obeys, and
 *  how a flow then moves (FC-25). Switch 2 is reached over p2 or p3, if a test says so, else over
 *  p2; switch 3 over p3. */
#include <stdlib.h>

#include "switchd/flow_channel/redirect.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define DEPTH_UNITS 10u
#define FULL_UNITS 40u
#define INTERVAL (5 * NODE_US)
#define PAUSE (20 * NODE_US)
#define TRIALS 4000u

/* what a REROUTE ACK says: reroute.c */
#define CHOICE 1u
#define FELT_AFAR 2u
#define JOIN 4u
#define HINT 32u
#define FLOWS 32u /* in groups, in its place */

/* ---- when: depth, growth, a random number ---- */

static struct routing_config config;
static struct redirect_gauge gauge;
static struct random numbers;

static void decision_setup(void)
{
	config = (struct routing_config){ .redirect = true,
					  .redirect_depth_units = DEPTH_UNITS,
					  .redirect_full_units = FULL_UNITS,
					  .redirect_interval_ps = INTERVAL };
	gauge = (struct redirect_gauge){ 0 };
	random_init(&numbers, 1, 0);
}

/* @units deep, at an output that has not asked yet and whose queue began the interval @began_units
 * deep */
static bool wanted(uint32_t units, uint32_t began_units)
{
	gauge = (struct redirect_gauge){ .since_ps = INTERVAL,
					 .base_bytes = (uint64_t)began_units * UNIT_BYTES };
	return redirect_wanted(&config, &gauge, &numbers, (uint64_t)units * UNIT_BYTES, 2,
			       INTERVAL + 1);
}

/* of TRIALS headers that come into such a queue */
static uint32_t count_wanted(uint32_t units, uint32_t began_units)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < TRIALS; i++)
		count += wanted(units, began_units);
	return count;
}

/* the congestion value was @value: it is greater than one random number in FULL_UNITS / value */
static void share_expect(uint32_t count, uint32_t value)
{
	uint32_t expected = TRIALS * value / FULL_UNITS;

	ck_assert_uint_gt(count, expected - TRIALS / 50);
	ck_assert_uint_lt(count, expected + TRIALS / 50);
}

TEST_GROUP(decision, .setup = decision_setup);

TEST(redirect_wanted__not_up_to_the_depth)
{
	struct random before = numbers;

	ck_assert_uint_eq(count_wanted(DEPTH_UNITS, DEPTH_UNITS), 0);
	ck_assert_mem_eq(&numbers, &before, sizeof(before)); /* nothing was drawn */
	config.redirect = false;
	ck_assert_uint_eq(count_wanted(1000, 0), 0);
}

/* few in mild congestion, more in severe, all from redirect_full on */
TEST(redirect_wanted__more_the_deeper)
{
	share_expect(count_wanted(DEPTH_UNITS + 4, 1000), 4);
	share_expect(count_wanted(DEPTH_UNITS + 20, 1000), 20);
	ck_assert_uint_eq(count_wanted(DEPTH_UNITS + FULL_UNITS, 1000), TRIALS);
}

/* the depth's derivative counts, by its weight; a queue that becomes shorter is none the better for
 * it */
TEST(redirect_wanted__more_the_faster_it_grows)
{
	config.redirect_growth_weight_permille = 2000;
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS + 4), 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS), 4 + 2 * 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, 0), 4 + 2 * 14);
	share_expect(count_wanted(DEPTH_UNITS + 4, 1000), 4);
}

/* ours: an output asks one flow in an interval */
TEST(redirect_wanted__once_in_an_interval)
{
	uint64_t deep = 1000 * UNIT_BYTES;

	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL + 1));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, 10 * deep, 2, 2 * INTERVAL - 1));
	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, 2 * INTERVAL));
}

/* [S2]: any header may ask; in severe congestion each does, and how many do grows with the depth
 * without a bound */
TEST(redirect_wanted__by_depth_without_a_bound)
{
	uint32_t asked[2] = { 0 };

	config.redirect_rule = REDIRECT_BY_DEPTH;
	for (uint32_t deep = 0; deep < 2; deep++)
		for (uint32_t i = 0; i < TRIALS; i++)
			asked[deep] += redirect_wanted(
				&config, &gauge, &numbers,
				(DEPTH_UNITS + (deep ? FULL_UNITS : 4)) * UNIT_BYTES, 2, INTERVAL);
	share_expect(asked[0], 4);
	ck_assert_uint_eq(asked[1], TRIALS);
}

/* [S3]: a group at one time, then none for an interval, whatever the rule */
TEST_RANGE(redirect_wanted__a_group_once_in_an_interval, 0, 2)
{
	uint64_t deep = 1000 * UNIT_BYTES;

	config.redirect_rule = _i ? REDIRECT_BY_DEPTH : REDIRECT_BY_LOADS;
	config.redirect_group = 16;
	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 32, INTERVAL));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, deep, 32, 2 * INTERVAL - 1));
	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 32, 2 * INTERVAL));
}

TEST(redirect_group_most__half_of_those_that_wait)
{
	config.redirect_group = 16;
	ck_assert_uint_eq(redirect_group_most(&config, 2), 1);
	ck_assert_uint_eq(redirect_group_most(&config, 3), 1);
	ck_assert_uint_eq(redirect_group_most(&config, 31), 15);
	ck_assert_uint_eq(redirect_group_most(&config, 1000), 16);
}

/* each of a group by a number of its own: few in mild congestion, more in severe */
TEST_RANGE(redirect_also_wanted__more_the_deeper, 0, 4)
{
	uint32_t depths[] = { DEPTH_UNITS, DEPTH_UNITS + 4, DEPTH_UNITS + 20,
			      DEPTH_UNITS + FULL_UNITS };
	uint32_t values[] = { 0, 4, 20, FULL_UNITS }, count = 0;

	gauge.since_ps = INTERVAL;
	gauge.base_bytes = 1000 * UNIT_BYTES;
	for (uint32_t i = 0; i < TRIALS; i++)
		count += redirect_also_wanted(&config, &gauge, &numbers,
					      (uint64_t)depths[_i] * UNIT_BYTES, INTERVAL);
	if (!values[_i])
		ck_assert_uint_eq(count, 0);
	else if (values[_i] == FULL_UNITS)
		ck_assert_uint_eq(count, TRIALS);
	else
		share_expect(count, values[_i]);
}

/* ---- who: one switch ---- */

/* @two_ways: to switch 2. Every header above an empty queue is reason enough. p1 leads to a switch,
 * too. */
static void open_switch(bool two_ways, bool anywhere)
{
	setup();
	s.ports[1].kind = PORT_FABRIC;
	s.routes[0].ports = two_ways ? 1 << 2 | 1 << 3 : 1 << 2;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE,
							    .detour_draws = 1,
							    .hold_ps = NODE_S,
							    .redirect = true,
							    .redirect_anywhere = anywhere,
							    .redirect_full_units = 1,
							    .redirect_interval_ps = NODE_NS,
							    .redirect_pause_ps = PAUSE,
							    .seed = 7 };
	one_switch_open(&s);
}

static uint32_t rerouted; /* flow_id of the last REROUTE ACK that was received */

/* how many REROUTE ACKs have come out of fabric port @port, the last one's value in *@value */
static uint32_t reroutes(uint32_t port, uint32_t *value)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t found = 0;

	while (neighbour_receive(&s, port, RECORD_ACKS, &got)) {
		int count = ack_frame_read(got.bytes, got.header.captured_bytes, acks);

		for (int i = 0; i < count; i++) {
			if (acks[i].type != ACK_REROUTE)
				continue;
			found++;
			*value = acks[i].value;
			rerouted = acks[i].flow_id;
		}
	}
	return found;
}

/* switch 3 sends to host 2 while p2 stands still; something of its flow is downstream already */
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

TEST_GROUP(way, .teardown = teardown);

TEST(reroute_look__another_flow_waits)
{
	uint32_t value = 99;

	congest(true);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	/* the switch that suffers has no choice itself */
	ck_assert_uint_eq(value, FELT_AFAR + JOIN);
}

/* ours: alone it would be no faster anywhere else */
TEST(reroute_look__alone)
{
	uint32_t value;

	congest(false);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(reroutes(3, &value), 0);
}

/* no choice here: it goes on to the switch before, which learns that the queue is not its own, and
 * how many ways have joined */
TEST(reroute_on_ack__no_choice)
{
	uint32_t value = 0;

	open_switch(false, true);
	switch_send(&s, 3, 0, 2, 1, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(2, 1000);
	switch_send_ack(&s, 2, 5 * NODE_US, header_of_packet(2).flow_id, ACK_REROUTE, JOIN);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, FELT_AFAR + 2 * JOIN);
	ck_assert_uint_eq(stats_of(3)->redirects, 0);
}

/* _i: is a switch in the middle of the fabric enabled? If not it says that it could have chosen,
 * for the ingress edge */
TEST_RANGE(reroute_on_ack__in_the_middle, 0, 2)
{
	uint32_t value = 0, port = 2;

	open_switch(true, _i);
	switch_send(&s, 1, 0, 2, 1, 0, 1000);
	one_switch_run(&s, 2 * NODE_US);
	if (!neighbour_receive(&s, port, RECORD_PACKET, &got)) {
		port = 3;
		ck_assert(neighbour_receive(&s, port, RECORD_PACKET, &got));
	}
	switch_send_ack(&s, port, 3 * NODE_US, header_of_packet(port).flow_id, ACK_REROUTE, 0);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->redirects, _i);
	ck_assert_uint_eq(reroutes(1, &value), !_i);
	ck_assert_uint_eq(value, _i ? 0 : FELT_AFAR + CHOICE);
}

/* host 0's flow, one packet of which is downstream; the port that it went over */
static uint32_t flow_begin(uint32_t *flow_id)
{
	uint32_t port = 2;

	open_switch(true, false);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	if (!neighbour_receive(&s, port, RECORD_PACKET, &got)) {
		port = 3;
		ck_assert(neighbour_receive(&s, port, RECORD_PACKET, &got));
	}
	*flow_id = header_of_packet(port).flow_id;
	return port;
}

static void redirect_hear(uint32_t port, uint32_t flow_id, node_time_t at)
{
	switch_send_ack(&s, port, at, flow_id, ACK_REROUTE, FELT_AFAR);
	one_switch_run(&s, at + NODE_US);
}

/* stopped until its extent is 0, then on over the other port: nothing is overtaken (FC-15) */
TEST(reroute_emptied__then_the_other_port)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	redirect_hear(port, flow_id, 2 * NODE_US);
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

/* it has packets when it is asked: those wait, too */
TEST(reroute_emptied__without_packets)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	redirect_hear(port, flow_id, 2 * NODE_US);
	switch_send_ack(&s, port, 4 * NODE_US, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, 6 * NODE_US);
	all_released_expect(); /* a flow of which nothing is left has no channel to move */
	host_send(&s, 0, 7 * NODE_US, 2, 0, 0, 1100);
	one_switch_run(&s, 9 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->tx_packets + stats_of(3)->tx_packets, 2);
}

/* ours: it stays where it is for redirect_pause */
TEST(reroute_on_ack__not_again_within_the_pause)
{
	uint32_t flow_id, port = flow_begin(&flow_id);
	node_time_t moved = 9 * NODE_US;

	redirect_hear(port, flow_id, 2 * NODE_US);
	host_send(&s, 0, 4 * NODE_US, 2, 0, 0, 1100);
	one_switch_run(&s, 8 * NODE_US);
	switch_send_ack(&s, port, moved, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, moved + 2 * NODE_US);
	port = 5 - port;
	packet_expect(port, 1100);
	flow_id = header_of_packet(port).flow_id;
	redirect_hear(port, flow_id, moved + 3 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	redirect_hear(port, flow_id, moved + PAUSE + 2 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 2);
}

/* a source of endpoint congestion keeps its path: another one would not help */
TEST(reroute_on_ack__source_of_congestion)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	switch_send_ack(&s, port, 2 * NODE_US, flow_id, ACK_ECA, 9);
	one_switch_run(&s, 3 * NODE_US);
	redirect_hear(port, flow_id, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
}

/* ---- in groups ([S3] on fig. 10) ---- */

#define GROUP_FLOWS 8u
#define GROUP_PORT 3u

/* Flows 0 to 7 from switch 3 wait for p2, which is blocked, and data of each is downstream. None is
 * redirected in the first interval; then one of them has another packet, and a group of @most at
 * most is. */
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
	for (uint32_t i = 0; i < 5; i++) /* fills the output's queue */
		switch_send(&s, GROUP_PORT, 6 * NODE_US, 2, 0,
			    units_of_bytes(500) + i * units_of_bytes(4000), 4000);
	for (uint32_t f = 1; f < GROUP_FLOWS; f++)
		switch_send(&s, GROUP_PORT, 10 * NODE_US, 2, f, units_of_bytes(500), 500);
	one_switch_run(&s, 20 * NODE_US);
	while (neighbour_receive_any(&s, GROUP_PORT, &got))
		; /* what was asked for as two waited */
	switch_send(&s, GROUP_PORT, 40 * NODE_US, 2, 1, 2 * units_of_bytes(500), 500);
	one_switch_run(&s, 50 * NODE_US);
}

/* One frame for all of the group: an ACK for each flow, with the number of flows on the link. No
 * flow twice, and at most half of those that wait. */
TEST_RANGE(reroute_look__a_group_in_one_frame, 0, 5)
{
	uint32_t most = 1u << _i, asked = most < GROUP_FLOWS / 2 ? most : GROUP_FLOWS / 2, count;
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t flows = 0;

	congest_group(most, 1);
	count = acks_receive(GROUP_PORT, acks);
	ck_assert_uint_eq(count, asked);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(acks[i].type, ACK_REROUTE);
		ck_assert_uint_lt(acks[i].flow_id, GROUP_FLOWS);
		ck_assert(!(flows >> acks[i].flow_id & 1));
		flows |= 1u << acks[i].flow_id;
		ck_assert_uint_eq(acks[i].value,
				  FELT_AFAR + JOIN + (most > 1 ? GROUP_FLOWS * FLOWS : 0));
	}
	ck_assert(flows & 1 << 1); /* the one whose packet came */
	ck_assert(!neighbour_receive(&s, GROUP_PORT, RECORD_ACKS, &got));
}

/* in mild congestion at most the flow of the header: 69 units wait, of 100000 for a certain
 * redirect */
TEST(reroute_look__a_group_in_mild_congestion)
{
	congest_group(8, 100000);
	ck_assert_uint_le(stats_of(2)->reroute_acks, 1);
}

/* Host 0's flow and host 1's, both to switch 2, over p2 and p3: on the same port, or not. */
static struct {
	uint32_t port, flow_id;
} member[2];

static void group_begin(bool together)
{
	uint32_t flow = 0;

	open_switch(true, false);
	s.config.switch_.routing.redirect_group = 8;
	s.config.switch_.routing.redirect_interval_ps = 10 * NODE_US;
	for (uint32_t m = 0; m < 2; m++)
		do { /* by which port is drawn or by load; flows of other ports end */
			host_send(&s, 0, flow * NODE_US, 2, flow, 0, 1000);
			one_switch_run(&s, (flow + 1) * NODE_US);
			flow++;
			member[m].port = neighbour_receive(&s, 2, RECORD_PACKET, &got) ? 2 : 3;
			if (member[m].port == 3)
				packet_expect(3, 1000);
			member[m].flow_id = header_of_packet(member[m].port).flow_id;
		} while (m && (member[1].port == member[0].port) != together && flow < 10);
	ck_assert_int_eq(member[0].port == member[1].port, together);
}

/* member @m is told at @at that @flows share a link behind its port */
static void group_tell(uint32_t m, node_time_t at, uint32_t flows)
{
	switch_send_ack(&s, member[m].port, at, member[m].flow_id, ACK_REROUTE,
			FELT_AFAR + JOIN + flows * FLOWS);
	one_switch_run(&s, at + NODE_US / 2);
}

#define TOLD (20 * NODE_US)

/* a port without a number counts 0: with itself a flow would have it alone, or share it with one */
TEST(reroute_on_ack__a_port_without_report)
{
	group_begin(true);
	group_tell(0, TOLD, 2);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* The other port has the number 3. A flow moves from 5, not from 4, as it would be one of 4
 * there. */
TEST_RANGE(reroute_on_ack__two_less_at_least, 2, 6)
{
	group_begin(false);
	group_tell(1, TOLD, 3);
	ck_assert_uint_eq(stats_of(0)->redirects, 1); /* nothing is known of the first one's port */
	group_tell(0, TOLD + 10 * NODE_US, (uint32_t)_i);
	ck_assert_uint_eq(stats_of(0)->redirects, 1 + (_i > 3)); /* one of three has left */
}

/* two flows of a group, in one frame, of three on the link: one moves, then there are two and
 * one */
TEST_RANGE(reroute_on_ack__a_group_that_counts_itself, 2, 6)
{
	struct ack acks[2];

	group_begin(true);
	for (uint32_t m = 0; m < 2; m++)
		acks[m] = (struct ack){ .flow_id = (uint16_t)member[m].flow_id,
					.type = ACK_REROUTE,
					.value = (uint16_t)(FELT_AFAR + JOIN +
							    (uint32_t)_i * FLOWS) };
	switch_send_acks(&s, member[0].port, TOLD, acks, 2);
	one_switch_run(&s, TOLD + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, _i < 4 ? 1 : 2);
	ck_assert_uint_eq(drops_all(), 0);
}

/* an old number counts less: a port is tried again */
TEST(reroute_on_ack__reports_fade)
{
	node_time_t later = TOLD + 33 * s.config.switch_.routing.redirect_interval_ps;

	group_begin(false);
	later = TOLD + 33 * s.config.switch_.routing.redirect_interval_ps;
	s.dp->ports[member[1].port].told = (struct redirect_told){ .at_ps = TOLD, .flows = 4 };
	group_tell(0, TOLD + NODE_US, 4);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
	group_tell(0, later, 4);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* A frame with three ACKs for one flow, one for no channel, and one of a flow alone on its link,
 * which is impossible: the flow is stopped once, bad ones are counted and change nothing. */
TEST(reroute_on_ack__malformed)
{
	uint16_t value = FELT_AFAR + JOIN + 9 * FLOWS;
	struct ack acks[5];

	group_begin(true);
	for (uint32_t i = 0; i < 5; i++)
		acks[i] = (struct ack){ .flow_id = (uint16_t)member[0].flow_id,
					.type = ACK_REROUTE,
					.value = value };
	acks[0].value = FELT_AFAR + JOIN + FLOWS;
	acks[2].flow_id = 15;
	switch_send_acks(&s, member[0].port, TOLD, acks, 5);
	one_switch_run(&s, TOLD + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 2);
	ck_assert_uint_eq(drops_all(), 2);
}

/* ---- in a tree (ours) ---- */

#define TREE_INTERVAL (16 * NODE_US)
#define TREE_WINDOW NODE_US /* of what comes in over a link: input_load.h */
#define TREE_PAUSE (20 * NODE_US)
#define SETTLED (25 * NODE_US) /* flows that began at 0 may be moved */
#define STREAM_BYTES 4000u
#define ALL_HOSTS UINT32_MAX

static uint32_t positions[3]; /* of what the streams have sent, by host */

/* @fabric: set of ports to switches. @ways: those that lead to switch 2. @full_units: 0: no output
 * asks */
static void open_tree(uint32_t fabric, uint32_t ways, uint32_t upward, uint32_t full_units)
{
	setup();
	memset(positions, 0, sizeof(positions));
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].kind = fabric >> p & 1 ? PORT_FABRIC : PORT_EDGE;
	s.routes[0].ports = ways;
	s.routes[2] = (struct route_config){ .fabric_address = ROUTE_UPWARD, .ports = upward };
	s.config.switch_.route_count = 3;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE,
							    .detour_draws = 1,
							    .redirect = true,
							    .redirect_anywhere = true,
							    .redirect_inputs = true,
							    .redirect_full_units = full_units,
							    .redirect_interval_ps = TREE_INTERVAL,
							    .redirect_pause_ps = TREE_PAUSE,
							    .seed = 7 };
	one_switch_open(&s);
}

/* a packet comes out of one of @ports, a set.   Return: which */
static uint32_t packet_expect_of(uint32_t ports, uint32_t frame_bytes)
{
	uint32_t port = 0;

	while (port < PORTS &&
	       !(ports >> port & 1 && neighbour_receive(&s, port, RECORD_PACKET, &got)))
		port++;
	ck_assert_uint_lt(port, PORTS);
	ck_assert_uint_eq(link_frame_bytes(&s.links[port], got.header.wire_bytes), frame_bytes);
	return port;
}

/* ---- in a tree: where the flow goes ---- */

/* An edge switch with three ports upward, p1, p2 and p3; by which host 0's flow to switch 2 has
 * gone at first, and by which then, told
 * @value after it has been there for so long. */
static uint32_t moved_by(uint32_t ways, uint32_t value, uint32_t *first)
{
	uint32_t flow_id;

	open_tree(0xe, ways, 0xe, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	*first = packet_expect_of(0xe, 1000);
	flow_id = header_of_packet(*first).flow_id;
	switch_send_ack(&s, *first, SETTLED, flow_id, ACK_REROUTE, value);
	one_switch_run(&s, SETTLED + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
	host_send(&s, 0, SETTLED + 2 * NODE_US, 2, 0, 0, 1100);
	switch_send_ack(&s, *first, SETTLED + 5 * NODE_US, flow_id, ACK_DELTA,
			units_of_bytes(1000));
	one_switch_run(&s, SETTLED + 8 * NODE_US);
	ck_assert_uint_eq(drops_all(), 0);
	return packet_expect_of(0xe, 1100);
}

/* _i, its number, is the port's; the one that it has already says that it is to leave */
TEST_RANGE(reroute_on_ack__by_the_port_with_capacity, 1, 4)
{
	uint32_t first, then = moved_by(0xe, FELT_AFAR + (uint32_t)_i * HINT, &first);

	if ((uint32_t)_i == first)
		ck_assert_uint_ne(then, first);
	else
		ck_assert_int_eq(then, _i);
}

/* p1 leads to other switches, the other numbers are no port's: as without */
TEST_RANGE(reroute_on_ack__hint_that_leads_nowhere, 0, 3)
{
	static const uint32_t hints[] = { 1, 4, 63 };
	uint32_t first, then = moved_by(0xc, FELT_AFAR + hints[_i] * HINT, &first);

	ck_assert_uint_eq(then, 5 - first);
}

TEST(reroute_on_ack__hinted_port_is_down)
{
	uint32_t flow_id, first;

	open_tree(0xe, 0xe, 0xe, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	first = packet_expect_of(0xe, 1000);
	flow_id = header_of_packet(first).flow_id;
	s.dp->routes.ports_up &= ~(1ull << (first == 3 ? 2 : 3));
	switch_send_ack(&s, first, SETTLED, flow_id, ACK_REROUTE,
			FELT_AFAR + (first == 3 ? 2 : 3) * HINT);
	one_switch_run(&s, SETTLED + NODE_US);
	host_send(&s, 0, SETTLED + 2 * NODE_US, 2, 0, 0, 1100);
	switch_send_ack(&s, first, SETTLED + 5 * NODE_US, flow_id, ACK_DELTA, units_of_bytes(1000));
	one_switch_run(&s, SETTLED + 8 * NODE_US);
	ck_assert_uint_eq(packet_expect_of(0xe, 1100), first == 1 ? 2 : 1);
}

/* a flow that has just begun has chosen by what is known here; its load is not known below yet */
TEST(reroute_begin__stays_for_the_pause)
{
	uint32_t port;

	open_tree(0xc, 0xc, 0xc, 0);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	port = packet_expect_of(0xc, 1000);
	redirect_hear(port, header_of_packet(port).flow_id, TREE_PAUSE - NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
	redirect_hear(port, header_of_packet(port).flow_id, TREE_PAUSE + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* switches without a choice count themselves, to seven, and leave the rest as it is */
TEST_RANGE(reroute_on_ack__hint_goes_on, 0, 4)
{
	static const uint32_t says[] = { FELT_AFAR + 63 * HINT, FELT_AFAR + 6 * JOIN + 63 * HINT,
					 FELT_AFAR + 7 * JOIN + 63 * HINT,
					 FELT_AFAR + CHOICE + 7 * JOIN },
			      goes_on[] = { FELT_AFAR + JOIN + 63 * HINT,
					    FELT_AFAR + 7 * JOIN + 63 * HINT,
					    FELT_AFAR + 7 * JOIN + 63 * HINT,
					    FELT_AFAR + CHOICE + 7 * JOIN };
	uint32_t value = 0;

	open_tree(0xc, 1 << 2, 1 << 3, 0);
	switch_send(&s, 3, 0, 2, 1, 0, 1000);
	one_switch_run(&s, SETTLED);
	packet_expect(2, 1000);
	switch_send_ack(&s, 2, SETTLED, header_of_packet(2).flow_id, ACK_REROUTE, says[_i]);
	one_switch_run(&s, SETTLED + 2 * NODE_US);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, goes_on[_i]);
}

/* _i: a link is down. An output upward is congested, and no other way has two flows less: further
 * up nobody could do better, as long as all links are up. */
TEST_RANGE(reroute_on_ack__upward_it_ends, 0, 2)
{
	uint32_t value = 0, port;

	open_tree(0xf, 0xc, 0xc, 0);
	switch_send(&s, 1, 0, 2, 1, 0, 1000);
	switch_send(&s, 1, NODE_US, 3, 2, 0, 1000);
	one_switch_run(&s, SETTLED);
	port = packet_expect_of(0xc, 1000);
	packet_expect(5 - port, 1000); /* each has one */
	if (_i)
		s.dp->routes.ports_up &= ~1ull;
	switch_send_ack(&s, port, SETTLED, header_of_packet(5 - port).flow_id, ACK_REROUTE, 0);
	one_switch_run(&s, SETTLED + 2 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->redirects, 0);
	ck_assert_uint_eq(reroutes(1, &value), _i);
}

/* ---- in a tree: the lower end of a link asks ---- */

/* p1, p2 and p3 come from above, p0 leads down to hosts 2 and 3. One frame after the other for
 * @hosts of them comes over p2 up to
 * @end, @idle_ps between any two. @ordered: set of hosts; to others packets choose for
 * themselves */
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

static void open_below(uint32_t upward)
{
	open_tree(0xf, 1 << 0, upward, 0);
}

/* so much has come in over @port that it has no room, whenever that is asked */
static void fill(uint32_t port)
{
	s.dp->ports[port].input_load.bytes = 1ull << 40;
}

/* the port with room is the first (_i = 0) or the third; the flow of the input that came first is
 * asked */
TEST_RANGE(reroute_arrived__says_where_room_is, 0, 2)
{
	uint32_t value = 0;

	open_below(0xe);
	fill(_i ? 1 : 3);
	stream(SETTLED, SETTLED + 4 * TREE_WINDOW, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(rerouted, 1);
	ck_assert_uint_eq(value, FELT_AFAR + (_i ? 3 : 1) * HINT);
}

/* who was asked has not left yet, who comes has not come: for an interval nobody is sent to the
 * same port, for half of one and more nobody away from here; then it is another one's turn */
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

/* ... to another one meanwhile, in half of one at the least */
TEST(reroute_arrived__quiet_for_half_an_interval)
{
	open_below(0xe);
	stream(SETTLED, SETTLED + TREE_INTERVAL / 2, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
}

/* somebody was told to come by p1 */
TEST(reroute_arrived__another_one_is_sent_elsewhere)
{
	uint32_t value = 0;

	open_below(0xe);
	s.dp->ports[1].input_load.named_until_ps = FAR;
	stream(SETTLED, SETTLED + TREE_INTERVAL / 2, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(reroutes(2, &value), 1);
	ck_assert_uint_eq(value, FELT_AFAR + 3 * HINT);
	ck_assert_uint_gt(s.dp->ports[3].input_load.named_until_ps, SETTLED + TREE_INTERVAL);
}

/* where all are full, a flow goes where there are two less at least */
TEST(reroute_arrived__fewer_flows_elsewhere)
{
	uint32_t value = 0;

	open_below(0xe);
	fill(1);
	fill(3);
	s.dp->ports[1].input_load.last_hosts = 7;
	s.dp->ports[3].input_load.last_hosts = 1;
	stream(SETTLED, SETTLED + TREE_INTERVAL, 3, 0, ALL_HOSTS);
	ck_assert_uint_ge(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_ge(reroutes(2, &value), 1);
	ck_assert_uint_eq(value, FELT_AFAR + 3 * HINT);
}

TEST(reroute_arrived__nobody_has_room)
{
	open_below(0xe);
	fill(1);
	fill(3);
	s.dp->ports[1].input_load.last_hosts = s.dp->ports[3].input_load.last_hosts = 1;
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* a slow link is full of less than comes in here */
TEST(reroute_arrived__the_other_one_is_slow)
{
	open_below(0xc);
	s.ports[3].rate_bps /= 4;
	s.dp->ports[3].input_load.bytes = 240000; /* since 0: all that it can carry and more */
	s.dp->ports[3].input_load.last_hosts = 1;
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* what is idle may be down */
TEST(reroute_arrived__the_other_one_is_down)
{
	open_below(0xc);
	s.dp->routes.ports_up &= ~(1ull << 3);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

TEST(reroute_arrived__one_host)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 1, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* two flows that find room for both: the link is idle for a fifth of the time */
TEST(reroute_arrived__not_full)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, STREAM_BYTES * BYTE_PS / 4, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* packets that choose for themselves */
TEST(reroute_arrived__unordered)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, 0);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* they come by all ways, and are nowhere to be sent away from: who has been there for longest of
 * the others is asked */
TEST(reroute_arrived__behind_unordered)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, 1u << 1);
	ck_assert_uint_ge(stats_of(2)->reroute_acks, 1);
}

/* p2 is no port upward: what comes up a tree its own switch has chosen the way of */
TEST(reroute_arrived__from_below)
{
	open_below(0xa);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* it would be no faster another way; and nobody is asked in its place while it is the one who has
 * been here for longest */
TEST(reroute_arrived__source_of_congestion)
{
	open_below(0xc);
	stream(SETTLED, SETTLED + TREE_WINDOW / 2, 2, 0, ALL_HOSTS);
	packet_expect(0, STREAM_BYTES);
	switch_send_ack(&s, 0, SETTLED + TREE_WINDOW, header_of_packet(0).flow_id, ACK_ECA, 9);
	stream(SETTLED + 2 * TREE_WINDOW, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
}

/* without redirects nothing is counted either */
TEST(reroute_arrived__no_tree)
{
	open_below(0);
	stream(SETTLED, SETTLED + TREE_INTERVAL, 2, 0, ALL_HOSTS);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(s.dp->ports[2].input_load.last_bytes, 0);
}

/* ---- in a tree: what is left to outputs ---- */

/* Switch 3 sends down to host 2 while p2 stands still, and so does host 0. @source: the latter is a
 * source of congestion, and was heard
 * to be. */
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

/* the lower end of the link asks who can change something, and knows by what */
TEST(reroute_look__downward_it_is_for_the_other_end)
{
	uint32_t value;

	congest_downward(false);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(reroutes(3, &value), 0);
}

/* which does not see who waits here */
TEST(reroute_look__downward_behind_a_source)
{
	uint32_t value = 0;

	congest_downward(true);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, FELT_AFAR + JOIN);
}

/* ---- in a tree: two flows change places ---- */

/* the flow that is told to go where the other one is, by their ports upward, p2 and p3 */
static struct {
	uint32_t port, flow_id;
} mover, other;

/* host 0's flow, of one unit, and host 1's, of more */
static void two_flows_begin(void)
{
	open_tree(0xc, 0xc, 0xc, 0);
	host_send(&s, 0, 0, 2, 0, 0, 100);
	one_switch_run(&s, NODE_US);
	mover.port = packet_expect_of(0xc, 100);
	mover.flow_id = header_of_packet(mover.port).flow_id;
	host_send(&s, 1, NODE_US, 3, 0, 0, 1000);
	one_switch_run(&s, 2 * NODE_US);
	other.port = packet_expect_of(0xc, 1000);
	other.flow_id = header_of_packet(other.port).flow_id;
	ck_assert_uint_ne(mover.port, other.port);
}

/* a third one comes, where least is */
static void third_flow_comes(node_time_t at)
{
	host_send(&s, 0, at, 3, 1, 0, 1200);
	one_switch_run(&s, at + NODE_US);
	packet_expect(mover.port, 1200);
}

static void mover_told(node_time_t at)
{
	switch_send_ack(&s, mover.port, at, mover.flow_id, ACK_REROUTE,
			FELT_AFAR + (other.port - 1) * HINT);
	one_switch_run(&s, at + NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* the other one sends on: was it stopped, to move? */
static bool other_moves(node_time_t at)
{
	host_send(&s, 1, at, 3, 0, 0, 1100);
	one_switch_run(&s, at + NODE_US);
	return stats_of(1)->redirects;
}

TEST(swap__each_goes_where_the_other_was)
{
	node_time_t told = SETTLED;

	two_flows_begin();
	mover_told(told);
	ck_assert(other_moves(told + NODE_US));
	host_send(&s, 0, told + 3 * NODE_US, 2, 0, 0, 140);
	switch_send_ack(&s, mover.port, told + 4 * NODE_US, mover.flow_id, ACK_DELTA,
			units_of_bytes(100));
	switch_send_ack(&s, other.port, told + 5 * NODE_US, other.flow_id, ACK_DELTA,
			units_of_bytes(1000));
	one_switch_run(&s, told + 8 * NODE_US);
	packet_expect(other.port, 140);
	packet_expect(mover.port, 1100);
	ck_assert_uint_eq(drops_all(), 0);
}

/* who leaves does not leave the port idle */
TEST(swap__not_if_another_one_is_there)
{
	two_flows_begin();
	third_flow_comes(3 * NODE_US);
	mover_told(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* there was no offer, and none is made up for */
TEST(swap__not_if_another_one_was_there)
{
	two_flows_begin();
	third_flow_comes(3 * NODE_US);
	mover_told(SETTLED);
	switch_send_ack(&s, mover.port, SETTLED + NODE_US, header_of_packet(mover.port).flow_id,
			ACK_DELTA, units_of_bytes(1200));
	ck_assert(!other_moves(SETTLED + 2 * NODE_US));
}

TEST(swap__not_if_another_one_has_come)
{
	two_flows_begin();
	mover_told(SETTLED);
	third_flow_comes(SETTLED + NODE_US);
	ck_assert(!other_moves(SETTLED + 2 * NODE_US));
}

TEST(swap__not_later)
{
	two_flows_begin();
	mover_told(SETTLED);
	ck_assert(!other_moves(SETTLED + TREE_INTERVAL + NODE_US));
}

/* a source keeps its way, whoever comes */
TEST(swap__not_a_source)
{
	two_flows_begin();
	switch_send_ack(&s, other.port, 3 * NODE_US, other.flow_id, ACK_ECA, 9);
	mover_told(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* it has been moved, or has begun, a moment ago */
TEST(swap__not_within_the_pause)
{
	two_flows_begin();
	switch_send_ack(&s, other.port, 3 * NODE_US, other.flow_id, ACK_DELTA,
			units_of_bytes(1000));
	one_switch_run(&s, SETTLED - 2 * NODE_US);
	host_send(&s, 1, SETTLED - 2 * NODE_US, 3, 0, 0, 1000); /* begins anew */
	one_switch_run(&s, SETTLED - NODE_US);
	ck_assert_uint_eq(packet_expect_of(0xc, 1000), other.port);
	mover_told(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* p2 and p3 lead upward, and both to switch 2; host 0's flow has a packet downstream. @hold sources
 * are held (FC-24) */
static uint32_t tree_begin_flow(bool hold, uint32_t *flow_id)
{
	struct route_config ways[] = { { .fabric_address = 2, .ports = 1 << 2 | 1 << 3 },
				       { .fabric_address = 3, .ports = 1 << 3 },
				       { .fabric_address = ROUTE_UPWARD,
					 .ports = 1 << 2 | 1 << 3 } };
	struct switch_config tables = { .fabric_address = 1,
					.route_count = 3,
					.routes = ways,
					.host_count = HOSTS,
					.hosts = s.hosts };
	uint32_t port = flow_begin(flow_id);

	s.config.switch_.routing.redirect_inputs = s.config.switch_.routing.redirect_anywhere =
		true;
	s.config.switch_.routing.hold_sources = hold;
	s.config.switch_.routing.redirect_pause_ps = 0; /* a new flow may be asked at once */
	ck_assert_int_eq(switchd_ops.tables(s.dp, &tables), 0);
	return port;
}

/* FC-24: another flow between the same two is a source of congestion, this one keeps to its path;
 * nobody is offered its place */
TEST(choose_other__bound_to_its_path)
{
	uint32_t flow_id, source_id, port = tree_begin_flow(true, &source_id), free_port = 5 - port;

	switch_send_ack(&s, port, 2 * NODE_US, source_id, ACK_ECA, 9);
	one_switch_run(&s, 2 * NODE_US + NODE_US / 2);
	host_send(&s, 0, 3 * NODE_US, 2, 7, 0, 1200);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(port, 1200);
	flow_id = header_of_packet(port).flow_id;
	ck_assert_uint_ne(flow_id, source_id);
	switch_send_ack(&s, port, 5 * NODE_US, flow_id, ACK_REROUTE,
			FELT_AFAR | CHOICE | (free_port - 1) * HINT);
	one_switch_run(&s, 6 * NODE_US);
	host_send(&s, 0, 7 * NODE_US, 2, 7, 0, 1100);
	ck_assert_uint_eq(stats_of(0)->redirects, 0); /* and it is not stopped */
	one_switch_run(&s, 9 * NODE_US);
	packet_expect(port, 1100);
	no_packet_expect(free_port);
	ck_assert_uint_eq(s.dp->ports[free_port].swap.until_ps, 0);
}
