/*  Fabrics of kind port-group: the books balance in every window under each policy, what keeps order stays in order, everything arrives
 *  (PG-4, PG-7 ... PG-9, TB-25); static ports
 *  collide and port groups do not, on a Clos and with the buffers that there are by default (PG-12).                                                                                      */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

static const char *const policies[] = { "port-group.policy=random", "port-group.policy=greedy",
					"port-group.policy=greedy-random" };

/* packets that left by another port than the static one */
static uint64_t choices_other(const struct sim *sim)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t p = 0; p < sim->plan.nodes[i].port_count; p++)
			sum += stats_port(sim->nodes[i].stats, p)->choices_other;
	return sum;
}

/* @classes  what the scenario says of them; NULL: nothing.   @adapts  do packets leave static ports, and may others overtake them? */
static void run_and_check(const char *policy, const char *classes, bool adapts)
{
	const char *settings[] = { policy, "run.duration=150us", "run.warmup=50us", classes, NULL };
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
	ck_assert_uint_eq(reordered, 0); /* what the receiver of a class in order must not see */
	ck_assert_uint_eq(choices_other(&sim) > 0, adapts);
	sim_close(&sim);
}

/* PG-4, PG-8: nothing said of classes: every packet may leave a congested static port */
START_TEST(policies__by_default)
{
	run_and_check(policies[_i], NULL, true);
}
END_TEST

START_TEST(policies__ordered)
{
	run_and_check(policies[_i], "classes=[{name: data, unordered: no}]", false);
}
END_TEST

/* ---- PG-12 ---- */

#define SEEDS 4u

/* what a few random permutations deliver in the measured time, of what the hosts' links carry in it, headers included */
static double share(const char *path, const char *setting)
{
	double delivered = 0, carried = 0;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		const char *settings[] = { "fabric=port-group", setting, NULL, NULL };
		char text[16];
		struct sim sim;

		snprintf(text, sizeof(text), "seed=%u", seed);
		settings[2] = text;
		sim_open_file(&sim, path, settings);
		sim_run(&sim);
		for (uint32_t i = 0; i < sim.plan.node_count; i++) {
			const struct node_config *config = &sim.plan.nodes[i];

			for (uint32_t f = 0; f < sim.nodes[i].stats->flow_rx_count; f++)
				delivered += (double)stats_flow_rx(sim.nodes[i].stats, f)->measured_bytes;
			if (config->kind == NODE_NIC)
				carried += (double)config->ports[0].rate_bps / 8 / (double)NODE_S *
					   (double)(config->measure_to_ps - config->measure_from_ps);
		}
		sim_close(&sim);
	}
	return delivered / carried;
}

static const char *const permutations[] = { "topologies/port-group-permutation.yaml",
					    "topologies/permutation-fat-tree-16.yaml" };

/* near full rate with every policy, on the Clos and, with the default's large buffers, on a fat tree; clearly less with static ports */
START_TEST(permutation__beside_static_ports)
{
	double fixed = share(permutations[_i], "port-group.adaptive=no");

	ck_assert_double_le(fixed, 0.87);
	for (uint32_t i = 0; i < PORT_GROUP_POLICIES; i++) {
		double adaptive = share(permutations[_i], policies[i]);

		ck_assert_msg(adaptive >= 0.92, "%s: %.3f, static: %.3f", policies[i], adaptive, fixed);
		ck_assert_msg(adaptive >= fixed + 0.08, "%s: %.3f, static: %.3f", policies[i], adaptive, fixed);
	}
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
	tcase_add_loop_test(tcase, policies__by_default, 0, 3);
	tcase_add_loop_test(tcase, policies__ordered, 0, 3);
	tcase_add_loop_test(tcase, permutation__beside_static_ports, 0, 2);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
