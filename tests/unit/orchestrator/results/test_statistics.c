/*  nodes/stats/statistics: the registry of counters: names, widths, folds, and the tables of
 *  docs/results.md that follow from it (TB-10, TB-13).
 *
 *  After a new row:  WRITE=yes build/asan/unit/test_statistics   writes the tables of the page. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/results/counter.h"
#include "orchestrator/results/metric.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/statistics.h"
#include "tests/testing.h"

#define PAGE "docs/results.md"

/* ---- names are an interface: keys of JSON, columns of CSV, words at the prompt ---- */

static const struct names {
	const struct statistics *list;
	enum statistic_group group;
	const char *names;
} public[] = {
	{ &port_statistics, STATISTIC_BASIC,
	  "tx_frames tx_bytes tx_packets tx_busy_ps queue_bytes queue_bytes_max rx_frames rx_bytes "
	  "rx_packets input_units_max efct_used efct_used_max ifct_used ifct_used_max ack_frames "
	  "acks words ofct_used ofct_used_max channel_waits paused_ps lost_frames lost_bytes "
	  "lost_packets reordered duplicated corrupted loss_reports loss_report_units "
	  "hole_units tail_units " },
	{ &port_statistics, STATISTIC_CONGESTION,
	  "eca_acks eca_max eca_first_ps delta_eca_acks ecn_packets acks_rewritten "
	  "limited_first_ps "
	  "limited extent_units extent_units_max blocked_extent blocked_rate blocked_empty "
	  "blocked_headroom blocked_port metered headroom_starts headroom_stops headroom_units "
	  "stops "
	  "fgfc_held fgfc_frames fgfc_refused " },
	{ &port_statistics, STATISTIC_PAUSE,
	  "pauses_sent pauses_received path_pauses path_resumes signals_forwarded " },
	{ &port_statistics, STATISTIC_PATHS,
	  "choices choices_other choices_detour choices_held redirects folds reroute_acks "
	  "fecn_marked becns credit_waits credit_wait_ps " },
	{ &class_statistics, STATISTIC_BASIC,
	  "queue_bytes queue_bytes_max tx_packets_measured tx_bytes_measured delay_ns_max drops "
	  "marked input_bytes input_bytes_max headroom_bytes_max paused_ps paused_since_ps "
	  "xoff_since_ps xoff_first_ps stuck state state_max ecn_failed_ps cnp_failed_ps cnps_seen "
	  "cnps_supplemented signals_pause signals_resume " },
	{ &node_statistics, STATISTIC_BASIC,
	  "injected_packets injected_bytes delivered_packets delivered_bytes inside_packets "
	  "inside_bytes flow_tx_count flow_rx_count message_count events data_hops " },
	{ &transport_statistics, STATISTIC_BASIC,
	  "connection in_error resent timeouts naks cnps cnps_made cnp_gap_min_ps marked rate_bps "
	  "rate_min_bps window_bytes_max duplicates out_of_order " },
	{ &total_statistics, STATISTIC_BASIC,
	  "injected_bytes delivered_bytes inside_bytes lost_bytes lost under_way reordered "
	  "lost_units reported_units unreported_units channel_waits channels messages "
	  "messages_unlogged " },
};

TEST_RANGE(statistics__public_names, 0, COUNT_OF(public))
{
	const struct statistics *list = public[_i].list;
	char names[2048] = "";

	for (size_t i = 0; i < list->count; i++) {
		if (list->rows[i].group == public[_i].group)
			strcat(strcat(names, list->rows[i].name), " ");
	}
	ck_assert_str_eq(names, public[_i].names);
}

/* ---- values ---- */

TEST(statistic_value__widths)
{
	const struct {
		uint8_t one, next;
		uint16_t two, after;
		uint32_t four, last;
		uint64_t eight;
	} of = { 0x11, 0xff, 0x2222, 0xffff, 0x33333333, 0xffffffff, 0x4444444444444444 };
	const struct statistic rows[] = {
		STATISTIC_ROW(__typeof__(of), BASIC, one, COUNT, SUM, ""),
		STATISTIC_ROW(__typeof__(of), BASIC, two, COUNT, SUM, ""),
		STATISTIC_ROW(__typeof__(of), BASIC, four, COUNT, SUM, ""),
		STATISTIC_ROW(__typeof__(of), BASIC, eight, COUNT, SUM, ""),
	};

	ck_assert_uint_eq(statistic_value(&rows[0], &of), 0x11);
	ck_assert_uint_eq(statistic_value(&rows[1], &of), 0x2222);
	ck_assert_uint_eq(statistic_value(&rows[2], &of), 0x33333333);
	ck_assert_uint_eq(statistic_value(&rows[3], &of), 0x4444444444444444);
}

