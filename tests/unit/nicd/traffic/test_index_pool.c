/*  nicd/traffic/index_pool: compared with lists that are plain arrays. */
#include <signal.h>
#include <string.h>

#include "nicd/traffic/index_pool.h"
#include "nodes/base/random.h"
#include "tests/testing.h"

#define ENTRIES 16u
#define LISTS 3u

static struct index_pool pool;

static void setup(void)
{
	ck_assert_int_eq(index_pool_init(&pool, ENTRIES), 0);
}

static void teardown(void)
{
	index_pool_fini(&pool);
}

TEST_GROUP(index_pool, .setup = setup, .teardown = teardown);

/* a list returns its entries in the order in which they were added; no entry is in two lists */
TEST(index_pool__equals_plain_arrays)
{
	struct index_list lists[LISTS];
	uint32_t expected[LISTS][ENTRIES], counts[LISTS] = { 0 };
	bool taken[ENTRIES] = { false };
	struct random random;

	random_init(&random, 7, 0);
	for (uint32_t l = 0; l < LISTS; l++)
		index_list_init(&lists[l]);
	for (int i = 0; i < 10000; i++) {
		uint32_t l = (uint32_t)random_below(&random, LISTS), entry;

		if (random_below(&random, 2) && !index_pool_full(&pool)) {
			entry = index_pool_take(&pool);
			ck_assert_uint_lt(entry, ENTRIES);
			ck_assert(!taken[entry]);
			taken[entry] = true;
			index_list_append(&pool, &lists[l], entry);
			expected[l][counts[l]++] = entry;
		} else if (counts[l]) {
			entry = index_list_pop(&pool, &lists[l]);
			ck_assert_uint_eq(entry, expected[l][0]);
			memmove(expected[l], expected[l] + 1, --counts[l] * sizeof(expected[l][0]));
			taken[entry] = false;
			index_pool_give(&pool, entry);
		}
		ck_assert_uint_eq(index_list_count(&pool, &lists[l]), counts[l]);
		ck_assert_uint_eq(pool.count, counts[0] + counts[1] + counts[2]);
	}
	ck_assert_uint_eq(pool.count_max, ENTRIES);
}

/* memory of entries that were never needed is not touched */
TEST(index_pool_take__reuses_first)
{
	for (int i = 0; i < 100; i++)
		index_pool_give(&pool, index_pool_take(&pool));
	ck_assert_uint_eq(pool.fresh, 1);
	ck_assert_uint_eq(pool.count_max, 1);
}

TEST_SIGNAL(index_pool_take__of_a_full_pool_aborts, SIGABRT)
{
	for (uint32_t i = 0; i <= ENTRIES; i++)
		index_pool_take(&pool);
}

TEST_SIGNAL(index_pool_give__twice_aborts, SIGABRT)
{
	uint32_t entry = index_pool_take(&pool);

	index_pool_give(&pool, entry);
	index_pool_give(&pool, entry);
}
