/*  A random permutation on fat trees of 16 and 128 hosts, one persistent flow each: ECMP as theory
 *  predicts, adaptive flows with redirects (FC-25) near the rate of the links.
 *
 *  No setting was chosen on the seeds of the adaptive runs. docs/routing.md names the seeds on
 *  which settings were chosen (1 to 12 with 16 hosts, 1 to 4 with 128); `make soak` runs them
 *  too (PERMUTATION_ALL=yes). It also states the exception: with 128 hosts seed 4 never settles,
 *  at .91.
 *
 *  With links in random order redirects are never worse than none. */

#include <stdlib.h>

#include "nodes/base/random.h"
#include "tests/sim/routed.h"
#include "tests/testing.h"

#define HOSTS 16u
#define HALF 2u /* ports up of an edge or aggregation switch */
/* of adaptive runs; the last ones of `make soak` */
#define SEED_FIRST 17u
#define SEEDS (all_seeds() ? 16u : 4u)
#define MANY_SEED_FIRST 31u
#define MANY_SEEDS (all_seeds() ? 4u : 1u)
#define ECMP_SEEDS 16u
#define DRAWS 400u
#define SHARE_OF_HEADERS (4096.0 / 4132)
/* of the mean over the seeds' own permutations: ECMP_SEEDS draws, each with a deviation of .1 */
#define ECMP_ERROR 0.05

static const char scenario[] = "name: permutation\n"
			       "run: {duration: 2ms, warmup: 1500us, drain: no}\n"
			       "topology: {generate: fat-tree, radix: 4}\n"
			       "routing: {choice: adaptive}\n"
			       "workloads:\n"
			       "  - {name: w, pattern: permutation, permutation: random, size: "
			       "100MB, arrival: closed, window: 1}\n";

static bool all_seeds(void)
{
	return getenv("PERMUTATION_ALL") != NULL;
}

/* ---- theory: max-min shares of flows on random paths ---- */

#define PATH_LINKS 6u
#define LINKS_MAX 128u

struct path {
	uint32_t links[PATH_LINKS], count;
	double rate;
	bool fixed;
};

/* links: of hosts up and down; of edges to and from aggregations; of aggregations to and from
 * cores */
static struct path draw_path(struct random *random, uint32_t from, uint32_t to)
{
	uint32_t up = (uint32_t)random_below(random, HALF),
		 core = (uint32_t)random_below(random, HALF);
	uint32_t pod = from / 4, pod_to = to / 4, edge = from / 2, edge_to = to / 2;
	struct path path = { .links = { from, HOSTS + to }, .count = 2 };

	if (edge == edge_to)
		return path;
	path.links[path.count++] = 32 + edge * HALF + up;
	path.links[path.count++] = 48 + edge_to * HALF + up;
	if (pod == pod_to)
		return path;
	path.links[path.count++] = 64 + (pod * HALF + up) * HALF + core;
	path.links[path.count++] = 80 + (pod_to * HALF + up) * HALF + core;
	return path;
}

static bool crosses(const struct path *path, uint32_t link)
{
	for (uint32_t i = 0; i < path->count; i++)
		if (path->links[i] == link)
			return true;
	return false;
}

/* the link whose flows that are not fixed yet get least */
static uint32_t tightest(const struct path *paths, double *share)
{
	uint32_t best = LINKS_MAX;

	for (uint32_t link = 0; link < LINKS_MAX; link++) {
		double left = 1;
		uint32_t flows = 0;

		for (uint32_t f = 0; f < HOSTS; f++) {
			bool on = crosses(&paths[f], link);

			left -= on && paths[f].fixed ? paths[f].rate : 0;
			flows += on && !paths[f].fixed;
		}
		if (!flows || (best < LINKS_MAX && left / flows >= *share))
			continue;
		*share = left / flows;
		best = link;
	}
	return best;
}

