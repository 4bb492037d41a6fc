/*  scenario_workload - section 'workloads' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_WORKLOAD_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_WORKLOAD_H

#include "orchestrator/scenario/scenario_keys.h"

/* rows of a workload: workload.def and traffic.def */
extern const struct parameter_table scenario_workload_parameters;

key_read_fn scenario_workloads_read;

#endif