TEST(statistic_fold__each)
{
	ck_assert_uint_eq(statistic_fold(STATISTIC_SUM, 5, 3), 8);
	ck_assert_uint_eq(statistic_fold(STATISTIC_MAX, 5, 3), 5);
	ck_assert_uint_eq(statistic_fold(STATISTIC_MAX, 5, 7), 7);
	ck_assert_uint_eq(statistic_fold(STATISTIC_LEAST, 0, 7), 7);
	ck_assert_uint_eq(statistic_fold(STATISTIC_LEAST, 7, 0), 7);
	ck_assert_uint_eq(statistic_fold(STATISTIC_LEAST, 7, 5), 5);
}

/* a switch with two links to the same peer: a condition is of both, by the fold of its counter */
TEST(condition_holds__several_links)
{
	static const char *const hold[] = { "s1.s2.tx_frames == 8",
					    "s1.s2.queue_bytes_max == 5",
					    "s1.s2.eca_first_ps == 3ps",
					    "s1.p1.tx_frames == 5",
					    "s1.events == 9",
					    "now >= 2ps" };
	struct port_config ports[2] = { { .peer_name = "s2" }, { .peer_name = "s2" } };
	struct node_config node = { .name = "s1", .port_count = 2, .ports = ports };
	struct plan plan = { .node_count = 1, .switch_count = 1, .nodes = &node };
	struct stats_page *page = calloc(1, stats_bytes(&node));

	stats_init(page, &node);
	*stats_port(page, 0) = (struct port_stats){ 3, .queue_bytes_max = 4, .eca_first_ps = 0 };
	*stats_port(page, 1) = (struct port_stats){ 5, .queue_bytes_max = 5, .eca_first_ps = 3 };
	page->events = 9;
	for (size_t i = 0; i < COUNT_OF(hold); i++) {
		struct condition condition;
		struct why why = { "" };

		ck_assert_msg(!condition_parse(&plan, hold[i], &condition, &why), "%s", why.text);
		ck_assert_msg(condition_holds(&condition, page, 2), "%s", hold[i]);
	}
	free(page);
}

/* only a condition about the time has a time */
TEST_RANGE(condition_time__of_now, 0, 5)
{
	static const struct {
		const char *text;
		node_time_t time;
	} rows[] = { { "now >= 60us", 60 * NODE_US },
		     { "now > 60us", 60 * NODE_US + 1 },
		     { "now == 60us", 60 * NODE_US },
		     { "now < 60us", NODE_TIME_NEVER },
		     { "s1.events == 9", NODE_TIME_NEVER } };
	struct node_config node = { .name = "s1" };
	struct plan plan = { .node_count = 1, .switch_count = 1, .nodes = &node };
	struct condition condition;
	struct why why = { "" };

	ck_assert_msg(!condition_parse(&plan, rows[_i].text, &condition, &why), "%s", why.text);
	ck_assert_uint_eq(condition_time(&condition), rows[_i].time);
}

/* from dot to dot; a name of a node may have one */
TEST(counter_words__up_to_the_next_dot)
{
	struct port_config ports[1] = { { .peer_name = "s2" } };
	struct node_config node = { .name = "s1.a", .port_count = 1, .ports = ports };
	struct plan plan = { .node_count = 1, .switch_count = 1, .nodes = &node };
	struct word_list words = { 0 };

	counter_words(&plan, "s", &words);
	ck_assert_uint_eq(words.count, 2);
	ck_assert_str_eq(words.words[0], "now");
	ck_assert_str_eq(words.words[1], "s1.a.");
	word_list_free(&words);
	counter_words(&plan, "s1.a.ev", &words);
	ck_assert_uint_eq(words.count, 1 + node_statistics.count);
	ck_assert_str_eq(words.words[0], "s1.a.s2.");
	ck_assert_uint_eq(word_list_keep(&words, "s1.a.events"), strlen("s1.a.events"));
	word_list_free(&words);
	counter_words(&plan, "s1.a.s2.queue", &words);
	ck_assert_uint_eq(words.count, port_statistics.count);
	ck_assert_uint_ge(word_list_keep(&words, "s1.a.s2.queue_bytes"), 19);
	ck_assert_uint_ge(words.count, 2);
	word_list_free(&words);
}

