#include "nodes/clock/places.h"

#include <errno.h>

static size_t head_bytes(uint32_t worker_count)
{
	return sizeof(struct places_page) + worker_count * sizeof(struct places_worker);
}

size_t places_bytes(uint32_t worker_count, uint32_t place_count)
{
	return head_bytes(worker_count) + 2 * (size_t)place_count * sizeof(node_time_t);
}

static void locate(struct places *places, struct places_page *page, uint32_t worker_count,
		   uint32_t place_count)
{
	*places = (struct places){ .page = page,
				   .worker_count = worker_count,
				   .place_count = place_count };
	places->own_next = (_Atomic node_time_t *)((char *)page + head_bytes(worker_count));
	places->inbox_next = places->own_next + place_count;
}

void places_init(struct places_page *page, uint32_t worker_count, uint32_t place_count)
{
	struct places places;

	locate(&places, page, worker_count, place_count);
	page->worker_count = worker_count;
	page->place_count = place_count;
	for (uint32_t w = 0; w < worker_count; w++)
		atomic_store_explicit(&page->workers[w].running, PLACES_NONE, memory_order_relaxed);
	for (uint32_t i = 0; i < place_count; i++) {
		atomic_store_explicit(&places.own_next[i], NODE_TIME_NEVER, memory_order_relaxed);
		atomic_store_explicit(&places.inbox_next[i], NODE_TIME_NEVER, memory_order_relaxed);
	}
	page->magic = PLACES_MAGIC;
}

int places_attach(struct places *places, struct places_page *page, size_t size_bytes)
{
	uint32_t worker_count, place_count;

	if (size_bytes < sizeof(*page) || page->magic != PLACES_MAGIC)
		return -EINVAL;
	worker_count = page->worker_count;
	place_count = page->place_count;
	if (!worker_count || worker_count > PLACES_WORKERS_MAX || place_count % CLOCK_SCAN_LANES ||
	    places_bytes(worker_count, place_count) > size_bytes)
		return -EINVAL;
	locate(places, page, worker_count, place_count);
	return 0;
}

struct clock places_clock(const struct places *places, const struct clock *workers)
{
	return (struct clock){ .page = workers->page,
			       .own_next = places->own_next,
			       .inbox_next = places->inbox_next,
			       .node_count = places->place_count };
}
