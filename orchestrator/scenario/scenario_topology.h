/*  scenario_topology - sections 'topology' and 'links' of a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_TOPOLOGY_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_links_read, scenario_topology_read;

/** scenario_links_default() - sets the defaults of links that depend on the kind of fabric, once it
 *  is known. */
void scenario_links_default(struct reader *reader);

#endif
