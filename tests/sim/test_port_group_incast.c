/*  PG-9, PG-10: an incast of eight under credits, FECN and BECN. The expectations stand in the scenario, as a user runs it.  */
#include <check.h>

#include "tests/sim/sim.h"

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

START_TEST(incast__sources_slow_down)
{
	run_scenario("topologies/port-group-incast.yaml");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port group incast");
	TCase *tests = tcase_create("incast");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, incast__sources_slow_down);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
