#include "orchestrator/routing/routing_in_flight.h"

#include <errno.h>
#include <stdlib.h>

#define NOT_PASSED UINT16_MAX

/* Raises @most at the peers of @ports to @hops.  Return: true if one of them was less. */
static bool raise(const struct topology *topology, uint32_t at, uint64_t ports, uint16_t hops,
		  uint16_t *most)
{
	bool raised = false;

	for (; ports; ports &= ports - 1) {
		uint16_t *there = &most[topology->switches[at].ports[__builtin_ctzll(ports)].peer];

		if (*there != NOT_PASSED && *there >= hops)
			continue;
		*there = hops;
		raised = true;
	}
	return raised;
}

/* @most  by switch: the most links that a packet to @to may have passed when it arrives there */
static void most_fill(const struct topology *topology, const struct routing *before, uint32_t to,
		      uint16_t *most)
{
	bool raised = true;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		most[i] = i != to && topology_has_hosts(topology, i) ? 0 : NOT_PASSED;
	for (uint32_t i = 0; i < topology->switch_count; i++)
		if (i != to && before->switches[i].non_minimal)
			raise(topology, i, before->switches[i].non_minimal[to], 1, most);
	while (raised) {
		raised = false;
		for (uint32_t i = 0; i < topology->switch_count; i++)
			if (i != to && most[i] != NOT_PASSED)
				raised |= raise(topology, i, routing_route(before, i, to)->ports,
						(uint16_t)(most[i] + 1), most);
	}
}

int routing_in_flight_hops(const struct topology *topology, const struct routing *before,
			   const routing_distance_t *after, uint32_t *hops)
{
	uint32_t count = topology->switch_count;
	uint16_t *most = malloc((count + 1) * sizeof(*most));

	if (!most)
		return -ENOMEM;
	for (uint32_t to = 0; to < count; to++) {
		if (!topology_has_hosts(topology, to))
			continue;
		most_fill(topology, before, to, most);
		for (uint32_t i = 0; i < count; i++) {
			routing_distance_t left = after[(size_t)to * count + i];
			uint32_t all = most[i] + routing_hops(left);

			if (most[i] != NOT_PASSED && left != ROUTING_UNREACHED && all > *hops)
				*hops = all;
		}
	}
	free(most);
	return 0;
}
