/*  scenario_machine - the key 'topology.machines': which switches run on which machine of several
 *  (SC-5). Without --machines it has no effect. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_MACHINE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_MACHINE_H

#include "orchestrator/scenario/scenario_keys.h"

/** scenario_machines_read() - {MACHINE: [SWITCH, ...], ...} of switches that are read already;
 *  mistakes become errors of @reader. */
void scenario_machines_read(struct reader *reader, const struct yaml_node *node);

#endif
