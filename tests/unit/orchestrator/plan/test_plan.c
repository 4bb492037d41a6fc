/*  orchestrator/plan/plan, plan_workload, plan_ideal, plan_routes: the configuration of every node
 *  (TB-7, TB-11, TB-12, TB-13). The arithmetic is done by hand here: 200 Gb/s is 40 ps a byte. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/wire/frame.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/plan/plan_routes.h"
#include "tests/testing.h"

#define RUN "name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"
#define STAR RUN "topology: {generate: star, hosts: 4}\n"
#define LEAF_SPINE RUN "topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}\n"
#define TWO RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
#define PAIR "workloads: [{name: w, pattern: pairs, pairs: [[A, B]]}]\n"

static struct plan plan;

static void tear_down(void)
{
	plan_free(&plan);
}

static void plan_of(const char *text, struct plan *made)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	if (!error)
		error = plan_make(&scenario, made, &errors);
	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static const struct nic_config *nic(uint32_t host)
{
	return &plan.nodes[plan_host_node(&plan, host)].nic;
}

TEST_GROUP(plan, .teardown = tear_down);

/* ---- nodes and links ---- */

TEST(plan_make__numbers_nodes_ports_and_links)
{
	const struct node_config *leaf;

	plan_of(LEAF_SPINE, &plan);
	ck_assert_uint_eq(plan.switch_count, 5);
	ck_assert_uint_eq(plan.host_count, 6);
	ck_assert_uint_eq(plan.link_count, 6 + 6);
	ck_assert_str_eq(plan.nodes[5].name, "h0");
	leaf = plan_node_find(&plan, "leaf1");
	ck_assert_uint_eq(leaf->switch_.fabric_address, 2);
	/* hosts first, in their order, then links in theirs */
	ck_assert_uint_eq(leaf->port_count, 4);
	ck_assert_int_eq(leaf->ports[1].kind, PORT_EDGE);
	ck_assert_str_eq(leaf->ports[1].peer_name, "h3");
	ck_assert_int_eq(leaf->ports[2].kind, PORT_FABRIC);
	ck_assert_str_eq(leaf->ports[2].peer_name, "spine0");
	ck_assert_uint_eq(leaf->ports[2].link_index, 6 + 2);
	ck_assert_uint_eq(leaf->switch_.hosts[3].egress_port, 1);
	ck_assert_uint_eq(leaf->switch_.hosts[3].fabric_address, 2);
	ck_assert_ptr_null(plan_node_find(&plan, "leaf9"));
}

TEST(plan_make__both_ends_of_a_link_agree)
{
	plan_of(LEAF_SPINE, &plan);
	for (uint32_t i = 0; i < plan.node_count; i++)
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++) {
			const struct port_config *port = &plan.nodes[i].ports[p];
			const struct port_config *peer =
				&plan.nodes[port->peer_index].ports[port->peer_port];

			ck_assert_uint_eq(peer->peer_index, i);
			ck_assert_uint_eq(peer->peer_port, p);
			ck_assert_uint_eq(peer->link_index, port->link_index);
		}
}

TEST(plan_make__only_switches_have_finite_buffers)
{
	plan_of(TWO "switch: {buffer: 1MiB}\n", &plan);
	ck_assert_uint_eq(plan.nodes[0].ports[0].buffer_units, 4096);
	ck_assert_uint_eq(plan.nodes[2].ports[0].buffer_units, 0);
	ck_assert_uint_eq(plan.nodes[2].ports[0].stop_units, 0);
}

TEST(plan_make__links_that_lose_are_guarded)
{
	plan_of(TWO "links: {fabric: {loss: 0.1%}}\n", &plan);
	ck_assert(!plan.nodes[0].ports[0].guarded);
	ck_assert(plan.nodes[0].ports[1].guarded);
	ck_assert(plan.nodes[1].ports[1].guarded);
}

/* ---- time (TB-7) ---- */

TEST(plan_make__lookahead_is_the_least_delay)
{
	plan_of(TWO "links: {delay: 2us, fabric: {delay: 1us}}\nswitch: {latency: 300ns}\nnic: "
		    "{latency: 100ns}\n",
		&plan);
	ck_assert_uint_eq(plan.lookahead_ps, 1300 * NODE_NS);
}

TEST(plan_make__latency_permits_links_without_delay)
{
	plan_of(TWO "links: {delay: 0}\n", &plan);
	ck_assert_uint_eq(plan.lookahead_ps, 350 * NODE_NS);
}

