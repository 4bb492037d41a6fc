/*  plan_json - `heddle show SCENARIO PART --json`: a part of a plan for programs. Keys and units
 *  are those of results (docs/results.md); docs/tables.md lists them. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_PLAN_JSON_H
#define HEDDLE_ORCHESTRATOR_CLI_PLAN_JSON_H

#include <jansson.h>

#include "orchestrator/plan/plan.h"

/** plan_json_summary(), _nodes(), _links(), _routes(), _hosts() - the parts of these names;
 *  plan_json_config() - the configuration of @node, which is of the plan. Owned by the caller.
 *  Return: never NULL unless memory is short. */
json_t *plan_json_summary(const struct plan *plan);
json_t *plan_json_nodes(const struct plan *plan);
json_t *plan_json_links(const struct plan *plan);
json_t *plan_json_routes(const struct plan *plan);
json_t *plan_json_hosts(const struct plan *plan);
json_t *plan_json_config(const struct plan *plan, const struct node_config *node);

#endif
