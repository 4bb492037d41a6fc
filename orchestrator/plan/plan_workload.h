/*  plan_workload - the part of a plan about traffic: each NIC's share of the scenario's
 *  workloads. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_WORKLOAD_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_WORKLOAD_H

#include "orchestrator/plan/plan.h"

#define PLAN_FLOWS_MAX (1u << 24) /* of all workloads together */

/** plan_workloads_make() - fills plan->workloads, and workloads and flows_max of the NICs. Ports
 *  and links are filled already.
 *  Return: 0; -EINVAL, reported to @errors; -ENOMEM. */
int plan_workloads_make(const struct scenario *scenario, struct plan *plan,
			struct scenario_errors *errors);

/* bounds of the frame lengths of a scenario, without FCS */
struct plan_frames {
	uint32_t least_bytes; /* the shortest frame of all workloads */
	/* the lowest mean of a message over all workloads; least_bytes if sizes are random */
	uint32_t mean_bytes;
	uint64_t flows; /* of all workloads together */
};

/** plan_frames_of() - the frames of @scenario; full packets if it has no workloads. */
struct plan_frames plan_frames_of(const struct scenario *scenario);

/** plan_mix() - the seed of part @index of a whole with @seed: splitmix64, so that the seeds of
 *  successive parts are independent. */
uint64_t plan_mix(uint64_t seed, uint64_t index);

#endif
