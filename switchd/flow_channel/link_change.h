/*  link_change - what becomes of flows when a link goes down or comes up: members of switch_ops,
 *  and node_ops.link_settle. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H

#include "switchd/flow_channel/dataplane.h"

/** link_change_down() - the link of @port is down, and the port not up any more. Does not touch
 *  events but those of switch_touch(). */
void link_change_down(void *dataplane, uint32_t port, node_time_t now);

/** link_change_settle() - whatever went over the former link of fabric port @port has left the
 *  fabric, but for channels @left: what is still not acknowledged of others was lost on it, and
 *  their flows, which waited to know, choose another way. */
void link_change_settle(struct dataplane *dp, uint32_t port, const struct channel_set *left,
			node_time_t now);

/** link_change_ways() - new tables are in force. Flows that follow a port which leads to their
 *  destination no more wait until nothing of them is downstream, BLOCK_FOR_REDIRECT, and choose
 *  anew then: reroute_emptied(). */
void link_change_ways(void *dataplane, node_time_t now);

/** link_change_lose() - flow @ref, which stands nowhere, has no way left: its packets are lost. It
 *  may be gone then. */
void link_change_lose(struct dataplane *dp, uint32_t ref, node_time_t now);

/** link_change_coming() - a new link is at @port. Return: link_change_may_start(). */
bool link_change_coming(void *dataplane, uint32_t port);

/** link_change_may_start() - is nothing of the former link of @port in use? O(1). */
bool link_change_may_start(void *dataplane, uint32_t port);

/** link_change_start() - the new link of @port is used from @now on. */
void link_change_start(void *dataplane, uint32_t port, node_time_t now);

#endif
