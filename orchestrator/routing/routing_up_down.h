/*  routing_up_down - ways that go up first and then down, never up again: without a circle on any graph, on one lane.
 *
 *  All switches are put in an order; a link leads up towards the earlier of its two. Where a way leads down only, all the shortest of
 *  these are taken; else a way up to the switch that is the least from the destination. So what follows depends on the
 *  destination alone, and once a packet has gone down, the next switch has a way down too.
 *
 *  The order (ours): the further from hosts, the earlier, so that fat trees and leaf-spines have the same ways as minimal routing.
 *  If this leaves somebody without a way, which hosts on every switch or failed links may do: the nearer to one root, the earlier, the
 *  root being a switch in the middle. Then everybody has a way up to the root, and down from it [Autonet, Schroeder 1991]. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UP_DOWN_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_UP_DOWN_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_up_down_make() - fills the routes of all switches, which are there already.
 *  @distances  of routing_distances().   @lengths  the same for these ways, filled: of several ways each is as long.
 *  Return: 0 or -ENOMEM.  O(switches * links).                                                                      */
int routing_up_down_make(const struct topology *topology, const uint16_t *distances, uint16_t *lengths,
			 struct routing *routing);

/** routing_up_down_follow() - the same for @topology, what is left of @whole, by the order of @whole; up only where @whole leads up.
 *  @fresh  set: that did not get everywhere, and the ways are those of routing_up_down_make() for @topology.
 *  Return: 0 or -ENOMEM.                                                                                            */
int routing_up_down_follow(const struct topology *topology, const uint16_t *distances, const struct topology *whole,
			   const uint16_t *whole_distances, struct routing *routing, bool *fresh);

#endif
