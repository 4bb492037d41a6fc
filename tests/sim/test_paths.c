/*  Paths of flows (SE-1): the events of all switches lead from the source of each flow to its
 *  destination, in every kind of fabric, whatever chose the outputs; and as the tables say where
 *  they choose. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/results/events.h"
#include "orchestrator/results/flow_paths.h"
#include "tests/sim/sim.h"
#include "tests/testing.h"

static struct sim sim;
static struct flow_paths paths;
static struct node_log_source *sources;
static uint32_t events; /* of paths */

static void take(void *owner, uint32_t node, const struct trace_entry *entry)
{
	(void)owner;
	events += entry->kind == TRACE_PATH;
	ck_assert_int_eq(flow_paths_take(&paths, node, entry), 0);
}

static void prepare(struct plan *plan, const void *data)
{
	(void)data;
	for (uint32_t i = 0; i < plan->node_count; i++)
		plan->nodes[i].events = true;
}

static void simulate(const char *text)
{
	struct why why;

	events = 0;
	sim_open_prepared(&sim, text, NULL, prepare, NULL);
	sources = calloc(sim.plan.node_count, sizeof(*sources));
	for (uint32_t i = 0; i < sim.plan.node_count; i++) {
		sources[i] = (struct node_log_source){ sim.nodes[i].stats,
						       memfd_create("events", MFD_CLOEXEC) };
		trace_file(sim.nodes[i].stats, sources[i].fd);
	}
	sim_run(&sim);
	flow_paths_init(&paths, &sim.plan);
	ck_assert_int_eq(events_merge(&sim.plan, sources, take, NULL, &why), 0);
}

static void end(void)
{
	flow_paths_fini(&paths);
	for (uint32_t i = 0; i < sim.plan.node_count; i++)
		close(sources[i].fd);
	free(sources);
	sim_close(&sim);
}

/* Every flow that was received has a path, of at most @hops_max hops. Return: how many flows */
static uint32_t flows_check(uint32_t hops_max)
{
	struct flow_hop hops[FLOW_PATH_HOPS_MAX];
	uint32_t count = 0;

	for (uint32_t host = 0; host < sim.plan.host_count; host++) {
		struct stats_page *page = sim.nodes[plan_host_node(&sim.plan, host)].stats;

		for (uint32_t slot = 0; slot < page->flow_rx_count; slot++) {
			const struct flow_rx_stats *flow = stats_flow_rx(page, slot);
			uint32_t hop_count = flow_paths_find(&paths, flow->source,
							     flow->source_slot, host, hops);

			ck_assert_uint_ge(hop_count, 2);
			ck_assert_uint_le(hop_count, hops_max);
			ck_assert_uint_eq(hops[0].node, plan_host_node(&sim.plan, flow->source));
			count++;
		}
	}
	return count;
}

TEST_GROUP(paths, .timeout_s = 120);

#define LEAF_SPINE                                                                    \
	"run: {duration: 60us, warmup: 5us}\n"                                        \
	"topology: {generate: leaf-spine, leaves: 3, hosts-per-leaf: 3, spines: 3}\n" \
	"workloads: [{name: w, pattern: uniform, arrival: poisson, load: 60%, size: 8KiB"

/* one output for each destination: as many events as hops */
TEST(paths__static)
{
	simulate("name: t\n" LEAF_SPINE "}]\n");
	ck_assert_uint_gt(flows_check(4), 40);
	ck_assert_uint_le(events, 3 * 9 * 8);
	end();
}

TEST(paths__adaptive)
{
	simulate("name: t\nrouting: {choice: adaptive}\n" LEAF_SPINE "}]\n");
	ck_assert_uint_gt(flows_check(4), 40);
	end();
}

/* each packet chooses: all outputs that it took, each once */
TEST(paths__unordered)
{
	simulate("name: t\nfabric: port-group\nrouting: {choice: adaptive}\n"
		 "classes: [{name: c, unordered: yes}]\n" LEAF_SPINE ", class: c}]\n");
	ck_assert_uint_gt(flows_check(4), 40);
	ck_assert_uint_le(events, 9 * 8 * (3 + 3 + 1));
	end();
}

/* by hash, and each connection has its own */
TEST(paths__roce)
{
	uint64_t ports = 0;

	simulate("name: t\nfabric: roce\n" LEAF_SPINE ", connections: 4}]\n");
	ck_assert_uint_gt(flows_check(4), 100);
	for (uint32_t slot = 0; slot < sim.nodes[plan_host_node(&sim.plan, 0)].stats->flow_tx_count;
	     slot++)
		ports |= flow_paths_ports(
			&paths, sim.plan.nodes[plan_host_node(&sim.plan, 0)].ports[0].peer_index, 0,
			slot);
	ck_assert_int_eq(__builtin_popcountll(ports >> 3), 3); /* all spines are in use */
	end();
}

/* a link fails: the path of its flows is another one afterwards, and does not use the link */
TEST(paths__after_a_failure)
{
	struct flow_hop hops[FLOW_PATH_HOPS_MAX];
	uint32_t hosts[2];

	simulate("name: t\nrun: {duration: 300us, warmup: 5us}\nrouting: {reaction: 5us}\n"
		 "topology: {switches: [a, b, c], hosts: {x: a, y: b}, links: [[a, b], [a, c], [c, "
		 "b]]}\n"
		 "faults: [{at: 100us, link: [a, b]}]\n"
		 "workloads: [{name: w, pattern: pairs, pairs: [[x, y]], size: 4KiB, arrival: "
		 "closed}]\n");
	for (uint32_t i = 0; i < 2; i++)
		hosts[i] = i;
	ck_assert_uint_eq(flow_paths_find(&paths, hosts[0], 0, hosts[1], hops), 4);
	ck_assert_str_eq(sim.plan.nodes[hops[1].node].name, "a");
	ck_assert_str_eq(sim.plan.nodes[hops[2].node].name, "c");
	ck_assert_str_eq(sim.plan.nodes[hops[3].node].name, "b");
	end();
}
