/*  route - which output ports lead to a switch, and which of them a flow takes (static routing).
 *
 *  The choice is made when a flow's channel is set up and stands while anything of the flow is
 *  downstream (FC-15). Static: the (egress port modulo number of candidates)-th port, so that the
 *  hosts of a switch spread over the paths to it. Ports that are down are no candidates: who loses
 *  its port takes one of the others, everybody else stays (FC-26). */
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
	/* set of ports that lead away from all hosts; 0: the fabric is no tree, or they are
	 * furthest here */
	uint64_t upward;
	uint64_t ports_up; /* set of ports that may be chosen; all at first */
};

/** route_table_init() - from the node's configuration.  Return: 0 or -ENOMEM. */
int route_table_init(struct route_table *table, const struct switch_config *config);
void route_table_fini(struct route_table *table);

/** route_table_same() - do both say the same, whatever ports are up? */
bool route_table_same(const struct route_table *a, const struct route_table *b);

/* of the candidates that are up the one that @other says, modulo their number; -1 if all are
 * down */
int route_pick_other(const struct route_table *table, const struct route *route, uint32_t other);

static inline bool route_port_up(const struct route_table *table, uint32_t port)
{
	return port < NODE_PORTS_MAX && table->ports_up >> port & 1;
}

/** route_upward_number() - of upward port @port: 1 for the lowest, and so on. route_upward_port() -
 *  back; -1: there are not so many. */
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

/** route_of() - the candidates towards switch @fabric_address; NULL for the own switch, and for one
 *  that is not known. */
static inline const struct route *route_of(const struct route_table *table, uint32_t fabric_address)
{
	return fabric_address == table->own_address || fabric_address >= table->address_count
		       ? NULL
		       : &table->routes[fabric_address];
}

/** route_pick() - the output port towards @egress_port of switch @fabric_address: of the candidates
 *  the one that @first says, modulo their number; if that is down, of those that are up the one
 *  that @other says.
 *  Return: -1 if none that is up leads there. O(1); O(candidates) if the first choice is down. */
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

/** route_choose() - static: the hosts of a switch spread over the ways to it. */
static inline int route_choose(const struct route_table *table, uint32_t fabric_address,
			       uint32_t egress_port)
{
	return route_pick(table, fabric_address, egress_port, egress_port, egress_port);
}

#endif
