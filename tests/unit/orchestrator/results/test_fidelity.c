/*  orchestrator/results/fidelity: the effect of lateness on delays and on rates (TB-8).
 *
 *  A switch of 350 ns with a link of 10 Gb/s, 10 us and a buffer of 125 000 bytes: the link
 *  absorbs 10.35 us; the buffer lasts for 100 us, of which 20.7 us are in flight. */
#include <stdlib.h>

#include "orchestrator/results/fidelity.h"
#include "tests/testing.h"

#define ABSORBED_NS 10350u
#define BRIDGED_NS 79300u
#define SECOND_NS 1000000000ull

static struct fidelity_limits limits;
static struct lateness_stats lateness;

static void setup(void)
{
	lateness = (struct lateness_stats){ 0 };
	fidelity_limits_init(&limits, NODE_SWITCH);
	fidelity_limits_link(&limits, 350 * NODE_NS, 10 * NODE_US, 10000000000, 125000);
}

static void late(uint32_t times, uint64_t ns)
{
	for (uint32_t i = 0; i < times; i++)
		stats_lateness_add(&lateness, ns);
}

static enum fidelity_verdict verdict(uint64_t peers_waited_ns)
{
	struct fidelity node = fidelity_judge(&lateness, &limits, peers_waited_ns, SECOND_NS);

	return fidelity_verdict_of(&node);
}

TEST_GROUP(fidelity, .setup = setup);

TEST(fidelity_limits_link__delay_and_buffer)
{
	ck_assert_uint_eq(limits.made_up_ns, ABSORBED_NS);
	ck_assert_uint_eq(limits.bridged_ns, BRIDGED_NS);
	ck_assert(!limits.last);
}

TEST(fidelity_limits_link__the_smallest_counts)
{
	/* shorter, but slower */
	fidelity_limits_link(&limits, 350 * NODE_NS, 1 * NODE_US, 1000000000, 125000);
	ck_assert_uint_eq(limits.made_up_ns, 1350);
	ck_assert_uint_eq(limits.bridged_ns, BRIDGED_NS);
	fidelity_limits_link(&limits, 350 * NODE_NS, 1 * NODE_MS, 10000000000,
			     125000); /* more is in flight than the buffer holds */
	ck_assert_uint_eq(limits.made_up_ns, 1350);
	ck_assert_uint_eq(limits.bridged_ns, 0);
}

TEST(fidelity_limits_link__unlimited_buffer_only_delays)
{
	fidelity_limits_init(&limits, NODE_NIC);
	fidelity_limits_link(&limits, 0, 10 * NODE_US, 10000000000, 0);
	ck_assert_uint_eq(limits.bridged_ns, UINT64_MAX);
	ck_assert(limits.last);
	late(10, SECOND_NS / 10);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_DELAYED);
}

TEST(fidelity_judge__idle_node_is_faithful)
{
	struct fidelity node = fidelity_judge(&lateness, &limits, 0, SECOND_NS);

	ck_assert_uint_eq(node.events, 0);
	ck_assert_int_eq(fidelity_verdict_of(&node), FIDELITY_FAITHFUL);
	node = fidelity_judge(&lateness, &limits, 0, 0); /* in no time */
	ck_assert_uint_eq(node.stalled_ppm, 0);
}

/* lateness that the link absorbs is no delay, to the nanosecond */
TEST(fidelity_judge__absorbed_lateness_is_no_delay)
{
	late(100, ABSORBED_NS);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_FAITHFUL);
	late(100, ABSORBED_NS + 1);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_DELAYED);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns, 1);
}

/* one in a hundred does not count, two do */
TEST(fidelity_judge__one_percent_does_not_count)
{
	late(99, 1000);
	late(1, 4000000);
	ck_assert_int_eq(verdict(0), FIDELITY_FAITHFUL);
	late(1, 4000000);
	ck_assert_int_eq(verdict(0), FIDELITY_DELAYED);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns,
			  4000000 - ABSORBED_NS);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).max_ns, 4000000);
}

