#include "orchestrator/plan/plan_machines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_PART UINT8_MAX
#define PASSES_MAX 8u

/* ---- a cut ---- */

struct cut {
	uint32_t count, parts, edge_count;
	const uint32_t *weights;
	const uint32_t (*edges)[2];
	uint8_t *part;
	uint32_t *at, *near;      /* the neighbours of vertex v: near[at[v]..at[v + 1]] */
	uint64_t total, heaviest; /* weights */
	uint64_t load[SCENARIO_MACHINES_MAX];
	uint32_t vertices[SCENARIO_MACHINES_MAX];
};

static int neighbours_make(struct cut *cut)
{
	uint32_t *fill;

	cut->at = calloc((size_t)cut->count + 2, sizeof(*cut->at));
	cut->near = calloc(2 * (size_t)cut->edge_count, sizeof(*cut->near));
	fill = calloc(cut->count, sizeof(*fill));
	if (!cut->at || !cut->near || !fill) {
		free(fill);
		return -ENOMEM;
	}
	for (uint32_t e = 0; e < cut->edge_count; e++)
		for (int end = 0; end < 2; end++)
			cut->at[cut->edges[e][end] + 1]++;
	for (uint32_t v = 0; v < cut->count; v++) {
		cut->at[v + 1] += cut->at[v];
		fill[v] = cut->at[v];
	}
	for (uint32_t e = 0; e < cut->edge_count; e++)
		for (int end = 0; end < 2; end++)
			cut->near[fill[cut->edges[e][end]]++] = cut->edges[e][!end];
	free(fill);
	return 0;
}

/* edges from @vertex to vertices of @part */
static uint32_t edges_to(const struct cut *cut, uint32_t vertex, uint8_t part)
{
	uint32_t count = 0;

	for (uint32_t i = cut->at[vertex]; i < cut->at[vertex + 1]; i++)
		count += cut->part[cut->near[i]] == part;
	return count;
}

static void put(struct cut *cut, uint32_t vertex, uint8_t part)
{
	if (cut->part[vertex] != NO_PART) {
		cut->load[cut->part[vertex]] -= cut->weights[vertex];
		cut->vertices[cut->part[vertex]]--;
	}
	cut->part[vertex] = part;
	cut->load[part] += cut->weights[vertex];
	cut->vertices[part]++;
}

/* the vertex without a part that has most edges to @part; the first of several, which starts a part
 * that has none yet */
static uint32_t nearest(const struct cut *cut, uint8_t part)
{
	uint32_t best = cut->count, best_edges = 0;

	for (uint32_t v = 0; v < cut->count; v++) {
		uint32_t edges;

		if (cut->part[v] != NO_PART)
			continue;
		edges = edges_to(cut, v, part);
		if (best == cut->count || edges > best_edges) {
			best = v;
			best_edges = edges;
		}
	}
	return best;
}

/* part by part: each takes what is nearest to it until it has its share of what is left, and leaves
 * a vertex for every part after it */
static void grow(struct cut *cut)
{
	uint64_t left = cut->total;
	uint32_t free_vertices = cut->count;

	for (uint32_t part = 0; part < cut->parts; part++) {
		uint64_t share = left / (cut->parts - part);
		uint32_t after = cut->parts - part - 1;

		while (free_vertices > after) {
			uint32_t vertex = nearest(cut, (uint8_t)part);
			uint64_t load = cut->load[part];

			/* the last vertex goes where it misses the share by less */
			if (after && load &&
			    load + cut->weights[vertex] > share + cut->weights[vertex] / 2)
				break;
			put(cut, vertex, (uint8_t)part);
			left -= cut->weights[vertex];
			free_vertices--;
		}
	}
}

static bool fits(const struct cut *cut, uint32_t vertex, uint8_t part)
{
	uint64_t share = cut->total / cut->parts;
	uint64_t limit = share + cut->heaviest + share / 8;

	return cut->load[part] + cut->weights[vertex] <= limit;
}

/* moves vertices to the part that most of their neighbours are in, until none gains. Return: true
 * if one was moved */
static bool refine(struct cut *cut)
{
	bool moved = false;

	for (uint32_t v = 0; v < cut->count; v++) {
		uint8_t own = cut->part[v], best = own;
		uint32_t best_edges = edges_to(cut, v, own);

		for (uint32_t part = 0; part < cut->parts && cut->vertices[own] > 1; part++) {
			uint32_t edges = edges_to(cut, v, (uint8_t)part);

			if (edges > best_edges && fits(cut, v, (uint8_t)part)) {
				best = (uint8_t)part;
				best_edges = edges;
			}
		}
		if (best != own)
			put(cut, v, best);
		moved |= best != own;
	}
	return moved;
}

