/*  FC-13, FC-25, [S2 fig. 5]: two flows that go on and on share one link; beside it there is a free path. One of them is redirected, once or a
 *  few times, and from then on both have the whole rate. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/routed.h"

static const char figure_5[] =
	"name: redirect\n"
	"run: {duration: 400us, warmup: 100us, drain: yes, drain-max: 100ms}\n"
	"topology:\n"
	"  switches: [s501, s502, s503, s504, s505, s506]\n"
	"  hosts: {a: s501, b: s502, x: s506, y: s506}\n"
	"  links: [[s501, s503], [s501, s505], [s502, s504], [s502, s505], [s503, s506], [s504, s506], [s505, s506]]\n"
	"links: {rate: 200Gb/s, delay: 500ns, mtu: 4096}\n"
	"workloads:\n"
	"  - {name: w, pattern: pairs, pairs: [[a, x], [b, y]], size: 1MiB, packet: 4096, window: 2}\n";

#define REDIRECTS_MAX 4u /* the stated bound: measured 0 to 2, as the first choice was luck or not */
#define SEEDS 3u
#define MOVES_MAX_PER_MS 30.0 /* of a flow, if outputs ask and there are more flows than ways: measured 9 to 14 */
#define RATE_MIN (0.98 * 200 * 4096 / 4132) /* Gb/s; the fabric's links carry 4132 bytes for a frame of 4096 */

static double goodput(struct sim *sim, uint32_t host)
{
	const struct stats_page *stats = sim->nodes[sim->plan.switch_count + host].stats;
	uint64_t bytes = 0;

	for (uint32_t f = 0; f < stats->flow_rx_count; f++)
		bytes += stats_flow_rx((struct stats_page *)stats, f)->measured_bytes;
	return (double)bytes * 8e3 / (double)(sim->plan.nodes[0].measure_to_ps - sim->plan.nodes[0].measure_from_ps);
}

START_TEST(figure_5__one_is_redirected)
{
	struct routed routed = { .routing = routed_adaptive() };
	uint64_t redirects = 0;

	for (uint32_t seed = 1; seed <= 10; seed++) {
		struct sim sim;

		routed.routing.seed = seed;
		sim_open_prepared(&sim, figure_5, NULL, routed_prepare, &routed);
		sim.check_windows = 16;
		sim_run(&sim);
		ck_assert_double_ge(goodput(&sim, 2), RATE_MIN);
		ck_assert_double_ge(goodput(&sim, 3), RATE_MIN);
		ck_assert_uint_le(routed_sum(&sim, redirects), REDIRECTS_MAX);
		redirects += routed_sum(&sim, redirects);
		sim_check_released(&sim);
		sim_close(&sim);
	}
	ck_assert_uint_gt(redirects, 0);
}
END_TEST

/* ---- more flows and ways ---- */

/* @flows hosts, each on a switch of its own, send to as many hosts of one switch, over any of @ways switches between; malloc'd. Nobody
 * who chooses knows what others do: only redirects part flows that meet. */
static char *parted_text(uint32_t flows, uint32_t ways)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fprintf(out, "name: parted\nrun: {duration: 1ms, warmup: 500us, drain: no}\ntopology:\n  switches: [d");
	for (uint32_t i = 0; i < flows; i++)
		fprintf(out, ", s%u", i);
	for (uint32_t i = 0; i < ways; i++)
		fprintf(out, ", m%u", i);
	fprintf(out, "]\n  hosts: {");
	for (uint32_t i = 0; i < 2 * flows; i++)
		fprintf(out, i < flows ? "%sh%u: s%u" : "%sh%u: d", i ? ", " : "", i, i);
	fprintf(out, "}\n  links: [");
	for (uint32_t m = 0; m < ways; m++) {
		fprintf(out, "%s[m%u, d]", m ? ", " : "", m);
		for (uint32_t i = 0; i < flows; i++)
			fprintf(out, ", [s%u, m%u]", i, m);
	}
	fprintf(out, "]\nlinks: {rate: 200Gb/s, delay: 500ns}\nrouting: {choice: adaptive}\nworkloads:\n"
		     "  - {name: w, pattern: pairs, pairs: [");
	for (uint32_t i = 0; i < flows; i++)
		fprintf(out, "%s[h%u, h%u]", i ? ", " : "", i, flows + i);
	fprintf(out, "], size: 1MiB, window: 2}\n");
	fclose(out);
	return text;
}

