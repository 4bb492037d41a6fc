/*  scenario_flow_key - the fields that define a flow at edge ports: a list of fields, or one
 *  (FC-2). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_FLOW_KEY_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_FLOW_KEY_H

#include "orchestrator/scenario/scenario_keys.h"

/** scenario_flow_key_read() - reads a struct flow_match: nodes/config/flow_match.h. */
key_read_fn scenario_flow_key_read;

#endif
