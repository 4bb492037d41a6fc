/*  TB-25, PG-4 ... PG-10: random scenarios of fabric kind port-group with every checker on -
 *  topologies, rates, delays, buffers, policies, groups of longer paths, thresholds, FECN and BECN,
 *  classes, workloads, losses, faults and slow receivers drawn from a seed. SWARM_SEEDS says how
 *  many (default 40), SWARM_SEED the first one. A failing seed is printed: SWARM_SEED=n
 *  SWARM_SEEDS=1 runs it alone; SWARM_SHOW=1 prints scenarios. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/draw.h"
#include "tests/sim/sim.h"
#include "tests/sim/swarm_kept.h"
#include "tests/testing.h"

#define MESSAGES_MAX 100u /* of a workload */
#define SEEDS 40u

static struct swarm_kept kept = { .path = "tests/sim/swarm_lid.txt", .seeds = SEEDS };

static void write_topology(struct draw *draw)
{
	static const struct {
		const char *text;
		unsigned hosts;
	} topologies[] = {
		{ "star, hosts: 5", 5 },
		{ "dumbbell, hosts-per-side: 3", 6 },
		{ "fat-tree, radix: 4", 16 },
		{ "leaf-spine, leaves: 3, hosts-per-leaf: 3, spines: 3", 9 },
		{ "leaf-spine, leaves: 2, hosts-per-leaf: 4, spines: 2", 8 },
		{ "hyperx, shape: [3, 3], hosts-per-switch: 1", 9 },
		{ "dragonfly, hosts-per-switch: 1, switches-per-group: 2, global-links: 1", 6 },
		{ "dragonfly, hosts-per-switch: 2, switches-per-group: 2, global-links: 1", 12 },
	};
	unsigned i = below(draw, sizeof(topologies) / sizeof(topologies[0]));

	draw->hosts = topologies[i].hosts;
	fprintf(draw->out, "topology: {generate: %s}\n", topologies[i].text);
}

static void write_links(struct draw *draw, bool faults)
{
	const char *loss = faults ? "0" : PICK(draw, "0", "0", "0", "0.1%", "2%");

	draw->jumbo = below(draw, 2);
	draw->loses = strcmp(loss, "0");
	draw_text(draw,
		  "links: {rate: <200Gb/s|100Gb/s|333Gb/s>, delay: <100ns|1us|0ns>, mtu: %s, loss: "
		  "%s, edge: {rate: <200Gb/s|50Gb/s>}}\nswitch: {forwarding: "
		  "<cut-through|store-and-forward>, latency: <350ns|100ns>, output-queue: "
		  "<32KiB|9216B>}\n",
		  draw->jumbo ? "9000" : "1500", loss);
}

static void write_classes(struct draw *draw)
{
	draw->classes = 1 + below(draw, 3);
	fprintf(draw->out, "classes:\n");
	for (unsigned i = 0; i < draw->classes; i++)
		draw_text(draw,
			  "  - {name: c%u, unordered: <yes|yes|no>, min: <0%%|10%%>, max: "
			  "<100%%|100%%|60%%>}\n",
			  i);
}

static void write_port_group(struct draw *draw)
{
	draw_text(draw,
		  "port-group:\n  lid-bits: <16|20|24|32>\n  adaptive: <yes|yes|no>\n  policy: "
		  "<random|greedy|greedy-random>\n  update: <yes|yes|no>\n  non-minimal: "
		  "<yes|no>\n  fecn: {enabled: <yes|yes|no><|, at: 9000B|, at: 40kB>}\n  becn: "
		  "{enabled: <yes|yes|no><|, interval: 1us, increase: 1, max: 64, timer: 2us>}\n");
	if (below(draw, 2))
		draw_text(draw,
			  "  pending: <1kB|9000B|100kB>\n  queue: <1kB|9000B|100kB>\n  hold: "
			  "<0ns|500ns|5us>\n  log: {marks: <1|3|8>, window: <100ns|2us|10us>}\n");
}

static void write_workload(struct draw *draw, unsigned index)
{
	const char *frame = PICK(draw, "hpc", "ethernet", "ipv4", "ipv6");
	const char *packet = draw_packet(draw, frame);

	draw_text(draw,
		  "  - {name: w%u, size: <1B|4KiB|40kB|9000B>, packet: %s, frame: %s, class: c%u, "
		  "messages: %u, ",
		  index, packet, frame, below(draw, draw->classes), 1 + MESSAGES_MAX / draw->hosts);
	draw_pattern(draw);
	draw_arrival(draw);
}

