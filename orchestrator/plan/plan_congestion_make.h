/*  plan_congestion_make - the numbers of congestion control for a plan, derived or given. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_MAKE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_MAKE_H

#include "orchestrator/plan/plan_congestion.h"

/** plan_congestion_basis() - the numbers of @plan that congestion control follows from; its ports
 *  and routes are there already. Under the real @clock every switch on the way is late besides,
 *  both ways, by PLAN_CONGESTION_LATE_PS.
 *  Return: 0 or -ENOMEM. O(switches * links). */
int plan_congestion_basis(enum clock_kind clock, const struct plan *plan,
			  struct congestion_basis *basis);

/** plan_congestion_make() - fills in every switch of @plan: what @scenario says, the rest derived.
 *  Return: 0; -EINVAL if a row does not fit together, reported to @errors where the row stands;
 *  -ENOMEM. */
int plan_congestion_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
			 struct scenario_errors *errors);

#endif