/* the mean share of a host's link */
static double max_min(struct path *paths)
{
	double share = 0, sum = 0;
	uint32_t link;

	while ((link = tightest(paths, &share)) < LINKS_MAX)
		for (uint32_t f = 0; f < HOSTS; f++)
			if (!paths[f].fixed && crosses(&paths[f], link)) {
				paths[f].fixed = true;
				paths[f].rate = share;
				sum += share;
			}
	return sum / HOSTS;
}

/* of the permutation that @sim runs, the paths of its flows drawn again and again */
static double theory(const struct results *results, struct random *random)
{
	struct path paths[HOSTS];
	double sum = 0;

	for (uint32_t draw = 0; draw < DRAWS; draw++) {
		for (uint32_t f = 0; f < HOSTS; f++)
			paths[f] = draw_path(random, results->flows[f].source,
					     results->flows[f].destination);
		sum += max_min(paths);
	}
	return sum / DRAWS;
}

/* ---- what is measured ---- */

static double share(struct sim *sim)
{
	const struct node_config *nodes = sim->plan.nodes;
	uint64_t bytes = 0;

	for (uint32_t i = sim->plan.switch_count; i < sim->plan.node_count; i++)
		for (uint32_t f = 0; f < sim->nodes[i].stats->flow_rx_count; f++)
			bytes += stats_flow_rx(sim->nodes[i].stats, f)->measured_bytes;
	return (double)bytes * 8e12 / (double)(nodes[0].measure_to_ps - nodes[0].measure_from_ps) /
	       (200e9 * SHARE_OF_HEADERS * sim->plan.host_count);
}

static void open_seed(struct sim *sim, uint32_t seed, const char *const *more)
{
	char text[32];
	const char *settings[5] = { text };

	snprintf(text, sizeof(text), "seed=%u", seed);
	for (uint32_t i = 0; more && more[i]; i++)
		settings[i + 1] = more[i];
	sim_open_text(sim, scenario, settings);
	sim->check_windows = 0;
}

/* ---- links in random order ---- */

/* Link @index of a fat tree of switches with 2 @half ports, as generated: @half squared links of
 * each pod to its aggregation switches, then as many of each pod to core switches. */
static void link_print(FILE *out, uint32_t half, uint32_t index)
{
	uint32_t square = half * half, pods = 2 * half, pod = index / square % pods,
		 low = index % square / half, high = index % half;

	if (index < pods * square)
		fprintf(out, "[p%ue%u, p%ua%u]", pod, low, pod, high);
	else
		fprintf(out, "[p%ua%u, c%u]", pod, low, low * half + high);
}

/* "topology=...", malloc'd: the links in an order drawn by @seed, so ports are numbered by it */
static char *shuffled(uint32_t half, uint32_t seed)
{
	uint32_t square = half * half, pods = 2 * half, count = 2 * pods * square, links[128];
	struct random random;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_uint_le(count, sizeof(links) / sizeof(links[0]));
	random_init(&random, seed, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = (uint32_t)random_below(&random, i + 1);

		links[i] = links[at];
		links[at] = i;
	}
	fprintf(out, "topology={switches: [");
	for (uint32_t i = 0; i < pods * half; i++)
		fprintf(out, "p%ue%u, p%ua%u, ", i / half, i % half, i / half, i % half);
	for (uint32_t i = 0; i < square; i++)
		fprintf(out, "%sc%u", i ? ", " : "", i);
	fprintf(out, "], hosts: {");
	for (uint32_t i = 0; i < pods * square; i++)
		fprintf(out, "%sh%u: p%ue%u", i ? ", " : "", i, i / square, i % square / half);
	fprintf(out, "}, links: [");
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		link_print(out, half, links[i]);
	}
	fprintf(out, "]}");
	fclose(out);
	return text;
}

/* the share of the hosts' rate; *@inputs: do lower ends of links request redirects? */
static double shuffled_share(uint32_t half, uint32_t seed, const char *redirect, bool *inputs)
{
	char *topology = shuffled(half, seed);
	const char *more[] = { topology, redirect, NULL };
	struct sim sim;
	double result;

	open_seed(&sim, seed, more);
	*inputs = sim.plan.nodes[0].switch_.routing.redirect_inputs;
	sim_run(&sim);
	result = share(&sim);
	sim_close(&sim);
	free(topology);
	return result;
}

