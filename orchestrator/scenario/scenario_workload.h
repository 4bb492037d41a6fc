/*  scenario_workload - section 'workloads' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_WORKLOAD_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_WORKLOAD_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_workloads_read;

#endif
