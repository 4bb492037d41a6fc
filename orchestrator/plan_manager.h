/*  plan_manager - nodes without tables, which the fabric manager writes. It is told plan->routing, by which rules, and not what the
 *  fabric looks like.                                                                                                */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_MANAGER_H
#define HEDDLE_ORCHESTRATOR_PLAN_MANAGER_H

#include "orchestrator/plan.h"

/** plan_manager_config() - @config as a node is started with, whose tables the manager will write: a copy that borrows all but has none. */
struct node_config plan_manager_config(const struct node_config *config);

#endif
