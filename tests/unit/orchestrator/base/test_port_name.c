/*  orchestrator/base/port_name: a port by its number or by its peer. */
#include "orchestrator/base/port_name.h"

#include "tests/testing.h"

static struct port_config ports[] = {
	{ .peer_name = "s4" },
	{ .peer_name = "h1" },
	{ .peer_name = "s4" },
	{ .peer_name = "p1" },
	{ .peer_name = "gone", .vacant = true },
};

static const struct node_config node = { .port_count = 5, .ports = ports };

TEST(port_name_find__by_peer)
{
	ck_assert_uint_eq(port_name_find(&node, "s4"), 1 << 0 | 1 << 2);
	ck_assert_uint_eq(port_name_find(&node, "h1"), 1 << 1);
	ck_assert_uint_eq(port_name_find(&node, "p1"), 1 << 3); /* a peer before a number */
	ck_assert_uint_eq(port_name_find(&node, "gone"), 0);
	ck_assert_uint_eq(port_name_find(&node, "s"), 0);
}

TEST(port_name_find__by_number)
{
	ck_assert_uint_eq(port_name_find(&node, "0"), 1);
	ck_assert_uint_eq(port_name_find(&node, "p4"), 1 << 4);
	ck_assert_uint_eq(port_name_find(&node, "4"), 1 << 4);
	ck_assert_uint_eq(port_name_find(&node, "5"), 0);
	ck_assert_uint_eq(port_name_find(&node, "p"), 0);
	ck_assert_uint_eq(port_name_find(&node, "pp1"), 0);
	ck_assert_uint_eq(port_name_find(&node, "1x"), 0);
	ck_assert_uint_eq(port_name_find(&node, "-1"), 0);
	ck_assert_uint_eq(port_name_find(&node, ""), 0);
}
