/*  orchestrator/plan/plan_roce: headroom added up by hand, derived numbers, the flood tree, rings
 *  and the real clock (RC-3, RC-5, RC-7, RC-9). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/control/config_check.h"
#include "nodes/control/control.h"
#include "nodes/link/pfc.h"
#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_roce.h"
#include "orchestrator/plan/plan_routes.h"
#include "orchestrator/plan/plan_spare.h"
#include "tests/testing.h"

#define RUN "name: t\nfabric: roce\nrun: {duration: 100us}\n"
#define TWO RUN "topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
#define STAR RUN "topology: {generate: star, hosts: 4}\n"

static struct plan plan, other;
static struct scenario scenario;
static struct scenario_errors errors;

static void tear_down(void)
{
	plan_free(&plan);
	plan_free(&other);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static int plan_of(int (*make)(const struct scenario *, struct plan *, struct scenario_errors *),
		   const char *text, struct plan *out)
{
	int error;

	scenario_free(&scenario);
	error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);
	return error ? error : make(&scenario, out, &errors);
}

static const struct roce_config *planned(const char *text)
{
	int error = plan_of(plan_make, text, &plan);

	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	return &plan.nodes[0].roce;
}

static void refused(const char *text, const char *what)
{
	ck_assert_int_eq(plan_of(plan_make, text, &plan), -EINVAL);
	ck_assert_msg(strstr(errors.texts[0], what), "'%s' does not say '%s'", errors.texts[0],
		      what);
}

/* ---- headroom ---- */

TEST_GROUP(plan_roce, .teardown = tear_down);

/* 200 Gb/s, 25 bytes a ns. Frames of 4214 + 24 bytes: one is being sent, one had begun: 8476. The
 * PFC frame: 84. The round trip of 2 us: 50000. Latency of both switches, 350 ns each: 17500. And
 * the frame for which the buffer was full: 4218. */
TEST(plan_roce_headroom__between_switches)
{
	planned(TWO);
	ck_assert_uint_eq(plan.nodes[0].ports[1].headroom_bytes, 8476 + 84 + 50000 + 17500 + 4218);
	ck_assert_uint_eq(plan.nodes[1].ports[1].headroom_bytes, 8476 + 84 + 50000 + 17500 + 4218);
}

/* the NIC's 500 ns and the switch's 350 ns: 21250 bytes; the NIC itself has an unlimited buffer */
TEST(plan_roce_headroom__to_a_host)
{
	planned(TWO);
	ck_assert_uint_eq(plan.nodes[0].ports[0].headroom_bytes, 8476 + 84 + 50000 + 21250 + 4218);
	ck_assert_uint_eq(plan.nodes[2].ports[0].headroom_bytes, 0);
}

TEST(plan_roce_headroom__follows_the_link)
{
	planned(TWO "links: {rate: 40Gb/s, delay: 10us, mtu: 1500, gap: 0}\n");
	ck_assert_uint_eq(plan.nodes[0].ports[1].headroom_bytes,
			  pfc_headroom_bytes(40000000000, 10 * NODE_US, 700 * NODE_NS, 1500, 0) +
				  1504);
	ck_assert_uint_eq(plan.nodes[0].ports[1].headroom_bytes,
			  2 * 1504 + 64 + 100000 + 3500 + 1504);
}

/* a slow direction to the peer: while a frame and the pause take their time there, it sends at full
 * rate, 99 times as much as their bytes */
TEST(plan_roce_headroom__of_directions_that_differ)
{
	planned("name: t\nfabric: roce\nrun: {duration: 1us}\ntopology: {switches: [s1], hosts: "
		"{B: "
		"s1,\n  A: {switch: s1, towards: {s1: {rate: 100Gb/s}, A: {rate: 1Gb/s}}}}}\n");
	ck_assert_uint_eq(plan.nodes[0].ports[1].headroom_bytes,
			  8476 + 84 + 25000 + 10625 + 4218 + 99 * (4214 + 60 + 2 * 24));
}

TEST(plan_roce_headroom__given_value_is_used)
{
	planned(TWO "roce: {pfc: {headroom: 10kB}}\n");
	ck_assert_uint_eq(plan.nodes[0].ports[0].headroom_bytes, 10000);
	ck_assert_uint_eq(plan.nodes[0].ports[1].headroom_bytes, 10000);
}

