/*  routing_up_down - paths that go up first and then down, never up again: without a cycle on any
 *  graph, on one lane.
 *
 *  All switches have an order; a link goes up towards the earlier of its two switches. If a path
 *  that only goes down exists, all the shortest ones of these are used; else the path up to the
 *  switch from which the rest is shortest. So a route depends on the destination only, and after a
 *  packet has gone down the next switch has a path down too.
 *
 *  The order (ours): the further from hosts, the earlier. So fat trees and leaf-spines have the
 *  paths of minimal routing. This may leave a switch without a path, if there are hosts on every
 *  switch or links failed. Then the order is by distance from a root, a switch in the middle: every
 *  switch has a path up to the root, and down from it [Autonet, Schroeder 1991]. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UP_DOWN_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UP_DOWN_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_up_down_make() - fills the routes of all switches, which are allocated already.
 *  @distances  of routing_distances().   @lengths  filled: the same for these paths; all paths of a
 *  route have the same length.
 *  Return: 0 or -ENOMEM.  O(switches * links). */
int routing_up_down_make(const struct topology *topology, const routing_distance_t *distances,
			 routing_distance_t *lengths, struct routing *routing);

/** routing_up_down_follow() - the same for @topology, the rest of @whole, by the order of @whole;
 *  up only where @whole goes up.
 *  @fresh  set: these routes did not reach everything; the routes are those of
 *  routing_up_down_make() for @topology.
 *  Return: 0 or -ENOMEM. */
int routing_up_down_follow(const struct topology *topology, const routing_distance_t *distances,
			   const struct topology *whole, const routing_distance_t *whole_distances,
			   struct routing *routing, bool *fresh);

#endif
