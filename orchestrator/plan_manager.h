/*  plan_manager - what a plan tells the manager of its fabric: which kind of tables it is to make, not what the fabric looks like. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_MANAGER_H
#define HEDDLE_ORCHESTRATOR_PLAN_MANAGER_H

#include "orchestrator/plan.h"
#include "orchestrator/routing.h"

/** plan_manager_request() - as the plan's own tables were made. */
struct routing_request plan_manager_request(const struct plan *plan);

/** plan_manager_config() - @config as a node is started with, whose tables the manager will write: a copy that borrows all but has none. */
struct node_config plan_manager_config(const struct node_config *config);

#endif
