/*  orchestrator/results/node_log: entries of the file, then those of the ring, of a page that may
 *  say anything (SE-1, SE-2, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/node_log.h"
#include "tests/testing.h"

#define RING ((uint64_t)STATS_TRACE_MAX)
#define ENTRY sizeof(struct trace_entry)

static struct port_config port;
static struct node_config config;
static struct stats_page *page;
static struct node_log_source source;
static struct node_log log_;

static void setup(void)
{
	config = (struct node_config){ .kind = NODE_NIC, .port_count = 1, .ports = &port };
	page = calloc(1, stats_bytes(&config));
	stats_init(page, &config);
	source = (struct node_log_source){ page, memfd_create("events", 0) };
	trace_file(page, source.fd);
}

static void teardown(void)
{
	node_log_close(&log_);
	node_log_close(&log_);
	close(source.fd);
	free(page);
}

/* @count events, numbered by their times from 1 on */
static void happen(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		trace(page,
		      (struct trace_entry){ .at_ps = page->trace.count + 1, .kind = TRACE_DROP });
}

/* entries @from to @to - 1 come next, and no other one */
static void entries_expect(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		const struct trace_entry *entry = node_log_entry(&log_);

		ck_assert_ptr_nonnull(entry);
		ck_assert_uint_eq(entry->at_ps, i + 1);
		node_log_next(&log_);
	}
	ck_assert_ptr_null(node_log_entry(&log_));
}

TEST_GROUP(node_log, .setup = setup, .teardown = teardown);

TEST(node_log_events__of_the_ring)
{
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	entries_expect(0, 0);
	happen(5);
	ck_assert_ptr_null(node_log_entry(&log_)); /* not before a refresh */
	ck_assert_int_eq(node_log_refresh(&log_), 0);
	entries_expect(0, 5);
}

/* more than a part of the file that is read at a time, and more than a ring */
TEST(node_log_events__of_the_file_and_the_ring)
{
	happen(3 * RING + 7);
	ck_assert_uint_ge(page->trace.filed, 2 * RING);
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	entries_expect(0, 3 * RING + 7);
	happen(RING);
	ck_assert_int_eq(node_log_refresh(&log_), 0);
	entries_expect(3 * RING + 7, 4 * RING + 7);
}

/* the ring was written again after the refresh: what was there is in the file now */
TEST(node_log_entry__after_the_ring_went_on)
{
	happen(10);
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	happen(2 * RING);
	entries_expect(0, 10);
	ck_assert_int_eq(node_log_refresh(&log_), 0);
	entries_expect(10, 2 * RING + 10);
}

TEST(node_log_events__none)
{
	struct node_log_source none = { page, -1 }, no_page = { NULL, source.fd };

	ck_assert_int_eq(node_log_events(&log_, &none), 0);
	ck_assert_ptr_null(node_log_entry(&log_));
	ck_assert_int_eq(node_log_refresh(&log_), 0);
	ck_assert_int_eq(node_log_series(&log_, &none), 0);
	ck_assert_ptr_null(node_log_entry(&log_));
	ck_assert_int_eq(node_log_events(&log_, &no_page), -EBADMSG);
	ck_assert_int_eq(node_log_series(&log_, &no_page), -EBADMSG);
	ck_assert_int_eq(node_log_series(&log_, &source), -EBADMSG); /* the page has none */
	ck_assert_ptr_null(node_log_entry(&log_));
}

/* counters that no node leaves */
static const struct {
	uint64_t filed, count;
	int expected;
} counters[] = {
	{ RING, RING, 0 },
	{ RING, 2 * RING, 0 },
	{ RING, 2 * RING + 1, -EBADMSG }, /* the ring has not so many */
	{ RING, RING - 1, -EBADMSG },
	{ RING + 1, RING + 1, -EBADMSG }, /* the file has not so many */
	{ UINT64_MAX, UINT64_MAX, -EBADMSG },
	{ 0, RING, 0 },
	{ 0, RING + 1, -EBADMSG },
};

TEST_RANGE(node_log_events__trusts_no_counter, 0, sizeof(counters) / sizeof(counters[0]))
{
	ck_assert_int_eq(ftruncate(source.fd, (off_t)(RING * ENTRY + ENTRY - 1)), 0);
	page->trace.filed = counters[_i].filed;
	page->trace.count = counters[_i].count;
	ck_assert_int_eq(node_log_events(&log_, &source), counters[_i].expected);
	if (counters[_i].expected)
		ck_assert_ptr_null(node_log_entry(&log_));
	else
		ck_assert_ptr_nonnull(node_log_entry(&log_));
}

TEST(node_log_refresh__nothing_goes_back)
{
	happen(RING + 20);
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	for (uint32_t i = 0; i < RING + 10; i++)
		node_log_next(&log_);
	page->trace.count = RING + 10;
	ck_assert_int_eq(node_log_refresh(&log_), 0);
	ck_assert_ptr_null(node_log_entry(&log_));
	page->trace.count = RING + 9;
	ck_assert_int_eq(node_log_refresh(&log_), -EBADMSG);
	page->trace.count = RING + 20;
	page->trace.filed--;
	ck_assert_int_eq(node_log_refresh(&log_), -EBADMSG);
	ck_assert_ptr_null(node_log_entry(&log_));
}

/* the file could not be written: what is in it is read, the ring is not what follows */
TEST_RANGE(node_log_refresh__file_that_ended_early, 0, 3)
{
	static const struct {
		uint64_t error;
		int expected;
	} errors[] = { { ENOSPC, -ENOSPC }, { 4095, -4095 }, { 4096, -EIO } };

	happen(RING + 20);
	page->trace.error = errors[_i].error;
	ck_assert_int_eq(node_log_events(&log_, &source), errors[_i].expected);
	entries_expect(0, page->trace.filed);
	ck_assert_int_eq(node_log_refresh(&log_), errors[_i].expected);
	ck_assert_ptr_null(node_log_entry(&log_));
}

TEST(node_log_refresh__file_that_is_closed)
{
	int other = dup(source.fd);

	source.fd = other;
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	close(other);
	ck_assert_int_eq(node_log_refresh(&log_), -EBADF);
	source.fd = page->trace.fd;
}

/* an entry that the file is too short for is zeros */
TEST(node_log_entry__of_a_file_that_was_shortened)
{
	const struct trace_entry *entry;

	happen(2 * RING);
	ck_assert_int_eq(node_log_events(&log_, &source), 0);
	ck_assert_int_eq(ftruncate(source.fd, 0), 0);
	entry = node_log_entry(&log_);
	ck_assert_ptr_nonnull(entry);
	ck_assert_uint_eq(entry->at_ps, 0);
	ck_assert_uint_eq(entry->kind, 0);
}
