/*  switchd/flow_channel/source_hold: the path to which sources of congestion are bound, and for how
 *  long (FC-24). */
#include <stdbool.h>
#include <stdlib.h>

#include "switchd/flow_channel/source_hold.h"
#include "tests/testing.h"

#define HOLD_PS (20 * NODE_US)
#define SOURCES_MAX 4096u

static struct source_hold hold;

static void open_table(void)
{
	ck_assert_int_eq(source_hold_init(&hold, HOLD_PS), 0);
}

static void close_table(void)
{
	source_hold_fini(&hold);
	ck_assert_ptr_null(hold.lines);
}

/* one of many pairs of source and destination */
static struct source_hold_key key_of(uint32_t number)
{
	return (struct source_hold_key){ .in_port = (uint8_t)(number & 63),
					 .fabric_address = (uint16_t)(1 + (number >> 6)),
					 .egress_port = (uint8_t)(number & 7) };
}

static bool is_held(uint32_t number, node_time_t now)
{
	struct source_hold_key key = key_of(number);
	const struct source_hold_line *line = source_hold_find(&hold, &key, now);

	ck_assert(!line || line->port == number % 5);
	return line;
}

static void note(uint32_t number, node_time_t now)
{
	struct source_hold_key key = key_of(number);

	source_hold_note(&hold, &key, number % 5, 0, now);
}

static uint32_t count_held(uint32_t numbers, node_time_t now)
{
	uint32_t held = 0;

	for (uint32_t i = 0; i < numbers; i++)
		held += is_held(i, now);
	return held;
}

TEST_GROUP(table, .setup = open_table, .teardown = close_table);

TEST(find__nothing_without_a_note)
{
	struct source_hold_key zero = { 0 };

	ck_assert_ptr_null(source_hold_find(&hold, &zero, 0));
	ck_assert_uint_eq(count_held(SOURCES_MAX, 0), 0);
}

TEST(find__the_port_and_via_that_were_noted)
{
	struct source_hold_key key = key_of(77);
	const struct source_hold_line *line;

	source_hold_note(&hold, &key, 9, 8191, NODE_US);
	line = source_hold_find(&hold, &key, NODE_US);
	ck_assert_ptr_nonnull(line);
	ck_assert_uint_eq(line->port, 9);
	ck_assert_uint_eq(line->via, 8191);
}

/* many more than there are lines, of one port or to one destination, so that all sets are full: a
 * source is found with what was noted for it, or not at all */
TEST_RANGE(find__never_of_another_source, 0, 2)
{
	for (uint32_t i = 0; i < 1u << 16; i++) {
		struct source_hold_key key = { .in_port = (uint8_t)i,
					       .traffic_class = (uint8_t)(i >> 8),
					       .fabric_address = 1 };
		const struct source_hold_line *line;

		if (_i)
			key = (struct source_hold_key){ .fabric_address = (uint16_t)i };
		line = source_hold_find(&hold, &key, 0);
		ck_assert_ptr_null(line);
		source_hold_note(&hold, &key, i % 61, i % 8191, 0);
		line = source_hold_find(&hold, &key, 0);
		ck_assert_ptr_nonnull(line);
		ck_assert_uint_eq(line->port, i % 61);
		ck_assert_uint_eq(line->via, i % 8191);
	}
}

/* a difference in one field makes another source */
TEST(find__other_sources_are_free)
{
	struct source_hold_key key = key_of(77), other = key;

	source_hold_note(&hold, &key, 1, 0, 0);
	other.in_port++;
	ck_assert_ptr_null(source_hold_find(&hold, &other, 0));
	other = key;
	other.traffic_class++;
	ck_assert_ptr_null(source_hold_find(&hold, &other, 0));
	other = key;
	other.fabric_address++;
	ck_assert_ptr_null(source_hold_find(&hold, &other, 0));
	other = key;
	other.egress_port++;
	ck_assert_ptr_null(source_hold_find(&hold, &other, 0));
}

TEST(find__until_hold_is_over)
{
	note(3, NODE_US);
	ck_assert(is_held(3, NODE_US + HOLD_PS - 1));
	ck_assert(!is_held(3, NODE_US + HOLD_PS));
	note(3, NODE_US + HOLD_PS); /* congestion again */
	ck_assert(is_held(3, NODE_US + HOLD_PS));
}

TEST(note__every_ack_renews_the_hold)
{
	for (node_time_t now = 0; now < 10 * HOLD_PS; now += HOLD_PS / 2) {
		note(3, now);
		ck_assert(is_held(3, now + HOLD_PS - 1));
	}
	ck_assert(!is_held(3, 11 * HOLD_PS));
}

/* one line for each source: the last ACK decides the path */
TEST(note__last_path_counts)
{
	struct source_hold_key key = key_of(5);

	source_hold_note(&hold, &key, 1, 0, 0);
	source_hold_note(&hold, &key, 2, 7, NODE_US);
	ck_assert_uint_eq(source_hold_find(&hold, &key, NODE_US)->port, 2);
	ck_assert_uint_eq(source_hold_find(&hold, &key, NODE_US)->via, 7);
	ck_assert_ptr_null(source_hold_find(&hold, &key, NODE_US + HOLD_PS));
}

/* a table shows every line that still binds, once, and no other */
TEST(next__lines_that_bind)
{
	uint32_t at = 0;

	note(1, 0);
	note(2, NODE_US);
	note(3, NODE_US);
	ck_assert_ptr_null(source_hold_next(&hold, &(uint32_t){ 0 }, NODE_US + HOLD_PS));
	ck_assert_uint_eq(source_hold_next(&hold, &at, HOLD_PS)->until_ps, NODE_US + HOLD_PS);
	ck_assert_uint_eq(source_hold_next(&hold, &at, HOLD_PS)->until_ps, NODE_US + HOLD_PS);
	ck_assert_ptr_null(source_hold_next(&hold, &at, HOLD_PS));
}

/* as many sources as a leaf of 64 hosts has if all send to eight congested hosts: nearly none is
 * forgotten */
TEST(note__many_sources_are_remembered)
{
	for (uint32_t i = 0; i < 512; i++)
		note(i, i * NODE_NS);
	ck_assert_uint_ge(count_held(512, NODE_US), 512 * 95 / 100);
}

/* more than the table holds: it is full of the latest, and its memory has not grown */
TEST(note__full_table_keeps_the_latest)
{
	uint32_t held;

	for (uint32_t i = 0; i < SOURCES_MAX; i++) {
		note(i, i * NODE_NS);
		ck_assert(is_held(i, i * NODE_NS));
	}
	held = count_held(SOURCES_MAX, SOURCES_MAX * NODE_NS);
	ck_assert_uint_ge(held, 1024);
	ck_assert_uint_le(held, 2048);
}

/* A full set forgets the line that would end first, and never one that is repeatedly noted. */
TEST(note__a_full_set_forgets_the_oldest)
{
	for (uint32_t i = 1; i < SOURCES_MAX; i++) {
		note(0, i * NODE_NS);
		note(i, i * NODE_NS);
		ck_assert(is_held(0, i * NODE_NS));
	}
}
