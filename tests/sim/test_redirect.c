/*  FC-25, [S2 fig. 5]: two flows that go on and on share one link; beside it there is a free path. One of them is redirected, once or a
 *  few times, and from then on both have the whole rate. */
#include <check.h>

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

#define REDIRECTS_MAX 4u                    /* the stated bound: measured 0 to 2, as the first choice was luck or not */
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

int main(void)
{
	Suite *suite = suite_create("redirect");
	TCase *tests = tcase_create("figure 5");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, figure_5__one_is_redirected);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
