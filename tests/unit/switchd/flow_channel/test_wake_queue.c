/*  switchd/flow_channel/wake_queue: flows come out at their times, in one order on any machine.                       */
#include <stdlib.h>

#include "nodes/base/random.h"
#include "switchd/flow_channel/wake_queue.h"
#include "tests/testing.h"

#define REFS 512u

static struct wake_queue queue;

static void setup(void)
{
	ck_assert_int_eq(wake_queue_init(&queue, REFS), 0);
}

static void teardown(void)
{
	wake_queue_fini(&queue);
}

TEST_GROUP(heap, .setup = setup, .teardown = teardown);

TEST(pop__earliest_first_then_lowest_ref)
{
	wake_queue_set(&queue, 7, 30);
	wake_queue_set(&queue, 3, 10);
	wake_queue_set(&queue, 9, 10);
	wake_queue_set(&queue, 1, 20);
	ck_assert_uint_eq(wake_queue_next_at(&queue), 10);
	ck_assert_uint_eq(wake_queue_pop(&queue), 3);
	ck_assert_uint_eq(wake_queue_pop(&queue), 9);
	ck_assert_uint_eq(wake_queue_pop(&queue), 1);
	ck_assert_uint_eq(wake_queue_pop(&queue), 7);
	ck_assert_uint_eq(wake_queue_next_at(&queue), NODE_TIME_NEVER);
}

TEST(set__twice_is_the_last_one)
{
	wake_queue_set(&queue, 5, 10);
	wake_queue_set(&queue, 6, 20);
	wake_queue_set(&queue, 5, 30);
	ck_assert_uint_eq(queue.count, 2);
	ck_assert_uint_eq(wake_queue_pop(&queue), 6);
	ck_assert_uint_eq(wake_queue_next_at(&queue), 30);
}

TEST(remove__from_anywhere)
{
	static node_time_t due[REFS];
	struct random random;
	node_time_t last = 0;
	uint32_t left = 0;

	random_init(&random, 1, 2);
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t ref = (uint32_t)random_below(&random, REFS);

		due[ref] = random_below(&random, 3) ? random_below(&random, 1000) + 1 : 0;
		if (due[ref])
			wake_queue_set(&queue, ref, due[ref]);
		else
			wake_queue_remove(&queue, ref);
	}
	for (uint32_t ref = 0; ref < REFS; ref++)
		left += due[ref] != 0;
	ck_assert_uint_eq(queue.count, left);
	while (queue.count) {
		node_time_t at = wake_queue_next_at(&queue);
		uint32_t ref = wake_queue_pop(&queue);

		ck_assert_uint_ge(at, last);
		ck_assert_uint_eq(at, due[ref]);
		last = at;
	}
}