/* links and switches of @plan, one after the other, each back before the next one goes */
static void write_faults(struct draw *draw, const struct plan *plan)
{
	fprintf(draw->out, "faults:\n");
	for (unsigned i = 0, count = 1 + below(draw, 2); i < count; i++) {
		const struct plan_link *link = &plan->links[below(draw, plan->link_count)];

		draw_text(draw, "  - {at: %uns, for: <100ns|1us|3us>, ",
			  1000 + i * 5000 + below(draw, 1000));
		if (below(draw, 3))
			fprintf(draw->out, "link: [%s, %s]}\n", plan->nodes[link->node_a].name,
				plan->nodes[link->node_b].name);
		else
			fprintf(draw->out, "switch: %s}\n",
				plan->nodes[below(draw, plan->switch_count)].name);
	}
}

/* malloc'd; a scenario with faults has no other losses */
static char *scenario_of(uint64_t seed, const struct plan *plan, bool faults, struct draw *draw)
{
	char *text = NULL;
	size_t length;

	*draw = (struct draw){ .out = open_memstream(&text, &length), .seed = seed };
	random_init(&draw->random, seed, 13);
	fprintf(draw->out,
		"name: swarm\nfabric: port-group\nseed: %lu\n"
		"run: {duration: 16us, warmup: 1us, drain-max: 3600s, sample: 1us}\n",
		(unsigned long)seed);
	write_topology(draw);
	write_links(draw, faults);
	write_classes(draw);
	write_port_group(draw);
	draw_workloads(draw, write_workload);
	draw_pauses(draw, 3, "1us", "2us", "4us");
	if (plan)
		write_faults(draw, plan);
	fclose(draw->out);
	return text;
}

/* ... and those of the plan without faults are what fails */
static char *scenario_with_faults(uint64_t seed, struct draw *draw)
{
	char *bare = scenario_of(seed, NULL, true, draw), *text;
	struct sim sim;

	sim_open_text(&sim, bare, NULL);
	text = scenario_of(seed, &sim.plan, true, draw);
	sim_close(&sim);
	free(bare);
	return text;
}

static void check_books(const struct sim *sim, const struct draw *draw, bool faults)
{
	uint64_t sent = 0, received = 0, lost = 0, dropped = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		struct stats_page *stats = sim->nodes[i].stats;

		sent += stats->injected_packets;
		received += stats->delivered_packets;
		for (uint32_t p = 0; p < stats->port_count; p++)
			lost += stats_port(stats, p)->lost_packets;
	}
	for (enum drop_reason reason = 0; reason < DROP_REASONS; reason++)
		if (reason != DROP_LINK_LOSS)
			dropped += sim_drops(sim, reason);
	if (sent != received + lost + dropped)
		sim_fail(sim, "totals", "%lu sent, %lu received, %lu lost, %lu dropped", sent,
			 received, lost, dropped);
	if ((lost && !draw->loses) || (dropped && !faults))
		sim_fail(sim, "totals", "%lu lost, %lu dropped", lost, dropped);
}

static void run_seed(uint64_t seed)
{
	bool faults = !(seed % 4);
	struct draw draw;
	char *text =
		faults ? scenario_with_faults(seed, &draw) : scenario_of(seed, NULL, false, &draw);
	struct sim sim;

	fprintf(stderr, "swarm: seed %lu\n%s", (unsigned long)seed,
		getenv("SWARM_SHOW") ? text : "");
	sim_open_text(&sim, text, NULL);
	sim.check_windows = seed % 8 ? 16 : 1;
	swarm_begin(&kept, &sim);
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "seed %lu: not empty\n%s",
		      (unsigned long)seed, text);
	sim_check_released(&sim);
	check_books(&sim, &draw, faults);
	swarm_end(&kept, &sim, seed);
	sim_close(&sim);
	free(text);
}

TEST_GROUP(seeds, .timeout_s = 7200);

TEST(random_scenarios__port_groups)
{
	run_seeds(run_seed, SEEDS);
}
