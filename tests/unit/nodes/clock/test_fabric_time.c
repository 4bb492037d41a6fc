/*  nodes/clock/fabric_time: fabric time from the machine's and back, dilated and not (SC-8). */
#include "nodes/clock/fabric_time.h"
#include "tests/testing.h"

#define EPOCH_NS 5000000000ull

static struct clock_page page;

static void dilated(uint32_t times)
{
	page = (struct clock_page){ .dilation = times, .epoch_ns = EPOCH_NS };
}

TEST(fabric_time_at__the_dilated_part_of_the_time_since_the_epoch)
{
	dilated(1);
	ck_assert_uint_eq(fabric_time_at(&page, EPOCH_NS + 7), 7 * NODE_NS);
	dilated(50);
	ck_assert_uint_eq(fabric_time_at(&page, EPOCH_NS + 1000000000), 20 * NODE_MS);
	ck_assert_uint_eq(fabric_time_at(&page, EPOCH_NS + 1), 20);
	ck_assert_uint_eq(fabric_time_at(&page, EPOCH_NS), 0);
	ck_assert_uint_eq(fabric_time_at(&page, 17), 0);
}

TEST(fabric_time_at__has_not_begun_without_an_epoch)
{
	dilated(50);
	page.epoch_ns = UINT64_MAX;
	ck_assert_uint_eq(fabric_time_at(&page, EPOCH_NS), 0);
	ck_assert_uint_eq(fabric_time_monotonic_ns(&page, 1), UINT64_MAX);
}

/* a sleep until then ends when the time is reached, and not a nanosecond later */
TEST(fabric_time_monotonic_ns__the_first_moment_at_which_it_is_reached)
{
	static const uint32_t all[] = { 1, 3, 50, 999, DILATION_MAX };

	for (size_t d = 0; d < sizeof(all) / sizeof(*all); d++) {
		dilated(all[d]);
		for (node_time_t at = 1; at < 1000 * NODE_S; at = at * 3 + 1) {
			uint64_t then = fabric_time_monotonic_ns(&page, at);

			ck_assert_uint_ge(fabric_time_at(&page, then), at);
			ck_assert_uint_lt(fabric_time_at(&page, then - 1), at);
		}
	}
}

TEST(fabric_time_monotonic_ns__never_is_never)
{
	dilated(2);
	ck_assert_uint_eq(fabric_time_takes(&page, NODE_TIME_NEVER), NODE_TIME_NEVER);
	ck_assert_uint_ge(fabric_time_monotonic_ns(&page, NODE_TIME_NEVER),
			  NODE_TIME_NEVER / NODE_NS);
}

TEST(fabric_time_of__and_takes_are_inverse)
{
	dilated(100);
	ck_assert_uint_eq(fabric_time_of(&page, 30 * NODE_US), 300 * NODE_NS);
	ck_assert_uint_eq(fabric_time_takes(&page, 300 * NODE_NS), 30 * NODE_US);
}
