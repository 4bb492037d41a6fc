/*  crossbar - a packet's second leg: IFCT -> arbiter -> OFCT -> output queue (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_CROSSBAR_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_CROSSBAR_H

#include "switchd/flow_channel/dataplane.h"

/** crossbar_request() - queues @packet in @flow and asks its output for it. Takes the packet.
 *  Return: false, with the reason in @why, if no port leads to its destination; then the packet is
 *  still the caller's, the channel is free again. */
bool crossbar_request(struct dataplane *dp, struct packet *packet, struct ifct_entry *flow,
		      enum drop_reason *why, node_time_t now);

/** crossbar_first() - flow @ref, a tree or with nothing under way, stands nowhere: its first packet
 *  chooses, anew if it had already, and asks; the grant is left as a mark.
 *  Those that no port leads on for are lost. crossbar_anew() - the same, granted at once. */
void crossbar_first(struct dataplane *dp, uint32_t ref, node_time_t now);
void crossbar_anew(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_leave() - @packet no longer waits for @out. Return: was the queue there congested
 *  (EC-3)? */
bool crossbar_leave(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now);

/** crossbar_again() - flow @ref, in no list now, has packets and asks its output for them again. */
void crossbar_again(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_move() - flow @ref, in no list now, has packets, and nothing of it is downstream any
 *  more: it leaves its output, chooses anew (reroute_choose()) and asks there. The one way of a
 *  flow that is not an open tree to another output.
 *  Return: false if no port leads to its destination; its packets are lost then. */
bool crossbar_move(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_paused() - has the neighbour at a fabric port said stop, and nobody has credit, since
 *  there is none? */
static inline bool crossbar_paused(const struct dataplane *dp, const struct port *out,
				   uint32_t lane)
{
	return out->kind == PORT_FABRIC && link_stopped(out->link, lane) &&
	       !dp->injection.config->headroom;
}

/** crossbar_grant() - moves packets to the output queue of @port and @lane while it has room: at
 *  most a queue full. */
void crossbar_grant(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now);

/** crossbar_moved() - flows have left @port, which may have freed channels there, or moved to it and
 *  requested: grants. */
void crossbar_moved(struct dataplane *dp, uint32_t port, node_time_t now);

/** crossbar_drop() - drops @packet, which waits for @out or was granted it. */
void crossbar_drop(struct dataplane *dp, struct port *out, struct packet *packet,
		   enum drop_reason why, node_time_t now);

/** crossbar_lose() - flow @ref, in no list, waited for its output: what is queued is lost, and
 *  reported as such; of a tree only its first packet, which had selected that output. Marks the
 *  flow, which may have no packets left.
 *  @why DROP_LINK_DOWN: to its host; DROP_NO_ROUTE: no other port leads there either */
void crossbar_lose(struct dataplane *dp, uint32_t ref, enum drop_reason why, node_time_t now);

/** crossbar_channel_freed() - a channel of @port's link is free: the flow that waits longest may
 *  have it (FC-9). */
void crossbar_channel_freed(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
