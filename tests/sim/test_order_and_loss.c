/*  FC-9, FC-14, FC-15, FC-17, FC-22, TB-25: 64 hosts on a leaf-spine under full load, tiny and
 *  full-size packets: nothing lost, nothing reordered, all accounts balanced while it runs and
 *  every channel free at the end. With frames lost on the links every loss is reported to its
 *  source, and nothing leaks or stalls. With 16 flow ids a port all flows wait, and nothing
 *  breaks. */
#include <stdio.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

static const char leaf_spine[] =
	"name: order-and-loss\n"
	"run: {duration: 10us, warmup: 1us, drain: yes, drain-max: 100ms}\n"
	"topology: {generate: leaf-spine, leaves: 8, hosts-per-leaf: 8, spines: 8}\n"
	"links: {rate: 200Gb/s, delay: 500ns}\n"
	"workloads:\n"
	"  - {name: w, pattern: uniform, size: 4KiB, packet: 4096}\n";

struct sums {
	uint64_t lost_packets, lost_units, reported_units, received, sent, holes, tails, waits;
	uint64_t fabric_lost_units; /* on links between switches */
};

static struct sums sums_of(const struct sim *sim)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		struct stats_page *stats = sim->nodes[i].stats;

		sums.sent += stats->injected_packets;
		sums.received += stats->delivered_packets;
		for (uint32_t p = 0; p < stats->port_count; p++) {
			sums.lost_packets += stats_port(stats, p)->lost_packets;
			sums.lost_units += stats_port(stats, p)->lost_units;
			sums.reported_units += stats_port(stats, p)->loss_report_units;
			sums.holes += stats_port(stats, p)->hole_units;
			sums.tails += stats_port(stats, p)->tail_units;
			if (sim->plan.nodes[i].ports[p].kind == PORT_FABRIC)
				sums.fabric_lost_units += stats_port(stats, p)->lost_units;
			sums.waits += stats_port(stats, p)->channel_waits;
		}
	}
	return sums;
}

/* runs the leaf-spine with these settings and checks what must hold however lossy it is */
static struct sums run_with(const char *const *settings, uint32_t check_windows)
{
	struct sim sim;
	struct sums sums;

	sim_open_text(&sim, leaf_spine, settings);
	sim.check_windows = check_windows;
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	sums = sums_of(&sim);
	ck_assert_uint_gt(sums.sent, 1000);
	ck_assert_uint_eq(sums.sent, sums.received + sums.lost_packets);
	for (enum drop_reason r = DROP_MALFORMED; r < DROP_REASONS; r++)
		ck_assert_msg(!sim_drops(&sim, r), "%s: %lu", stats_drop_name[r],
			      sim_drops(&sim, r));
	sim_close(&sim);
	return sums;
}

static void lossless(const char *const *settings)
{
	struct sums sums = run_with(settings, 5);

	ck_assert_uint_eq(sums.lost_packets, 0);
	ck_assert_uint_eq(sums.reported_units, 0);
	ck_assert_uint_eq(sums.holes, 0);
}

TEST_GROUP(leaf_spine, .timeout_s = 120);

TEST(uniform__full_size)
{
	lossless((const char *const[]){ NULL });
}

TEST(uniform__tiny)
{
	lossless((const char *const[]){ "workloads.0.size=1B", "workloads.0.packet=128",
					"run.duration=2us", NULL });
}

TEST(incast__full_size)
{
	lossless((const char *const[]){ "workloads.0.pattern=incast", "workloads.0.to=h1",
					"workloads.0.from=all", NULL });
}

TEST(incast__tiny)
{
	lossless((const char *const[]){ "workloads.0.pattern=incast", "workloads.0.to=h1",
					"workloads.0.size=1B", "workloads.0.packet=128",
					"run.duration=2us", NULL });
}

TEST(uniform__few_channels)
{
	struct sums sums = run_with((const char *const[]){ "links.channels=16", NULL }, 5);

	ck_assert_uint_eq(sums.lost_packets, 0);
	ck_assert_uint_gt(sums.waits, 0);
}

