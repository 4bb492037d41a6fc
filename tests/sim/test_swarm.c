/*  TB-25, FC-15: random scenarios with every checker on - topologies, rates, delays, buffers,
 *  channels, arbiters, classes, timers, workloads, losses, slow receivers and the settings of
 *  congestion control drawn from a seed. SWARM_SEEDS says how many (default 60; make soak runs
 *  10000), SWARM_SEED the first one.
 *  A failing seed is printed: SWARM_SEED=n SWARM_SEEDS=1 runs it alone; SWARM_SHOW=1 prints
 *  scenarios. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "tests/sim/draw.h"
#include "tests/sim/routed.h"
#include "tests/sim/swarm_kept.h"
#include "tests/testing.h"

#define MESSAGES_MAX 200u /* of a workload; enough for every queue */
#define SEEDS 60u

static struct swarm_kept kept = { .path = "tests/sim/swarm.txt", .seeds = SEEDS };

static void write_topology(struct draw *draw)
{
	unsigned many = below(draw, 8) ? 1 : 4, first = 2 + below(draw, 4),
		 second = 1 + below(draw, 3 * many);

	switch (below(draw, 4)) {
	case 0:
		draw->hosts = 2 + below(draw, 7 * many);
		fprintf(draw->out, "topology: {generate: star, hosts: %u}\n", draw->hosts);
		return;
	case 1:
		draw->hosts = first * second;
		fprintf(draw->out,
			"topology: {generate: chain, switches: %u, hosts-per-switch: %u}\n", first,
			second);
		return;
	case 2:
		draw->hosts = 2 * second;
		fprintf(draw->out, "topology: {generate: dumbbell, hosts-per-side: %u}\n", second);
		return;
	default:
		draw->hosts = first * second;
		fprintf(draw->out,
			"topology: {generate: leaf-spine, leaves: %u, hosts-per-leaf: %u, spines: "
			"%u}\n",
			first, second, 1 + below(draw, 3));
	}
}

/* @least_units  what the links need of a buffer, which has that or more */
static void write_links(struct draw *draw, uint32_t least_units)
{
	draw->jumbo = below(draw, 4);
	draw_text(draw,
		  "links: {rate: <200Gb/s|100Gb/s|10Gb/s|333Gb/s|400Gb/s>, delay: "
		  "<100ns|1us|3us|0ns>, mtu: %s, channels: <2048|2048|64|16|3|1>, loss: "
		  "<0|0|0|0.1%%|2%%|20%%>, edge: {rate: <200Gb/s|50Gb/s|25Gb/s>}}\n",
		  draw->jumbo ? "9000" : "1500");
	draw_text(
		draw,
		"switch: {forwarding: <cut-through|store-and-forward>, arbiter: <by-flow|by-port>, "
		"output-queue: <32KiB|9216B>, latency: <350ns|100ns>, buffer: %uB,\n",
		(least_units + PICK_UNITS(draw, 0, 0, 16, 256, 1024)) * UNIT_BYTES);
	draw_text(draw, "  acks: {t1: <30ns|0ns|100ns>, t2: <100ns|200ns>, t3: <200ns|1us>, "
			"collect: <16|1|48>}}\n");
}

static void write_classes(struct draw *draw)
{
	draw->classes = PICK_UNITS(draw, 1, 2, 2, 3, 8);
	fprintf(draw->out, "classes:\n");
	for (unsigned i = 0; i < draw->classes; i++)
		draw_text(draw,
			  "  - {name: c%u, min: <0%%|5%%|12%%>, max: <100%%|100%%|60%%|12%%>}\n",
			  i);
}

/* ---- congestion control ---- */

/* one row of the table. Its levels are drawn from the lowest up, for so they must be; some flows
 * may never be slowed, some hardly go */
