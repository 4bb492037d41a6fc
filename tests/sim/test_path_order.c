/*  FC-15, FC-16, FC-24, FC-25, FC-26, TB-25: every policy that chooses paths, on random fabrics
 *  with many paths: static, hash and adaptive choice, redirects where flows enter and anywhere,
 *  detours, sources held, ordered beside unordered classes, links and switches that fail and return
 *  in the middle. All accounts are checked meanwhile. Every ordered flow arrives in order, every
 *  message of either kind is complete but for what was on a link or switch that failed, and at the
 *  end every channel is free.
 *  A seed that 5 divides has up to twelve failures within 3 us: flows then have packets downstream
 *  of several failed links, and must neither overtake them nor wait for each other in a cycle (seed
 *  17, when they waited link by link: link_drain.h). ORDER_SEEDS is the number of fabrics (default
 *  30), ORDER_SEED the first one; ORDER_SHOW=1 prints them. */
#include <stdio.h>
#include <stdlib.h>

#include "nodes/base/random.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

#define FAULTS_MAX 6u
/* a seed that this divides has all its faults within BURST_NS, and twice as many */
#define BURST 5u
#define BURST_NS 3000u

/* a scenario while it is drawn */
struct draw {
	struct random random;
	FILE *out;
	unsigned hosts, classes;
	uint32_t unordered; /* set of classes */
};

static unsigned below(struct draw *draw, unsigned limit)
{
	return (unsigned)random_below(&draw->random, limit);
}

#define PICK(draw, ...)                              \
	((const char *const[]){ __VA_ARGS__ }[below( \
		draw, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))])

static void write_topology(struct draw *draw)
{
	static const struct {
		const char *text;
		unsigned hosts;
	} fabrics[] = {
		{ "leaf-spine, leaves: 4, hosts-per-leaf: 3, spines: 4", 12 },
		{ "leaf-spine, leaves: 2, hosts-per-leaf: 6, spines: 6", 12 },
		{ "fat-tree, radix: 4", 16 },
		{ "fat-tree, radix: 4, taper: 2", 16 },
		{ "dragonfly, hosts-per-switch: 1, switches-per-group: 2, global-links: 2", 10 },
		{ "hyperx, shape: [3, 3], hosts-per-switch: 2", 18 },
		{ "torus, shape: [3, 3], hosts-per-switch: 1", 9 },
		{ "torus, shape: [4, 4], hosts-per-switch: 1", 16 },
		{ "full-mesh, switches: 4, hosts-per-switch: 3", 12 },
	};
	unsigned i = below(draw, sizeof(fabrics) / sizeof(fabrics[0]));

	draw->hosts = fabrics[i].hosts;
	fprintf(draw->out, "topology: {generate: %s}\n", fabrics[i].text);
	fprintf(draw->out, "links: {rate: %s, delay: %s, channels: %s}\n",
		PICK(draw, "200Gb/s", "100Gb/s", "400Gb/s"), PICK(draw, "100ns", "500ns", "2us"),
		PICK(draw, "2048", "2048", "8", "32"));
	fprintf(draw->out, "congestion: %s\n",
		PICK(draw, "yes", "yes", "yes", "no", "{rate-limit: no, flow-limit: no}"));
}

static void write_routing(struct draw *draw)
{
	fprintf(draw->out, "routing:\n  choice: %s\n  order: %s\n",
		PICK(draw, "static", "hash", "adaptive", "adaptive", "adaptive", "adaptive"),
		PICK(draw, "auto", "auto", "up-down"));
	fprintf(draw->out, "  detour: %s\n",
		PICK(draw, "never", "never", "{when: adaptive, bias: 0, weight: 1}", "adaptive",
		     "always"));
	fprintf(draw->out, "  hold-sources: %s\n",
		PICK(draw, "no", "yes", "yes", "{for: 1ns}", "{for: 100us}"));
	if (below(draw, 4))
		fprintf(draw->out,
			"  redirect: {depth: %s, full: %s, interval: %s, pause: %s, anywhere: "
			"%s}\n",
			PICK(draw, "0", "4KiB", "32KiB"), PICK(draw, "33KiB", "64KiB", "256KiB"),
			PICK(draw, "1ns", "1us"), PICK(draw, "0", "1us", "20us"),
			PICK(draw, "yes", "no"));
	else
		fprintf(draw->out, "  redirect: %s\n", PICK(draw, "yes", "no"));
	fprintf(draw->out, "  reaction: %s\n", PICK(draw, "0ns", "10us", "50us"));
}

