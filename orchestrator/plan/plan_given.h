/*  plan_given - routes that a scenario requests by name (routing_given.h): converts names to
 *  indices, and finds the loops of these routes. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_GIVEN_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_GIVEN_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"

/** plan_given_make() - fills routing.said of @plan, which owns it, with the routes that @scenario
 *  requests. The links of @plan are filled already.
 *  Return: 0; -EINVAL with @errors added: an unknown name, a next hop without a link, a duplicate
 *  route; -ENOMEM. */
int plan_given_make(const struct scenario *scenario, struct plan *plan,
		    struct scenario_errors *errors);

/* a loop of routes to @target: over @count switches and back to the first; valid during the call */
typedef void plan_loop_fn(void *context, uint32_t target, const uint32_t *switches, uint32_t count);

/** plan_loops_each() - calls @each for each loop of the routes of @plan. Computed routes have none,
 *  so each loop leads through a switch where a route was requested. If several ports of a switch
 *  lead into a loop, the first one counts.
 *  Return: their number, or -ENOMEM.  O(said * switches * ports). */
int plan_loops_each(const struct plan *plan, plan_loop_fn *each, void *context);

/** plan_loops_print() - prints a line for each loop: @label, then "to s3: s0 -> s1 -> s2 -> s0".
 *  Return: as plan_loops_each(). */
int plan_loops_print(const struct plan *plan, const char *label, FILE *out);

#endif
