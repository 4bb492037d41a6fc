/*  crossbar - a packet's second leg: IFCT -> arbiter -> OFCT -> output queue (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_CROSSBAR_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_CROSSBAR_H

#include "nodes/link/link_send.h"
#include "switchd/flow_channel/dataplane.h"

/** crossbar_request() - queues @packet in @flow, and requests an output for it. Takes the packet.
 *  Return: false, with the reason in @why, if no port leads to its destination. Then the packet is
 *  still the caller's, and the channel is free again unless a tree has packets downstream. */
bool crossbar_request(struct dataplane *dp, struct packet *packet, struct ifct_entry *flow,
		      enum drop_reason *why, node_time_t now);

/** crossbar_select() - flow @ref, in no list, is a tree or has nothing in flight: its first
 *  packet selects an output and requests it. Leaves a mark for the grant. Packets without a next
 *  hop are lost. crossbar_select_grant() - the same, but grants at once. */
void crossbar_select(struct dataplane *dp, uint32_t ref, node_time_t now);
void crossbar_select_grant(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_leave() - ends the request of @packet for @out: it was sent, dropped or withdrawn.
 *  Return: true if @out is an edge port and its queue is still congested (EC-3). */
bool crossbar_leave(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now);

/** crossbar_rerequest() - flow @ref, in no list, has packets and requests its output for them
 *  again. */
void crossbar_rerequest(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_move() - flow @ref, in no list, has packets, and nothing of it is downstream any
 *  more: it leaves its output, selects another one (reroute_choose()) and requests it. Only open
 *  trees change their output otherwise.
 *  Return: false if no port leads to its destination; its packets are lost then. */
bool crossbar_move(struct dataplane *dp, uint32_t ref, node_time_t now);

/** crossbar_paused() - true if the peer at a fabric port sent STOP and the fabric has no credit
 *  per flow. */
static inline bool crossbar_paused(const struct dataplane *dp, const struct port *out,
				   uint32_t lane)
{
	return out->kind == PORT_FABRIC && link_stopped(out->link, lane) &&
	       !dp->injection.config->headroom;
}

/** crossbar_grant() - moves packets to the output queue of @port and @lane while it has free
 *  space: at most a queue full. */
void crossbar_grant(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now);

/** crossbar_grant_port() - flows have left @port, which may have freed channels there, or have
 *  moved to it and requested: grants on all its lanes. */
void crossbar_grant_port(struct dataplane *dp, uint32_t port, node_time_t now);

/** crossbar_drop() - drops @packet, which waits for @out or was granted it. */
void crossbar_drop(struct dataplane *dp, struct port *out, struct packet *packet,
		   enum drop_reason why, node_time_t now);

/** crossbar_lose() - flow @ref, in no list, waited for its output: what is queued is lost, and
 *  reported as such; of a tree only its first packet, which had selected that output. Marks the
 *  flow, which may have no packets left.
 *  @why  DROP_LINK_DOWN: the link to its host is down; DROP_NO_ROUTE: no port leads to its
 *  destination. */
void crossbar_lose(struct dataplane *dp, uint32_t ref, enum drop_reason why, node_time_t now);

/** crossbar_channel_freed() - gives free channels of @port's link to flows that wait for one, the
 *  longest wait first (FC-9), and grants. Nothing if the port is down. */
void crossbar_channel_freed(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
