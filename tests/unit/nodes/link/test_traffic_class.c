/*  nodes/link/traffic_class: minimum, maximum and lending. Sums over simulated time are compared
 *  with closed formulas (FC-19, FC-22, RC-6). */
#include <stdlib.h>

#include "nodes/link/traffic_class.h"
#include "tests/testing.h"

#define CLASSES 4u
#define PACKET_BYTES 4096u

/* A link that sends what the scheduler selects; `ready` has the classes with packets. */
struct model {
	struct class_scheduler scheduler;
	uint64_t rate_bps;
	node_time_t now;
	uint32_t bytes[NODE_CLASSES_MAX]; /* length of each class's packets */
	uint64_t sent[NODE_CLASSES_MAX];
	uint64_t idle_ps; /* time in which a packet was ready and none might be sent */
};

static struct model model;

static void start(uint64_t rate_bps, uint32_t class_count, const struct class_config *classes)
{
	model = (struct model){ .rate_bps = rate_bps };
	class_scheduler_init(&model.scheduler, class_count, classes, rate_bps);
	for (uint32_t c = 0; c < class_count; c++)
		model.bytes[c] = PACKET_BYTES;
}

/* Return: the class that may send, or -1 if none may until `until` or its own time. */
static int step(uint32_t ready, node_time_t until)
{
	node_time_t retry_at;
	int picked = class_scheduler_pick(&model.scheduler, ready, model.now, &retry_at);

	if (picked < 0) {
		ck_assert_uint_gt(retry_at, model.now);
		retry_at = node_time_min(retry_at, until);
		model.idle_ps += retry_at - model.now;
		model.now = retry_at;
		return -1;
	}
	ck_assert(ready & 1u << picked);
	class_scheduler_sent(&model.scheduler, (uint32_t)picked, model.bytes[picked], model.now);
	model.sent[picked] += model.bytes[picked];
	model.now += node_time_of_bytes(model.bytes[picked], model.rate_bps);
	return picked;
}

static void run(uint32_t ready, node_time_t until)
{
	while (model.now < until)
		step(ready, until);
}

/* time for @packets packets of the usual size */
static node_time_t packets_time(uint32_t packets)
{
	return packets * node_time_of_bytes(PACKET_BYTES, model.rate_bps);
}

/* Did class @c get @permille of the link over all of `now`, except for a burst at the start and a
 * packet at the end? */
static void share_expect(uint32_t c, double permille)
{
	double expected = (double)model.now / 1e12 * (double)model.rate_bps / 8 * permille / 1000;

	if ((double)model.sent[c] < expected - CLASS_BURST_BYTES - 9216 ||
	    (double)model.sent[c] > expected + CLASS_BURST_BYTES + 9216)
		ck_abort_msg("class %u sent %lu bytes, expected %.0f", c,
			     (unsigned long)model.sent[c], expected);
}

#define CLASS(min, max)                                                   \
	{                                                                 \
		.name = "c", .min_permille = (min), .max_permille = (max) \
	}

/* FC-22: from 1 Mb/s to 800 Gb/s, with minima that add up to the link: each class gets exactly its
 * own */
TEST_RANGE(class_scheduler_init__minima_hold_at_any_rate, 0, 5)
{
	static const uint64_t rates[] = { 1000000, 10000000000, 3333333333, 200000000000,
					  800000000000 };
	static const struct class_config classes[] = { CLASS(500, 1000), CLASS(300, 1000),
						       CLASS(150, 1000), CLASS(50, 1000) };

	start(rates[_i], CLASSES, classes);
	run(15, packets_time(5000));
	for (uint32_t c = 0; c < CLASSES; c++)
		share_expect(c, classes[c].min_permille);
	ck_assert_uint_eq(model.idle_ps, 0);
}

TEST(class_scheduler_pick__none_if_nothing_is_ready)
{
	static const struct class_config classes[] = { CLASS(500, 700), CLASS(0, 1000) };
	node_time_t retry_at = 0;

	for (uint32_t count = 1; count <= 2; count++) {
		start(200000000000, count, classes);
		ck_assert_int_eq(class_scheduler_pick(&model.scheduler, 0, 55, &retry_at), -1);
		ck_assert_uint_eq(retry_at, NODE_TIME_NEVER);
	}
}

TEST(class_scheduler_pick__single_class_gets_everything)
{
	static const struct class_config classes[] = { CLASS(0, 1000) };

	start(200000000000, 1, classes);
	run(1, packets_time(1000));
	ck_assert_uint_eq(model.sent[0], 1000 * PACKET_BYTES);
}

/* FC-19: an unused minimum is lent in proportion to the minima: min_i + (1 - sum of minima) * min_i
 * / sum of minima */
TEST(class_scheduler_pick__rest_is_lent_by_minimum)
{
	static const struct class_config classes[] = { CLASS(600, 1000), CLASS(200, 1000) };

	start(200000000000, 2, classes);
	run(3, packets_time(20000));
	share_expect(0, 750);
	share_expect(1, 250);
	ck_assert_uint_eq(model.idle_ps, 0);
}

