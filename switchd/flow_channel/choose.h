/*  choose - which output a flow takes: candidates, detours, flows that keep to a path
 *  (dataplane.h, FC-15). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_CHOOSE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_CHOOSE_H

#include "switchd/flow_channel/dataplane.h"

/** choose_path() - selects the output of @flow for @packet: for one packet of an open tree (FC-16),
 *  else for all packets until nothing of the flow is here or in flight downstream (FC-15).
 *  Return: false, with the reason in @why, if no port leads to its destination. O(candidates). */
bool choose_path(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet,
		 enum drop_reason *why, node_time_t now);

/** choose_is_valid() - is the output of flow @ref up, and a next hop on a path to its
 *  destination? O(candidates). */
bool choose_is_valid(const struct dataplane *dp, uint32_t ref);

/* a port, and the switch to go to first; 0: the minimal path */
struct choose_move {
	int port; /* -1: none */
	uint16_t via;
};

/** choose_move_of() - the path that a redirect of flow @ref would take.
 *  @far  false: the congestion is at this switch. Only a port that offers the flow an eighth more
 *  than it has (output_load.h) will do, since a redirect stops the flow for a time. true: the
 *  congestion is downstream, where loads at this switch do not show it. Any other port will do.
 *  With detours the path must be no more loaded than the present one. O(candidates). */
struct choose_move choose_move_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now);

/** choose_may_move() - true if flow @ref may move to @port: the port is not its own, it is a next
 *  hop on a minimal path to the destination, and no source binds the flow to its path (FC-24).
 *  O(candidates). */
bool choose_may_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now);

/** choose_take() - flow @ref, of which nothing is downstream, takes @move, an earlier result of
 *  choose_move_of(), if that is still a next hop to its destination and the flow may move.
 *  Return: true if it was taken; false: nothing has changed. */
bool choose_take(struct dataplane *dp, uint32_t ref, const struct choose_move *move,
		 node_time_t now);

/** choose_flows_limit() - the number of flows, path_load_flows(), at the output of flow @ref. The
 *  flow may move only to a port whose number is less by two or more (FC-25).
 *  Return: 0: no such limit. That is so without groups; in trees, where the lower end of a link
 *  names the port; and where a detour over the same port can help (FC-23). O(1). */
uint32_t choose_flows_limit(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** choose_other() - flow @ref, of which nothing is downstream, takes the path that choose_move_of()
 *  returns now; without one it keeps its own (FC-25).
 *  @hint  number of an upward port (route_upward_port()), which is preferred if the flow may move
 *  to it; 0: none. */
void choose_other(struct dataplane *dp, uint32_t ref, bool far, uint32_t hint, node_time_t now);

/** choose_is_held() - true if flow @ref must keep a path, because a flow from the same input port
 *  to the same destination is a source of congestion (FC-24). */
bool choose_is_held(struct dataplane *dp, uint32_t ref, node_time_t now);

/** choose_count() - number of choices that @flow has: candidate ports, and intermediate switches if
 *  detours are configured. 1 at its last switch. */
uint32_t choose_count(const struct dataplane *dp, const struct ifct_entry *flow);

/* the key of flow @ref in source_hold.h */
static inline struct source_hold_key choose_key(const struct ifct_entry *flow, uint32_t ref)
{
	return (struct source_hold_key){ .in_port = (uint8_t)flow_ref_port(ref),
					 .traffic_class = flow->traffic_class,
					 .fabric_address = flow->fabric_address,
					 .egress_port = flow->egress_port };
}

/** choose_via_left() - the via that a packet, received over fabric port @in_port with @header, has
 *  still to reach; 0: none. A detour ends at its via, at the first switch of another group, and at
 *  the switch where the packet leaves the fabric. Pure. */
static inline uint16_t choose_via_left(const struct dataplane *dp, uint32_t in_port,
				       const struct fabric_header *header)
{
	bool ends = header->via == dp->routes.own_address ||
		    header->fabric_address == dp->routes.own_address ||
		    dp->sw.config->ports[in_port].tier == TIER_GLOBAL;

	return ends ? 0 : header->via;
}

#endif
