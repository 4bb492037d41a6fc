/*  nodes/base/event_tree: returns the earliest source; of several at the same time, the one with
 *  the lowest index (TB-7). */
#include <stdlib.h>

#include "nodes/base/event_tree.h"
#include "nodes/base/random.h"
#include "tests/testing.h"

TEST_RANGE(event_tree_init__nothing_is_due, 1, 10)
{
	struct event_tree tree;

	ck_assert_int_eq(event_tree_init(&tree, (uint32_t)_i), 0);
	ck_assert_uint_ge(tree.leaf_count, (uint32_t)_i);
	ck_assert_uint_eq(event_tree_next_at(&tree), NODE_TIME_NEVER);
	event_tree_fini(&tree);
}

TEST(event_tree_set__earliest_comes_first)
{
	struct event_tree tree;

	event_tree_init(&tree, 5);
	event_tree_set(&tree, 3, 30);
	event_tree_set(&tree, 4, 20);
	event_tree_set(&tree, 0, 40);
	ck_assert_uint_eq(event_tree_first(&tree), 4);
	ck_assert_uint_eq(event_tree_next_at(&tree), 20);
	event_tree_set(&tree, 4, 50);
	ck_assert_uint_eq(event_tree_first(&tree), 3);
	event_tree_set(&tree, 3, NODE_TIME_NEVER);
	ck_assert_uint_eq(event_tree_first(&tree), 0);
	event_tree_fini(&tree);
}

TEST(event_tree_set__lower_index_at_the_same_time)
{
	struct event_tree tree;

	event_tree_init(&tree, 8);
	for (uint32_t source = 8; source-- > 0;) {
		event_tree_set(&tree, source, 7);
		ck_assert_uint_eq(event_tree_first(&tree), source);
	}
	event_tree_set(&tree, 0, 8);
	ck_assert_uint_eq(event_tree_first(&tree), 1);
	event_tree_set(&tree, 0, 7);
	ck_assert_uint_eq(event_tree_first(&tree), 0);
	event_tree_fini(&tree);
}

/* A fabric may run for months under the real clock (TB-8). Times keep their order and are exact to
 * the picosecond. */
TEST(event_tree_set__times_of_months_are_exact)
{
	const node_time_t hour_ps = 3600 * NODE_S;
	struct event_tree tree;

	ck_assert_int_eq(event_tree_init(&tree, 8), 0);
	event_tree_set(&tree, 7, 4 * hour_ps);
	for (node_time_t hour = 0; hour < 4000; hour++) {
		node_time_t now = hour * hour_ps + 123456789;

		event_tree_set(&tree, 3, now + 1);
		event_tree_set(&tree, 1, now);
		event_tree_set(&tree, 2, now);
		ck_assert_uint_eq(event_tree_due(&tree, 3), now + 1);
		if (hour >= 4) /* source 7 was due at four and has been handled */
			event_tree_set(&tree, 7, NODE_TIME_NEVER);
		ck_assert_uint_eq(event_tree_first(&tree), 1);
		ck_assert_uint_eq(event_tree_next_at(&tree), now);
		event_tree_set(&tree, 1, now + 4 * hour_ps);
		ck_assert_uint_eq(event_tree_due(&tree, 1), now + 4 * hour_ps);
		/* the base has moved: the others are due when they were */
		ck_assert_uint_eq(event_tree_due(&tree, 2), now);
		ck_assert_uint_eq(event_tree_due(&tree, 3), now + 1);
		ck_assert_uint_eq(event_tree_first(&tree), 2);
		event_tree_set(&tree, 2, NODE_TIME_NEVER);
		ck_assert_uint_eq(event_tree_first(&tree), 3);
	}
	event_tree_set(&tree, 4, 0); /* overdue since the beginning: first of all */
	ck_assert_uint_eq(event_tree_first(&tree), 4);
	event_tree_fini(&tree);
}

/* against a plain search; there are few different times, so that many are equal */
TEST_RANGE(event_tree_set__equals_a_plain_search, 1, 34)
{
	uint32_t count = (uint32_t)_i;
	node_time_t *due = malloc(count * sizeof(*due));
	struct random random;
	struct event_tree tree;

	random_init(&random, 3, count);
	event_tree_init(&tree, count);
	for (uint32_t i = 0; i < count; i++)
		due[i] = NODE_TIME_NEVER;
	for (uint32_t round = 0; round < 600; round++) {
		uint32_t source = (uint32_t)random_below(&random, count), first = 0;
		uint64_t time = random_below(&random, 12);

		due[source] = time == 11 ? NODE_TIME_NEVER : time;
		event_tree_set(&tree, source, due[source]);
		for (uint32_t i = 1; i < count; i++)
			if (due[i] < due[first])
				first = i;
		ck_assert_uint_eq(event_tree_next_at(&tree), due[first]);
		if (due[first] != NODE_TIME_NEVER)
			ck_assert_uint_eq(event_tree_first(&tree), first);
	}
	free(due);
	event_tree_fini(&tree);
}
