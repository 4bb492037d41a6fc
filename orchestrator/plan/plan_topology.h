/*  plan_topology - converts a plan to the graph of switches, hosts and links that routing uses
 *  (topology.h). */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_TOPOLOGY_H

#include "orchestrator/plan/plan.h"
#include "orchestrator/routing/topology.h"

/** plan_topology() - fills @topology from @plan: vacant switches are not alive; links that carry no
 *  data (plan_link_carries()) are not up.
 *  Return: 0, topology_free() later; -ENOMEM. */
int plan_topology(const struct plan *plan, struct topology *topology);

#endif
