/*  generated_plan - for tests of what is planned: the plan of a generated topology. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_GENERATED_PLAN_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_GENERATED_PLAN_H

#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

/* makes @plan of @topology, such as "star, hosts: 4"; plan_free() later */
static inline void generated_plan(const char *topology, struct plan *plan)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	char text[512];

	snprintf(text, sizeof(text), "name: p\nrun: {duration: 1us}\ntopology: {generate: %s}\n",
		 topology);
	ck_assert_int_eq(
		scenario_read_memory("p.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, plan, &errors), 0);
	scenario_free(&scenario);
}

#endif