/* the same beside a third class, whatever its minimum; without one it counts as .1 % */
TEST_RANGE(class_scheduler_pick__rest_is_lent_to_three_by_minimum, 0, 3)
{
	static const uint32_t third_permille[] = { 0, 50, 100 };
	const struct class_config classes[] = { CLASS(600, 1000), CLASS(200, 1000),
						CLASS(third_permille[_i], 1000) };
	uint32_t third = third_permille[_i], weights = 800 + (third ? third : 1);

	start(200000000000, 3, classes);
	run(7, packets_time(20000));
	share_expect(0, 600 + (200. - third) * 600 / weights);
	share_expect(1, 200 + (200. - third) * 200 / weights);
	share_expect(2, third + (200. - third) * (third ? third : 1) / weights);
}

/* FC-19: the minimum of an idle class is lent to the others, and returns when it has packets */
TEST(class_scheduler_pick__idle_minimum_is_lent)
{
	static const struct class_config classes[] = { CLASS(500, 1000), CLASS(300, 1000),
						       CLASS(200, 1000) };

	start(200000000000, 3, classes);
	run(3, packets_time(10000));
	share_expect(0, 625);
	share_expect(1, 375);
	ck_assert_uint_eq(model.sent[2], 0);
	for (uint32_t c = 0; c < 3; c++)
		model.sent[c] = 0;
	for (uint32_t packets = 0; packets < 10000; packets++)
		step(7, NODE_TIME_NEVER);
	model.now = packets_time(10000);
	for (uint32_t c = 0; c < 3; c++)
		share_expect(c, classes[c].min_permille);
}

/* FC-19: no class exceeds its maximum, even on an idle link: max * t, and at most a burst and a
 * packet more */
TEST_RANGE(class_scheduler_pick__maximum_holds_on_an_idle_link, 0, 2)
{
	static const struct class_config classes[] = { CLASS(0, 250) };

	start(_i ? 1000000 : 200000000000, 1, classes);
	for (uint32_t i = 0; i < 2000; i++) {
		double bound = (double)model.now / 1e12 * (double)model.rate_bps / 8 / 4 +
			       CLASS_BURST_BYTES + PACKET_BYTES;

		ck_assert((double)model.sent[0] <= bound);
		step(1, NODE_TIME_NEVER);
	}
	share_expect(0, 250);
}

/* A class with a maximum beside one without: the other class gets the rest, and the link is never
 * idle. */
TEST(class_scheduler_pick__maximum_leaves_the_rest_to_others)
{
	static const struct class_config classes[] = { CLASS(100, 200), CLASS(100, 1000) };

	start(200000000000, 2, classes);
	run(3, packets_time(20000));
	share_expect(0, 200);
	share_expect(1, 800);
	ck_assert_uint_eq(model.idle_ps, 0);
}

/* minimum equals maximum: the class is not lent to, and not delayed */
TEST(class_scheduler_pick__minimum_is_maximum)
{
	static const struct class_config classes[] = { CLASS(300, 300), CLASS(500, 500) };

	start(200000000000, 2, classes);
	run(3, packets_time(20000));
	share_expect(0, 300);
	share_expect(1, 500);
}

TEST(class_scheduler_pick__no_minima_share_equally)
{
	static const struct class_config classes[] = { CLASS(0, 1000), CLASS(0, 1000),
						       CLASS(0, 1000), CLASS(0, 1000) };

	start(200000000000, CLASSES, classes);
	run(15, packets_time(10000));
	for (uint32_t c = 0; c < CLASSES; c++)
		share_expect(c, 250);
}

/* shares are of bytes, not of packets */
TEST(class_scheduler_pick__packets_of_different_length)
{
	static const struct class_config classes[] = { CLASS(500, 1000), CLASS(500, 1000) };

	start(200000000000, 2, classes);
	model.bytes[0] = 84;
	model.bytes[1] = 9216;
	run(3, packets_time(10000));
	share_expect(0, 500);
	share_expect(1, 500);
}

/* FC-19: a class below its minimum waits for at most one packet of another class */
TEST(class_scheduler_pick__below_its_minimum_goes_first)
{
	static const struct class_config classes[] = { CLASS(100, 1000), CLASS(800, 1000) };

	start(200000000000, 2, classes);
	for (uint32_t packet = 1; packet <= 500; packet++) {
		node_time_t ready_at = packets_time(20) * packet; /* half of its minimum */

		while (model.now < ready_at)
			ck_assert_int_eq(step(2, NODE_TIME_NEVER), 1);
		ck_assert_int_eq(step(3, NODE_TIME_NEVER), 0);
	}
}

/* A class that was idle for long has saved one burst and no more. The others get their minimum in
 * every interval. */
TEST(class_scheduler_sent__idle_class_saves_a_burst)
{
	static const struct class_config classes[] = { CLASS(500, 1000), CLASS(500, 1000) };
	uint64_t before;
	node_time_t back_at;

	start(200000000000, 2, classes);
	run(1, packets_time(50000));
	before = model.sent[0];
	back_at = model.now;
	run(3, back_at + packets_time(100));
	ck_assert_uint_ge(model.sent[0] - before,
			  50 * PACKET_BYTES - CLASS_BURST_BYTES - PACKET_BYTES);
	ck_assert_uint_ge(model.sent[1], 50 * PACKET_BYTES - PACKET_BYTES);
}

