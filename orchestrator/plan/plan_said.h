/*  plan_said - routes that a scenario asks for by name (routing_said.h): from names to indices, and
 *  the loops that they make. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAID_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAID_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"

/** plan_said_make() - the routes that @scenario asks for, as routing.said of @plan, which owns
 *  them. Links are there.
 *  Return: 0; -EINVAL with errors added: a name of nothing, a next hop that no link leads to, a
 *  route said twice; -ENOMEM. */
int plan_said_make(const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/* a loop to switch @target: over @count switches and back to the first; borrowed for the call */
typedef void plan_loop_fn(void *context, uint32_t target, const uint32_t *switches, uint32_t count);

/** plan_loops_each() - calls @each for each loop of the routes of @plan. Computed routes have none,
 *  so each loop leads through a switch where a route was requested; of several ports the first that
 *  leads back counts.
 *  Return: their number, or -ENOMEM.  O(said * switches * ports). */
int plan_loops_each(const struct plan *plan, plan_loop_fn *each, void *context);

/** plan_loops_print() - after @label a line for each of them: "to s3: s0 -> s1 -> s2 -> s0".
 *  Return: as above. */
int plan_loops_print(const struct plan *plan, const char *label, FILE *out);

#endif
