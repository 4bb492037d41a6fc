#include "nodes/stats/page_log.h"

#include <errno.h>
#include <unistd.h>

void page_log_file(struct page_log *log, uint32_t entries, int fd)
{
	log->fd = fd;
	log->filed = log->count;
	log->full = log->count + entries;
}

void page_log_full(struct page_log *log, const void *ring, uint32_t entries, size_t entry_bytes)
{
	size_t bytes = entries * entry_bytes, done = 0;

	while (done < bytes) {
		ssize_t got = write(log->fd, (const char *)ring + done, bytes - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			/* seen before the ring is written again, as `filed` below */
			__atomic_store_n(&log->error, got ? (uint64_t)errno : EIO,
					 __ATOMIC_RELEASE);
			__atomic_thread_fence(__ATOMIC_RELEASE);
			log->full = 0;
			return;
		}
		done += (size_t)got;
	}
	/* a reader of a node that runs sees this before the ring is written again */
	__atomic_store_n(&log->filed, log->count, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	log->full = log->count + entries;
}
