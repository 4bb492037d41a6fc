#include "nodes/base/deadline_heap.h"

#include <errno.h>
#include <stdbool.h>

#include "nodes/base/ensure.h"
#include "nodes/base/table.h"

#define CHILDREN 4u

int deadline_heap_init(struct deadline_heap *heap, uint32_t sources)
{
	*heap = (struct deadline_heap){
		.sources = sources,
		.entries = table_alloc(sources + 1u, sizeof(*heap->entries)),
		.places = table_alloc(sources + 1u, sizeof(*heap->places)),
	};
	if (!heap->entries || !heap->places) {
		deadline_heap_fini(heap);
		return -ENOMEM;
	}
	return 0;
}

void deadline_heap_fini(struct deadline_heap *heap)
{
	table_free(heap->entries, heap->sources + 1u, sizeof(*heap->entries));
	table_free(heap->places, heap->sources + 1u, sizeof(*heap->places));
	*heap = (struct deadline_heap){ 0 };
}

static bool is_before(struct deadline a, struct deadline b)
{
	return a.at_ps != b.at_ps ? a.at_ps < b.at_ps : a.source < b.source;
}

static void put(struct deadline_heap *heap, uint32_t at, struct deadline entry)
{
	heap->entries[at] = entry;
	*deadline_heap_place(heap, entry.source) = at + 1;
}

/* the place at @at is free: @entry goes there, or further up */
static void rise(struct deadline_heap *heap, uint32_t at, struct deadline entry)
{
	while (at && is_before(entry, heap->entries[(at - 1) / CHILDREN])) {
		put(heap, at, heap->entries[(at - 1) / CHILDREN]);
		at = (at - 1) / CHILDREN;
	}
	put(heap, at, entry);
}

/* the same, or further down */
static void sink(struct deadline_heap *heap, uint32_t at, struct deadline entry)
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

static void settle(struct deadline_heap *heap, uint32_t at, struct deadline entry)
{
	if (at && is_before(entry, heap->entries[(at - 1) / CHILDREN]))
		rise(heap, at, entry);
	else
		sink(heap, at, entry);
}

static void leave(struct deadline_heap *heap, uint32_t source)
{
	uint32_t at = *deadline_heap_place(heap, source) - 1;
	struct deadline last;

	ENSURE(at, <, heap->count);
	ENSURE(heap->entries[at].source, ==, source);
	last = heap->entries[--heap->count];
	*deadline_heap_place(heap, source) = 0;
	if (last.source != source)
		settle(heap, at, last);
}

void deadline_heap_set(struct deadline_heap *heap, uint32_t source, node_time_t at)
{
	struct deadline entry = { .at_ps = at, .source = source };

	ENSURE(source, <=, heap->sources);
	if (at == NODE_TIME_NEVER) {
		if (*deadline_heap_place(heap, source))
			leave(heap, source);
	} else if (*deadline_heap_place(heap, source)) {
		settle(heap, *deadline_heap_place(heap, source) - 1, entry);
	} else {
		ENSURE(heap->count, <=, heap->sources);
		rise(heap, heap->count++, entry);
	}
}

uint32_t deadline_heap_pop(struct deadline_heap *heap)
{
	uint32_t source = deadline_heap_first(heap);

	ENSURE(heap->count, >, 0u);
	leave(heap, source);
	return source;
}
