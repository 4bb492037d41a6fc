/*  nicd/workload/workload: sizes, arrivals and destinations of generated messages (TB-7, TB-12). */
#include <errno.h>
#include <stdlib.h>

#include "nicd/workload/workload.h"
#include "tests/testing.h"

#define RATE_BPS 200000000000ull
#define GAP_BYTES 20u

/* flow sizes of web search [DCTCP, pFabric] */
static struct size_point web_search[] = {
	{ 10000, 150000 },   { 20000, 200000 },    { 30000, 300000 },     { 50000, 400000 },
	{ 80000, 530000 },   { 200000, 600000 },   { 1000000, 700000 },   { 2000000, 800000 },
	{ 5000000, 900000 }, { 10000000, 970000 }, { 30000000, 1000000 },
};
#define WEB_SEARCH_POINTS (sizeof(web_search) / sizeof(web_search[0]))

static uint32_t destinations[] = { 11, 12, 13, 14, 15 };
static struct workload_config config;
static struct nic_config nic = { .workload_count = 1, .workloads = &config };
static struct workload_set set;

static void setup(void)
{
	config = (struct workload_config){
		.connections = 1,
		.name = "w",
		.packet_bytes = 4096,
		.frame = FRAME_IPV4,
		.window = 1,
		.stop_ps = NODE_TIME_NEVER,
		.message_bytes = 10000,
		.seed = 42,
		.destination_count = 5,
		.destinations = destinations,
	};
}

static void set_init(void)
{
	ck_assert_int_eq(workload_set_init(&set, &nic, RATE_BPS, GAP_BYTES), 0);
}

/* Starts the next message when it is due.  Return: that time. */
static node_time_t step(struct workload_message *message)
{
	node_time_t due = workload_next_at(&set);

	workload_step(&set, due, message);
	ck_assert_uint_eq(message->start_ps, due);
	return due;
}

TEST_GROUP(workload, .setup = setup);

/* ---- sizes (TB-12) ---- */

TEST(workload_size_mean_ubytes__web_search)
{
	struct workload_size size = { .point_count = WEB_SEARCH_POINTS, .points = web_search };
	struct message_shape shape = message_shape_of(FRAME_IPV4, 4096);

	/* 1711250 for the continuous distribution, half a byte more for whole bytes */
	ck_assert_uint_eq(workload_size_mean_ubytes(&size, &shape, 0), 1711250500000ull);
}

TEST(workload_size_next__web_search_mean)
{
	struct workload_size size;
	uint64_t sum = 0, below_80k = 0, outside = 0;
	const uint32_t count = 400000;

	config.message_bytes = 0;
	config.size_count = WEB_SEARCH_POINTS;
	config.sizes = web_search;
	workload_size_init(&size, &config, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = workload_size_next(&size);

		outside += bytes < 1 || bytes > 30000000;
		sum += bytes;
		below_80k += bytes <= 80000;
	}
	ck_assert_uint_eq(outside, 0);
	ck_assert_uint_ge(sum / count, 1711250 * 985 / 1000);
	ck_assert_uint_le(sum / count, 1711250 * 1015 / 1000);
	ck_assert_uint_ge(below_80k * 1000 / count, 527);
	ck_assert_uint_le(below_80k * 1000 / count, 533);
}

TEST(workload_size_of__ends_and_points)
{
	ck_assert_uint_eq(workload_size_of(web_search, WEB_SEARCH_POINTS, 0), 1);
	ck_assert_uint_eq(workload_size_of(web_search, WEB_SEARCH_POINTS, UINT64_MAX), 30000000);
	/* a share of 0.55 is 2/7 of the distance from 80000 to 200000 */
	ck_assert_uint_ge(workload_size_of(web_search, WEB_SEARCH_POINTS, UINT64_MAX / 100 * 55),
			  80000 + 34285);
	ck_assert_uint_le(workload_size_of(web_search, WEB_SEARCH_POINTS, UINT64_MAX / 100 * 55),
			  80000 + 34287);
}

TEST(workload_size_of__steps)
{
	static const struct size_point points[] = {
		{ 0, 100000 }, { 64, 200000 }, { 64, 600000 }, { 64, 1000000 }
	};
	static const struct size_point one[] = { { 1, 1000000 } };

	ck_assert_uint_eq(workload_size_of(points, 4, 0), 1);
	ck_assert_uint_eq(workload_size_of(points, 4, UINT64_MAX / 2), 64);
	ck_assert_uint_eq(workload_size_of(points, 4, UINT64_MAX), 64);
	ck_assert_uint_eq(workload_size_of(one, 1, 0), 1);
	ck_assert_uint_eq(workload_size_of(one, 1, UINT64_MAX), 1);
}

