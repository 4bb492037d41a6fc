#include "switchd/dataplane.h"

bool choose_output(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet)
{
	int port;

	(void)packet;
	if (ifct_total_extent(flow))
		return true;
	port = route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
	if (port < 0 || (uint32_t)port >= dp->port_count ||
	    (dp->ports[port].kind == PORT_EDGE) != (flow->fabric_address == dp->routes.own_address))
		return false;
	flow->follow_port = (uint8_t)port;
	return true;
}
