/*  node_log - reads the log of a node, of events or of series: what is in its file, then what is in
 *  the ring of its statistics page (nodes/stats/page_log.h).
 *
 *  Nothing from the node is trusted: a log whose page and file contradict each other has no
 *  entries. What an entry says is for the caller to check.
 *  Memory: 8 KiB. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_NODE_LOG_H
#define HEDDLE_ORCHESTRATOR_RESULTS_NODE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/stats/series.h"
#include "nodes/stats/trace.h"

#define NODE_LOG_ENTRY_MAX 32u /* bytes */

/* where the log of a node of the plan is */
struct node_log_source {
	const struct stats_page *page; /* NULL: it cannot be read */
	int fd;                        /* of its file; -1: there is no such node */
};

struct node_log {
	const struct page_log *log; /* of the page; NULL: no entries, ever */
	const uint8_t *ring;
	uint32_t ring_entries, entry_bytes;
	int fd;
	uint64_t filed, count; /* entries in the file; in all */
	uint64_t at;           /* of the present entry */
	uint8_t *read;         /* those from entry read_from on */
	uint64_t read_from;
	uint64_t present[NODE_LOG_ENTRY_MAX / 8]; /* a copy of the ring's */
};

/** node_log_events(), node_log_series() - @log of @source, at its first entry: all entries that
 *  there are now. @source->page passed stats_view_check().
 *  Return: 0; -errno: entries are missing, those up to there are read. node_log_close() is due in
 *  any case. */
int node_log_events(struct node_log *log, const struct node_log_source *source);
int node_log_series(struct node_log *log, const struct node_log_source *source);

/** node_log_refresh() - entries that have come since, of a node that may run: what it did before
 *  the clock's present window is there.   Return: as above. */
int node_log_refresh(struct node_log *log);

/** node_log_entry() - the present entry, a copy that is valid until the next call: struct
 *  trace_entry or struct series_entry. What cannot be read from the file is zeros. NULL: there is
 *  no further one, or it is lost. */
const void *node_log_entry(struct node_log *log);

/** node_log_next() - the entry after it becomes the present one. */
static inline void node_log_next(struct node_log *log)
{
	log->at++;
}

/** node_log_close() - idempotent; a zeroed log is fine. */
void node_log_close(struct node_log *log);

#endif
