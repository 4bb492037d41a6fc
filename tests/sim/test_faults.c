/*  FC-15, FC-17, FC-26, TB-4, TB-22, TB-25: every link and every switch of a fat tree of 16 hosts fails in turn under full load, and
 *  returns. Every book is balanced all the while; no flow is reordered; what is lost was on what failed, waited for it, or found no
 *  way until tables followed; nothing stalls, and at the end every channel is free.                                  */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

#define STEP_US 60u

static const char ordered[] = "", unordered[] = "routing: {choice: adaptive}\n"
						 "classes: [{name: any, unordered: yes}]\n";

static const char fat_tree[] = "name: faults\n"
			       "run: {duration: %uus, warmup: 1us, drain: yes, drain-max: 100ms}\n"
			       "topology: {generate: fat-tree, radix: 4}\n"
			       "%s"
			       "workloads:\n"
			       "  - {name: w, pattern: permutation, shift: 5, size: 16KiB, packet: 4096, arrival: closed, "
			       "window: 2}\n"
			       "faults:\n";

/* the scenario with a fault of each link, or of each switch, one after the other; malloc'd */
static char *scenario_text(bool switches, const char *class)
{
	struct sim sim;
	char start[1024], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint32_t count;

	snprintf(start, sizeof(start), fat_tree, 1000, class);
	sim_open_text(&sim, start, NULL);
	count = switches ? sim.plan.switch_count : sim.plan.link_count;
	fprintf(out, fat_tree, (count + 2) * STEP_US, class);
	for (uint32_t i = 0; i < count; i++) {
		const struct plan_link *link = &sim.plan.links[i];

		fprintf(out, "  - {at: %uus, for: %uus, ", (i + 1) * STEP_US, STEP_US / 2);
		if (switches)
			fprintf(out, "switch: %s}\n", sim.plan.nodes[i].name);
		else
			fprintf(out, "link: [%s, %s]}\n", sim.plan.nodes[link->node_a].name,
				sim.plan.nodes[link->node_b].name);
	}
	fclose(out);
	sim_close(&sim);
	return text;
}

static uint64_t sent_not_received(const struct sim *sim)
{
	uint64_t sent = 0, received = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		sent += sim->nodes[i].stats->injected_packets;
		received += sim->nodes[i].stats->delivered_packets;
	}
	ck_assert_uint_gt(received, 10000);
	return sent - received;
}

/* each fault has come and gone; each host has sent and received until the end */
static void check_faults(struct sim *sim)
{
	struct results results;

	sim_results(sim, &results);
	ck_assert_uint_gt(results.fault_count, 0);
	for (uint32_t i = 0; i < results.fault_count; i++)
		ck_assert(results.faults[i].failed && results.faults[i].returned);
	for (uint32_t i = 0; i < results.flow_count; i++)
		ck_assert_uint_gt(results.flows[i].last_ps, sim->plan.duration_ps - STEP_US * NODE_US);
	ck_assert_uint_eq(results.totals.reordered, 0);
	results_free(&results);
}

static void all_fail(bool switches, const char *class)
{
	char *text = scenario_text(switches, class);
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 50;
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	ck_assert_uint_gt(sim_drops(&sim, DROP_LINK_DOWN), 0);
	ck_assert_uint_eq(sent_not_received(&sim), sim_drops(&sim, DROP_LINK_DOWN) + sim_drops(&sim, DROP_NO_ROUTE));
	check_faults(&sim);
	sim_close(&sim);
	free(text);
}

START_TEST(every_link__in_turn)
{
	all_fail(false, ordered);
}
END_TEST

START_TEST(every_switch__in_turn)
{
	all_fail(true, ordered);
}
END_TEST

/* FC-16: packets of one flow are on several ways, of which one goes */
START_TEST(every_link__in_turn_under_trees)
{
	all_fail(false, unordered);
}
END_TEST

START_TEST(every_switch__in_turn_under_trees)
{
	all_fail(true, unordered);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults");
	TCase *tests = tcase_create("faults");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, every_link__in_turn);
	tcase_add_test(tests, every_switch__in_turn);
	tcase_add_test(tests, every_link__in_turn_under_trees);
	tcase_add_test(tests, every_switch__in_turn_under_trees);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
