/*  flow_paths - the path of each flow, from the events `path` of all switches (SE-1).
 *
 *  What it has been told last holds: events are taken in the order of time, up to the time that is
 *  of interest. A flow is named by its source and its slot there. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_FLOW_PATHS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_FLOW_PATHS_H

#include <stdint.h>

#include "nodes/stats/trace.h"
#include "orchestrator/plan/plan.h"

#define FLOW_PATH_HOPS_MAX 32u

struct flow_hop {
	uint32_t node, port; /* a node of the plan, and the port by which it sends */
};

struct flow_paths {
	const struct plan *plan;
	struct flow_path_line *lines; /* table by hash; NULL: empty */
	uint32_t count, size;
};

/** flow_paths_init() - no path is known. @plan borrowed. */
void flow_paths_init(struct flow_paths *paths, const struct plan *plan);
void flow_paths_fini(struct flow_paths *paths);

/** flow_paths_take() - event @entry of node @node, a copy, not trusted; of any kind.
 *  Return: 0 or -ENOMEM. O(1). */
int flow_paths_take(struct flow_paths *paths, uint32_t node, const struct trace_entry *entry);

/** flow_paths_ports() - set of the ports by which switch @node sends packets of the flow in @slot
 *  of host @source: one, or in an unordered class several; 0: none that is known. O(1). */
uint64_t flow_paths_ports(const struct flow_paths *paths, uint32_t node, uint32_t source,
			  uint32_t slot);

/** flow_paths_find() - the path of a flow from its NIC to host @destination; in an unordered class
 *  one of them, by the lowest ports.
 *  Return: number of @hops, FLOW_PATH_HOPS_MAX at most, the last of which leads to the
 *  destination; 0: not all of it is known. */
uint32_t flow_paths_find(const struct flow_paths *paths, uint32_t source, uint32_t slot,
			 uint32_t destination, struct flow_hop hops[FLOW_PATH_HOPS_MAX]);

#endif