/* four ports of 84028 bytes in two lossless classes, and two frames of 4218 */
TEST(plan_roce_buffers__error_names_what_is_needed)
{
	const char *classes = STAR "classes: [{name: a}, {name: b, lossless: no}, {name: c}]\n";
	char text[400];

	snprintf(text, sizeof(text), "%sroce: {buffer: %u}\n", classes, 4 * 2 * 84028 + 8436);
	planned(text);
	plan_free(&plan);
	snprintf(text, sizeof(text), "%sroce: {buffer: %u}\n", classes, 4 * 2 * 84028 + 8435);
	refused(text, "t.yaml:6:16: the switches' buffer of 680659 bytes is too small for switch "
		      "'s0': 680660 at "
		      "least, for the "
		      "headroom of 4 ports in 2 lossless classes");
}

TEST(plan_roce_buffers__without_pfc_there_is_no_headroom)
{
	planned(STAR "roce: {pfc: no, buffer: 9kB}\n");
	ck_assert_uint_eq(plan_roce_headroom_sum(&plan.nodes[0]), 0);
}

/* ---- what is derived ---- */

TEST(plan_roce_make__defaults)
{
	const struct roce_config *roce = planned(STAR);

	ck_assert(roce->pfc);
	ck_assert(!roce->pause);
	ck_assert_uint_eq(roce->buffer_bytes, 32 << 20);
	ck_assert(roce->classes[0].lossless);
	ck_assert(roce->classes[0].ecn);
	ck_assert(roce->classes[0].watched);
	ck_assert_uint_eq(roce->classes[0].kmin_bytes, 5000); /* RC-1 */
	ck_assert_uint_eq(roce->classes[0].kmax_bytes, 200000);
	ck_assert_uint_eq(roce->classes[0].kmin_per_bps, 40000000000);
	ck_assert_uint_eq(roce->classes[0].kmax_per_bps, 40000000000);
	ck_assert_uint_eq(roce->path_per_bps, 40000000000);
	ck_assert_uint_eq(roce->classes[0].pmax_ppm, 10000);
	ck_assert_uint_eq(roce->classes[0].alpha_permille, 125);
	ck_assert_uint_eq(roce->classes[0].xoff_bytes, 0);
	ck_assert_uint_eq(roce->classes[0].xon_offset_bytes, 2 * 4214);
	ck_assert_uint_eq(roce->reference_permille, 1500); /* RC-7 */
	ck_assert(!roce->supplement);
	ck_assert(!roce->path_pause);
	ck_assert_int_eq(roce->path_target, ROCE_CNP_FAILED); /* RC-9 */
	ck_assert_uint_eq(roce->path_high_bytes, 600000);
	ck_assert_uint_eq(roce->path_low_bytes, 200000);
	ck_assert_uint_eq(roce->cnp_class, 0);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert_int_eq(plan.nodes[i].fabric, FABRIC_ROCE);
		ck_assert_uint_eq(plan.nodes[i].roce.path_high_bytes, roce->path_high_bytes);
	}
}

/* an absolute level replaces the share, unless both are given */
TEST(plan_roce_make__level_replaces_the_share)
{
	const struct roce_config *roce =
		planned(STAR "classes:\n"
			     "  - {name: a, lossless: no}\n"
			     "  - {name: b, lossless: no, queue: 2MB}\n"
			     "  - {name: c, lossless: no, queue: 2MB, alpha: 1/2}\n"
			     "  - {name: d, xoff: 1MB}\n"
			     "  - {name: e, xoff: 1MB, alpha: 6.2%}\n"
			     "  - {name: f, xoff: 5kB}\n"
			     "  - {name: g, xoff: 5kB, xon-offset: 4kB}\n");

	ck_assert_uint_eq(roce->classes[0].alpha_permille, 1000);
	ck_assert_uint_eq(roce->classes[0].queue_bytes_max, 0);
	ck_assert_uint_eq(roce->classes[1].alpha_permille, 0);
	ck_assert_uint_eq(roce->classes[1].queue_bytes_max, 2000000);
	ck_assert_uint_eq(roce->classes[2].alpha_permille, 500);
	ck_assert_uint_eq(roce->classes[3].alpha_permille, 0);
	ck_assert_uint_eq(roce->classes[3].xoff_bytes, 1000000);
	ck_assert_uint_eq(roce->classes[4].alpha_permille, 62);
	/* two packets are more than xoff */
	ck_assert_uint_eq(roce->classes[5].xon_offset_bytes, 5000);
	ck_assert_uint_eq(roce->classes[6].xon_offset_bytes, 4000);
	ck_assert_uint_eq(roce->cnp_class, 6);
}

