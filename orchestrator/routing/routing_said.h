/*  routing_said - routes that a scenario asks for by name, in place of those worked out (RC-5, FC-26).
 *
 *  They are for what a topology never gives: a wrong table, a way that is not shortest, a loop. Only fabrics of kind roce take them: there a
 *  packet that goes round in a loop ends by its TTL.                                                                  */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_SAID_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_SAID_H

#include "orchestrator/routing/routing.h"

/** routing_said_apply() - puts request->said into the routes of @routing, which are there. One without a link that is up to its next hop is
 *  left out.  O(said * ports). */
void routing_said_apply(const struct topology *topology, const struct routing_request *request,
			struct routing *routing);

#endif
