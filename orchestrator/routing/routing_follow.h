/*  routing_follow - the ways of a fabric that runs, when something has failed, returned or joined (FC-26).
 *
 *  New tables do not reach all switches, let alone all packets, at one moment: for a while there are packets on former ways and on new
 *  ones. So what must have no circle is both together. Order and lane rule stay those that the fabric was started with:
 *    LANES_BY_HOP   minimal on what is left. Levels rise with every hop whatever the tables say: never a circle. Who is further apart
 *                   than there are lanes has no way: `beyond`.
 *    LANES_KEEP, minimal   those ways of the whole fabric that are left, so every table there ever is is a part of the same one, which
 *                   has no circle. If some hosts are further from each other than they were: minimal on what is left, provided that
 *                   this and the ways of the whole together have no circle.
 *    LANES_KEEP, up*-down* by the same ranks as the whole fabric, and up only where the whole one leads up: so nothing that came
 *                   down is ever sent up.
 *  If that does not get everywhere: up*-down* ways for what is left, which have no circle, but might with those before: `fresh`.
 *  Where circles are allowed: minimal on what is left.
 *  The whole fabric: everything that is plugged in, be it up or not, so whoever asks finds out the same.                  */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FOLLOW_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FOLLOW_H

#include "orchestrator/routing/routing.h"

/** routing_follow() - fills the routes, which are there already, and vias of @routing for @topology.
 *  @distances  of routing_distances().
 *  @request    lanes, order and lane_rule are those in force.
 *  Return: 0 or -ENOMEM.                                                                                            */
int routing_follow(const struct topology *topology, const struct routing_request *request, const uint16_t *distances,
		   struct routing *routing);

#endif