static void write_setting(struct draw *draw, unsigned eca)
{
	uint32_t drop = PICK_UNITS(draw, 0, 0, 1, 4, 40),
		 target = drop + PICK_UNITS(draw, 1, 4, 36, 200);
	uint32_t high = target + PICK_UNITS(draw, 0, 1, 40),
		 most = high + PICK_UNITS(draw, 0, 40, 1000);

	draw_text(draw,
		  "    - {eca: %u, rate: <800Gb/s|20Gb/s|1Gb/s|10Mb/s>, flow-extent: "
		  "<0|256B|9000B|64KiB|256MiB>, limit-after-ack: <yes|yes|no>, byte-time: "
		  "<0ns|40ps|1ns|100ns>, byte-time-scale: %u,\n",
		  eca, below(draw, 4));
	fprintf(draw->out, "       drop: %uB, target: %uB, high: %uB, queue-extent: %uB}\n",
		drop * UNIT_BYTES, target * UNIT_BYTES, high * UNIT_BYTES, most * UNIT_BYTES);
}

static void write_settings(struct draw *draw)
{
	unsigned rows = PICK_UNITS(draw, 1, 2, 5, CONGESTION_SETTINGS), eca = 0;

	fprintf(draw->out, "  settings:\n");
	for (unsigned row = 0; row < rows; row++) {
		write_setting(draw, eca);
		eca += 1 + below(draw, 255 / rows);
	}
}

static void write_congestion(struct draw *draw)
{
	if (!below(draw, 8)) {
		fprintf(draw->out, "congestion: no\n");
		return;
	}
	draw_text(draw, "congestion:\n  rate-limit: <yes|yes|no>\n  flow-limit: <yes|yes|no>\n  "
			"limit-after-ack: <yes|yes|no>\n  headroom: <yes|yes|no>\n");
	draw_text(draw,
		  "  fgfc: {enabled: <yes|yes|no>, pause: <1ns|1us|20us>, credit: <0|0|9000B>}\n");
	draw_text(draw, "  slow-start: {enabled: <yes|yes|no>, setting: %u}\n",
		  below(draw, CONGESTION_SETTINGS));
	if (below(draw, 2))
		draw_text(draw, "  eca: {enabled: <yes|yes|no>, lbf-thresh: <0|9000B|250KiB>, "
				"lbf-shift: <0|4|31>, lpf-thresh: <0|4|100>, lpf-shift: "
				"<0|2|31>,\n        dbf-thresh: <0|64KiB|256MiB>, dbf-shift: "
				"<0|3>, dbf-clk-cnt: <1|100|1000|4294967295>}\n");
	if (!below(draw, 3))
		draw_text(draw, "  port-limit: <1B|9000B|40kB|1MB>\n");
	if (below(draw, 2))
		write_settings(draw);
}

/* ---- senders, and receivers that are slow ---- */

static void write_workload(struct draw *draw, unsigned index)
{
	const char *frame = PICK(draw, "hpc", "ethernet", "ipv4", "ipv6", "roce");
	const char *packet = draw_packet(draw, frame);

	draw_text(draw,
		  "  - {name: w%u, size: <1B|4KiB|40kB|9000B>, packet: %s, frame: %s, class: c%u, "
		  "messages: %u, ",
		  index, packet, frame, below(draw, draw->classes), 1 + MESSAGES_MAX / draw->hosts);
	draw_pattern(draw);
	draw_arrival(draw);
}

static char *scenario_of(uint64_t seed, uint32_t least_units)
{
	struct draw draw = { 0 };
	char *text = NULL;
	size_t length;

	draw.out = open_memstream(&text, &length);
	random_init(&draw.random, seed, 7);
	fprintf(draw.out,
		"name: swarm\nseed: %lu\nrun: {duration: 8us, warmup: 1us, drain-max: 3600s, "
		"sample: 1us}\n",
		(unsigned long)seed);
	write_topology(&draw);
	write_links(&draw, least_units);
	write_classes(&draw);
	write_congestion(&draw);
	draw_workloads(&draw, write_workload);
	draw_pauses(&draw, 4, "1us", "1us", "2us");
	fclose(draw.out);
	return text;
}

