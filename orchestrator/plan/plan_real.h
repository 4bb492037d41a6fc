/*  plan_real - the plan of a scenario under the real clock: the same nodes, links and routes (TB-8,
 *  TB-15). It has one of two forms:
 *    real programs: a host is attached to every NIC, its frames are whole instead of headers only,
 *      and a slow host can fill buffers. Workloads run beside them, and pauses and faults happen.
 *      They do not end with the duration of a run;
 *    generated traffic: the scenario's workloads, as under the virtual clock. All links are shared
 *      memory, whatever their `medium`. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H

#include "orchestrator/plan/plan_machines.h"

/** plan_make_real() - plan_make() for real programs, with the workloads, pauses and faults of the
 *  scenario. */
int plan_make_real(const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/** plan_make_machines() - the same for a fabric on several @machines (plan_machines.h); NULL: on
 *  this one alone. */
int plan_make_machines(const struct scenario *scenario, const struct machine_list *machines,
		       struct plan *plan, struct scenario_errors *errors);

/** plan_hold() - workloads, pauses and faults of @plan, which is of plan_make_real(), do not begin:
 *  they wait. */
void plan_hold(struct plan *plan);

/** plan_make_traffic() - plan_make() for generated traffic under the real clock. No host is
 *  attached. */
int plan_make_traffic(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors);

#endif