int plan_machines_cut(uint32_t count, const uint32_t *weights, const uint32_t (*edges)[2],
		      uint32_t edge_count, uint32_t parts, uint8_t *part)
{
	struct cut cut = { .count = count,
			   .parts = parts,
			   .edge_count = edge_count,
			   .weights = weights,
			   .edges = edges,
			   .part = part };
	int error = neighbours_make(&cut);

	memset(part, NO_PART, count);
	for (uint32_t v = 0; v < count; v++) {
		cut.total += weights[v];
		if (weights[v] > cut.heaviest)
			cut.heaviest = weights[v];
	}
	if (!error)
		grow(&cut);
	for (uint32_t pass = 0; pass < PASSES_MAX && !error && refine(&cut); pass++)
		;
	free(cut.at);
	free(cut.near);
	return error;
}

/* ---- of a plan ---- */

/* cuts the graph of switches; one weighs as much as itself and its hosts */
static int switches_cut(const struct plan *plan, uint32_t machines, uint8_t *machine_of)
{
	uint32_t *weights = calloc(plan->switch_count, sizeof(*weights));
	uint32_t(*edges)[2] = calloc(plan->link_count, sizeof(*edges));
	uint32_t edge_count = 0;
	int error = weights && edges ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < plan->switch_count && !error; i++)
		weights[i] = 1;
	for (uint32_t i = 0; i < plan->link_count && !error; i++) {
		uint32_t a = plan->links[i].node_a, b = plan->links[i].node_b;

		if (a >= plan->switch_count || b >= plan->switch_count) {
			weights[a < plan->switch_count ? a : b]++;
			continue;
		}
		edges[edge_count][0] = a;
		edges[edge_count++][1] = b;
	}
	if (!error)
		error = plan_machines_cut(plan->switch_count, weights, (const uint32_t(*)[2])edges,
					  edge_count, machines, machine_of);
	free(weights);
	free(edges);
	return error;
}

static int64_t machine_find(const struct machine_list *machines, const char *name)
{
	for (uint32_t i = 0; i < machines->count; i++)
		if (!strcmp(machines->names[i], name))
			return i;
	return -1;
}

/* divides nodes as topology.machines of the scenario says */
static int switches_given(const struct scenario *scenario, const struct machine_list *machines,
			  const struct plan *plan, uint8_t *machine_of,
			  struct scenario_errors *errors)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t given = scenario->switches[i].machine;
		int64_t machine =
			given ? machine_find(machines, scenario->machines.names[given - 1]) : -1;

		if (machine < 0) {
			scenario_errors_at(
				errors, scenario, &scenario->machines.place,
				given ? "'machines' puts switch %s on %s, which --machines does "
					"not name"
				      : "'machines' puts switch %s on no machine%s: it must name "
					"all switches, or none",
				scenario->switches[i].name,
				given ? scenario->machines.names[given - 1] : "");
			return -EINVAL;
		}
		machine_of[i] = (uint8_t)machine;
	}
	return 0;
}

/* a host is where the switch of its eth0 is */
static void hosts_follow(struct plan *plan)
{
	for (uint32_t host = 0; host < plan->host_count; host++) {
		const struct node_config *nic =
			&plan->nodes[plan_host_node(plan, plan->hosts[host].owner)];

		plan->machine_of[plan_host_node(plan, host)] =
			plan->machine_of[nic->ports[0].peer_index];
	}
}

static int all_used(const struct scenario *scenario, const struct machine_list *machines,
		    const struct plan *plan, struct scenario_errors *errors)
{
	for (uint32_t m = 0; m < machines->count; m++) {
		if (memchr(plan->machine_of, (int)m, plan->switch_count))
			continue;
		scenario_errors_at(errors, scenario, &scenario->topology_place,
				   "machine %s has no switch: there are %u switches for %u "
				   "machines",
				   machines->names[m], plan->switch_count, machines->count);
		return -EINVAL;
	}
	return 0;
}

static void links_cut(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		if (plan->machine_of[link->node_a] == plan->machine_of[link->node_b])
			continue;
		plan->nodes[link->node_a].ports[link->port_a].medium = MEDIUM_TUNNEL;
		plan->nodes[link->node_b].ports[link->port_b].medium = MEDIUM_TUNNEL;
	}
}

int plan_machines_make(const struct scenario *scenario, const struct machine_list *machines,
		       struct plan *plan, struct scenario_errors *errors)
{
	int error;

	plan->machine_of = calloc(plan->node_count, 1);
	plan->machine_names = calloc(machines->count, sizeof(*plan->machine_names));
	if (!plan->machine_of || !plan->machine_names)
		return -ENOMEM;
	memcpy(plan->machine_names, machines->names,
	       machines->count * sizeof(*plan->machine_names));
	plan->machine_count = machines->count;
	plan->machine = machines->self;
	error = scenario->machines.count
			? switches_given(scenario, machines, plan, plan->machine_of, errors)
			: switches_cut(plan, machines->count, plan->machine_of);
	if (!error)
		error = all_used(scenario, machines, plan, errors);
	if (error)
		return error;
	hosts_follow(plan);
	links_cut(plan);
	return 0;
}
