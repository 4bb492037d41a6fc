/*  nodes/base/deadline_heap: the earliest source is first, at equal times the one with the lowest
 *  number (TB-7, EC-8). */
#include "nodes/base/deadline_heap.h"
#include "nodes/base/random.h"
#include "tests/testing.h"

#define SOURCES 300u

static struct deadline_heap heap;

/* the earliest source is first; at equal times, the one with the lowest number; sources that are
 * not due are not in the heap */
TEST(deadline_heap__earliest_then_lowest_number)
{
	ck_assert_int_eq(deadline_heap_init(&heap, 5), 0);
	ck_assert_uint_eq(deadline_heap_next_at(&heap), NODE_TIME_NEVER);
	deadline_heap_set(&heap, 4, 20);
	deadline_heap_set(&heap, 1, 20);
	deadline_heap_set(&heap, 2, 10);
	ck_assert_uint_eq(deadline_heap_first(&heap), 2);
	deadline_heap_set(&heap, 2, NODE_TIME_NEVER);
	deadline_heap_set(&heap, 2, NODE_TIME_NEVER);
	ck_assert_uint_eq(deadline_heap_first(&heap), 1);
	deadline_heap_set(&heap, 1, 30);
	ck_assert_uint_eq(deadline_heap_first(&heap), 4);
	ck_assert_uint_eq(deadline_heap_due(&heap, 1), 30);
	ck_assert_uint_eq(deadline_heap_due(&heap, 0), NODE_TIME_NEVER);
	ck_assert_uint_eq(deadline_heap_pop(&heap), 4);
	ck_assert_uint_eq(deadline_heap_pop(&heap), 1);
	ck_assert_uint_eq(deadline_heap_next_at(&heap), NODE_TIME_NEVER);
	deadline_heap_fini(&heap);
}

/* against a plain search through all sources, with random times */
TEST_RANGE(deadline_heap__equals_a_plain_search, 0, 5)
{
	node_time_t due[SOURCES];
	struct random random;

	random_init(&random, 42, (uint64_t)_i);
	ck_assert_int_eq(deadline_heap_init(&heap, SOURCES), 0);
	if (_i % 2)
		deadline_heap_rows(&heap, 2);
	for (uint32_t i = 0; i < SOURCES; i++)
		due[i] = NODE_TIME_NEVER;
	for (uint32_t step = 0; step < 3000; step++) {
		uint32_t source = (uint32_t)random_below(&random, SOURCES), first = 0;

		due[source] =
			random_below(&random, 3) ? random_below(&random, 1000) : NODE_TIME_NEVER;
		deadline_heap_set(&heap, source, due[source]);
		for (uint32_t i = 1; i < SOURCES; i++)
			first = due[i] < due[first] ? i : first;
		ck_assert_uint_eq(deadline_heap_next_at(&heap), due[first]);
		ck_assert(due[first] == NODE_TIME_NEVER || deadline_heap_first(&heap) == first);
		ck_assert_uint_eq(deadline_heap_due(&heap, source), due[source]);
	}
	for (uint32_t source = 0, last = SOURCES; heap.count; last = source) {
		node_time_t at = deadline_heap_next_at(&heap);

		source = deadline_heap_pop(&heap);
		ck_assert_uint_eq(due[source], at);
		ck_assert(last == SOURCES || due[last] < at || (due[last] == at && last < source));
	}
	deadline_heap_fini(&heap);
}
