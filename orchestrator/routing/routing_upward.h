/*  routing_upward - is a fabric a tree of levels, and which ports go up in it? For redirects
 *  (FC-25, switchd/flow_channel/reroute.c).
 *
 *  The level of a switch is the number of links to the nearest switch with hosts. The fabric is a
 *  tree if every link is between two adjacent levels. Leaf-spine and fat trees are trees, tapered
 *  ones too; a fabric with hosts on linked switches is none. Links among switches that no host
 *  reaches do not count. Failed parts count as if they were up: ports keep their numbers, which
 *  switches use in their messages, and a switch knows which of its own links are down. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H

#include "orchestrator/routing/routing.h"

/** routing_upward_make() - sets routing->tree and, if it is true, the routes ROUTE_UPWARD.  Return:
 *  0 or -ENOMEM.  O(links). */
int routing_upward_make(const struct topology *topology, struct routing *routing);

#endif
