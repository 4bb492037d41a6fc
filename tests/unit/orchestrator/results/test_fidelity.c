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
	late(10, SECOND_NS / 11);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_VALID_FOR_RATES);
}

TEST(fidelity_judge__idle_node_is_valid)
{
	struct fidelity node = fidelity_judge(&lateness, &limits, 0, SECOND_NS);

	ck_assert_uint_eq(node.events, 0);
	ck_assert_int_eq(fidelity_verdict_of(&node), FIDELITY_VALID);
	node = fidelity_judge(&lateness, &limits, 0, 0); /* in no time */
	ck_assert_uint_eq(node.stalled_ppm, 0);
}

/* lateness that the link absorbs is no delay, to the nanosecond */
TEST(fidelity_judge__absorbed_lateness_is_no_delay)
{
	late(100, ABSORBED_NS);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_VALID);
	late(100, ABSORBED_NS + 1);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_VALID_FOR_RATES);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns, 1);
}

/* one in a hundred does not count, two do */
TEST(fidelity_judge__one_percent_does_not_count)
{
	late(99, 1000);
	late(1, 4000000);
	ck_assert_int_eq(verdict(0), FIDELITY_VALID);
	late(1, 4000000);
	ck_assert_int_eq(verdict(0), FIDELITY_VALID_FOR_RATES);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).added_ns,
			  4000000 - ABSORBED_NS);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, 0, SECOND_NS).max_ns, 4000000);
}

/* 20 ms in a second: a packet in fifty met it, even if it was one turn in a million */
TEST(fidelity_judge__one_long_turn)
{
	late(1000, 1000);
	late(1, SECOND_NS / 101);
	ck_assert_int_eq(verdict(0), FIDELITY_VALID);
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
 * not valid */
TEST(fidelity_judge__beyond_the_buffer)
{
	late(1000, BRIDGED_NS);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, SECOND_NS, SECOND_NS).stalled_ppm, 0);
	late(1, BRIDGED_NS + SECOND_NS / 5);
	ck_assert_uint_ge(fidelity_judge(&lateness, &limits, SECOND_NS, SECOND_NS).stalled_ppm,
			  200000);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_NOT_VALID);
}

/* an idle fabric on a busy machine is late, but no data waited: no rate was missed */
TEST(fidelity_judge__lateness_without_waiting_data)
{
	late(10, SECOND_NS / 20);
	ck_assert_int_eq(verdict(0), FIDELITY_VALID_FOR_RATES);
	ck_assert_int_eq(verdict(SECOND_NS / 101), FIDELITY_VALID_FOR_RATES);
	ck_assert_int_eq(verdict(SECOND_NS / 100), FIDELITY_NOT_VALID);
	ck_assert_uint_eq(fidelity_judge(&lateness, &limits, SECOND_NS / 50, SECOND_NS).stalled_ppm,
			  20000);
}

