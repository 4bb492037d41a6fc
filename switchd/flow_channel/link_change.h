/*  link_change - what becomes of flows when a link goes or comes: node_ops.link_down,
 *  node_ops.link_up (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H

#include "switchd/flow_channel/dataplane.h"

/** link_change_down() - the link at @port is gone. Does not touch events but those of
 *  switch_touch(). */
void link_change_down(struct dataplane *dp, uint32_t port, node_time_t now);

/** link_change_settle() - whatever went over the former link of fabric port @port has left the
 *  fabric, but for channels @left: what is still not acknowledged of others was lost on it, and
 *  their flows, which waited to know, choose another way. */
void link_change_settle(struct dataplane *dp, uint32_t port, const struct channel_set *left,
			node_time_t now);

/** link_change_ways() - new tables are in force. Flows that follow a port which leads to their
 *  destination no more wait until nothing of them is downstream, BLOCK_FOR_REDIRECT, and choose
 *  anew then: reroute_emptied(). */
void link_change_ways(struct dataplane *dp, node_time_t now);

/** link_change_lose() - flow @ref, which stands nowhere, has no way left: its packets are lost. It
 *  may be gone then. */
void link_change_lose(struct dataplane *dp, uint32_t ref, node_time_t now);

/** link_change_up() - a new link is at @port; link_change_finish() takes it into use. */
void link_change_up(struct dataplane *dp, uint32_t port);

/** link_change_finish() - takes those new links into use whose port has nothing left of the former
 *  one, from @now on.
 *  Return: set of those ports; what waits in their rings is to be looked at. */
uint64_t link_change_finish(struct dataplane *dp, node_time_t now);

#endif
