/*  random - a small seeded generator (xoshiro256**, public domain algorithm by Blackman and Vigna),
 *  so that one seed gives the same sequence on every machine. Integers only: no result depends on
 *  floating-point rounding. */
#ifndef HEDDLE_NODES_BASE_RANDOM_H
#define HEDDLE_NODES_BASE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

/** random_init() - the sequence of @seed and @stream (independent streams of one scenario seed). */
void random_init(struct random *random, uint64_t seed, uint64_t stream);

/** random_next() - 64 random bits. */
uint64_t random_next(struct random *random);

/** random_below() - uniform in 0..bound-1; @bound > 0. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

/** random_exponential_ps() - exponentially distributed with mean @mean_ps, by table-free integer
 *  arithmetic. */
uint64_t random_exponential_ps(struct random *random, uint64_t mean_ps);

#endif