/* without PFC no class is paused: a lossless class gets the share of the buffer of a lossy one */
TEST(plan_roce_make__without_pfc_classes_are_lossy)
{
	const struct roce_config *roce = planned(STAR "roce: {pfc: no}\n");

	ck_assert(!roce->pfc);
	ck_assert(roce->classes[0].lossless);
	ck_assert_uint_eq(roce->classes[0].alpha_permille, 1000);
}

TEST(plan_roce_make__ecn_of_all_and_of_one)
{
	const struct roce_config *roce = planned(
		STAR "roce: {ecn: {kmin: 10kB, pmax: 2%}}\n"
		     "classes: [{name: a}, {name: b, ecn: {kmin: 1kB, kmax: 9kB}}, "
		     "{name: c, ecn: no}, {name: cnp}, {name: d, ecn: yes, lossless: no}]\n");

	ck_assert_uint_eq(roce->classes[0].kmin_bytes, 10000);
	ck_assert_uint_eq(roce->classes[0].kmin_per_bps, 0); /* given: at every port */
	ck_assert_uint_eq(roce->classes[0].kmax_bytes, 200000);
	ck_assert_uint_eq(roce->classes[0].kmax_per_bps, 40000000000);
	ck_assert_uint_eq(roce->classes[0].pmax_ppm, 20000);
	ck_assert_uint_eq(roce->classes[1].kmin_bytes, 1000);
	ck_assert_uint_eq(roce->classes[1].kmax_bytes, 9000);
	ck_assert_uint_eq(roce->classes[1].pmax_ppm, 20000);
	ck_assert(!roce->classes[2].ecn);
	ck_assert(!roce->classes[2].watched);
	ck_assert(!roce->classes[4].watched);
	ck_assert_uint_eq(roce->cnp_class, 3);
}

/* `per`: for a port of this rate; for all classes, and for one */
TEST(plan_roce_make__ecn_per_rate)
{
	const struct roce_config *roce = planned(
		STAR
		"roce: {ecn: {kmin: 100kB, kmax: 400kB, per: 25Gb/s}}\n"
		"classes: [{name: a}, {name: b, ecn: {kmin: 1kB, per: 1Gb/s}}, {name: cnp}]\n");

	ck_assert_uint_eq(roce->classes[0].kmin_per_bps, 25000000000);
	ck_assert_uint_eq(roce->classes[0].kmax_per_bps, 25000000000);
	ck_assert_uint_eq(roce->classes[1].kmin_per_bps, 1000000000);
	ck_assert_uint_eq(roce->classes[1].kmax_bytes, 400000);
	ck_assert_uint_eq(roce->classes[1].kmax_per_bps, 1000000000);
	/* of b, whose kmax is the higher one at each port */
	ck_assert_uint_eq(roce->path_high_bytes, 1200000);
	ck_assert_uint_eq(roce->path_per_bps, 1000000000);
}

TEST(plan_roce_make__kmin_above_the_default_kmax)
{
	refused(STAR "classes: [{name: a, ecn: {kmin: 2MB}}]\n",
		"t.yaml:5:11: class 'a' would be marked from kmin 2000000 bytes to kmax 1000000 "
		"bytes at a port of "
		"200000000000 b/s");
}

/* kmax, in proportion to the rate, is below kmin at the one slow link, wherever that is */
TEST_RANGE(plan_roce_make__kmin_above_kmax_at_one_port, 0, 5)
{
	char text[512], rates[5][8] = { "10Gb/s", "10Gb/s", "10Gb/s", "10Gb/s", "10Gb/s" };

	for (int slow = 0; slow < 2; slow++) {
		if (slow)
			strcpy(rates[_i], "9Gb/s");
		snprintf(text, sizeof(text),
			 RUN "topology:\n  switches: [s1, s2, s3]\n"
			     "  hosts: {A: {switch: s1, rate: %s}, B: {switch: s2, rate: %s}, "
			     "C: {switch: s3, rate: %s}}\n"
			     "  links: [{between: [s1, s2], rate: %s}, {between: [s2, s3], rate: "
			     "%s}]\nclasses: [{name: b, ecn: {kmin: 50kB}}]\n",
			 rates[0], rates[1], rates[2], rates[3], rates[4]);
		if (slow)
			refused(text, "class 'b' would be marked from kmin 50000 bytes to kmax "
				      "45000 bytes at a port of 9000000000 b/s");
		else
			planned(text);
		plan_free(&plan);
	}
}

