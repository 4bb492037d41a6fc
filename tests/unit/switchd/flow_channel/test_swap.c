/*  switchd/flow_channel/choose: in a tree a flow that moves and the flow alone on its new port
 *  exchange their ports (FC-25, ours). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

/* two flows on the ports upward, p2 and p3; the mover is to take the port of the other one */
static struct {
	uint32_t port, flow_id;
} mover, other;

/* a flow of host 0, of one unit, and a flow of host 1, of more */
static void two_flows_begin(void)
{
	open_tree(0xc, 0xc, 0xc, 0);
	host_send(&s, 0, 0, 2, 0, 0, 100);
	one_switch_run(&s, NODE_US);
	mover.port = packet_expect_of(0xc, 100);
	mover.flow_id = header_of_packet(mover.port).flow_id;
	host_send(&s, 1, NODE_US, 3, 0, 0, 1000);
	one_switch_run(&s, 2 * NODE_US);
	other.port = packet_expect_of(0xc, 1000);
	other.flow_id = header_of_packet(other.port).flow_id;
	ck_assert_uint_ne(mover.port, other.port);
}

/* a third flow begins, on the less loaded port */
static void third_flow_begins(node_time_t at)
{
	host_send(&s, 0, at, 3, 1, 0, 1200);
	one_switch_run(&s, at + NODE_US);
	packet_expect(mover.port, 1200);
}

static void mover_notified(node_time_t at)
{
	reroute_arrive(mover.port, mover.flow_id, at, FAR_AWAY + (other.port - 1) * HINT);
	ck_assert_uint_eq(stats_of(0)->redirects, 1);
}

/* the other flow has another packet: was the flow stopped, to move? */
static bool other_moves(node_time_t at)
{
	host_send(&s, 1, at, 3, 0, 0, 1100);
	one_switch_run(&s, at + NODE_US);
	return stats_of(1)->redirects;
}

TEST_GROUP(swap, .teardown = teardown);

TEST(swap__each_goes_where_the_other_was)
{
	node_time_t told = SETTLED;

	two_flows_begin();
	mover_notified(told);
	ck_assert(other_moves(told + NODE_US));
	host_send(&s, 0, told + 3 * NODE_US, 2, 0, 0, 140);
	switch_send_ack(&s, mover.port, told + 4 * NODE_US, mover.flow_id, ACK_DELTA,
			units_of_bytes(100));
	switch_send_ack(&s, other.port, told + 5 * NODE_US, other.flow_id, ACK_DELTA,
			units_of_bytes(1000));
	one_switch_run(&s, told + 8 * NODE_US);
	packet_expect(other.port, 140);
	packet_expect(mover.port, 1100);
	ck_assert_uint_eq(drops_all(), 0);
}

/* another flow stays on the port */
TEST(swap__not_if_another_one_is_there)
{
	two_flows_begin();
	third_flow_begins(3 * NODE_US);
	mover_notified(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* another flow was on the port: there was no offer, and there is none later */
TEST(swap__not_if_another_one_was_there)
{
	two_flows_begin();
	third_flow_begins(3 * NODE_US);
	mover_notified(SETTLED);
	switch_send_ack(&s, mover.port, SETTLED + NODE_US, header_of_packet(mover.port).flow_id,
			ACK_DELTA, units_of_bytes(1200));
	ck_assert(!other_moves(SETTLED + 2 * NODE_US));
}

TEST(swap__not_if_another_one_has_come)
{
	two_flows_begin();
	mover_notified(SETTLED);
	third_flow_begins(SETTLED + NODE_US);
	ck_assert(!other_moves(SETTLED + 2 * NODE_US));
}

TEST(swap__not_later)
{
	two_flows_begin();
	mover_notified(SETTLED);
	ck_assert(!other_moves(SETTLED + TREE_INTERVAL + NODE_US));
}

/* a source keeps its path */
TEST(swap__not_a_source)
{
	two_flows_begin();
	switch_send_ack(&s, other.port, 3 * NODE_US, other.flow_id, ACK_ECA, 9);
	mover_notified(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* the other flow has just begun */
TEST(swap__not_within_the_pause)
{
	two_flows_begin();
	switch_send_ack(&s, other.port, 3 * NODE_US, other.flow_id, ACK_DELTA,
			units_of_bytes(1000));
	one_switch_run(&s, SETTLED - 2 * NODE_US);
	host_send(&s, 1, SETTLED - 2 * NODE_US, 3, 0, 0, 1000); /* begins again */
	one_switch_run(&s, SETTLED - NODE_US);
	ck_assert_uint_eq(packet_expect_of(0xc, 1000), other.port);
	mover_notified(SETTLED);
	ck_assert(!other_moves(SETTLED + NODE_US));
}

/* p2 and p3 are ports upward, both to switch 2; a flow of host 0 has a packet downstream. @hold:
 * sources keep their path (FC-24) */
static uint32_t tree_begin_flow(bool hold, uint32_t *flow_id)
{
	struct route_config routes[] = { { .fabric_address = 2, .ports = 1 << 2 | 1 << 3 },
					 { .fabric_address = 3, .ports = 1 << 3 },
					 { .fabric_address = ROUTE_UPWARD,
					   .ports = 1 << 2 | 1 << 3 } };
	struct switch_config tables = { .fabric_address = 1,
					.route_count = 3,
					.routes = routes,
					.host_count = HOSTS,
					.hosts = s.hosts };
	uint32_t port = flow_begin(flow_id);

	s.config.switch_.routing.redirect_inputs = s.config.switch_.routing.redirect_anywhere =
		true;
	s.config.switch_.routing.hold_sources = hold;
	s.config.switch_.routing.redirect_pause_ps = 0; /* new flows may move at once */
	ck_assert_int_eq(flow_channel_ops.tables(s.dp, &tables), 0);
	return port;
}

/* FC-24: another flow between the same two hosts is a source of congestion, so this one keeps its
 * path, and offers its port to no flow */
TEST(choose_other__bound_to_its_path)
{
	uint32_t flow_id, source_id, port = tree_begin_flow(true, &source_id), free_port = 5 - port;

	switch_send_ack(&s, port, 2 * NODE_US, source_id, ACK_ECA, 9);
	one_switch_run(&s, 2 * NODE_US + NODE_US / 2);
	host_send(&s, 0, 3 * NODE_US, 2, 7, 0, 1200);
	one_switch_run(&s, 4 * NODE_US);
	flow_id = channel_expect(port, 1200);
	ck_assert_uint_ne(flow_id, source_id);
	reroute_arrive(port, flow_id, 5 * NODE_US, FAR_AWAY | CHOICE | (free_port - 1) * HINT);
	host_send(&s, 0, 7 * NODE_US, 2, 7, 0, 1100);
	ck_assert_uint_eq(stats_of(0)->redirects, 0); /* nor is it stopped */
	one_switch_run(&s, 9 * NODE_US);
	packet_expect(port, 1100);
	no_packet_expect(free_port);
	ck_assert_uint_eq(s.dp->ports[free_port].fabric.swap.until_ps, 0);
}
