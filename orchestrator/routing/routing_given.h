/*  routing_given - replaces computed routes by the routes that a scenario names (RC-5, FC-26).
 *
 *  For what a topology never gives: a wrong table, a path that is not shortest, a routing loop.
 *  Only fabrics of kind roce accept them: there the TTL ends a packet in a loop. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_GIVEN_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_GIVEN_H

#include "orchestrator/routing/routing.h"

/** routing_given_apply() - puts request->said into the routes of @routing, which are filled. A
 *  route without a link that is up to its next hop is left out.  O(said * ports). */
void routing_given_apply(const struct topology *topology, const struct routing_request *request,
			 struct routing *routing);

#endif