/* RC-9: one of THh and THl moves the other */
TEST(plan_roce_make__one_path_level_moves_the_other)
{
	planned(STAR "roce: {path-pause: {high: 90kB}}\n");
	ck_assert_uint_eq(plan.nodes[0].roce.path_low_bytes, 30000);
	plan_free(&plan);
	planned(STAR "roce: {path-pause: {low: 1MB}}\n");
	ck_assert_uint_eq(plan.nodes[0].roce.path_high_bytes, 3000000);
	plan_free(&plan);
	planned(STAR "roce: {path-pause: {high: 500kB, low: 499kB}}\n");
	ck_assert_uint_eq(plan.nodes[0].roce.path_low_bytes, 499000);
	ck_assert(plan.nodes[0].roce.path_pause);
}

/* the same file as a fabric of kind flow-channel: nothing of this remains */
TEST(plan_roce_make__nothing_in_another_kind)
{
	static const char *const setting = "fabric=flow-channel";
	const char *text = STAR "roce: {buffer: 1}\nworkloads: [{name: w, pattern: incast, to: h0, "
				"frame: roce, connections: 3}]\n";

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), &setting, 1, &scenario, &errors),
		0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(plan_fabric(&plan), FABRIC_FLOW_CHANNEL);
	ck_assert_uint_eq(plan.nodes[0].switch_.flood_ports, 0);
	ck_assert_uint_gt(plan.nodes[0].ports[0].buffer_units, 0);
	ck_assert_int_eq(plan.nodes[2].nic.workloads[0].transport, TRANSPORT_NONE);
	ck_assert_uint_eq(plan.nodes[2].nic.workloads[0].connections, 3);
}

/* a link with losses is not guarded in this kind */
TEST(plan_roce_make__links_with_losses_are_not_guarded)
{
	planned(STAR "links: {loss: 1%}\n");
	ck_assert(!plan.nodes[0].ports[0].guarded);
	ck_assert_uint_eq(plan.nodes[0].ports[0].loss_ppb, 10000000);
	ck_assert_uint_eq(plan.nodes[0].ports[0].buffer_units, 0);
	ck_assert_uint_eq(plan.nodes[0].ports[0].flight_units, 0);
}

/* ---- the flood tree ---- */

static uint32_t flood_links(const struct plan *of)
{
	uint32_t links = 0;

	for (uint32_t i = 0; i < of->link_count; i++) {
		const struct plan_link *link = &of->links[i];

		if (!link->vacant &&
		    of->nodes[link->node_a].ports[link->port_a].kind == PORT_FABRIC)
			links += of->nodes[link->node_a].switch_.flood_ports >> link->port_a & 1;
	}
	return links;
}

/* a frame of host @from is flooded: every other host receives it once, whatever its path */
static void flood_from(const struct plan *of, uint32_t from, uint32_t *got)
{
	struct {
		uint32_t node, port;
	} queue[NODE_COUNT_MAX];
	const struct port_config *edge = &of->nodes[plan_host_node(of, from)].ports[0];
	uint32_t first = 0, end = 0;

	queue[end].node = edge->peer_index;
	queue[end++].port = edge->peer_port;
	while (first < end) {
		const struct node_config *node = &of->nodes[queue[first].node];
		uint64_t ports = node->switch_.flood_ports & ~(1ull << queue[first++].port);

		for (; ports; ports &= ports - 1) {
			const struct port_config *port = &node->ports[__builtin_ctzll(ports)];

			if (port->kind == PORT_EDGE) {
				got[of->nodes[port->peer_index].nic.host_index]++;
				continue;
			}
			/* in a loop it would be forwarded for ever */
			ck_assert_uint_lt(end, NODE_COUNT_MAX);
			queue[end].node = port->peer_index;
			queue[end++].port = port->peer_port;
		}
	}
}

static const char *const fabrics[] = {
	"generate: star, hosts: 5",
	"generate: chain, switches: 5, hosts-per-switch: 2",
	"generate: dumbbell, hosts-per-side: 3",
	"generate: leaf-spine, leaves: 4, hosts-per-leaf: 3, spines: 3",
	"generate: full-mesh, switches: 6, hosts-per-switch: 2",
	("switches: [a, b, c, d], hosts: {A: a, B: b, C: c, D: d}, "
	 "links: [[a, b], [b, c], [c, d], [d, a], [a, b], [b, d]]"),
};

