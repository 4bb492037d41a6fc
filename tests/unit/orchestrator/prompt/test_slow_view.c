/*  orchestrator/prompt/slow_view: the busiest ports of a slowed run, as lines and as a picture
 *  (SE-8). No node runs: the test writes the statistics. */
#include "orchestrator/prompt/slow_view.h"

#include <stdlib.h>
#include <string.h>

#include "nodes/base/monotonic.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/prompt/typing.h"

#define US 1000000u
#define NODES 4u
#define HEAD(now, full) \
	"\033[?7lt at " now " of 20.000 us, 1.000 us per second; queue bars: " full "\033[K\n"
#define COLUMNS_100 "port            rate                                queue\033[K\n"
#define END "\033[J\033[?7h"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static struct slow_view view;
static char *text;
static size_t text_bytes;
static FILE *out;

/* h1 - s1 - s2 - h2, stopped at 5 us; links of 100 Gb/s */
static void made(const char *kind)
{
	char yaml[512];

	snprintf(yaml, sizeof(yaml),
		 "name: t\nrun: {duration: 20us}\nfabric: %s\nlinks: {rate: 100Gb/s}\ntopology: "
		 "{switches: [s1, s2], hosts: {h1: s1, h2: s2}, links: [[s1, s2]]}\n",
		 kind);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", yaml, strlen(yaml), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.node_count, NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i] = (struct fabric_node){ .stats = calloc(1, stats_bytes(&plan.nodes[i])) };
		stats_init(nodes[i].stats, &plan.nodes[i]);
	}
	page = (struct clock_page){ .start_ps = 5 * US, .state = CLOCK_RUNNING };
	fabric = (struct fabric){ .plan = &plan, .nodes = nodes, .page = &page };
	fabric.clock.page = &page;
}

static void opened(const char *kind, FILE *file)
{
	made(kind);
	ck_assert_int_eq(slow_view_open(&view, &fabric, US, file), 0);
	ck_assert_uint_eq(view.count, 6);
}

static void setup(void)
{
	out = open_memstream(&text, &text_bytes);
	terminal_open();
	terminal_raw();
	terminal_size(24, 100);
}

static void teardown(void)
{
	slow_view_close(&view);
	ck_assert_ptr_null(view.ports);
	fclose(out);
	free(text);
	terminal_close();
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

TEST_GROUP(slow_view, .setup = setup, .teardown = teardown);

/* the port of node @name that leads to @peer, and what it counts */
static struct port_stats *port_of(const char *name, const char *peer, uint32_t *number)
{
	const struct node_config *node = plan_node_find(&plan, name);

	for (uint32_t i = 0; i < node->port_count; i++) {
		if (node->ports[i].vacant || strcmp(node->ports[i].peer_name, peer) != 0)
			continue;
		if (number)
			*number = i;
		return stats_port(nodes[node->index].stats, i);
	}
	ck_abort_msg("%s has no port to %s", name, peer);
}

/* @bytes more are sent, and @queue wait */
static void port_does(const char *name, const char *peer, uint64_t bytes, uint64_t queue)
{
	struct port_stats *stats = port_of(name, peer, NULL);

	stats->tx_bytes += bytes;
	stats->queue_bytes = queue;
}

/* what is printed at @now */
static const char *line_at(node_time_t now, bool last)
{
	rewind(out);
	page.start_ps = now;
	slow_view_show(&view, last);
	fflush(out);
	text[text_bytes] = 0;
	return text;
}

static const char *picture_at(node_time_t now)
{
	seen();
	page.start_ps = now;
	slow_view_show(&view, true);
	return seen();
}

/* ports that lead nowhere are not shown */
TEST(slow_view_open__vacant_ports)
{
	made("flow-channel");
	plan.nodes[0].ports[0].vacant = true;
	plan.nodes[1].ports[1].vacant = true;
	ck_assert_int_eq(slow_view_open(&view, &fabric, US, out), 0);
	ck_assert_uint_eq(view.count, 4);
	port_does("s1", "s2", 31250, 0);
	port_does("s2", "h2", 6250, 8000);
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s2 -> h2 10.00 Gb/s, queue 8.000 kB; "
			 "s1 -> s2 50.00 Gb/s, queue 0 B\n");
}

