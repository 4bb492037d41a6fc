/*  TB-25: how a slow fabric is told from one that stalls. A slow one becomes empty. One in which
 *  something waits for ever does not: switches wait for each other, or no packet of a sender can
 *  pass. The swarms judge by this. */
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define PART_PS (20 * NODE_MS) /* a packet at 10 Mb/s takes 1.2 ms */

/* A queue pair that begins at the least rate and never raises it: 200 kB at 10 Mb/s take 160 ms. */
static const char slow[] = "name: slow\n"
			   "fabric: roce\n"
			   "run: {duration: 10us, drain-max: 10ms}\n"
			   "topology: {generate: star, hosts: 2}\n"
			   "links: {rate: 100Gb/s, delay: 1us, mtu: 1500}\n"
			   "roce:\n"
			   "  dcqcn: {rate-initial: 10Mb/s, rate-min: 10Mb/s, ai: 0, hai: 0}\n"
			   "workloads:\n"
			   "  - {name: w, pattern: pairs, pairs: [[h0, h1]], size: 100kB, packet: "
			   "1500, frame: roce, messages: 2, "
			   "arrival: closed, window: 2}\n";

/* a TCP connection whose class has no buffer for a packet in the switch: it retransmits for ever */
static const char no_buffer[] = "name: no-buffer\n"
				"fabric: roce\n"
				"run: {duration: 10us, drain-max: 10ms}\n"
				"topology: {generate: star, hosts: 2}\n"
				"links: {rate: 100Gb/s, delay: 1us, mtu: 1500}\n"
				"classes:\n"
				"  - {name: c, lossless: no, alpha: 0.1%}\n"
				"roce: {buffer: 100kB}\n"
				"workloads:\n"
				"  - {name: w, pattern: pairs, pairs: [[h0, h1]], size: 1500B, "
				"packet: 1500, frame: tcp, messages: 1, "
				"arrival: closed, window: 1}\n";

static struct sim sim;

static uint64_t messages(void)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		for (uint32_t f = 0; f < sim.nodes[i].stats->flow_rx_count; f++)
			count += stats_flow_rx(sim.nodes[i].stats, f)->messages;
	return count;
}

static bool is_empty(void)
{
	return clock_earliest(&sim.clock) == NODE_TIME_NEVER;
}

TEST_GROUP(slow_or_stuck, .timeout_s = 60);

TEST(run_on__slow)
{
	sim_open_text(&sim, slow, NULL);
	sim_run(&sim);
	ck_assert(!is_empty());
	ck_assert_uint_eq(messages(), 0);
	ck_assert(sim_run_on(&sim, PART_PS));
	ck_assert_uint_eq(messages(), 2);
	ck_assert_uint_gt(sim.limit_ps, 160 * NODE_MS);
	sim_check_released(&sim);
	sim_close(&sim);
}

TEST(run_on__no_buffer)
{
	sim_open_text(&sim, no_buffer, NULL);
	sim_run(&sim);
	ck_assert(!is_empty());
	ck_assert_uint_gt(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	ck_assert(!sim_run_on(&sim, PART_PS));
	ck_assert(!is_empty());
	ck_assert_uint_eq(messages(), 0);
	ck_assert_uint_eq(sim.limit_ps, sim.plan.drain_max_ps + PART_PS); /* one part tells */
	sim_close(&sim);
}

TEST(run_on__deadlock)
{
	struct results results;

	sim_open_file(&sim, "topologies/pfc-ring-of-four.yaml", NULL);
	sim_run(&sim);
	ck_assert(!sim_run_on(&sim, PART_PS));
	ck_assert(!is_empty());
	sim_results(&sim, &results);
	ck_assert_uint_ge(results.deadlocks.count, 1);
	results_free(&results);
	sim_close(&sim);
}
