/*  plan_reach - checks that links connect every host to every other one. A fabric may also consist
 *  of several networks, if hosts with interfaces in two of them connect them. Then every workload
 *  must stay within one network. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_REACH_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_REACH_H

#include "orchestrator/plan/plan.h"

/** plan_reach_check() - @plan has the routes of its switches.
 *  Return: 0; -EINVAL with one error added; -ENOMEM. */
int plan_reach_check(const struct scenario *scenario, const struct plan *plan,
		     struct scenario_errors *errors);

#endif
