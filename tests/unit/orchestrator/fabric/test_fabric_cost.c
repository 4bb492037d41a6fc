/*  orchestrator/fabric/fabric: what a run has cost, in the units of results; what a stopped fabric
 *  holds (TB-8, TB-13). */
#include "orchestrator/fabric/fabric.h"

#include <stdlib.h>

#include "tests/testing.h"

#define NODES 3u

static struct node_config configs[NODES];
static struct port_config ports[NODES];
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;

static void setup(void)
{
	plan = (struct plan){ .nodes = configs, .node_count = NODES, .switch_count = 2 };
	page = (struct clock_page){ .dilation = 1 };
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i] = (struct node_config){ .kind = i < 2 ? NODE_SWITCH : NODE_NIC,
						   .port_count = 1,
						   .ports = &ports[i],
						   .nic.flows_max = 2 };
		nodes[i] = (struct fabric_node){ .lead = i, .slot = i, .control = -1 };
		nodes[i].stats = calloc(1, stats_bytes(&configs[i]));
		stats_init(nodes[i].stats, &configs[i]);
	}
	fabric = (struct fabric){ .plan = &plan, .nodes = nodes, .page = &page };
	fabric.clock.cores = calloc(CLOCK_CORES, sizeof(*fabric.clock.cores));
}

static void teardown(void)
{
	free(fabric.clock.cores);
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
}

TEST_GROUP(fabric_cost, .setup = setup, .teardown = teardown);

/* seconds of nanoseconds; this process' own CPU time is less than an hour */
TEST(fabric_cost__in_seconds)
{
	struct result_host cost;

	fabric.start_ns = 1500000000;
	fabric.run_ns = 2500000000;
	fabric.end_ns = 250000000;
	fabric.cpu_ns = 7200000000000;
	atomic_store(&fabric.clock.cores[0].stolen_ns, 1000000000);
	atomic_store(&fabric.clock.cores[CLOCK_CORES - 1].stolen_ns, 500000000);
	cost = fabric_cost(&fabric);
	ck_assert_double_eq(cost.start_s, 1.5);
	ck_assert_double_eq(cost.wall_s, 2.5);
	ck_assert_double_eq(cost.end_s, 0.25);
	ck_assert_double_eq(cost.stolen_s, 1.5);
	ck_assert_double_gt(cost.cpu_s, 7200);
	ck_assert_double_lt(cost.cpu_s, 2 * 7200);
}

TEST(fabric_cost__counts)
{
	struct result_host cost;

	atomic_store(&page.windows, 11);
	atomic_store(&page.node_windows, 22);
	atomic_store(&page.wakes, 33);
	fabric.core_choice.changes = 4;
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].stats->data_hops = 100 << i;
	cost = fabric_cost(&fabric);
	ck_assert_uint_eq(cost.windows, 11);
	ck_assert_uint_eq(cost.node_windows, 22);
	ck_assert_uint_eq(cost.wakes, 33);
	ck_assert_uint_eq(cost.moves, 4);
	ck_assert_uint_eq(cost.packet_hops, 700);
}
