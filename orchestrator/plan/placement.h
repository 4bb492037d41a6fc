/*  placement - assigns nodes to cores, so that peers share a cache and cores share the work.
 *
 *  Each switch is placed on the least loaded core, the heaviest switch first. A host is placed on
 *  the core of its switch, unless that core has its part of the work already.
 *
 *  Why not leave it to the kernel: a node that waits for the virtual clock yields instead of
 *  sleeping (nodes/clock/turn.h). So all nodes look busy to the kernel, which then moves none:
 *  several heavy switches share one core while another core spins, and packets between a host and
 *  its switch cross from core to core.
 *  Under the real clock nodes are not placed: they sleep, and share the cores with the programs of
 *  the hosts, and the kernel's placement is better. Results do not depend on placement; `--cores
 *  free` leaves it to the kernel. Measured: docs/performance.md. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLACEMENT_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLACEMENT_H

#include <stdint.h>

#include "orchestrator/plan/plan.h"

/** placement_make() - assigns a core to every node of @plan.
 *  @core_count > 0. @core_of filled: plan->node_count numbers below core_count. Return: 0 or
 *  -ENOMEM. */
int placement_make(const struct plan *plan, uint32_t core_count, uint32_t *core_of);

/* the nodes of one machine (partition.h) */
struct placement_part {
	const uint32_t *of; /* [node_count]: the machine of each node */
	uint32_t number;
};

/** placement_make_part() - the same for the nodes of @part only; NULL: for all. */
int placement_make_part(const struct plan *plan, const struct placement_part *part,
			uint32_t core_count, uint32_t *core_of);

/** placement_weight() - the work of @node, in no unit. */
uint32_t placement_weight(const struct node_config *node);

#endif
