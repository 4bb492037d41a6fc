/*  choose - which output a flow takes: candidates, detours, flows that keep to a path
 *  (dataplane.h, FC-15). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_CHOOSE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_CHOOSE_H

#include "switchd/flow_channel/dataplane.h"

/** choose_output() - @packet of @flow is about to be queued: selects the flow's output, if
 *  nothing of it is here or downstream (FC-15).
 *  Return: false, with the reason in @why, if no port leads to its destination. O(candidates)
 *  for a flow's first packet, else O(1). */
bool choose_output(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet,
		   enum drop_reason *why, node_time_t now);

/** choose_path() - the same, and selects in any case: for one packet of an open tree (FC-16), or
 *  when nothing of the flow is in flight (FC-15). */
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

/** choose_move_of() - where flow @ref would go to. If the congestion is here, not @far: a port that
 *  offers it an eighth more than it has (output_load.h), so that it is worth a stop. If it is
 *  further down: any, the loads here say nothing of it. With detours one that is as little loaded.
 *  O(candidates). */
struct choose_move choose_move_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now);

/** choose_may_move() - is @port, another one than that of flow @ref, a next hop on a minimal
 *  path to its destination, and may the flow leave its own (FC-24)? O(candidates). */
bool choose_may_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now);

/** choose_take() - flow @ref, of which nothing is downstream, takes @move, which was decided
 *  before, if that still leads to its destination and the flow is free to move.   Return: does
 *  it? */
bool choose_take(struct dataplane *dp, uint32_t ref, const struct choose_move *move,
		 node_time_t now);

/** choose_flows_limit() - path_load_flows() of the output of flow @ref, if it limits where the flow
 *  may go: only to ports whose number is less by two or more (FC-25).
 *  Return: 0 if it does not: without groups, in trees, where the lower end of a link names the
 *  port, and where a detour over the same port can help (FC-23). O(1). */
uint32_t choose_flows_limit(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** choose_other() - flow @ref, of which nothing is downstream, goes where choose_move_of() says now
 *  (FC-25).
 *  @hint the port upward that it is to take if that leads to its destination, by its number; 0: not
 *  said. */
void choose_other(struct dataplane *dp, uint32_t ref, bool far, uint32_t hint, node_time_t now);

/** choose_is_held() - does flow @ref keep to a path, because one between the same two is a
 *  source of congestion (FC-24)? */
bool choose_is_held(struct dataplane *dp, uint32_t ref, node_time_t now);

/** choose_count() - how many ports lead to the destination of @flow. */
uint32_t choose_count(const struct dataplane *dp, const struct ifct_entry *flow);

/* under what source_hold.h knows flow @ref */
static inline struct source_hold_key choose_key(const struct ifct_entry *flow, uint32_t ref)
{
	return (struct source_hold_key){ .in_port = (uint8_t)flow_ref_port(ref),
					 .traffic_class = flow->traffic_class,
					 .fabric_address = flow->fabric_address,
					 .egress_port = flow->egress_port };
}

/** choose_via_left() - by which switch a packet that came in over fabric port @in_port with @header
 *  has yet to go; 0: by none. A detour ends at its via, in the via's group, and wherever the packet
 *  is to leave the fabric. Pure. */
static inline uint16_t choose_via_left(const struct dataplane *dp, uint32_t in_port,
				       const struct fabric_header *header)
{
	bool ends = header->via == dp->routes.own_address ||
		    header->fabric_address == dp->routes.own_address ||
		    dp->sw.config->ports[in_port].tier == TIER_GLOBAL;

	return ends ? 0 : header->via;
}

#endif
