/*  plan_real - the plan of a scenario under the real clock: the same nodes, links and ways, with a host attached to every
 *  NIC, whole frames instead of headers, and buffers that a slow host can fill (TB-8, TB-15).                         */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_REAL_H
#define HEDDLE_ORCHESTRATOR_PLAN_REAL_H

#include "orchestrator/plan.h"

/** plan_make_real() - as plan_make(). Workloads are left out. */
int plan_make_real(const struct scenario *scenario, struct plan *plan, struct scenario_errors *errors);

#endif
