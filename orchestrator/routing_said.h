/*  routing_said - routes that a scenario asks for by name, in place of those worked out (RC-5, FC-26).
 *
 *  They are for what a topology never gives: a wrong table, a way that is not shortest, a loop. Only fabrics of kind roce take them: there a
 *  packet that goes round in a loop ends by its TTL.                                                                  */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_SAID_H
#define HEDDLE_ORCHESTRATOR_ROUTING_SAID_H

#include <stdio.h>

#include "orchestrator/plan.h"
#include "orchestrator/routing.h"

/** routing_said_apply() - puts request->said into the routes of @routing, which are there. One without a link that is up to its next hop is
 *  left out.  O(said * ports). */
void routing_said_apply(const struct topology *topology, const struct routing_request *request,
			struct routing *routing);

/** routing_said_make() - the routes that @scenario asks for, as routing.said of @plan, which owns them. Links are there.
 *  Return: 0; -EINVAL with errors added: a name of nothing, a next hop that no link leads to, a route said twice; -ENOMEM. */
int routing_said_make(const struct scenario *scenario, struct plan *plan, struct scenario_errors *errors);

/** routing_loops_print() - behind @label a line for each loop of the routes of @plan: "to s3: s0 -> s1 -> s2 -> s0". Routes that are worked
 *  out have none, so each leads through a switch where a route was asked for; of several ports the first that leads back counts.
 *  Return: their number, or -ENOMEM.  O(said * switches * ports). */
int routing_loops_print(const struct plan *plan, const char *label, FILE *out);

#endif