TEST_RANGE(plan_routes_make__flood_reaches_every_host_once, 0, sizeof(fabrics) / sizeof(*fabrics))
{
	char text[400];

	snprintf(text, sizeof(text), RUN "topology: {%s}\n", fabrics[_i]);
	planned(text);
	ck_assert_uint_eq(flood_links(&plan), plan.switch_count - 1);
	for (uint32_t from = 0; from < plan.host_count; from++) {
		uint32_t got[64] = { 0 };

		flood_from(&plan, from, got);
		for (uint32_t host = 0; host < plan.host_count; host++)
			ck_assert_uint_eq(got[host], host != from);
	}
}

/* a failed link is no branch: without it the ring of four switches is a chain */
TEST(plan_routes_make__flood_around_a_link_that_is_down)
{
	uint32_t got[64] = { 0 };
	struct why why;

	planned(RUN "topology: {switches: [a, b, c, d], hosts: {A: a, B: b, C: c, D: d}, "
		    "links: [[a, b], [b, c], [c, d], [d, a]]}\n");
	plan.links[4].down = true;
	ck_assert_int_eq(plan_routes_make(&plan, &why), 0);
	ck_assert_uint_eq(flood_links(&plan), 3);
	ck_assert_uint_eq(plan.nodes[0].switch_.flood_ports >> plan.links[4].port_a & 1, 0);
	flood_from(&plan, 0, got);
	ck_assert_uint_eq(got[1] + got[2] + got[3], 3);
}

/* ---- connections ---- */

TEST(plan_workloads__connections)
{
	const struct node_config *nic;

	planned(STAR "workloads:\n"
		     "  - {name: w, pattern: incast, to: h0, connections: 5}\n"
		     "  - {name: t, pattern: all-to-all, frame: tcp, connections: 2}\n");
	nic = &plan.nodes[1];
	ck_assert_uint_eq(nic->nic.flows_max, 3 * 5 + 3 * 2); /* the packets that h0 receives */
	ck_assert_uint_eq(nic[1].nic.flows_max, 5 + 3 * 2);   /* the packets that h1 sends */
	ck_assert_int_eq(nic[1].nic.workloads[0].transport, TRANSPORT_RC);
	ck_assert_int_eq(nic[1].nic.workloads[0].frame, FRAME_ROCE);
	ck_assert_uint_eq(nic[1].nic.workloads[0].connections, 5);
	ck_assert_int_eq(nic[1].nic.workloads[1].transport, TRANSPORT_TCP);
	ck_assert_uint_eq(plan.workloads[1].connections, 2);
}

TEST(plan_workloads__rejects_too_many_connections)
{
	refused(STAR "nic: {flows-max: 9}\nworkloads: [{name: w, pattern: all-to-all, connections: "
		     "4}]\n",
		"t.yaml:6:13: with workload 'w' host 'h0' has 12 connections, more than 9, its "
		"nic.flows-max");
}

/* ---- time ---- */

/* Without fabric header between switches: two links of 4178 bytes (with gap, 167.12 ns),
 * cut-through after 64 bytes over three links. NIC 500 ns, three delays of 1 us, two switches of
 * 350 ns and 2.56 ns; the second packet follows the first. */
TEST(plan_ideal__roce_has_no_fabric_header)
{
	uint32_t data_bytes;
	node_time_t one_ps, two_ps;

	planned(TWO "workloads: [{name: w, pattern: pairs, pairs: [[A, B]], frame: roce}]\n");
	data_bytes = 4096; /* RC-4: one path MTU */
	one_ps = plan_ideal_ps(&plan, 0, 1, 0, data_bytes);
	two_ps = plan_ideal_ps(&plan, 0, 1, 0, 2 * data_bytes);
	ck_assert_uint_eq(one_ps, 500000 + 3000000 + 2 * (350000 + 2560) + 4158 * 40);
	ck_assert_uint_eq(two_ps - one_ps, 4178 * 40);
}

/* 3 lookaheads of 1.35 us, the delay, two latencies, two frames; filled with PFC frames of 84
 * bytes, each of which takes 128 bytes of the ring */
