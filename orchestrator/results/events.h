/*  events - the events of all nodes in the order of time, as CSV or as JSON lines (SE-2).
 *
 *  A node's events are in its log (node_log.h), complete after any end of the node. Events of the
 *  same moment are in the order of the plan's nodes, and of a node in its own order; so the same
 *  run writes the same bytes.
 *  Nothing from a node is trusted: one whose page and file contradict each other is left out and
 *  named. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_EVENTS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_EVENTS_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/node_log.h"

enum events_format {
	EVENTS_CSV,
	EVENTS_JSON_LINES, /* an object a line */
};

/** events_format_of() - by the end of @path: .jsonl, .ndjson and .json are JSON lines. Pure. */
enum events_format events_format_of(const char *path);

/* an event of node @node; @entry is a copy, not trusted */
typedef void events_take_fn(void *owner, uint32_t node, const struct trace_entry *entry);

/** events_merge() - all events of the nodes of @plan, one after the other to @take.
 *  @sources  one for each node, which has stopped, or ended; borrowed
 *  Return: 0; -ENOMEM; another -errno: the events of a node are incomplete, as @why says, and all
 *  others are taken. O(events log nodes), 8 KiB of memory for each node. */
int events_merge(const struct plan *plan, const struct node_log_source *sources,
		 events_take_fn *take, void *owner, char *why, size_t why_max);

/** events_write() - all events of the nodes of @plan.
 *  @sources  one for each node, which has ended; borrowed
 *  Return: 0; -ENOMEM; another -errno: the events of a node are incomplete, as @why says, and all
 *  others are written. O(events log nodes), 8 KiB of memory for each node. */
int events_write(const struct plan *plan, const struct node_log_source *sources,
		 enum events_format format, FILE *out, char *why, size_t why_max);

#endif
