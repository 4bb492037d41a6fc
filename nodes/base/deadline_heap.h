/*  deadline_heap - when each of many sources is due, and which is the earliest: for
 *  more sources than event_tree.h can name.
 *
 *  A heap of four children to a node, which knows where each source stands in it. Of two that are
 *  due at the same time the one with the lower number comes first, so runs are repeatable (TB-7).
 *  Sources that are not due take no time at all.
 *  Memory: allocated in _init, never later; untouched parts cost nothing. */
#ifndef HEDDLE_NODES_BASE_DEADLINE_HEAP_H
#define HEDDLE_NODES_BASE_DEADLINE_HEAP_H

#include <stdint.h>

#include "nodes/base/time.h"

struct deadline {
	node_time_t at_ps;
	uint32_t source;
};

struct deadline_heap {
	struct deadline *entries;
	uint32_t *places; /* deadline_heap_place() of a source: index in entries + 1; 0: not due */
	uint32_t count, sources;
	uint32_t row_bits, rows; /* deadline_heap_rows() */
};

/** deadline_heap_init() - sources below @sources, none of them due.  Return: 0 or -ENOMEM. */
int deadline_heap_init(struct deadline_heap *heap, uint32_t sources);
void deadline_heap_fini(struct deadline_heap *heap);

/** deadline_heap_set() - @source is next due at @at (NODE_TIME_NEVER: not at all). O(log
 *  sources). */
void deadline_heap_set(struct deadline_heap *heap, uint32_t source, node_time_t at);

/** deadline_heap_rows() - sources come in rows of 2^@bits, of which mostly the first ones are used:
 *  the places of these lie together (SC-2). It changes no order. Without it a row has one source.
 *  @heap is empty, its number of sources a multiple of a row. */
static inline void deadline_heap_rows(struct deadline_heap *heap, uint32_t bits)
{
	heap->row_bits = bits;
	heap->rows = heap->sources >> bits;
}

/** deadline_heap_place() - the place of @source. O(1). */
static inline uint32_t *deadline_heap_place(const struct deadline_heap *heap, uint32_t source)
{
	uint32_t column = source & ((1u << heap->row_bits) - 1);

	return &heap->places[column * heap->rows + (source >> heap->row_bits)];
}

/** deadline_heap_due() - when @source is due. O(1). */
static inline node_time_t deadline_heap_due(const struct deadline_heap *heap, uint32_t source)
{
	uint32_t place = *deadline_heap_place(heap, source);

	return place ? heap->entries[place - 1].at_ps : NODE_TIME_NEVER;
}

/** deadline_heap_next_at() - when the first source is due; NODE_TIME_NEVER: none is. O(1). */
static inline node_time_t deadline_heap_next_at(const struct deadline_heap *heap)
{
	return heap->count ? heap->entries[0].at_ps : NODE_TIME_NEVER;
}

/** deadline_heap_first() - the source that is due first; only if one is due at all. O(1). */
static inline uint32_t deadline_heap_first(const struct deadline_heap *heap)
{
	return heap->entries[0].source;
}

/** deadline_heap_pop() - the first source is not due any more; only if one is due at all.
 *  Return: that source. O(log sources). */
uint32_t deadline_heap_pop(struct deadline_heap *heap);

#endif
