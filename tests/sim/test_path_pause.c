/*  Path-level PFC in whole fabrics of kind roce: which hosts are paused when CNPs no longer help,
 *  and what follows (RC-7 ... RC-11, RC-14, RC-15). How it works, step by step:
 *  unit/switchd/ethernet/test_ethernet_path. */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

static struct sim sim;

#define CLASSES                                                                                 \
	"classes:\n"                                                                            \
	"  - {name: roce, lossless: yes, ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}, xoff: 16MB, " \
	"watched: yes}\n"                                                                       \
	"  - {name: cnp, lossless: no}\n"

static const struct stats_page *stats_of(const char *node)
{
	return sim.nodes[plan_node_find(&sim.plan, node)->index].stats;
}

/* the port of @node that leads to @peer */
static uint32_t port_to(const char *node, const char *peer)
{
	const struct node_config *config = sim.nodes[plan_node_find(&sim.plan, node)->index].config;

	for (uint32_t p = 0; p < config->port_count; p++)
		if (!strcmp(config->ports[p].peer_name, peer))
			return p;
	ck_abort_msg("%s has no link to %s", node, peer);
}

static const struct port_stats *port_of(const char *node, const char *peer)
{
	return stats_port((struct stats_page *)stats_of(node), port_to(node, peer));
}

static const struct class_stats *roce_of(const char *node, const char *peer)
{
	return stats_class((struct stats_page *)stats_of(node), port_to(node, peer), 0);
}

static uint64_t forwarded(const char *node)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < stats_of(node)->port_count; p++)
		sum += stats_port((struct stats_page *)stats_of(node), p)->signals_forwarded;
	return sum;
}

/* ---- one ToR: more flows than fit into the link at the lowest rate of a NIC ---- */

static const char one_tor[] =
	"name: one-tor\n"
	"fabric: roce\n"
	"run: {duration: 1500us, warmup: 500us}\n" CLASSES "roce:\n"
	"  buffer: 64MB\n"
	"  supplement: yes\n"
	"  path-pause: no\n"
	"  dcqcn: {rate-min: 4Gb/s}\n" /* 77 flows: 308 Gb/s, for a link of 200 */
	"topology: {generate: star, hosts: 8}\n"
	"workloads:\n"
	"  - {name: incast, pattern: incast, to: h7, size: 256KiB, window: 1, connections: 11}\n";

/* what h7 gets, and how much waits for it on average, in the measured millisecond */
static void run_one_tor(const char *const *settings, uint64_t *bytes, uint64_t *queue_bytes)
{
	const struct class_stats *stats;

	sim_open_text(&sim, one_tor, settings);
	sim_run(&sim);
	stats = roce_of("s0", "h7");
	*bytes = stats->tx_bytes_measured;
	*queue_bytes = stats->queue_byte_ns_sum / 1000000;
	ck_assert_uint_eq(stats->state_max, ROCE_CNP_FAILED); /* RC-7 */
	ck_assert_uint_gt(stats->cnps_supplemented, 0);       /* RC-8 */
	ck_assert_uint_eq(sim_drops(&sim, DROP_HEADROOM), 0);
}

TEST_GROUP(path_pause, .timeout_s = 300);

TEST(one_tor__an_order_of_magnitude_less_backlog)
{
	static const char *const with[] = { "roce.path-pause=yes", NULL };
	uint64_t bytes, queue_bytes, bytes_with, queue_bytes_with;

	run_one_tor(NULL, &bytes, &queue_bytes);
	ck_assert_uint_eq(roce_of("s0", "h7")->signals_pause, 0);
	sim_close(&sim);
	run_one_tor(with, &bytes_with, &queue_bytes_with);
	ck_assert_uint_gt(roce_of("s0", "h7")->signals_resume, 0);
	for (uint32_t h = 0; h < 7; h++)
		ck_assert_uint_gt(port_of("s0", sim.plan.nodes[1 + h].name)->path_pauses, 0);
	ck_assert_uint_eq(port_of("s0", "h7")->path_pauses, 0);
	sim_close(&sim);
	ck_assert_uint_gt(queue_bytes, 10 * queue_bytes_with); /* RC-14 */
	ck_assert_uint_ge(bytes_with * 100, bytes * 99);       /* throughput almost unchanged */
}

