/*  Virtual lanes and detours on whole fabrics: the books balance at every moment, nothing is lost or reordered, and all comes to rest
 *  (FC-15, FC-23, TB-25). On a dragonfly with detours of six links, one level of lanes each. */
#include <check.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

static void run(const char *detour, const char *more)
{
	const char *settings[] = { detour, "run={duration: 40us, warmup: 10us, drain: yes}", more, NULL };
	struct sim sim;

	sim_open_file(&sim, "topologies/dragonfly-adaptive.yaml", settings);
	ck_assert_uint_eq(sim.plan.nodes[0].lanes, 6);
	sim.check_windows = 64;
	sim_run(&sim);
	sim_check_released(&sim);
	ck_assert_uint_eq(sim_drops(&sim, DROP_NO_LANE), 0);
	sim_close(&sim);
}

START_TEST(dragonfly__valiant)
{
	run("routing.detour=always", NULL);
}
END_TEST

START_TEST(dragonfly__adaptive)
{
	run("routing.detour=adaptive", NULL);
}
END_TEST

START_TEST(dragonfly__lossy_links)
{
	run("routing.detour=adaptive", "links.loss=0.1%");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lanes");
	TCase *tcase = tcase_create("lanes");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, dragonfly__valiant);
	tcase_add_test(tcase, dragonfly__adaptive);
	tcase_add_test(tcase, dragonfly__lossy_links);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
