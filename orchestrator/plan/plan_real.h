/*  plan_real - the plan of a scenario under the real clock: the same nodes, links and ways (TB-8,
 *    TB-15). Either real programs: a host attached to every NIC, whole frames instead of headers,
 *    buffers that a slow host can fill; or generated traffic: the scenario's workloads, as under
 *    the virtual clock, on links of shared memory whatever their `medium`. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_REAL_H

#include "orchestrator/plan/plan.h"

/** plan_make_real() - as plan_make(), for real programs. Workloads are left out. */
int plan_make_real(const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors);

/** plan_make_traffic() - as plan_make(), for generated traffic under the real clock. No host is
 *  attached. */
int plan_make_traffic(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors);

#endif
