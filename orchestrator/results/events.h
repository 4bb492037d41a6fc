/*  events - the events of all nodes in the order of time, as CSV or as JSON lines (SE-2):
 *  event_merge.h, row by row. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_EVENTS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_EVENTS_H

#include <stdio.h>

#include "nodes/base/why.h"
#include "orchestrator/results/event_merge.h"
#include "orchestrator/results/event_row.h"

/* an event of node @node; @entry is a copy, not trusted */
typedef void events_take_fn(void *owner, uint32_t node, const struct trace_entry *entry);

/** events_merge() - all events of the nodes of @plan, one after the other to @take.
 *  @sources  one for each node, which has stopped, or ended; borrowed
 *  Return: 0; -ENOMEM; another -errno: the events of a node are incomplete, as @why says, and all
 *  others are taken. O(events log nodes), 8 KiB of memory for each node. */
int events_merge(const struct plan *plan, const struct node_log_source *sources,
		 events_take_fn *take, void *owner, struct why *why);

/** events_write() - all events of the nodes of @plan.
 *  @sources  one for each node; borrowed
 *  Return: 0; -ENOMEM; another -errno: the events of a node are incomplete, as @why says, and all
 *  others are written. O(events log nodes), 8 KiB of memory for each node. */
int events_write(const struct plan *plan, const struct node_log_source *sources,
		 enum events_format format, FILE *out, struct why *why);

#endif
