#include "orchestrator/routing/routing_non_minimal.h"

#include <errno.h>
#include <stdlib.h>

struct finding {
	const struct topology *topology;
	const routing_distance_t *distances;
	const struct routing *routing;
	uint32_t hops_max;
	uint32_t longest; /* links of the longest path found */
};

static uint32_t distance(const struct finding *finding, uint32_t from, uint32_t to)
{
	return finding->distances[(size_t)to * finding->topology->switch_count + from];
}

/* true if the rest of the shortest path from @at to @to, from its next switch @next on, has no
 * link between groups */
static bool scarce_is_past(const struct finding *finding, uint32_t at, uint32_t next, uint32_t to)
{
	return next == to || (distance(finding, at, to) >= ROUTING_DISTANCE_GLOBAL &&
			      distance(finding, next, to) < ROUTING_DISTANCE_GLOBAL);
}

/* True if a shortest path from @peer to @to goes back to @at, or to @next, the next switch of
 * @at's own shortest path, before that has passed its links between groups. */
static bool meets(const struct finding *finding, uint32_t peer, uint32_t to, uint32_t at,
		  uint32_t next)
{
	bool past = scarce_is_past(finding, at, next, to);

	for (uint64_t ports = routing_route(finding->routing, peer, to)->ports; ports;
	     ports &= ports - 1) {
		uint32_t after =
			finding->topology->switches[peer].ports[__builtin_ctzll(ports)].peer;

		if (after == at || (after == next && !past))
			return true;
	}
	return false;
}

/* the number of links from @at by @port to @to; 0: the port is no member */
static uint32_t hops_by(const struct finding *finding, uint32_t at, uint32_t port, uint32_t to)
{
	const struct topology_port *ports = finding->topology->switches[at].ports;
	uint32_t shortest =
		(uint32_t)__builtin_ctzll(routing_route(finding->routing, at, to)->ports);
	uint32_t next = ports[shortest].peer, peer = ports[port].peer;

	if (port == shortest || !topology_leads_on(finding->topology, at, port) || peer == to ||
	    peer == next || peer == at || !routing_route(finding->routing, peer, to)->ports ||
	    meets(finding, peer, to, at, next))
		return 0;
	return 1 + routing_hops(distance(finding, peer, to));
}

static uint64_t members(struct finding *finding, uint32_t at, uint32_t to)
{
	uint64_t shortest = routing_route(finding->routing, at, to)->ports, ports = 0;

	if (!shortest || shortest & (shortest - 1))
		return 0;
	for (uint32_t port = 0; port < finding->topology->switches[at].port_count; port++) {
		uint32_t hops = hops_by(finding, at, port, to);

		if (!hops || hops > finding->hops_max)
			continue;
		ports |= 1ull << port;
		finding->longest = hops > finding->longest ? hops : finding->longest;
	}
	return ports;
}

int routing_non_minimal_make(const struct topology *topology, const routing_distance_t *distances,
			     uint32_t hops_max, struct routing *routing, uint32_t *longest)
{
	struct finding finding = { .topology = topology,
				   .distances = distances,
				   .routing = routing,
				   .hops_max = hops_max };
	uint32_t count = topology->switch_count;

	for (uint32_t at = 0; at < count; at++) {
		struct switch_tables *tables = &routing->switches[at];

		free(tables->non_minimal);
		tables->non_minimal =
			topology_has_hosts(topology, at) ? calloc(count, sizeof(uint64_t)) : NULL;
		if (!topology_has_hosts(topology, at))
			continue;
		if (!tables->non_minimal)
			return -ENOMEM;
		for (uint32_t to = 0; to < count; to++)
			if (to != at && topology_has_hosts(topology, to))
				tables->non_minimal[to] = members(&finding, at, to);
	}
	*longest = finding.longest;
	return 0;
}
