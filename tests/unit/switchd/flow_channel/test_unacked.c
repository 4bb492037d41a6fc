/*  switchd/flow_channel/unacked: samples of what flows of a host have not acknowledged, at its edge
 *  port (SE-1). */
#include <stdlib.h>

#include "nodes/base/units.h"
#include "switchd/flow_channel/unacked.h"
#include "tests/testing.h"

#define CHANNELS 8u
#define PORT 3u
#define SLOTS 10u

static struct efct efct;
static struct unacked unacked;
static struct series series;
static uint64_t now[SLOTS]; /* by slot, as the samples so far say */
static uint32_t entries;    /* of the last sample */

static void setup(void)
{
	struct flow_match match = flow_match_whole(MATCH_ALL);
	struct port_config port = { 0 };
	struct node_config config = {
		.kind = NODE_SWITCH, .port_count = 1, .ports = &port, .series = true
	};
	struct stats_page *page = calloc(1, stats_bytes(&config));

	stats_init(page, &config);
	ck_assert_int_eq(series_init(&series, &config, page), 0);
	ck_assert_int_eq(efct_init(&efct, CHANNELS, &match, NULL), 0);
	ck_assert_int_eq(unacked_init(&unacked, CHANNELS), 0);
}

static void teardown(void)
{
	free(series.page);
	series_fini(&series);
	unacked_fini(&unacked, CHANNELS);
	efct_fini(&efct);
}

/* the line of flow number @flow */
static uint32_t line(uint32_t flow)
{
	struct efct_pattern pattern = { .queue_pair = flow };
	int id = efct_classify(&efct, &pattern, 1000 + flow);

	ck_assert_int_ge(id, 0);
	return (uint32_t)id;
}

static void sample(void)
{
	uint64_t before = series.page->series.count;

	unacked_sample(&unacked, &efct, &series, PORT);
	entries = (uint32_t)(series.page->series.count - before);
	for (; before < series.page->series.count; before++) {
		const struct series_entry *entry = stats_series(series.page, before);

		ck_assert_uint_eq(entry->id, SERIES_FLOW_UNACKED_BYTES);
		ck_assert_uint_eq(entry->port, PORT);
		ck_assert_uint_lt(entry->index, SLOTS);
		now[entry->index] = entry->value;
	}
}

TEST_GROUP(unacked, .setup = setup, .teardown = teardown);

/* from the first packet that leaves on; what does not change is in no sample */
TEST(unacked_sample__of_a_flow)
{
	uint32_t a = line(1);

	efct_inject(&efct, a, 4);
	sample();
	ck_assert_uint_eq(entries, 0);
	unacked_note(&unacked, &efct, a, 7);
	sample();
	ck_assert_uint_eq(now[7], 4 * UNIT_BYTES);
	sample();
	ck_assert_uint_eq(entries, 0);
	efct_on_ack(&efct, a, 3);
	sample();
	ck_assert_uint_eq(now[7], UNIT_BYTES);
	efct_on_ack(&efct, a, 1);
	efct_release(&efct, a);
	sample();
	ck_assert_uint_eq(now[7], 0);
	ck_assert_uint_eq(entries, 1);
}

/* A line that another flow has taken is its own from its first packet on. */
TEST(unacked_sample__a_line_changes_hands)
{
	uint32_t a = line(1), b;

	efct_inject(&efct, a, 4);
	unacked_note(&unacked, &efct, a, 7);
	sample();
	efct_on_ack(&efct, a, 4);
	efct_release(&efct, a);
	b = line(2);
	ck_assert_uint_eq(a, b);
	efct_inject(&efct, b, 9);
	sample();
	ck_assert_uint_eq(now[7], 0);
	ck_assert_uint_eq(now[8], 0);
	unacked_note(&unacked, &efct, b, 8);
	sample();
	ck_assert_uint_eq(now[7], 0);
	ck_assert_uint_eq(now[8], 9 * UNIT_BYTES);
	/* and flows that share it */
	unacked_note(&unacked, &efct, b, 7);
	sample();
	ck_assert_uint_eq(now[7], 9 * UNIT_BYTES);
	ck_assert_uint_eq(now[8], 0);
}

/* A flow that leaves a line and gets one before or after it keeps the value of the new one. */
TEST_RANGE(unacked_sample__a_flow_changes_its_line, 0, 2)
{
	uint32_t first = line(1), second = line(2);
	uint32_t from = _i ? first : second;

	efct_inject(&efct, from, 4);
	unacked_note(&unacked, &efct, from, 7);
	sample();
	ck_assert_uint_eq(now[7], 4 * UNIT_BYTES);
	efct_on_ack(&efct, from, 4);
	efct_release(&efct, from);
	efct_inject(&efct, _i ? second : first, 6);
	unacked_note(&unacked, &efct, _i ? second : first, 7);
	sample();
	ck_assert_uint_eq(now[7], 6 * UNIT_BYTES);
}
