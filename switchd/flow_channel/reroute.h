/*  reroute - flows that are redirected to another output: output queue -> REROUTE ACK -> the input
 *  that redirects the flow (FC-25). Without redirects configured these do nothing. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_REROUTE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_REROUTE_H

#include "switchd/flow_channel/dataplane.h"

/** reroute_look() - a packet of flow @ref, @ordered or not, has requested @out: requests a
 *  redirect of its flow, if the output is congested. */
void reroute_look(struct dataplane *dp, struct port *out, uint32_t ref, bool ordered,
		  node_time_t now);

/** reroute_arrived() - a packet of flow @ref, @ordered or not, @wire_bytes long, has arrived
 *  over a fabric port: requests that its flow arrives by another one, if the link is full. O(1);
 *  once in a window O(ports). */
void reroute_arrived(struct dataplane *dp, uint32_t ref, bool ordered, uint32_t wire_bytes,
		     node_time_t now);

/** reroute_is_bad() - true if no REROUTE ACK can have @value: with groups, a number of flows of 1,
 *  since a flow alone on a link is never redirected. The caller drops it (DROP_BAD_ACK). O(1). */
bool reroute_is_bad(const struct dataplane *dp, uint32_t value);

/** reroute_begin() - flow @ref begins at this switch. With redirect_inputs it is not redirected for
 *  redirect_pause. */
void reroute_begin(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_on_ack() - a REROUTE ACK with @value (fields: reroute.c) has arrived for flow @ref:
 *  stops the flow for a redirect, or passes the ACK on upstream. */
void reroute_on_ack(struct dataplane *dp, uint32_t ref, uint32_t value, node_time_t now);

/** reroute_emptied() - nothing of flow @ref, BLOCK_FOR_REDIRECT, is downstream any more: it is
 *  RUNNING.
 *  Return: true if the caller must move it at once (crossbar_move()). false: it keeps its output,
 *  or moves when its turn comes (reroute_due()). */
bool reroute_emptied(struct dataplane *dp, uint32_t ref, node_time_t now);

/** reroute_due() - true if flow @ref, whose turn it is, must select an output before a grant. */
bool reroute_due(struct dataplane *dp, uint32_t ref);

/** reroute_choose() - flow @ref, which has packets and requests nothing, selects an output
 *  again: if its own is a next hop, another one that is as good, if there is one; else any.
 *  Return: false if no port leads to its destination. */
bool reroute_choose(struct dataplane *dp, uint32_t ref, node_time_t now);

#endif
