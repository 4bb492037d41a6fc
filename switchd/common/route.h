/*  route - routes of a switch: destination switch to output ports; the port of a flow (static
 *  routing).
 *
 *  The port is selected when a flow's channel is set up, and is kept while packets of the flow are
 *  downstream (FC-15). Static: the candidate with index (egress port modulo candidates), so flows
 *  to the hosts of a switch spread over the paths to it. Only flows whose port is down select
 *  another one (FC-26). */
#ifndef HEDDLE_SWITCHD_COMMON_ROUTE_H
#define HEDDLE_SWITCHD_COMMON_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/config/config.h"

struct route {
	uint8_t port_count;
	uint8_t ports[NODE_PORTS_MAX];
};

struct route_table {
	struct route *routes; /* by fabric address */
	uint16_t *vias;       /* switches that a detour may go by */
	uint32_t address_count, via_count;
	uint32_t own_address;
	/* set of ports that lead away from all hosts; 0: the fabric is not a tree, or this is its
	 * top */
	uint64_t upward;
	uint64_t ports_up; /* set of ports that may be chosen; all at first */
};

/** route_table_init() - from the node's configuration.  Return: 0 or -ENOMEM. */
int route_table_init(struct route_table *table, const struct switch_config *config);
void route_table_fini(struct route_table *table);

/** route_table_same() - are all entries of both equal? ports_up is not compared. */
bool route_table_same(const struct route_table *a, const struct route_table *b);

/* of the candidates that are up, the one with index (@other modulo their number); -1: all are down
 */
int route_pick_other(const struct route_table *table, const struct route *route, uint32_t other);

static inline bool route_port_up(const struct route_table *table, uint32_t port)
{
	return port < NODE_PORTS_MAX && table->ports_up >> port & 1;
}

/** route_upward_number() - the number of upward port @port: 1 for the lowest. route_upward_port() -
 *  the port of a number; -1: there are fewer. */
static inline uint32_t route_upward_number(const struct route_table *table, uint32_t port)
{
	return (uint32_t)__builtin_popcountll(table->upward & ((1ull << port) - 1)) + 1;
}

static inline int route_upward_port(const struct route_table *table, uint32_t number)
{
	uint64_t ports = table->upward;

	for (; number > 1 && ports; number--)
		ports &= ports - 1;
	return number && ports ? __builtin_ctzll(ports) : -1;
}

/** route_of() - the candidates for switch @fabric_address; NULL: it is the own or an unknown
 *  one. */
static inline const struct route *route_of(const struct route_table *table, uint32_t fabric_address)
{
	return fabric_address == table->own_address || fabric_address >= table->address_count
		       ? NULL
		       : &table->routes[fabric_address];
}

/** route_pick() - the output port for @egress_port of switch @fabric_address: the candidate with
 *  index (@first modulo candidates), or route_pick_other() if that is down.
 *  Return: -1 if no candidate is up. O(1); O(candidates) if the first one is down. */
static inline int route_pick(const struct route_table *table, uint32_t fabric_address,
			     uint32_t egress_port, uint32_t first, uint32_t other)
{
	const struct route *route = route_of(table, fabric_address);
	uint8_t port;

	if (fabric_address == table->own_address)
		return route_port_up(table, egress_port) ? (int)egress_port : -1;
	if (!route || !route->port_count)
		return -1;
	port = route->ports[first % route->port_count];
	return route_port_up(table, port) ? port : route_pick_other(table, route, other);
}

/** route_choose() - static: the hosts of a switch spread over the paths to it. */
static inline int route_choose(const struct route_table *table, uint32_t fabric_address,
			       uint32_t egress_port)
{
	return route_pick(table, fabric_address, egress_port, egress_port, egress_port);
}

#endif
