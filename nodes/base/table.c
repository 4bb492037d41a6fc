#include "nodes/base/table.h"

#include <sys/mman.h>

void *table_alloc(size_t count, size_t size)
{
	void *table = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

void table_free(void *table, size_t count, size_t size)
{
	if (table)
		munmap(table, count * size);
}
