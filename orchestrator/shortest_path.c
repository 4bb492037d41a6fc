#include "orchestrator/shortest_path.h"

#include <errno.h>
#include <stdlib.h>

#define UNREACHED UINT32_MAX

/* Does port @p of @at lead to another switch?  @cut  as in shortest_path_routes() */
static bool leads_on(const struct node_config *at, uint32_t p, const uint64_t *cut)
{
	return at->ports[p].kind == PORT_FABRIC && !(cut && cut[at->index] >> p & 1);
}

/* How many links every switch is away from @target.   @queue  filled with those that can reach it, nearest first.
 * Return: how many these are. */
static uint32_t distances_fill(const struct node_config *switches, uint32_t switch_count, const uint64_t *cut,
			       uint32_t target, uint32_t *distances, uint32_t *queue)
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

			if (!leads_on(at, p, cut) || distances[peer] != UNREACHED)
				continue;
			distances[peer] = distances[at->index] + 1;
			queue[end++] = peer;
		}
	}
	return end;
}

/* the ports of @at that lead one step nearer */
static uint64_t candidates(const struct node_config *at, const uint64_t *cut, const uint32_t *distances)
{
	uint64_t ports = 0;

	for (uint32_t p = 0; p < at->port_count; p++)
		if (leads_on(at, p, cut) && distances[at->ports[p].peer_index] < distances[at->index])
			ports |= 1ull << p;
	return ports;
}

int shortest_path_routes(struct node_config *switches, uint32_t switch_count, const uint64_t *cut)
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
		distances_fill(switches, switch_count, cut, target, distances, queue);
		for (uint32_t i = 0; i < switch_count; i++)
			if (i != target)
				switches[i].switch_.routes[target - (target > i)] = (struct route_config){
					.fabric_address = target + 1,
					.ports = distances[i] == UNREACHED ? 0
									   : candidates(&switches[i], cut, distances),
				};
	}
	free(distances);
	free(queue);
	return error;
}

static bool has_hosts(const struct node_config *node)
{
	for (uint32_t p = 0; p < node->port_count; p++)
		if (node->ports[p].kind == PORT_EDGE && !node->ports[p].vacant)
			return true;
	return false;
}

/* from @at to where @distances lead, over the longest of the ports that lead there */
static node_time_t way_ps(const struct node_config *at, const uint32_t *distances, const node_time_t *ways_ps,
			  node_time_t hop_ps(const struct node_config *node, const struct port_config *port))
{
	node_time_t longest_ps = 0;

	for (uint64_t ports = candidates(at, NULL, distances); ports; ports &= ports - 1) {
		const struct port_config *port = &at->ports[__builtin_ctzll(ports)];

		longest_ps = node_time_max(longest_ps, hop_ps(at, port) + ways_ps[port->peer_index]);
	}
	return longest_ps;
}

int shortest_path_longest_ps(const struct node_config *switches, uint32_t switch_count,
			     node_time_t hop_ps(const struct node_config *node, const struct port_config *port),
			     node_time_t *longest_ps)
{
	uint32_t *distances = calloc(switch_count, sizeof(*distances));
	uint32_t *queue = calloc(switch_count, sizeof(*queue));
	node_time_t *ways_ps = calloc(switch_count, sizeof(*ways_ps));
	int error = distances && queue && ways_ps ? 0 : -ENOMEM;

	*longest_ps = 0;
	for (uint32_t target = 0; !error && target < switch_count; target++) {
		uint32_t count = has_hosts(&switches[target])
					 ? distances_fill(switches, switch_count, NULL, target, distances, queue)
					 : 0;

		for (uint32_t i = 0; i < count; i++) {
			const struct node_config *at = &switches[queue[i]];

			ways_ps[at->index] = way_ps(at, distances, ways_ps, hop_ps);
			if (has_hosts(at))
				*longest_ps = node_time_max(*longest_ps, ways_ps[at->index]);
		}
	}
	free(distances);
	free(queue);
	free(ways_ps);
	return error;
}
