/*  plan_congestion_make - the numbers of congestion control of a plan: given by the scenario, or
 *  derived from the plan's links. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_MAKE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_MAKE_H

#include "orchestrator/plan/plan_congestion.h"

/** plan_congestion_basis() - the numbers of @plan that congestion control is derived from. Ports
 *  and routes are filled already. Under the real @clock every switch of a path adds
 *  PLAN_CONGESTION_LATE_PS in both directions.
 *  Return: 0 or -ENOMEM. O(switches * links). */
int plan_congestion_basis(enum clock_kind clock, const struct plan *plan,
			  struct congestion_basis *basis);

/** plan_congestion_make() - fills the congestion control of every switch of @plan: values of
 *  @scenario, and derived ones for the rest.
 *  Return: 0; -EINVAL if the values of a row contradict each other, reported to @errors at the
 *  place of that row; -ENOMEM. */
int plan_congestion_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
			 struct scenario_errors *errors);

#endif
