/*  FC-24, [S2 fig. 6]: an incast of three hosts with 32 flows each, and six victims, on a fabric of eight spines. If the sources' flows
 *  choose as ever, nearly all links from spines down to the incast's leaf are congested, and the victims suffer. If sources are held,
 *  no more links are congested than there are sources, and the victims keep 98 % of what they have alone.
 *  The first choices are drawn, so what victims have is added up over several seeds.                                  */
#include <check.h>
#include <stdio.h>

#include "orchestrator/expect.h"
#include "tests/sim/sim.h"

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

START_TEST(incast__sources_held)
{
	struct figures alone = figures_of("workloads.first.messages=1", "workloads.more.messages=1");
	struct figures free = figures_of("routing.hold-sources=no", NULL), held = figures_of(NULL, NULL);

	ck_assert_uint_eq(alone.links_max, 0);
	ck_assert_double_eq(free.held, 0);
	ck_assert_uint_ge(free.links_min, SPINES - 2);
	ck_assert_double_le(free.victims_bps, 0.9 * alone.victims_bps);
	ck_assert_double_ge(held.held, SEEDS * 90);
	ck_assert_uint_le(held.links_max, SOURCES);
	ck_assert_double_ge(held.victims_bps, 0.98 * alone.victims_bps);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source and victim");
	TCase *tests = tcase_create("FC-24");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, incast__sources_held);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
