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
 *  chooses, anew if it had already, and asks; what it is granted comes with crossbar_settle().
 *  Those that no port leads on for are lost. crossbar_anew() - the same, granted at once. */
void crossbar_first(struct dataplane *dp, uint32_t ref, node_time_t now);
void crossbar_anew(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_settle() - gives channels that flows have left to those that wait, and grants what
 *  flows that have moved to another output ask there. At the end of every event. */
void crossbar_settle(struct dataplane *dp, node_time_t now);

/** crossbar_leave() - @packet no longer waits for @out. Return: was the queue there congested
 *  (EC-3)? */
bool crossbar_leave(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now);

/** crossbar_again() - flow @ref, in no list now, has packets and asks its output for them again. */
void crossbar_again(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_move() - flow @ref, in no list now, has packets, and nothing of it is downstream any
 *  more: it leaves its output, chooses anew (reroute_choose()) and asks there. The one way of a
 *  flow that is not an open tree to another output.
 *  Return: false if no port leads to its destination; its packets wait for nothing then. */
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

/** crossbar_channel_freed() - a channel of @port's link is free: the flow that waits longest may
 *  have it (FC-9). */
void crossbar_channel_freed(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
