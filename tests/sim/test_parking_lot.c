/*  FC-20, [S3 fig. 5]: eleven hosts on a chain of four switches send to L. By input port the far ones starve, 48-fold; by flow
 *  each gets an eleventh. The expectations stand in the scenarios themselves, as a user runs them.                     */
#include <check.h>

#include "tests/sim/sim.h"

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

START_TEST(fig_5__by_flow)
{
	run_scenario("topologies/parking-lot.yaml");
}
END_TEST

START_TEST(fig_5__by_port)
{
	run_scenario("topologies/parking-lot-by-port.yaml");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parking lot");
	TCase *tests = tcase_create("fig 5");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, fig_5__by_flow);
	tcase_add_test(tests, fig_5__by_port);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
