/*  scenario_fault - section 'faults' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_FAULT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_FAULT_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_faults_read;

#endif
