/*  plan_workload - the part of a plan that says who sends what: every NIC's share of the scenario's workloads.        */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_WORKLOAD_H
#define HEDDLE_ORCHESTRATOR_PLAN_WORKLOAD_H

#include "orchestrator/plan.h"

#define PLAN_FLOWS_MAX (1u << 24) /* of all workloads together */

/** plan_workloads_make() - fills plan->workloads and the NICs' workloads and flows_max; ports and links are there.
 *  Return: 0, -EINVAL with errors, -ENOMEM.                                                                     */
int plan_workloads_make(const struct scenario *scenario, struct plan *plan, struct scenario_errors *errors);

/** plan_frame_bytes_least() - the shortest frame (without FCS) that any workload of @scenario ever sends; the usual
 *  packet size if there is none.                                                                                */
uint32_t plan_frame_bytes_least(const struct scenario *scenario);

/** plan_mix() - a seed for part @index of what @seed stands for: splitmix64, so that neighbours share nothing. */
uint64_t plan_mix(uint64_t seed, uint64_t index);

#endif
