/*  TB-25: random scenarios with every checker on - topologies, rates, delays, buffers, channels, arbiters, classes, timers, workloads
 *  and losses drawn from a seed. SWARM_SEEDS says how many (default 150; make soak runs 10000), SWARM_SEED the first one.
 *  A failing seed is printed: SWARM_SEED=n SWARM_SEEDS=1 plays it alone.                                                */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/random.h"
#include "nodes/units.h"
#include "tests/sim/sim.h"

#define PICK(random, ...)                                                                                         \
	((const char *const[]){ __VA_ARGS__ }[random_below(random, sizeof((const char *const[]){ __VA_ARGS__ }) / \
									   sizeof(const char *))])

static void write_topology(struct random *random, FILE *out)
{
	switch (random_below(random, 4)) {
	case 0:
		fprintf(out, "topology: {generate: star, hosts: %u}\n", 2 + (unsigned)random_below(random, 7));
		return;
	case 1:
		fprintf(out, "topology: {generate: chain, switches: %u, hosts-per-switch: %u}\n",
			2 + (unsigned)random_below(random, 4), 1 + (unsigned)random_below(random, 3));
		return;
	case 2:
		fprintf(out, "topology: {generate: dumbbell, hosts-per-side: %u}\n",
			1 + (unsigned)random_below(random, 5));
		return;
	default:
		fprintf(out, "topology: {generate: leaf-spine, leaves: %u, hosts-per-leaf: %u, spines: %u}\n",
			2 + (unsigned)random_below(random, 3), 1 + (unsigned)random_below(random, 4),
			1 + (unsigned)random_below(random, 3));
	}
}

/* @least_units  what the links need of a buffer, which has that or more */
static void write_links(struct random *random, uint32_t least_units, FILE *out)
{
	fprintf(out, "links: {rate: %s, delay: %s, mtu: 9000, channels: %s, loss: %s, edge: {rate: %s}}\n",
		PICK(random, "200Gb/s", "100Gb/s", "10Gb/s", "333Gb/s", "400Gb/s"),
		PICK(random, "100ns", "1us", "3us", "0ns"), PICK(random, "2048", "64", "16", "3", "1"),
		PICK(random, "0", "0", "0", "0.1%", "2%", "20%"), PICK(random, "200Gb/s", "50Gb/s", "25Gb/s"));
	fprintf(out, "switch: {forwarding: %s, arbiter: %s, output-queue: %s, latency: %s, buffer: %uB,\n",
		PICK(random, "cut-through", "store-and-forward"), PICK(random, "by-flow", "by-port"),
		PICK(random, "32KiB", "9216B"), PICK(random, "350ns", "100ns"),
		(least_units + ((const uint32_t[]){ 0, 16, 1024 })[random_below(random, 3)]) * UNIT_BYTES);
	fprintf(out, "  acks: {t1: %s, t2: %s, t3: %s, collect: %s}}\n", PICK(random, "30ns", "0ns", "100ns"),
		PICK(random, "100ns", "200ns"), PICK(random, "200ns", "1us"), PICK(random, "16", "1", "48"));
	fprintf(out, "classes: [{name: low, min: %s, max: %s}, {name: high, min: %s, max: 100%%}]\n",
		PICK(random, "0%", "10%", "50%"), PICK(random, "100%", "60%"), PICK(random, "0%", "20%", "50%"));
}

static void write_workload(struct random *random, unsigned index, FILE *out)
{
	fprintf(out, "  - {name: w%u, pattern: %s, size: %s, packet: %s, frame: %s, class: %s, ", index,
		PICK(random, "uniform", "permutation", "all-to-all", "uniform"),
		PICK(random, "1B", "4KiB", "100kB", "9000B"), PICK(random, "128", "1500", "4096", "9000"),
		PICK(random, "hpc", "ethernet", "ipv4", "ipv6", "roce"), PICK(random, "low", "high"));
	switch (random_below(random, 3)) {
	case 0:
		fprintf(out, "arrival: closed, window: %s}\n", PICK(random, "1", "4"));
		return;
	case 1:
		fprintf(out, "arrival: poisson, load: %s}\n", PICK(random, "10%", "50%", "100%"));
		return;
	default:
		fprintf(out, "arrival: burst, burst: {messages: %s, period: %s}}\n", PICK(random, "1", "8"),
			PICK(random, "2us", "5us"));
	}
}

static char *scenario_of(uint64_t seed, uint32_t least_units)
{
	struct random random;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	unsigned workloads;

	random_init(&random, seed, 7);
	fprintf(out, "name: swarm\nseed: %lu\nrun: {duration: 8us, warmup: 1us, drain-max: 1s, sample: 1us}\n",
		(unsigned long)seed);
	write_topology(&random, out);
	write_links(&random, least_units, out);
	workloads = 1 + (unsigned)random_below(&random, 3);
	fprintf(out, "workloads:\n");
	for (unsigned i = 0; i < workloads; i++)
		write_workload(&random, i, out);
	fclose(out);
	return text;
}

/* what the scenario needs of its buffers: for what comes after a stop, and two packets */
static uint32_t least_units_of(uint64_t seed)
{
	char *text = scenario_of(seed, 1 << 20);
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;
	uint32_t least = 0;

	ck_assert_int_eq(scenario_read_memory("swarm", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	for (uint32_t i = 0; i < plan.switch_count; i++)
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++) {
			const struct port_config *port = &plan.nodes[i].ports[p];
			uint32_t needed = port->buffer_units - port->stop_units + 2 * units_of_bytes(port->mtu_bytes);

			least = needed > least ? needed : least;
		}
	plan_free(&plan);
	scenario_free(&scenario);
	free(text);
	return least;
}

static void run_seed(uint64_t seed)
{
	char *text = scenario_of(seed, least_units_of(seed));
	uint64_t sent = 0, received = 0, lost = 0, lost_units = 0, reported_units = 0;
	struct sim sim;

	fprintf(stderr, "swarm: seed %lu\n", (unsigned long)seed);
	sim_open_text(&sim, text, NULL);
	sim.check_windows = 16;
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "seed %lu: not empty\n%s", seed, text);
	sim_check_released(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		struct stats_page *stats = sim.nodes[i].stats;

		sent += stats->injected_packets;
		received += stats->delivered_packets;
		for (uint32_t p = 0; p < stats->port_count; p++) {
			lost += stats_port(stats, p)->lost_packets;
			lost_units += stats_port(stats, p)->lost_units;
			reported_units += stats_port(stats, p)->loss_report_units;
		}
	}
	ck_assert_msg(sent == received + lost, "seed %lu: %lu sent, %lu received, %lu lost\n%s", seed, sent, received,
		      lost, text);
	ck_assert_msg(lost_units == reported_units, "seed %lu: %lu units lost, %lu reported\n%s", seed, lost_units,
		      reported_units, text);
	for (enum drop_reason r = DROP_MALFORMED; r < DROP_REASONS; r++)
		ck_assert_msg(!sim_drops(&sim, r), "seed %lu: %lu %s\n%s", seed, sim_drops(&sim, r), stats_drop_name[r],
			      text);
	sim_close(&sim);
	free(text);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

START_TEST(random_scenarios__books_balance)
{
	uint64_t first = number_from("SWARM_SEED", 1), count = number_from("SWARM_SEEDS", 150);

	for (uint64_t seed = first; seed < first + count; seed++)
		run_seed(seed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swarm");
	TCase *tests = tcase_create("random scenarios");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 7200);
	tcase_add_test(tests, random_scenarios__books_balance);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
