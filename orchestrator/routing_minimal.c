#include "orchestrator/routing_minimal.h"

#include <stdlib.h>

/* @distances  to @target, of every switch.   @queue  room for all switches. */
static void distances_fill(const struct topology *topology, uint32_t target, uint16_t *distances, uint32_t *queue)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		distances[i] = ROUTING_UNREACHED;
	distances[target] = 0;
	queue[end++] = target;
	while (first < end) {
		uint32_t at = queue[first++];

		for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
			uint32_t peer = topology->switches[at].ports[p].peer;

			if (!topology_leads_on(topology, at, p) || distances[peer] != ROUTING_UNREACHED)
				continue;
			distances[peer] = distances[at] + 1;
			queue[end++] = peer;
		}
	}
}

uint16_t *routing_distances(const struct topology *topology)
{
	size_t count = topology->switch_count;
	uint16_t *distances = malloc((count * count + 1) * sizeof(*distances));
	uint32_t *queue = calloc(count + 1, sizeof(*queue));

	if (!distances || !queue) {
		free(distances);
		free(queue);
		return NULL;
	}
	for (uint32_t target = 0; target < count; target++)
		distances_fill(topology, target, distances + target * count, queue);
	free(queue);
	return distances;
}

/* the ports of @at that lead one step nearer.   @distances  to where they shall lead */
static uint64_t ports_nearer(const struct topology *topology, uint32_t at, const uint16_t *distances)
{
	uint64_t ports = 0;

	if (distances[at] == ROUTING_UNREACHED)
		return 0;
	for (uint32_t p = 0; p < topology->switches[at].port_count; p++)
		if (topology_leads_on(topology, at, p) &&
		    distances[topology->switches[at].ports[p].peer] < distances[at])
			ports |= 1ull << p;
	return ports;
}

void routing_minimal_make(const struct topology *topology, const uint16_t *distances, struct routing *routing)
{
	for (uint32_t target = 0; target < topology->switch_count; target++)
		for (uint32_t i = 0; i < topology->switch_count; i++)
			if (i != target)
				routing_route(routing, i, target)->ports =
					ports_nearer(topology, i, distances + (size_t)target * topology->switch_count);
}
