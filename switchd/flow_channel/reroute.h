/*  reroute - flows that are moved to another output: output queue -> REROUTE ACK -> IFCT that obeys
 *  (FC-25). Without redirects configured these do nothing. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_REROUTE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_REROUTE_H

#include "switchd/flow_channel/dataplane.h"

/** reroute_look() - a packet of flow @ref, @ordered or not, has asked for @out: shall its flow be
 *  redirected? */
void reroute_look(struct dataplane *dp, struct port *out, uint32_t ref, bool ordered,
		  node_time_t now);

/** reroute_arrived() - a packet of flow @ref, @ordered or not, @wire_bytes long, has come in over a
 *  fabric port: shall the flow come in by another? O(1); once in a window O(ports). */
void reroute_arrived(struct dataplane *dp, uint32_t ref, bool ordered, uint32_t wire_bytes,
		     node_time_t now);

/** reroute_forwarded() - a packet of flow @ref, @frame_bytes long, goes out at @port: counts it.
 *  O(1). */
void reroute_forwarded(struct dataplane *dp, uint32_t port, uint32_t ref, uint32_t frame_bytes,
		       node_time_t now);

/** reroute_offer() - bytes that a flow would get at fabric port @port within a window of redirects,
 *  if it went there. O(1). */
uint64_t reroute_offer(const struct dataplane *dp, uint32_t port, node_time_t now);

/** reroute_needs() - what a port has to offer if flow @ref is to leave its own for it. 0: nothing
 *  has gone out at its own for a window, so loads do not tell. O(1). */
uint64_t reroute_needs(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_told() - in groups: the number of flows that share an overloaded link downstream of
 *  output @port, from the latest REROUTE ACKs (FC-25). It fades by one in 16 redirect intervals.
 *  Return: 0 if none was reported lately. O(1). */
uint32_t reroute_told(const struct dataplane *dp, uint32_t port, node_time_t now);

/** reroute_told_needs() - reroute_told() of the output of flow @ref, if it limits where the flow
 *  may go: only to ports whose number is less by two or more (FC-25).
 *  Return: 0 if it does not: without groups, in trees, where the lower end of a link names the
 *  port, and where a detour over the same port can help. O(1). */
uint32_t reroute_told_needs(const struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_is_bad() - is @value impossible for a REROUTE ACK? In groups a number of 1 is: a flow
 *  alone on a link is never redirected. Such an ACK is dropped (DROP_BAD_ACK). O(1). */
bool reroute_is_bad(const struct dataplane *dp, uint32_t value);

/** reroute_begin() - flow @ref is a new one here. */
void reroute_begin(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_heard() - a REROUTE ACK has come up flow @ref.
 *  @value what it says (reroute.c); filled with what it says further up.
 *  Return: does it end here, obeyed or not? Else it goes on upstream. */
bool reroute_heard(struct dataplane *dp, uint32_t ref, uint32_t *value, node_time_t now);

/** reroute_emptied() - nothing of flow @ref, BLOCK_FOR_REDIRECT, is downstream any more: it moves
 *  now, or when its turn comes.
 *  Return: false if its packets had no way left: then they are lost, and the flow is gone. */
bool reroute_emptied(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_due() - has flow @ref, whose turn it is, to choose anew first? */
bool reroute_due(struct dataplane *dp, uint32_t ref);

/** reroute_choose() - flow @ref, which has packets and stands nowhere, chooses anew: if its output
 *  leads on another one that is as good,
 *  if there is one; else any.   Return: false if no port leads to its destination. */
bool reroute_choose(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_forget() - the channel of flow @ref is free. */
void reroute_forget(struct dataplane *dp, uint32_t ref);

#endif
