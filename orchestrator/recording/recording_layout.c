#include "orchestrator/recording/recording_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* may a walk go from @node over its port @port to the neighbour? */
typedef bool follow_fn(const struct plan *plan, const uint32_t *tiers, uint32_t highest,
		       uint32_t node, uint32_t port);

/* by distance from the hosts. @queue  scratch, one for each node. Return: the highest tier */
static uint32_t tiers_fill(const struct plan *plan, uint32_t *tiers, uint32_t *queue)
{
	uint32_t count = 0, highest = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		tiers[i] = RECORDING_NOWHERE;
		if (plan->nodes[i].kind != NODE_NIC || plan_vacant(plan, i))
			continue;
		tiers[i] = 0;
		queue[count++] = i;
	}
	for (uint32_t at = 0; at < count; at++) {
		const struct node_config *node = &plan->nodes[queue[at]];

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t peer = node->ports[p].peer_index;

			if (node->ports[p].vacant || tiers[peer] != RECORDING_NOWHERE)
				continue;
			highest = tiers[peer] = tiers[queue[at]] + 1;
			queue[count++] = peer;
		}
	}
	return highest;
}

static bool follow_local(const struct plan *plan, const uint32_t *tiers, uint32_t highest,
			 uint32_t node, uint32_t port)
{
	(void)tiers, (void)highest;
	return plan->nodes[node].ports[port].tier != TIER_GLOBAL;
}

static bool follow_below(const struct plan *plan, const uint32_t *tiers, uint32_t highest,
			 uint32_t node, uint32_t port)
{
	return tiers[node] != highest && tiers[plan->nodes[node].ports[port].peer_index] != highest;
}

static bool has_global_links(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++)
			if (plan->nodes[i].ports[p].tier == TIER_GLOBAL)
				return true;
	return false;
}

/* gives all that is connected to @from number @group */
static void group_fill(const struct plan *plan, const struct recording_layout *layout,
		       uint32_t highest, follow_fn *follow, uint32_t from, uint32_t group,
		       uint32_t *queue)
{
	uint32_t count = 1;

	queue[0] = from;
	layout->groups[from] = group;
	for (uint32_t at = 0; at < count; at++) {
		const struct node_config *node = &plan->nodes[queue[at]];

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t peer = node->ports[p].peer_index;

			if (node->ports[p].vacant || layout->groups[peer] != RECORDING_NOWHERE ||
			    !follow(plan, layout->tiers, highest, queue[at], p))
				continue;
			layout->groups[peer] = group;
			queue[count++] = peer;
		}
	}
}

static void groups_fill(const struct plan *plan, const struct recording_layout *layout,
			uint32_t highest, uint32_t *queue)
{
	bool global = has_global_links(plan);
	uint32_t group = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		layout->groups[i] = RECORDING_NOWHERE;
	if (!global && (!plan->tree || highest < 2))
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (layout->groups[i] == RECORDING_NOWHERE && !plan_vacant(plan, i) &&
		    (global || layout->tiers[i] != highest))
			group_fill(plan, layout, highest, global ? follow_local : follow_below, i,
				   group++, queue);
}

int recording_layout_make(const struct plan *plan, struct recording_layout *layout)
{
	uint32_t *queue = calloc(plan->node_count, sizeof(*queue));

	layout->tiers = calloc(plan->node_count, sizeof(*layout->tiers));
	layout->groups = calloc(plan->node_count, sizeof(*layout->groups));
	if (queue && layout->tiers && layout->groups) {
		groups_fill(plan, layout, tiers_fill(plan, layout->tiers, queue), queue);
		free(queue);
		return 0;
	}
	free(queue);
	recording_layout_free(layout);
	return -ENOMEM;
}

void recording_layout_free(struct recording_layout *layout)
{
	free(layout->tiers);
	free(layout->groups);
	*layout = (struct recording_layout){ 0 };
}
