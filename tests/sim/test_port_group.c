/*  Fabrics of kind port-group: the accounts balance in every window under each policy, what keeps
 *  order stays in order, everything arrives (PG-4, PG-7 ... PG-9, TB-25). Static ports collide and
 *  port groups do not, on a Clos with default buffers (PG-12). */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

static const char *const policies[] = { "port-group.policy=random", "port-group.policy=greedy",
					"port-group.policy=greedy-random" };

/* packets that left by another port than the static one */
static uint64_t choices_other(const struct sim *sim)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t p = 0; p < sim->plan.nodes[i].port_count; p++)
			sum += stats_port(sim->nodes[i].stats, p)->choices_other;
	return sum;
}

/* @classes what the scenario says of them; NULL: nothing. @adapts do packets leave static ports,
 * and may others overtake them? */
static void run_and_check(const char *path, const char *policy, const char *classes, bool adapts)
{
	const char *settings[] = { policy, "run={duration: 150us, warmup: 50us}", classes, NULL };
	struct sim sim;
	uint64_t reordered = 0, received = 0;

	sim_open_file(&sim, path, settings);
	sim.check_windows = 16;
	sim_run(&sim);
	sim_check_released(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		for (uint32_t f = 0; f < sim.nodes[i].stats->flow_rx_count; f++) {
			reordered += stats_flow_rx(sim.nodes[i].stats, f)->reordered;
			received += stats_flow_rx(sim.nodes[i].stats, f)->packets;
		}
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		ck_assert_uint_eq(sim_drops(&sim, (enum drop_reason)reason), 0);
	ck_assert_uint_gt(received, 1000);
	ck_assert_uint_eq(reordered, 0); /* what the receiver of a class in order must not see */
	ck_assert_uint_eq(choices_other(&sim) > 0, adapts);
	sim_close(&sim);
}

TEST_GROUP(port_group, .timeout_s = 120);

/* PG-4, PG-8: nothing said of classes: every packet may leave a congested static port */
TEST_RANGE(policies__by_default, 0, 3)
{
	run_and_check("topologies/port-group-permutation.yaml", policies[_i], NULL, true);
}

#define DRAGONFLY "topologies/port-group-dragonfly.yaml"

/* PG-5, PG-6: groups of longer paths, beside a class that keeps order: nothing is lost, and
 * everything arrives, on four lanes */
TEST_RANGE(non_minimal__books, 0, 3)
{
	run_and_check(DRAGONFLY, policies[_i], NULL, true);
}

/* a group has one shortest port there, so there is nothing to choose without */
TEST(non_minimal__off)
{
	run_and_check(DRAGONFLY, "port-group.non-minimal=no", NULL, false);
}

TEST_RANGE(policies__ordered, 0, 3)
{
	run_and_check("topologies/port-group-permutation.yaml", policies[_i],
		      "classes=[{name: data, unordered: no}]", false);
}

/* ---- PG-9 ---- */

#define FIRST_BITS 512u /* of a frame: a switch that cuts through has seen them before it sends */
#define AROUND_BYTES (LID_HEADER_BYTES + FRAME_FCS_BYTES)

static uint64_t credit_waits(const struct sim *sim)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t p = 0; p < sim->plan.nodes[i].port_count; p++)
			sum += stats_port(sim->nodes[i].stats, p)->credit_waits;
	return sum;
}

/* @switches in a chain, one host at either end, one message of one packet from the first to the
 * last */
static void chain_open(struct sim *sim, uint32_t switches, uint32_t bytes)
{
	char text[2048];
	int at = snprintf(text, sizeof(text),
			  "name: chain\nfabric: port-group\nrun: {duration: 100us}\nlinks: {rate: "
			  "100Gb/s, delay: 1us}\n"
			  "workloads: [{name: w, pattern: pairs, pairs: [[a, b]], size: %u, "
			  "messages: 1, arrival: closed, "
			  "window: 1}]\ntopology:\n  hosts: {a: s0, b: s%u}\n  switches: [s0",
			  bytes, switches - 1);

	for (uint32_t i = 1; i < switches; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, ", s%u", i);
	at += snprintf(text + at, sizeof(text) - (size_t)at, "]\n  links: [[s0, s1]");
	for (uint32_t i = 2; i < switches; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, ", [s%u, s%u]", i - 1, i);
	snprintf(text + at, sizeof(text) - (size_t)at, "]\n");
	sim_open_text(sim, text, NULL);
}

/* PG-9: credit is there when the links come up, so the first packet of all takes what the links and
 * switches take, to the picosecond: in each switch its latency and, as it cuts through, the first
 * 64 bytes; on each link its delay; all bits once. */
