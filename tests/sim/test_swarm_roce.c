/*  TB-25, RC-5: random scenarios of fabric kind roce, NICs and transports included - topologies
 *  (rings too), classes, buffers, levels, headroom, marking, DCQCN, path-level PFC, TCP, losses and
 *  slow receivers drawn from a seed, every checker on. SWARM_SEEDS says how many (default 30; make
 *  soak runs 10000), SWARM_SEED the first one. A failing seed is printed: SWARM_SEED=n
 *  SWARM_SEEDS=1 runs it alone; SWARM_SHOW=1 prints scenarios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/results_text.h"
#include "tests/sim/draw.h"
#include "tests/sim/sim.h"
#include "tests/sim/swarm_kept.h"
#include "tests/testing.h"

#define MESSAGES_MAX 40u  /* of a workload, all senders together */
#define SEEDS 30u         /* by default */
#define SAME_BYTES_OF 16u /* every so many seeds are run twice */
/* far longer than a packet at the least rate of DCQCN (7.2 ms), or a time-out */
#define SILENCE_PS (400 * NODE_MS)

static struct swarm_kept kept = { .path = "tests/sim/swarm_roce.txt", .seeds = SEEDS };

/* ---- the fabric ---- */

/* where PFC can wait for itself */
static void write_ring(struct draw *draw)
{
	unsigned switches = 3 + below(draw, 5);

	draw->hosts = 2 * switches;
	fprintf(draw->out, "topology:\n  switches: [s0");
	for (unsigned i = 1; i < switches; i++)
		fprintf(draw->out, ", s%u", i);
	fprintf(draw->out, "]\n  hosts: {h0: s0");
	for (unsigned i = 1; i < draw->hosts; i++)
		fprintf(draw->out, ", h%u: s%u", i, i % switches);
	fprintf(draw->out, "}\n  links: [[s%u, s0]", switches - 1);
	for (unsigned i = 1; i < switches; i++)
		fprintf(draw->out, ", [s%u, s%u]", i - 1, i);
	fprintf(draw->out, "]\n");
}

static void write_topology(struct draw *draw)
{
	unsigned first = 2 + below(draw, 3), second = 1 + below(draw, 3);

	draw->hosts = first * second;
	switch (below(draw, 6)) {
	case 0:
		draw->hosts = 2 + below(draw, 8);
		fprintf(draw->out, "topology: {generate: star, hosts: %u}\n", draw->hosts);
		return;
	case 1:
		fprintf(draw->out,
			"topology: {generate: chain, switches: %u, hosts-per-switch: %u}\n", first,
			second);
		return;
	case 2:
		draw->hosts = 2 * second;
		fprintf(draw->out, "topology: {generate: dumbbell, hosts-per-side: %u}\n", second);
		return;
	case 3:
		fprintf(draw->out,
			"topology: {generate: full-mesh, switches: %u, hosts-per-switch: %u}\n",
			first, second);
		return;
	case 4:
		write_ring(draw);
		return;
	default:
		fprintf(draw->out,
			"topology: {generate: leaf-spine, leaves: %u, hosts-per-leaf: %u, spines: "
			"%u}\n",
			first, second, 1 + below(draw, 3));
	}
}

static void write_links(struct draw *draw)
{
	const char *loss = PICK(draw, "0", "0", "0", "0", "0", "0.1%", "1%");

	draw->jumbo = below(draw, 3);
	draw->loses = loss[0] != '0' || loss[1];
	draw_text(draw,
		  "links: {rate: <200Gb/s|100Gb/s|40Gb/s|333Gb/s|400Gb/s>, delay: "
		  "<100ns|1us|3us|0ns>, mtu: %s, gap: <20|20|0>, loss: %s, edge: {rate: "
		  "<200Gb/s|50Gb/s|25Gb/s>}}\n",
		  draw->jumbo ? "9000" : "1500", loss);
	draw_text(
		draw,
		"switch: {forwarding: <cut-through|store-and-forward>, latency: <350ns|100ns>}\n");
}

static void write_ecn(struct draw *draw)
{
	draw_text(draw,
		  "<no|yes|{kmin: 0B, kmax: 0B, pmax: 0%%}|{kmin: 5kB, kmax: 50kB, pmax: "
		  "10%%}|{kmin: 0B, kmax: 2kB, pmax: 100%%}|{kmin: 20kB, kmax: 20kB, pmax: 1%%}>");
}

