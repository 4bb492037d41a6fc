/*  switchd/flow_channel/path_load: what a port offers, what a flow needs to leave its own, and how
 *  many flows share a link downstream (FC-25). Windows are a quarter of redirect_interval. */
#include "switchd/flow_channel/path_load.h"

#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/redirected_flows.h"

#define WINDOW (TREE_INTERVAL / 4)
#define FADES (16 * TREE_INTERVAL) /* a number of flows, by one */

static uint32_t own; /* the port of flow `ref`, */
static uint32_t other, ref;

/* a flow from host 0 to switch 2, which p2 and p3 lead to */
static void open_flow(uint32_t group)
{
	uint32_t id = 0;

	flow_begin(&(uint32_t){ 0 });
	one_switch_close(&s);
	s.config.switch_.routing.redirect_interval_ps = TREE_INTERVAL;
	s.config.switch_.routing.redirect_group = group;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	own = packet_expect_of(0xc, 1000);
	other = 5 - own;
	while (!TABLE_AT(s.dp->ifcts[0].entries, id)->active)
		id++;
	ref = flow_ref(0, id);
	ck_assert_uint_eq(TABLE_AT(s.dp->ifcts[0].entries, id)->follow_port, own);
}

static void setup_flow(void)
{
	open_flow(1);
}

static void teardown_flow(void)
{
	one_switch_close(&s);
}

TEST_GROUP(path_load, .setup = setup_flow, .teardown = teardown_flow);

/* ---- bytes ---- */

TEST(path_load_window__a_quarter_of_the_interval)
{
	struct routing_config *routing = &s.config.switch_.routing;

	ck_assert_uint_eq(path_load_window(s.dp, 10 * WINDOW - 1), 9);
	ck_assert_uint_eq(path_load_window(s.dp, 10 * WINDOW), 10);
	routing->redirect_interval_ps = 3; /* less than four ps */
	ck_assert_uint_eq(path_load_window(s.dp, 1000), 1000);
}

TEST(path_load_bytes__of_the_link)
{
	s.ports[own].rate_bps = 8000000000;
	ck_assert_uint_eq(path_load_bytes(s.dp, own, NODE_US), 1000);
	ck_assert_uint_eq(path_load_bytes(s.dp, own, NODE_US - 1), 999);
	ck_assert_uint_eq(path_load_bytes(s.dp, own, 100 * NODE_S), 100000000000);
}

/* A packet counts with its header, FCS and gap, at a fabric port, in a fabric with redirects. */
TEST(path_load_forwarded__bytes_of_the_link)
{
	const struct output_load *out = &s.dp->ports[own].fabric.output_load;
	uint32_t gap = s.links[own].gap_bytes;

	for (uint32_t i = 0; i < 3; i++)
		path_load_forwarded(s.dp, own, ref, 1000, 10 * WINDOW + i);
	ck_assert_uint_eq(output_load_last(&out->all, 11),
			  3 * (FABRIC_HEADER_BYTES + 1000 + FRAME_FCS_BYTES + gap));
	path_load_forwarded(s.dp, 0, ref, 1000, 10 * WINDOW);
	ck_assert_uint_eq(output_load_last(&s.dp->ports[0].fabric.output_load.all, 11), 0);
	s.config.switch_.routing.redirect = false;
	path_load_forwarded(s.dp, own, ref, 1000, 12 * WINDOW);
	ck_assert_uint_eq(output_load_last(&out->all, 13), 0);
}

/* what is left of the other link is on offer */
TEST(path_load_offer__what_is_left)
{
	uint64_t full = path_load_bytes(s.dp, other, WINDOW), one;

	ck_assert_uint_eq(path_load_offer(s.dp, other, 11 * WINDOW), full);
	path_load_forwarded(s.dp, other, ref, 1000, 10 * WINDOW);
	one = FABRIC_HEADER_BYTES + 1000 + FRAME_FCS_BYTES + s.links[other].gap_bytes;
	ck_assert_uint_eq(path_load_offer(s.dp, other, 11 * WINDOW), full - one);
}