static void write_classes(struct draw *draw)
{
	draw->classes = 1 + below(draw, 2);
	fprintf(draw->out, "classes:\n");
	for (unsigned c = 0; c < draw->classes; c++) {
		bool unordered = below(draw, 2);

		draw->unordered |= (uint32_t)unordered << c;
		fprintf(draw->out, "  - {name: c%u, unordered: %s}\n", c, unordered ? "yes" : "no");
	}
}

static void write_workloads(struct draw *draw)
{
	fprintf(draw->out, "workloads:\n");
	for (unsigned w = 0; w < 3; w++) {
		fprintf(draw->out,
			"  - {name: w%u, class: c%u, size: %s, packet: %s, messages: %u, ", w,
			below(draw, draw->classes), PICK(draw, "64B", "4KiB", "40kB"),
			PICK(draw, "256", "1500", "4096"), 5 + below(draw, 60));
		if (!below(draw, 3))
			fprintf(draw->out, "pattern: incast, to: h%u, connections: %s, ",
				below(draw, draw->hosts), PICK(draw, "1", "4"));
		else
			fprintf(draw->out, "pattern: %s, ",
				PICK(draw, "uniform", "permutation", "all-to-all"));
		fprintf(draw->out, "%s}\n",
			PICK(draw, "window: 1", "window: 8", "arrival: poisson, load: 60%",
			     "arrival: burst, burst: {messages: 4, period: 5us}"));
	}
}

static void write_faults(struct draw *draw, const struct plan *plan, bool burst)
{
	unsigned faults = 1 + below(draw, FAULTS_MAX) + (burst ? FAULTS_MAX : 0);
	unsigned from_ns = burst ? 1000 + below(draw, 60000) : 1000,
		 span_ns = burst ? BURST_NS : 60000;

	fprintf(draw->out, "faults:\n");
	for (unsigned i = 0; i < faults; i++) {
		const struct plan_link *link = &plan->links[below(draw, plan->link_count)];

		fprintf(draw->out, "  - {at: %uns, for: %s, ", from_ns + below(draw, span_ns),
			PICK(draw, "100ns", "3us", "20us", "60us"));
		if (below(draw, 4))
			fprintf(draw->out, "link: [%s, %s]}\n", plan->nodes[link->node_a].name,
				plan->nodes[link->node_b].name);
		else
			fprintf(draw->out, "switch: %s}\n",
				plan->nodes[below(draw, plan->switch_count)].name);
	}
}

/* the scenario of @seed, without faults, or with those of @plan; malloc'd */
static char *scenario_of(uint64_t seed, const struct plan *plan)
{
	struct draw draw = { 0 };
	char *text = NULL;
	size_t length;

	draw.out = open_memstream(&text, &length);
	random_init(&draw.random, seed, 9);
	fprintf(draw.out,
		"name: path-order\nseed: %lu\nrun: {duration: 80us, warmup: 1us, drain-max: "
		"3600s}\n",
		(unsigned long)seed);
	write_topology(&draw);
	write_routing(&draw);
	write_classes(&draw);
	write_workloads(&draw);
	if (plan)
		write_faults(&draw, plan, seed % BURST == 0);
	fclose(draw.out);
	return text;
}

/* a seed of three has no faults: then nothing at all may be lost */
static char *with_faults(uint64_t seed)
{
	char *text = scenario_of(seed, NULL);
	struct sim sim;

	if (seed % 3 == 0)
		return text;
	sim_open_text(&sim, text, NULL);
	free(text);
	text = scenario_of(seed, &sim.plan);
	sim_close(&sim);
	return text;
}

/* how many packets can be on link @index, or committed to it: in both directions what two fixed
 * latencies hold, and what is in the output queue */
