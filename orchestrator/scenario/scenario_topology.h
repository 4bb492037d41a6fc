/*  scenario_topology - section 'topology' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_TOPOLOGY_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_topology_read;

#endif