static void write_class(struct draw *draw, unsigned index)
{
	static const char *const queue[] = { "9004B", "20kB", "100kB", "4GiB" };
	static const char *const alpha[] = { "0.1%", "1/8", "1", "6400%" };
	static const char *const xoff[] = { "64B", "3kB", "30kB", "1MB", "4GiB" };
	unsigned level = below(draw, 5), limit;

	draw_text(draw,
		  "  - {name: c%u, min: <0%%|5%%|12%%>, max: <100%%|100%%|60%%|30%%>, lossless: "
		  "<yes|yes|no>, ecn: ",
		  index);
	write_ecn(draw);
	if (!below(draw, 3))
		draw_text(draw, ", watched: <yes|no>");
	if (!below(draw, 3)) {
		limit = below(draw, 4);
		fprintf(draw->out, ", queue: %s", queue[limit]);
	}
	if (below(draw, 2)) {
		limit = below(draw, 4);
		fprintf(draw->out, ", alpha: %s", alpha[limit]);
		draw->starves |= limit < 2;
	}
	if (below(draw, 2)) {
		fprintf(draw->out, ", xoff: %s", xoff[level]);
		if (below(draw, 2))
			draw_text(draw, ", xon-offset: <0|%s|%s>", xoff[level],
				  level > 1 ? "3kB" : "1B");
	}
	fprintf(draw->out, "}\n");
}

static void write_classes(struct draw *draw)
{
	draw->classes = PICK_UNITS(draw, 1, 2, 2, 3, 8);
	fprintf(draw->out, "classes:\n");
	for (unsigned i = 0; i < draw->classes; i++)
		write_class(draw, i);
}

/* ---- roce ---- */

static void write_pfc(struct draw *draw)
{
	draw->derived_headroom = below(draw, 4);
	draw_text(draw,
		  "  pfc: {enabled: <yes|yes|yes|no>, pause: <no|no|yes>, headroom: %s, watchdog: "
		  "<10ms|20us|1ns>}\n",
		  draw->derived_headroom ? "derived" : PICK(draw, "0", "1kB", "20kB", "1MB"));
}

static void write_dcqcn(struct draw *draw)
{
	bool tick;

	if (!below(draw, 4)) {
		fprintf(draw->out, "  dcqcn: no\n");
		return;
	}
	draw_text(draw, "  dcqcn: {variant: <paper|s4|vendor|hpcc>, alpha: <after-cut|before-cut>, "
			"clamp-target: <yes|no>, cnp-interval: <50us|0|1us|4us>");
	tick = below(draw, 2);
	if (tick)
		draw_text(draw, ", reaction: tick, cut-interval: <4us|100ns|1s>");
	else
		draw_text(draw, ", reaction: at-once, cut-interval: <0|4us|1s>");
	if (below(draw, 2))
		draw_text(draw, ",\n    g: <1/256|1|0.000000001>, alpha-initial: <1|0|0.5>, "
				"alpha-timer: <55us|1ns|1s>, increase-timer: <55us|1ns|2us>, "
				"byte-counter: <10MB|1B|20kB|off>, fast-recovery: <5|1|1000>");
	if (below(draw, 2))
		draw_text(draw, ",\n    ai: <40Mb/s|0|10Gb/s>, hai: <400Mb/s|0|800Gb/s>, rate-min: "
				"<100Mb/s|1Gb/s|10Mb/s>, rate-initial: <link|800Gb/s|1Gb/s>");
	fprintf(draw->out, "}\n");
}

static void write_path_pause(struct draw *draw)
{
	if (below(draw, 2))
		draw_text(draw, "  supplement: {period: <55us|1us|100ns>}\n");
	if (below(draw, 2))
		draw_text(draw, "  path-pause: {target: <cnp-failed|ecn-failed>, form: "
				"<target|all|none|port>, <high: 600kB, low: 200kB|high: 20kB, low: "
				"5kB|high: 2B, low: 1B>}\n");
	draw_text(draw, "  reference: <1.5|1|100>\n");
	draw_text(draw, "  flows: <65536|1|4|16>\n");
}

static void write_transports(struct draw *draw)
{
	draw_text(draw,
		  "  queue-pair: {ack: <16|1|%s>, window: <0|0|1|9000B|100kB>, timeout: "
		  "<100us|1ms|10us>, retries: <7|0|50>}\n",
		  draw->loses ? "4" : "65536");
	draw_text(draw, "  tcp: {initial-window: <1|1|2>, window-max: <4096|64|2>, ecn: <yes|no>, "
			"rto-min: <1ms|20us|1us>}\n");
}

static void write_roce(struct draw *draw, uint64_t buffer_bytes)
{
	fprintf(draw->out, "roce:\n  buffer: %luB\n  cnp-class: c%u\n", (unsigned long)buffer_bytes,
		below(draw, draw->classes));
	write_pfc(draw);
	write_dcqcn(draw);
	write_path_pause(draw);
	write_transports(draw);
}

/* ---- senders, and receivers that are slow ---- */

