/*  FC-16, FC-23, FC-25: a permutation on fat trees of full bisection: mean throughput with ECMP, with flows that choose by load and are
 *  redirected, and with every packet for itself. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/routed.h"

static uint32_t number(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);

	return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static double share_of(struct sim *sim)
{
	double ideal = 4096.0 / 4132 / 8e3 * 200 *
		       (double)(sim->plan.nodes[0].measure_to_ps - sim->plan.nodes[0].measure_from_ps);
	uint64_t bytes = 0, hosts = 0;

	for (uint32_t i = sim->plan.switch_count; i < sim->plan.node_count; i++, hosts++)
		for (uint32_t f = 0; f < sim->nodes[i].stats->flow_rx_count; f++)
			bytes += stats_flow_rx(sim->nodes[i].stats, f)->measured_bytes;
	return (double)bytes / ideal / (double)hosts;
}

static double run(uint32_t radix, const struct routed *routed, uint32_t seed)
{
	struct sim sim;
	char text[1024];
	double share;

	snprintf(text, sizeof(text),
		 "name: permutation\nseed: %u\nrun: {duration: %uus, warmup: %uus, drain: no}\n"
		 "topology: {generate: fat-tree, radix: %u}\n"
		 "links: {rate: 200Gb/s, delay: 100ns, mtu: 4096}\n%s\n"
		 "workloads:\n  - {name: w, pattern: permutation, permutation: random, size: %s, packet: 4096, window: 2}\n",
		 seed, number("DURATION", 300), number("WARMUP", 150), radix, getenv("EXTRA") ? getenv("EXTRA") : "", getenv("SIZE") ? getenv("SIZE") : "1MiB");
	sim_open_prepared(&sim, text, NULL, routed_prepare, routed);
	sim_run_until(&sim, sim.plan.duration_ps);
	share = share_of(&sim);
	fprintf(stderr,
		"  radix %u seed %u: %.3f; %lu REROUTE ACKs, %lu redirects, %lu choices, %lu held, %lu folds, %lu headroom starts\n",
		radix, seed, share, routed_sum(&sim, reroute_acks), routed_sum(&sim, redirects),
		routed_sum(&sim, choices), routed_sum(&sim, choices_held), routed_sum(&sim, folds),
		routed_sum(&sim, headroom_starts));
	sim_close(&sim);
	return share;
}

static double mean(uint32_t radix, struct routed routed)
{
	uint32_t seeds = number("SEEDS", 3);
	double sum = 0;

	for (uint32_t seed = 1; seed <= seeds; seed++) {
		routed.routing.seed = seed;
		sum += run(radix, &routed, seed);
	}
	return sum / seeds;
}

START_TEST(fat_tree__tune)
{
	struct routed routed = { .routing = routed_adaptive() };
	const char *only = getenv("ONLY");

	routed.routing.redirect_depth_units = number("DEPTH", routed.routing.redirect_depth_units);
	routed.routing.redirect_full_units = number("FULL", routed.routing.redirect_full_units);
	routed.routing.redirect_growth_weight_permille = number("GROWTH", 1000);
	routed.routing.redirect_interval_ps = number("INTERVAL", 2000) * NODE_NS;
	routed.routing.redirect_pause_ps = number("PAUSE", 20000) * NODE_NS;
	routed.routing.redirect_anywhere = number("ANYWHERE", 0);
	for (uint32_t radix = number("RADIX", 4); radix <= number("RADIXMAX", 8); radix += 4) {
		if (!only || *only == 'r')
			fprintf(stderr, "radix %u redirect: %.3f\n", radix, mean(radix, routed));
		if (!only || *only == 'n') {
			routed.routing.redirect = false;
			fprintf(stderr, "radix %u no redirect: %.3f\n", radix, mean(radix, routed));
		}
		if (!only || *only == 'u') {
			routed.unordered = 1;
			fprintf(stderr, "radix %u unordered: %.3f\n", radix, mean(radix, routed));
			routed.unordered = 0;
		}
		routed.routing.redirect = true;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("permutation");
	TCase *tests = tcase_create("fat tree");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 7200);
	tcase_add_test(tests, fat_tree__tune);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
