#include "orchestrator/plan/partition.h"

#include <errno.h>
#include <metis.h>
#include <stdbool.h>
#include <stdlib.h>

#include "orchestrator/plan/placement.h"

/* a share of the work beyond which groups or pods are divided, in percent of an equal one (ours) */
#define SHARE_MAX_PERCENT 130u
#define NO_LEVEL UINT32_MAX

struct parting {
	const struct plan *plan;
	uint32_t part_count;
	uint32_t *part_of;
	uint64_t *weight; /* [switch_count]: of a switch with its hosts */
	uint32_t *level;  /* [switch_count]: links to the nearest switch with hosts */
	uint32_t *block;  /* [switch_count]: a switch of the same block; itself: its first */
	uint64_t *load;   /* [part_count] */
	uint32_t *queue;  /* [switch_count] */
	uint32_t level_top;
	bool grouped, tree;
};

/* both ends are switches */
static bool joins_switches(const struct plan *plan, const struct plan_link *link)
{
	return !link->vacant && link->node_a < plan->switch_count &&
	       link->node_b < plan->switch_count;
}

static void weights_make(struct parting *parting)
{
	const struct plan *plan = parting->plan;

	for (uint32_t s = 0; s < plan->switch_count; s++) {
		const struct node_config *node = &plan->nodes[s];

		parting->weight[s] = placement_weight(node);
		for (uint32_t p = 0; p < node->port_count; p++)
			if (!node->ports[p].vacant && node->ports[p].kind == PORT_EDGE)
				parting->weight[s] +=
					placement_weight(&plan->nodes[node->ports[p].peer_index]);
	}
}

/* ---- groups and pods ---- */

/* the level of each switch; parting->tree: every link is between adjacent levels */
static void levels_make(struct parting *parting)
{
	const struct plan *plan = parting->plan;
	uint32_t count = 0;

	for (uint32_t s = 0; s < plan->switch_count; s++) {
		const struct node_config *node = &plan->nodes[s];
		bool hosts = false;

		for (uint32_t p = 0; p < node->port_count; p++)
			hosts |= !node->ports[p].vacant && node->ports[p].kind == PORT_EDGE;
		parting->level[s] = hosts ? 0 : NO_LEVEL;
		if (hosts)
			parting->queue[count++] = s;
	}
	for (uint32_t at = 0; at < count; at++) {
		uint32_t s = parting->queue[at];
		const struct node_config *node = &plan->nodes[s];

		for (uint32_t p = 0; p < node->port_count; p++) {
			uint32_t peer = node->ports[p].peer_index;

			if (node->ports[p].vacant || peer >= plan->switch_count ||
			    parting->level[peer] != NO_LEVEL)
				continue;
			parting->level[peer] = parting->level[s] + 1;
			parting->queue[count++] = peer;
		}
	}
	parting->tree = true;
	for (uint32_t s = 0; s < plan->switch_count; s++)
		if (parting->level[s] != NO_LEVEL && parting->level[s] > parting->level_top)
			parting->level_top = parting->level[s];
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];
		uint32_t a, b;

		if (!joins_switches(plan, link))
			continue;
		a = parting->level[link->node_a];
		b = parting->level[link->node_b];
		parting->tree &= a != NO_LEVEL && b != NO_LEVEL && (a + 1 == b || b + 1 == a);
	}
	parting->tree &= parting->level_top > 0;
}

static bool is_top(const struct parting *parting, uint32_t node)
{
	return !parting->grouped && parting->tree && parting->level[node] == parting->level_top;
}

static bool is_global(const struct plan *plan, const struct plan_link *link)
{
	return plan->nodes[link->node_a].ports[link->port_a].tier == TIER_GLOBAL;
}

static uint32_t block_of(struct parting *parting, uint32_t s)
{
	while (parting->block[s] != s) {
		parting->block[s] = parting->block[parting->block[s]];
		s = parting->block[s];
	}
	return s;
}

/* a block is named by its first switch */
static void blocks_make(struct parting *parting)
{
	const struct plan *plan = parting->plan;

	for (uint32_t s = 0; s < plan->switch_count; s++)
		parting->block[s] = s;
	for (uint32_t i = 0; i < plan->link_count; i++)
		parting->grouped |=
			joins_switches(plan, &plan->links[i]) && is_global(plan, &plan->links[i]);
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];
		uint32_t a, b;

		if (!joins_switches(plan, link) || is_global(plan, link) ||
		    is_top(parting, link->node_a) || is_top(parting, link->node_b))
			continue;
		a = block_of(parting, link->node_a);
		b = block_of(parting, link->node_b);
		parting->block[a > b ? a : b] = a > b ? b : a;
	}
}

static uint32_t least_loaded(const struct parting *parting)
{
	uint32_t best = 0;

	for (uint32_t part = 1; part < parting->part_count; part++)
		if (parting->load[part] < parting->load[best])
			best = part;
	return best;
}

/* Blocks in their order, each to the part in which its middle falls.
 * Return: false if a part would be empty, or too large */