static void write_workload(struct draw *draw, unsigned index)
{
	const char *frame =
		PICK(draw, "roce", "roce", "roce", "roce-ipv6", "tcp", "tcp", "ipv4", "hpc");
	const char *packet = draw_packet(draw, frame);

	draw_text(draw,
		  "  - {name: w%u, size: <1B|4KiB|40kB|9000B|100kB>, packet: %s, frame: %s, class: "
		  "c%u, connections: <1|1|3|16>, messages: %u, ",
		  index, packet, frame, below(draw, draw->classes), 1 + MESSAGES_MAX / draw->hosts);
	draw_pattern(draw);
	draw_arrival(draw);
}

/* the scenario of a seed, with that buffer in every switch */
static char *scenario_of(uint64_t seed, uint64_t buffer_bytes, struct draw *draw)
{
	char *text = NULL;
	size_t length;

	*draw = (struct draw){ .out = open_memstream(&text, &length), .seed = seed };
	random_init(&draw->random, seed, 11);
	fprintf(draw->out,
		"name: swarm\nfabric: roce\nseed: %lu\n"
		"run: {duration: 30us, warmup: 1us, drain-max: 400ms, sample: 1us}\n",
		(unsigned long)seed);
	write_topology(draw);
	write_links(draw);
	write_classes(draw);
	write_roce(draw, buffer_bytes);
	draw_workloads(draw, write_workload);
	draw_pauses(draw, 3, "9us", "10us", "20us");
	fclose(draw->out);
	return text;
}

/* of a switch, what its headroom needs, and two packets */
static uint64_t least_buffer_bytes(const struct plan *plan)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct node_config *node = &plan->nodes[i];
		uint64_t needed = 2 * (9000 + FRAME_FCS_BYTES);

		for (uint32_t p = 0; p < node->port_count; p++)
			for (uint32_t c = 0; c < node->class_count; c++)
				needed += node->roce.pfc && node->roce.classes[c].lossless
						  ? node->ports[p].headroom_bytes
						  : 0;
		least = needed > least ? needed : least;
	}
	return least;
}

static void refuse(const char *text, const struct scenario_errors *errors)
{
	for (unsigned i = 0; i < errors->count && i < SCENARIO_ERRORS_MAX; i++)
		fprintf(stderr, "%s\n", errors->texts[i]);
	ck_abort_msg("a scenario is refused:\n%s", text);
}

static uint64_t buffer_bytes_of(uint64_t seed)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct draw draw;
	struct random random;
	struct plan plan;
	char *text = scenario_of(seed, ROCE_BYTES_MAX, &draw);
	uint64_t bytes;

	if (scenario_read_memory("swarm", text, strlen(text), NULL, 0, &scenario, &errors) ||
	    plan_make(&scenario, &plan, &errors))
		refuse(text, &errors);
	random_init(&random, seed, 12);
	bytes = least_buffer_bytes(&plan) +
		(random_below(&random, 3) ? random_below(&random, 200000) : 4000000);
	plan_free(&plan);
	scenario_free(&scenario);
	free(text);
	return bytes;
}

/* ---- what must hold ---- */

static enum transport_kind transport_of(const struct node_config *node, uint32_t workload_index)
{
	for (uint32_t w = 0; w < node->nic.workload_count; w++)
		if (node->nic.workloads[w].workload_index == workload_index)
			return node->nic.workloads[w].transport;
	return TRANSPORT_NONE;
}

/* the flow that @host sends in @slot, as its receiver knows it; NULL: nothing of it came */
static const struct flow_rx_stats *received_flow(const struct sim *sim,
						 const struct node_config *sender, uint32_t slot)
{
	uint32_t destination = stats_flow_tx(sim->nodes[sender->index].stats, slot)->destination;
	struct stats_page *stats = sim->nodes[sim->plan.switch_count + destination].stats;

	for (uint32_t f = 0; f < stats->flow_rx_count; f++) {
		const struct flow_rx_stats *flow = stats_flow_rx(stats, f);

		if (flow->source == sender->nic.host_index && flow->source_slot == slot)
			return flow;
	}
	return NULL;
}

/* RC-4, RC-6: all of it, once, in order; of a queue pair that gave up a part */
static void check_flow(const struct sim *sim, const struct node_config *sender, uint32_t slot,
		       bool empty)
{
	static const struct flow_rx_stats nothing;
	const struct flow_tx_stats *sent = stats_flow_tx(sim->nodes[sender->index].stats, slot);
	const struct flow_rx_stats *got = received_flow(sim, sender, slot);

	if (!got)
		got = &nothing;
	if (got->reordered || got->lost)
		sim_fail(sim, sender->name, "flow %u: %lu packets came out of order, %lu never",
			 slot, got->reordered, got->lost);
	if (got->packets > sent->packets - sent->resent || got->messages > sent->messages)
		sim_fail(sim, sender->name,
			 "flow %u: %lu of %lu packets, %lu of %lu messages were delivered", slot,
			 got->packets, sent->packets - sent->resent, got->messages, sent->messages);
	if (empty && !sent->in_error &&
	    (got->packets != sent->packets - sent->resent || got->messages != sent->messages))
		sim_fail(sim, sender->name,
			 "flow %u: only %lu of %lu packets, %lu of %lu messages were delivered",
			 slot, got->packets, sent->packets - sent->resent, got->messages,
			 sent->messages);
}