/* ---- sparse packets: S4's example, one in 500 us and sources that raise their rates every 300 us
 * ---- */

#define STEP (5 * NODE_US)
#define S4_PERIOD (300 * NODE_US)

/* 140 queue pairs share 5 Gb/s: 36 Mb/s each, a packet of 2048 bytes every 470 us. They begin at
 * less, so that all is quiet at first. */
static const char sparse[] =
	"name: sparse\n"
	"fabric: roce\n"
	"run: {duration: 40ms, drain: no}\n"
	"classes:\n"
	"  - {name: roce, max: 10%, ecn: {kmin: 20kB, kmax: 80kB, pmax: 20%}}\n"
	"  - {name: cnp, lossless: no, ecn: no}\n"
	"links: {rate: 50Gb/s, delay: 500ns}\n"
	"roce:\n"
	"  supplement: {period: 300us}\n"
	"  dcqcn: {variant: s4, rate-min: 10Mb/s, rate-initial: 30Mb/s}\n"
	"topology: {generate: star, hosts: 8}\n"
	"workloads:\n"
	"  - {name: load, pattern: incast, to: h7, class: roce, size: 1MB, window: 2, path-mtu: "
	"2048,"
	" connections: 20}\n";

struct source {
	uint64_t packets, cnps;
	node_time_t cnp_ps; /* the last one */
};

/* Up to the next step: notes what the queue pairs of host @h have sent and received. Return: the
 * longest time that one has been without a CNP since @since, or since its first packet. */
static node_time_t longest_gap(uint32_t h, struct source *sources, node_time_t since,
			       node_time_t now)
{
	const struct stats_page *stats = sim.nodes[sim.plan.switch_count + h].stats;
	node_time_t gap = 0;

	for (uint32_t i = 0; i < stats->flow_tx_count; i++) {
		const struct flow_tx_stats *flow = stats_flow_tx((struct stats_page *)stats, i);
		struct source *source = &sources[i];

		if (flow->cnps != source->cnps || !source->packets)
			source->cnp_ps = now;
		source->cnps = flow->cnps;
		source->packets = flow->packets;
		gap = node_time_max(gap, now - node_time_max(source->cnp_ps, since));
	}
	return gap;
}

/* RC-8: while the queue is too long, a CNP comes before any source's period is over, although
 * packets are further apart */
TEST(sparse__no_source_raises_its_rate)
{
	static struct source sources[7][64];
	const struct class_stats *queue;
	node_time_t now, since = 0, gap = 0, long_ps = 0;

	memset(sources, 0, sizeof(sources));
	sim_open_text(&sim, sparse, NULL);
	queue = roce_of("s0", "h7");
	for (now = STEP; now <= 40 * NODE_MS; now += STEP) {
		sim_run_until(&sim, now);
		if (queue->state == ROCE_ECN_NORMAL)
			since = now;
		else
			long_ps += STEP;
		for (uint32_t h = 0; h < 7; h++)
			gap = node_time_max(gap, longest_gap(h, sources[h], since, now));
	}
	ck_assert_uint_gt(long_ps, 10 * NODE_MS); /* there was something to be seen */
	ck_assert_uint_gt(queue->cnps_supplemented, 1000);
	ck_assert_uint_lt(gap, S4_PERIOD);
	sim_close(&sim);
}

/* ---- two classes ---- */

/* Seven hosts send to h7 in class roce; h0 also sends to h8, whose link is free, in class other.
 * Both
 * classes are watched. */
static const char two_classes[] =
	"name: two-classes\n"
	"fabric: roce\n"
	"run: {duration: 1ms}\n"
	"classes:\n"
	"  - {name: roce, ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}, xoff: 16MB}\n"
	"  - {name: other, ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}, xoff: 16MB}\n"
	"  - {name: cnp, lossless: no}\n"
	"roce:\n"
	"  buffer: 64MB\n"
	"  supplement: yes\n"
	"  path-pause: yes\n"
	"  dcqcn: {rate-min: 4Gb/s}\n"
	"topology: {generate: star, hosts: 9}\n"
	"workloads:\n"
	"  - {name: incast, pattern: incast, from: [h0, h1, h2, h3, h4, h5, h6], to: h7, class: "
	"roce, size: 256KiB, connections: 11}\n"
	"  - {name: beside, pattern: pairs, pairs: [[h0, h8]], class: other, size: 4KiB, arrival: "
	"poisson, load: 20%}\n";