/* the closed form equals the sum over all sizes */
TEST(workload_size_mean_ubytes__by_hand)
{
	static struct size_point points[] = { { 700, 250000 }, { 2200, 1000000 } };
	struct workload_size size = { .point_count = 2, .points = points };
	struct message_shape shape = { .capacity_bytes = 300,
				       .overhead_bytes = 100,
				       .frame_bytes_min = 60 };
	uint64_t low = 0, high = 0;

	for (uint64_t bytes = 1; bytes <= 2200; bytes++)
		*(bytes <= 700 ? &low : &high) += bytes + (bytes + 299) / 300 * 124;
	ck_assert_uint_eq(workload_size_mean_ubytes(&size, &shape, 124),
			  low * 250000 / 700 + high * 750000 / 1500);
}

/* a size that a step of the distribution gives is that size */
TEST(workload_size_mean_ubytes__steps)
{
	static struct size_point points[] = { { 0, 100000 }, { 64, 200000 }, { 64, 1000000 } };
	struct workload_size size = { .point_count = 3, .points = points };
	struct message_shape shape = { .capacity_bytes = 300, .overhead_bytes = 100 };

	/* a tenth of 1 byte, a tenth of 1 to 64, the rest of 64 */
	ck_assert_uint_eq(workload_size_mean_ubytes(&size, &shape, 24),
			  100000 * (1 + 24) + 100000 * (64 * 65 / 2 + 64 * 24) / 64 +
				  800000 * (64 + 24));
}

/* a fixed size counts with its padding: 1 byte needs a 60-byte frame */
TEST(workload_size_mean_ubytes__padded)
{
	struct workload_size size = { .fixed_bytes = 1 };
	struct message_shape shape = message_shape_of(FRAME_ETHERNET, 1500);

	ck_assert_uint_eq(workload_size_mean_ubytes(&size, &shape, shape.overhead_bytes + 24),
			  84 * 1000000ull);
}

/* ---- arrivals (TB-12) ---- */

TEST(workload_arrival__closed_loop_keeps_its_window)
{
	struct workload_message message;

	config.window = 3;
	config.start_ps = 500;
	set_init();
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(step(&message), 500);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_on_sent(&set, 0, 0, 900);
	ck_assert_uint_eq(step(&message), 900);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_on_sent(&set, 0, 0, 1000);
	workload_on_sent(&set, 0, 0, 1100);
	ck_assert_uint_eq(step(&message), 1000);
	ck_assert_uint_eq(step(&message), 1000);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}

/* 10000 bytes in three packets of 4096 take 10000 + 3 (70 + 24) link bytes: 411.28 ns at 200 Gb/s,
 * divided by the load */
