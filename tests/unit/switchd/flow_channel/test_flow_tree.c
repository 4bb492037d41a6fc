/*  switchd/flow_channel/flow_tree: packets of an unordered class select their path one by one,
 *  until congestion at the destination folds the tree (FC-16, EC-11). Switch 2 is reached over p2
 *  or p3; the first flow uses channel 0 of each. */
#include <stdlib.h>

#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/flow_tree.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define FLOW 0u /* flow_ref() of the first flow of p0 */
#define BYTES 1000u
#define UNITS 4u

static void open_tree(void)
{
	s.routes[0].ports = 1 << 2 | 1 << 3;
	s.config.lanes = 1;
	s.config.classes[0].unordered = true;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE, .seed = 7 };
	s.config.switch_.congestion.headroom = true;
	s.config.switch_.routing.hold_sources = true;
	s.config.switch_.routing.hold_ps = 100 * NODE_US;
	one_switch_open(&s);
}

/* @count packets of one flow arrive, and are sent */
static void send(uint32_t count, node_time_t at)
{
	for (uint32_t i = 0; i < count; i++)
		host_send(&s, 0, at, 2, 0, 0, BYTES);
	one_switch_run(&s, at + 10 * NODE_US);
}

static uint32_t packets_of(uint32_t port, bool ordered)
{
	uint32_t count = 0;

	while (neighbour_receive(&s, port, RECORD_PACKET, &got)) {
		ck_assert_uint_eq(header_of_packet(port).ordered, ordered);
		count++;
	}
	return count;
}

static uint32_t extent_at(uint32_t port)
{
	return ofct_flow_extent(TABLE_AT(s.dp->ports[port].fabric.ofct.entries, 0));
}

/* a line of the switch's @table contains @what */
static bool shows(const char *table, const char *what)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool found;

	ck_assert_int_eq(flow_channel_ops.show(s.dp, table, 0, 0, out), 0);
	fclose(out);
	found = strstr(text, what) != NULL;
	free(text);
	return found;
}

TEST_GROUP(tree, .setup = setup, .teardown = teardown);

/* FC-16: both paths are used alike, each with a channel of its own; together they are the flow's
 * extent */
TEST(tree__uses_both_branches)
{
	open_tree();
	send(8, 0);
	ck_assert_uint_eq(packets_of(2, false), 4);
	ck_assert_uint_eq(packets_of(3, false), 4);
	ck_assert_uint_eq(extent_at(2), 4 * UNITS);
	ck_assert_uint_eq(extent_at(3), 4 * UNITS);
	ck_assert_uint_eq(ifct_flow_extent(flow_of(s.dp->ifcts, FLOW)), 8 * UNITS);
	ck_assert_uint_eq(stats_of(0)->choices, 8);
	ck_assert(shows("trees", "open") && !shows("trees", "folded"));
	ck_assert(shows("paths", "0\t8\t4\t0\t"));
	switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_DELTA, 4 * UNITS);
	switch_send_ack(&s, 3, 20 * NODE_US, 0, ACK_DELTA, 4 * UNITS);
	one_switch_run(&s, FAR);
	all_released_expect();
}

/* Packets without an ACK count as load of a path: they indicate congestion that no queue of this
 * switch shows. */
TEST(tree__prefers_what_is_acknowledged)
{
	open_tree();
	send(8, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 3, 20 * NODE_US, 0, ACK_DELTA, 4 * UNITS);
	one_switch_run(&s, 21 * NODE_US);
	send(4, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(2, false), 0);
	ck_assert_uint_eq(packets_of(3, false), 4);
}

/* EC-12: Each branch has its own credit, which folds nothing. Without credit on one branch, packets
 * use the other. */
