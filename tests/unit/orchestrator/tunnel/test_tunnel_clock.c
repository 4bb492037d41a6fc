/*  orchestrator/tunnel/tunnel_clock: the sample with the shortest round trip of the last ones
 *  decides; times that cannot be are refused, at their limits (SC-5). */
#include "orchestrator/tunnel/tunnel_clock.h"
#include "tests/testing.h"

#define TIME_NS_MAX ((uint64_t)INT64_MAX / 2)

static struct tunnel_clock tunnel_clock;

static void setup(void)
{
	tunnel_clock = (struct tunnel_clock){ 0 };
}

TEST_GROUP(tunnel_clock, .setup = setup);

/* the other clock is @ahead_ns ahead, the round trip takes @round_trip_ns */
static bool sample(uint64_t ahead_ns, uint64_t round_trip_ns)
{
	return tunnel_clock_add(&tunnel_clock, 1000, 1000 + ahead_ns + round_trip_ns / 2,
				1007 + ahead_ns + round_trip_ns / 2, 1007 + round_trip_ns);
}

TEST(tunnel_clock_add__shortest_round_trip_of_the_last_ones)
{
	ck_assert(sample(10, 100));
	ck_assert_int_eq(tunnel_clock.offset_ns, -10);
	ck_assert_uint_eq(tunnel_clock.round_trip_ns, 100);
	/* those before keep their place until as many are later */
	for (uint32_t i = 1; i < TUNNEL_CLOCK_SAMPLES; i++) {
		ck_assert(sample(20 + i, 200 + 2 * i));
		ck_assert_int_eq(tunnel_clock.offset_ns, -10);
	}
	ck_assert(sample(500, 1000));
	ck_assert_int_eq(tunnel_clock.offset_ns, -21);
	ck_assert_uint_eq(tunnel_clock.round_trip_ns, 202);
	ck_assert(sample(600, 1000));
	ck_assert_int_eq(tunnel_clock.offset_ns, -22);
	ck_assert(sample(700, 0));
	ck_assert_int_eq(tunnel_clock.offset_ns, -700);
	ck_assert_uint_eq(tunnel_clock.round_trip_ns, 0);
	ck_assert_uint_eq(tunnel_clock.count, TUNNEL_CLOCK_SAMPLES + 3);
}

TEST(tunnel_clock_add__impossible_times)
{
	ck_assert(!tunnel_clock_add(&tunnel_clock, 100, 5, 5, 99));
	ck_assert(!tunnel_clock_add(&tunnel_clock, 100, 5, 4, 200));
	ck_assert(!tunnel_clock_add(&tunnel_clock, 100, 5, 106, 200));
	ck_assert(!tunnel_clock_add(&tunnel_clock, 100, TIME_NS_MAX + 1, TIME_NS_MAX + 1, 200));
	ck_assert(!tunnel_clock_add(&tunnel_clock, TIME_NS_MAX, 5, 5, TIME_NS_MAX + 1));
	ck_assert_uint_eq(tunnel_clock.count, 0);
	/* the last ones that can be */
	ck_assert(tunnel_clock_add(&tunnel_clock, 100, 5, 105, 200));
	ck_assert_uint_eq(tunnel_clock.round_trip_ns, 0);
	ck_assert(tunnel_clock_add(&tunnel_clock, 100, 5, 5, 100));
	ck_assert(tunnel_clock_add(&tunnel_clock, 0, TIME_NS_MAX, TIME_NS_MAX, TIME_NS_MAX));
	ck_assert_uint_eq(tunnel_clock.count, 3);
}

TEST(tunnel_clock_here__limits)
{
	tunnel_clock.offset_ns = -1000;
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, 999), 0);
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, 1000), 0);
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, 1001), 1);
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, TIME_NS_MAX), TIME_NS_MAX - 1000);
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, TIME_NS_MAX + 1), 0);
	tunnel_clock.offset_ns = INT64_MAX;
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, 0), INT64_MAX);
	ck_assert_uint_eq(tunnel_clock_here(&tunnel_clock, 1), 0);
}
