/*  routing_cycle - checks routes for deadlock: can packets wait for each other in a cycle?
 *
 *  A channel is one direction of a link at one level of lanes. A waiting packet occupies buffer of
 *  the channel over which it arrived, and needs buffer of the next one. The channel dependency
 *  graph has an edge from a channel to each channel that a packet in it may wait for. Without a
 *  cycle in this graph no packet waits for ever [Dally and Seitz 1987]. All candidates of a route
 *  count, although the switches choose one of them at a time.
 *
 *  The packets considered: from every switch with hosts to every other one; and from a switch with
 *  intermediates first to each of them, then to every switch with hosts. Packets of a switch's own
 *  hosts may also leave by its non-minimal ports (routing_non_minimal.h), at the first level.
 *  Packets that no switch sends make no edge: between two spines, over a leaf, there is no traffic.
 *
 *  The search follows each target switch by switch, with the set of levels on which packets arrive.
 *  So the edges of a channel are one set of ports of the switch at its end. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_CYCLE_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_CYCLE_H

#include "orchestrator/routing/routing.h"

/** routing_cycle_find() - finds a cycle in the routes, intermediates and lanes of @routing: a short
 *  one, though not always the shortest.
 *  @cycle  "s0:2 -> s1:3 -> s2:2 -> s0:2": the port on which each switch waits to send; the caller
 *  frees it. NULL: no cycle.
 *  Return: 0 or -ENOMEM.  O(switches * switches * ports) for the usual tables. */
int routing_cycle_find(const struct topology *topology, const struct routing *routing,
		       char **cycle);

#endif