static uint64_t link_holds(const struct plan *plan, uint32_t index)
{
	const struct plan_link *link = &plan->links[index];
	const struct node_config *node = &plan->nodes[link->node_a];
	const struct port_config *port = &node->ports[link->port_a];
	uint64_t least_bits = 8 * (FRAME_BYTES_MIN + FABRIC_HEADER_BYTES + port->gap_bytes);
	uint64_t lead_ps = port->delay_ps + node->switch_.latency_ps;

	return 2 *
	       ((uint64_t)((unsigned __int128)port->rate_bps * lead_ps / NODE_S) / least_bits + 1 +
		(uint64_t)node->switch_.output_queue_units_max * node->class_count *
			node_lanes(node, port->kind));
}

/* FC-26: what a link between switches takes with it was on it or committed to it, whatever waits
 * elsewhere */
static void check_losses(const struct sim *sim, const struct results *results, uint64_t seed,
			 const char *text)
{
	for (uint32_t i = 0; i < results->fault_count; i++) {
		const struct plan_fault *fault = &sim->plan.faults.list[i];
		uint64_t lost = results->faults[i].lost;

		if (fault->kind == FAULT_LINK &&
		    sim->plan.links[fault->link].node_a < sim->plan.switch_count &&
		    sim->plan.links[fault->link].node_b < sim->plan.switch_count)
			ck_assert_msg(lost <= link_holds(&sim->plan, fault->link),
				      "seed %lu: %s took %lu packets with it\n%s", seed,
				      fault->name, lost, text);
	}
}

/* what has arrived: all that was sent but for what faults took, in order where order was
 * promised */
static void check_arrivals(struct sim *sim, uint64_t seed, const char *text)
{
	uint64_t sent = 0, received = 0,
		 lost = sim_drops(sim, DROP_LINK_DOWN) + sim_drops(sim, DROP_NO_ROUTE) +
			sim_drops(sim, DROP_NO_LANE);
	struct results results;

	sim_results(sim, &results);
	for (uint32_t i = 0; i < results.flow_count; i++) {
		const struct result_flow *flow = &results.flows[i];

		ck_assert_msg(sim->plan.nodes[0].classes[flow->traffic_class].unordered ||
				      !flow->reordered,
			      "seed %lu: flow %u: %lu packets reordered\n%s", seed, i,
			      flow->reordered, text);
		sent += flow->sent_packets;
		received += flow->packets;
	}
	ck_assert_msg(sent == received + lost, "seed %lu: %lu sent, %lu received, %lu lost\n%s",
		      seed, sent, received, lost, text);
	ck_assert_msg(seed % 3 || !lost, "seed %lu: %lu lost without a fault\n%s", seed, lost,
		      text);
	ck_assert_uint_gt(received, 0);
	check_losses(sim, &results, seed, text);
	results_free(&results);
}

static void run_seed(uint64_t seed)
{
	char *text = with_faults(seed);
	struct sim sim;

	fprintf(stderr, "path order: seed %lu\n%s", (unsigned long)seed,
		getenv("ORDER_SHOW") ? text : "");
	sim_open_text(&sim, text, NULL);
	sim.check_windows = seed % 8 ? 16 : 2;
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "seed %lu: not empty\n%s",
		      seed, text);
	sim_check_released(&sim);
	for (enum drop_reason r = DROP_MALFORMED; r < DROP_REASONS; r++)
		ck_assert_msg(r == DROP_LINK_DOWN || r == DROP_NO_ROUTE || r == DROP_NO_LANE ||
				      !sim_drops(&sim, r),
			      "seed %lu: %lu %s\n%s", seed, sim_drops(&sim, r), stats_drop_name[r],
			      text);
	check_arrivals(&sim, seed, text);
	sim_close(&sim);
	free(text);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

TEST_GROUP(random_fabrics, .timeout_s = 7200);

TEST(random_fabrics__order_and_arrival)
{
	uint64_t first = number_from("ORDER_SEED", 1), count = number_from("ORDER_SEEDS", 30);

	for (uint64_t seed = first; seed < first + count; seed++)
		run_seed(seed);
}