/* RC-10, RC-11: path-level PFC stops the congested class of a NIC, and no other one */
TEST(two_classes__the_other_one_is_not_paused)
{
	struct stats_page *h0;

	sim_open_text(&sim, two_classes, NULL);
	sim_run(&sim);
	h0 = sim.nodes[plan_node_find(&sim.plan, "h0")->index].stats;
	ck_assert_uint_gt(port_of("s0", "h0")->path_pauses, 0);
	ck_assert_uint_gt(stats_class(h0, 0, 0)->paused_ps, 100 * NODE_US);
	ck_assert_uint_eq(stats_class(h0, 0, 1)->paused_ps, 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_HEADROOM), 0);
	sim_close(&sim);
}

/* ---- three levels [S4 fig. 10, 12] ---- */

/*  Two pods of two ToRs and two leaves, two spines. Hosts at all four ToRs send to r at the last
 *  one; v does not, nor does what it sends pass that ToR. */
static const char clos[] = "name: clos\n"
			   "fabric: roce\n"
			   "run: {duration: 400us}\n" CLASSES
			   "roce: {buffer: 64MB, supplement: yes, path-pause: yes}\n"
			   "topology:\n"
			   "  switches: [t0, t1, t2, t3, l0, l1, l2, l3, p0, p1]\n"
			   "  hosts: {a: t0, v: t0, b: t1, w: t1, c: t2, d: t3, r: t3}\n"
			   "  links:\n"
			   "    - [t0, l0]\n    - [t0, l1]\n    - [t1, l0]\n    - [t1, l1]\n"
			   "    - [t2, l2]\n    - [t2, l3]\n    - [t3, l2]\n    - [t3, l3]\n"
			   "    - [l0, p0]\n    - [l1, p1]\n    - [l2, p0]\n    - [l3, p1]\n"
			   "workloads:\n"
			   "  - {name: to-r, pattern: pairs, pairs: [[a, r], [b, r], [c, r], [d, "
			   "r]], size: 64KiB, window: 2,"
			   " connections: 8}\n"
			   "  - {name: beside, pattern: pairs, pairs: [[v, w]], size: 64KiB}\n";

TEST(clos__signals_reach_the_right_tors_only)
{
	static const char *const between[] = { "l0", "l1", "l2", "l3", "p0", "p1" };

	sim_open_text(&sim, clos, NULL);
	sim_run(&sim);
	ck_assert_uint_eq(roce_of("t3", "r")->state_max, ROCE_CNP_FAILED);
	ck_assert_uint_gt(port_of("t0", "a")->path_pauses, 0); /* RC-15 */
	ck_assert_uint_gt(port_of("t1", "b")->path_pauses, 0);
	ck_assert_uint_gt(port_of("t2", "c")->path_pauses, 0);
	ck_assert_uint_gt(port_of("t3", "d")->path_pauses, 0);
	ck_assert_uint_gt(port_of("t0", "a")->path_resumes, 0);
	/* neither a host that does not feed the queue, ... */
	ck_assert_uint_eq(port_of("t0", "v")->path_pauses, 0);
	ck_assert_uint_eq(port_of("t1", "w")->path_pauses, 0);
	ck_assert_uint_eq(port_of("t3", "r")->path_pauses, 0);
	for (uint32_t i = 0; i < sizeof(between) / sizeof(between[0]); i++)
		for (uint32_t p = 0; p < stats_of(between[i])->port_count;
		     p++) /* ... nor any switch in between */
			ck_assert_uint_eq(stats_port((struct stats_page *)stats_of(between[i]), p)
						  ->path_pauses,
					  0);
	ck_assert_uint_gt(forwarded("p0") + forwarded("p1"), 0); /* RC-10 */
	ck_assert_uint_ge(forwarded("l0") + forwarded("l1"), forwarded("p0") + forwarded("p1"));
	ck_assert_uint_eq(forwarded("t0") + forwarded("t1") + forwarded("t2") + forwarded("t3"), 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_HEADROOM), 0);
	sim_close(&sim);
}
