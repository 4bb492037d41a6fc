/*  nodes/stats/queue_gauge: the bytes that wait for an output: now, at most and on average, exactly
 *  (FC-11, TB-13). */
#include <stdlib.h>

#include "nodes/stats/queue_gauge.h"
#include "tests/testing.h"

static struct queue_gauge gauge;
static struct port_stats stats;

static void setup(void)
{
	gauge = (struct queue_gauge){ .from_ps = 0, .to_ps = NODE_TIME_NEVER };
	stats = (struct port_stats){ 0 };
}

TEST_GROUP(queue_gauge, .setup = setup);

TEST(queue_gauge_settle__adds_bytes_times_duration)
{
	queue_gauge_add(&gauge, &stats, 1000, 2 * NODE_NS);
	queue_gauge_add(&gauge, &stats, 500, 5 * NODE_NS);
	queue_gauge_add(&gauge, &stats, -1000, 6 * NODE_NS);
	queue_gauge_settle(&gauge, &stats, 10 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 3 * 1000 + 1 * 1500 + 4 * 500);
	queue_gauge_settle(&gauge, &stats, 10 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 6500);
}

/* Parts of a byte nanosecond are added up: 1 byte for 1 ps, a million times, is 1000 byte
 * nanoseconds. */
TEST(queue_gauge_settle__nothing_is_rounded_away)
{
	queue_gauge_add(&gauge, &stats, 1, 0);
	for (node_time_t now = 1; now <= 1000000; now++)
		queue_gauge_settle(&gauge, &stats, now);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 1000);
}

/* Only the interval [from, to) counts, whether it begins and ends at a change or between two
 * changes. */
TEST(queue_gauge_settle__measured_interval_only)
{
	gauge.from_ps = 10 * NODE_NS;
	gauge.to_ps = 20 * NODE_NS;
	queue_gauge_add(&gauge, &stats, 100, 1 * NODE_NS);
	queue_gauge_settle(&gauge, &stats, 9 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 0);
	queue_gauge_add(&gauge, &stats, 100, 15 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 5 * 100);
	queue_gauge_settle(&gauge, &stats, 100 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 5 * 100 + 5 * 200);
	queue_gauge_settle(&gauge, &stats, 200 * NODE_NS);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 5 * 100 + 5 * 200);
}

/* FC-22: a queue of a slow link exists for many seconds */
TEST(queue_gauge_settle__long_and_full_does_not_overflow)
{
	queue_gauge_add(&gauge, &stats, 100000000, 0);
	queue_gauge_settle(&gauge, &stats, 100 * NODE_S + 7);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 100000000ull * 100000000000ull + 700000);
}

/* the integral stays at its largest value, and does not begin again */
TEST(queue_gauge_settle__integral_that_is_too_large)
{
	queue_gauge_add(&gauge, &stats, 10000000000, 0);
	queue_gauge_settle(&gauge, &stats, NODE_S);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, 10000000000000000000ull);
	queue_gauge_settle(&gauge, &stats, 2 * NODE_S);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, UINT64_MAX);
	queue_gauge_settle(&gauge, &stats, 3 * NODE_S);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, UINT64_MAX);
	queue_gauge_add(&gauge, &stats, 1000000000000, 3 * NODE_S);
	stats.queue_byte_ns_sum = 0;
	queue_gauge_settle(&gauge, &stats, 100 * NODE_S);
	ck_assert_uint_eq(stats.queue_byte_ns_sum, UINT64_MAX);
}

TEST(queue_gauge_add__now_and_maximum)
{
	queue_gauge_add(&gauge, &stats, 4096, 1);
	queue_gauge_add(&gauge, &stats, 64, 2);
	queue_gauge_add(&gauge, &stats, -4096, 3);
	ck_assert_uint_eq(stats.queue_bytes, 64);
	ck_assert_uint_eq(stats.queue_bytes_max, 4160);
	queue_gauge_add(&gauge, &stats, -64, 4);
	ck_assert_uint_eq(stats.queue_bytes, 0);
	ck_assert_uint_eq(stats.queue_bytes_max, 4160);
}
