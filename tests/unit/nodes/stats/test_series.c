/*  nodes/stats/series: samples of a node, of which changes are kept (SE-1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/stats/series.h"
#include "tests/series_ring.h"
#include "tests/testing.h"

#define PORTS 3u

static struct port_config ports[PORTS];
static struct node_config config;
static struct stats_page *page;
static struct series series;

static void setup(void)
{
	config = (struct node_config){
		.kind = NODE_NIC, .port_count = PORTS, .ports = ports, .series = true
	};
	config.nic.flows_max = 5;
	page = calloc(1, stats_bytes(&config));
	stats_init(page, &config);
	ck_assert_int_eq(series_init(&series, &config, page), 0);
}

static void teardown(void)
{
	series_fini(&series);
	series_fini(&series);
	free(page);
}

TEST_GROUP(series, .setup = setup, .teardown = teardown);

/* one value of each key, all different */
static void all_put(uint64_t base)
{
	for (uint32_t p = 0; p < PORTS; p++) {
		for (uint32_t id = SERIES_PORT_FIRST; id < SERIES_CLASS_FIRST; id++)
			series_port(&series, id, p, base++);
		for (uint32_t id = SERIES_CLASS_FIRST; id < SERIES_LANE_FIRST; id++)
			for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
				series_class(&series, id, p, c, base++);
		for (uint32_t id = SERIES_LANE_FIRST; id < SERIES_FLOW_FIRST; id++)
			for (uint32_t lane = 0; lane < NODE_LANES_MAX; lane++)
				series_lane(&series, id, p, lane, base++);
	}
	for (uint32_t slot = 0; slot < config.nic.flows_max; slot++)
		for (uint32_t id = SERIES_FLOW_FIRST; id < SERIES_IDS; id++)
			series_flow(&series, id, slot, base++);
}

/* no key shares its last value with another one, and what has not changed leaves no entry */
TEST(series_put__changes_only)
{
	uint32_t keys = PORTS * (SERIES_PER_PORT + NODE_CLASSES_MAX * SERIES_PER_CLASS +
				 NODE_LANES_MAX * SERIES_PER_LANE) +
			5 * SERIES_PER_FLOW;

	series_begin(&series, 0);
	all_put(1);
	ck_assert_uint_eq(page->series.count, 1 + keys);
	series_begin(&series, NODE_US);
	all_put(1);
	ck_assert_uint_eq(page->series.count, 2 + keys);
	series_begin(&series, 2 * NODE_US);
	all_put(2);
	ck_assert_uint_eq(page->series.count, 3 + 2 * keys);
}

TEST(series_put__values_by_key)
{
	series_begin(&series, 0);
	series_port(&series, SERIES_PAUSED_PS, 2, 7);
	series_class(&series, SERIES_CLASS_INPUT_BYTES, 1, 3, 8);
	series_lane(&series, SERIES_LANE_INPUT_UNITS, 0, 7, 9);
	series_flow(&series, SERIES_FLOW_WINDOW_BYTES, 4, 10);
	series_begin(&series, NODE_US);
	series_port(&series, SERIES_PAUSED_PS, 2, 0);
	ck_assert_uint_eq(series_samples(page), 2);
	ck_assert_uint_eq(series_sample_at(page, 1), NODE_US);
	ck_assert_uint_eq(series_at(page, 0, SERIES_PAUSED_PS, 2, 0), 7);
	ck_assert_uint_eq(series_at(page, NODE_US, SERIES_PAUSED_PS, 2, 0), 0);
	ck_assert_uint_eq(series_at(page, NODE_US, SERIES_CLASS_INPUT_BYTES, 1, 3), 8);
	ck_assert_uint_eq(series_at(page, NODE_US, SERIES_LANE_INPUT_UNITS, 0, 7), 9);
	ck_assert_uint_eq(series_at(page, NODE_US, SERIES_FLOW_WINDOW_BYTES, 0, 4), 10);
}

