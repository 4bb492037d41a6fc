/*  Virtual lanes and detours on whole fabrics: the books balance at every moment, nothing is lost or reordered, and all comes to rest
 *  (FC-15, FC-23, TB-25). On a dragonfly with detours of six links, one level of lanes each. */
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

static void run(const char *detour, const char *more)
{
	const char *settings[] = { detour, "run={duration: 40us, warmup: 10us, drain: yes}", more, NULL };
	struct sim sim;

	sim_open_file(&sim, "topologies/dragonfly-adaptive.yaml", settings);
	ck_assert_uint_eq(sim.plan.nodes[0].lanes, 6);
	sim.check_windows = 64;
	sim_run(&sim);
	sim_check_released(&sim);
	ck_assert_uint_eq(sim_drops(&sim, DROP_NO_LANE), 0);
	sim_close(&sim);
}

TEST_GROUP(lanes, .timeout_s = 120);

TEST(dragonfly__valiant)
{
	run("routing.detour=always", NULL);
}

TEST(dragonfly__adaptive)
{
	run("routing.detour=adaptive", NULL);
}

TEST(dragonfly__lossy_links)
{
	run("routing.detour=adaptive", "links.loss=0.1%");
}
