/*  routing_cycle - can packets wait for each other in a circle?
 *
 *  A channel is one direction of a link at one level of lanes. A packet holds room of the channel that it came over while it waits for
 *  room of the next. The channel dependency graph has an edge from every channel to every one that some packet in it may wait for;
 *  without a circle in it nothing can wait for ever [Dally and Seitz 1987]. All candidates of a route count, be it that the switches
 *  choose among them one by one.
 *
 *  Which packets there are: from every switch with hosts to every other one; and, from a switch that has vias, first to each of these
 *  and from there on to every switch with hosts. Packets of a switch's own hosts may leave it by its non-minimal ports besides
 *  (routing_non_minimal.h), at the first level. What nobody sends is no edge: between two spines, over a leaf, there is no traffic.
 *  What may be waited for is followed per target, switch by switch, with the set of levels that packets come in with; the edges of a
 *  channel then are one set of ports of the switch at its end.                                                      */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_CYCLE_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_CYCLE_H

#include "orchestrator/routing/routing.h"

/** routing_cycle_find() - a circle of the routes, vias and lanes of @routing, short if not the shortest.
 *  @cycle  "s0:2 -> s1:3 -> s2:2 -> s0:2": the port that each switch waits to send by; the caller's to free. NULL: there is none.
 *  Return: 0 or -ENOMEM.  O(switches * switches * ports) for the usual tables.                                       */
int routing_cycle_find(const struct topology *topology, const struct routing *routing, char **cycle);

#endif