TEST(uniform__one_channel)
{
	struct sums sums =
		run_with((const char *const[]){ "links.channels=1", "run.duration=3us", NULL }, 5);

	ck_assert_uint_eq(sums.lost_packets, 0);
	ck_assert_uint_gt(sums.waits, 0);
}

/* FC-17: every unit that was lost on a link was reported to the source of its flow. On a link
 * between switches the switch that saw the hole did so; only what had nothing after it was left to
 * the link. */
static struct sums lossy(const char *const *settings)
{
	struct sums sums = run_with(settings, 5);

	ck_assert_uint_gt(sums.lost_packets, 10);
	ck_assert_uint_eq(sums.reported_units, sums.lost_units);
	ck_assert_uint_eq(sums.holes + sums.tails, sums.fabric_lost_units);
	ck_assert_uint_gt(sums.holes, 0);
	return sums;
}

/* long flows, of which the last packet is hardly ever what is lost: nearly all losses are seen as
 * holes */
TEST(hole__reported_by_the_switch_that_sees_it)
{
	struct sums sums =
		lossy((const char *const[]){ "links.loss=0.1%", "workloads.0.pattern=permutation",
					     "workloads.0.size=1MiB", "run.duration=20us", NULL });

	ck_assert_uint_gt(sums.holes, 4 * sums.tails);
}

/* one packet to a destination now and then: most losses leave no hole until the next packet, which
 * may never come */
TEST(tail__reported_by_the_link)
{
	struct sums sums =
		lossy((const char *const[]){ "links.loss=1%", "workloads.0.size=1B",
					     "workloads.0.packet=128", "run.duration=2us", NULL });

	ck_assert_uint_gt(sums.tails, 0);
}

TEST(uniform__lossy)
{
	lossy((const char *const[]){ "links.loss=0.1%", "workloads.0.size=1B",
				     "workloads.0.packet=128", NULL });
}

TEST(uniform__very_lossy)
{
	lossy((const char *const[]){ "links.loss=10%", "workloads.0.size=1B",
				     "workloads.0.packet=128", "run.duration=2us", NULL });
}

TEST(incast__lossy)
{
	lossy((const char *const[]){ "links.loss=0.1%", "workloads.0.pattern=incast",
				     "workloads.0.to=h1", "workloads.0.size=1B",
				     "workloads.0.packet=128", NULL });
}

TEST(uniform__lossy_few_channels)
{
	lossy((const char *const[]){ "links.loss=1%", "links.channels=16", "workloads.0.size=1B",
				     "workloads.0.packet=128", "run.duration=2us", NULL });
}

TEST(permutation__lossy_full_size)
{
	lossy((const char *const[]){ "links.loss=0.1%", "workloads.0.pattern=permutation",
				     "workloads.0.size=64KiB", "run.duration=20us", NULL });
}

/* FC-17: data in flight on a lossy link is limited to what positions can count (8.4 MB, here the
 * round trip takes 20 MB), and goes on with what is confirmed */
TEST(long_link_with_loss__goes_on)
{
	static const char text[] =
		"name: long\nrun: {duration: 3ms, drain: yes, drain-max: 1s}\n"
		"topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 1, spines: 1}\n"
		"links: {rate: 200Gb/s, delay: 500ns, fabric: {delay: 200us, loss: 0.1%}}\n"
		"switch: {buffer: 64MiB}\n"
		"workloads:\n"
		"  - {name: w, pattern: pairs, pairs: [[h0, h1]], size: 4MiB, packet: 4096, "
		"window: 8}\n";
	struct sim sim;
	struct sums sums;

	sim_open_text(&sim, text, NULL);
	sim_run(&sim);
	sim_check_released(&sim);
	sums = sums_of(&sim);
	ck_assert_uint_gt(sums.sent, 5000);
	ck_assert_uint_gt(sums.fabric_lost_units, 0);
	ck_assert_uint_eq(sums.sent, sums.received + sums.lost_packets);
	sim_close(&sim);
}
