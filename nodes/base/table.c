#include "nodes/base/table.h"

#include <stdint.h>
#include <sys/mman.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

/* What lies after a table is poisoned under the address sanitizer: a step over its end is an error
 * there, as with memory of malloc(). Else the rest of the page would be zeros. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define GUARD_BYTES 4096
#else
#define GUARD_BYTES 0
#endif

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
