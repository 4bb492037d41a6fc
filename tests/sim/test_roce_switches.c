/*  Whole fabrics of kind roce without transports: what PFC and the shared buffer do to plain
 *  traffic (RC-5, RC-6). Random ones: test_swarm_roce.c. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

static struct sim sim;

static void finish(void)
{
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
}

static const struct class_stats *class_of(const char *name, uint32_t port, uint32_t traffic_class)
{
	return stats_class(sim_ethernet(&sim, name)->sw.stats, port, traffic_class);
}

static uint64_t pauses_sent(const char *name)
{
	const struct stats_page *stats = sim_ethernet(&sim, name)->sw.stats;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < stats->port_count; p++)
		sum += stats_port((struct stats_page *)stats, p)->pauses_sent;
	return sum;
}

static double received_share(const char *host, const char *of)
{
	const struct stats_page *to = sim.nodes[plan_node_find(&sim.plan, host)->index].stats;
	uint32_t from = plan_node_find(&sim.plan, of)->nic.host_index;
	uint64_t all = 0, one = 0;

	for (uint32_t f = 0; f < to->flow_rx_count; f++) {
		const struct flow_rx_stats *flow = stats_flow_rx((struct stats_page *)to, f);

		all += flow->measured_bytes;
		one += flow->source == from ? flow->measured_bytes : 0;
	}
	return (double)one / (double)all;
}

#define LOSSLESS "lossless: yes, xoff: 60kB"
#define LOSSY "lossless: no, queue: 100kB"
#define INCAST(class_a)                                                                         \
	"name: incast\n"                                                                        \
	"fabric: roce\n"                                                                        \
	"run: {duration: 300us, drain: yes}\n"                                                  \
	"topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 4, spines: 2}\n"           \
	"links: {rate: 200Gb/s, delay: 100ns, mtu: 4096}\n"                                     \
	"classes: [{name: a, ecn: no, " class_a "}, {name: b, ecn: no, min: 30%, " LOSSY "}]\n" \
	"workloads:\n"                                                                          \
	"- {name: in, pattern: incast, to: h0, from: [h1, h2, h4, h5, h6], class: a, frame: "   \
	"ipv4, size: "                                                                          \
	"64kB, window: 4}\n"

TEST_GROUP(roce_switches, .timeout_s = 0);

/* RC-5: nothing is lost, headroom does what its formula says; the hosts behind the spines are
 * paused over them (congestion spreading). A sender at the receiver's switch gets more than one
 * that shares an uplink (the parking lot) */
TEST(lossless__incast)
{
	sim_open_text(&sim, INCAST(LOSSLESS), NULL);
	sim.check_windows = 64;
	finish();
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++)
		ck_assert_uint_eq(sim_drops(&sim, (enum drop_reason)reason), 0);
	ck_assert_uint_gt(pauses_sent("leaf0"), 0);
	ck_assert_uint_gt(pauses_sent("spine0") + pauses_sent("spine1"), 0);
	ck_assert_uint_gt(pauses_sent("leaf1"), 0);
	for (uint32_t p = 0; p < 6; p++)
		ck_assert_uint_le(class_of("leaf0", p, 0)->headroom_bytes_max,
				  sim_ethernet(&sim, "leaf0")->sw.config->ports[p].headroom_bytes);
	sim_close(&sim);
}

/* a headroom that is less than that loses, and it is counted */
TEST(lossless__too_little_headroom)
{
	sim_open_text(&sim, INCAST(LOSSLESS), (const char *[]){ "roce.pfc.headroom=4kB", NULL });
	sim.check_windows = 64;
	finish();
	ck_assert_uint_gt(sim_drops(&sim, DROP_HEADROOM), 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	sim_close(&sim);
}

/* in a lossy class the same traffic is lost, and no host is paused */
TEST(lossy__incast)
{
	sim_open_text(&sim, INCAST(LOSSY), NULL);
	sim.check_windows = 64;
	finish();
	ck_assert_uint_gt(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	ck_assert_uint_eq(pauses_sent("leaf0"), 0);
	ck_assert_uint_eq(class_of("leaf0", 0, 0)->xoff_first_ps, 0);
	sim_close(&sim);
}

/* RC-6: a lossy class that takes all it can get has its share and no more, and lets the lossless
 * one lose nothing */
TEST(shares__lossless_and_lossy)
{
	sim_open_text(&sim,
		      INCAST(LOSSLESS) "- {name: other, pattern: incast, to: h0, from: [h3], "
				       "class: b, frame: ipv4, "
				       "size: 64kB, window: 4}\n",
		      (const char *[]){ "classes.0.min=70%", NULL });
	finish();
	ck_assert_double_eq_tol(received_share("h0", "h3"), 0.3, 0.02);
	ck_assert_uint_gt(sim_drops(&sim, DROP_QUEUE_FULL), 0);
	ck_assert_uint_eq(sim_drops(&sim, DROP_HEADROOM), 0);
	sim_close(&sim);
}

/* over links to other switches */
static uint64_t sent_to_switches(uint32_t index)
{
	const struct node_config *node = &sim.plan.nodes[index];
	struct stats_page *stats = sim.nodes[index].stats;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		sum += node->ports[p].kind == PORT_FABRIC ? stats_port(stats, p)->tx_packets : 0;
	return sum;
}

static uint64_t received_packets(const char *host)
{
	return stats_port(sim.nodes[plan_node_find(&sim.plan, host)->index].stats, 0)->rx_packets;
}

/* RC-5, FC-26: a routing loop with less than it takes for a deadlock. Every packet crosses 63 links
 * between switches, and its TTL ends it */
TEST(routing_loop__ttl_ends_it)
{
	uint64_t crossed = 0, lost;

	sim_open_file(&sim, "topologies/routing-loop.yaml",
		      (const char *[]){ "workloads.lost.load=4%", "workloads.bystander.load=0.5%",
					NULL });
	sim.check_windows = 64;
	finish();
	lost = sim_drops(&sim, DROP_TTL);
	for (uint32_t i = 0; i < 3; i++)
		crossed += sent_to_switches(i);
	ck_assert_uint_gt(lost, 300);
	ck_assert_uint_eq(crossed, 63 * lost + received_packets("receiver"));
	ck_assert_uint_eq(received_packets("sink"), 0);
	ck_assert_uint_eq(pauses_sent("s0") + pauses_sent("s1") + pauses_sent("s2"), 0);
	sim_close(&sim);
}