TEST(tree__each_branch_has_its_credit)
{
	open_tree();
	send(2, 0);
	packets_of(2, false);
	packets_of(3, false);
	/* what is in flight uses all of it */
	switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_HEADROOM, UNITS);
	one_switch_run(&s, 21 * NODE_US);
	ck_assert(tree_metered(s.dp, FLOW, 2) && !tree_metered(s.dp, FLOW, 3));
	ck_assert_int_eq(tree_headroom(s.dp, FLOW, 2), 0);
	send(4, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(2, false), 0);
	ck_assert_uint_eq(packets_of(3, false), 4);
	switch_send_ack(&s, 2, 50 * NODE_US, 0, ACK_HEADROOM, 1);
	one_switch_run(&s, 51 * NODE_US);
	send(2, 60 * NODE_US);
	/* the last packet with any credit is sent as a whole */
	ck_assert_uint_eq(packets_of(2, false), 1);
	ck_assert_uint_eq(packets_of(3, false), 1);
	ck_assert_int_eq(tree_headroom(s.dp, FLOW, 2), 1 - (int32_t)UNITS);
	ck_assert_uint_eq(stats_of(0)->folds, 0);
}

/* a tree without credit waits, and uses the branch that gets credit first */
TEST_RANGE(tree__waits_for_any_branch, 0, 2)
{
	open_tree();
	send(2, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_HEADROOM, UNITS);
	switch_send_ack(&s, 3, 20 * NODE_US, 0, ACK_HEADROOM, UNITS);
	one_switch_run(&s, 21 * NODE_US);
	send(1, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(2, false) + packets_of(3, false), 0);
	ck_assert_uint_eq(flow_of(s.dp->ifcts, FLOW)->wait, IFCT_BLOCKED);
	switch_send_ack(&s, 2 + _i, 50 * NODE_US, 0, ACK_HEADROOM, 1);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_of(2 + _i, false), 1);
}

/* EC-11: after an ACK_ECA all packets use its branch, and are marked as folded */
TEST_RANGE(tree__congestion_folds, 0, 2)
{
	open_tree();
	send(4, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 2 + _i, 20 * NODE_US, 0, ACK_ECA, 3);
	one_switch_run(&s, 21 * NODE_US);
	ck_assert(tree_is_folded(s.dp, FLOW));
	ck_assert_uint_eq(stats_of(0)->folds, 1);
	ck_assert(shows("trees", _i ? "folded\t3" : "folded\t2") && !shows("trees", "open"));
	ck_assert(shows("sources", _i ? "\t3\t" : "\t2\t"));
	send(4, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(2 + _i, true), 4);
	no_packet_expect(3 - _i);
}

/* EC-11, FC-24: it stays folded until an ACK without congestion has arrived and its hold has ended,
 * with or without packets in flight */
TEST_RANGE(tree__opens_after_congestion_and_hold, 0, 2)
{
	uint32_t branch = 2 + _i, other = 3 - _i;

	open_tree();
	send(4, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, branch, 20 * NODE_US, 0, ACK_ECA, 3); /* binds until 120 us */
	switch_send_ack(&s, branch, 30 * NODE_US, 0, ACK_DELTA, UNITS);
	one_switch_run(&s, 40 * NODE_US);
	send(2, 40 * NODE_US);
	ck_assert_uint_eq(packets_of(branch, true), 2);
	no_packet_expect(other);
	switch_send_ack(&s, branch, 60 * NODE_US, 0, ACK_DELTA, 3 * UNITS);
	one_switch_run(&s, 130 * NODE_US);
	ck_assert(tree_is_folded(s.dp, FLOW));
	send(6, 130 * NODE_US);
	ck_assert(!tree_is_folded(s.dp, FLOW));
	ck_assert_uint_eq(packets_of(branch, false), 4);
	ck_assert_uint_eq(packets_of(other, false), 2); /* because it has two in flight */
}

