/*  orchestrator/results/flow_paths: the path of a flow, from events of switches (SE-1).
 *
 *      h0 --- 0 s1 2 --- 1 s2 0 --- h1
 *               \3 --- 2/              two links between the switches */
#include "orchestrator/results/flow_paths.h"
#include "tests/testing.h"

enum { S1, S2, H0, H1, NODES };

static struct port_config s1_ports[4], s2_ports[3], h0_port, h1_port;
static struct node_config nodes[NODES];
static struct plan plan;
static struct flow_paths paths;
static struct flow_hop hops[FLOW_PATH_HOPS_MAX];

static void set_up(void)
{
	s1_ports[0] = (struct port_config){ .peer_index = H0 };
	s1_ports[2] = (struct port_config){ .peer_index = S2, .peer_port = 1 };
	s1_ports[3] = (struct port_config){ .peer_index = S2, .peer_port = 2 };
	s2_ports[0] = (struct port_config){ .peer_index = H1 };
	s2_ports[1] = (struct port_config){ .peer_index = S1, .peer_port = 2 };
	s2_ports[2] = (struct port_config){ .peer_index = S1, .peer_port = 3 };
	h0_port = (struct port_config){ .peer_index = S1 };
	h1_port = (struct port_config){ .peer_index = S2 };
	nodes[S1] = (struct node_config){
		.kind = NODE_SWITCH, .port_count = 4, .ports = s1_ports, .class_count = 2
	};
	nodes[S1].classes[1].unordered = true;
	nodes[S2] = nodes[S1];
	nodes[S2].port_count = 3;
	nodes[S2].ports = s2_ports;
	nodes[H0] = (struct node_config){ .kind = NODE_NIC, .port_count = 1, .ports = &h0_port };
	nodes[H1] = (struct node_config){ .kind = NODE_NIC, .port_count = 1, .ports = &h1_port };
	plan = (struct plan){
		.node_count = NODES, .switch_count = 2, .host_count = 2, .nodes = nodes
	};
	flow_paths_init(&paths, &plan);
}

static void tear_down(void)
{
	flow_paths_fini(&paths);
}

/* switch @node sends the flow in slot @slot of h0 by @port */
static void path(uint32_t node, uint32_t slot, uint32_t port, uint8_t traffic_class)
{
	ck_assert_int_eq(flow_paths_take(&paths, node,
					 &(struct trace_entry){ .kind = TRACE_PATH,
								.port = (uint8_t)port,
								.traffic_class = traffic_class,
								.source = 1,
								.destination = 2,
								.detail = slot }),
			 0);
}

TEST_GROUP(flow_paths, .setup = set_up, .teardown = tear_down);

TEST(flow_paths_find__hop_by_hop)
{
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 0);
	path(S1, 7, 3, 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 0); /* s2 is not known yet */
	path(S2, 7, 0, 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 3);
	ck_assert(hops[0].node == H0 && hops[0].port == 0);
	ck_assert(hops[1].node == S1 && hops[1].port == 3);
	ck_assert(hops[2].node == S2 && hops[2].port == 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 8, 1, hops), 0); /* of another flow */
}

/* a port may lead to no node of the plan, or to another host */
TEST(flow_paths_find__does_not_arrive)
{
	s1_ports[1].peer_index = NODES;
	path(S1, 7, 1, 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 0);
	path(S1, 7, 0, 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 0);
}

/* the last port holds; in an unordered class all that were used do */
TEST(flow_paths_take__later_events)
{
	path(S1, 7, 2, 0);
	path(S1, 7, 3, 0);
	ck_assert_uint_eq(flow_paths_ports(&paths, S1, 0, 7), 1 << 3);
	path(S1, 9, 3, 1);
	path(S1, 9, 2, 1);
	ck_assert_uint_eq(flow_paths_ports(&paths, S1, 0, 9), 1 << 3 | 1 << 2);
	path(S2, 9, 0, 1);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 9, 1, hops), 3);
	ck_assert_uint_eq(hops[1].port, 2);
}

/* events of other kinds, and such as no switch of the plan can have */
TEST(flow_paths_take__left_out)
{
	static const struct trace_entry wrong[] = {
		{ .kind = TRACE_DROP, .port = 2, .source = 1, .detail = 7 },
		{ .kind = TRACE_PATH, .port = 4, .source = 1, .detail = 7 },
		{ .kind = TRACE_PATH, .port = 2, .source = 0, .detail = 7 },
		{ .kind = TRACE_PATH, .port = 2, .source = 3, .detail = 7 },
	};

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(flow_paths_take(&paths, S1, &wrong[i]), 0);
	ck_assert_uint_eq(paths.count, 0);
	ck_assert_uint_eq(flow_paths_ports(&paths, S1, 0, 7), 0);
}

/* a loop of switches has no end, and is no path */
TEST(flow_paths_find__loop)
{
	path(S1, 7, 2, 0);
	path(S2, 7, 1, 0);
	ck_assert_uint_eq(flow_paths_find(&paths, 0, 7, 1, hops), 0);
}

/* as many flows as there are: the table grows and keeps all */
TEST(flow_paths_take__many_flows)
{
	for (uint32_t slot = 0; slot < 5000; slot++)
		path(slot & 1 ? S1 : S2, slot / 2, slot % 3, 0);
	ck_assert_uint_eq(paths.count, 5000);
	ck_assert_uint_ge(paths.size, 2 * paths.count);
	for (uint32_t slot = 0; slot < 5000; slot++)
		ck_assert_uint_eq(flow_paths_ports(&paths, slot & 1 ? S1 : S2, 0, slot / 2),
				  1u << slot % 3);
}
