#include "orchestrator/routing/routing.h"

#include <errno.h>
#include <stdlib.h>

#include "orchestrator/routing/routing_cycle.h"
#include "orchestrator/routing/routing_follow.h"
#include "orchestrator/routing/routing_given.h"
#include "orchestrator/routing/routing_lids.h"
#include "orchestrator/routing/routing_minimal.h"
#include "orchestrator/routing/routing_non_minimal.h"
#include "orchestrator/routing/routing_up_down.h"
#include "orchestrator/routing/routing_upward.h"
#include "orchestrator/routing/routing_via.h"

/* routes without ports */
static int tables_alloc(const struct topology *topology, struct routing *routing)
{
	uint32_t count = topology->switch_count;

	routing->switches = calloc(count, sizeof(*routing->switches));
	if (!routing->switches)
		return -ENOMEM;
	routing->switch_count = count;
	for (uint32_t i = 0; i < count; i++) {
		routing->switches[i].routes = calloc(count, sizeof(struct route_config));
		if (!routing->switches[i].routes)
			return -ENOMEM;
		for (uint32_t to = 0; to < count; to++)
			if (to != i)
				routing_route(routing, i, to)->fabric_address =
					topology->switches[to].fabric_address;
	}
	return 0;
}

/* ---- one method to avoid cycles after the other ---- */

struct making {
	const struct topology *topology;
	const struct routing_request *request;
	struct routing *routing;
	routing_distance_t *distances;
	uint32_t lanes_max; /* that the fabric may use */
	char *cycle;        /* of minimal routes on one level, or NULL */
};

static void lanes_take(struct making *making, enum lane_rule rule, uint32_t hops_max)
{
	struct routing *routing = making->routing;
	uint32_t needed = rule == LANES_BY_HOP && hops_max ? hops_max : 1;

	routing->lane_rule = rule;
	routing->lanes = making->request->lanes ? making->request->lanes : needed;
	routing->hops_max = hops_max;
}

/* Minimal paths and what @make adds to them, one level per hop.   Return: 1: made; 0: the lanes
 * suffice for nothing more; -ENOMEM */
static int try_longer(struct making *making, uint32_t minimal_hops,
		      int (*make)(const struct topology *topology,
				  const routing_distance_t *distances, uint32_t hops_max,
				  struct routing *routing, uint32_t *longest))
{
	uint32_t longest;
	int error;

	if (minimal_hops > making->lanes_max)
		return 0;
	error = make(making->topology, making->distances, making->lanes_max, making->routing,
		     &longest);
	if (error || !longest)
		return error;
	lanes_take(making, LANES_BY_HOP, longest > minimal_hops ? longest : minimal_hops);
	return 1;
}

/* Minimal paths on one level; detours too if cycles are allowed.   Return: 1: made, without a cycle
 * or with one that is allowed; 0: a cycle that is not; -ENOMEM */
static int try_one_level(struct making *making, uint32_t minimal_hops)
{
	uint32_t longest = 0;
	int error = 0;

	if (making->request->detours && making->request->cycles_allowed)
		error = routing_vias_make(making->topology, making->distances, UINT32_MAX,
					  making->routing, &longest);
	lanes_take(making, LANES_KEEP, longest > minimal_hops ? longest : minimal_hops);
	if (!error)
		error = routing_cycle_find(making->topology, making->routing, &making->cycle);
	if (error)
		return error;
	return !making->cycle;
}

/* Return: 1: made; 0: there is a cycle that is not allowed; -ENOMEM */
static int minimal_make(struct making *making)
{
	uint32_t hops = routing_longest_hops(making->topology, making->distances);
	int made = 0;

	making->routing->order = ORDER_MINIMAL;
	routing_minimal_make(making->topology, making->distances, making->routing);
	if (making->request->detours)
		made = try_longer(making, hops, routing_vias_make);
	if (!made && making->request->non_minimal)
		made = try_longer(making, hops, routing_non_minimal_make);
	if (!made)
		made = try_one_level(making, hops);
	if (made || (making->request->detours && making->request->cycles_allowed))
		return made ? made : 1;
	if (hops > making->lanes_max)
		return making->request->cycles_allowed;
	lanes_take(making, LANES_BY_HOP, hops);
	return 1;
}

static int up_down_make(struct making *making)
{
	size_t count = making->topology->switch_count;
	routing_distance_t *lengths = malloc((count * count + 1) * sizeof(*lengths));
	int error = lengths ? routing_up_down_make(making->topology, making->distances, lengths,
						   making->routing)
			    : -ENOMEM;

	making->routing->order = ORDER_UP_DOWN;
	if (!error)
		lanes_take(making, LANES_KEEP, routing_longest_hops(making->topology, lengths));
	free(lengths);
	return error;
}

/* Return: 0; -EINVAL: minimal routes were requested and have a cycle */
static int routes_make(struct making *making, struct why *why)
{
	int made = 0;

	if (making->request->order != ORDER_UP_DOWN)
		made = minimal_make(making);
	if (made)
		return made < 0 ? made : 0;
	if (making->request->order != ORDER_MINIMAL)
		return up_down_make(making);
	return why_say(why, -EINVAL,
		       "packets could wait for each other in a cycle: %s. Minimal routes need %u "
		       "lanes here, and %u may be used; with order: auto or up-down one is enough",
		       making->cycle, making->routing->hops_max, making->lanes_max);
}

/* Return: 0; -EINVAL: there is a cycle nevertheless */
static int result_check(const struct making *making, struct why *why)
{
	struct routing *routing = making->routing;
	int error = routing_cycle_find(making->topology, routing, &routing->cycle);

	if (error || !routing->cycle || making->request->cycles_allowed)
		return error;
	return why_say(why, -EINVAL, "packets could wait for each other in a cycle: %s",
		       routing->cycle);
}

int routing_make(const struct topology *topology, const struct routing_request *request,
		 struct routing *routing, struct why *why)
{
	struct making making = {
		.topology = topology,
		.request = request,
		.routing = routing,
		.distances = routing_distances(topology),
		.lanes_max = request->lanes ? request->lanes : request->lanes_max,
	};
	int error;

	*routing = (struct routing){ .edge_groups = request->non_minimal };
	error = making.distances ? tables_alloc(topology, routing) : -ENOMEM;
	if (!error)
		error = request->follow
				? routing_follow(topology, request, making.distances, routing)
				: routes_make(&making, why);
	if (!error)
		routing_given_apply(topology, request, routing);
	if (!error)
		error = result_check(&making, why);
	if (!error && request->fabric == FABRIC_FLOW_CHANNEL)
		error = routing_upward_make(topology, routing);
	if (!error && request->fabric == FABRIC_PORT_GROUP)
		error = routing_lids_make(topology, routing);
	if (error)
		routing_free(routing);
	free(making.distances);
	free(making.cycle);
	return error;
}

void routing_free(struct routing *routing)
{
	for (uint32_t i = 0; i < routing->switch_count; i++) {
		free(routing->switches[i].routes);
		free(routing->switches[i].vias);
		free(routing->switches[i].non_minimal);
		lid_tables_free(&routing->switches[i].lids);
	}
	free(routing->switches);
	free(routing->cycle);
	*routing = (struct routing){ 0 };
}
