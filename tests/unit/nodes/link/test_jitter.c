/*  nodes/link/jitter: the distributions against their closed formulas, their bounds, and the same
 *  numbers on every machine (DU-6, TB-7). */
#include "nodes/link/jitter.h"

#include <math.h>

#include "tests/testing.h"

#define DRAWS 200000u
#define MEAN (10 * NODE_US)

/* P(value <= x means) of each distribution as jitter.h states it, where it is not cut off */
static double cumulative(enum jitter_shape shape, double x)
{
	if (shape == JITTER_UNIFORM)
		return x / 2;
	if (shape == JITTER_NORMAL)
		return erfc(-(x - 1) * 3 / sqrt(2)) / 2;
	return 1 - pow(1 + x / 2, -3);
}

/* the share of values up to x: four and a half deviations of a binomial distribution, and the
 * difference of twelve uniform numbers from a normal one, at most 0.0021 */
TEST_RANGE(jitter_draw__has_its_distribution, JITTER_UNIFORM, JITTER_PARETO_NORMAL)
{
	enum jitter_shape shape = (enum jitter_shape)_i;
	uint32_t below[17] = { 0 };
	struct random random;

	random_init(&random, 1, 0);
	for (uint32_t i = 0; i < DRAWS; i++) {
		node_time_t value_ps = jitter_draw(&random, shape, MEAN);

		for (uint32_t k = 1; k <= 16; k++)
			below[k] += value_ps <= k * MEAN / 8;
	}
	for (uint32_t k = 1; k < 16; k++) {
		double p = cumulative(shape, k / 8.0);
		double slack = 4.5 * sqrt(p * (1 - p) / DRAWS) + 0.0025;

		ck_assert_double_eq_tol((double)below[k] / DRAWS, p, slack);
	}
}

/* the means: 1; of pareto 1 - 1/100, which is cut off; of paretonormal a quarter of that less */
TEST_RANGE(jitter_draw__has_its_mean_and_bounds, 0, JITTER_SHAPES)
{
	static const double mean[JITTER_SHAPES] = { 1, 1, 0.99, 0.9975 };
	static const double bound[JITTER_SHAPES] = { 2, 2, 18, 6 };
	enum jitter_shape shape = (enum jitter_shape)_i;
	node_time_t largest = 0;
	struct random random;
	double sum = 0;

	random_init(&random, 2, 0);
	for (uint32_t i = 0; i < DRAWS; i++) {
		node_time_t value_ps = jitter_draw(&random, shape, MEAN);

		sum += (double)value_ps / MEAN;
		largest = node_time_max(largest, value_ps);
	}
	/* the deviation of a pareto value is below 1.5 means */
	ck_assert_double_eq_tol(sum / DRAWS, mean[shape], 4.5 * 1.5 / sqrt(DRAWS));
	ck_assert_uint_eq(jitter_max_ps(shape, MEAN), (node_time_t)(bound[shape] * MEAN));
	ck_assert_uint_le(largest, jitter_max_ps(shape, MEAN));
	/* the bound is no empty one */
	ck_assert_uint_ge(largest, (node_time_t)(shape == JITTER_PARETO_NORMAL
							 ? 5 * MEAN
							 : bound[shape] * 0.99 * MEAN));
}

/* the heavy tail: one value of 125 is above 8 means, (1 + 8/2)^-3 */
TEST(jitter_draw__pareto_has_a_tail)
{
	uint32_t above = 0;
	struct random random;

	random_init(&random, 3, 0);
	for (uint32_t i = 0; i < DRAWS; i++)
		above += jitter_draw(&random, JITTER_PARETO, MEAN) > 8 * MEAN;
	ck_assert_double_eq_tol((double)above / DRAWS, 1.0 / 125, 4.5 * sqrt(1.0 / 125 / DRAWS));
}

/* Integers only: these are the numbers of any machine. The largest jitter does not overflow. */
TEST(jitter_draw__is_the_same_everywhere)
{
	struct random random, again;

	random_init(&random, 4, 0);
	random_init(&again, 4, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		enum jitter_shape shape = (enum jitter_shape)(i % JITTER_SHAPES);
		node_time_t value_ps = jitter_draw(&random, shape, LINK_JITTER_PS_MAX);

		ck_assert_uint_eq(value_ps, jitter_draw(&again, shape, LINK_JITTER_PS_MAX));
		ck_assert_uint_le(value_ps, jitter_max_ps(shape, LINK_JITTER_PS_MAX));
	}
	random_init(&random, 5, 0);
	ck_assert_uint_eq(jitter_draw(&random, JITTER_UNIFORM, NODE_MS), 1609868375);
	ck_assert_uint_eq(jitter_draw(&random, JITTER_NORMAL, NODE_MS), 1016001383);
	ck_assert_uint_eq(jitter_draw(&random, JITTER_PARETO, NODE_MS), 26794433);
	ck_assert_uint_eq(jitter_draw(&random, JITTER_PARETO_NORMAL, NODE_MS), 575229645);
}

TEST(jitter_draw__of_nothing_is_nothing)
{
	struct random random;

	random_init(&random, 6, 0);
	for (uint32_t shape = 0; shape < JITTER_SHAPES; shape++)
		ck_assert_uint_eq(jitter_draw(&random, (enum jitter_shape)shape, 0), 0);
}
