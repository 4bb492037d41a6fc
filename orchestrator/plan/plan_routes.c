#include "orchestrator/plan/plan_routes.h"

#include <errno.h>
#include <stdlib.h>

#include "orchestrator/plan/plan_topology.h"
#include "orchestrator/routing/routing.h"
#include "orchestrator/routing/routing_flood.h"
#include "orchestrator/routing/routing_via.h"
#include "orchestrator/routing/topology.h"

/* ---- tables ---- */

/* moves the tables from @routing to the nodes */
static void tables_take(struct plan *plan, struct routing *routing)
{
	plan->routing.lanes = routing->lanes;
	if (!plan->routing.follow) {
		plan->tree = routing->tree;
		plan->agreement_permille = routing->agreement_permille;
		plan->routing.follow = true;
		plan->routing.order = routing->order;
		plan->routing.lane_rule = routing->lane_rule;
		plan->routing.path_hops_max = routing->hops_max;
	}
	for (uint32_t i = 0; i < plan->node_count; i++)
		plan->nodes[i].lanes = routing->lanes;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct switch_config *config = &plan->nodes[i].switch_;
		struct switch_tables *tables = &routing->switches[i];

		config->routing.lane_rule = routing->lane_rule;
		config->route_count = plan->switch_count - 1 + routing->tree;
		config->routes = tables->routes;
		config->via_count = tables->via_count;
		config->vias = tables->vias;
		config->lids = tables->lids;
		free(tables->non_minimal); /* the groups contain it */
		*tables = (struct switch_tables){ 0 };
	}
}

static int flood_make(struct plan *plan, const struct topology *topology)
{
	uint64_t *ports = calloc(plan->switch_count, sizeof(*ports));
	int error = ports ? routing_flood(topology, ports) : -ENOMEM;

	for (uint32_t i = 0; !error && i < plan->switch_count; i++)
		plan->nodes[i].switch_.flood_ports = ports[i];
	free(ports);
	return error;
}

int plan_routes_make(struct plan *plan, struct why *why)
{
	struct topology topology;
	struct routing routing;
	int error = plan_topology(plan, &topology);

	for (uint32_t i = 0; i < plan->switch_count; i++)
		switch_tables_free(&plan->nodes[i].switch_);
	if (error)
		return error;
	error = routing_make(&topology, &plan->routing, &routing, why);
	if (!error) {
		tables_take(plan, &routing);
		routing_free(&routing);
	}
	if (!error && plan_fabric(plan) != FABRIC_FLOW_CHANNEL)
		error = flood_make(plan, &topology);
	topology_free(&topology);
	return error;
}

/* ---- the longest path ---- */

struct longest {
	const struct plan *plan;
	node_time_t *hops_ps; /* [switch][NODE_PORTS_MAX]: of a link to another switch */
	bool *have_hosts;     /* by switch */
	/* by switch: to the current target; NODE_TIME_NEVER: not computed yet */
	node_time_t *paths_ps;
	node_time_t *onward_ps; /* by switch: to the farthest switch that has hosts */
};

static node_time_t path_ps(const struct longest *longest, uint32_t at, uint32_t target);

/* the longest time of a path from @at, by any of @ports, to @target */
static node_time_t paths_by_ps(const struct longest *longest, uint32_t at, uint64_t ports,
			       uint32_t target)
{
	node_time_t most_ps = 0;

	for (; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);
		uint32_t peer = longest->plan->nodes[at].ports[port].peer_index;

		most_ps = node_time_max(most_ps,
					longest->hops_ps[(size_t)at * NODE_PORTS_MAX + port] +
						path_ps(longest, peer, target));
	}
	return most_ps;
}

/* the longest time of a path from @at to @target, over any port of its routes; 0: no route */
static node_time_t path_ps(const struct longest *longest, uint32_t at, uint32_t target)
{
	if (longest->paths_ps[at] == NODE_TIME_NEVER) {
		longest->paths_ps[at] = 0; /* a routing loop (routing_given.h) counts once */
		longest->paths_ps[at] = paths_by_ps(
			longest, at, plan_route(&longest->plan->nodes[at], target)->ports, target);
	}
	return longest->paths_ps[at];
}

