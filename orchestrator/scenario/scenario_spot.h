/*  scenario_spot - the key 'topology.at': where nodes are drawn (SE-5). Only pictures depend on
 *  it. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_SPOT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_SPOT_H

#include "orchestrator/scenario/scenario_keys.h"

#define SCENARIO_SPOT_ONE 1000  /* a unit of the scenario */
#define SCENARIO_SPOT_MAX 10000 /* units, from 0 in each direction */

/** scenario_spots_read() - {NAME: [X, Y], ...} of switches and hosts that are read already;
 *  mistakes become errors of @reader. */
void scenario_spots_read(struct reader *reader, const struct yaml_node *node);

#endif
