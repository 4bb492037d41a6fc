/*  routing - from a topology to the tables of all its switches: minimal ways, detours, virtual lanes, port groups (FC-23, PG-11).
 *
 *  Pure: the same topology and request give the same tables, whoever asks: the plan before a start, the fabric manager while the
 *  fabric runs.
 *  Deadlock freedom. `order` auto takes minimal routes on one level of lanes if their channel dependency graph has no circle
 *  (fat trees); else one level per hop, if there are lanes enough for the longest way; else, if circles are allowed, minimal routes all the
 *  same; else up*-down* routes, which get everywhere on one level. Detours need one level per hop, or leave to have circles; without
 *  either, or where no detour is short enough for the lanes, there are none. So it is
 *  with non-minimal members of port groups. The result is checked in any case (routing_cycle.h).
 *  Routes that are asked for (`said`) take the place of those worked out, as long as a link to their next hop is up. Nothing keeps them
 *  from leading in a loop (routing_said.h).                                                                           */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_H

#include "orchestrator/routing/topology.h"

enum routing_order { ORDER_AUTO, ORDER_MINIMAL, ORDER_UP_DOWN, ROUTING_ORDERS };

/* a route that a scenario asks for: what goes from switch `at` to switch `to` leaves by the links to switch `by`; fabric addresses */
struct route_said {
	uint32_t at, to, by;
};

struct routing_request {
	enum fabric_kind fabric;
	enum routing_order order;
	uint32_t lanes; /* levels per class; 0: as many as it takes, up to lanes_max */
	uint32_t lanes_max;
	bool detours;     /* vias are wanted, and lanes for them */
	bool non_minimal; /* port groups: members over longer ways are wanted, and lanes for them (routing_non_minimal.h) */
	bool cycles_allowed; /* a circle is told, but is no error */
	bool follow;         /* the fabric runs already: with `lanes`, `order` and this rule (routing_follow.h) */
	enum lane_rule lane_rule;
	/* `follow`, `non_minimal`: links that such a path may have, as many as the longest path of the
	 * whole fabric: further lanes are for packets in flight (routing_in_flight.h). 0: the lanes */
	uint32_t path_hops_max;
	uint32_t said_count; /* fabric kind roce */
	const struct route_said *said;
};

struct switch_tables {
	struct route_config
		*routes; /* [switch_count]: by fabric address, the own one left out; the last is ROUTE_UPWARD */
	uint32_t via_count;
	uint16_t *vias;
	/* [switch_count], by switch index: ports that a packet from a host may take besides the shortest one; NULL: none */
	uint64_t *non_minimal;
	struct lid_tables lids; /* fabric kind port-group */
};

struct routing {
	enum routing_order order; /* taken */
	enum lane_rule lane_rule;
	uint32_t lanes;
	uint32_t
		hops_max; /* fabric links of the longest way between hosts, detours included; `follow`: not worked out, 0 */
	bool fresh;       /* `follow`: these ways and those before might have a circle together */
	uint32_t
		beyond; /* `follow`: pairs of switches with hosts, each way, that are further apart than there are lanes */
	bool edge_groups; /* groups from PORT_GROUP_EDGE_FROM on are for packets from hosts alone */
	bool tree;        /* every link leads upward or downward: routing_upward.h */
	char *cycle;      /* the channels of a circle in words; NULL: there is none. Owned */
	uint32_t switch_count;
	struct switch_tables *switches;
};

/** routing_make() - the tables of all switches of @topology.
 *  Return: 0 with @routing filled, routing_free() later; -EINVAL with a sentence in @why (a circle, lanes that do not suffice);
 *  -ENOMEM.  O(switches * links).                                                                                   */
int routing_make(const struct topology *topology, const struct routing_request *request, struct routing *routing,
		 char *why, unsigned why_max);
void routing_free(struct routing *routing);

/** routing_route() - the route of switch @from towards switch @to (indices, not the same). */
static inline struct route_config *routing_route(const struct routing *routing, uint32_t from, uint32_t to)
{
	return &routing->switches[from].routes[to - (to > from)];
}

/** routing_upward() - the ports of switch @index that lead away from all hosts, if the fabric is a tree (ROUTE_UPWARD). */
static inline struct route_config *routing_upward(const struct routing *routing, uint32_t index)
{
	return &routing->switches[index].routes[routing->switch_count - 1];
}

#endif
