/*  nodes/clock/clock_scan: the fast passes find the same as a plain loop, for every length and
 *  pattern (TB-7). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/clock/clock_scan.h"
#include "tests/testing.h"

#define MAX 128u

static _Alignas(64) _Atomic node_time_t own[MAX], inbox[MAX];

/* near and far times, and the end of time; every time beyond @count is NEVER */
static void fill(struct random *random, uint32_t count)
{
	static const node_time_t times[] = { 0,
					     1,
					     5,
					     1000,
					     INT64_MAX,
					     (node_time_t)INT64_MAX + 1,
					     NODE_TIME_NEVER - 1,
					     NODE_TIME_NEVER };

	for (uint32_t i = 0; i < MAX; i++) {
		own[i] = i < count ? times[random_below(random, 8)] : NODE_TIME_NEVER;
		inbox[i] = i < count && !random_below(random, 6) ? times[random_below(random, 8)]
								 : NODE_TIME_NEVER;
	}
}

TEST(clock_scan_merge__equals_a_plain_loop)
{
	struct random random;

	random_init(&random, 1, 0);
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t count = 1 + round % (MAX - 1);
		node_time_t expected[MAX], earliest = NODE_TIME_NEVER;

		fill(&random, count);
		for (uint32_t i = 0; i < count; i++) {
			expected[i] = node_time_min(own[i], inbox[i]);
			earliest = node_time_min(earliest, expected[i]);
		}
		ck_assert_uint_eq(clock_scan_merge(own, inbox, count), earliest);
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_uint_eq(own[i], expected[i]);
			ck_assert_uint_eq(inbox[i], NODE_TIME_NEVER);
		}
	}
}

TEST(clock_scan_list__equals_a_plain_loop)
{
	static const node_time_t ends[] = { 1, 6, 1001, (node_time_t)INT64_MAX + 1,
					    NODE_TIME_NEVER };
	struct random random;
	uint32_t nodes[MAX];

	random_init(&random, 2, 0);
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t count = 1 + round % (MAX - 1), expected = 0, listed;
		node_time_t end = ends[round % 5];

		fill(&random, count);
		listed = clock_scan_list(own, count, end, nodes);
		for (uint32_t i = 0; i < count; i++)
			if (own[i] < end)
				ck_assert_uint_eq(nodes[expected++], i);
		ck_assert_uint_eq(listed, expected);
	}
}

/* TB-23: whatever a node has written beyond the times of all nodes, nothing else is listed */
TEST(clock_scan_list__padding_is_no_node)
{
	struct random random;
	uint32_t nodes[MAX + 1], expected;

	random_init(&random, 3, 0);
	for (uint32_t count = 1; count < MAX; count++) {
		fill(&random, count);
		for (uint32_t i = count; i < MAX; i++)
			own[i] = 0;
		nodes[count] = UINT32_MAX;
		expected = 0;
		for (uint32_t i = 0; i < count; i++)
			expected += own[i] < 6;
		ck_assert_uint_eq(clock_scan_list(own, count, 6, nodes), expected);
		ck_assert_uint_eq(nodes[count], UINT32_MAX);
	}
}
