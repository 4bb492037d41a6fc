/*  plan_topology - the switches, hosts and links of a plan as the graph that routing works on
 *  (topology.h). */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_TOPOLOGY_H

#include "orchestrator/plan/plan.h"
#include "orchestrator/routing/topology.h"

/** plan_topology() - the graph of @plan: vacant switches are not alive; links that carry nothing
 *  (plan_link_carries()) are not up.
 *  Return: 0, topology_free() later; -ENOMEM. */
int plan_topology(const struct plan *plan, struct topology *topology);

#endif