/* A flow moves for more than an eighth more than it has: no rounding makes that less. */
TEST(path_load_needs__more_than_an_eighth_more)
{
	ck_assert_uint_eq(path_load_needs(s.dp, ref, 10 * WINDOW), 0);
	for (uint32_t i = 0; i < 9; i++) {
		node_time_t now = (20 + 2 * i) * WINDOW;
		uint64_t present;

		path_load_forwarded(s.dp, own, ref, 1000 + i, now - WINDOW);
		present = path_load_present(s.dp, ref, now);
		ck_assert_uint_gt(present, 0);
		ck_assert_uint_eq(path_load_needs(s.dp, ref, now), present + present / 8 + 1);
	}
}

/* ---- flows that share a link downstream ---- */

TEST(path_load_flows__fade)
{
	ck_assert_uint_eq(path_load_flows(s.dp, own, 0), 0);
	path_load_report(s.dp, own, 3, NODE_MS);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + i * FADES), 3 - i);
		ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + (i + 1) * FADES - 1), 3 - i);
	}
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + 3 * FADES), 0);
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + 9 * FADES), 0);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS), 0);
}

/* the second ACK of a group, within half an interval, brings nothing new; the first one does */
TEST(path_load_report__once_for_a_group)
{
	path_load_report(s.dp, own, 5, NODE_MS);
	path_load_report(s.dp, own, 7, NODE_MS + TREE_INTERVAL / 2 - 1);
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + TREE_INTERVAL), 5);
	path_load_report(s.dp, own, 7, NODE_MS + TREE_INTERVAL / 2);
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + TREE_INTERVAL), 7);
	path_load_report(s.dp, other, 0, NODE_MS);
	path_load_report(s.dp, other, 4, NODE_MS + 1);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 1), 4);
}

TEST(path_load_move__counts_for_the_next)
{
	path_load_report(s.dp, own, 2, NODE_MS);
	path_load_move(s.dp, ref, other, NODE_MS + 5);
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + 5), 1);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 5), 1);
	/* from then on it fades */
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 5 + FADES - 1), 1);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 5 + FADES), 0);
	path_load_move(s.dp, ref, other, NODE_MS + 6);
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + 6), 0);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 6), 2);
	path_load_move(s.dp, ref, other, NODE_MS + 7); /* there is none left to take away */
	ck_assert_uint_eq(path_load_flows(s.dp, own, NODE_MS + 7), 0);
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 7), 3);
}

/* what was reported of the former link says nothing of a new one */
TEST(path_load_report__ends_with_the_link)
{
	path_load_report(s.dp, other, 5, NODE_MS);
	flow_channel_ops.link_down(s.dp, other, NODE_MS + 1);
	flow_channel_ops.link_up(s.dp, other, NODE_MS + 2);
	ck_assert(dataplane_port_up(s.dp, other));
	ck_assert_uint_eq(path_load_flows(s.dp, other, NODE_MS + 2), 0);
}

/* one flow of a group: those that will come share with it, and those that leave do not */
TEST(path_load_groups__shares)
{
	uint64_t full = path_load_bytes(s.dp, other, WINDOW);
	node_time_t now = 11 * WINDOW;

	ck_assert(!path_load_groups(s.dp) && !path_load_reported(s.dp));
	teardown_flow();
	open_flow(8);
	ck_assert(path_load_groups(s.dp) && path_load_reported(s.dp));
	output_load_claim(&s.dp->ports[other].fabric.output_load, full / 2, now + NODE_MS, now);
	ck_assert_uint_eq(path_load_offer(s.dp, other, now),
			  output_load_share(&s.dp->ports[other].fabric.output_load, full, 11, now));
	ck_assert_uint_lt(path_load_offer(s.dp, other, now), full);
	path_load_forwarded(s.dp, own, ref, 1000, now - WINDOW);
	ck_assert_uint_eq(path_load_present(s.dp, ref, now),
			  output_load_present(&s.dp->ports[own].fabric.output_load,
					      &path_load_line(s.dp, ref)->count, full, 11, now));
}
