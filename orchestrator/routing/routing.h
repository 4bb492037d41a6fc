/*  routing - computes the tables of all switches from a topology: minimal paths, detours, virtual
 *  lanes, port groups (FC-23, PG-11).
 *
 *  Pure: the same topology and request give the same tables. The plan calls it before a start, the
 *  fabric manager while the fabric runs.
 *
 *  Deadlock freedom. `order` auto selects the first of these that is possible:
 *    1. minimal routes on one level of lanes, if their channel dependency graph has no cycle (fat
 *      trees);
 *    2. minimal routes with one level per hop, if there are enough lanes for the longest path;
 *    3. minimal routes on one level, if cycles are allowed;
 *    4. up*-down* routes, which reach every switch on one level.
 *  Detours need one level per hop, or permission for cycles. Without either, or if no detour is
 *  short enough for the lanes, there are none. The same holds for non-minimal members of port
 *  groups. The result is always checked (routing_cycle.h).
 *  Routes of the scenario (`said`) replace computed ones as long as a link to their next hop is up.
 *  They may form a routing loop (routing_given.h). */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_H

#include "nodes/base/why.h"
#include "orchestrator/routing/topology.h"

enum routing_order { ORDER_AUTO, ORDER_MINIMAL, ORDER_UP_DOWN, ROUTING_ORDERS };

/* a route of the scenario: packets for switch `to` leave switch `at` over the links to switch
 * `by`; fabric addresses */
struct route_said {
	uint32_t at, to, by;
};

struct routing_request {
	enum fabric_kind fabric;
	enum routing_order order;
	uint32_t lanes; /* levels per class; 0: as many as are needed, up to lanes_max */
	uint32_t lanes_max;
	bool detours; /* detours are wanted, and lanes for them */
	/* port groups: members with longer paths are wanted, and lanes for them
	 * (routing_non_minimal.h) */
	bool non_minimal;
	bool cycles_allowed; /* a cycle is reported, but is no error */
	/* the fabric runs already with `lanes`, `order` and lane_rule: keep them
	 * (routing_follow.h) */
	bool follow;
	enum lane_rule lane_rule;
	/* `follow`, `non_minimal`: the most links of such a path, those of the longest path of the
	 * whole fabric. Further lanes are for packets in flight (routing_in_flight.h). 0: the
	 * lanes */
	uint32_t path_hops_max;
	uint32_t said_count; /* fabric kind roce */
	const struct route_said *said;
};

struct switch_tables {
	/* [switch_count], by fabric address without its own one; the last is ROUTE_UPWARD */
	struct route_config *routes;
	uint32_t via_count;
	uint16_t *vias;
	/* [switch_count], by switch index: ports for packets from hosts besides the shortest one;
	 * NULL: none */
	uint64_t *non_minimal;
	struct lid_tables lids; /* fabric kind port-group */
};

/* of a path between switches: routing_minimal.h */
typedef uint32_t routing_distance_t;

struct routing {
	enum routing_order order; /* the order in force */
	enum lane_rule lane_rule;
	uint32_t lanes;
	/* fabric links of the longest path between hosts, detours included; `follow`: not
	 * computed, 0 */
	uint32_t hops_max;
	/* `follow`: these routes and the former ones might have a cycle together */
	bool fresh;
	/* `follow`: ordered pairs of switches with hosts that are further apart than there are
	 * lanes */
	uint32_t beyond;
	bool edge_groups; /* groups from PORT_GROUP_EDGE_FROM on are only for packets from hosts */
	bool tree;        /* every link goes up or down: routing_upward.h */
	/* of 1000 suggested ports, so many lead to the link that is meant: routing_upward.h */
	uint32_t agreement_permille;
	char *cycle; /* the channels of a cycle as text; NULL: there is none. Owned */
	uint32_t switch_count;
	struct switch_tables *switches;
};

/** routing_make() - computes the tables of all switches of @topology.
 *  Return: 0 with @routing filled, routing_free() later; -EINVAL with a sentence in @why (a cycle,
 *  too few lanes); -ENOMEM.  O(switches * links). */
int routing_make(const struct topology *topology, const struct routing_request *request,
		 struct routing *routing, struct why *why);
void routing_free(struct routing *routing);

/** routing_route() - the route of switch @from towards switch @to (indices, not the same). */
static inline struct route_config *routing_route(const struct routing *routing, uint32_t from,
						 uint32_t to)
{
	return &routing->switches[from].routes[to - (to > from)];
}

/** routing_upward() - the ports of switch @index that go away from all hosts, if the fabric is a
 *  tree (ROUTE_UPWARD). */
static inline struct route_config *routing_upward(const struct routing *routing, uint32_t index)
{
	return &routing->switches[index].routes[routing->switch_count - 1];
}

#endif
