/*  scenario_prefix - networks that are reached through a host. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PREFIX_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PREFIX_H

#include "orchestrator/scenario/scenario_keys.h"

/* of host scenario->host_count */
key_read_fn scenario_prefixes_read;

/** scenario_prefixes_check() - sorts all prefixes, and reports equal ones. */
void scenario_prefixes_check(struct reader *reader);

#endif