/* data waits in a congested fabric, even if its nodes are punctual */
TEST(fidelity_judge__congested_but_punctual)
{
	late(90000, ABSORBED_NS);
	ck_assert_int_eq(verdict(SECOND_NS), FIDELITY_VALID);
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

/* TCP retransmits what is 200 ms late: a packet and its ACK wait for half of that */
TEST(fidelity_verdict_of__long_delays_are_not_valid)
{
	limits.last = true;
	late(100, FIDELITY_DELAY_NS - 1);
	ck_assert_int_eq(verdict(0), FIDELITY_VALID_FOR_RATES);
	late(10, FIDELITY_DELAY_NS);
	ck_assert_int_eq(verdict(0), FIDELITY_NOT_VALID);
}

TEST(fidelity_reason_of__rates_before_delays)
{
	const struct fidelity rows[] = { { 0 },
					 { .added_ns = FIDELITY_DELAY_NS - 1 },
					 { .added_ns = FIDELITY_DELAY_NS },
					 { .stalled_ppm = FIDELITY_STALLED_PPM },
					 { .added_ns = FIDELITY_DELAY_NS,
					   .stalled_ppm = FIDELITY_STALLED_PPM } };
	const enum fidelity_reason reasons[] = { FIDELITY_NO_REASON, FIDELITY_NO_REASON,
						 FIDELITY_DELAYS, FIDELITY_RATES, FIDELITY_RATES };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(fidelity_reason_of(&rows[i]), reasons[i]);
}

/* 200 ms beyond the buffers: 250 MB at 10 Gb/s, if data waited for as long */
TEST(fidelity_uncarried_bytes__while_data_waited)
{
	struct fidelity node;

	late(1, BRIDGED_NS + SECOND_NS / 5);
	node = fidelity_judge(&lateness, &limits, SECOND_NS, SECOND_NS);
	ck_assert_uint_ge(node.beyond_ns, SECOND_NS / 5);
	ck_assert_uint_eq(fidelity_uncarried_bytes(&node, SECOND_NS / 100, 10000000000, UINT64_MAX),
			  12500000);
	ck_assert_uint_eq(fidelity_uncarried_bytes(&node, 5 * SECOND_NS, 8000000000, UINT64_MAX),
			  node.beyond_ns);
	ck_assert_uint_eq(fidelity_uncarried_bytes(&node, 5 * SECOND_NS, 8000000000, 1234), 1234);
	ck_assert_uint_eq(fidelity_uncarried_bytes(&node, 0, 10000000000, UINT64_MAX), 0);
}

TEST(fidelity_words__one_for_each_verdict)
{
	const struct fidelity fine = { .events = 1 }, slow = { .events = 1, .added_ns = 5477000 },
			      late_node = { .events = 1, .added_ns = 16580000000 },
			      stopped = { .events = 1,
					  .stalled_ppm = 472000,
					  .stalled_ns = 1542000000 };
	char text[FIDELITY_WORDS_MAX];

	ck_assert_str_eq(fidelity_words(&fine, FIDELITY_NO_REASON, "s1", text), "valid");
	ck_assert_str_eq(fidelity_words(&slow, FIDELITY_NO_REASON, "s1", text),
			 "valid for rates; delays up to 5.477 ms too long");
	ck_assert_str_eq(fidelity_words(&late_node, FIDELITY_DELAYS, "s1", text),
			 "NOT VALID: delays up to 16.58 s too long at s1; from 100.0 ms on "
			 "programs retransmit");
	ck_assert_str_eq(fidelity_words(&stopped, FIDELITY_RATES, "s1", text),
			 "NOT VALID: rates are too low; links of s1 may have idled for 1.542 s, "
			 "47.2 % of the time in which it had traffic");
	ck_assert_str_eq(fidelity_words(&fine, FIDELITY_LAG, "s1", text),
			 "NOT VALID: s1 lagged by more than 1 % of the run");
	ck_assert_str_eq(fidelity_words(&fine, FIDELITY_RING, "s1", text),
			 "NOT VALID: a ring at s1 was full for more than 1 % of the run");
}

TEST(fidelity_worse__verdict_before_size)
{
	struct fidelity fine = { .p99_ns = 20 }, delayed = { .p99_ns = 10, .added_ns = 5 },
			more_delayed = { .p99_ns = 9, .added_ns = 6 },
			overloaded = { .stalled_ppm = 10000 },
			more_overloaded = { .stalled_ppm = 20000 },
			far_late = { .added_ns = FIDELITY_DELAY_NS };

	ck_assert(fidelity_worse(&delayed, &fine) && !fidelity_worse(&fine, &delayed));
	ck_assert(fidelity_worse(&more_delayed, &delayed) &&
		  !fidelity_worse(&delayed, &more_delayed));
	ck_assert(fidelity_worse(&overloaded, &more_delayed) &&
		  !fidelity_worse(&more_delayed, &overloaded));
	ck_assert(fidelity_worse(&more_overloaded, &overloaded) &&
		  !fidelity_worse(&overloaded, &more_overloaded));
	ck_assert(fidelity_worse(&far_late, &more_delayed) &&
		  fidelity_worse(&overloaded, &far_late) &&
		  !fidelity_worse(&far_late, &overloaded));
	ck_assert(!fidelity_worse(&fine, &fine));
}

/* losses before rates, rates before delays; of equal ones that which adds more, then the later */
TEST(fidelity_worse__reasons)
{
	const struct fidelity rows[] = {
		{ .lost_frames = 4 },
		{ .lost_frames = 3, .added_ns = 9 },
		{ .lost_frames = 3, .added_ns = 8, .stalled_ppm = 30000 },
		{ .stalled_ppm = 20000 },
		{ .stalled_ppm = 10000, .added_ns = 2 },
		{ .stalled_ppm = 10000, .added_ns = 1, .p99_ns = 5 },
		{ .stalled_ppm = 10000, .added_ns = 1, .p99_ns = 4 },
		{ .added_ns = FIDELITY_DELAY_NS + 1 },
		{ .added_ns = FIDELITY_DELAY_NS },
		{ .added_ns = 1 },
		{ .p99_ns = 1 },
		{ .p99_ns = 0 },
	};
	const int count = (int)(sizeof(rows) / sizeof(rows[0]));

	for (int a = 0; a < count; a++)
		for (int b = 0; b < count; b++)
			ck_assert_msg(fidelity_worse(&rows[a], &rows[b]) == (a < b), "%d %d", a, b);
}

/* short stalls that do not overload a node do not rank it; what it adds does */
TEST(fidelity_worse__stalled_a_little)
{
	struct fidelity stalled = { .stalled_ppm = 9999, .added_ns = 5 },
			delayed = { .stalled_ppm = 1, .added_ns = 6 },
			later = { .added_ns = 5, .p99_ns = 1 };

	ck_assert(fidelity_worse(&delayed, &stalled) && !fidelity_worse(&stalled, &delayed));
	ck_assert(fidelity_worse(&later, &stalled) && !fidelity_worse(&stalled, &later));
}
