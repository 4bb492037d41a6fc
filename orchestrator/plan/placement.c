#include "orchestrator/plan/placement.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define PORT_WEIGHT 3u /* a switch's work for one of its ports */
#define NIC_WEIGHT 4u  /* a NIC's work, with the context switch to its process */

struct placed_switch {
	uint32_t node, weight;
};

uint32_t placement_weight(const struct node_config *node)
{
	uint32_t links = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		links += !node->ports[p].vacant;
	return node->kind == NODE_SWITCH ? PORT_WEIGHT * links : NIC_WEIGHT * links;
}

static int heavier_first(const void *a, const void *b)
{
	const struct placed_switch *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->node < y->node ? -1 : 1;
}

static uint32_t least_loaded(const uint64_t *load, uint32_t core_count)
{
	uint32_t best = 0;

	for (uint32_t core = 1; core < core_count; core++)
		if (load[core] < load[best])
			best = core;
	return best;
}

/* of a machine, or of all */
static bool is_in(const struct placement_part *part, uint32_t node)
{
	return !part || part->of[node] == part->number;
}

/* places the hosts of switch @node: on its core while that has less than @share of the work,
 * else on the least loaded core */
static void place_hosts(const struct plan *plan, const struct placement_part *part, uint32_t node,
			uint64_t share, uint64_t *load, uint32_t core_count, uint32_t *core_of)
{
	const struct node_config *config = &plan->nodes[node];

	for (uint32_t p = 0; p < config->port_count; p++) {
		uint32_t core = core_of[node];

		if (config->ports[p].vacant || config->ports[p].kind != PORT_EDGE ||
		    !is_in(part, config->ports[p].peer_index))
			continue;
		if (!is_in(part, node) || load[core] + NIC_WEIGHT > share)
			core = least_loaded(load, core_count);
		core_of[config->ports[p].peer_index] = core;
		load[core] += NIC_WEIGHT;
	}
}

int placement_make(const struct plan *plan, uint32_t core_count, uint32_t *core_of)
{
	return placement_make_part(plan, NULL, core_count, core_of);
}

int placement_make_part(const struct plan *plan, const struct placement_part *part,
			uint32_t core_count, uint32_t *core_of)
{
	struct placed_switch *switches = calloc(plan->switch_count, sizeof(*switches));
	uint64_t *load = calloc(core_count, sizeof(*load));
	uint64_t whole = 0;

	if (!switches || !load) {
		free(switches);
		free(load);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->node_count; i++)
		whole += is_in(part, i) ? placement_weight(&plan->nodes[i]) : 0;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		switches[i] = (struct placed_switch){ .node = i,
						      .weight = placement_weight(&plan->nodes[i]) };
	qsort(switches, plan->switch_count, sizeof(*switches), heavier_first);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t core = least_loaded(load, core_count);

		if (!is_in(part, switches[i].node))
			continue;
		core_of[switches[i].node] = core;
		load[core] += switches[i].weight;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		place_hosts(plan, part, switches[i].node, whole / core_count + NIC_WEIGHT, load,
			    core_count, core_of);
	free(switches);
	free(load);
	return 0;
}
