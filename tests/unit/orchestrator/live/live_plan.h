/*  live_plan - what the tests of a running fabric's requests share: its plan, with places for what
 *  joins. No node runs. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_LIVE_LIVE_PLAN_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_LIVE_LIVE_PLAN_H

#include <stdlib.h>
#include <string.h>

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "tests/testing.h"

/** live_plan_make() - the plan of scenario @text under the real clock.  plan_free() later. */
static inline void live_plan_make(const char *text, struct plan *plan)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_real(&scenario, plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	ck_assert_int_eq(plan_spare_make(plan), 0);
}

/** live_nodes_make() - its nodes: each is to have a process of its own, and has none yet. free()
 *  later. */
static inline struct fabric_node *live_nodes_make(const struct plan *plan)
{
	struct fabric_node *nodes = calloc(plan->node_count, sizeof(*nodes));

	ck_assert_ptr_nonnull(nodes);
	for (uint32_t i = 0; i < plan->node_count; i++)
		nodes[i].lead = i;
	return nodes;
}

#endif
