#include "nodes/base/table.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "nodes/base/sanitizer.h"

/* What lies after a table is poisoned under the address sanitizer: a step over its end is an error
 * there, as with memory of malloc(). Else the rest of the page would be zeros. */
#if SANITIZER_ADDRESS
#include <sanitizer/asan_interface.h>
#define GUARD_BYTES 4096
#define NEAR_GUARD_BYTES 64
#else
#define GUARD_BYTES 0
#define NEAR_GUARD_BYTES 0
#endif

#define TABLE_LINE 64u /* bytes of a cache line */

void *table_alloc(size_t count, size_t size)
{
	size_t bytes = count * size;
	void *table = mmap(NULL, bytes ? bytes + GUARD_BYTES : 0, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		return NULL;
#if GUARD_BYTES
	__asan_poison_memory_region((uint8_t *)table + bytes, GUARD_BYTES);
#endif
	return table;
}

void table_free(void *table, size_t count, size_t size)
{
	size_t bytes = count * size;

	if (!table)
		return;
#if GUARD_BYTES
	__asan_unpoison_memory_region((uint8_t *)table + bytes, GUARD_BYTES);
#endif
	munmap(table, bytes + GUARD_BYTES);
}

int table_arena_init(struct table_arena *arena, size_t bytes)
{
	*arena = (struct table_arena){ .memory = table_alloc(1, bytes), .bytes = bytes };
	return arena->memory ? 0 : -ENOMEM;
}

void table_arena_fini(struct table_arena *arena)
{
#if GUARD_BYTES
	if (arena->memory)
		__asan_unpoison_memory_region(arena->memory, arena->bytes);
#endif
	table_free(arena->memory, 1, arena->bytes);
	*arena = (struct table_arena){ 0 };
}

void *table_near(struct table_arena *arena, void *far, size_t count, size_t size)
{
	size_t bytes = (count < TABLE_NEAR ? count : TABLE_NEAR) * size;
	size_t taken = (bytes + NEAR_GUARD_BYTES + TABLE_LINE - 1) & ~(size_t)(TABLE_LINE - 1);
	uint8_t *near;

	if (!arena || !far || taken > arena->bytes - arena->used)
		return far;
	near = arena->memory + arena->used;
	arena->used += taken;
#if GUARD_BYTES
	__asan_poison_memory_region(near + bytes, taken - bytes);
#endif
	return near;
}
