/*  Fabrics of kind port-group: the books balance in every window under each policy, what keeps order stays in order, everything arrives
 *  (PG-4, PG-7 ... PG-9, TB-25).                                                                                      */
#include <check.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

static const char *const policies[] = { "port-group.policy=random", "port-group.policy=greedy",
					"port-group.policy=greedy-random" };

static void run_and_check(const char *policy, const char *unordered)
{
	const char *settings[] = { policy, unordered, "run.duration=150us", "run.warmup=50us", NULL };
	struct sim sim;
	uint64_t reordered = 0, received = 0;

	sim_open_file(&sim, "topologies/port-group-permutation.yaml", settings);
	sim.check_windows = 16;
	sim_run(&sim);
	sim_check_released(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		for (uint32_t f = 0; f < sim.nodes[i].stats->flow_rx_count; f++) {
			reordered += stats_flow_rx(sim.nodes[i].stats, f)->reordered;
			received += stats_flow_rx(sim.nodes[i].stats, f)->packets;
		}
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		ck_assert_uint_eq(sim_drops(&sim, (enum drop_reason)reason), 0);
	ck_assert_uint_gt(received, 1000);
	ck_assert(unordered[sizeof("classes.0.unordered=") - 1] == 'y' || !reordered);
	sim_close(&sim);
}

START_TEST(policies__unordered)
{
	run_and_check(policies[_i], "classes.0.unordered=yes");
}
END_TEST

START_TEST(policies__ordered)
{
	run_and_check(policies[_i], "classes.0.unordered=no");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port_group");
	TCase *tcase = tcase_create("port_group");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, policies__unordered, 0, 3);
	tcase_add_loop_test(tcase, policies__ordered, 0, 3);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