/* without an ACK that says so the congestion has not ended */
TEST(tree__stays_folded_without_a_good_ack)
{
	open_tree();
	send(4, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_ECA, 3);
	switch_send_ack(&s, 2, 30 * NODE_US, 0, ACK_DELTA_ECA, UNITS);
	one_switch_run(&s, 200 * NODE_US);
	send(4, 200 * NODE_US);
	ck_assert_uint_eq(packets_of(2, true), 4);
	no_packet_expect(3);
}

/* EC-11: limits of its congestion outlive the packets of a folded tree, and so does its order */
TEST(tree__stays_folded_as_long_as_its_limits)
{
	struct congestion_setting *slow = s.config.switch_.congestion.settings;

	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++)
		slow[i].eca_min = i;
	for (uint32_t i = 1; i < CONGESTION_SETTINGS; i++)
		slow[i].rate_bps = 100000000; /* 80 us for a packet */
	s.config.switch_.congestion.rate_limit = true;
	open_tree();
	send(2, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 3, 20 * NODE_US, 0, ACK_ECA, 3);
	one_switch_run(&s, 21 * NODE_US);
	send(1, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(3, true), 1);
	switch_send_ack(&s, 2, 50 * NODE_US, 0, ACK_DELTA_ECA, UNITS);
	switch_send_ack(&s, 3, 50 * NODE_US, 0, ACK_DELTA_ECA, 2 * UNITS);
	one_switch_run(&s, 60 * NODE_US);
	ck_assert_uint_eq(ifct_total_extent(flow_of(s.dp->ifcts, FLOW)), 0);
	ck_assert(tree_is_folded(s.dp, FLOW));
	send(4, 70 * NODE_US);
	ck_assert(tree_is_folded(s.dp, FLOW));
	one_switch_run(&s, 600 * NODE_US);
	ck_assert_uint_eq(packets_of(3, true), 4);
	no_packet_expect(2);
}

/* FC-25: a folded tree that was redirected has its branch there; an open one has none */
TEST_RANGE(tree_moved__branch_of_a_folded_tree, 0, 2)
{
	open_tree();
	send(4, 0);
	packets_of(2, false);
	packets_of(3, false);
	if (_i)
		switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_ECA, 3);
	one_switch_run(&s, 21 * NODE_US);
	flow_of(s.dp->ifcts, FLOW)->follow_port = 3;
	tree_moved(s.dp, FLOW);
	ck_assert_uint_eq(tree_is_folded(s.dp, FLOW), _i);
	ck_assert_uint_eq(tree_line_of(s.dp, FLOW)->branch_port, _i ? 3 : 0);
	send(4, 30 * NODE_US);
	ck_assert_uint_eq(packets_of(3, _i), _i ? 4 : 2);
	ck_assert_uint_eq(packets_of(2, _i), _i ? 0 : 2);
}

/* the first packet of a tree that waits is lost: the next one selects an output for itself */
TEST(crossbar_lose__next_packet_of_a_tree_goes_on)
{
	open_tree();
	send(2, 0);
	packets_of(2, false);
	packets_of(3, false);
	switch_send_ack(&s, 2, 20 * NODE_US, 0, ACK_HEADROOM, UNITS);
	switch_send_ack(&s, 3, 20 * NODE_US, 0, ACK_HEADROOM, UNITS);
	one_switch_run(&s, 21 * NODE_US);
	send(3, 30 * NODE_US);
	ck_assert_uint_eq(flow_of(s.dp->ifcts, FLOW)->wait, IFCT_BLOCKED);
	crossbar_lose(s.dp, FLOW, DROP_NO_ROUTE, 41 * NODE_US);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, UNITS);
	ck_assert_uint_eq(flow_of(s.dp->ifcts, FLOW)->wait, IFCT_BLOCKED);
	ck_assert_uint_eq(ifct_flow_extent(flow_of(s.dp->ifcts, FLOW)), 2 * UNITS);
	switch_send_ack(&s, 3, 50 * NODE_US, 0, ACK_HEADROOM, 2 * UNITS);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_of(3, false), 2);
	ck_assert_uint_eq(drops_all(), 1);
}