TEST_RANGE(first_packet__waits_for_nothing, 0, 5)
{
	static const uint32_t lengths[] = { 100, 1500, 4000 };
	uint32_t switches = (uint32_t)_i + 2;

	for (uint32_t i = 0; i < 3; i++) {
		const node_time_t bit_ps = 10; /* at 100 Gb/s */
		struct results results;
		struct sim sim;
		uint64_t bits;

		chain_open(&sim, switches, lengths[i]);
		sim_run(&sim);
		sim_results(&sim, &results);
		ck_assert_uint_eq(results.message_count, 1);
		bits = 8 * (results.totals.delivered_bytes + AROUND_BYTES);
		ck_assert_uint_eq(results.messages[0].end_ps - results.messages[0].start_ps,
				  500 * NODE_NS + (switches + 1) * NODE_US +
					  switches * (350 * NODE_NS + FIRST_BITS * bit_ps) +
					  bits * bit_ps);
		ck_assert_uint_eq(credit_waits(&sim), 0);
		results_free(&results);
		sim_close(&sim);
	}
}

/* of what a link of 100 Gb/s and 20 us carries, what one does whose receiver has a buffer of
 * @permille of C * T */
static double link_share(uint32_t permille)
{
	/* T: out and back, with the latency of the switch at either end */
	uint64_t bytes =
		100000000000ull / 8 * (2 * 20000 + 2 * 350) / 1000000000ull * permille / 1000;
	char buffer[64];
	const char *settings[] = { "run={duration: 2ms, warmup: 1ms}",
				   "topology.links.0={between: [s0, s1], delay: 20us}",
				   "workloads.0.size=1MB",
				   "workloads.0.messages=1000000",
				   "workloads.0.window=4",
				   buffer,
				   NULL };
	double share;
	struct sim sim;

	snprintf(buffer, sizeof(buffer), "switch={buffer: %lluB}", (unsigned long long)bytes);
	sim_open_text(
		&sim,
		"name: link\nfabric: port-group\nrun: {duration: 1ms}\nlinks: {rate: 100Gb/s}\n"
		"topology: {switches: [s0, s1], hosts: {a: s0, b: s1}, links: [[s0, s1]]}\n"
		"workloads: [{name: w, pattern: pairs, pairs: [[a, b]], size: 1MB, arrival: "
		"closed}]\n",
		settings);
	sim_run(&sim);
	share = (double)stats_flow_rx(sim.nodes[sim.plan.switch_count + 1].stats, 0)
			->measured_bytes *
		8 / (double)(100000000000ull / 1000);
	sim_close(&sim);
	return share;
}

/* PG-9: credit returns in eighths of the buffer, so a full link needs 8/7 of C * T, and gets 7/8 of
 * its buffer per loop with less */
TEST(link__full_with_8_7_of_the_loop)
{
	double full = link_share(2000);

	ck_assert_double_ge(full, 0.98); /* headers and gaps */
	ck_assert_double_eq_tol(link_share(1150), full, 0.001);
	ck_assert_double_eq_tol(link_share(1000), full * 7 / 8, 0.02);
	ck_assert_double_eq_tol(link_share(500), full * 7 / 16, 0.02);
}