/* what the scenario needs of its buffers: for what comes after a stop, and two packets */
static uint32_t least_units_of(uint64_t seed)
{
	char *text = scenario_of(seed, 1 << 20);
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;
	uint32_t least = 0;

	ck_assert_int_eq(
		scenario_read_memory("swarm", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	for (uint32_t i = 0; i < plan.switch_count; i++)
		for (uint32_t p = 0; p < plan.nodes[i].port_count; p++) {
			const struct port_config *port = &plan.nodes[i].ports[p];
			uint32_t needed = port->buffer_units - port->stop_units +
					  2 * units_of_bytes(port->mtu_bytes);

			least = needed > least ? needed : least;
		}
	plan_free(&plan);
	scenario_free(&scenario);
	free(text);
	return least;
}

/* ---- how switches choose among paths; a scenario's other draws do not depend on it ---- */

static void routing_draw(uint64_t seed, struct routed *routed)
{
	struct draw draw = { 0 };
	struct routing_config *routing = &routed->routing;

	random_init(&draw.random, seed, 8);
	*routed = (struct routed){ 0 };
	if (!below(&draw, 3))
		return; /* static, as it was before there was a choice */
	routing->choice = below(&draw, 4) ? ROUTING_ADAPTIVE : ROUTING_HASH;
	routing->seed = seed;
	routing->hold_sources = below(&draw, 3);
	routing->hold_ps = PICK_UNITS(&draw, 1, 1000, 100000) * NODE_NS;
	routing->redirect = below(&draw, 4);
	routing->redirect_anywhere = below(&draw, 2);
	routing->redirect_depth_units = PICK_UNITS(&draw, 0, 1, 64, 256);
	routing->redirect_full_units =
		routing->redirect_depth_units + PICK_UNITS(&draw, 1, 64, 4096);
	routing->redirect_growth_weight_permille = PICK_UNITS(&draw, 0, 500, 4000);
	routing->redirect_interval_ps = PICK_UNITS(&draw, 1, 100, 2000) * NODE_NS;
	routing->redirect_pause_ps = PICK_UNITS(&draw, 0, 100, 20000) * NODE_NS;
	routing->redirect_rule = (enum redirect_rule)(seed / 3 % 2);
	routing->load_queue = seed / 5 % 2;
	routing->redirect_group = seed / 7 % 3 ? 1 : 8;
	routed->unordered = below(&draw, 2) ? (uint32_t)random_next(&draw.random) : 0;
}

static void run_seed(uint64_t seed)
{
	char *text = scenario_of(seed, least_units_of(seed));
	struct routed routed;
	uint64_t sent = 0, received = 0, lost = 0, lost_units = 0, reported_units = 0;
	struct sim sim;

	fprintf(stderr, "swarm: seed %lu\n%s", (unsigned long)seed,
		getenv("SWARM_SHOW") ? text : "");
	routing_draw(seed, &routed);
	sim_open_prepared(&sim, text, NULL, routed_prepare, &routed);
	sim.check_windows = seed % 8 ? 8 : 1;
	swarm_begin(&kept, &sim);
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "seed %lu: not empty\n%s",
		      seed, text);
	sim_check_released(&sim);
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		struct stats_page *stats = sim.nodes[i].stats;

		sent += stats->injected_packets;
		received += stats->delivered_packets;
		for (uint32_t p = 0; p < stats->port_count; p++) {
			lost += stats_port(stats, p)->lost_packets;
			lost_units += stats_port(stats, p)->lost_units;
			reported_units += stats_port(stats, p)->loss_report_units;
		}
	}
	ck_assert_msg(sent == received + lost, "seed %lu: %lu sent, %lu received, %lu lost\n%s",
		      seed, sent, received, lost, text);
	ck_assert_msg(lost_units == reported_units, "seed %lu: %lu units lost, %lu reported\n%s",
		      seed, lost_units, reported_units, text);
	for (enum drop_reason r = DROP_MALFORMED; r < DROP_REASONS; r++)
		ck_assert_msg(!sim_drops(&sim, r), "seed %lu: %lu %s\n%s", seed, sim_drops(&sim, r),
			      stats_drop_name[r], text);
	swarm_end(&kept, &sim, seed);
	sim_close(&sim);
	free(text);
}

TEST_GROUP(seeds, .timeout_s = 7200);

TEST(random_scenarios__books_balance)
{
	run_seeds(run_seed, SEEDS);
}