/* ---- lines ---- */

TEST(slow_view_show__line)
{
	opened("flow-channel", out);
	port_does("s1", "s2", 31250, 4096);
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s1 -> s2 50.00 Gb/s, queue 4.096 kB\n");
	/* the busiest three, since the last line; what a NIC holds is no queue of the fabric */
	port_does("s1", "s2", 0, 0);
	port_does("h1", "s1", 25000, 50000);
	port_does("s2", "h2", 18750, 8000);
	port_does("s2", "s1", 6250, 0);
	ck_assert_str_eq(line_at(15 * US, true),
			 "at 15.000 us; s2 -> h2 30.00 Gb/s, queue 8.000 kB; s1 -> s2 0 b/s, queue "
			 "0 B; h1 -> s1 40.00 Gb/s, queue 50.00 kB\n");
}

TEST(slow_view_show__nothing_is_sent)
{
	opened("flow-channel", out);
	ck_assert_str_eq(line_at(10 * US, true), "at 10.000 us\n");
}

/* A frame counts when it begins: in a short time that can be more than the link carries. The same
 * time again has the same rate. */
TEST(slow_view_show__rate_of_the_link_at_most)
{
	opened("flow-channel", out);
	port_does("s1", "s2", 62500 + 1, 0);
	ck_assert_str_eq(line_at(10 * US, true), "at 10.000 us; s1 -> s2 100.0 Gb/s, queue 0 B\n");
	port_does("s1", "s2", 1000, 0);
	ck_assert_str_eq(line_at(10 * US, true), "at 10.000 us; s1 -> s2 100.0 Gb/s, queue 0 B\n");
	port_does("s1", "s2", 750, 0);
	ck_assert_str_eq(line_at(15 * US, true), "at 15.000 us; s1 -> s2 1.200 Gb/s, queue 0 B\n");
}

/* a port that was busy stays for a while, below those that are */
TEST(slow_view_show__order)
{
	opened("flow-channel", out);
	port_does("s1", "s2", 62500, 0);
	line_at(10 * US, true);
	port_does("s2", "s1", 62500 / 100 * 89, 0);
	ck_assert_str_eq(line_at(15 * US, true),
			 "at 15.000 us; s1 -> s2 0 b/s, queue 0 B; s2 -> s1 89.00 Gb/s, queue 0 "
			 "B\n");
	port_does("s2", "s1", 62500 / 100 * 82, 0);
	ck_assert_str_eq(line_at(20 * US, true),
			 "at 20.000 us; s2 -> s1 82.00 Gb/s, queue 0 B; s1 -> s2 0 b/s, queue 0 "
			 "B\n");
}

/* a queue of half of the scale counts as much as a whole link, a port that is stopped, too */
TEST(slow_view_show__queues_and_stops_count)
{
	opened("flow-channel", out);
	port_does("s1", "s2", 62501, 0);
	port_does("s2", "s1", 0, 5100);
	port_of("s2", "h2", NULL)->paused_since_ps = 1;
	port_does("s2", "h2", 750, 0);
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s2 -> s1 0 b/s, queue 5.100 kB; s2 -> h2 1.200 Gb/s, queue "
			 "0 B, stopped; s1 -> s2 100.0 Gb/s, queue 0 B\n");
}

/* but not more */
TEST(slow_view_show__queue_of_less_than_half_of_the_scale)
{
	opened("flow-channel", out);
	port_does("s1", "s2", 62500, 0);
	port_does("s2", "s1", 0, 4900);
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s1 -> s2 100.0 Gb/s, queue 0 B; s2 -> s1 0 b/s, queue "
			 "4.900 kB\n");
}

