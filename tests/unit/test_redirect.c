/*  switchd/redirect, switchd/reroute: when an output asks, who obeys, and how a flow then moves (FC-25). Switch 2 is reached over p2 or p3, if a
 *  test says so, else over p2; switch 3 over p3. */
#include <stdlib.h>

#include "switchd/redirect.h"
#include "tests/unit/one_switch_expect.h"

#define DEPTH_UNITS 10u
#define FULL_UNITS 40u
#define INTERVAL (5 * NODE_US)
#define PAUSE (20 * NODE_US)
#define TRIALS 4000u

/* what a REROUTE ACK says: reroute.c */
#define CHOICE 1u
#define FELT_AFAR 2u
#define JOIN 4u

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

/* @units deep, at an output that has not asked yet and whose queue began the interval @began_units deep */
static bool wanted(uint32_t units, uint32_t began_units)
{
	gauge = (struct redirect_gauge){ .since_ps = INTERVAL, .base_bytes = (uint64_t)began_units * UNIT_BYTES };
	return redirect_wanted(&config, &gauge, &numbers, (uint64_t)units * UNIT_BYTES, 2, INTERVAL + 1);
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

START_TEST(redirect_wanted__not_up_to_the_depth)
{
	struct random before = numbers;

	ck_assert_uint_eq(count_wanted(DEPTH_UNITS, DEPTH_UNITS), 0);
	ck_assert_mem_eq(&numbers, &before, sizeof(before)); /* nothing was drawn */
	config.redirect = false;
	ck_assert_uint_eq(count_wanted(1000, 0), 0);
}
END_TEST

/* few in mild congestion, more in severe, all from redirect_full on */
START_TEST(redirect_wanted__more_the_deeper)
{
	share_expect(count_wanted(DEPTH_UNITS + 4, 1000), 4);
	share_expect(count_wanted(DEPTH_UNITS + 20, 1000), 20);
	ck_assert_uint_eq(count_wanted(DEPTH_UNITS + FULL_UNITS, 1000), TRIALS);
}
END_TEST

/* the depth's derivative counts, by its weight; a queue that becomes shorter is none the better for it */
START_TEST(redirect_wanted__more_the_faster_it_grows)
{
	config.redirect_growth_weight_permille = 2000;
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS + 4), 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS), 4 + 2 * 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, 0), 4 + 2 * 14);
	share_expect(count_wanted(DEPTH_UNITS + 4, 1000), 4);
}
END_TEST

/* ours: an output asks one flow in an interval */
START_TEST(redirect_wanted__once_in_an_interval)
{
	uint64_t deep = 1000 * UNIT_BYTES;

	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL + 1));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, 10 * deep, 2, 2 * INTERVAL - 1));
	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, 2 * INTERVAL));
}
END_TEST

/* ---- who: one switch ---- */

/* @two_ways: to switch 2. Every header above an empty queue is reason enough. p1 leads to a switch, too. */
static void open_switch(bool two_ways, bool anywhere)
{
	setup();
	s.ports[1].kind = PORT_FABRIC;
	s.routes[0].ports = two_ways ? 1 << 2 | 1 << 3 : 1 << 2;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE,
							    .detour_draws = 1,
							    .redirect = true,
							    .redirect_anywhere = anywhere,
							    .redirect_full_units = 1,
							    .redirect_interval_ps = NODE_NS,
							    .redirect_pause_ps = PAUSE,
							    .seed = 7 };
	one_switch_open(&s);
}

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

START_TEST(reroute_look__another_flow_waits)
{
	uint32_t value = 99;

	congest(true);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 1);
	ck_assert_uint_eq(reroutes(3, &value), 1);
	ck_assert_uint_eq(value, FELT_AFAR + JOIN); /* the switch that suffers has no choice itself */
}
END_TEST

/* ours: alone it would be no faster anywhere else */
START_TEST(reroute_look__alone)
{
	uint32_t value;

	congest(false);
	ck_assert_uint_eq(stats_of(2)->reroute_acks, 0);
	ck_assert_uint_eq(reroutes(3, &value), 0);
}
END_TEST

/* no choice here: it goes on to the switch before, which learns that the queue is not its own, and how many ways have joined */
START_TEST(reroute_heard__no_choice)
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
END_TEST

/* _i: is a switch in the middle of the fabric enabled? If not it says that it could have chosen, for the ingress edge */
START_TEST(reroute_heard__in_the_middle)
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
END_TEST

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
START_TEST(reroute_emptied__then_the_other_port)
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
END_TEST

/* it has packets when it is asked: those wait, too */
START_TEST(reroute_emptied__without_packets)
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
END_TEST

/* ours: it stays where it is for redirect_pause */
START_TEST(reroute_heard__not_again_within_the_pause)
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
END_TEST

/* a source of endpoint congestion keeps its path: another one would not help */
START_TEST(reroute_heard__source_of_congestion)
{
	uint32_t flow_id, port = flow_begin(&flow_id);

	switch_send_ack(&s, port, 2 * NODE_US, flow_id, ACK_ECA, 9);
	one_switch_run(&s, 3 * NODE_US);
	redirect_hear(port, flow_id, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->redirects, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("redirect");
	TCase *decision = tcase_create("decision"), *way = tcase_create("way");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(decision, decision_setup, NULL);
	tcase_add_test(decision, redirect_wanted__not_up_to_the_depth);
	tcase_add_test(decision, redirect_wanted__more_the_deeper);
	tcase_add_test(decision, redirect_wanted__more_the_faster_it_grows);
	tcase_add_test(decision, redirect_wanted__once_in_an_interval);
	tcase_add_checked_fixture(way, NULL, teardown);
	tcase_add_test(way, reroute_look__another_flow_waits);
	tcase_add_test(way, reroute_look__alone);
	tcase_add_test(way, reroute_heard__no_choice);
	tcase_add_loop_test(way, reroute_heard__in_the_middle, 0, 2);
	tcase_add_test(way, reroute_emptied__then_the_other_port);
	tcase_add_test(way, reroute_emptied__without_packets);
	tcase_add_test(way, reroute_heard__not_again_within_the_pause);
	tcase_add_test(way, reroute_heard__source_of_congestion);
	suite_add_tcase(suite, decision);
	suite_add_tcase(suite, way);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
