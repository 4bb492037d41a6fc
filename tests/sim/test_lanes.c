/*  Virtual lanes and detours on whole fabrics: detours are taken, on lanes that no packet of a
 *  minimal path needs. The accounts balance at every moment. What links lose is counted, nothing
 *  else is lost or reordered, and the fabric becomes empty (FC-15, FC-17, FC-23, TB-25). On a
 *  dragonfly with detours of six links, one level of lanes each. */
#include <stdlib.h>

#include "tests/sim/routed.h"
#include "tests/testing.h"

/* what a run has shown; sums over all switches, of @lost over all nodes */
struct shown {
	uint64_t choices, detours, lost, reordered;
};

static struct shown run(const char *detour, uint32_t lanes, const char *more)
{
	const char *settings[] = { detour, "run={duration: 40us, warmup: 10us, drain: yes}", more,
				   NULL };
	struct shown shown;
	struct results results;
	struct sim sim;

	sim_open_file(&sim, "topologies/dragonfly-adaptive.yaml", settings);
	ck_assert_uint_eq(sim.plan.nodes[0].lanes, lanes);
	sim.check_windows = 64;
	sim_run(&sim);
	sim_check_released(&sim);
	ck_assert_uint_eq(sim_drops(&sim, DROP_NO_LANE), 0);
	sim_results(&sim, &results);
	shown = (struct shown){ .choices = routed_sum(&sim, choices),
				.detours = routed_sum(&sim, choices_detour),
				.lost = results.totals.lost,
				.reordered = results.totals.reordered };
	results_free(&results);
	sim_close(&sim);
	return shown;
}

TEST_GROUP(lanes, .timeout_s = 120);

TEST(dragonfly__valiant)
{
	struct shown never = run("routing.detour=never", 3, NULL);
	struct shown always = run("routing.detour=always", 6, NULL);

	ck_assert_uint_eq(never.detours, 0);
	ck_assert_uint_gt(always.detours, 0);
	ck_assert_uint_eq(always.lost, 0);
	ck_assert_uint_eq(always.reordered, 0);
}

TEST(dragonfly__adaptive)
{
	struct shown shown = run("routing.detour=adaptive", 6, NULL);

	ck_assert_uint_gt(shown.detours, 0);
	ck_assert_uint_lt(shown.detours, shown.choices); /* minimal paths first */
	ck_assert_uint_eq(shown.lost, 0);
	ck_assert_uint_eq(shown.reordered, 0);
}

TEST(dragonfly__lossy_links)
{
	struct shown shown = run("routing.detour=adaptive", 6, "links.loss=0.1%");

	ck_assert_uint_gt(shown.detours, 0);
	ck_assert_uint_gt(shown.lost, 0); /* and all books balanced */
	ck_assert_uint_eq(shown.reordered, 0);
}