TEST(plan_make__run_has_its_times)
{
	plan_of(STAR, &plan);
	ck_assert_uint_eq(plan.duration_ps, 100 * NODE_US);
	ck_assert_uint_eq(plan.drain_max_ps, 100 * NODE_US + 100 * NODE_MS);
	ck_assert_uint_eq(plan.nodes[0].measure_from_ps, 10 * NODE_US);
	ck_assert_uint_eq(plan.nodes[0].measure_to_ps, 100 * NODE_US);
}

/* ---- rings ---- */

static uint32_t ring_bytes_of(const char *text)
{
	uint32_t ring_bytes;

	plan_of(text, &plan);
	ring_bytes = plan.nodes[0].ports[0].ring_bytes;
	ck_assert_uint_ge(ring_bytes, RING_BYTES_MIN);
	ck_assert_uint_eq(ring_bytes & (ring_bytes - 1), 0);
	plan_free(&plan);
	return ring_bytes;
}

TEST(plan_make__rings_grow_with_delay_and_short_packets)
{
	uint32_t usual = ring_bytes_of(TWO PAIR);

	/* full packets at the usual rate and delay: the smallest ring */
	ck_assert_uint_eq(usual, RING_BYTES_MIN);
	ck_assert_uint_gt(ring_bytes_of(TWO PAIR "links: {delay: 20us}\nswitch: {buffer: 4MiB}\n"),
			  usual);
	ck_assert_uint_gt(
		ring_bytes_of(
			TWO
			"workloads: [{name: w, pattern: pairs, pairs: [[A, B]], packet: 128}]\n"),
		usual);
}

TEST(plan_make__rings_hold_the_shortest_packets_of_a_span)
{
	/* 3 * 1350 ns + 1000 ns + 2 * 350 ns of frames of 100 + 4 + 20 bytes: 1159, of 192 bytes
	 * each at least */
	ck_assert_uint_ge(ring_bytes_of(TWO "workloads: [{name: w, pattern: pairs, pairs: [[A, "
					    "B]], packet: 100, size: 1}]\n"),
			  1159 * 192);
}

/* ---- routes ---- */

TEST(plan_routes_make__all_spines_between_leaves)
{
	const struct route_config *route;

	plan_of(LEAF_SPINE, &plan);
	route = plan_route(&plan.nodes[0], 2);
	ck_assert_uint_eq(route->fabric_address, 3);
	ck_assert_uint_eq(route->ports, 1u << 2 | 1u << 3);
	route = plan_route(&plan.nodes[2], 0);
	ck_assert_uint_eq(route->fabric_address, 1);
	ck_assert_uint_eq(route->ports, 1u << 2 | 1u << 3);
	route = plan_route(&plan.nodes[4], 1); /* spine1 to leaf1 */
	ck_assert_uint_eq(route->ports, 1u << 1);
	route = plan_route(&plan.nodes[3], 4); /* spine0 to spine1: over any leaf */
	ck_assert_uint_eq(route->ports, 7);
}

TEST(plan_routes_make__only_the_short_path_of_a_ring)
{
	plan_of(RUN
		"topology:\n  switches: [a, b, c, d, e]\n  hosts: {A: a, B: b, C: c, D: d, E: e}\n"
		"  links: [[a, b], [b, c], [c, d], [d, e], [e, a]]\n",
		&plan);
	ck_assert_uint_eq(plan_route(&plan.nodes[0], 1)->ports, 1u << 1);
	ck_assert_uint_eq(plan_route(&plan.nodes[0], 2)->ports, 1u << 1);
	ck_assert_uint_eq(plan_route(&plan.nodes[0], 3)->ports, 1u << 2);
}

TEST(plan_routes_make__parallel_links_are_all_candidates)
{
	plan_of(RUN "topology: {switches: [a, b], hosts: {A: a, B: b}, links: [[a, b], [a, b], [a, "
		    "b]]}\n",
		&plan);
	ck_assert_uint_eq(plan_route(&plan.nodes[0], 1)->ports, 1u << 1 | 1u << 2 | 1u << 3);
}

/* ---- workloads (TB-12) ---- */

