/*  nodes/stats/stats_view: the reader of a statistics page does not trust the node that writes it
 *  (TB-13, TB-23). */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/base/random.h"
#include "nodes/stats/stats_view.h"
#include "nodes/stats/trace.h"
#include "tests/testing.h"

#define PORTS 3u
#define ROUNDS 200u

static struct port_config ports[PORTS];
static struct node_config config;
static struct stats_page *theirs; /* as the node maps it */
static struct stats_view view;
static size_t bytes;
static int fd;

static void make(enum node_kind kind)
{
	config = (struct node_config){ .kind = kind,
				       .fabric = FABRIC_ROCE,
				       .port_count = kind == NODE_NIC ? 1 : PORTS,
				       .ports = ports,
				       .series = true };
	config.nic.flows_max = 33;
	config.nic.messages_max = 7;
	bytes = stats_bytes(&config);
	fd = memfd_create("statistics", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	theirs = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(theirs, MAP_FAILED);
	stats_init(theirs, &config);
	ck_assert_int_eq(stats_view_map(&view, fd, &config), 0);
	close(fd);
}

static void setup(void)
{
	make(NODE_NIC);
}

static void teardown(void)
{
	stats_view_unmap(&view);
	stats_view_unmap(&view);
	munmap(theirs, bytes);
}

TEST_GROUP(stats_view, .setup = setup, .teardown = teardown);

TEST(stats_view_map__shows_what_the_node_writes)
{
	ck_assert_int_eq(stats_view_check(&view), 0);
	theirs->drops[DROP_MALFORMED] = 5;
	stats_port(theirs, 0)->tx_packets = 6;
	stats_flow_tx(theirs, 32)->cnps = 7;
	stats_message(theirs, 6)->bytes = 8;
	stats_trace(theirs, 3)->kind = 9;
	ck_assert_uint_eq(view.page->drops[DROP_MALFORMED], 5);
	ck_assert_uint_eq(stats_port(view.page, 0)->tx_packets, 6);
	ck_assert_uint_eq(stats_flow_tx(view.page, 32)->cnps, 7);
	ck_assert_uint_eq(stats_message(view.page, 6)->bytes, 8);
	ck_assert_uint_eq(stats_trace(view.page, 3)->kind, 9);
}

/* nothing is mapped if the file cannot be */
TEST(stats_view_map__no_file)
{
	struct stats_view none = view;

	ck_assert_int_eq(stats_view_map(&none, -1, &config), -EBADF);
	ck_assert_ptr_null(none.page);
	ck_assert_ptr_null(none.memory);
	ck_assert_int_eq(stats_view_check(&none), -EINVAL);
}

TEST(stats_view_check__rejects_what_is_no_page)
{
	struct stats_view none = { 0 };

	ck_assert_int_eq(stats_view_check(&none), -EINVAL);
}

/* every byte of the node's layout, and each count that is too large */
TEST(stats_view_check__a_wrong_page_is_rejected)
{
	uint64_t *counts[] = { &theirs->flow_tx_count, &theirs->flow_rx_count,
			       &theirs->message_count };
	uint64_t limits[] = { 33, 33, 7 };
	size_t layout_bytes = offsetof(struct stats_page, series_max) + sizeof(uint32_t);

	for (size_t i = 0; i < layout_bytes; i++) {
		theirs->head[i] ^= 0x81;
		ck_assert_int_eq(stats_view_check(&view), -EINVAL);
		theirs->head[i] ^= 0x81;
	}
	for (int i = 0; i < 3; i++) {
		*counts[i] = limits[i];
		ck_assert_int_eq(stats_view_check(&view), 0);
		*counts[i] = limits[i] + 1;
		ck_assert_int_eq(stats_view_check(&view), -EINVAL);
		*counts[i] = 0;
	}
}

static _Atomic bool over;

/* a node that writes random values anywhere, mostly to its layout */
static void *vandal(void *seed)
{
	struct random random;

	random_init(&random, *(uint64_t *)seed, 0);
	while (!atomic_load(&over)) {
		size_t at = random_below(&random, 2) ? random_below(&random, 200)
						     : random_below(&random, bytes / 8);

		((volatile uint64_t *)theirs)[at] =
			random_below(&random, 2) ? random_next(&random) : 1ull << 46;
	}
	return NULL;
}

/* reads all that a reader may read, as ps, show and the results do */
static uint64_t read_all(FILE *out)
{
	struct stats_page *page = view.page;
	uint64_t sum = 0, flows = __atomic_load_n(&page->flow_tx_count, __ATOMIC_RELAXED);

	for (uint32_t p = 0; p < page->port_count; p++)
		sum += stats_port(page, p)->tx_packets;
	for (uint32_t i = 0; i < page->port_count * NODE_CLASSES_MAX && stats_has_classes(page);
	     i++)
		sum += stats_class(page, i / NODE_CLASSES_MAX, i % NODE_CLASSES_MAX)->marked;
	for (uint32_t f = 0; f < flows && f < page->flows_max; f++)
		sum += stats_flow_tx(page, f)->cnps + stats_flow_rx(page, f)->bytes;
	for (uint32_t i = 0; i < page->messages_max; i++)
		sum += stats_message(page, i)->bytes;
	for (uint32_t i = 0; i < page->series_max; i++)
		sum += stats_series(page, i)->value;
	trace_print_last(page, STATS_TRACE_MAX, out);
	return sum + (uint64_t)stats_view_check(&view);
}

/* TB-23: a node's stray writes between check and use do the reader no harm. A reader that took
 * offsets from the page would crash within some ten rounds. */
TEST(stats_view__page_that_changes_while_it_is_read)
{
	FILE *out = fopen("/dev/null", "we");
	uint64_t seed = 1, sum = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, vandal, &seed), 0);
	for (uint32_t round = 0; round < ROUNDS; round++)
		sum += read_all(out);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	fprintf(out, "%llu", (unsigned long long)sum);
	fclose(out);
	ck_assert_uint_eq(view.page->port_count, 1);
	ck_assert_uint_eq(view.page->flows_max, 33);
}
