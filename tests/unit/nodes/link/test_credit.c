/*  nodes/link/credit: running totals, when a grant is due, and that losses cost no credit
 *  (PG-3, PG-9). */
#include <stdlib.h>

#include "nodes/link/credit.h"
#include "tests/testing.h"

#define BUFFER_UNITS 80u
#define PART_UNITS (BUFFER_UNITS / CREDIT_PARTS)
#define MTU_UNITS 6u
#define LANE 1u
#define LANE_BIT (1u << LANE)

static struct credit ours;
static uint32_t held_units;

static void setup(void)
{
	credit_init(&ours, 2, BUFFER_UNITS, MTU_UNITS, 0);
	held_units = 0;
}

/* nothing is due */
static void grant_all(void)
{
	credit_grant(&ours, 0, 0);
	credit_grant(&ours, LANE, held_units);
	ck_assert_uint_eq(ours.grant_due, 0);
}

static void arrive(uint32_t units)
{
	held_units += units;
	credit_on_frame(&ours, LANE, units, held_units);
}

static void leave(uint32_t units)
{
	held_units -= units;
	credit_look(&ours, LANE, held_units);
}

TEST_GROUP(credit, .setup = setup);

TEST(credit_init__whole_buffer_is_granted)
{
	ck_assert_uint_eq(ours.grant_due, 3);
	ck_assert_uint_eq(credit_grant(&ours, LANE, 0), BUFFER_UNITS);
	ck_assert_uint_eq(ours.grant_due, 1);
	ck_assert_int_eq(credit_available(&ours, LANE), 0); /* the peer has not granted any */
}

/* PG-9: when the link comes up, both ends know the other's buffer: no word is due, and all of it
 * may be sent */
TEST(credit_init__both_ends_know_the_buffer)
{
	credit_init(&ours, 2, BUFFER_UNITS, MTU_UNITS, 77);
	ck_assert_uint_eq(ours.grant_due, 0);
	ck_assert_int_eq(credit_available(&ours, 0), 77);
	ck_assert_int_eq(credit_available(&ours, LANE), 77);
	arrive(PART_UNITS);
	ck_assert_uint_eq(ours.grant_due, 0);
	leave(PART_UNITS);
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, 0), BUFFER_UNITS + PART_UNITS);
	/* each end starts to use a link that has returned when it is ready */
	credit_open(&ours);
	ck_assert_uint_eq(ours.grant_due, 3);
	ck_assert_int_eq(credit_available(&ours, LANE), 0);
}

/* a receiver without a limit: the peer always has credit */
TEST(credit_init__no_limit_means_always_credit)
{
	credit_init(&ours, 1, 0, MTU_UNITS, 0);
	ck_assert_uint_eq(credit_grant(&ours, 0, 0), CREDIT_ALL);
	credit_on_frame(&ours, 0, CREDIT_ALL / CREDIT_PARTS, 0);
	ck_assert_uint_eq(ours.grant_due, 1);
	ck_assert_uint_eq(credit_grant(&ours, 0, 0), CREDIT_ALL + CREDIT_ALL / CREDIT_PARTS);
}

TEST(credit_look__free_part_is_granted)
{
	grant_all();
	arrive(PART_UNITS);
	ck_assert_uint_eq(ours.grant_due, 0); /* it is still in the buffer */
	leave(PART_UNITS - 1);
	ck_assert_uint_eq(ours.grant_due, 0);
	leave(1);
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), BUFFER_UNITS + PART_UNITS);
}

/* the peer has less credit than the longest frame: every unit counts */
TEST(credit_look__peer_without_credit_gets_every_unit)
{
	grant_all();
	arrive(BUFFER_UNITS - MTU_UNITS);
	leave(1);
	ck_assert_uint_eq(ours.grant_due, 0);
	arrive(1);
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), BUFFER_UNITS + 1);
	leave(1);
	ck_assert_uint_eq(ours.grant_due, 0); /* it has six again */
}