TEST(slow_view_show__why_a_port_does_not_send)
{
	opened("flow-channel", out);
	port_of("s1", "s2", NULL)->paused_since_ps = 1;
	/* flows that a NIC holds, which may send others; a switch has none */
	port_of("h1", "s1", NULL)->fgfc_held = 3;
	port_does("h1", "s1", 750, 0);
	port_of("s2", "h2", NULL)->fgfc_held = 3;
	port_does("s2", "h2", 1250, 0);
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s1 -> s2 0 b/s, queue 0 B, stopped; s2 -> h2 2.000 Gb/s, "
			 "queue 0 B; h1 -> s1 1.200 Gb/s, queue 0 B, 3 held\n");
	port_of("s1", "s2", NULL)->credit_since_ps = 1;
	port_of("h1", "s1", NULL)->paused_since_ps = 1;
	ck_assert_str_eq(line_at(15 * US, true),
			 "at 15.000 us; s1 -> s2 0 b/s, queue 0 B, no credit; h1 -> s1 0 b/s, "
			 "queue 0 B, stopped; s2 -> h2 0 b/s, queue 0 B\n");
}

/* one class that is paused, the first or the last one */
TEST(slow_view_show__pause_of_a_class)
{
	static const uint32_t classes[] = { 0, NODE_CLASSES_MAX - 1 };
	struct stats_page *stats;
	uint32_t port;

	opened("roce", out);
	port_of("s1", "s2", &port)->credit_since_ps = 1;
	stats = nodes[plan_node_find(&plan, "s1")->index].stats;
	for (unsigned i = 0; i < 2; i++) {
		stats_class(stats, port, classes[i])->paused_since_ps = 1;
		ck_assert_str_eq(line_at(10 * US, true),
				 "at 10.000 us; s1 -> s2 0 b/s, queue 0 B, paused\n");
		stats_class(stats, port, classes[i])->paused_since_ps = 0;
	}
	ck_assert_str_eq(line_at(10 * US, true),
			 "at 10.000 us; s1 -> s2 0 b/s, queue 0 B, no credit\n");
}

TEST(slow_view_show__only_if_it_is_time)
{
	uint64_t before;

	opened("flow-channel", out);
	ck_assert_str_eq(line_at(10 * US, false), "at 10.000 us\n");
	view.next_ns = UINT64_MAX;
	ck_assert_str_eq(line_at(15 * US, false), "");
	ck_assert_uint_eq(view.next_ns, UINT64_MAX);
	before = monotonic_ns();
	ck_assert_str_eq(line_at(15 * US, true), "at 15.000 us\n");
	ck_assert_uint_ge(view.next_ns, before + 1000000000);
	ck_assert_uint_le(view.next_ns, monotonic_ns() + 1000000000);
}

/* ---- pictures ---- */

#define ROW(name, rate, rate_bar, queue, queue_bar, mark)                             \
	name "  " rate "  \033[32m" rate_bar "\033[0m  " queue "  \033[33m" queue_bar \
	     "\033[0m  \033[1;31m" mark "\033[0m\033[K\n"

/* in the order of the plan; ports that do nothing are not there */
TEST(slow_view_show__picture)
{
	uint64_t before = monotonic_ns();

	opened("flow-channel", terminal);
	port_does("h1", "s1", 32000, 4096);
	port_does("s1", "s2", 62501, 5000);
	port_of("s1", "s2", NULL)->paused_since_ps = 1;
	ck_assert_str_eq(picture_at(10 * US),
			 HEAD("10.000 us", "10.00 kB") COLUMNS_100 ROW(
				 "s1 -> s2", "100.0 Gb/s", "#######################", "  5.000 kB",
				 "############           ", "stopped")
				 ROW("h1 -> s1", "51.20 Gb/s", "############           ",
				     "  4.096 kB", "                       ", "") END);
	ck_assert_uint_ge(view.next_ns, before + 200000000);
	ck_assert_uint_le(view.next_ns, monotonic_ns() + 200000000);
}

TEST(slow_view_show__picture_without_colours)
{
	setenv("NO_COLOR", "1", 1);
	opened("flow-channel", terminal);
	port_does("s1", "s2", 62501, 0);
	ck_assert_str_eq(picture_at(10 * US), HEAD("10.000 us", "10.00 kB") COLUMNS_100
			 "s1 -> s2  100.0 Gb/s  #######################         0 B  "
			 "                         \033[K\n" END);
}

