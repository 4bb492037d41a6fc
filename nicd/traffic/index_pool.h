/*  index_pool - entries of an array that are taken and given back, and lists of them: messages that
 *  wait, segments that came early.
 *
 *  The array is the caller's; an entry is an index into it. An entry is in one list at a time.
 *  Entries that were never taken are not touched, so the caller's memory for them is not used.
 *  Allocated in _init, never later. All functions are O(1) but _init, _fini and
 *  index_list_count(). */
#ifndef HEDDLE_NICD_TRAFFIC_INDEX_POOL_H
#define HEDDLE_NICD_TRAFFIC_INDEX_POOL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"

#define INDEX_NONE UINT32_MAX

struct index_pool {
	uint32_t *next;      /* by entry: the one after it in its list, or INDEX_NONE */
	uint32_t free;       /* list of entries that were given back */
	uint32_t fresh;      /* entries from here on were never taken */
	uint32_t count, max; /* entries that are taken, and at most */
	uint32_t count_max;  /* high-water mark */
};

struct index_list {
	uint32_t first, last; /* first == INDEX_NONE: empty */
};

/** index_pool_init() - @max entries, all free.  Return: 0 or -ENOMEM; index_pool_fini() is due in
 *  any case. */
static inline int index_pool_init(struct index_pool *pool, uint32_t max)
{
	*pool = (struct index_pool){ .next = malloc((max + 1ul) * sizeof(*pool->next)),
				     .free = INDEX_NONE,
				     .max = max };
	return pool->next ? 0 : -ENOMEM;
}

static inline void index_pool_fini(struct index_pool *pool)
{
	free(pool->next);
	*pool = (struct index_pool){ 0 };
}

static inline bool index_pool_full(const struct index_pool *pool)
{
	return pool->count == pool->max;
}

/** index_pool_take() - takes an entry, in no list, out of the pool, which must not be full. */
static inline uint32_t index_pool_take(struct index_pool *pool)
{
	uint32_t entry = pool->free;

	ENSURE(pool->count, <, pool->max);
	if (entry == INDEX_NONE)
		entry = pool->fresh++;
	else
		pool->free = pool->next[entry];
	if (++pool->count > pool->count_max)
		pool->count_max = pool->count;
	return entry;
}

/** index_pool_give() - gives back @entry, which was taken and is in no list. */
static inline void index_pool_give(struct index_pool *pool, uint32_t entry)
{
	ENSURE(entry, <, pool->fresh);
	ENSURE(pool->count, !=, 0u);
	pool->next[entry] = pool->free;
	pool->free = entry;
	pool->count--;
}

static inline void index_list_init(struct index_list *list)
{
	*list = (struct index_list){ .first = INDEX_NONE, .last = INDEX_NONE };
}

/** index_list_append() - appends @entry, in no list, to @list. */
static inline void index_list_append(struct index_pool *pool, struct index_list *list,
				     uint32_t entry)
{
	pool->next[entry] = INDEX_NONE;
	if (list->first == INDEX_NONE)
		list->first = entry;
	else
		pool->next[list->last] = entry;
	list->last = entry;
}

/** index_list_pop() - takes the first entry out of @list, which must not be empty.   Return: that
 *  entry, still taken from the pool. */
static inline uint32_t index_list_pop(const struct index_pool *pool, struct index_list *list)
{
	uint32_t entry = list->first;

	list->first = pool->next[entry];
	return entry;
}

/** index_list_count() - O(entries), for `show`. */
static inline uint32_t index_list_count(const struct index_pool *pool,
					const struct index_list *list)
{
	uint32_t count = 0;

	for (uint32_t entry = list->first; entry != INDEX_NONE; entry = pool->next[entry])
		count++;
	return count;
}

#endif
