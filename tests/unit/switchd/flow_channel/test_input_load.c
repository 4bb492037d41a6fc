/*  switchd/flow_channel/input_load: windows of arrivals, the present load, full links with flows to
 *  several hosts, and the flow that has been there for longest, the oldest (FC-25). */
#include <stdlib.h>

#include "switchd/flow_channel/input_load.h"
#include "tests/testing.h"

#define WINDOW 1000u
#define ABSENCE (16 * WINDOW)
#define FULL_BYTES 8000u
#define BEGIN 5000 /* of the first window */

static struct input_load input_load;

/* the first window begins at BEGIN, empty; the next flow to arrive is the oldest */
static void setup(void)
{
	input_load = (struct input_load){ 0 };
	input_load_add(&input_load, 0, 0, WINDOW, BEGIN);
}

static void add(uint64_t bytes, uint32_t host, node_time_t at)
{
	input_load_add(&input_load, bytes, host, WINDOW, BEGIN + at);
	ck_assert(input_load_is_oldest(&input_load, host, ABSENCE, BEGIN + at) ==
		  (host == input_load.oldest));
}

static uint64_t now_in(node_time_t at)
{
	return input_load_bytes(&input_load, WINDOW, BEGIN + at);
}

/* ---- windows ---- */

TEST_GROUP(input_load, .setup = setup);

/* Arrivals count when their window has ended: the load since the last packet would be all or
 * nothing. */
TEST(input_load_bytes__of_the_last_window)
{
	add(300, 1, 10);
	add(400, 1, WINDOW - 1);
	ck_assert_uint_eq(now_in(WINDOW - 1), 0);
	add(5, 1, WINDOW);
	ck_assert_uint_eq(now_in(WINDOW), 700);
	ck_assert_uint_eq(now_in(2 * WINDOW), 700);
	add(6, 1, 2 * WINDOW);
	ck_assert_uint_eq(now_in(2 * WINDOW), 5);
}

/* the first packet after the end of a window ends it: more bytes in a longer time are no higher
 * rate */
TEST(input_load_bytes__of_a_window_that_took_longer)
{
	add(3000, 1, 10);
	add(1, 1, 3 * WINDOW / 2);
	ck_assert_uint_eq(now_in(3 * WINDOW / 2), 2000);
	add(1, 1, 5 * WINDOW / 2); /* and it begins the next window */
	ck_assert_uint_eq(now_in(5 * WINDOW / 2), 1);
}

/* Without arrivals no packet ends the window: the load falls with its age. */
TEST(input_load_bytes__falls_without_arrivals)
{
	add(700, 1, 10);
	add(1000, 1, WINDOW);
	ck_assert_uint_eq(now_in(2 * WINDOW), 700);
	ck_assert_uint_eq(now_in(3 * WINDOW), 500);
	ck_assert_uint_eq(now_in(11 * WINDOW), 100);
	ck_assert_uint_eq(now_in(2000 * WINDOW), 0);
	add(1, 1, 11 * WINDOW); /* the next packet finds the same load */
	ck_assert_uint_eq(now_in(11 * WINDOW), 100);
}

/* 800 Gb/s for an hour: nothing overflows */
TEST(input_load_bytes__high_rate_does_not_overflow)
{
	uint64_t bytes = 100ull * 1000 * 1000 * 1000 * 3600;

	input_load = (struct input_load){ 0 };
	input_load_add(&input_load, bytes, 1, NODE_MS, 0);
	ck_assert_uint_eq(input_load_bytes(&input_load, NODE_MS, 3600 * NODE_S), 100000000);
	input_load_add(&input_load, 1, 1, NODE_MS, 3600 * NODE_S);
	ck_assert_uint_eq(input_load.last_bytes, 100000000);
}

/* The first packet may arrive at 0. A window of length 0 ends with every packet at a later time. */
TEST(input_load_add__time_0_and_no_length)
{
	input_load = (struct input_load){ 0 };
	input_load_add(&input_load, 100, 1, 0, 0);
	input_load_add(&input_load, 200, 1, 0, 0);
	ck_assert_uint_eq(input_load_bytes(&input_load, 0, 0), 0);
	input_load_add(&input_load, 300, 1, 0, 1);
	ck_assert_uint_eq(input_load.bytes, 300);
}

