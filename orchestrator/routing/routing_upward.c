#include "orchestrator/routing/routing_upward.h"

#include <errno.h>
#include <stdlib.h>

#define LEVEL_NONE UINT32_MAX /* no path to a switch with hosts */

/* @queue  space for all switches */
static void levels_fill(const struct topology *topology, uint32_t *levels, uint32_t *queue)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		levels[i] = topology_has_hosts(topology, i) ? 0 : LEVEL_NONE;
	/* also at NICs that are down: they will return */
	for (uint32_t h = 0; h < topology->host_count; h++)
		if (topology->hosts[h].fabric_address &&
		    topology->hosts[h].fabric_address <= topology->switch_count)
			levels[topology->hosts[h].fabric_address - 1] = 0;
	for (uint32_t i = 0; i < topology->switch_count; i++)
		if (!levels[i])
			queue[count++] = i;
	for (uint32_t first = 0; first < count; first++) {
		uint32_t at = queue[first];

		for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
			uint32_t peer = topology->switches[at].ports[p].peer;

			if (!topology_leads_on(topology, at, p) || levels[peer] != LEVEL_NONE)
				continue;
			levels[peer] = levels[at] + 1;
			queue[count++] = peer;
		}
	}
}

/* the ports of @at that go up; sets *@tree to false if one goes neither up nor down */
static uint64_t ports_upward(const struct topology *topology, const uint32_t *levels, uint32_t at,
			     bool *tree)
{
	uint64_t ports = 0;

	for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
		uint32_t peer = topology->switches[at].ports[p].peer;

		if (!topology_leads_on(topology, at, p))
			continue;
		if (levels[peer] == levels[at] && levels[at] != LEVEL_NONE)
			*tree = false;
		if (levels[peer] > levels[at])
			ports |= 1ull << p;
	}
	return ports;
}

/* @whole  failed parts included.   @levels, @queue  space for all switches */
static void tables_fill(const struct topology *whole, uint32_t *levels, uint32_t *queue,
			struct routing *routing)
{
	uint64_t all = 0;

	levels_fill(whole, levels, queue);
	routing->tree = true;
	for (uint32_t i = 0; i < whole->switch_count; i++) {
		routing_upward(routing, i)->ports = ports_upward(whole, levels, i, &routing->tree);
		all |= routing_upward(routing, i)->ports;
	}
	routing->tree = routing->tree && all;
	for (uint32_t i = 0; !routing->tree && i < whole->switch_count; i++)
		routing_upward(routing, i)->ports = 0;
}

int routing_upward_make(const struct topology *topology, struct routing *routing)
{
	uint32_t *levels = calloc(topology->switch_count + 1, sizeof(*levels));
	uint32_t *queue = calloc(topology->switch_count + 1, sizeof(*queue));
	struct topology whole = { 0 };
	int error = levels && queue ? topology_whole(topology, &whole) : -ENOMEM;

	if (!error)
		tables_fill(&whole, levels, queue, routing);
	topology_free(&whole);
	free(levels);
	free(queue);
	return error;
}
