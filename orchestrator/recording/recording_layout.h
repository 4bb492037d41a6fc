/*  recording_layout - how far a node is from the hosts, and the groups of a fabric, for pictures
 *  of it.
 *
 *  Tier: 0 a host, 1 a switch with a host, 2 the next ones. Group: what links within a group
 *  connect, if the fabric has links between groups; else, in a tree, what is connected without the
 *  switches of the highest tier. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_LAYOUT_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_LAYOUT_H

#include "orchestrator/plan/plan.h"

#define RECORDING_NOWHERE UINT32_MAX

struct recording_layout {
	uint32_t *tiers, *groups; /* of each node; RECORDING_NOWHERE: none */
};

/** recording_layout_make() - of the nodes of @plan. recording_layout_free() later.
 *  Return: 0 or -ENOMEM, nothing to free. O(links). */
int recording_layout_make(const struct plan *plan, struct recording_layout *layout);
void recording_layout_free(struct recording_layout *layout);

#endif
