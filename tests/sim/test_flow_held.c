/*  EC-15 ... EC-17 from end to end: switches that name a flow, NICs that pause it, and the accounts
 *  of the whole fabric. */

#include "tests/sim/sim.h"
#include "tests/testing.h"

static uint64_t sum_of_frames(const struct sim *sim, enum node_kind kind)
{
	uint64_t frames = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t p = 0;
		     sim->nodes[i].config->kind == kind && p < sim->nodes[i].config->port_count;
		     p++)
			frames += stats_port(sim->nodes[i].stats, p)->fgfc_frames;
	return frames;
}

/* nothing is held any more, at either end of a link */
static void check_nothing_held(const struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t p = 0; p < sim->nodes[i].config->port_count; p++)
			ck_assert_uint_eq(stats_port(sim->nodes[i].stats, p)->fgfc_held, 0);
}

TEST_GROUP(fgfc, .timeout_s = 120);

/* one flow is held, the other flow of the same NIC runs at full rate: its expectations say how
 * fast */
TEST(fgfc__one_flow_held)
{
	struct sim sim;

	sim_open_file(&sim, "topologies/one-flow-held.yaml",
		      (const char *const[]){ "run.drain=true", NULL });
	sim.check_windows = 50;
	sim_run(&sim);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_gt(sum_of_frames(&sim, NODE_SWITCH), 100);
	ck_assert_uint_eq(sum_of_frames(&sim, NODE_SWITCH), sum_of_frames(&sim, NODE_NIC));
	check_nothing_held(&sim);
	sim_check_released(&sim);
	sim_close(&sim);
}

/* without it the victim shares the fate of the flow that waits in front of it: what it is there
 * for */
TEST(fgfc__off)
{
	struct sim sim;

	sim_open_file(&sim, "topologies/one-flow-held.yaml",
		      (const char *const[]){ "congestion.fgfc=no", NULL });
	sim_run(&sim);
	ck_assert_uint_eq(sum_of_frames(&sim, NODE_SWITCH), 0);
	ck_assert_uint_gt(sim.plan.expectation_count, 4);
	ck_assert(!sim_expectations_hold(&sim));
	sim_close(&sim);
}

/* EC-16: one frame in ten is lost on the hosts' links, FGFC frames too: nothing is locked, all that
 * was not lost arrives */
TEST(fgfc__frames_are_lost)
{
	static const char text[] = "name: lossy\n"
				   "run: {duration: 300us, drain: true}\n"
				   "topology: {generate: star, hosts: 9}\n"
				   "links: {edge: {loss: 10%}}\n"
				   "workloads:\n"
				   "  - {name: in, pattern: incast, to: h0, size: 64KiB}\n"
				   "expect: [unreported == 0]\n";
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 50;
	sim_run(&sim);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_gt(sum_of_frames(&sim, NODE_SWITCH), sum_of_frames(&sim, NODE_NIC));
	ck_assert_uint_gt(sum_of_frames(&sim, NODE_NIC), 20);
	check_nothing_held(&sim);
	sim_check_released(&sim);
	sim_close(&sim);
}

/* buffer for two flows: the others are not limited, and the accounts balance */
TEST(fgfc__table_full)
{
	static const char text[] =
		"name: small-table\n"
		"run: {duration: 200us, drain: true}\n"
		"topology: {generate: star, hosts: 9}\n"
		"nic: {fgfc-entries: 2}\n"
		"workloads:\n"
		"  - {name: all, pattern: uniform, size: 256KiB, window: 8}\n"
		"  - {name: in, pattern: incast, to: h0, size: 256KiB, window: 4}\n";
	uint64_t refused = 0;
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 50;
	sim_run(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		refused += stats_port(sim.nodes[i].stats, 0)->fgfc_refused;
	ck_assert_uint_gt(refused, 0);
	check_nothing_held(&sim);
	sim_check_released(&sim);
	sim_close(&sim);
}