/* ports of one page do not share a cache line */
TEST(stats_port__starts_a_cache_line)
{
	struct node_config node = { .port_count = 3 };
	struct stats_page *page = calloc(1, stats_bytes(&node));

	stats_init(page, &node);
	for (uint32_t port = 0; port < 3; port++)
		ck_assert_uint_eq(((char *)stats_port(page, port) - (char *)page) % 64, 0);
	free(page);
}

/* ---- metrics ---- */

static const struct metric *metric_of(const char *name)
{
	for (size_t i = 0; i < metric_count; i++) {
		if (!strcmp(metric_table[i].name, name))
			return &metric_table[i];
	}
	return NULL;
}

TEST_RANGE(statistics__metrics_are_registered, 0, COUNT_OF(public))
{
	const struct statistics *list = public[_i].list;

	for (size_t i = 0; i < list->count; i++) {
		const struct statistic *row = &list->rows[i];
		const struct metric *metric = row->metric ? metric_of(row->metric) : NULL;

		ck_assert_msg(!row->metric || metric, "no metric '%s'", row->metric);
		if (metric)
			ck_assert_str_eq(metric->statistic.name, row->name);
	}
}

/* ---- docs/results.md ---- */

static const char *const unit_text[] = {
	[STATISTIC_COUNT] = "",
	[STATISTIC_BYTES] = "bytes",
	[STATISTIC_UNITS] = "units",
	[STATISTIC_PS] = "ps",
	[STATISTIC_NS] = "ns",
	[STATISTIC_BPS] = "b/s",
	[STATISTIC_MOMENT] = "ps or null",
};

/* a table of the page: the text between its two comments */
static const struct table {
	const char *name;
	const struct statistics *list;
	enum statistic_group group;
} tables[] = {
	{ "counters of ports", &port_statistics, STATISTIC_BASIC },
	{ "counters of nodes", &node_statistics, STATISTIC_BASIC },
	{ "ports[].congestion", &port_statistics, STATISTIC_CONGESTION },
	{ "ports[].roce", &port_statistics, STATISTIC_PAUSE },
	{ "ports[].paths", &port_statistics, STATISTIC_PATHS },
	{ "classes[]", &class_statistics, STATISTIC_BASIC },
	{ "flows[].transport", &transport_statistics, STATISTIC_BASIC },
	{ "totals", &total_statistics, STATISTIC_BASIC },
};

static void table_write(const struct table *table, FILE *out)
{
	fprintf(out, "| key | unit | meaning | metric |\n|---|---|---|---|\n");
	for (size_t i = 0; i < table->list->count; i++) {
		const struct statistic *row = &table->list->rows[i];

		if (row->group != table->group)
			continue;
		fprintf(out, "| `%s` | %s | %s | ", row->name, unit_text[row->unit], row->what);
		fprintf(out, row->metric ? "`%s` |\n" : "|\n", row->metric);
	}
}

/* Return: the contents of @file; to be freed */
static char *file_read(const char *file)
{
	FILE *in = fopen(file, "r");
	size_t size = 0;
	char *text = NULL;

	ck_assert_msg(in && getdelim(&text, &size, 0, in) > 0, "%s cannot be read", file);
	fclose(in);
	return text;
}

/* Return: the page as it should be, @text with the table of @table in its place; to be freed */
static char *page_with(const char *text, const struct table *table)
{
	char begin[80], *page = NULL;
	const char *from, *to;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	snprintf(begin, sizeof(begin), "<!-- table: %s -->\n\n", table->name);
	from = strstr(text, begin);
	to = from ? strstr(from, "\n<!-- end -->") : NULL;
	ck_assert_msg(to, PAGE " has no place for the table '%s'", table->name);
	from += strlen(begin);
	fwrite(text, 1, (size_t)(from - text), out);
	table_write(table, out);
	fputs(to, out);
	fclose(out);
	return page;
}

TEST_RANGE(docs_results__tables_are_current, 0, COUNT_OF(tables))
{
	char *text = file_read(PAGE), *page = page_with(text, &tables[_i]);

	if (getenv("WRITE")) {
		FILE *out = fopen(PAGE, "w");

		ck_assert(out && fputs(page, out) >= 0 && !fclose(out));
	} else {
		ck_assert_msg(!strcmp(text, page),
			      "table '%s' of " PAGE " is not that of the registry; "
			      "WRITE=yes build/asan/unit/test_statistics writes it",
			      tables[_i].name);
	}
	free(text);
	free(page);
}