/* the ports of @node, besides the shortest, over which packets of its hosts may be sent to @target.
 * They are the same for all hosts at @target. */
static uint64_t non_minimal_ports(const struct plan *plan, const struct node_config *node,
				  uint32_t target)
{
	const struct node_config *end = &plan->nodes[target];
	const struct lid_tables *lids = &node->switch_.lids;

	for (uint32_t p = 0; plan->routing.non_minimal && p < end->port_count; p++) {
		uint32_t lid = end->ports[p].peer_index - plan->switch_count + 1;

		if (end->ports[p].kind != PORT_EDGE || end->ports[p].vacant ||
		    lid >= lids->lid_count || lids->pgft[lid] < PORT_GROUP_EDGE_FROM)
			continue;
		return lids->pgt[lids->pgft[lid]][0] & ~plan_route(node, target)->ports;
	}
	return 0;
}

/* the longest time of a path from @at to @target that packets of its hosts may take */
static node_time_t host_path_ps(const struct longest *longest, uint32_t at, uint32_t target)
{
	node_time_t most_ps = path_ps(longest, at, target);

	if (at == target)
		return most_ps;
	return node_time_max(
		most_ps,
		paths_by_ps(longest, at,
			    non_minimal_ports(longest->plan, &longest->plan->nodes[at], target),
			    target));
}

static void target_set(const struct longest *longest, uint32_t target)
{
	for (uint32_t i = 0; i < longest->plan->switch_count; i++)
		longest->paths_ps[i] = i == target ? 0 : NODE_TIME_NEVER;
}

static node_time_t longest_find(const struct longest *longest)
{
	const struct plan *plan = longest->plan;
	node_time_t most_ps = 0;

	for (uint32_t target = 0; target < plan->switch_count; target++) {
		target_set(longest, target);
		for (uint32_t i = 0; longest->have_hosts[target] && i < plan->switch_count; i++)
			if (longest->have_hosts[i])
				longest->onward_ps[i] = node_time_max(
					longest->onward_ps[i], host_path_ps(longest, i, target));
	}
	for (uint32_t via = 0; via < plan->switch_count; via++) {
		target_set(longest, via);
		most_ps = node_time_max(most_ps, longest->onward_ps[via]);
		for (uint32_t i = 0; i < plan->switch_count; i++) {
			const struct switch_config *from = &plan->nodes[i].switch_;

			if (routing_vias_have(from->vias, from->via_count, via + 1))
				most_ps = node_time_max(most_ps, path_ps(longest, i, via) +
									 longest->onward_ps[via]);
		}
	}
	return most_ps;
}

/* what all paths have in common */
static void links_look(struct longest *longest, plan_hop_fn *hop_ps, node_time_t more_ps)
{
	for (uint32_t i = 0; i < longest->plan->switch_count; i++) {
		const struct node_config *node = &longest->plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			const struct port_config *port = &node->ports[p];

			if (port->vacant)
				continue;
			longest->have_hosts[i] |= port->kind == PORT_EDGE;
			longest->hops_ps[(size_t)i * NODE_PORTS_MAX + p] =
				hop_ps(node, port) + more_ps;
		}
	}
}

int plan_routes_longest_ps(const struct plan *plan, plan_hop_fn *hop_ps, node_time_t more_ps,
			   node_time_t *longest_ps)
{
	size_t count = plan->switch_count;
	struct longest longest = {
		.plan = plan,
		.hops_ps = calloc(count * NODE_PORTS_MAX, sizeof(*longest.hops_ps)),
		.have_hosts = calloc(count, sizeof(*longest.have_hosts)),
		.paths_ps = calloc(count, sizeof(*longest.paths_ps)),
		.onward_ps = calloc(count, sizeof(*longest.onward_ps)),
	};
	int error = longest.hops_ps && longest.have_hosts && longest.paths_ps && longest.onward_ps
			    ? 0
			    : -ENOMEM;

	*longest_ps = 0;
	if (!error) {
		links_look(&longest, hop_ps, more_ps);
		*longest_ps = longest_find(&longest);
	}
	free(longest.hops_ps);
	free(longest.have_hosts);
	free(longest.paths_ps);
	free(longest.onward_ps);
	return error;
}