/* The same for the lent part: a class without minimum that returns does not block the other one. */
TEST(class_scheduler_sent__lent_arrears_are_bounded)
{
	static const struct class_config classes[] = { CLASS(0, 1000), CLASS(0, 1000) };
	uint64_t before;

	start(200000000000, 2, classes);
	run(1, packets_time(50000));
	before = model.sent[0];
	run(3, model.now + packets_time(100));
	ck_assert_uint_ge(model.sent[0] - before,
			  50 * PACKET_BYTES - CLASS_BURST_BYTES - PACKET_BYTES);
}

/* what was lent in a long run wraps: the classes share as before */
TEST(class_scheduler_sent__lent_wraps)
{
	static const struct class_config classes[] = { CLASS(0, 1000), CLASS(0, 1000) };

	start(200000000000, 2, classes);
	for (uint32_t c = 0; c < 2; c++)
		model.scheduler.share[c].lent = UINT64_MAX - 10000 * PACKET_BYTES;
	run(3, packets_time(100));
	ck_assert_uint_eq(model.sent[0], 50 * PACKET_BYTES);
	ck_assert_uint_eq(model.sent[1], 50 * PACKET_BYTES);
	run(1, model.now + packets_time(100)); /* arrears are bounded after it, too */
	run(3, model.now + packets_time(100));
	ck_assert_uint_ge(model.sent[0], 200 * PACKET_BYTES - CLASS_BURST_BYTES - PACKET_BYTES);
}

/* shares of a slow link, and of a rate that is no multiple of 1000, are exact to 1 b/s */
TEST(class_scheduler_init__shares_of_any_rate)
{
	static const struct class_config classes[] = { CLASS(333, 1000), CLASS(0, 250) };
	struct class_scheduler scheduler;

	class_scheduler_init(&scheduler, 2, classes, 1999);
	ck_assert_uint_eq(scheduler.share[0].min_bps, 665);
	ck_assert_uint_eq(scheduler.share[1].max_bps, 499);
	class_scheduler_init(&scheduler, 2, classes, 1000000000000);
	ck_assert_uint_eq(scheduler.share[0].min_bps, 333000000000);
}

/* TCP and RDMA have minima that add up to the link, and use them. CNPs are still sent first, and
 * take no more than their part. */
TEST_RANGE(class_scheduler_init_node__cnps_are_first, 0, 2)
{
	struct node_config config = { .fabric = _i ? FABRIC_ROCE : FABRIC_FLOW_CHANNEL,
				      .class_count = 3,
				      .classes = { { .min_permille = 900, .max_permille = 1000 },
						   { .min_permille = 100, .max_permille = 1000 },
						   { .max_permille = 1000 } },
				      .roce.cnp_class = 2 };

	start(100000000000, 3, config.classes);
	class_scheduler_init_node(&model.scheduler, &config, model.rate_bps);
	model.bytes[2] = 84;
	run(3, packets_time(1000));
	ck_assert_int_eq(step(7, NODE_TIME_NEVER) == 2, _i);
	run(7, packets_time(100000));
	if (!_i)
		return;
	ck_assert_uint_ge(model.sent[2], 99000ull * PACKET_BYTES / 100);
	ck_assert_uint_le(model.sent[2], 99000ull * PACKET_BYTES / 100 + 2 * CLASS_BURST_BYTES);
	ck_assert_uint_ge(model.sent[1], 100000ull * PACKET_BYTES / 100 * 9);
}

/* Without minima all classes share equally, with CNPs too. A minimum that is large enough is
 * kept. */
TEST_RANGE(class_scheduler_init_node__keeps_other_settings, 0, 2)
{
	struct node_config config = { .fabric = FABRIC_ROCE,
				      .class_count = 2,
				      .roce.cnp_class = 1 };
	struct class_scheduler expected;

	config.classes[0] =
		(struct class_config){ .min_permille = _i ? 500 : 0, .max_permille = 1000 };
	config.classes[1] = (struct class_config){ .min_permille = _i ? CLASS_CNP_PERMILLE : 0,
						   .max_permille = 1000 };
	class_scheduler_init(&expected, 2, config.classes, 100000000000);
	class_scheduler_init_node(&model.scheduler, &config, 100000000000);
	for (uint32_t c = 0; c < 2; c++)
		ck_assert_uint_eq(model.scheduler.share[c].min_bps, expected.share[c].min_bps);
}

/* a class is in the set if one of its lanes is */
TEST(class_set_of_lanes__each_class_once)
{
	ck_assert_uint_eq(class_set_of_lanes(0xa5, 1), 0xa5);
	ck_assert_uint_eq(class_set_of_lanes(0, 4), 0);
	ck_assert_uint_eq(class_set_of_lanes(0xf0, 4), 2);
	ck_assert_uint_eq(class_set_of_lanes(0x18, 4), 3);
	ck_assert_uint_eq(class_set_of_lanes(0x81, 2), 9);
}
