/*  switchd/flow_channel/redirect: when does an output request a redirect? By depth, growth and a
 *  random number (FC-25). */
#include "switchd/flow_channel/redirect.h"

#include "nodes/base/units.h"
#include "tests/testing.h"

#define DEPTH_UNITS 10u
#define FULL_UNITS 40u
#define INTERVAL (5 * NODE_US)
#define TRIALS 4000u

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

/* is a redirect requested for a queue of @units, which had @began_units at the begin of the
 * interval? None has been requested in it. */
static bool wanted(uint32_t units, uint32_t began_units)
{
	gauge = (struct redirect_gauge){ .since_ps = INTERVAL,
					 .base_bytes = (uint64_t)began_units * UNIT_BYTES };
	return redirect_wanted(&config, &gauge, &numbers, (uint64_t)units * UNIT_BYTES, 2,
			       INTERVAL + 1);
}

/* how many of TRIALS headers request one in such a queue */
static uint32_t count_wanted(uint32_t units, uint32_t began_units)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < TRIALS; i++)
		count += wanted(units, began_units);
	return count;
}

/* of TRIALS headers @value / FULL_UNITS have requested: the congestion value was @value */
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

/* the growth of the queue counts, by its weight; a queue that shrinks counts by its depth alone */
TEST(redirect_wanted__more_the_faster_it_grows)
{
	config.redirect_growth_weight_permille = 2000;
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS + 4), 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, DEPTH_UNITS), 4 + 2 * 4);
	share_expect(count_wanted(DEPTH_UNITS + 4, 0), 4 + 2 * 14);
	share_expect(count_wanted(DEPTH_UNITS + 4, 1000), 4);
}

/* ours: an output requests one redirect in an interval */
TEST(redirect_wanted__once_in_an_interval)
{
	uint64_t deep = 1000 * UNIT_BYTES;

	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, deep, 2, INTERVAL + 1));
	ck_assert(!redirect_wanted(&config, &gauge, &numbers, 10 * deep, 2, 2 * INTERVAL - 1));
	ck_assert(redirect_wanted(&config, &gauge, &numbers, deep, 2, 2 * INTERVAL));
}

/* [S2]: any header may request; in severe congestion each does, and their number grows with the
 * depth without a bound */
TEST(redirect_wanted__by_depth_without_a_bound)
{
	uint32_t requested[2] = { 0 };

	config.redirect_rule = REDIRECT_BY_DEPTH;
	for (uint32_t deep = 0; deep < 2; deep++)
		for (uint32_t i = 0; i < TRIALS; i++)
			requested[deep] += redirect_wanted(
				&config, &gauge, &numbers,
				(DEPTH_UNITS + (deep ? FULL_UNITS : 4)) * UNIT_BYTES, 2, INTERVAL);
	share_expect(requested[0], 4);
	ck_assert_uint_eq(requested[1], TRIALS);
}

/* [S3]: a group at once, then none for an interval, under each rule */
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

/* each flow of a group by its own random number: few in mild congestion, more in severe */
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
