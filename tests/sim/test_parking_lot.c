/*  FC-20, [S3 fig. 5]: eleven hosts on a chain of four switches send to L. With arbitration by
 *  input port the far ones starve, 48-fold; by flow each gets an eleventh. The expectations are in
 *  the scenarios, as a user runs them. */

#include "tests/sim/sim.h"
#include "tests/testing.h"

static void run_scenario(const char *path)
{
	struct sim sim;

	sim_open_file(&sim, path, NULL);
	sim_run(&sim);
	ck_assert_uint_gt(sim.plan.expectation_count, 10);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	sim_close(&sim);
}

TEST_GROUP(fig_5, .timeout_s = 120);

TEST(fig_5__by_flow)
{
	run_scenario("topologies/parking-lot.yaml");
}

TEST(fig_5__by_port)
{
	run_scenario("topologies/parking-lot-by-port.yaml");
}
