/*  routing_upward - is a fabric a tree of levels, and which ports go up in it? For redirects
 *  (FC-25, switchd/flow_channel/reroute.c).
 *
 *  The level of a switch is the number of links to the nearest switch with hosts. The fabric is a
 *  tree if every link is between two adjacent levels. Leaf-spine and fat trees are trees, tapered
 *  ones too; a fabric with hosts on linked switches is none. Links among switches that no host
 *  reaches do not count. Failed parts count as if they were up: ports keep their numbers, which
 *  switches use in their messages, and a switch knows which of its own links are down.
 *
 *  Agreement. A redirect in a tree suggests a port by its number among the upward ports. Two
 *  switches with hosts agree about a top of the tree, a switch without upward ports, if both begin
 *  their path to it with the same number: then the port that one suggests leads the other to the
 *  link that is meant. The agreement is the part of all such pairs. It is 1 where all switches are
 *  cabled in the same order, as in generated trees, and about 1/n if n upward ports are in random
 *  order. Left out are switches with at most two upward ports: there a wrong suggestion is the port
 *  that the flow has already, and it takes the other one. So are tops to which paths of a switch
 *  begin with several ports: there a switch further up selects the path down. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UPWARD_H

#include "orchestrator/routing/routing.h"

/** routing_upward_make() - sets routing->tree and, if it is true, the routes ROUTE_UPWARD; and
 *  routing->agreement_permille, 1000 without a tree.
 *  Return: 0 or -ENOMEM.  O(switches with hosts * links). */
int routing_upward_make(const struct topology *topology, struct routing *routing);

#endif
