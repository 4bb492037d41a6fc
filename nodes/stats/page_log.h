/*  page_log - entries that a node leaves for others: a ring in its statistics page, and a file if
 *  one is wanted (TB-22, SE-1, SE-2).
 *
 *  With a file, a full ring is appended to it: the file and the ring together have every entry, in
 *  order, at any time and after any end of the node. A reader needs nothing from the node
 *  (orchestrator/results/node_log.h).
 *  Users: trace.h (events), series.h. */
#ifndef HEDDLE_NODES_STATS_PAGE_LOG_H
#define HEDDLE_NODES_STATS_PAGE_LOG_H

#include <stddef.h>
#include <stdint.h>

struct page_log {
	/* Entries so far; the ring has the last of them. With a file, those before `filed` are in
	 * it, and the ring goes to it when `count` reaches `full`; 0: there is no file. */
	uint64_t count, filed, full;
	uint64_t error; /* errno: the file ended early */
	int32_t fd;
	uint32_t spare;
};

/** page_log_count() - there are @count entries. A reader of a node that runs sees an entry no later
 *  than the count, and the count before the ring is written again. */
static inline void page_log_count(struct page_log *log, uint64_t count)
{
	__atomic_store_n(&log->count, count, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/** page_log_file() - every entry from now on goes to @fd, borrowed until the node ends. Before the
 *  first entry; @entries is the size of the ring. */
void page_log_file(struct page_log *log, uint32_t entries, int fd);

/** page_log_full() - `count` has reached `full`: appends @ring, @entries of @entry_bytes, to the
 *  file. One write() for a ring. If it fails `error` is set, and the file has no more entries. */
void page_log_full(struct page_log *log, const void *ring, uint32_t entries, size_t entry_bytes)
	__attribute__((cold, noinline));

#endif