/* the file and the ring together have each entry once, in order */
TEST(series_file__has_what_left_the_ring)
{
	FILE *file = tmpfile();
	uint64_t count = 3ull * STATS_SERIES_MAX + 17;
	struct series_entry entry;

	ck_assert_ptr_nonnull(file);
	series_file(page, fileno(file));
	for (uint64_t i = 0; i < count; i++)
		series_begin(&series, i);
	ck_assert_uint_eq(page->series.filed, 3ull * STATS_SERIES_MAX);
	ck_assert_uint_eq(page->series.error, 0);
	for (uint64_t i = 0; i < count; i++) {
		if (i < page->series.filed)
			ck_assert_int_eq(pread(fileno(file), &entry, sizeof(entry),
					       (off_t)(i * sizeof(entry))),
					 sizeof(entry));
		else
			entry = *stats_series(page, i);
		ck_assert_uint_eq(entry.id, SERIES_SAMPLE);
		ck_assert_uint_eq(entry.value, i);
	}
	fclose(file);
}

/* without samples there is no ring, and no memory */
TEST(series_init__of_a_node_without_samples)
{
	size_t bytes = stats_bytes(&config);
	struct series none;

	config.series = false;
	ck_assert_uint_le(stats_bytes(&config) + STATS_SERIES_MAX * sizeof(struct series_entry),
			  bytes);
	ck_assert_int_eq(series_init(&none, &config, page), 0);
	ck_assert_ptr_null(none.page);
	ck_assert_ptr_null(none.ports);
}

TEST(series_row__every_series)
{
	for (uint32_t id = 0; id < SERIES_IDS; id++) {
		ck_assert_ptr_nonnull(series_row(id)->name);
		for (uint32_t other = 0; other < id; other++)
			ck_assert_str_ne(series_row(id)->name, series_row(other)->name);
	}
	ck_assert_ptr_eq(series_row(SERIES_IDS), series_row(SERIES_SAMPLE));
	for (uint32_t id = SERIES_PORT_FIRST; id < SERIES_IDS; id++)
		ck_assert_int_eq(series_row(id)->of, id < SERIES_CLASS_FIRST  ? SERIES_OF_PORT
						     : id < SERIES_LANE_FIRST ? SERIES_OF_CLASS
						     : id < SERIES_FLOW_FIRST ? SERIES_OF_LANE
									      : SERIES_OF_FLOW);
	for (uint32_t id = SERIES_FLOW_FIRST; id < SERIES_IDS; id++)
		ck_assert_ptr_eq(strstr(series_row(id)->name, "flow_"), series_row(id)->name);
}

/* the row of docs/results.md; names of states are words there, and bits of sets are classes */
static void line_write(uint32_t id, char *line, size_t line_max)
{
	static const char *const type[] = { "now", "total", "state" };
	const struct series_row *row = series_row(id);
	size_t at;

	snprintf(line, line_max, "\n| `%s` | %s | %s | %s |\n",
		 row->name + (row->of == SERIES_OF_FLOW ? strlen("flow_") : 0), type[row->type],
		 row->unit, row->what);
	for (at = 3; row->type == SERIES_STATE && line[at + 3]; at++)
		if (line[at] == '|' && line[at - 1] != ' ' && line[at + 1] != ' ')
			line[at] = '/';
}

/* docs/results.md has a row for each series, and no other; WRITE=yes prints them */
TEST(series_row__documented)
{
	static char text[200000];
	FILE *in = fopen("docs/results.md", "r");

	ck_assert_ptr_nonnull(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = 0;
	fclose(in);
	for (uint32_t flows = 0; flows < 2; flows++) {
		const char *table = strstr(text, flows ? "<!-- table: flow samples -->"
						       : "<!-- table: samples -->"),
			   *end = table ? strstr(table, "<!-- end -->") : NULL, *at;
		uint32_t id = flows ? SERIES_FLOW_FIRST : SERIES_PORT_FIRST,
			 id_end = flows ? (uint32_t)SERIES_IDS : (uint32_t)SERIES_FLOW_FIRST,
			 count = id_end - id;

		ck_assert_ptr_nonnull(end);
		for (; id < id_end; id++) {
			char line[256];

			line_write(id, line, sizeof(line));
			if (getenv("WRITE")) {
				printf("%s", line + 1);
				continue;
			}
			at = strstr(table, line);
			ck_assert_msg(at && at < end, "docs/results.md lacks:%s", line);
		}
		for (at = table; (at = strstr(at, "\n| `")) && at < end; at++)
			count--;
		ck_assert(getenv("WRITE") || !count);
	}
}
