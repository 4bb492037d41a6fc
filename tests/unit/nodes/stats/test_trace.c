/*  nodes/stats/trace: the last events, oldest first, whatever the page holds (TB-22, TB-23); with a
 *  file, all of them (SE-2). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
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
	trace_print_last(page, STATS_TRACE_MAX, out);
	fclose(out);
}

/* event @number of many */
static void add(uint64_t number)
{
	trace(page, (struct trace_entry){ .at_ps = number * NODE_NS,
					  .kind = TRACE_STOP_WAIT,
					  .traffic_class = (uint8_t)number,
					  .value = number });
}

TEST_GROUP(trace, .setup = setup, .teardown = teardown);

TEST(trace_print__empty_prints_nothing)
{
	print();
	ck_assert_str_eq(text, "");
}

TEST(trace_print__prints_names)
{
	trace(page, (struct trace_entry){ .at_ps = 1234567,
					  .kind = TRACE_CHANNEL_WAIT,
					  .port = 3,
					  .detail = 17,
					  .value = 4096 });
	trace_drop(page, DROP_NO_ROUTE, 3, 64, NULL, 1234999);
	trace(page, (struct trace_entry){ .at_ps = 1235000,
					  .kind = TRACE_MESSAGE_START,
					  .destination = 2,
					  .value = 8ull << 40 });
	print();
	ck_assert_str_eq(text,
			 "1234.567 ns  channel_wait   port 3, flow_id 17, to_port 4096\n"
			 "1234.999 ns  drop           port 3, reason no_route, bytes 64\n"
			 "1235.000 ns  message_start  port 0, message 0, bytes 8796093022208, "
			 "to host 1\n");
	ck_assert_uint_eq(page->drops[DROP_NO_ROUTE], 1);
}

TEST(trace_print__oldest_are_overwritten)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < STATS_TRACE_MAX + 5; i++)
		add(i);
	print();
	ck_assert_ptr_eq(strstr(text, "5.000 ns  stop_wait      port 0, class 5\n"), text);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, STATS_TRACE_MAX);
}

/* a crashed node may have left any bytes there */
TEST(trace_print__survives_random_bytes)
{
	trace(page, (struct trace_entry){ .at_ps = NODE_TIME_NEVER, .kind = 7777, .port = 1 });
	trace(page, (struct trace_entry){ .kind = TRACE_DROP, .port = 1, .detail = 99 });
	print();
	ck_assert_ptr_nonnull(strstr(text, "none"));
	ck_assert_ptr_nonnull(strstr(text, "reason 99"));
}

TEST(trace_row__every_kind)
{
	for (uint32_t kind = 0; kind < TRACE_KINDS; kind++) {
		ck_assert_ptr_nonnull(trace_row(kind)->name);
		for (uint32_t other = 0; other < kind; other++)
			ck_assert_str_ne(trace_row(kind)->name, trace_row(other)->name);
	}
	ck_assert_ptr_eq(trace_row(TRACE_KINDS), trace_row(TRACE_NONE));
}

/* docs/results.md has a row for each kind, and no other */
TEST(trace_row__documented)
{
	static char page_text[200000];
	FILE *in = fopen("docs/results.md", "r");
	const char *table, *end, *at;
	uint32_t count = 0;

	ck_assert_ptr_nonnull(in);
	page_text[fread(page_text, 1, sizeof(page_text) - 1, in)] = 0;
	fclose(in);
	table = strstr(page_text, "<!-- table: events -->");
	end = table ? strstr(table, "<!-- end -->") : NULL;
	ck_assert_ptr_nonnull(end);
	for (uint32_t kind = 1; kind < TRACE_KINDS; kind++) {
		const struct trace_row *row = trace_row(kind);
		const char *d = row->detail[0] ? "`" : "", *v = row->value[0] ? "`" : "";
		char line[256];

		snprintf(line, sizeof(line), "\n| `%s` | %s | %s%s%s | %s%s%s | %s |\n", row->name,
			 row->has_class ? "class" : "", d, row->detail, d, v, row->value, v,
			 row->what);
		at = strstr(table, line);
		ck_assert_msg(at && at < end, "docs/results.md lacks:%s", line);
	}
	for (at = table; (at = strstr(at, "\n| `")) && at < end; at++)
		count++;
	ck_assert_uint_eq(count, TRACE_KINDS - 1);
}

/* addresses of hosts of the fabric are known, no others */
TEST(trace_hosts__of_a_frame)
{
	struct trace_entry entry = { 0 };
	uint8_t frame[12];

	address_mac(7, frame);
	memset(frame + 6, 0xff, 6);
	trace_hosts(&entry, frame);
	ck_assert_uint_eq(entry.destination, 8);
	ck_assert_uint_eq(entry.source, 0);
	address_mac(0, frame + 6);
	trace_hosts(&entry, frame);
	ck_assert_uint_eq(entry.source, 1);
}

/* the file and the ring together have each event once, in order */
TEST(trace_file__has_what_left_the_ring)
{
	int fd = memfd_create("trace", 0);
	uint64_t events = 3ull * STATS_TRACE_MAX + 17;
	struct trace_entry entry;

	ck_assert(!trace_often(page));
	trace_file(page, fd);
	ck_assert(trace_often(page));
	for (uint64_t i = 0; i < events; i++)
		add(i);
	ck_assert_uint_eq(page->trace.count, events);
	ck_assert_uint_eq(page->trace.filed, 3ull * STATS_TRACE_MAX);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), (off_t)(page->trace.filed * sizeof(entry)));
	for (uint64_t i = 0; i < events; i++) {
		if (i < page->trace.filed)
			ck_assert_int_eq(
				pread(fd, &entry, sizeof(entry), (off_t)(i * sizeof(entry))),
				sizeof(entry));
		else
			entry = *stats_trace(page, i);
		ck_assert_uint_eq(entry.value, i);
	}
	ck_assert_uint_eq(page->trace.error, 0);
	close(fd);
}

/* a full disk ends the file, and nothing else */
TEST(trace_file__full_disk)
{
	int fd = open("/dev/full", O_WRONLY);

	trace_file(page, fd);
	for (uint32_t i = 0; i < 2 * STATS_TRACE_MAX + 1; i++)
		add(i);
	ck_assert_uint_eq(page->trace.error, ENOSPC);
	ck_assert_uint_eq(page->trace.filed, 0);
	ck_assert_uint_eq(page->trace.count, 2 * STATS_TRACE_MAX + 1);
	ck_assert(!trace_often(page));
	close(fd);
}
