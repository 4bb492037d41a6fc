#include "orchestrator/routing/routing_given.h"

/* the ports of switch @at to switch @by, both indices, that are up */
static uint64_t ports_to(const struct topology *topology, uint32_t at, uint32_t by)
{
	const struct topology_switch *node = &topology->switches[at];
	uint64_t ports = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		if (topology_leads_on(topology, at, p) && node->ports[p].peer == by)
			ports |= 1ull << p;
	return ports;
}

void routing_given_apply(const struct topology *topology, const struct routing_request *request,
			 struct routing *routing)
{
	for (uint32_t i = 0; i < request->said_count; i++) {
		const struct route_said *said = &request->said[i];
		uint64_t ports = 0;

		if (said->at <= topology->switch_count && said->to <= topology->switch_count)
			ports = ports_to(topology, said->at - 1, said->by - 1);
		if (ports)
			routing_route(routing, said->at - 1, said->to - 1)->ports = ports;
	}
}
