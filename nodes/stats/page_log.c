#include "nodes/stats/page_log.h"

#include <errno.h>

#include "nodes/base/write_whole.h"

void page_log_file(struct page_log *log, uint32_t entries, int fd)
{
	log->fd = fd;
	log->filed = log->count;
	log->full = log->count + entries;
}

void page_log_full(struct page_log *log, const void *ring, uint32_t entries, size_t entry_bytes)
{
	size_t bytes = entries * entry_bytes;

	if (write_whole(log->fd, ring, bytes) < bytes) {
		/* seen before the ring is written again, as `filed` below */
		__atomic_store_n(&log->error, (uint64_t)errno, __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		log->full = 0;
		return;
	}
	/* a reader of a node that runs sees this before the ring is written again */
	__atomic_store_n(&log->filed, log->count, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	log->full = log->count + entries;
}
