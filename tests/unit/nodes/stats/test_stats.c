/*  nodes/stats/stats: the layout of the statistics page (TB-6, TB-13). test_stats_view.c has
 *  readers that do not trust it. */
#include <stdlib.h>
#include <string.h>

#include "nodes/stats/stats.h"
#include "tests/testing.h"

#define PORTS 3u

static struct port_config ports[PORTS];
static struct node_config config;
static struct stats_page *page;
static size_t size_bytes;

static void make(enum node_kind kind)
{
	config = (struct node_config){ .kind = kind,
				       .port_count = kind == NODE_NIC ? 1 : PORTS,
				       .ports = ports,
				       .series = true };
	config.nic.flows_max = 33;
	config.nic.messages_max = 7;
	size_bytes = stats_bytes(&config);
	page = aligned_alloc(4096, size_bytes);
	ck_assert_ptr_nonnull(page);
	memset(page, 0, size_bytes);
	stats_init(page, &config);
}

static void setup(void)
{
	make(NODE_NIC);
}

static void teardown(void)
{
	free(page);
}

TEST_GROUP(stats, .setup = setup, .teardown = teardown);

/* each counter has a name, and no two have the same */
TEST(stats_drop_name__all_different)
{
	for (int i = 0; i < DROP_REASONS; i++) {
		ck_assert_ptr_nonnull(stats_drop_name[i]);
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(stats_drop_name[i], stats_drop_name[k]);
	}
}

TEST(stats_bytes__whole_pages_that_grow_with_the_node)
{
	size_t before = size_bytes;

	ck_assert_uint_eq(size_bytes % 4096, 0);
	config.nic.messages_max += 1000;
	ck_assert_uint_ge(stats_bytes(&config),
			  before + 1000 * sizeof(struct message_stats) - 4096);
}

TEST(stats_init__page_is_well_formed)
{
	ck_assert_uint_eq(page->size_bytes, size_bytes);
	ck_assert_uint_eq(page->flows_max, 33);
	ck_assert_uint_eq(page->messages_max, 7);
	ck_assert_uint_eq(page->series_max, STATS_SERIES_MAX);
	ck_assert_uint_eq(page->flow_tx_count, 0);
	free(page);
	make(NODE_SWITCH);
	ck_assert_uint_eq(page->port_count, PORTS);
	ck_assert_uint_eq(page->flows_max, 0); /* a switch has none */
}

/* Fills @bytes at @item with @value. They must be inside the page and not filled yet. */
static void claim(void *item, size_t bytes)
{
	uint8_t *at = item;

	ck_assert(at >= (uint8_t *)(page + 1) && at + bytes <= (uint8_t *)page + size_bytes);
	ck_assert_uint_eq((uintptr_t)item % 8, 0);
	for (size_t i = 0; i < bytes; i++)
		ck_assert_uint_eq(at[i], 0);
	memset(item, 0xff, bytes);
}

/* Every item of every section is inside the page, aligned, and overlaps no other item. */
TEST(stats_init__sections_do_not_overlap)
{
	for (uint32_t i = 0; i < page->port_count; i++)
		claim(stats_port(page, i), sizeof(struct port_stats));
	for (uint32_t i = 0; i < page->flows_max; i++) {
		claim(stats_flow_tx(page, i), sizeof(struct flow_tx_stats));
		claim(stats_flow_rx(page, i), sizeof(struct flow_rx_stats));
	}
	for (uint32_t i = 0; i < page->messages_max; i++)
		claim(stats_message(page, i), sizeof(struct message_stats));
	for (uint32_t i = 0; i < page->series_max; i++)
		claim(stats_series(page, i), sizeof(struct series_entry));
	for (uint32_t i = 0; i < STATS_TRACE_MAX; i++)
		claim(stats_trace(page, i), sizeof(struct trace_entry));
	ck_assert_ptr_eq(stats_trace(page, STATS_TRACE_MAX + 5), stats_trace(page, 5));
}

/* TB-8: buckets are in order, without gaps, and no wider than a quarter of their octave */
TEST(stats_lateness_bucket__in_order)
{
	for (uint32_t b = 0; b + 1 < STATS_LATENESS_BUCKETS; b++) {
		uint64_t from = stats_lateness_ns(b), to = stats_lateness_ns(b + 1);

		ck_assert_uint_lt(from, to);
		ck_assert_uint_le(to - from, from / 4 + 1);
		ck_assert_uint_eq(stats_lateness_bucket(from), b);
		ck_assert_uint_eq(stats_lateness_bucket(to - 1), b);
	}
	ck_assert_uint_eq(stats_lateness_bucket(UINT64_MAX), STATS_LATENESS_BUCKETS - 1);
}

TEST(stats_lateness_quantile__uniform)
{
	struct lateness_stats lateness = { 0 };

	ck_assert_uint_eq(stats_lateness_quantile(&lateness, 990), 0);
	for (uint64_t us = 1; us <= 1000; us++)
		stats_lateness_add(&lateness, us * 1000);
	ck_assert_uint_ge(stats_lateness_quantile(&lateness, 500), 500000);
	ck_assert_uint_le(stats_lateness_quantile(&lateness, 500), 625000);
	ck_assert_uint_ge(stats_lateness_quantile(&lateness, 990), 990000);
	ck_assert_uint_eq(stats_lateness_quantile(&lateness, 1000), 1000000);
	ck_assert_uint_eq(lateness.max_ns, 1000000);
}