static bool blocks_deal(struct parting *parting)
{
	const struct plan *plan = parting->plan;
	uint64_t whole = 0, before = 0, *weight = parting->weight;
	uint64_t *of_block = calloc(plan->switch_count, sizeof(*of_block));
	bool fine = of_block;

	for (uint32_t s = 0; s < plan->switch_count && fine; s++) {
		if (is_top(parting, s))
			continue;
		of_block[block_of(parting, s)] += weight[s];
		whole += weight[s];
	}
	for (uint32_t s = 0; s < plan->switch_count && fine; s++) {
		uint32_t block = block_of(parting, s);

		if (is_top(parting, s))
			continue;
		if (block == s) {
			uint64_t middle = before + of_block[s] / 2;

			parting->part_of[s] = (uint32_t)(middle * parting->part_count / whole);
			before += of_block[s];
		}
		parting->part_of[s] = parting->part_of[block];
		parting->load[parting->part_of[s]] += weight[s];
	}
	free(of_block);
	for (uint32_t part = 0; part < parting->part_count && fine; part++)
		fine = parting->load[part] &&
		       parting->load[part] * parting->part_count * 100 <= whole * SHARE_MAX_PERCENT;
	for (uint32_t s = 0; s < plan->switch_count && fine; s++) {
		if (!is_top(parting, s))
			continue;
		parting->part_of[s] = least_loaded(parting);
		parting->load[parting->part_of[s]] += weight[s];
	}
	return fine;
}

/* ---- a cut of the graph ---- */

struct graph {
	idx_t *from, *to, *weight, *part; /* METIS: xadj, adjncy, vwgt, part */
};

static bool graph_make(const struct parting *parting, struct graph *graph)
{
	const struct plan *plan = parting->plan;
	idx_t count = 0;

	graph->from = calloc(plan->switch_count + 1ul, sizeof(idx_t));
	graph->to = calloc(2ul * plan->link_count, sizeof(idx_t));
	graph->weight = calloc(plan->switch_count, sizeof(idx_t));
	graph->part = calloc(plan->switch_count, sizeof(idx_t));
	if (!graph->from || !graph->to || !graph->weight || !graph->part)
		return false;
	for (uint32_t s = 0; s < plan->switch_count; s++) {
		const struct node_config *node = &plan->nodes[s];

		graph->weight[s] = (idx_t)parting->weight[s];
		for (uint32_t p = 0; p < node->port_count; p++)
			if (!node->ports[p].vacant &&
			    node->ports[p].peer_index < plan->switch_count &&
			    node->ports[p].peer_index != s)
				graph->to[count++] = (idx_t)node->ports[p].peer_index;
		graph->from[s + 1] = count;
	}
	return true;
}

/* Return: false if it cannot be cut so */
static bool graph_cut(struct parting *parting)
{
	struct graph graph = { 0 };
	idx_t switches = (idx_t)parting->plan->switch_count, constraints = 1, cut,
	      parts = (idx_t)parting->part_count, options[METIS_NOPTIONS];
	bool fine = graph_make(parting, &graph);

	METIS_SetDefaultOptions(options);
	options[METIS_OPTION_SEED] = 1;
	fine = fine && METIS_PartGraphKway(&switches, &constraints, graph.from, graph.to,
					   graph.weight, NULL, NULL, &parts, NULL, NULL, options,
					   &cut, graph.part) == METIS_OK;
	for (uint32_t part = 0; part < parting->part_count; part++)
		parting->load[part] = 0;
	for (uint32_t s = 0; s < parting->plan->switch_count && fine; s++) {
		parting->part_of[s] = (uint32_t)graph.part[s];
		parting->load[graph.part[s]] += parting->weight[s];
	}
	for (uint32_t part = 0; part < parting->part_count && fine; part++)
		fine = parting->load[part];
	free(graph.from);
	free(graph.to);
	free(graph.weight);
	free(graph.part);
	return fine;
}

/* ---- */

static void hosts_follow(struct parting *parting)
{
	const struct plan *plan = parting->plan;

	for (uint32_t h = plan->switch_count; h < plan->node_count; h++)
		parting->part_of[h] = parting->part_of[plan->nodes[h].ports[0].peer_index];
}

static int parting_alloc(struct parting *parting)
{
	size_t count = parting->plan->switch_count + 1ul;

	parting->weight = calloc(count, sizeof(*parting->weight));
	parting->level = calloc(count, sizeof(*parting->level));
	parting->block = calloc(count, sizeof(*parting->block));
	parting->queue = calloc(count, sizeof(*parting->queue));
	parting->load = calloc(parting->part_count, sizeof(*parting->load));
	return parting->weight && parting->level && parting->block && parting->queue &&
			       parting->load
		       ? 0
		       : -ENOMEM;
}

static enum partition_kind part_switches(struct parting *parting)
{
	weights_make(parting);
	levels_make(parting);
	blocks_make(parting);
	if ((parting->grouped || parting->tree) && blocks_deal(parting))
		return PARTITION_BLOCKS;
	return parting->plan->switch_count > parting->part_count && graph_cut(parting)
		       ? PARTITION_CUT
		       : PARTITION_ORDER;
}

int partition_make(const struct plan *plan, uint32_t part_count, uint32_t *part_of,
		   enum partition_kind *kind)
{
	struct parting parting = { .plan = plan, .part_count = part_count, .part_of = part_of };
	int error = parting_alloc(&parting);

	*kind = PARTITION_ORDER;
	if (!error && part_count > 1)
		*kind = part_switches(&parting);
	if (*kind != PARTITION_ORDER)
		hosts_follow(&parting);
	for (uint32_t i = 0; i < plan->node_count && *kind == PARTITION_ORDER; i++)
		part_of[i] = (uint32_t)((uint64_t)i * part_count / plan->node_count);
	free(parting.weight);
	free(parting.level);
	free(parting.block);
	free(parting.queue);
	free(parting.load);
	return error;
}

uint32_t partition_cut_links(const struct plan *plan, const uint32_t *part_of)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->link_count; i++)
		count += !plan->links[i].vacant &&
			 part_of[plan->links[i].node_a] != part_of[plan->links[i].node_b];
	return count;
}
