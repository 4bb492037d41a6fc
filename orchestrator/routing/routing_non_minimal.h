/*  routing_non_minimal - ports that lead to a destination over a longer way: non-minimal port groups (PG-5, PG-6).
 *
 *  A dragonfly has one shortest way between most switches, so a group of shortest ports has one member there and
 *  leaves nothing to choose. With non-minimal groups a packet that comes from a host may leave by another port, once;
 *  from the next switch on it takes shortest ways. Such a port is a member for a destination if
 *    - the switch has hosts and exactly one shortest port: what has several keeps a group of these;
 *    - 1 + the shortest way on from the peer is not longer than there are lanes;
 *    - the shortest ways on from the peer lead neither back nor to the switch that is next on the shortest way: these
 *      would meet the same congestion. That switch may follow if it is the destination, or if the shortest way has
 *      had its links between groups by then, for these are what a dragonfly is short of.
 *  Lane rule LANES_BY_HOP alone: the level rises with every hop, of the longer way too, so there is no circle. Packets
 *  in transit do not leave the shortest ways: the lanes would not suffice, and two switches could send a packet to and
 *  fro. The conditions are ours: S1 says "all paths".                                                             */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_NON_MINIMAL_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_NON_MINIMAL_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_non_minimal_make() - fills `non_minimal` of all switches that have hosts, for the routes that there are.
 *  @distances  of routing_distances().   @hops_max  fabric links that a way may have: the lanes.
 *  @longest    links of the longest such way; 0: there is none.
 *  Return: 0 or -ENOMEM.  O(switches * switches * ports).                                                            */
int routing_non_minimal_make(const struct topology *topology, const uint16_t *distances, uint32_t hops_max,
			     struct routing *routing, uint32_t *longest);

#endif
