/*  trace - the events of a node: a ring in its statistics page, and a file if one is wanted (TB-22,
 *  SE-2).
 *
 *  The data path neither logs nor prints; it leaves small entries. The ring is in shared memory, so
 *  the orchestrator prints it after a crash, when the node can no longer say anything.
 *  With a file nothing is lost: page_log.h.
 *  trace.def has a row for each kind. */
#ifndef HEDDLE_NODES_STATS_TRACE_H
#define HEDDLE_NODES_STATS_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/stats/stats.h"

enum trace_kind {
	TRACE_NONE,
#define TRACE(kind, ...) TRACE_##kind,
#define TRACE_OFTEN(kind, ...) TRACE_##kind,
#include "nodes/stats/trace.def"
#undef TRACE
#undef TRACE_OFTEN
	TRACE_KINDS
};

struct trace_row {
	const char *name, *detail, *value, *what; /* detail, value: "" if there is none */
	bool has_class, often;
};

/** trace_row() - the row of @kind, whatever that is; "none" if there is no such kind. Pure. */
const struct trace_row *trace_row(uint32_t kind);

/** trace_detail_word() - what @detail of an event of @kind means; NULL: it is a number. Pure. */
const char *trace_detail_word(uint32_t kind, uint32_t detail);

/** trace_ring_full() - for trace(): appends the ring to the file (page_log_full()). */
void trace_ring_full(struct stats_page *page) __attribute__((cold, noinline));

/** trace() - adds @entry. A few stores. */
static inline void trace(struct stats_page *page, struct trace_entry entry)
{
	uint64_t count = page->trace.count;

	*stats_trace(page, count++) = entry;
	page_log_count(&page->trace, count);
	if (__builtin_expect(count == page->trace.full, 0))
		trace_ring_full(page);
}

/** trace_often() - is there a file, for the kinds of TRACE_OFTEN()? Else they are left out. */
static inline bool trace_often(const struct stats_page *page)
{
	return __builtin_expect(page->trace.full != 0, 0);
}

/** trace_file() - every event from now on goes to @fd, borrowed until the node ends. Before the
 *  first event. */
void trace_file(struct stats_page *page, int fd);

/** trace_port() - an event of @port without numbers. */
static inline void trace_port(struct stats_page *page, enum trace_kind kind, uint32_t port,
			      node_time_t now)
{
	trace(page,
	      (struct trace_entry){ .at_ps = now, .kind = (uint16_t)kind, .port = (uint8_t)port });
}

/** trace_drop() - counts a frame of @bytes that is dropped at @port; 0: its length is not known.
 *  @frame its first 12 bytes, or NULL if they are not at hand. */
void trace_drop(struct stats_page *page, enum drop_reason reason, uint32_t port, uint32_t bytes,
		const uint8_t *frame, node_time_t now);

/** trace_hosts() - @entry is about @frame, of which 12 bytes are there: its source and
 *  destination, if they are hosts of this fabric. O(1). */
void trace_hosts(struct trace_entry *entry, const uint8_t *frame);

/** trace_print_last() - the last @entries (up to STATS_TRACE_MAX) in the ring of @page, oldest
 *  first, one line each: what a node that fails says of itself.
 *  @page  its entries are not trusted. */
void trace_print_last(const struct stats_page *page, uint32_t entries, FILE *out);

#endif
