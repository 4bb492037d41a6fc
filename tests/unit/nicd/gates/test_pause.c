/*  nicd/gates/pause: when a NIC pauses its input (EC-4). */
#include <stdlib.h>

#include "nicd/gates/pause.h"
#include "tests/testing.h"

/* from 100 to 200: 15 of every 20 */
static struct pause_config pauses[2] = {
	{ .start_ps = 100, .stop_ps = 200, .every_ps = 20, .for_ps = 15, .classes = 1 }
};
static struct nic_config config = { .pause_count = 1, .pauses = pauses };

TEST(pause_classes__edges)
{
	ck_assert_uint_eq(pause_classes(&config, 0, 0), 0);
	ck_assert_uint_eq(pause_classes(&config, 0, 99), 0);
	ck_assert_uint_eq(pause_classes(&config, 0, 100), 1);
	ck_assert_uint_eq(pause_classes(&config, 0, 114), 1);
	ck_assert_uint_eq(pause_classes(&config, 0, 115), 0);
	ck_assert_uint_eq(pause_classes(&config, 0, 119), 0);
	ck_assert_uint_eq(pause_classes(&config, 0, 120), 1);
	ck_assert_uint_eq(pause_classes(&config, 0, 194), 1);
	ck_assert_uint_eq(pause_classes(&config, 0, 200), 0);
	ck_assert_uint_eq(pause_classes(&config, 0, NODE_TIME_NEVER), 0);
}

/* From edge to edge: pause_classes() changes at no other time, and it ends. */
TEST(pause_next_at__every_edge)
{
	node_time_t at = 0, edges[16];
	uint32_t count = 0;

	for (node_time_t next = pause_next_at(&config, 0, at); next != NODE_TIME_NEVER;
	     next = pause_next_at(&config, 0, at)) {
		ck_assert_uint_gt(next, at);
		for (node_time_t t = at + 1; t < next; t++)
			ck_assert_uint_eq(pause_classes(&config, 0, t),
					  pause_classes(&config, 0, at));
		ck_assert_uint_ne(pause_classes(&config, 0, next), pause_classes(&config, 0, at));
		ck_assert_uint_lt(count, 16);
		edges[count++] = at = next;
	}
	ck_assert_uint_eq(count, 10);
	ck_assert_uint_eq(edges[0], 100);
	ck_assert_uint_eq(edges[9], 195); /* at 200 no pause is left to end */
}

/* the end of the interval cuts the last pause short */
TEST(pause_next_at__last_pause_is_cut_short)
{
	struct pause_config once = {
		.start_ps = 100, .stop_ps = 110, .every_ps = 20, .for_ps = 15, .classes = 1
	};
	struct nic_config short_one = { .pause_count = 1, .pauses = &once };

	ck_assert_uint_eq(pause_next_at(&short_one, 0, 0), 100);
	ck_assert_uint_eq(pause_next_at(&short_one, 0, 100), 110);
	ck_assert_uint_eq(pause_next_at(&short_one, 0, 110), NODE_TIME_NEVER);
}

/* all of the time: one long pause, not several */
TEST(pause_next_at__whole_period_is_one_pause)
{
	struct pause_config all = {
		.start_ps = 100, .stop_ps = 200, .every_ps = 20, .for_ps = 20, .classes = 2
	};
	struct nic_config whole = { .pause_count = 1, .pauses = &all };

	ck_assert_uint_eq(pause_next_at(&whole, 0, 100), 200);
	ck_assert_uint_eq(pause_classes(&whole, 0, 139), 2);
	ck_assert_uint_eq(pause_next_at(&whole, 0, 200), NODE_TIME_NEVER);
}

TEST(pause_classes__overlapping)
{
	pauses[1] = (struct pause_config){
		.start_ps = 110, .stop_ps = 130, .every_ps = 20, .for_ps = 20, .classes = 3
	};
	config.pause_count = 2;
	ck_assert_uint_eq(pause_classes(&config, 0, 105), 1);
	ck_assert_uint_eq(pause_classes(&config, 0, 112), 3);
	ck_assert_uint_eq(pause_classes(&config, 0, 117), 3);
	ck_assert_uint_eq(pause_classes(&config, 0, 130), 1);
	ck_assert_uint_eq(pause_next_at(&config, 0, 105), 110);
	ck_assert_uint_eq(pause_next_at(&config, 0, 110), 115);
}

/* a time line that begins later is the same one, later; without an end it goes on */
TEST(pause_classes__from_later_on)
{
	struct pause_config endless = {
		.start_ps = 100, .every_ps = 20, .for_ps = 15, .classes = 1
	};
	struct nic_config one = { .pause_count = 1, .pauses = &endless };

	for (node_time_t t = 0; t < 300; t++) {
		ck_assert_uint_eq(pause_classes(&one, 1000, 1000 + t), pause_classes(&one, 0, t));
		ck_assert_uint_eq(pause_next_at(&one, 1000, 1000 + t),
				  1000 + pause_next_at(&one, 0, t));
	}
	ck_assert_uint_eq(pause_classes(&one, 1000, 115), 0);
	ck_assert_uint_eq(pause_next_at(&one, 1000, 115), 1000);
	ck_assert_uint_eq(pause_classes(&one, 0, 3600 * NODE_S), 1);
	ck_assert_uint_eq(pause_classes(&one, NODE_TIME_NEVER, 110), 0);
	ck_assert_uint_eq(pause_next_at(&one, NODE_TIME_NEVER, 110), NODE_TIME_NEVER);
}

TEST(pause_next_at__never_without_pauses)
{
	struct nic_config none = { 0 };

	ck_assert_uint_eq(pause_classes(&none, 0, 5), 0);
	ck_assert_uint_eq(pause_next_at(&none, 0, 0), NODE_TIME_NEVER);
}
