/*  series_merge - the samples of all nodes in the order of time (SE-1), at the end of a run or
 *  while it goes on: as event_merge.h.
 *
 *  Samples are given to the node that they are about: series_values_node(). So what an edge port of
 *  a flow-channel switch samples of its host's flows (switchd/flow_channel/unacked.h) is the NIC's.
 *
 *  Nodes log changes (nodes/stats/series.h); a sample that changed nothing is there too. Nothing
 *  from a node is trusted: what is no series of it is left out, and a node whose samples are not in
 *  the order of time is named and gives none any more. So a reader is given times that increase. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_SERIES_MERGE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_SERIES_MERGE_H

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/node_log.h"

/* the series @change->id of node @node has this value from the present sample on */
typedef void series_fn(void *context, uint32_t node, const struct series_entry *change);

struct series_merge {
	const struct plan *plan;
	struct node_log *logs;   /* one for each node, at the begin of a sample */
	node_time_t *next_at_ps; /* by node; NODE_TIME_NEVER: no sample */
	uint32_t *flows_max;     /* by node */
	node_time_t passed_ps;   /* no sample before it is to come */
	int error;               /* the first: -errno */
	char why[256];
};

/** series_merge_init() - @sources, one for each node of @plan; the array is copied, the rest is
 *  borrowed.
 *  Return: 0, series_merge_fini() later; -ENOMEM, nothing to free. */
int series_merge_init(struct series_merge *merge, const struct plan *plan,
		      const struct node_log_source *sources);

/** series_merge_refresh() - also the samples that have come since, of nodes that may run.
 *  Return: 0; -errno: samples of a node are missing, as merge->why says. O(nodes). */
int series_merge_refresh(struct series_merge *merge);

/** series_merge_next_at() - when the next sample is; NODE_TIME_NEVER: there is none. O(nodes). */
node_time_t series_merge_next_at(const struct series_merge *merge);

/** series_merge_take() - calls @take for all that changed in the sample at @at_ps, which is
 *  series_merge_next_at(), and which all nodes had passed at the last refresh. O(changes). */
void series_merge_take(struct series_merge *merge, node_time_t at_ps, series_fn *take,
		       void *context);

/** series_merge_passed() - all nodes have passed @at_ps, and all samples before it were taken: one
 *  that comes yet is wrong. */
void series_merge_passed(struct series_merge *merge, node_time_t at_ps);

/** series_merge_fini() - a zeroed one is fine. */
void series_merge_fini(struct series_merge *merge);

#endif