TEST_GROUP(fat_trees, .timeout_s = 600);

TEST(ecmp__as_theory_says)
{
	static const char *const hash[] = { "routing.choice=hash",
					    "run={duration: 150us, warmup: 50us, drain: no}",
					    NULL };
	struct random random;
	double measured = 0, expected = 0;

	random_init(&random, 1, 0);
	for (uint32_t seed = 1; seed <= ECMP_SEEDS; seed++) {
		struct results results;
		struct sim sim;

		open_seed(&sim, seed, hash);
		sim_run(&sim);
		sim_results(&sim, &results);
		measured += share(&sim) / ECMP_SEEDS;
		expected += theory(&results, &random) / ECMP_SEEDS;
		results_free(&results);
		sim_close(&sim);
	}
	printf("ECMP: %.3f, theory %.3f\n", measured, expected);
	ck_assert_double_eq_tol(measured, expected, ECMP_ERROR);
}

TEST(adaptive__redirects_find_a_way_for_all)
{
	double mean = 0, least = 1;

	for (uint32_t seed = SEED_FIRST; seed < SEED_FIRST + SEEDS; seed++) {
		struct sim sim;
		uint64_t before;

		open_seed(&sim, seed, NULL);
		sim_run_until(&sim, 1500 * NODE_US);
		before = routed_sum(&sim, redirects);
		sim_run(&sim);
		if (share(&sim) > 0.99) /* a flow that has found one stays */
			ck_assert_uint_eq(routed_sum(&sim, redirects), before);
		mean += share(&sim) / SEEDS;
		least = share(&sim) < least ? share(&sim) : least;
		sim_close(&sim);
	}
	printf("adaptive, %u seeds from %u on: mean %.3f, least %.3f\n", SEEDS, SEED_FIRST, mean,
	       least);
	ck_assert_double_ge(mean, 0.98);
}

/* Four paths up at each of two levels, all of which are needed: chance finds none. Each seed
 * holds the bound, not their mean alone; more seeds and their spread are in docs/routing.md. */
TEST(adaptive__redirects_find_a_way_for_many)
{
	static const char *const many[] = { "topology={generate: fat-tree, radix: 8}",
					    "run={duration: 3ms, warmup: 2500us, drain: no}",
					    NULL };

	for (uint32_t seed = MANY_SEED_FIRST; seed < MANY_SEED_FIRST + MANY_SEEDS; seed++) {
		struct sim sim;

		open_seed(&sim, seed, many);
		ck_assert_uint_eq(sim.plan.host_count, 128);
		sim_run(&sim);
		printf("adaptive, 128 hosts, seed %u: %.3f\n", seed, share(&sim));
		ck_assert_double_ge(share(&sim), 0.95);
		sim_close(&sim);
	}
}

/* FC-25: the number of a suggested port means another path at each switch. With two ports upward
 * that does no harm. With three it did: .62 instead of .71 without redirects, in one of these
 * orders. So there lower ends request none. */
#define ORDER_SEED_FIRST 41u
#define ORDER_ERROR 0.01 /* between two draws in which all flows have a path of their own */
#define ORDER_SEEDS (all_seeds() ? 8u : 2u)

TEST_RANGE(adaptive__links_in_random_order, 2, 4)
{
	for (uint32_t seed = ORDER_SEED_FIRST; seed < ORDER_SEED_FIRST + ORDER_SEEDS; seed++) {
		bool inputs, none;
		double with = shuffled_share((uint32_t)_i, seed, "routing.redirect=yes", &inputs);
		double without = shuffled_share((uint32_t)_i, seed, "routing.redirect=no", &none);

		printf("links in random order, %d ports upward, seed %u: %.3f, without %.3f\n", _i,
		       seed, with, without);
		ck_assert(inputs == (_i == 2));
		ck_assert(!none);
		ck_assert_double_ge(with, without - ORDER_ERROR);
	}
}
