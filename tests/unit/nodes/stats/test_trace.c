/*  nodes/stats/trace: prints the last entries, oldest first, whatever the page holds (TB-22,
 *  TB-23). */
#include <stdlib.h>
#include <string.h>

#include "nodes/stats/trace.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

static struct stats_page *page;
static char *text;

static void setup(void)
{
	struct node_config config;

	example_nic(&config);
	page = calloc(1, stats_bytes(&config));
	stats_init(page, &config);
	node_config_free(&config);
}

static void teardown(void)
{
	free(page);
	free(text);
	text = NULL;
}

static void print(void)
{
	size_t length;
	FILE *out;

	free(text);
	out = open_memstream(&text, &length);
	trace_print(page, out);
	fclose(out);
}

TEST_GROUP(trace, .setup = setup, .teardown = teardown);

TEST(trace_print__empty_prints_nothing)
{
	print();
	ck_assert_str_eq(text, "");
}

TEST(trace_print__prints_names)
{
	trace(page, 1234567, TRACE_CHANNEL_WAIT, 3, 17, 4096);
	trace(page, 1234999, TRACE_DROP, 3, DROP_NO_ROUTE, 64);
	print();
	ck_assert_str_eq(text, "1234.567 ns  channel_wait   port 3, flow_id 17, to_port 4096\n"
			       "1234.999 ns  drop           port 3, reason no_route, bytes 64\n");
}

TEST(trace_print__oldest_are_overwritten)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < STATS_TRACE_MAX + 5; i++)
		trace(page, i * NODE_NS, TRACE_STOP_WAIT, 0, i, 0);
	print();
	ck_assert_ptr_eq(strstr(text, "5.000 ns  stop_wait      port 0, class 5,"), text);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, STATS_TRACE_MAX);
}

/* a crashed node may have left any bytes there */
TEST(trace_print__survives_random_bytes)
{
	trace(page, NODE_TIME_NEVER, (enum trace_kind)77777, 1, 2, 3);
	trace(page, 0, TRACE_DROP, 1, 99, 3);
	print();
	ck_assert_ptr_nonnull(strstr(text, "none"));
	ck_assert_ptr_nonnull(strstr(text, "reason 99"));
}
