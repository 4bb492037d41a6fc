/*  PG-9, PG-10: an incast of eight under credits, FECN and BECN. The expectations stand in the
 *  scenario, as a user runs it. */

#include "tests/sim/sim.h"
#include "tests/testing.h"

static void run_scenario(const char *path)
{
	struct sim sim;

	sim_open_file(&sim, path, NULL);
	sim_run(&sim);
	ck_assert_uint_gt(sim.plan.expectation_count, 5);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	sim_close(&sim);
}

TEST_GROUP(incast, .timeout_s = 120);

TEST(incast__sources_slow_down)
{
	run_scenario("topologies/port-group-incast.yaml");
}