/* what a host sends to another one, with @pauses of that one; bytes in 1 ms */
static uint64_t delivered_with(const char *pauses, uint32_t frame_bytes)
{
	static const char text[] =
		"name: pauses\nfabric: port-group\nrun: {duration: 1ms}\n"
		"links: {rate: 100Gb/s, delay: 1us}\ntopology: {generate: star, hosts: 2}\n"
		"workloads:\n  - {name: w, pattern: pairs, pairs: [[h1, h0]], size: 1MB, window: "
		"4}\n";
	char packet[64];
	const char *settings[] = { packet, pauses, NULL };
	uint64_t delivered = 0;
	struct sim sim;

	snprintf(packet, sizeof(packet), "workloads.0.packet=%u", frame_bytes);
	sim_open_text(&sim, text, settings);
	sim_run(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		if (sim.nodes[i].stats->flow_rx_count)
			delivered += stats_flow_rx(sim.nodes[i].stats, 0)->measured_bytes;
	sim_close(&sim);
	return delivered;
}

/* A NIC that pauses withholds credit: its switch sends what credit is left, then nothing. Without
 * a pause its buffer keeps the link full, with frames of any length. */
TEST(pauses__stop_the_switch)
{
	static const uint32_t frames[] = { 64, 4096 };

	for (int i = 0; i < 2; i++) {
		double all = (double)delivered_with("pauses=[]", frames[i]);
		double late = (double)delivered_with("pauses=[{host: h0, start: 999us, for: 1ns}]",
						     frames[i]);
		double paused =
			(double)delivered_with("pauses=[{host: h0, for: 800us}]", frames[i]);

		ck_assert_double_eq_tol(late / all, 1, 0.001);
		ck_assert_double_ge(paused / all, 0.19);
		ck_assert_double_le(paused / all, 0.22);
	}
}

/* ---- PG-12 ---- */

#define SEEDS 4u

/* what a few random permutations deliver in the measured time, of what the hosts' links carry in
 * it, headers included */
static double share_with(const char *path, const char *setting, const char *another)
{
	double delivered = 0, carried = 0;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		const char *settings[] = { "fabric=port-group", setting, NULL, another, NULL };
		char text[16];
		struct sim sim;

		snprintf(text, sizeof(text), "seed=%u", seed);
		settings[2] = text;
		sim_open_file(&sim, path, settings);
		sim_run(&sim);
		for (uint32_t i = 0; i < sim.plan.node_count; i++) {
			const struct node_config *config = &sim.plan.nodes[i];

			for (uint32_t f = 0; f < sim.nodes[i].stats->flow_rx_count; f++)
				delivered += (double)stats_flow_rx(sim.nodes[i].stats, f)
						     ->measured_bytes;
			if (config->kind == NODE_NIC)
				carried +=
					(double)config->ports[0].rate_bps / 8 / (double)NODE_S *
					(double)(config->measure_to_ps - config->measure_from_ps);
		}
		sim_close(&sim);
	}
	return delivered / carried;
}

static double share(const char *path, const char *setting)
{
	return share_with(path, setting, NULL);
}

static const char *const permutations[] = { "topologies/port-group-permutation.yaml",
					    "topologies/permutation-fat-tree-16.yaml" };

/* near full rate with every policy, on the Clos and, with the default's large buffers, on a fat
 * tree; clearly less with static ports. PG-7: on the Clos a policy that selects the port with the
 * shortest queue carries more than one that draws a port. */
TEST_RANGE(permutation__beside_static_ports, 0, 2)
{
	double fixed = share(permutations[_i], "port-group.adaptive=no");
	double drawn = 0;

	ck_assert_double_le(fixed, 0.87);
	for (uint32_t i = 0; i < PORT_GROUP_POLICIES; i++) {
		double adaptive = share(permutations[_i], policies[i]);

		ck_assert_msg(adaptive >= 0.92, "%s: %.3f, static: %.3f", policies[i], adaptive,
			      fixed);
		ck_assert_msg(adaptive >= fixed + 0.08, "%s: %.3f, static: %.3f", policies[i],
			      adaptive, fixed);
		if (i == POLICY_RANDOM)
			drawn = adaptive;
		else if (_i == 0)
			ck_assert_double_ge(adaptive, drawn + 0.01);
	}
}

/* ---- PG-3, PG-7 ---- */

/* PG-3: what the log remembers is worth something: with buffers where flows collide for long, less
 * arrives when it is as good as not there */
TEST(log__decides)
{
	double with = share(permutations[1], "switch={buffer: 256KiB}");
	double without = share_with(permutations[1], "switch={buffer: 256KiB}",
				    "port-group={log: {marks: 64, window: 1ns}}");

	ck_assert_msg(with >= without + 0.015, "%.3f, without the log %.3f", with, without);
}

/* what the switches made of one permutation: two runs that choose alike have the same */
static uint64_t choices_of(const char *policy)
{
	const char *settings[] = { policy, "run.duration=150us", "run.warmup=50us", NULL };
	uint64_t mixed = 0;
	struct sim sim;

	sim_open_file(&sim, permutations[0], settings);
	sim_run(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		for (uint32_t p = 0; p < sim.plan.nodes[i].port_count; p++) {
			const struct port_stats *stats = stats_port(sim.nodes[i].stats, p);

			mixed = mixed * 31 + stats->tx_bytes + stats->choices_other;
		}
	sim_close(&sim);
	return mixed;
}

/* PG-7: the policies are not the same */
TEST(policies__differ)
{
	uint64_t mixed[PORT_GROUP_POLICIES];

	for (uint32_t i = 0; i < PORT_GROUP_POLICIES; i++) {
		mixed[i] = choices_of(policies[i]);
		for (uint32_t other = 0; other < i; other++)
			ck_assert_uint_ne(mixed[i], mixed[other]);
	}
	ck_assert_uint_eq(choices_of(policies[POLICY_RANDOM]), mixed[POLICY_RANDOM]);
}
