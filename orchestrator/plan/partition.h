/*  partition - which machine runs which node (SC-4). Results do not depend on it.
 *
 *  A host goes with its switch. Switches that belong together stay together: the groups of a
 *  dragonfly (what links of tier global join) and the pods of a fat tree (what its top switches
 *  join) are not divided, and follow each other. Top switches are dealt to the machines in turn,
 *  as each has links to all pods. Where there are fewer groups or pods than machines, or shares
 *  would be unequal, METIS cuts the graph of switches: few links between machines, and equal
 *  work. With fewer switches than machines nodes are dealt in their order. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PARTITION_H
#define HEDDLE_ORCHESTRATOR_PLAN_PARTITION_H

#include "orchestrator/plan/plan.h"

enum partition_kind {
	PARTITION_BLOCKS, /* groups or pods */
	PARTITION_CUT,    /* of the graph */
	PARTITION_ORDER,
};

/** partition_make() - assigns each node of @plan to one of @part_count parts, none of which is
 *  empty.
 *  @part_count 1..node_count. @part_of filled: plan->node_count numbers. @kind filled.
 *  Return: 0 or -ENOMEM. */
int partition_make(const struct plan *plan, uint32_t part_count, uint32_t *part_of,
		   enum partition_kind *kind);

/** partition_cut_links() - how many links join two parts. */
uint32_t partition_cut_links(const struct plan *plan, const uint32_t *part_of);

#endif
