/*  nodes/clock/places: the page of packed nodes, and the notices that cross workers (SC-3). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/places.h"
#include "tests/testing.h"

static struct places_page *page;
static size_t bytes;

static void setup(void)
{
	bytes = places_bytes(3, 24);
	page = aligned_alloc(64, (bytes + 63) / 64 * 64);
	memset(page, 0, bytes);
	places_init(page, 3, 24);
}

TEST_GROUP(places, .setup = setup);

TEST(places__nothing_is_due_at_first)
{
	struct places places;

	ck_assert_int_eq(places_attach(&places, page, bytes), 0);
	for (uint32_t i = 0; i < 24; i++) {
		ck_assert_uint_eq(places.own_next[i], NODE_TIME_NEVER);
		ck_assert_uint_eq(places.inbox_next[i], NODE_TIME_NEVER);
	}
	for (uint32_t w = 0; w < 3; w++)
		ck_assert_uint_eq(page->workers[w].running, PLACES_NONE);
}

/* the last inbox ends where the page ends, and no line has the times of two workers */
TEST(places__layout)
{
	struct places places;

	ck_assert_int_eq(places_attach(&places, page, bytes), 0);
	ck_assert_uint_eq((uintptr_t)places.own_next % 64, 0);
	ck_assert_uint_eq((uintptr_t)places.inbox_next % 64, 0);
	ck_assert_ptr_eq((char *)(places.inbox_next + 24), (char *)page + bytes);
	ck_assert((char *)places.own_next >= (char *)&page->workers[3]);
}

TEST(places_attach__refuses)
{
	struct places places;

	ck_assert_int_eq(places_attach(&places, page, bytes - 1), -EINVAL);
	ck_assert_int_eq(places_attach(&places, page, sizeof(*page) - 1), -EINVAL);
	page->worker_count = 0;
	ck_assert_int_eq(places_attach(&places, page, bytes), -EINVAL);
	page->worker_count = PLACES_WORKERS_MAX + 1;
	ck_assert_int_eq(places_attach(&places, page, SIZE_MAX), -EINVAL);
	page->worker_count = PLACES_WORKERS_MAX;
	ck_assert_int_eq(places_attach(&places, page, SIZE_MAX), 0);
	page->place_count = 23; /* half a line */
	ck_assert_int_eq(places_attach(&places, page, SIZE_MAX), -EINVAL);
	page->magic++;
	page->place_count = 24;
	ck_assert_int_eq(places_attach(&places, page, SIZE_MAX), -EINVAL);
}

TEST(places_of__whole_lines)
{
	ck_assert_uint_eq(places_of(0), 0);
	ck_assert_uint_eq(places_of(1), 8);
	ck_assert_uint_eq(places_of(8), 8);
	ck_assert_uint_eq(places_of(9), 16);
}

TEST(places_clock__times_by_place)
{
	struct places places;
	struct clock_page head = { .magic = CLOCK_MAGIC };
	struct clock workers = { .page = &head }, clock;

	ck_assert_int_eq(places_attach(&places, page, bytes), 0);
	page->place_count = UINT32_MAX; /* a worker that writes wildly (TB-23) */
	clock = places_clock(&places, &workers);
	ck_assert_ptr_eq(clock.page, &head);
	ck_assert_uint_eq(clock.node_count, 24);
	clock_notify(&clock, 23, 1000);
	clock_notify(&clock, 23, 2000);
	ck_assert_uint_eq(places.inbox_next[23], 1000);
	ck_assert_uint_eq(places.own_next[23], NODE_TIME_NEVER);
}
