#include "orchestrator/routing/routing_minimal.h"

#include <stdlib.h>

/* the distance over port @port of @at, if it is @distance from the peer */
static routing_distance_t further(const struct topology *topology, uint32_t at, uint32_t port,
				  routing_distance_t distance)
{
	bool global = topology->switches[at].ports[port].tier == TIER_GLOBAL;

	return distance + 1 + (global ? ROUTING_DISTANCE_GLOBAL : 0);
}

/* @distances  from every switch to @target.   @queue  space for all switches, each of which is in
 * it once at a time: without links between groups none enters it twice. */
static void distances_fill(const struct topology *topology, uint32_t target,
			   routing_distance_t *distances, uint32_t *queue, bool *queued)
{
	uint32_t count = topology->switch_count, first = 0, length = 1;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		distances[i] = ROUTING_UNREACHED;
	distances[target] = 0;
	queue[0] = target;
	while (length) {
		uint32_t at = queue[first];

		first = (first + 1) % count;
		length--;
		queued[at] = false;
		for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
			uint32_t peer = topology->switches[at].ports[p].peer;
			routing_distance_t distance = further(topology, at, p, distances[at]);

			if (!topology_leads_on(topology, at, p) || distances[peer] <= distance)
				continue;
			distances[peer] = distance;
			if (!queued[peer])
				queue[(first + length++) % count] = peer;
			queued[peer] = true;
		}
	}
}

routing_distance_t *routing_distances(const struct topology *topology)
{
	size_t count = topology->switch_count;
	routing_distance_t *distances = malloc((count * count + 1) * sizeof(*distances));
	uint32_t *queue = calloc(count, sizeof(*queue));
	bool *queued = calloc(count, sizeof(*queued));

	if (!distances || !queue || !queued) {
		free(distances);
		free(queue);
		free(queued);
		return NULL;
	}
	for (uint32_t target = 0; target < count; target++)
		distances_fill(topology, target, distances + target * count, queue, queued);
	free(queue);
	free(queued);
	return distances;
}

uint32_t routing_longest_hops(const struct topology *topology, const routing_distance_t *lengths)
{
	uint32_t longest = 0;

	for (uint32_t to = 0; to < topology->switch_count; to++)
		for (uint32_t from = 0;
		     from < topology->switch_count && topology_has_hosts(topology, to); from++) {
			routing_distance_t length =
				lengths[(size_t)to * topology->switch_count + from];

			if (length != ROUTING_UNREACHED && routing_hops(length) > longest &&
			    topology_has_hosts(topology, from))
				longest = routing_hops(length);
		}
	return longest;
}

uint64_t routing_nearer_ports(const struct topology *topology, uint32_t at,
			      const routing_distance_t *distances)
{
	uint64_t ports = 0;

	if (distances[at] == ROUTING_UNREACHED)
		return 0;
	for (uint32_t p = 0; p < topology->switches[at].port_count; p++)
		if (topology_leads_on(topology, at, p) &&
		    further(topology, at, p, distances[topology->switches[at].ports[p].peer]) ==
			    distances[at])
			ports |= 1ull << p;
	return ports;
}

void routing_minimal_make(const struct topology *topology, const routing_distance_t *distances,
			  struct routing *routing)
{
	for (uint32_t target = 0; target < topology->switch_count; target++)
		for (uint32_t i = 0; i < topology->switch_count; i++)
			if (i != target)
				routing_route(routing, i, target)->ports = routing_nearer_ports(
					topology, i,
					distances + (size_t)target * topology->switch_count);
}