TEST(plan_workloads__incast)
{
	plan_of(STAR "workloads: [{name: w, pattern: incast, to: h1}]\n", &plan);
	ck_assert_uint_eq(nic(0)->workload_count, 1);
	ck_assert_uint_eq(nic(1)->workload_count, 0);
	ck_assert_uint_eq(nic(0)->workloads[0].destinations[0], 1);
	ck_assert_uint_eq(nic(0)->workloads[0].stop_ps, 100 * NODE_US);
	ck_assert_uint_eq(nic(0)->flows_max, 1);
	ck_assert_uint_eq(nic(1)->flows_max, 3);
}

TEST(plan_workloads__permutation_by_shift)
{
	plan_of(STAR "workloads: [{name: w, pattern: permutation, shift: 3}]\n", &plan);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(nic(i)->workloads[0].destinations[0], (i + 3) % 4);
}

TEST(plan_workloads__random_permutation_has_no_fixed_point)
{
	static const char text[] =
		RUN "topology: {generate: star, hosts: 40}\n"
		    "workloads: [{name: w, pattern: permutation, permutation: random}]\n";
	uint32_t in_order = 0;
	bool seen[40] = { false };

	plan_of(text, &plan);
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t destination = nic(i)->workloads[0].destinations[0];

		ck_assert_uint_ne(destination, i);
		ck_assert(!seen[destination]);
		seen[destination] = true;
		in_order += destination == (i + 1) % 40;
	}
	ck_assert_uint_lt(in_order, 40);
}

TEST(plan_workloads__uniform_to_all_others)
{
	plan_of(STAR "workloads: [{name: w, pattern: uniform}]\n", &plan);
	ck_assert_int_eq(nic(2)->workloads[0].destination, DESTINATION_RANDOM);
	ck_assert_uint_eq(nic(2)->workloads[0].destination_count, 3);
	ck_assert_uint_eq(nic(2)->workloads[0].destinations[2], 3);
	ck_assert_uint_eq(nic(2)->flows_max, 3);
}

TEST(plan_workloads__all_to_all_starts_after_itself)
{
	plan_of(STAR "workloads: [{name: w, pattern: all-to-all}]\n", &plan);
	ck_assert_int_eq(nic(2)->workloads[0].destination, DESTINATION_ROUND_ROBIN);
	ck_assert_uint_eq(nic(2)->workloads[0].destinations[0], 3);
	ck_assert_uint_eq(nic(2)->workloads[0].destinations[1], 0);
	ck_assert_uint_eq(nic(2)->workloads[0].destinations[2], 1);
}

TEST(plan_workloads__one_host_in_several_pairs)
{
	plan_of(STAR
		"workloads: [{name: w, pattern: pairs, pairs: [[h0, h1], [h0, h2], [h3, h0]]}]\n",
		&plan);
	ck_assert_uint_eq(nic(0)->workload_count, 2);
	ck_assert_uint_eq(nic(0)->workloads[1].destinations[0], 2);
	ck_assert_uint_eq(nic(0)->workloads[1].workload_index, 0);
	ck_assert_uint_eq(nic(0)->flows_max, 2);
	ck_assert_uint_ne(nic(0)->workloads[0].seed, nic(0)->workloads[1].seed);
}

TEST(plan_workloads__several_with_different_seeds)
{
	plan_of(STAR
		"workloads: [{name: a, pattern: permutation}, {name: b, pattern: permutation}]\n",
		&plan);
	ck_assert_uint_eq(nic(0)->workload_count, 2);
	ck_assert_str_eq(nic(0)->workloads[1].name, "b");
	ck_assert_uint_ne(nic(0)->workloads[0].seed, nic(0)->workloads[1].seed);
	ck_assert_uint_ne(nic(0)->workloads[0].seed, nic(1)->workloads[0].seed);
	ck_assert_uint_ne(plan.nodes[0].seed, plan.nodes[1].seed);
}

TEST(plan_make__same_scenario_same_plan)
{
	static const char text[] =
		LEAF_SPINE "workloads: [{name: w, pattern: permutation, permutation: random}]\n";
	struct plan again;

	plan_of(text, &plan);
	plan_of(text, &again);
	for (uint32_t i = 0; i < plan.host_count; i++) {
		ck_assert_uint_eq(
			nic(i)->workloads[0].destinations[0],
			again.nodes[plan_host_node(&again, i)].nic.workloads[0].destinations[0]);
		ck_assert_uint_eq(nic(i)->workloads[0].seed,
				  again.nodes[plan_host_node(&again, i)].nic.workloads[0].seed);
	}
	for (uint32_t i = 0; i < plan.node_count; i++)
		ck_assert_uint_eq(plan.nodes[i].seed, again.nodes[i].seed);
	plan_free(&again);
}

