/*  FC-16, FC-23 ... FC-26, TB-3, TB-25: accounts balance, order holds and every channel is free at
 *  the end, whatever the paths: scenarios on topologies of many paths with choice, detours, lanes,
 *  redirects, unordered classes, losses, and links and switches that fail and return in the middle,
 *  drawn from a seed. SWARM_SEEDS says how many (default 60), SWARM_SEED the first, SWARM_SHOW
 *  shows them. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/draw.h"
#include "tests/sim/sim.h"
#include "tests/sim/swarm_kept.h"
#include "tests/testing.h"

#define RUN_US 20u
#define SEEDS 60u

static struct swarm_kept kept = { .path = "tests/sim/swarm_paths.txt", .seeds = SEEDS };

static void write_topology(struct draw *draw)
{
	draw_text(draw, "topology: {generate: <fat-tree, radix: 4|leaf-spine, leaves: 3, "
			"hosts-per-leaf: 3, spines: 3|torus, shape: [4, 3], hosts-per-switch: "
			"1|torus, shape: [5], hosts-per-switch: 2|hyperx, shape: [3, 3], "
			"hosts-per-switch: 1|hyperx, shape: [4], hosts-per-switch: 3|dragonfly, "
			"hosts-per-switch: 1, switches-per-group: 2, global-links: 1|dragonfly, "
			"hosts-per-switch: 2, switches-per-group: 2, global-links: 2>}\n");
}

static void write_classes(struct draw *draw)
{
	draw->classes = 1 + below(draw, 2);
	fprintf(draw->out, "classes:\n");
	for (unsigned i = 0; i < draw->classes; i++)
		draw_text(draw, "  - {name: c%u, unordered: <no|no|yes>}\n", i);
}

static void write_routing(struct draw *draw)
{
	draw_text(draw,
		  "routing: {choice: <static|hash|adaptive|adaptive>, order: <auto|auto|up-down>, "
		  "detour: <never|adaptive|always|{when: adaptive, weight: 1, bias: 0, draws: 4}>, "
		  "hold-sources: <yes|no|{for: 1us}>, redirect: <yes|no|{depth: 9000B, full: "
		  "18000B, interval: 100ns, pause: 0ns}|{depth: 9000B, full: 18000B, interval: "
		  "100ns, pause: 0ns, anywhere: yes}>}\n");
}

static void write_workloads(struct draw *draw)
{
	fprintf(draw->out, "workloads:\n");
	for (unsigned i = 0, count = 1 + below(draw, 3); i < count; i++)
		draw_text(draw,
			  "  - {name: w%u, pattern: <uniform|permutation|all-to-all|incast, to: "
			  "h1>, size: <1kB|16KiB|64KiB>, packet: <300|1500|4096>, class: c%u, "
			  "arrival: <closed, window: 1|closed, window: 4|poisson, load: 70%%>}\n",
			  i, below(draw, draw->classes));
}

/* links and switches of @plan, one after the other, each back before the next one goes */
static void write_faults(struct draw *draw, const struct plan *plan)
{
	fprintf(draw->out, "faults:\n");
	for (unsigned i = 0, count = 1 + below(draw, 3); i < count; i++) {
		const struct plan_link *link = &plan->links[below(draw, plan->link_count)];

		draw_text(draw, "  - {at: %uns, for: <100ns|1us|3us>, ",
			  1000 + i * 5000 + below(draw, 1000));
		if (below(draw, 3))
			fprintf(draw->out, "link: [%s, %s]}\n", plan->nodes[link->node_a].name,
				plan->nodes[link->node_b].name);
		else
			fprintf(draw->out, "switch: %s}\n",
				plan->nodes[below(draw, plan->switch_count)].name);
	}
}

/* malloc'd; a scenario with faults has no other losses */
static char *scenario_of(uint64_t seed, const struct plan *plan, bool faults)
{
	struct draw draw = { 0 };
	char *text = NULL;
	size_t length;

	draw.out = open_memstream(&text, &length);
	random_init(&draw.random, seed, 9);
	fprintf(draw.out,
		"name: paths\nseed: %lu\nrun: {duration: %uus, warmup: 1us, drain: yes, drain-max: "
		"3600s}\n",
		(unsigned long)seed, RUN_US);
	write_topology(&draw);
	write_classes(&draw);
	write_routing(&draw);
	write_workloads(&draw);
	draw_text(&draw,
		  "links: {rate: 100Gb/s, delay: <100ns|1us|0ns>, loss: <%s>, channels: "
		  "<2048|64|8>}\n",
		  faults ? "0" : "0|0.1%|2%");
	if (plan)
		write_faults(&draw, plan);
	fclose(draw.out);
	return text;
}

/* ... and those of the plan without faults are what fails */
static char *scenario_with_faults(uint64_t seed)
{
	char *bare = scenario_of(seed, NULL, true), *text;
	struct sim sim;

	sim_open_text(&sim, bare, NULL);
	text = scenario_of(seed, &sim.plan, true);
	sim_close(&sim);
	free(bare);
	return text;
}

static void check_books(const struct sim *sim, uint64_t seed, bool faults, const char *text)
{
	uint64_t sent = 0, received = 0, lost = 0,
		 gone = sim_drops(sim, DROP_LINK_DOWN) + sim_drops(sim, DROP_NO_ROUTE) +
			sim_drops(sim, DROP_NO_LANE);

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		struct stats_page *stats = sim->nodes[i].stats;

		sent += stats->injected_packets;
		received += stats->delivered_packets;
		for (uint32_t p = 0; p < stats->port_count; p++)
			lost += stats_port(stats, p)->lost_packets;
	}
	ck_assert_msg(sent == received + (faults ? gone : lost),
		      "seed %lu: %lu sent, %lu received, %lu lost, %lu gone\n%s", seed, sent,
		      received, lost, gone, text);
	ck_assert_msg(faults || !gone, "seed %lu: %lu gone\n%s", seed, gone, text);
}

static void run_seed(uint64_t seed)
{
	bool faults = seed % 2;
	char *text = faults ? scenario_with_faults(seed) : scenario_of(seed, NULL, false);
	struct results results;
	struct sim sim;

	fprintf(stderr, "paths: seed %lu\n%s", (unsigned long)seed,
		getenv("SWARM_SHOW") ? text : "");
	sim_open_text(&sim, text, NULL);
	sim.check_windows = 16;
	swarm_begin(&kept, &sim);
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "seed %lu: not empty\n%s",
		      seed, text);
	sim_check_released(&sim);
	check_books(&sim, seed, faults, text);
	sim_results(&sim, &results);
	for (uint32_t i = 0; i < results.fault_count; i++)
		ck_assert(results.faults[i].failed && results.faults[i].returned);
	results_free(&results);
	swarm_end(&kept, &sim, seed);
	sim_close(&sim);
	free(text);
}

TEST_GROUP(seeds, .timeout_s = 7200);

TEST(random_paths__books_balance)
{
	run_seeds(run_seed, SEEDS);
}
