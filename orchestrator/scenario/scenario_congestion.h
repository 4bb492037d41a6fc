/*  scenario_congestion - section 'congestion' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_CONGESTION_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_CONGESTION_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_congestion_read;

/** scenario_congestion_init() - the defaults: no key is given. */
void scenario_congestion_init(struct scenario_congestion *congestion);

#endif
