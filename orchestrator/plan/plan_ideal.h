/*  plan_ideal - the time of a message on an empty fabric. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_IDEAL_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_IDEAL_H

#include "orchestrator/plan/plan.h"

/** plan_ideal_ps() - the time of a message of @message_bytes from host @source to host @destination
 *  on an otherwise empty fabric, in packets of workload @workload: the denominator of a slowdown
 *  (TB-13). NODE_TIME_NEVER: the routes are a loop. */
node_time_t plan_ideal_ps(const struct plan *plan, uint32_t source, uint32_t destination,
			  uint32_t workload, uint64_t message_bytes);

#endif
