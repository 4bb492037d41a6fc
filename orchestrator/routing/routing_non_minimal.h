/*  routing_non_minimal - ports for a longer path to a destination: non-minimal port groups (PG-5,
 *  PG-6).
 *
 *  A dragonfly has one shortest path between most switches. A group of shortest ports then has one
 *  member, and there is nothing to choose. With non-minimal groups a packet from a host may leave
 *  by another port, once; from the next switch on it follows shortest paths. A port is a member for
 *  a destination if
 *    - the switch has hosts and exactly one shortest port: with several, these are the group;
 *    - 1 + the shortest path from the peer is not longer than there are lanes;
 *    - the shortest paths from the peer go neither back nor to the next switch of the shortest
 *      path: there they would meet the same congestion. They may go to that switch if it is the
 *      destination, or if the shortest path has passed its links between groups there, because
 *      these are the scarce ones in a dragonfly.
 *  Only with lane rule LANES_BY_HOP: the level rises with every hop, also of the longer path, so
 *  there is no cycle. Packets in transit stay on shortest paths: otherwise the lanes would not
 *  suffice, and two switches could send a packet back and forth. The conditions are ours: S1 says
 *  "all paths". */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_NON_MINIMAL_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_NON_MINIMAL_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_non_minimal_make() - fills `non_minimal` of all switches with hosts, from the routes,
 *  which exist already.
 *  @distances  of routing_distances().   @hops_max  the most fabric links of a path: the lanes.
 *  @longest    set: links of the longest such path; 0: there is none.
 *  Return: 0 or -ENOMEM.  O(switches * switches * ports). */
int routing_non_minimal_make(const struct topology *topology, const routing_distance_t *distances,
			     uint32_t hops_max, struct routing *routing, uint32_t *longest);

#endif