TEST(plan_rings__hold_a_link_full_of_short_frames)
{
	const struct port_config *port;
	uint64_t span_ps, frames;

	planned(TWO);
	port = &plan.nodes[0].ports[1];
	span_ps = 3 * 1350000 + 1000000 + 700000 + 2 * 4278 * 40;
	frames = span_ps / (84 * 40) + 1;
	ck_assert_uint_ge(port->ring_bytes, frames * 128);
	ck_assert_uint_lt(port->ring_bytes, 4 * frames * 128);
}

/* byte for byte the configuration of the nodes, and what the fabric manager writes into it */
static void told_the_same(struct node_config *a, struct node_config *b)
{
	struct control_message to_a = { .kind = CONTROL_CONFIGURE, .config = a };
	struct control_message to_b = { .kind = CONTROL_CONFIGURE, .config = b };
	uint8_t *bytes_a = NULL, *bytes_b = NULL;
	int length = control_pack(&to_a, &bytes_a);

	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(control_pack(&to_b, &bytes_b), length);
	ck_assert_mem_eq(bytes_a, bytes_b, length);
	free(bytes_a);
	free(bytes_b);
	ck_assert_uint_eq(a->switch_.route_count, b->switch_.route_count);
	ck_assert_uint_eq(a->switch_.host_count, b->switch_.host_count);
	ck_assert_uint_eq(a->switch_.flood_ports, b->switch_.flood_ports);
	if (a->kind == NODE_SWITCH) {
		ck_assert_mem_eq(a->switch_.routes, b->switch_.routes,
				 a->switch_.route_count * sizeof(*a->switch_.routes));
		ck_assert_mem_eq(a->switch_.hosts, b->switch_.hosts,
				 a->switch_.host_count * sizeof(*a->switch_.hosts));
	}
}

TEST(plan_make__same_scenario_same_bytes)
{
	const char *text =
		RUN "topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}\n"
		    "workloads: [{name: w, pattern: permutation, connections: 3}]\n";

	planned(text);
	ck_assert_int_eq(plan_of(plan_make, text, &other), 0);
	for (uint32_t i = 0; i < plan.node_count; i++)
		told_the_same(&plan.nodes[i], &other.nodes[i]);
}

/* ---- the real clock ---- */

/* twice what may be in flight is added, and all headroom is added to the buffer */
TEST(plan_make_traffic__roce)
{
	const struct port_config *edge, *fabric, *host;

	ck_assert_int_eq(plan_of(plan_make_traffic, TWO, &plan), 0);
	edge = &plan.nodes[0].ports[0];
	fabric = &plan.nodes[0].ports[1];
	host = &plan.nodes[2].ports[0];
	ck_assert_uint_eq(fabric->flight_units, 2048);
	ck_assert_uint_eq(fabric->headroom_bytes, 2 * 524288 + 8476 + 84 + 50000 + 17500 + 4218);
	ck_assert_uint_eq(fabric->buffer_units, 0);
	ck_assert_uint_eq(edge->flight_units, 0); /* the NIC has no limit */
	ck_assert_uint_eq(host->flight_units, 2048);
	ck_assert_uint_eq(plan.nodes[0].roce.buffer_bytes,
			  (32 << 20) + fabric->headroom_bytes + edge->headroom_bytes);
}

TEST(plan_make_real__roce_over_veth)
{
	ck_assert_int_eq(plan_of(plan_make_real, TWO "links: {fabric: {medium: veth}}\n", &plan),
			 0);
	ck_assert_int_eq(plan.nodes[0].ports[1].medium, MEDIUM_VETH);
	ck_assert(!plan.nodes[0].ports[1].guarded);
	ck_assert_uint_eq(plan.nodes[0].ports[1].flight_units, 0);
	ck_assert_uint_gt(plan.nodes[0].ports[0].flight_units, 0);
	ck_assert_uint_gt(plan.nodes[2].nic.host_queues, 0);
}

TEST(plan_make_real__rejects_what_exceeds_a_buffer)
{
	ck_assert_int_eq(plan_of(plan_make_real,
				 TWO "links: {delay: 100us}\nclasses: [{name: a}, {name: b}, "
				     "{name: c}, {name: d}, {name: e}]\n",
				 &plan),
			 -EINVAL);
	ck_assert_msg(strstr(errors.texts[0], "need a larger buffer than there can be"), "%s",
		      errors.texts[0]);
}

