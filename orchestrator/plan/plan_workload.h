/*  plan_workload - the part of a plan that says who sends what: every NIC's share of the scenario's
 *  workloads. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_WORKLOAD_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_WORKLOAD_H

#include "orchestrator/plan/plan.h"

#define PLAN_FLOWS_MAX (1u << 24) /* of all workloads together */

/** plan_workloads_make() - fills plan->workloads and the NICs' workloads and flows_max; ports and
 *  links are there.
 *  Return: 0, -EINVAL with errors, -ENOMEM. */
int plan_workloads_make(const struct scenario *scenario, struct plan *plan,
			struct scenario_errors *errors);

/* how long the frames of a scenario are at the worst, without FCS */
struct plan_frames {
	uint32_t least_bytes; /* the shortest that any workload ever sends */
	/* over a message of the workload where that is least; least_bytes if sizes are random */
	uint32_t mean_bytes;
	uint64_t flows; /* of all workloads together */
};

/** plan_frames_of() - the frames of @scenario; full packets if it has no workloads. */
struct plan_frames plan_frames_of(const struct scenario *scenario);

/** plan_mix() - a seed for part @index of what @seed stands for: splitmix64, so that neighbours
 *  share nothing. */
uint64_t plan_mix(uint64_t seed, uint64_t index);

#endif