/* 64 hosts in a row are counted with few confusions, and each once */
TEST(input_load_flows__distinct_hosts)
{
	for (uint32_t i = 0; i < 128; i++)
		add(1, i % 64, i);
	add(0, 0, WINDOW);
	ck_assert_uint_ge(input_load_flows(&input_load), 48);
	ck_assert_uint_le(input_load_flows(&input_load), 64);
}

/* ---- full and mixed ---- */

/* A window with @packets of 100 bytes. After each @apart packets the host changes. */
static void window_of(uint32_t packets, uint32_t apart)
{
	for (uint32_t i = 0; i < packets; i++)
		add(100, apart ? i / apart : 0, i);
	add(0, 0, WINDOW);
}

/* A link at its rate is full, and so is one with the short gaps of a running flow. A link at half
 * of its rate is not full. The exact bound is a choice. There is one bound: more bytes never make a
 * full link free. */
TEST(input_load_is_full__by_bytes)
{
	bool full = false;

	for (uint32_t packets = 0; packets <= FULL_BYTES / 100; packets++) {
		setup();
		window_of(packets, 1);
		ck_assert(!full || input_load_is_full(&input_load, FULL_BYTES));
		full = input_load_is_full(&input_load, FULL_BYTES);
		if (packets <= FULL_BYTES / 100 / 2)
			ck_assert(!full);
		if (packets >= FULL_BYTES / 100 * 15 / 16)
			ck_assert(full);
	}
}

/* only one host: there is no other flow for which to free bandwidth, however full the link is */
TEST(input_load_is_full__never_with_one_host)
{
	window_of(FULL_BYTES / 100, 0);
	ck_assert(!input_load_is_full(&input_load, FULL_BYTES));
}

/* Two flows share the link, one or two packets in turn: a move helps. One flow with rare packets of
 * another: a move would gain little. */
TEST(input_load_is_full__needs_flows_of_several_hosts)
{
	for (uint32_t apart = 1; apart <= 2; apart++) {
		setup();
		window_of(FULL_BYTES / 100, apart);
		ck_assert(input_load_is_full(&input_load, FULL_BYTES));
	}
	setup();
	for (uint32_t i = 0; i < FULL_BYTES / 100; i++) /* a packet in 20 is of the other flow */
		add(100, i % 20 == 19, i);
	add(0, 0, WINDOW);
	ck_assert(!input_load_is_full(&input_load, FULL_BYTES));
}

/* the present window does not count yet, the one before the last does not count any more */
TEST(input_load_is_full__of_the_last_window)
{
	for (uint32_t i = 0; i < FULL_BYTES / 100; i++)
		add(100, i, i);
	ck_assert(!input_load_is_full(&input_load, FULL_BYTES));
	add(100, 1, WINDOW);
	ck_assert(input_load_is_full(&input_load, FULL_BYTES));
	add(100, 2, 2 * WINDOW);
	ck_assert(!input_load_is_full(&input_load, FULL_BYTES));
}

/* ---- the oldest flow ---- */

/* the first flow, however many arrive after it */
TEST(oldest__is_the_first_flow)
{
	add(100, 7, 0);
	for (node_time_t at = 1; at < 10 * ABSENCE; at += WINDOW) {
		add(100, 8, at);
		add(100, 9, at + 1);
		add(100, 7, at + 2);
		ck_assert_uint_eq(input_load.oldest, 7);
	}
}

/* It is absent when no packet has arrived for that long, not before. Then the next flow is the
 * oldest. */
TEST(oldest__ends_after_its_absence)
{
	add(100, 7, 0);
	add(100, 8, ABSENCE);
	ck_assert_uint_eq(input_load.oldest, 7);
	add(100, 9, ABSENCE + 1);
	ck_assert_uint_eq(input_load.oldest, 9);
	add(100, 7, ABSENCE + 2); /* it returns, as the last one */
	ck_assert_uint_eq(input_load.oldest, 9);
}

/* it was requested to move, so the next flow to arrive is the oldest, even itself */
TEST(oldest__dismissed_for_the_next_flow)
{
	add(100, 7, 0);
	input_load.oldest_at_ps = 0;
	add(100, 8, 1);
	ck_assert_uint_eq(input_load.oldest, 8);
	add(100, 7, 2);
	ck_assert_uint_eq(input_load.oldest, 8);
	input_load.oldest_at_ps = 0;
	add(100, 8, 3);
	ck_assert_uint_eq(input_load.oldest, 8);
}
