/*  FC-24, [S2 fig. 6]: an incast of three hosts with 32 flows each, and six victims, on a fabric of
 *  eight spines. If the flows of sources choose freely, nearly all links from spines down to the
 *  incast's leaf are congested, and the victims suffer. If sources are bound to their paths, no
 *  more links are congested than there are sources, and the victims keep 98 % of their goodput
 *  alone. First choices are random, so the goodput of victims is summed over several seeds. */
#include <stdio.h>

#include "orchestrator/results/expect.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

#define SEEDS 8u
#define SPINES 8u
#define SOURCES 3u
#define CONGESTED_BYTES 20e3 /* a queue's mean; of victims alone it is below 1 kB */

struct figures {
	double victims_bps;            /* all seeds added up */
	uint32_t links_min, links_max; /* congested ones, of each seed */
	double held;
};

static double metric(const struct sim *sim, const struct results *results, const char *text)
{
	struct result_expectation value = expect_metric_evaluate(&sim->plan, text, results);

	ck_assert_msg(value.known, "%s", text);
	return value.value;
}

static uint32_t congested_links(const struct sim *sim, const struct results *results)
{
	uint32_t links = 0;

	for (uint32_t spine = 0; spine < SPINES; spine++) {
		char text[40];

		snprintf(text, sizeof(text), "queue.mean(spine%u:leaf0)", spine);
		links += metric(sim, results, text) > CONGESTED_BYTES;
	}
	return links;
}

static void add_seed(struct figures *figures, const char *const *settings)
{
	struct results results;
	struct sim sim;
	uint32_t links;

	sim_open_file(&sim, "topologies/source-victim.yaml", settings);
	sim.check_windows = 200;
	sim_run(&sim);
	sim_results(&sim, &results);
	links = congested_links(&sim, &results);
	figures->victims_bps += metric(&sim, &results, "goodput(victim)");
	figures->held += metric(&sim, &results, "choices.held");
	figures->links_min = links < figures->links_min ? links : figures->links_min;
	figures->links_max = links > figures->links_max ? links : figures->links_max;
	ck_assert_uint_eq(results.totals.reordered, 0);
	results_free(&results);
	sim_close(&sim);
}

/* @one, @other: settings, or NULL */
static struct figures figures_of(const char *one, const char *other)
{
	struct figures figures = { .links_min = SPINES };

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		char text[16];

		snprintf(text, sizeof(text), "seed=%u", seed);
		add_seed(&figures, (const char *const[]){ text, one, one ? other : NULL, NULL });
	}
	return figures;
}

TEST_GROUP(FC_24, .timeout_s = 300);

TEST(incast__sources_held)
{
	struct figures alone =
		figures_of("workloads.first.messages=1", "workloads.more.messages=1");
	struct figures free = figures_of("routing.hold-sources=no", NULL),
		       held = figures_of(NULL, NULL);

	ck_assert_uint_eq(alone.links_max, 0);
	ck_assert_double_eq(free.held, 0);
	ck_assert_uint_ge(free.links_min, SPINES - 2);
	/* redirects by load help them, too */
	ck_assert_double_le(free.victims_bps, 0.95 * alone.victims_bps);
	ck_assert_double_ge(held.held, SEEDS * 90);
	ck_assert_uint_le(held.links_max, SOURCES);
	ck_assert_double_ge(held.victims_bps, 0.98 * alone.victims_bps);
}

/* [S2 fig. 5]: flows 510 (a to x) and 520 (b to y) share a link that is too narrow for both. Two
 * paths, both with such a link. */
static const char figure_5[] =
	"name: figure-5\n"
	"run: {duration: 400us, warmup: 100us, drain: yes, drain-max: 100ms}\n"
	"topology:\n"
	"  switches: [s1, m1, m2, s3]\n"
	"  hosts: {a: s1, b: s1, x: s3, y: s3}\n"
	"  links:\n"
	"    - [s1, m1]\n"
	"    - [s1, m2]\n"
	"    - {between: [m1, s3], rate: 100Gb/s}\n"
	"    - {between: [m2, s3], rate: 100Gb/s}\n"
	"links: {rate: 200Gb/s, delay: 500ns}\n"
	"routing: {choice: adaptive, redirect: no}\n"
	"workloads:\n"
	"  - {name: source, pattern: pairs, pairs: [[a, x]], size: 64KiB}\n"
	"  - {name: later, pattern: pairs, pairs: [[a, x]], size: 4000, connections: 8, start: "
	"60us}\n"
	"  - {name: victim, pattern: pairs, pairs: [[b, y]], size: 4000, arrival: poisson, load: "
	"8%}\n";

struct figure_5 {
	struct port_stats a, b; /* of s1 */
	uint64_t rewritten;
	double queue_bytes, source_bps, victim_bps, victim_p99;
};

static struct figure_5 figure_5_run(const char *const *settings)
{
	struct figure_5 figure = { 0 };
	struct results results;
	struct sim sim;

	sim_open_text(&sim, figure_5, settings);
	sim.check_windows = 50;
	sim_run(&sim);
	sim_check_released(&sim);
	sim_results(&sim, &results);
	figure.a = *stats_port(sim.nodes[0].stats, 0);
	figure.b = *stats_port(sim.nodes[0].stats, 1);
	for (uint32_t i = 0; i < sim.plan.switch_count; i++)
		for (uint32_t p = 0; p < sim.plan.nodes[i].port_count; p++)
			figure.rewritten += stats_port(sim.nodes[i].stats, p)->acks_rewritten;
	figure.queue_bytes = metric(&sim, &results, "queue.mean(m1:s3)") +
			     metric(&sim, &results, "queue.mean(m2:s3)");
	figure.source_bps = metric(&sim, &results, "goodput(source)") +
			    metric(&sim, &results, "goodput(later)");
	figure.victim_bps = metric(&sim, &results, "goodput(victim)");
	figure.victim_p99 = metric(&sim, &results, "fct.p99(victim)");
	ck_assert_uint_eq(results.totals.reordered, 0);
	results_free(&results);
	sim_close(&sim);
	return figure;
}

TEST_GROUP(links, 0);

/* FC-12, FC-24: no destination is congested here. The flows that fill the narrow link are found by
 * their own queues in front of it: ACKs that pass these say so, the sources are limited, and what
 * comes later between the same two is bound to their path. The victim, which shares the link, is
 * neither. Without it no source is notified. */
TEST(figure_5__sources_of_a_link)
{
	struct figure_5 untold = figure_5_run((const char *const[]){ NULL });
	struct figure_5 told = figure_5_run((const char *const[]){ "congestion.inputs=yes", NULL });

	ck_assert_uint_eq(untold.rewritten + untold.a.limited_first_ps + untold.a.choices_held, 0);
	ck_assert_uint_gt(told.rewritten, 0);
	ck_assert_uint_gt(told.a.limited_first_ps, 0);
	ck_assert_uint_gt(told.a.choices_held, 0);
	ck_assert_uint_eq(told.b.limited_first_ps + told.b.choices_held, 0);
	ck_assert_double_lt(told.queue_bytes, untold.queue_bytes);
	ck_assert_double_ge(told.victim_bps, untold.victim_bps);
	ck_assert_double_lt(told.victim_p99, untold.victim_p99 / 4);
}