/* a link that joins has headroom; a link that leaves keeps its place free */
TEST(plan_spare__joins_and_leaves_a_roce_fabric)
{
	int64_t added, host;
	struct port_config like;

	ck_assert_int_eq(plan_of(plan_make_real, TWO, &plan), 0);
	ck_assert_int_eq(plan_spare_make(&plan), 0);
	added = plan_spare_switch(&plan, "s3");
	host = plan_spare_host(&plan, "C");
	ck_assert_int_ge(added, 0);
	ck_assert_int_ge(host, 0);
	like = plan_spare_template(&plan, 0, (uint32_t)added);
	ck_assert_int_ge(plan_spare_link(&plan, 0, (uint32_t)added, &like), 0);
	ck_assert_int_ge(plan_spare_link(&plan, (uint32_t)added, (uint32_t)host, &like), 0);
	ck_assert_uint_eq(plan.nodes[added].ports[0].headroom_bytes,
			  plan.nodes[0].ports[0].headroom_bytes);
	ck_assert(!plan.nodes[added].ports[0].guarded);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct why why;

		if (!plan_vacant(&plan, i))
			ck_assert_msg(!node_config_check(&plan.nodes[i], &why), "%s", why.text);
	}
	/* a NIC has the buffers of another one, not those of a switch */
	ck_assert_mem_eq(&plan.nodes[host].roce, &plan.nodes[plan.switch_count].roce,
			 sizeof(plan.nodes[host].roce));
	plan_spare_node_remove(&plan, (uint32_t)added);
	ck_assert_uint_gt(plan.nodes[0].ports[2].headroom_bytes, 0); /* its place is free */
}

/* Under the real clock ACKs are as late as the processes. A given timeout holds under both
 * clocks. */
TEST(plan_roce__timeouts_of_either_clock)
{
	ck_assert_int_eq(plan_of(plan_make, TWO, &plan), 0);
	ck_assert_uint_eq(plan.nodes[0].roce.queue_pair.timeout_ps, 67 * NODE_MS);
	ck_assert_uint_eq(plan.nodes[0].roce.tcp.rto_min_ps, NODE_MS);
	plan_free(&plan);
	ck_assert_int_eq(plan_of(plan_make_traffic, TWO, &plan), 0);
	ck_assert_uint_eq(plan.nodes[0].roce.queue_pair.timeout_ps, 537 * NODE_MS);
	ck_assert_uint_eq(plan.nodes[0].roce.tcp.rto_min_ps, 200 * NODE_MS);
	plan_free(&plan);
	ck_assert_int_eq(plan_of(plan_make_traffic,
				 TWO "roce: {queue-pair: {timeout: 1ms}, tcp: {rto-min: 2ms}}\n",
				 &plan),
			 0);
	ck_assert_uint_eq(plan.nodes[0].roce.queue_pair.timeout_ps, NODE_MS);
	ck_assert_uint_eq(plan.nodes[0].roce.tcp.rto_min_ps, 2 * NODE_MS);
}

/* a leaf sends neither data nor floods to a dead spine, or to one that has lost its link to the
 * other leaf */
TEST(plan_routes_make__around_what_cannot_forward)
{
	struct why why;

	ck_assert_int_eq(plan_of(plan_make_real,
				 RUN "topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: "
				     "1, spines: 2}\n",
				 &plan),
			 0);
	/* leaf1 to leaf0: both spines */
	ck_assert_uint_eq(plan.nodes[1].switch_.routes[0].ports, 3u << 1);
	ck_assert_uint_eq(plan.links[2].node_b, 2); /* leaf0 - spine0 */
	plan.links[2].down = true;
	ck_assert_int_eq(plan_routes_make(&plan, &why), 0);
	ck_assert_uint_eq(plan.nodes[1].switch_.routes[0].ports, 1u << 2);
	ck_assert_uint_eq(flood_links(&plan), 3);
	plan.links[2].down = false;
	plan.links[3].dead = plan.links[5].dead = true; /* all of spine1 */
	ck_assert_int_eq(plan_routes_make(&plan, &why), 0);
	ck_assert_uint_eq(plan.nodes[1].switch_.routes[0].ports, 1u << 1);
	ck_assert_uint_eq(plan_route(&plan.nodes[3], 0)->ports, 0);
	ck_assert_uint_eq(flood_links(&plan), 2);
	plan.links[3].dead = plan.links[5].dead = false;
	ck_assert_int_eq(plan_routes_make(&plan, &why), 0);
	ck_assert_uint_eq(plan.nodes[1].switch_.routes[0].ports, 3u << 1);
}
