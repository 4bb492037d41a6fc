/*  scenario_host_check - what can be said of hosts only when all are known: default addresses,
 *  duplicates, subnets that overlap, and where gateways and routes lead (DU-7). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_CHECK_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_HOST_CHECK_H

#include "orchestrator/scenario/scenario_keys.h"

/* the section `hosts`: names of hosts or shell patterns, and the settings of those hosts; after
 * the topology */
key_read_fn scenario_hosts_section_read;

/** scenario_hosts_complete() - gives every host settings, hosts without addresses the default ones,
 *  and resolves gateways and routes. Errors go to @reader. The topology has been read without
 *  one. */
void scenario_hosts_complete(struct reader *reader);

#endif
