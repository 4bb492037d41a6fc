#include "nodes/link/jitter.h"

#define NORMAL_PARTS 12u  /* uniform numbers whose sum is nearly normal */
#define NORMAL_ONE 65536u /* the standard deviation of that sum, whose mean is 6 of it */
#define PARETO_CUT 1000u  /* 1 / (1 - quantile): one value of so many is cut off */
#define PARETO_ROOT_ONE 65536u
#define PARETO_MAX_MEANS 18u /* 2 (PARETO_CUT^(1/3) - 1) */

static node_time_t uniform(struct random *random, node_time_t mean_ps)
{
	return random_below(random, 2 * mean_ps + 1);
}

/* A sum of twelve numbers that are uniform in 0..1 has the variance 1 [central limit theorem]; four
 * of 16 bits from each random number. */
static node_time_t normal(struct random *random, node_time_t mean_ps)
{
	int64_t sum = 0, deviation_ps;

	for (uint32_t i = 0; i < NORMAL_PARTS; i += 4)
		for (uint64_t bits = random_next(random), k = 0; k < 4; k++, bits >>= 16)
			sum += bits & 0xffff;
	sum -= NORMAL_PARTS / 2 * NORMAL_ONE;
	if (sum > 3 * (int64_t)NORMAL_ONE)
		sum = 3 * (int64_t)NORMAL_ONE;
	if (sum < -3 * (int64_t)NORMAL_ONE)
		sum = -3 * (int64_t)NORMAL_ONE;
	deviation_ps = (int64_t)((__int128)mean_ps * sum / (3 * (int64_t)NORMAL_ONE));
	return (node_time_t)((int64_t)mean_ps + deviation_ps);
}

/* the largest number whose cube is at most @value; below 2^21 */
static uint64_t cube_root(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 20; bit; bit >>= 1)
		if ((root + bit) * (root + bit) * (root + bit) <= value)
			root += bit;
	return root;
}

/* Of a uniform u in 0..1, 2 mean (u^(-1/3) - 1) has the distribution. u is a 48-bit fraction, its
 * inverse has 48 fractional bits, and the cube root of that 16. */
static node_time_t pareto(struct random *random, node_time_t mean_ps)
{
	uint64_t least = (1ull << 48) / PARETO_CUT;
	uint64_t u = (random_next(random) >> 16) + 1;
	uint64_t inverse = (uint64_t)(((unsigned __int128)1 << 96) / (u < least ? least : u));
	uint64_t root = cube_root(inverse);
	uint64_t above = root > PARETO_ROOT_ONE ? root - PARETO_ROOT_ONE : 0;
	node_time_t value_ps =
		(node_time_t)((unsigned __int128)2 * mean_ps * above / PARETO_ROOT_ONE);

	return node_time_min(value_ps, PARETO_MAX_MEANS * mean_ps);
}

node_time_t jitter_draw(struct random *random, enum jitter_shape shape, node_time_t mean_ps)
{
	switch (shape) {
	case JITTER_UNIFORM:
		return uniform(random, mean_ps);
	case JITTER_NORMAL:
		return normal(random, mean_ps);
	case JITTER_PARETO:
		return pareto(random, mean_ps);
	default:
		return (pareto(random, mean_ps) + 3 * normal(random, mean_ps)) / 4;
	}
}

node_time_t jitter_max_ps(enum jitter_shape shape, node_time_t mean_ps)
{
	if (shape == JITTER_PARETO)
		return PARETO_MAX_MEANS * mean_ps;
	return shape == JITTER_PARETO_NORMAL ? (PARETO_MAX_MEANS + 3 * 2) * mean_ps / 4
					     : 2 * mean_ps;
}
