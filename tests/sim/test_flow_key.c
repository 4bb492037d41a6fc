/*  FC-2 from end to end: edge ports with match sets and masks of their own make different flows of
 *  the same traffic. FGFC pauses at its source what the port's mask joins (EC-15, EC-16). */

#include "nicd/dataplane/nic.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

TEST_GROUP(flow_key, .timeout_s = 120);

/* flow channels in use at once at port @port of @name */
static uint64_t channels_at(struct sim *sim, const char *name, uint32_t port)
{
	return stats_port(sim_switch(sim, name)->sw.stats, port)->efct_used_max;
}

/* eight connections each of A, B and C: as many channels, and parts of the last link, as their
 * ports' masks leave */
TEST(flow_key__masks_of_three_ports)
{
	struct sim sim;

	sim_open_file(&sim, "topologies/flow-key-masks.yaml", NULL);
	sim.check_windows = 50;
	sim_run(&sim);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_eq(channels_at(&sim, "s1", 0), 8);
	ck_assert_uint_eq(channels_at(&sim, "s1", 1), 2);
	ck_assert_uint_eq(channels_at(&sim, "s1", 2), 1);
	sim_check_released(&sim);
	sim_close(&sim);
}

/* what the masks are there for: without them the three are equal, and the expectations fail */
TEST(flow_key__without_masks)
{
	struct sim sim;

	sim_open_file(&sim, "topologies/flow-key-masks.yaml",
		      (const char *const[]){ "topology.hosts.B.flow-key=[ip-pair, ports]",
					     "topology.hosts.C.flow-key=[ip-pair, ports]", NULL });
	sim_run(&sim);
	ck_assert(!sim_expectations_hold(&sim));
	for (uint32_t port = 0; port < 3; port++)
		ck_assert_uint_eq(channels_at(&sim, "s1", port), 8);
	sim_close(&sim);
}

/* FC-4: a mask of the destination never joins flows to two hosts */
TEST(flow_key__destinations_stay_apart)
{
	static const char text[] = "name: apart\n"
				   "run: {duration: 50us}\n"
				   "topology: {generate: dumbbell, hosts-per-side: 3, flow-keys: "
				   "{h0: [destination-ip/8]}}\n"
				   "workloads:\n"
				   "  - {name: a, pattern: pairs, pairs: [[h0, h3], [h0, h4], [h0, "
				   "h5]], frame: ipv4, size: 16KiB}\n"
				   "  - {name: b, pattern: pairs, pairs: [[h0, h3], [h0, h4], [h0, "
				   "h5]], frame: ipv4, size: 16KiB}\n"
				   "expect: [lost == 0, reordered == 0]\n";
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 20;
	sim_run(&sim);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_eq(channels_at(&sim, "left", 0), 3);
	sim_close(&sim);
}

/* Four flows of h1 are one channel, which is congested; a fifth goes elsewhere. The NIC holds the
 * four, and the fifth has the link. Of a NIC that did not know the mask three would go on, fill the
 * buffer, and stop the link for all. */
TEST(flow_key__held_at_the_source_under_a_mask)
{
	static const char text[] = "name: held-under-a-mask\n"
				   "run: {duration: 500us, warmup: 150us, drain: true}\n"
				   "topology: {generate: star, hosts: 18, flow-keys: {h1: "
				   "[ip-pair, 'source-port&0xfff0']}}\n"
				   "workloads:\n"
#define INCAST(name)                                                                 \
	"  - {name: " name ", pattern: incast, to: h0, frame: ipv4, size: 256KiB,\n" \
	"     from: [h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11, h12, h13, h14, h15, h16]}\n"
		INCAST("a") INCAST("b") INCAST("c")
			INCAST("d") "  - {name: victim, pattern: pairs, pairs: [[h1, h17]], frame: "
				    "ipv4, size: 1MiB}\n"
				    "expect: [lost == 0, reordered == 0, goodput(victim) >= "
				    "180Gb/s, fgfc.refused == 0]\n";
	const struct fgfc_gate *gate;
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 50;
	sim_run_until(&sim, 300 * NODE_US);
	gate = &((const struct nic *)sim.nodes[plan_host_node(&sim.plan, 1)].dataplane)->gate.fgfc;
	ck_assert_uint_eq(gate->held, 1);
	for (uint32_t i = 0; i < gate->fresh; i++) {
		const struct fgfc_entry *entry = &gate->entries[i];

		ck_assert(!entry->used || gate->masks[entry->set].source_port == 0xfff0);
	}
	sim_run(&sim);
	ck_assert(sim_expectations_hold(&sim));
	ck_assert_uint_eq(channels_at(&sim, "s0", 1), 2);
	ck_assert_uint_eq(stats_port(sim_switch(&sim, "s0")->sw.stats, 1)->stops, 0);
	ck_assert_uint_eq(gate->held, 0);
	sim_check_released(&sim);
	sim_close(&sim);
}
