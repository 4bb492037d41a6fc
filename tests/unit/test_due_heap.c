#include <check.h>
#include <stdlib.h>

#include "nicd/due_heap.h"
#include "nodes/random.h"

#define SOURCES 300u

static struct due_heap heap;

/* TB-7: by time, then by number; sources that are not due are not there */
START_TEST(due_heap__order)
{
	ck_assert_int_eq(due_heap_init(&heap, 5), 0);
	ck_assert_uint_eq(due_heap_next_at(&heap), NODE_TIME_NEVER);
	due_heap_set(&heap, 4, 20);
	due_heap_set(&heap, 1, 20);
	due_heap_set(&heap, 2, 10);
	ck_assert_uint_eq(due_heap_first(&heap), 2);
	due_heap_set(&heap, 2, NODE_TIME_NEVER);
	due_heap_set(&heap, 2, NODE_TIME_NEVER);
	ck_assert_uint_eq(due_heap_first(&heap), 1);
	due_heap_set(&heap, 1, 30);
	ck_assert_uint_eq(due_heap_first(&heap), 4);
	ck_assert_uint_eq(due_heap_due(&heap, 1), 30);
	ck_assert_uint_eq(due_heap_due(&heap, 0), NODE_TIME_NEVER);
	due_heap_fini(&heap);
}
END_TEST

/* the same as looking at all of them, whatever is set */
START_TEST(due_heap__like_a_list)
{
	node_time_t due[SOURCES];
	struct random random;

	random_init(&random, 42, (uint64_t)_i);
	ck_assert_int_eq(due_heap_init(&heap, SOURCES), 0);
	for (uint32_t i = 0; i < SOURCES; i++)
		due[i] = NODE_TIME_NEVER;
	for (uint32_t step = 0; step < 3000; step++) {
		uint32_t source = (uint32_t)random_below(&random, SOURCES), first = 0;

		due[source] = random_below(&random, 3) ? random_below(&random, 1000) : NODE_TIME_NEVER;
		due_heap_set(&heap, source, due[source]);
		for (uint32_t i = 1; i < SOURCES; i++)
			first = due[i] < due[first] ? i : first;
		ck_assert_uint_eq(due_heap_next_at(&heap), due[first]);
		ck_assert(due[first] == NODE_TIME_NEVER || due_heap_first(&heap) == first);
		ck_assert_uint_eq(due_heap_due(&heap, source), due[source]);
	}
	due_heap_fini(&heap);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("due_heap");
	TCase *tc = tcase_create("due_heap");

	tcase_add_test(tc, due_heap__order);
	tcase_add_loop_test(tc, due_heap__like_a_list, 0, 5);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
