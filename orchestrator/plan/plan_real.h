/*  plan_real - the plan of a scenario under the real clock: the same nodes, links and routes (TB-8,
 *  TB-15). It has one of two forms:
 *    real programs: a host is attached to every NIC, frames are whole instead of headers only, and
 *      a slow host can fill buffers;
 *    generated traffic: the scenario's workloads, as under the virtual clock. All links are shared
 *      memory, whatever their `medium`. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H

#include "orchestrator/plan/plan.h"

/** plan_make_real() - plan_make() for real programs. The plan has no workloads. */
int plan_make_real(const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/** plan_make_traffic() - plan_make() for generated traffic under the real clock. No host is
 *  attached. */
int plan_make_traffic(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors);

#endif
