/*  real_fabric - for fuzzers: a fabric of the real clock as its daemon has it, two switches and two
 *  hosts, without a process.
 */
#ifndef HEDDLE_TESTS_FUZZ_REAL_FABRIC_H
#define HEDDLE_TESTS_FUZZ_REAL_FABRIC_H

#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/scenario/scenario.h"

/** real_plan() - the plan, with spare slots. Ends the fuzzer if it cannot be made. */
static inline void real_plan(struct plan *plan)
{
	static const char text[] =
		"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"
		"nic: {messages-max: 8, flows-max: 8}\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n";
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	if (scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors) ||
	    plan_make_real(&scenario, plan, &errors) || plan_spare_make(plan))
		abort();
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

#endif
