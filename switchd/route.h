/*  route - which output ports lead to a switch, and which of them a flow takes (static routing).
 *
 *  The choice is made when a flow's channel is set up and stands while anything of the flow is downstream (FC-15). Static:
 *  the (egress port modulo number of candidates)-th port, so that the hosts of a switch spread over the paths to it.    */
#ifndef HEDDLE_SWITCHD_ROUTE_H
#define HEDDLE_SWITCHD_ROUTE_H

#include <stdint.h>

#include "nodes/config.h"

struct route {
	uint8_t port_count;
	uint8_t ports[NODE_PORTS_MAX];
};

struct route_table {
	struct route *routes; /* by fabric address */
	uint32_t address_count;
	uint32_t own_address;
};

/** route_table_init() - from the node's configuration.  Return: 0 or -ENOMEM. */
int route_table_init(struct route_table *table, const struct switch_config *config);
void route_table_fini(struct route_table *table);

/** route_choose() - the output port towards @egress_port of switch @fabric_address.  Return: -1 if none leads there. O(1). */
static inline int route_choose(const struct route_table *table, uint32_t fabric_address, uint32_t egress_port)
{
	const struct route *route;

	if (fabric_address == table->own_address)
		return (int)egress_port;
	if (fabric_address >= table->address_count)
		return -1;
	route = &table->routes[fabric_address];
	return route->port_count ? route->ports[egress_port % route->port_count] : -1;
}

#endif
