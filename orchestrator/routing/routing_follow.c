#include "orchestrator/routing/routing_follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/routing/routing_cycle.h"
#include "orchestrator/routing/routing_minimal.h"
#include "orchestrator/routing/routing_non_minimal.h"
#include "orchestrator/routing/routing_up_down.h"
#include "orchestrator/routing/routing_via.h"

struct following {
	const struct topology *topology;
	const struct routing_request *request;
	const routing_distance_t *distances;
	struct topology whole;
	routing_distance_t *whole_distances;
	struct routing *routing;
};

static bool hosts_both(const struct following *following, uint32_t from, uint32_t to)
{
	return topology_has_hosts(following->topology, from) &&
	       topology_has_hosts(following->topology, to);
}

static routing_distance_t distance(const struct following *following,
				   const routing_distance_t *distances, uint32_t from, uint32_t to)
{
	return distances[(size_t)to * following->topology->switch_count + from];
}

/* ---- lane rule: one level more at every hop ---- */

/* removes routes whose paths are longer than the lanes suffice for, and counts them */
static void beyond_drop(struct following *following)
{
	struct routing *routing = following->routing;

	for (uint32_t from = 0; from < routing->switch_count; from++)
		for (uint32_t to = 0; to < routing->switch_count; to++) {
			routing_distance_t length =
				distance(following, following->distances, from, to);

			if (from == to || length == ROUTING_UNREACHED ||
			    routing_hops(length) <= routing->lanes)
				continue;
			routing_route(routing, from, to)->ports = 0;
			routing->beyond += hosts_both(following, from, to);
		}
}

static int by_hop_make(struct following *following)
{
	struct routing *routing = following->routing;
	uint32_t longest = 0, path_hops_max = following->request->path_hops_max;
	int error = 0;

	if (!path_hops_max || path_hops_max > routing->lanes)
		path_hops_max = routing->lanes;
	routing_minimal_make(following->topology, following->distances, routing);
	if (following->request->detours)
		error = routing_vias_make(following->topology, following->distances, routing->lanes,
					  routing, &longest);
	beyond_drop(following);
	if (!error && following->request->non_minimal)
		error = routing_non_minimal_make(following->topology, following->distances,
						 path_hops_max, routing, &longest);
	return error;
}

/* ---- cycles are allowed ---- */

static int any_make(struct following *following)
{
	uint32_t longest = 0;

	routing_minimal_make(following->topology, following->distances, following->routing);
	if (!following->request->detours)
		return 0;
	return routing_vias_make(following->topology, following->distances, UINT32_MAX,
				 following->routing, &longest);
}

/* ---- minimal, on one level ---- */

/* True if no path between hosts is longer than in the whole fabric. */
static bool is_as_short(const struct following *following)
{
	for (uint32_t from = 0; from < following->routing->switch_count; from++)
		for (uint32_t to = 0; to < following->routing->switch_count; to++) {
			routing_distance_t length =
				distance(following, following->distances, from, to);

			if (length != ROUTING_UNREACHED && hosts_both(following, from, to) &&
			    length != distance(following, following->whole_distances, from, to))
				return false;
		}
	return true;
}

static void longer_drop(struct following *following)
{
	struct routing *routing = following->routing;

	for (uint32_t from = 0; from < routing->switch_count; from++)
		for (uint32_t to = 0; to < routing->switch_count; to++)
			if (from != to &&
			    distance(following, following->distances, from, to) !=
				    distance(following, following->whole_distances, from, to))
				routing_route(routing, from, to)->ports = 0;
}

/* Return: 1: the routes have a cycle; 0: they have none; -ENOMEM */
static int has_cycle(struct following *following)
{
	char *cycle = NULL;
	int error = routing_cycle_find(&following->whole, following->routing, &cycle);

	free(cycle);
	return error ? error : cycle != NULL;
}

/* The union of the routes of the whole fabric and those of what is left.   Return: 1: it has a
 * cycle; 0: none; -ENOMEM */
static int union_has_cycle(struct following *following)
{
	struct routing *routing = following->routing;
	size_t count = routing->switch_count;
	uint64_t *ports = calloc(count * count, sizeof(*ports));
	int found;

	if (!ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < count * count; i++)
		if (i / count != i % count)
			ports[i] =
				routing_route(routing, (uint32_t)(i / count), (uint32_t)(i % count))
					->ports;
	routing_minimal_make(following->topology, following->distances, routing);
	for (uint32_t i = 0; i < count * count; i++)
		if (i / count != i % count)
			routing_route(routing, (uint32_t)(i / count), (uint32_t)(i % count))
				->ports |= ports[i];
	free(ports);
	found = has_cycle(following);
	routing_minimal_make(following->topology, following->distances, routing);
	return found;
}

/* Return: 1: made; 0: there are no minimal routes that are safe beside those of the whole fabric;
 * -ENOMEM */
static int minimal_make(struct following *following)
{
	int found;

	routing_minimal_make(&following->whole, following->whole_distances, following->routing);
	found = has_cycle(following); /* the fabric may have grown since its start */
	if (found)
		return found < 0 ? found : 0;
	if (is_as_short(following)) {
		routing_minimal_make(following->topology, following->distances, following->routing);
		longer_drop(following);
		return 1;
	}
	found = union_has_cycle(following);
	return found < 0 ? found : !found;
}

/* ---- any lane rule ---- */

static int kept_level_make(struct following *following)
{
	bool minimal = following->request->order == ORDER_MINIMAL;
	int made = minimal ? minimal_make(following) : 0;
	int error = made < 0 ? made : 0;

	if (made)
		return error;
	following->routing->order = ORDER_UP_DOWN;
	error = routing_up_down_follow(following->topology, following->distances, &following->whole,
				       following->whole_distances, following->routing,
				       &following->routing->fresh);
	following->routing->fresh |= minimal;
	return error;
}

int routing_follow(const struct topology *topology, const struct routing_request *request,
		   const routing_distance_t *distances, struct routing *routing)
{
	struct following following = {
		.topology = topology, .request = request, .distances = distances, .routing = routing
	};
	int error = 0;

	routing->order = request->order;
	routing->lane_rule = request->lane_rule;
	routing->lanes = request->lanes;
	if (request->lane_rule == LANES_BY_HOP)
		return by_hop_make(&following);
	if (request->cycles_allowed && request->order != ORDER_UP_DOWN)
		return any_make(&following);
	error = topology_whole(topology, &following.whole);
	if (!error)
		following.whole_distances = routing_distances(&following.whole);
	if (!error)
		error = following.whole_distances ? kept_level_make(&following) : -ENOMEM;
	free(following.whole_distances);
	topology_free(&following.whole);
	return error;
}
