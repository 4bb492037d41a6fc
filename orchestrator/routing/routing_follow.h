/*  routing_follow - the routes of a running fabric after something failed, returned or joined
 *  (FC-26).
 *
 *  New tables do not reach all switches and all packets at one moment: for a while packets follow
 *  former and new routes. So the union of both must have no cycle. Order and lane rule stay as at
 *  the start of the fabric:
 *    LANES_BY_HOP: minimal on what is left. Levels rise with every hop, whatever the tables are, so
 *      there is never a cycle. Switches further apart than there are lanes have no route: `beyond`.
 *    LANES_KEEP, minimal: the routes of the whole fabric that are left. Every table is then a part
 *      of the same one, which has no cycle. If some hosts are further apart than before: minimal on
 *      what is left, provided that the union with the routes of the whole fabric has no cycle.
 *    LANES_KEEP, up*-down*: by the ranks of the whole fabric, and up only where the whole fabric
 *      goes up: so no packet that went down goes up again.
 *  If this does not reach everything: up*-down* routes for what is left. They have no cycle, but
 *  might have one together with the former routes: `fresh`.
 *  Where cycles are allowed: minimal on what is left.
 *
 *  The whole fabric is everything that is plugged in, up or down, so every caller computes the same
 *  routes. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FOLLOW_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FOLLOW_H

#include "orchestrator/routing/routing.h"

/** routing_follow() - fills the routes, which are allocated already, and the intermediates of
 *  @routing for @topology.
 *  @distances  of routing_distances().
 *  @request    lanes, order and lane_rule are those in force.
 *  Return: 0 or -ENOMEM. */
int routing_follow(const struct topology *topology, const struct routing_request *request,
		   const routing_distance_t *distances, struct routing *routing);

#endif
