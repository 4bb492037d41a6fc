/*  nodes/base/random: the published sequence, the same numbers on every machine (TB-7), and the
 *  shape of the distributions (TB-12). */
#include <math.h>
#include <stdlib.h>

#include "nodes/base/random.h"
#include "tests/testing.h"

#define DRAWS 1000000u
#define MEAN 50000000u

/* the first outputs of the authors' xoshiro256** from the state 1, 2, 3, 4 */
TEST(random_next__published_sequence)
{
	struct random random = { .state = { 1, 2, 3, 4 } };

	ck_assert_uint_eq(random_next(&random), 11520u);
	ck_assert_uint_eq(random_next(&random), 0u);
	ck_assert_uint_eq(random_next(&random), 1509978240u);
	ck_assert_uint_eq(random_next(&random), 1215971899390074240u);
}

TEST(random_init__seeds_and_streams_differ)
{
	struct random random[4];
	uint64_t first[4];

	random_init(&random[0], 1, 0);
	random_init(&random[1], 1, 1);
	random_init(&random[2], 0, 1);
	random_init(&random[3], 2, 0);
	for (int i = 0; i < 4; i++)
		first[i] = random_next(&random[i]);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < i; k++)
			ck_assert_uint_ne(first[i], first[k]);
	random_init(&random[1], 1, 0);
	ck_assert_uint_eq(random_next(&random[1]), first[0]);
}

TEST(random_below__is_uniform)
{
	uint32_t hits[7] = { 0 };
	struct random random;

	random_init(&random, 5, 0);
	for (uint32_t i = 0; i < 700000; i++)
		hits[random_below(&random, 7)]++;
	for (int i = 0; i < 7; i++) {
		ck_assert_uint_gt(hits[i], 98500);
		ck_assert_uint_lt(hits[i], 101500);
	}
}

TEST(random_exponential_ps__mean_spread_and_tail)
{
	double sum = 0, squares = 0;
	uint32_t tail = 0;
	struct random random;

	random_init(&random, 9, 0);
	for (uint32_t i = 0; i < DRAWS; i++) {
		double x = (double)random_exponential_ps(&random, MEAN) / MEAN;

		sum += x;
		squares += x * x;
		tail += x > 3;
	}
	ck_assert_double_eq_tol(sum / DRAWS, 1, 0.005);
	ck_assert_double_eq_tol(squares / DRAWS, 2, 0.03);
	ck_assert_double_eq_tol((double)tail / DRAWS, exp(-3), 0.001);
}

/* each number separately, against the logarithm of the C library */
TEST(random_exponential_ps__is_the_logarithm)
{
	struct random random;

	random_init(&random, 10, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		struct random copy = random;
		double exact = (64 * log(2) - log((double)random_next(&copy))) * MEAN;

		ck_assert_double_eq_tol((double)random_exponential_ps(&random, MEAN), exact,
					0.5 + MEAN * 1e-8);
	}
}

/* The code uses integers only, so these numbers hold on every machine. */
TEST(random_exponential_ps__golden)
{
	static const uint64_t golden[] = { 655293, 1282529, 674096, 485828, 175022, 288877 };
	struct random random;

	random_init(&random, 1, 2);
	for (unsigned i = 0; i < sizeof(golden) / sizeof(*golden); i++)
		ck_assert_uint_eq(random_exponential_ps(&random, 1000000), golden[i]);
}

TEST(random_exponential_ps__extreme_means)
{
	struct random random;

	random_init(&random, 11, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_uint_eq(random_exponential_ps(&random, 0), 0);
		ck_assert_uint_le(random_exponential_ps(&random, 1), 45);
		random_exponential_ps(&random, UINT64_MAX);
	}
}