static void check_flows(const struct sim *sim, bool empty)
{
	for (uint32_t i = sim->plan.switch_count; i < sim->plan.node_count; i++) {
		const struct node_config *node = sim->nodes[i].config;
		struct stats_page *stats = sim->nodes[i].stats;

		for (uint32_t f = 0; f < stats->flow_tx_count; f++)
			if (transport_of(node, stats_flow_tx(stats, f)->workload_index) !=
			    TRANSPORT_NONE)
				check_flow(sim, node, f, empty);
	}
}

/* what nothing in these scenarios is a reason for */
static void check_drops(const struct sim *sim, const struct draw *draw)
{
	static const enum drop_reason never[] = {
		DROP_MALFORMED,       DROP_BAD_RECORD, DROP_NO_DESTINATION, DROP_NO_ROUTE,
		DROP_BUFFER_OVERFLOW, DROP_OVERSIZE,   DROP_BAD_ACK,        DROP_UNKNOWN_FLOW,
		DROP_FLOW_TABLE_FULL, DROP_RING_FULL,  DROP_LINK_DOWN,      DROP_BAD_ICRC,
	};

	for (uint32_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (sim_drops(sim, never[i]))
			sim_fail(sim, "totals", "%lu drops: %s", sim_drops(sim, never[i]),
				 stats_drop_name[never[i]]);
	if (draw->derived_headroom && !draw->loses && sim_drops(sim, DROP_HEADROOM))
		sim_fail(sim, "totals", "a lossless class lost %lu packets",
			 sim_drops(sim, DROP_HEADROOM));
}

/* a reason to wait for ever: switches wait for each other; or no packet can pass, as the share of a
 * lossy class is too small for any */
static bool may_wait_for_ever(struct sim *sim, const struct draw *draw)
{
	struct results results;
	bool deadlock;

	sim_results(sim, &results);
	deadlock = results.deadlocks.count;
	results_free(&results);
	return deadlock || (draw->starves && sim_drops(sim, DROP_QUEUE_FULL));
}

/* All is delivered, or there is a reason why it cannot be. A queue pair at the least rate needs
 * seconds for its messages (seed 6632: 2.2 s), so what is not over in time is given more, as long
 * as anything arrives. */
static void check_end(struct sim *sim, const struct draw *draw)
{
	bool empty = clock_earliest(&sim->clock) == NODE_TIME_NEVER;

	if (!empty && !may_wait_for_ever(sim, draw))
		empty = sim_run_on(sim, SILENCE_PS);
	check_flows(sim, empty);
	if (empty)
		sim_check_released(sim);
	else if (!may_wait_for_ever(sim, draw))
		sim_fail(sim, "totals",
			 "not empty, nothing arrives any more, and there is no deadlock");
}

static void show_results(struct sim *sim)
{
	struct results results;

	sim_results(sim, &results);
	results_text_write(&sim->plan, &results, NULL, NULL, false, stderr);
	results_free(&results);
}

static char *simulate(struct sim *sim, const char *text, const struct draw *draw,
		      uint32_t check_windows, bool shown)
{
	char *json;

	sim_open_text(sim, text, NULL);
	sim->check_windows = check_windows;
	if (shown)
		swarm_begin(&kept, sim);
	sim_run(sim);
	if (getenv("SWARM_SHOW"))
		show_results(sim);
	check_drops(sim, draw);
	check_end(sim, draw);
	json = sim_json(sim);
	if (shown)
		swarm_end(&kept, sim, draw->seed);
	sim_close(sim);
	return json;
}

static void run_seed(uint64_t seed)
{
	struct draw draw;
	struct sim sim;
	char *text, *json, *again;

	fprintf(stderr, "swarm: seed %lu\n", (unsigned long)seed);
	text = scenario_of(seed, buffer_bytes_of(seed), &draw);
	if (getenv("SWARM_SHOW"))
		fputs(text, stderr);
	json = simulate(&sim, text, &draw, seed % 8 ? 16 : 1, true);
	if (seed % SAME_BYTES_OF == 0) {
		again = simulate(&sim, text, &draw, 0, false);
		ck_assert_msg(!strcmp(json, again), "seed %lu: not the same bytes again",
			      (unsigned long)seed);
		free(again);
	}
	free(json);
	free(text);
}

TEST_GROUP(seeds, .timeout_s = 7200);

TEST(random_scenarios__roce)
{
	run_seeds(run_seed, SEEDS);
}