struct moved {
	uint64_t early, late; /* redirects in the first and second 500 us, of all seeds */
	double goodput;       /* Gb/s in the second, of a seed */
	double least;         /* the same of a flow */
};

/* @setting  or NULL */
static struct moved moved_of(uint32_t flows, uint32_t ways, const char *setting)
{
	char *text = parted_text(flows, ways), seed[16];
	struct moved moved = { .least = RATE_MIN };

	for (uint32_t s = 1; s <= SEEDS; s++) {
		struct sim sim;
		uint64_t before;

		snprintf(seed, sizeof(seed), "seed=%u", s);
		sim_open_text(&sim, text, (const char *const[]){ seed, setting, NULL });
		sim_run_until(&sim, 500 * NODE_US);
		before = routed_sum(&sim, redirects);
		sim_run_until(&sim, 1000 * NODE_US);
		moved.early += before;
		moved.late += routed_sum(&sim, redirects) - before;
		for (uint32_t h = flows; h < 2 * flows; h++) {
			double one = goodput(&sim, h);

			moved.goodput += one / SEEDS;
			moved.least = one < moved.least ? one : moved.least;
		}
		sim_close(&sim);
	}
	free(text);
	return moved;
}

static const char outputs_ask[] = "routing.redirect.anywhere=no"; /* [S2]: and only ingress edges obey */

/* where there is a way for each they find them, and stay: the bound on oscillation is none at all */
START_TEST(parted__as_many_ways_as_flows)
{
	for (uint32_t flows = 2; flows <= 4; flows++)
		for (uint32_t s2 = 0; s2 < 2; s2++) {
			struct moved moved = moved_of(flows, 4, s2 ? outputs_ask : NULL);

			ck_assert_uint_le(moved.early, REDIRECTS_MAX * flows * SEEDS);
			ck_assert_uint_eq(moved.late, 0);
			ck_assert_double_ge(moved.goodput, flows * RATE_MIN);
		}
}
END_TEST

/* Where there is none, flows are moved until each way has as many as the others: then nobody is moved any more, and ways stay full. */
START_TEST(parted__more_flows_than_ways)
{
	for (uint32_t flows = 5; flows <= 8; flows += 3) {
		struct moved moved = moved_of(flows, 4, NULL);

		ck_assert_uint_le(moved.early, REDIRECTS_MAX * flows * SEEDS);
		ck_assert_uint_eq(moved.late, 0);
		ck_assert_double_ge(moved.goodput, 4 * RATE_MIN);
		ck_assert_double_ge(moved.least, (flows == 8 ? 0.5 : 0.25) * RATE_MIN);
	}
}
END_TEST

/* If outputs ask, more are moved the more congestion there is; ways stay full, and nobody is moved all the time. */
START_TEST(parted__outputs_ask)
{
	uint64_t last = moved_of(4, 4, outputs_ask).early;

	for (uint32_t flows = 5; flows <= 8; flows += 3) {
		struct moved moved = moved_of(flows, 4, outputs_ask);

		ck_assert_uint_gt(moved.early, last);
		ck_assert_double_le((double)moved.late / SEEDS / flows / 0.5, MOVES_MAX_PER_MS);
		ck_assert_double_ge(moved.goodput, 4 * RATE_MIN);
		last = moved.early;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("redirect");
	TCase *tests = tcase_create("figure 5");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, figure_5__one_is_redirected);
	tcase_add_test(tests, parted__as_many_ways_as_flows);
	tcase_add_test(tests, parted__more_flows_than_ways);
	tcase_add_test(tests, parted__outputs_ask);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
