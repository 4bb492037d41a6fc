/*  switchd/flow_channel/output_load: bytes sent in windows, and the share that one more flow would
 *  get (FC-25). */
#include <stdlib.h>

#include "switchd/flow_channel/output_load.h"
#include "tests/testing.h"

#define FULL 1000u

static struct output_load out;
static struct output_load_count flows[8];

static void setup(void)
{
	out = (struct output_load){ 0 };
	for (uint32_t i = 0; i < 8; i++)
		flows[i] = (struct output_load_count){ 0 };
}

static void add(uint32_t flow, uint32_t bytes, uint64_t window)
{
	output_load_add(&out, &flows[flow], bytes, window);
}

static uint64_t offer(uint64_t window)
{
	return output_load_offer(&out, FULL, window, 0);
}

static uint64_t present(uint32_t flow, uint64_t window)
{
	return output_load_present(&out, &flows[flow], FULL, window, 0);
}

TEST_GROUP(output_load, .setup = setup);

TEST(output_load_last__is_of_the_window_before)
{
	add(0, 100, 5);
	add(1, 40, 5);
	ck_assert_uint_eq(output_load_last(&out.all, 5), 0); /* it has not ended */
	ck_assert_uint_eq(output_load_last(&out.all, 6), 140);
	add(0, 7, 6);
	ck_assert_uint_eq(output_load_last(&out.all, 6), 140);
	ck_assert_uint_eq(output_load_last(&flows[0], 6), 100);
	ck_assert_uint_eq(output_load_last(&flows[1], 6), 40);
	ck_assert_uint_eq(output_load_last(&out.all, 7), 7);
	ck_assert_uint_eq(output_load_last(&out.all, 8), 0);
}

TEST(output_load_offer__all_of_an_idle_link)
{
	ck_assert_uint_eq(offer(9), FULL);
}

/* a limited flow needs little; the number of flows alone would give half of the link */
TEST(output_load_offer__is_what_is_left)
{
	for (uint32_t flow = 0; flow < 6; flow++)
		add(flow, 18, 1);
	ck_assert_uint_eq(offer(2), FULL - 6 * 18);
	add(0, 500, 2); /* more of this window than of the last one is known */
	ck_assert_uint_eq(offer(2), FULL - 500);
}

/* _i flows share a full link */
TEST_RANGE(output_load_offer__a_fair_share, 1, 6)
{
	for (int flow = 0; flow < _i; flow++)
		add((uint32_t)flow, FULL / (uint32_t)_i, 1);
	ck_assert_uint_eq(offer(2), FULL / ((uint32_t)_i + 1));
}

/* small flows beside a large one hardly count */
TEST(output_load_offer__half_of_what_a_large_one_has)
{
	add(0, 890, 1);
	for (uint32_t flow = 1; flow < 7; flow++)
		add(flow, 18, 1);
	ck_assert_uint_eq(offer(2), FULL / 2);
}

TEST(output_load_claim__until_the_flow_has_arrived)
{
	output_load_claim(&out, 400, 10, 0);
	output_load_claim(&out, 300, 20, 5);
	ck_assert_uint_eq(output_load_offer(&out, FULL, 2, 5), FULL / 3); /* two of 400 at most */
	ck_assert_uint_eq(output_load_offer(&out, FULL, 2, 19), FULL / 3);
	ck_assert_uint_eq(output_load_offer(&out, FULL, 2, 20), FULL);
	output_load_claim(&out, 300, 40, 30);
	ck_assert_uint_eq(output_load_offer(&out, FULL, 2, 30), 700);
}

TEST(output_load_present__is_measured)
{
	add(0, 600, 1);
	add(1, 400, 1);
	ck_assert_uint_eq(present(0, 2), 600);
	ck_assert_uint_eq(present(1, 2), 400);
	ck_assert_uint_eq(present(2, 2), FULL / 3); /* it has just arrived */
	ck_assert_uint_eq(present(0, 3), 0);        /* nothing was sent */
}

/* [S3]: greedy flows: those with claims share the free part */
TEST(output_load_share__counts_claims)
{
	add(0, 200, 1);
	for (uint32_t claims = 0; claims < 3; claims++) {
		ck_assert_uint_eq(output_load_share(&out, FULL, 2, 5), 800 / (claims + 1));
		/* small now, which does not predict its load */
		output_load_claim(&out, 10, 20, 5);
	}
	ck_assert_uint_eq(output_load_share(&out, FULL, 2, 20), 800);
}

/* four flows share a link; the share grows as the others leave */
TEST(output_load_present__without_those_that_leave)
{
	for (uint32_t flow = 0; flow < 4; flow++)
		add(flow, 250, 1);
	ck_assert_uint_eq(output_load_large_flows(&out, 2), 4);
	for (uint32_t left = 0; left < 6; left++) {
		uint64_t share = FULL / ((left < 4 ? 4 - left : 0) + 1);

		ck_assert_uint_eq(output_load_present(&out, &flows[0], FULL, 2, 5),
				  share < 250 ? 250 : share);
		output_load_leave(&out, 20, 5);
	}
	ck_assert_uint_eq(output_load_present(&out, &flows[0], FULL, 2, 20), 250);
	/* nothing was sent */
	ck_assert_uint_eq(output_load_present(&out, &flows[0], FULL, 4, 20), 0);
}

TEST(output_load_is_most__above_five_eighths)
{
	add(0, 625, 1);
	add(1, 375, 1);
	ck_assert(!output_load_is_most(&out, &flows[0], 2));
	ck_assert(!output_load_is_most(&out, &flows[1], 2));
	ck_assert(!output_load_is_most(&out, &flows[0], 3)); /* nothing was sent */
	setup();
	add(0, 626, 1);
	add(1, 374, 1);
	ck_assert(output_load_is_most(&out, &flows[0], 2));
}