TEST(credit_withhold__grants_nothing_until_the_end)
{
	grant_all();
	credit_withhold(&ours, LANE, true, held_units);
	arrive(BUFFER_UNITS);
	leave(BUFFER_UNITS);
	ck_assert_uint_eq(ours.grant_due, 0);
	credit_say_limits(&ours);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), BUFFER_UNITS);
	credit_grant(&ours, 0, 0);
	credit_withhold(&ours, LANE, false, held_units);
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), 2 * BUFFER_UNITS);
}

/* a host that takes frames again while the link is down */
TEST(credit_withhold__grants_nothing_on_a_closed_link)
{
	grant_all();
	credit_close(&ours);
	credit_withhold(&ours, LANE, true, 0);
	credit_withhold(&ours, LANE, false, 0);
	ck_assert_uint_eq(ours.grant_due, 0);
	credit_withhold(&ours, LANE, true, 0);
	credit_open(&ours);
	ck_assert_uint_eq(ours.withheld, 0);
	ck_assert_uint_ne(ours.grant_due & LANE_BIT, 0);
}

/* 30 units were lost: they are free again once the peer has sent its total */
TEST(credit_on_total__lost_units_are_free)
{
	grant_all();
	arrive(10);
	leave(10);
	ck_assert(credit_on_total(&ours, LANE, 40, held_units));
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), 40 + BUFFER_UNITS);
	/* the same total again changes nothing */
	ck_assert(credit_on_total(&ours, LANE, 40, held_units));
	ck_assert_uint_eq(ours.grant_due, 0);
}

/* more than the buffer holds, or less than what arrived: reported as wrong, and used */
TEST(credit_on_total__impossible_total_is_reported)
{
	grant_all();
	ck_assert(!credit_on_total(&ours, LANE, BUFFER_UNITS + 1, held_units));
	credit_grant(&ours, LANE, held_units);
	ck_assert(!credit_on_total(&ours, LANE, 0, held_units));
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
	ck_assert_uint_eq(credit_grant(&ours, LANE, held_units), BUFFER_UNITS);
}

TEST(credit_on_limit__wakes_a_lane_that_lacked_credit)
{
	ck_assert(!credit_on_limit(&ours, LANE, 8)); /* no packet waits for it */
	ck_assert_int_eq(credit_available(&ours, LANE), 8);
	credit_on_sent(&ours, LANE, 8);
	ours.lacking = LANE_BIT;
	ck_assert(!credit_on_limit(&ours, LANE, 8)); /* already known */
	ck_assert(credit_on_limit(&ours, LANE, 9));
	ck_assert_uint_eq(ours.lacking, 0);
	ck_assert(!credit_on_limit(&ours, LANE, 10));
	ck_assert_int_eq(credit_available(&ours, LANE), 2);
}

TEST(credit_total__due_once)
{
	credit_on_limit(&ours, LANE, 5);
	credit_on_sent(&ours, LANE, 5);
	credit_say_totals(&ours);
	ck_assert_uint_eq(ours.total_due, LANE_BIT);
	ck_assert_uint_eq(credit_total(&ours, LANE), 5);
	credit_say_totals(&ours);
	ck_assert_uint_eq(ours.total_due, 0);
}

/* totals continue after 2^32 */
TEST(credit__totals_wrap)
{
	uint32_t start = UINT32_MAX - 5;

	ours.lanes[LANE] = (struct credit_lane){ start, start, start, start };
	grant_all();
	ck_assert_uint_eq(ours.lanes[LANE].told_units, start + BUFFER_UNITS);
	credit_on_limit(&ours, LANE, start + BUFFER_UNITS);
	credit_on_sent(&ours, LANE, 10);
	ck_assert_int_eq(credit_available(&ours, LANE), BUFFER_UNITS - 10);
	arrive(PART_UNITS);
	leave(PART_UNITS);
	ck_assert_uint_eq(ours.grant_due, LANE_BIT);
}

TEST(credit_close__nothing_is_due)
{
	grant_all();
	arrive(40);
	credit_close(&ours);
	leave(40);
	ck_assert_uint_eq(ours.grant_due | ours.total_due | ours.lacking, 0);
	ck_assert_int_eq(credit_available(&ours, LANE), 0);
	credit_open(&ours);
	ck_assert_uint_eq(ours.grant_due, 3);
	ck_assert_uint_eq(credit_grant(&ours, LANE, 0), BUFFER_UNITS);
}
