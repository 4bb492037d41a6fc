#include "orchestrator/shortest_path.h"

#include <errno.h>
#include <stdlib.h>

#define UNREACHED UINT32_MAX

/* how many links every switch is away from @target */
static void distances_fill(const struct node_config *switches, uint32_t switch_count, uint32_t target,
			   uint32_t *distances, uint32_t *queue)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < switch_count; i++)
		distances[i] = UNREACHED;
	distances[target] = 0;
	queue[end++] = target;
	while (first < end) {
		const struct node_config *at = &switches[queue[first++]];

		for (uint32_t p = 0; p < at->port_count; p++) {
			uint32_t peer = at->ports[p].peer_index;

			if (at->ports[p].kind != PORT_FABRIC || distances[peer] != UNREACHED)
				continue;
			distances[peer] = distances[at->index] + 1;
			queue[end++] = peer;
		}
	}
}

/* the ports of @at that lead one step nearer */
static uint64_t candidates(const struct node_config *at, const uint32_t *distances)
{
	uint64_t ports = 0;

	for (uint32_t p = 0; p < at->port_count; p++)
		if (at->ports[p].kind == PORT_FABRIC && distances[at->ports[p].peer_index] < distances[at->index])
			ports |= 1ull << p;
	return ports;
}

int shortest_path_routes(struct node_config *switches, uint32_t switch_count)
{
	uint32_t *distances = calloc(switch_count, sizeof(*distances));
	uint32_t *queue = calloc(switch_count, sizeof(*queue));
	int error = distances && queue ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < switch_count; i++) {
		switches[i].switch_.routes = calloc(switch_count, sizeof(struct route_config));
		switches[i].switch_.route_count = switches[i].switch_.routes ? switch_count - 1 : 0;
		error = switches[i].switch_.routes ? 0 : -ENOMEM;
	}
	for (uint32_t target = 0; !error && target < switch_count; target++) {
		distances_fill(switches, switch_count, target, distances, queue);
		for (uint32_t i = 0; i < switch_count; i++)
			if (i != target)
				switches[i].switch_.routes[target - (target > i)] = (struct route_config){
					.fabric_address = target + 1,
					.ports = distances[i] == UNREACHED ? 0 : candidates(&switches[i], distances),
				};
	}
	free(distances);
	free(queue);
	return error;
}
