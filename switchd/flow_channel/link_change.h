/*  link_change - what becomes of flows when a link goes down or comes up: members of switch_ops,
 *  and node_ops.link_settle. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_LINK_CHANGE_H

#include "switchd/flow_channel/dataplane.h"

/** link_change_down() - switch_ops.link_down. Leaves marks, and touches ports. */
void link_change_down(void *dataplane, uint32_t port, node_time_t now);

/** link_change_settle() - the fabric has no packet left that crossed the former link of fabric port
 *  @port, except in channels @left. So what other channels have unacknowledged was lost on that
 *  link: reports it upstream.
 *  Return: true if link_change_leave() is to follow, once the marks that this leaves are handled;
 *  false: @port is up, or an edge port. */
bool link_change_settle(struct dataplane *dp, uint32_t port, const struct channel_set *left,
			node_time_t now);

/** link_change_leave() - flows that wait for fabric port @port, which is down, select another
 *  output, if nothing of them is downstream; else they wait for that. */
void link_change_leave(struct dataplane *dp, uint32_t port, node_time_t now);

/** link_change_routes() - new tables are in force. Flows that follow a port that is no next hop
 *  to their destination any more wait until nothing of them is downstream, BLOCK_FOR_REDIRECT,
 *  and select again then: reroute_emptied(). */
void link_change_routes(struct dataplane *dp, node_time_t now);

/** link_change_coming() - switch_ops.link_coming. Return: link_change_may_start(). */
bool link_change_coming(void *dataplane, uint32_t port);

/** link_change_may_start() - switch_ops.link_may_start. O(1). */
bool link_change_may_start(void *dataplane, uint32_t port);

/** link_change_start() - the new link of @port, which is configured, is used from now on. */
void link_change_start(struct dataplane *dp, uint32_t port);

#endif