/* what is printed after the last picture comes below it */
TEST(slow_view_show__picture_over_the_one_before)
{
	opened("flow-channel", terminal);
	port_does("s1", "s2", 62501, 0);
	picture_at(10 * US);
	ck_assert_uint_eq(view.drawn, 0);
	slow_view_show(&view, true);
	ck_assert(!strncmp(seen(), "\033[?7lt at", 8));
	view.next_ns = 0;
	slow_view_show(&view, false);
	ck_assert(!strncmp(seen(), "\033[?7lt at", 8));
	ck_assert_uint_eq(view.drawn, 3);
	view.next_ns = 0;
	slow_view_show(&view, false);
	ck_assert(!strncmp(seen(), "\033[?7l\033[3A\rt at", 14));
	/* another size: the terminal has broken it */
	terminal_size(24, 99);
	view.next_ns = 0;
	slow_view_show(&view, false);
	ck_assert(!strncmp(seen(), "\033[?7l\033[H\033[2Jt at", 16));
	terminal_size(25, 99);
	view.next_ns = 0;
	slow_view_show(&view, false);
	ck_assert(!strncmp(seen(), "\033[?7l\033[H\033[2Jt at", 16));
	terminal_size(24, 99);
	view.drawn = 0;
	slow_view_show(&view, true);
	ck_assert(!strncmp(seen(), "\033[?7lt at", 8));
}

static unsigned lines_of(const char *picture)
{
	unsigned count = 0;

	for (const char *at = picture; (at = strchr(at, '\n')); at++)
		count++;
	return count;
}

/* two lines of the head and one that stays free below; at least one port */
TEST(slow_view_show__as_many_ports_as_there_are_lines)
{
	static const unsigned sizes[][2] = { { 1, 3 }, { 4, 3 }, { 5, 3 }, { 6, 4 }, { 24, 8 } };

	opened("flow-channel", terminal);
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t port = 0; port < plan.nodes[i].port_count; port++)
			stats_port(nodes[i].stats, port)->tx_bytes = 1000 * (i + 1);
	for (unsigned i = 0; i < 5; i++) {
		terminal_size(sizes[i][0], 100);
		ck_assert_uint_eq(lines_of(picture_at(10 * US)), sizes[i][1]);
	}
}

/* the bars of a terminal of @columns have @each columns */
static void bars_at(unsigned columns, int each)
{
	char heading[128];

	terminal_size(24, columns);
	snprintf(heading, sizeof(heading), "\nport            rate  %*s       queue\033[K\n", each,
		 "");
	ck_assert_ptr_nonnull(strstr(picture_at(10 * US), heading));
}

/* a row has 53 columns without its bars, which have 4 to 30 each, or none */
TEST(slow_view_show__bars)
{
	opened("flow-channel", terminal);
	bars_at(40, 0);
	bars_at(60, 0);
	bars_at(61, 4);
	bars_at(62, 4);
	bars_at(63, 5);
	bars_at(112, 29);
	bars_at(113, 30);
	bars_at(115, 30);
}

/* of the longest queue of a switch so far: 1, 2 or 5 times a power of ten */
TEST(slow_view_show__scale_of_queues)
{
	static const struct {
		uint64_t queue;
		const char *scale;
	} rows[] = { { 10000, "10.00 kB" },   { 20000, "20.00 kB" },  { 20001, "50.00 kB" },
		     { 100000, "100.0 kB" },  { 100001, "200.0 kB" }, { 500000, "500.0 kB" },
		     { 1000001, "2.000 MB" }, { 1000, "2.000 MB" } };

	opened("flow-channel", terminal);
	port_does("h1", "s1", 0, 1000000000);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char end[64];

		port_does("s2", "s1", 0, rows[i].queue);
		snprintf(end, sizeof(end), "queue bars: %s\033[K", rows[i].scale);
		ck_assert_ptr_nonnull(strstr(picture_at(10 * US), end));
	}
}
