/*  event_merge - the events of all nodes in the order of time (SE-2), at the end of a run or while
 *  it goes on.
 *
 *  A node's events are in its log (node_log.h), complete after any end of the node. Events of the
 *  same moment are in the order of the plan's nodes, and of a node in its own order; so the same
 *  run gives the same sequence.
 *  Nothing from a node is trusted: one whose page and file contradict each other is left out and
 *  named. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_EVENT_MERGE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_EVENT_MERGE_H

#include <stddef.h>

#include "nodes/base/deadline_heap.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/node_log.h"

/* an event with the names of its node replaced by numbers of the plan */
struct event {
	node_time_t at_ps;
	uint64_t value;
	uint32_t node, kind, port; /* port < port_count of the node; enum trace_kind */
	uint32_t traffic_class;    /* 0: the kind of event has none. May be beyond class_count */
	uint32_t detail;
	/* nodes of its hosts: index + 1; 0: not known. At a NIC the side that the event does not
	 * name is its own host */
	uint32_t source, destination;
	const struct trace_entry *entry; /* of the node, a copy; NULL: it is from a recording */
};

typedef void event_fn(void *context, const struct event *event);

struct event_merge {
	const struct plan *plan;
	struct node_log *logs; /* one for each node */
	struct deadline_heap heap;
	int error; /* the first: -errno */
	char why[256];
};

/** event_merge_init() - @sources, one for each node of @plan; the array is copied, the rest is
 *  borrowed.
 *  Return: 0, event_merge_fini() later; -ENOMEM, nothing to free. */
int event_merge_init(struct event_merge *merge, const struct plan *plan,
		     const struct node_log_source *sources);

/** event_merge_refresh() - also the events that have come since, of nodes that may run.
 *  Return: as event_merge_to(). O(nodes log nodes). */
int event_merge_refresh(struct event_merge *merge);

/** event_merge_to() - calls @take for all further events before @horizon (NODE_TIME_NEVER: all),
 *  which all nodes had passed at the last event_merge_refresh(): fabric_now().
 *  Return: 0; -errno: events of a node are missing, as merge->why says, all others were given.
 *  O(events log nodes), 8 KiB of memory for each node. */
int event_merge_to(struct event_merge *merge, node_time_t horizon, event_fn *take, void *context);

/** event_merge_fini() - a zeroed one is fine. */
void event_merge_fini(struct event_merge *merge);

#endif