/* 20 ms in a second: a packet in fifty met it, even if it was one turn in a million */
TEST(fidelity_judge__one_long_turn)
{
	late(1000, 1000);
	late(1, SECOND_NS / 101);
	ck_assert_int_eq(verdict(0), FIDELITY_FAITHFUL);
	late(1, SECOND_NS / 50);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns,
			  SECOND_NS / 50 - ABSORBED_NS);
	ck_assert_uint_le(fidelity_judge(&lateness, &limits, 0, SECOND_NS).p99_ns, 1023);
}

/* a NIC is the last node: nothing absorbs its lateness */
TEST(fidelity_judge__nic_adds_all)
{
	limits.last = true;
	late(100, ABSORBED_NS + 1);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns,
			  ABSORBED_NS + 1);
}

/* 1000 times 79.3 us in a second: the buffer lasted every time; a fifth of a second more:
 * overloaded */
TEST(fidelity_judge__beyond_the_buffer)
{
	late(1000, BRIDGED_NS);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, SECOND_NS, SECOND_NS).stalled_ppm, 0);
	late(1, BRIDGED_NS + SECOND_NS / 5);
	ck_assert_uint_ge(fidelity_judge(&lateness, &limits, SECOND_NS, SECOND_NS).stalled_ppm,
			  200000);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_OVERLOADED);
}

/* an idle fabric on a busy machine is late, but no data waited: no rate was missed */
TEST(fidelity_judge__lateness_without_waiting_data)
{
	late(10, SECOND_NS / 20);
	ck_assert_int_eq(verdict(0), FIDELITY_DELAYED);
	ck_assert_int_eq(verdict(SECOND_NS / 101), FIDELITY_DELAYED);
	ck_assert_int_eq(verdict(SECOND_NS / 100), FIDELITY_OVERLOADED);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, SECOND_NS / 50, SECOND_NS).stalled_ppm,
			  20000);
}

/* data waits in a congested fabric, even if its nodes are punctual */
TEST(fidelity_judge__congested_but_punctual)
{
	late(90000, ABSORBED_NS);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_FAITHFUL);
}

TEST(fidelity_judge__at_most_all_the_time)
{
	late(1000, SECOND_NS);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 5 * SECOND_NS, SECOND_NS).stalled_ppm,
			  1000000);
}

TEST(fidelity_since__is_the_difference)
{
	struct lateness_stats earlier, since;

	late(100, 1000);
	late(1, 5000000);
	earlier = lateness;
	late(7, 3000);
	since = fidelity_since(&lateness, &earlier);
	ck_assert_uint_eq(since.events, 7);
	ck_assert_uint_eq(since.count[stats_lateness_bucket(3000)], 7);
	ck_assert_uint_ge(since.max_ns, 3000);
	ck_assert_uint_lt(since.max_ns, 4000); /* without the five milliseconds of before */
	since = fidelity_since(&lateness, &lateness);
	ck_assert_uint_eq(since.events, 0);
	ck_assert_uint_eq(since.max_ns, 0);
}

TEST(fidelity_since__restarted_node)
{
	struct lateness_stats earlier;

	late(100, 1000);
	earlier = lateness;
	lateness = (struct lateness_stats){ 0 };
	late(3, 2000);
	ck_assert_uint_eq(fidelity_since(&lateness, &earlier).events, 3);
	late(200, 2000); /* more than before, but of another count */
	ck_assert_uint_eq(fidelity_since(&lateness, &earlier).events, 203);
}

TEST(fidelity_worse__verdict_before_size)
{
	struct fidelity fine = { .p99_ns = 20 }, delayed = { .p99_ns = 10, .added_ns = 5 },
			more_delayed = { .p99_ns = 9, .added_ns = 6 },
			overloaded = { .stalled_ppm = 10000 },
			more_overloaded = { .stalled_ppm = 20000 };

	ck_assert(fidelity_worse(&delayed, &fine) && !fidelity_worse(&fine, &delayed));
	ck_assert(fidelity_worse(&more_delayed, &delayed) &&
		  !fidelity_worse(&delayed, &more_delayed));
	ck_assert(fidelity_worse(&overloaded, &more_delayed) &&
		  !fidelity_worse(&more_delayed, &overloaded));
	ck_assert(fidelity_worse(&more_overloaded, &overloaded) &&
		  !fidelity_worse(&overloaded, &more_overloaded));
	ck_assert(!fidelity_worse(&fine, &fine));
}