TEST(workload_arrival__paced_without_drift)
{
	const uint64_t link_bytes = 10000 + 3 * (frame_overhead_bytes(FRAME_IPV4) + 4 + GAP_BYTES);
	struct workload_message message;

	config.arrival = ARRIVAL_PACED;
	config.load_permille = 700;
	set_init();
	for (uint64_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(step(&message), i * link_bytes * 40 * 1000 / 700);
	workload_set_fini(&set);
}

/* a gap is never shorter than a picosecond; without load there is none */
TEST(workload_arrival_load__ends)
{
	struct workload_arrival arrival = { .carried = 5 };

	workload_arrival_load(&arrival, 1, RATE_BPS, 1000);
	ck_assert_uint_eq(arrival.gap_ps, 1);
	ck_assert_uint_eq(arrival.gap_part, 0);
	ck_assert_uint_eq(arrival.carried, 0);
	workload_arrival_load(&arrival, 25000, RATE_BPS, 1000);
	ck_assert_uint_eq(arrival.gap_ps, 1);
	ck_assert_uint_eq(arrival.gap_part, 0);
	workload_arrival_load(&arrival, 37500, RATE_BPS, 1000);
	ck_assert_uint_eq(arrival.gap_ps, 1);
	ck_assert_uint_eq(arrival.gap_part, RATE_BPS * 1000 / 2);
	workload_arrival_load(&arrival, UINT64_MAX, RATE_BPS, 0);
	ck_assert_uint_eq(arrival.gap_ps, NODE_TIME_NEVER);
}

/* a workload without destinations starts nothing */
TEST(workload_set_init__no_destination)
{
	config.arrival = ARRIVAL_CLOSED;
	config.destination_count = 0;
	set_init();
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}

TEST(workload_arrival__poisson_mean)
{
	struct workload_message message;
	node_time_t last = 0, mean;
	const uint32_t count = 100000;
	uint32_t backwards = 0;

	config.arrival = ARRIVAL_POISSON;
	config.load_permille = 500;
	set_init();
	mean = set.workloads[0].mean_ubytes * 40 * 2 / 1000000;
	for (uint32_t i = 0; i < count; i++) {
		last = workload_next_at(&set);
		workload_step(&set, last, &message);
		backwards += workload_next_at(&set) < last;
	}
	ck_assert_uint_eq(backwards, 0);
	ck_assert_uint_ge(last / count, mean * 98 / 100);
	ck_assert_uint_le(last / count, mean * 102 / 100);
	workload_set_fini(&set);
}

TEST(workload_arrival__bursts)
{
	struct workload_message message;

	config.arrival = ARRIVAL_BURST;
	config.burst_messages = 4;
	config.burst_period_ps = 1000;
	config.start_ps = 10;
	set_init();
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_uint_eq(step(&message), 10 + i / 4 * 1000);
	workload_set_fini(&set);
}

/* no message starts at or after stop_ps, nor more than messages_max. _i: enum arrival_kind */
TEST_RANGE(workload_arrival__limits_are_kept, 0, ARRIVAL_KINDS)
{
	struct workload_message message;
	uint32_t count = 0;

	config.arrival = (enum arrival_kind)_i;
	config.load_permille = 1000;
	config.burst_messages = 1;
	config.burst_period_ps = 1000;
	config.messages_max = 7;
	set_init();
	for (; workload_next_at(&set) != NODE_TIME_NEVER; count++) {
		step(&message);
		workload_on_sent(&set, 0, 0, 400);
	}
	ck_assert_uint_eq(count, 7);
	workload_set_fini(&set);
	config.messages_max = 0;
	config.stop_ps = 400;
	set_init();
	for (count = 0; workload_next_at(&set) != NODE_TIME_NEVER; count++) {
		ck_assert_uint_lt(step(&message), 400);
		workload_on_sent(&set, 0, 0, 400);
	}
	ck_assert_uint_le(count, 1);
	workload_set_fini(&set);
	config.start_ps = 400;
	set_init();
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}

/* Stopped, nothing starts, whatever is sent; then it begins again, with its own start, stop and
 * number of messages. _i: enum arrival_kind */
TEST_RANGE(workload_run_from__stops_and_begins_again, 0, ARRIVAL_KINDS)
{
	struct workload_message message;
	uint32_t count = 0;

	config.arrival = (enum arrival_kind)_i;
	config.load_permille = 1000;
	config.window = 2;
	config.burst_messages = 2;
	config.burst_period_ps = NODE_US;
	config.start_ps = 50;
	config.stop_ps = 0;
	set_init();
	step(&message);
	workload_run_from(&set, 0, NODE_TIME_NEVER);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_on_sent(&set, 0, 0, 600);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	config.messages_max = 3;
	config.stop_ps = NODE_S;
	workload_run_from(&set, 0, 2000);
	for (; workload_next_at(&set) != NODE_TIME_NEVER; count++) {
		node_time_t due = step(&message);

		if (config.arrival == ARRIVAL_POISSON)
			ck_assert_uint_gt(due, 2050);
		else if (!count)
			ck_assert_uint_eq(due, 2050);
		workload_on_sent(&set, 0, 0, 2100);
	}
	ck_assert_uint_eq(count, 3);
	workload_set_fini(&set);
}

/* what is in flight counts in the window of a closed loop that begins again; no message starts
 * before its time */
TEST(workload_run_from__closed_loop_with_messages_in_flight)
{
	struct workload_message message;

	config.start_ps = 10;
	set_init();
	step(&message);
	workload_run_from(&set, 0, NODE_TIME_NEVER);
	workload_run_from(&set, 0, 2000);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_on_sent(&set, 0, 0, 1500);
	ck_assert_uint_eq(workload_next_at(&set), 2010);
	workload_set_fini(&set);
}

TEST(workload_set_init__waits)
{
	config.from_ps = NODE_TIME_NEVER;
	set_init();
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}

/* a NIC that is started again begins then, and stops in time. _i: enum arrival_kind */
TEST_RANGE(workload_set_init__again, 0, ARRIVAL_KINDS)
{
	config.arrival = (enum arrival_kind)_i;
	config.load_permille = 1000;
	config.burst_messages = 2;
	config.burst_period_ps = NODE_US;
	config.start_ps = 50;
	config.stop_ps = NODE_S;
	config.again_ps = 1000;
	set_init();
	if (config.arrival == ARRIVAL_POISSON)
		ck_assert_uint_gt(workload_next_at(&set), 1000);
	else
		ck_assert_uint_eq(workload_next_at(&set), 1000);
	workload_set_fini(&set);
	config.again_ps = NODE_S;
	set_init();
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}

/* an arrival that is handled late keeps its due time */
TEST(workload_step__late_arrival_keeps_its_time)
{
	struct workload_message message;

	config.arrival = ARRIVAL_BURST;
	config.burst_messages = 1;
	config.burst_period_ps = 1000;
	set_init();
	workload_step(&set, 0, &message);
	for (uint32_t i = 1; i < 4; i++) {
		workload_step(&set, 3500, &message);
		ck_assert_uint_eq(message.start_ps, i * 1000);
	}
	ck_assert_uint_eq(set.workloads[0].deferred, 3);
	ck_assert_uint_eq(workload_next_at(&set), 4000);
	workload_set_fini(&set);
}

TEST(workload_load__changes_the_gap)
{
	struct workload_message message;
	node_time_t first, second;

	config.arrival = ARRIVAL_PACED;
	config.load_permille = 1000;
	set_init();
	step(&message);
	first = step(&message);
	ck_assert_int_eq(workload_load(&set, 0, 500), 0);
	second = step(&message) - first;
	ck_assert_uint_eq(second, first);
	ck_assert_uint_eq(workload_next_at(&set) - first - second, 2 * first);
	ck_assert_int_eq(workload_load(&set, 0, 0), -EINVAL);
	ck_assert_int_eq(workload_load(&set, 0, 1001), -EINVAL);
	workload_set_fini(&set);
	config.arrival = ARRIVAL_CLOSED;
	set_init();
	ck_assert_int_eq(workload_load(&set, 0, 500), -EINVAL);
	workload_set_fini(&set);
}

/* ---- destinations (TB-12) ---- */

TEST(workload_destination_next__kinds)
{
	struct workload_destination destination;
	uint32_t counts[5] = { 0 };

	config.destination = DESTINATION_FIXED;
	workload_destination_init(&destination, &config, 0);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(workload_destination_next(&destination), 0);
	config.destination = DESTINATION_ROUND_ROBIN;
	workload_destination_init(&destination, &config, 0);
	for (uint32_t i = 0; i < 12; i++)
		ck_assert_uint_eq(workload_destination_next(&destination), i % 5);
	config.destination = DESTINATION_RANDOM;
	workload_destination_init(&destination, &config, 0);
	for (uint32_t i = 0; i < 50000; i++)
		counts[workload_destination_next(&destination)]++;
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(counts[i] > 9700 && counts[i] < 10300);
}

/* ---- several workloads ---- */

/* TB-7: of arrivals at the same time, the lower number is first */
TEST(workload_step__lower_number_first)
{
	struct workload_config configs[3] = { config, config, config };
	struct nic_config three = { .workload_count = 3, .workloads = configs };
	struct workload_message message;

	configs[0].start_ps = 10;
	ck_assert_int_eq(workload_set_init(&set, &three, RATE_BPS, GAP_BYTES), 0);
	ck_assert_uint_eq(step(&message), 0);
	ck_assert_uint_eq(message.workload, 1);
	ck_assert_uint_eq(step(&message), 0);
	ck_assert_uint_eq(message.workload, 2);
	ck_assert_uint_eq(step(&message), 10);
	ck_assert_uint_eq(message.workload, 0);
	workload_set_fini(&set);
}

/* TB-7: the same seed gives the same traffic */
TEST(workload_step__same_seed_same_traffic)
{
	struct workload_message first[100], message;

	config.arrival = ARRIVAL_POISSON;
	config.load_permille = 300;
	config.destination = DESTINATION_RANDOM;
	config.message_bytes = 0;
	config.size_count = WEB_SEARCH_POINTS;
	config.sizes = web_search;
	set_init();
	for (uint32_t i = 0; i < 100; i++)
		step(&first[i]);
	workload_set_fini(&set);
	set_init();
	for (uint32_t i = 0; i < 100; i++) {
		step(&message);
		ck_assert_uint_eq(message.start_ps, first[i].start_ps);
		ck_assert_uint_eq(message.place, first[i].place);
		ck_assert_uint_eq(message.bytes, first[i].bytes);
	}
	workload_set_fini(&set);
}

TEST(workload_set_init__no_workloads)
{
	struct nic_config none = { 0 };

	ck_assert_int_eq(workload_set_init(&set, &none, RATE_BPS, GAP_BYTES), 0);
	ck_assert_uint_eq(workload_next_at(&set), NODE_TIME_NEVER);
	workload_set_fini(&set);
}
