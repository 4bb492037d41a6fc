/*  routing_upward - is a fabric a tree of levels, and which ports lead upward in it? For redirects (FC-25, switchd/flow_channel/reroute.c).
 *
 *  A switch's level is how many links it is away from the nearest switch with hosts. The fabric is a tree if every link is between
 *  two levels that follow each other: leaf-spine and fat trees are, tapered ones too; whatever has hosts on switches that are linked is
 *  not. Links among switches that no host is reached from do not count. What has failed counts as if it had not: ports keep their
 *  numbers, by which switches tell each other of them, and a switch knows itself which of its links are down.          */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H

#include "orchestrator/routing/routing.h"

/** routing_upward_make() - fills routing->tree, and the routes ROUTE_UPWARD if it is one.  Return: 0 or -ENOMEM.  O(links). */
int routing_upward_make(const struct topology *topology, struct routing *routing);

#endif
