#include "nicd/transport/due_heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define CHILDREN 4u

int due_heap_init(struct due_heap *heap, uint32_t sources_max)
{
	*heap = (struct due_heap){
		.entries = calloc(sources_max + 1u, sizeof(*heap->entries)),
		.places = calloc(sources_max + 1u, sizeof(*heap->places)),
	};
	if (!heap->entries || !heap->places) {
		due_heap_fini(heap);
		return -ENOMEM;
	}
	return 0;
}

void due_heap_fini(struct due_heap *heap)
{
	free(heap->entries);
	free(heap->places);
	*heap = (struct due_heap){ 0 };
}

static bool is_before(struct due_entry a, struct due_entry b)
{
	return a.at_ps != b.at_ps ? a.at_ps < b.at_ps : a.source < b.source;
}

static void put(struct due_heap *heap, uint32_t at, struct due_entry entry)
{
	heap->entries[at] = entry;
	heap->places[entry.source] = at + 1;
}

/* the place at @at is free: @entry goes there, or further up */
static void rise(struct due_heap *heap, uint32_t at, struct due_entry entry)
{
	while (at && is_before(entry, heap->entries[(at - 1) / CHILDREN])) {
		put(heap, at, heap->entries[(at - 1) / CHILDREN]);
		at = (at - 1) / CHILDREN;
	}
	put(heap, at, entry);
}

/* the same, or further down */
static void sink(struct due_heap *heap, uint32_t at, struct due_entry entry)
{
	for (;;) {
		uint32_t first = at * CHILDREN + 1, least = first;

		for (uint32_t i = first + 1; i < first + CHILDREN && i < heap->count; i++)
			if (is_before(heap->entries[i], heap->entries[least]))
				least = i;
		if (least >= heap->count || !is_before(heap->entries[least], entry))
			break;
		put(heap, at, heap->entries[least]);
		at = least;
	}
	put(heap, at, entry);
}

static void settle(struct due_heap *heap, uint32_t at, struct due_entry entry)
{
	if (at && is_before(entry, heap->entries[(at - 1) / CHILDREN]))
		rise(heap, at, entry);
	else
		sink(heap, at, entry);
}

static void leave(struct due_heap *heap, uint32_t source)
{
	uint32_t at = heap->places[source] - 1;
	struct due_entry last = heap->entries[--heap->count];

	heap->places[source] = 0;
	if (last.source != source)
		settle(heap, at, last);
}

void due_heap_set(struct due_heap *heap, uint32_t source, node_time_t at)
{
	struct due_entry entry = { .at_ps = at, .source = source };

	if (at == NODE_TIME_NEVER) {
		if (heap->places[source])
			leave(heap, source);
	} else if (heap->places[source]) {
		settle(heap, heap->places[source] - 1, entry);
	} else {
		rise(heap, heap->count++, entry);
	}
}
