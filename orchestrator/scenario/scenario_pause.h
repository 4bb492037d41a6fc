/*  scenario_pause - section 'pauses' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PAUSE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PAUSE_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_pauses_read;

#endif