TEST_RANGE(plan_make__accepts_every_shipped_topology, 0, 8)
{
	static const char *const names[] = { "parking-lot",       "parking-lot-by-port",
					     "star-incast",       "leaf-spine-uniform",
					     "leaf-spine-incast", "permutation-16",
					     "two-talk",          "web-search" };
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char path[128];
	int error;

	snprintf(path, sizeof(path), "topologies/%s.yaml", names[_i]);
	error = scenario_read_file(path, NULL, 0, &scenario, &errors);
	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	ck_assert_str_eq(plan.scenario, names[_i]);
	scenario_free(&scenario);
}

/* ---- slowdown's denominator (TB-13) ---- */

/* nic 500, two switches of 350, three links of 1000 ns; the first 64 bytes (or all) at each switch;
 * the last bit */
#define FIXED_PS ((500 + 2 * 350 + 3 * 1000) * NODE_NS)

TEST(plan_ideal__one_packet_cut_through)
{
	uint32_t frame_bytes = 1000 + frame_overhead_bytes(FRAME_HPC);

	plan_of(TWO PAIR, &plan);
	ck_assert_uint_eq(plan_ideal_ps(&plan, 0, 1, 0, 1000),
			  FIXED_PS + 2 * 64 * 40 + (frame_bytes + 4) * 40);
}

TEST(plan_ideal__one_packet_store_and_forward)
{
	uint32_t frame_bytes = 1000 + frame_overhead_bytes(FRAME_HPC);

	plan_of(TWO PAIR "switch: {forwarding: store-and-forward}\n", &plan);
	ck_assert_uint_eq(plan_ideal_ps(&plan, 0, 1, 0, 1000),
			  FIXED_PS + (3 * (frame_bytes + 4) + 12) *
					     40); /* the link in the middle has a fabric header */
}

TEST(plan_ideal__many_packets_wait_for_the_slowest_link)
{
	uint32_t data_bytes = 4096 - frame_overhead_bytes(FRAME_HPC);

	plan_of(TWO PAIR, &plan);
	/* the fabric link carries 12 bytes more; nine packets wait there, the tenth is on the last
	 * link without others */
	ck_assert_uint_eq(plan_ideal_ps(&plan, 0, 1, 0, 10 * data_bytes),
			  FIXED_PS + 2 * 64 * 40 + 9 * (4096 + 4 + 12 + 20) * 40 + (4096 + 4) * 40);
}

TEST(plan_ideal__cut_through_to_a_faster_link_waits_for_enough)
{
	/* 10 Gb/s: 800 ps a byte. The frame must not be forwarded before its last bit is sure to
	 * arrive in time. */
	uint32_t wire_bytes = 1000 + frame_overhead_bytes(FRAME_HPC) + 4;

	plan_of(RUN
		"topology: {switches: [s1], hosts: {A: {switch: s1, rate: 10Gb/s}, B: s1}}\n" PAIR,
		&plan);
	ck_assert_uint_eq(plan_ideal_ps(&plan, 0, 1, 0, 1000),
			  (500 + 350 + 2 * 1000) * NODE_NS + wire_bytes * 800);
}

TEST(plan_ideal__huge_message_on_a_slow_link_does_not_wrap)
{
	plan_of(TWO PAIR "links: {rate: 1Mb/s}\n", &plan);
	ck_assert_uint_gt(plan_ideal_ps(&plan, 0, 1, 0, 1000000000000), 8000000 * NODE_S / 2);
}

/* a router connects two networks without a link; the workload stays in one of them */
TEST(plan_make__two_networks_and_a_router)
{
	plan_of(RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s1, C: s2,\n"
		    "  r: {switch: s1, interfaces: [{switch: s2}]}}}\n" PAIR,
		&plan);
	ck_assert_uint_eq(plan.host_count, 5);
	ck_assert_uint_eq(plan_route(&plan.nodes[0], 1)->ports, 0);
	/* nor do pairs, each within a network of its own */
	plan_free(&plan);
	plan_of(RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s1, C: s2, D: s2,\n"
		    "  r: {switch: s1, interfaces: [{switch: s2}]}}}\n"
		    "workloads: [{name: w, pattern: pairs, pairs: [[A, B], [C, D]]}]\n",
		&plan);
	ck_assert_uint_eq(plan.host_count, 6);
}
