/*  table - memory for large tables: zeroed, aligned to cache lines, and real only where it is
 *  touched. A switch may use 2048 channels at each of 64 ports, and pays for those that it uses
 *  (TB-13).
 *
 *  Near and far. A page is touched as a whole, so a table of which one entry is used costs 4 KiB,
 *  and a port of a switch has ten tables. A TABLE() therefore has its first entries in an arena
 *  that many tables share, one after the other: few entries of ten tables lie in one or two pages.
 *  All further entries are in the table's own memory. An entry has the same place for ever. */
#ifndef HEDDLE_NODES_BASE_TABLE_H
#define HEDDLE_NODES_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* entries of a TABLE() in its arena: a link of a large fabric seldom has more flows at a time */
#define TABLE_NEAR 16u

/* a table of @type, its entry @index at TABLE_AT(); zeroed: it has no memory */
#define TABLE(type)               \
	struct {                  \
		type *near, *far; \
	}

/* what the near entries of many tables lie in; zeroed: nothing, all entries are far */
struct table_arena {
	uint8_t *memory;
	size_t bytes, used;
};

/** table_alloc() - @count items of @size bytes, all zero, page-aligned. Return: NULL if memory is
 *  short. */
void *table_alloc(size_t count, size_t size);

/** table_free() - releases what table_alloc() gave for the same @count and @size; NULL is fine. */
void table_free(void *table, size_t count, size_t size);

/** table_arena_init() - an arena of @bytes; memory is real where it is touched. Return: 0 or
 *  -ENOMEM. table_arena_fini() is due once no table of it is used. */
int table_arena_init(struct table_arena *arena, size_t bytes);
void table_arena_fini(struct table_arena *arena);

/** table_near() - the near entries of a table with @count items of @size bytes whose memory is
 *  @far. Return: where they are: @far itself if @arena is NULL or full. */
void *table_near(struct table_arena *arena, void *far, size_t count, size_t size);

/** TABLE_INIT() - memory for @count entries of @table, a TABLE(), with the near ones in @arena,
 *  NULL for none. Value: false if memory is short. TABLE_FINI() releases it, before its arena. */
#define TABLE_INIT(table, count, arena)                                              \
	((table).far = table_alloc(count, sizeof(*(table).far)),                     \
	 (table).near = table_near(arena, (table).far, count, sizeof(*(table).far)), \
	 (table).far != NULL)
#define TABLE_FINI(table, count) table_free((table).far, count, sizeof(*(table).far))

static inline void *table_at(void *near, void *far, size_t size, size_t index)
{
	return (uint8_t *)(index < TABLE_NEAR ? near : far) + index * size;
}

/** TABLE_AT() - the address of entry @index, below the count, of @table. */
#define TABLE_AT(table, index)                                                                \
	((__typeof__((table).near))table_at((table).near, (table).far, sizeof(*(table).near), \
					    index))

#endif
