#include "orchestrator/routing/routing_via.h"

#include <errno.h>
#include <stdlib.h>

/* hops from every switch to the furthest switch with hosts that it reaches */
static void furthest_fill(const struct topology *topology, const routing_distance_t *distances,
			  uint32_t *furthest)
{
	size_t count = topology->switch_count;

	for (uint32_t to = 0; to < count; to++)
		for (uint32_t from = 0; from < count && topology_has_hosts(topology, to); from++) {
			routing_distance_t distance = distances[to * count + from];

			if (distance != ROUTING_UNREACHED &&
			    routing_hops(distance) > furthest[from])
				furthest[from] = routing_hops(distance);
		}
}

static int vias_fill(const struct topology *topology, const routing_distance_t *distances,
		     const uint32_t *furthest, uint32_t at, uint32_t hops_max,
		     struct switch_tables *tables, uint32_t *longest)
{
	size_t count = topology->switch_count;

	free(tables->vias);
	tables->via_count = 0;
	tables->vias = calloc(count, sizeof(*tables->vias));
	if (!tables->vias)
		return -ENOMEM;
	for (uint32_t via = 0; via < count && topology_has_hosts(topology, at); via++) {
		uint32_t hops = distances[via * count + at];

		if (via == at || hops == ROUTING_UNREACHED || !topology_has_hosts(topology, via))
			continue;
		hops = routing_hops(hops) + furthest[via];
		if (hops > hops_max)
			continue;
		tables->vias[tables->via_count++] =
			(uint16_t)topology->switches[via].fabric_address;
		*longest = hops > *longest ? hops : *longest;
	}
	return 0;
}

int routing_vias_make(const struct topology *topology, const routing_distance_t *distances,
		      uint32_t hops_max, struct routing *routing, uint32_t *longest)
{
	uint32_t *furthest = calloc(topology->switch_count, sizeof(*furthest));
	int error = furthest ? 0 : -ENOMEM;

	*longest = 0;
	if (!error)
		furthest_fill(topology, distances, furthest);
	for (uint32_t i = 0; !error && i < topology->switch_count; i++)
		error = vias_fill(topology, distances, furthest, i, hops_max, &routing->switches[i],
				  longest);
	free(furthest);
	return error;
}

bool routing_vias_have(const uint16_t *vias, uint32_t count, uint32_t address)
{
	uint32_t from = 0;

	while (from < count) {
		uint32_t middle = from + (count - from) / 2;

		if (vias[middle] == address)
			return true;
		if (vias[middle] < address)
			from = middle + 1;
		else
			count = middle;
	}
	return false;
}
