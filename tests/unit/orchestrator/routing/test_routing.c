/*  orchestrator/routing/topology and routing: compared with the formulas of fat trees, dragonflies,
 *  HyperX and tori, also with failed links and switches (FC-23, FC-25, TB-14). */
#include "nodes/base/array.h"
#include "orchestrator/routing/routing_via.h"
#include "tests/unit/orchestrator/routing/routing_checks.h"

TEST_GROUP(routing, .teardown = tear_down, .timeout_s = 120);

TEST_RANGE(routing_make__fat_tree_candidates_of_every_level, 0, 2)
{
	char text[64];
	uint32_t k = _i ? 8 : 4;

	snprintf(text, sizeof(text), "{generate: fat-tree, radix: %u}", k);
	topology_of(text);
	made((struct routing_request){ 0 });
	ck_assert_uint_eq(candidates("p0e0", "p1e0"), k / 2); /* any aggregation switch */
	ck_assert_uint_eq(candidates("p0e0", "p0e1"), k / 2);
	ck_assert_uint_eq(candidates("p0a0", "p1e0"), k / 2); /* any of its core switches */
	ck_assert_uint_eq(candidates("p0a0", "p0e1"), 1);
	ck_assert_uint_eq(candidates("c0", "p1e0"), 1);
	ck_assert_int_eq(routing.order, ORDER_MINIMAL);
	ck_assert_int_eq(routing.lane_rule, LANES_KEEP);
	ck_assert_uint_eq(routing.lanes, 1);
	ck_assert_uint_eq(routing.hops_max, 4);
	all_walk();
}

TEST(routing_make__tapered_fat_tree)
{
	topology_of("{generate: fat-tree, radix: 8, taper: 2}");
	made((struct routing_request){ 0 });
	ck_assert_uint_eq(candidates("p0e0", "p1e0"), 2);
	ck_assert_uint_eq(routing.lanes, 1);
	all_walk();
}

TEST(routing_make__fat_tree_up_down_is_minimal)
{
	struct routing minimal;

	topology_of("{generate: fat-tree, radix: 4}");
	made((struct routing_request){ .order = ORDER_MINIMAL });
	minimal = routing;
	routing = (struct routing){ 0 };
	made((struct routing_request){ .order = ORDER_UP_DOWN });
	ck_assert_int_eq(routing.order, ORDER_UP_DOWN);
	ck_assert_uint_eq(routing.hops_max, 4);
	for (uint32_t from = 0; from < topology.switch_count; from++)
		for (uint32_t to = 0; to < topology.switch_count; to++)
			if (from != to && topology_has_hosts(&topology, to))
				ck_assert_uint_eq(routing_route(&routing, from, to)->ports,
						  routing_route(&minimal, from, to)->ports);
	routing_free(&minimal);
}

TEST(routing_make__dragonfly_has_one_lane_per_hop)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ 0 });
	ck_assert_int_eq(routing.order, ORDER_MINIMAL);
	ck_assert_int_eq(routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(routing.hops_max, 3); /* local, global, local */
	ck_assert_uint_eq(routing.lanes, 3);
	all_walk();
}

/* [Kim et al. 2008]: local, global, local to the via, and the same to the destination */
TEST(routing_make__dragonfly_detours)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ .detours = true });
	ck_assert_int_eq(routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(routing.hops_max, 6);
	ck_assert_uint_eq(routing.lanes, 6);
	ck_assert_uint_eq(routing.switches[0].via_count, 35);
	no_cycle_expect();
}

/* intermediates rise, so that one is found without looking at all of them */
TEST(routing_vias_have__those_and_no_other)
{
	static const uint16_t vias[] = { 2, 3, 5, 9, 10, 40 };
	uint32_t count = 0;

	for (uint32_t have = 0; have <= COUNT_OF(vias); have++)
		for (uint32_t address = 0; address < 42; address++) {
			bool there = false;

			for (uint32_t i = 0; i < have; i++)
				there |= vias[i] == address;
			ck_assert(routing_vias_have(vias, have, address) == there);
		}
	topology_of(DRAGONFLY);
	made((struct routing_request){ .detours = true });
	for (uint32_t i = 0; i < topology.switch_count; i++)
		for (uint32_t v = 1; v < routing.switches[i].via_count; v++, count++)
			ck_assert_uint_gt(routing.switches[i].vias[v],
					  routing.switches[i].vias[v - 1]);
	ck_assert_uint_gt(count, topology.switch_count);
}

TEST(routing_make__dragonfly_detours_that_fit_five_lanes)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ .detours = true, .lanes = 5 });
	ck_assert_uint_eq(routing.hops_max, 5);
	/* at most two links away: 3 of the group; 2 over its own global links, 6 over those of the
	 * group; 6 beside those 2 */
	ck_assert_uint_eq(routing.switches[0].via_count, 3 + 2 + 6 + 6);
	made((struct routing_request){ .detours = true, .lanes = 3 });
	ck_assert_uint_eq(routing.hops_max, 3);
	ck_assert_uint_eq(routing.switches[0].via_count, 0);
}

/* coordinates of switch @index in a 4 x 4 or 4 x 4 x 4 grid */
static uint32_t coordinate(uint32_t index, uint32_t dimension)
{
	return index >> (2 * dimension) & 3;
}

TEST(routing_make__hyperx_distances)
{
	routing_distance_t *distances;

	topology_of("{generate: hyperx, shape: [4, 4], hosts-per-switch: 2}");
	made((struct routing_request){ .detours = true });
	distances = routing_distances(&topology);
	for (uint32_t from = 0; from < 16; from++)
		for (uint32_t to = 0; to < 16; to++) {
			uint32_t differing = (coordinate(from, 0) != coordinate(to, 0)) +
					     (coordinate(from, 1) != coordinate(to, 1));

			ck_assert_uint_eq(distances[to * 16 + from], differing);
			if (from != to)
				ck_assert_int_eq(__builtin_popcountll(
							 routing_route(&routing, from, to)->ports),
						 differing);
		}
	free(distances);
	ck_assert_uint_eq(routing.hops_max, 4);
	ck_assert_uint_eq(routing.lanes, 4);
	ck_assert_uint_eq(routing.switches[3].via_count, 15);
	all_walk();
}

TEST(routing_make__torus_distances)
{
	routing_distance_t *distances;

	topology_of("{generate: torus, shape: [4, 4, 4], hosts-per-switch: 1}");
	made((struct routing_request){ .detours = true });
	distances = routing_distances(&topology);
	for (uint32_t from = 0; from < 64; from++)
		for (uint32_t to = 0; to < 64; to++) {
			uint32_t distance = 0, ports = 0;

			for (uint32_t d = 0; d < 3; d++) {
				uint32_t apart = (coordinate(from, d) - coordinate(to, d)) & 3;

				distance += apart == 3 ? 1 : apart;
				/* half of the ring: both directions */
				ports += apart == 2 ? 2 : apart != 0;
			}
			ck_assert_uint_eq(distances[to * 64 + from], distance);
			if (from != to)
				ck_assert_int_eq(__builtin_popcountll(
							 routing_route(&routing, from, to)->ports),
						 ports);
		}
	free(distances);
	/* 6 links; the furthest via that leaves all within 8 lanes is 2 links away: 6 at one, 15 +
	 * 3 at two */
	ck_assert_uint_eq(routing.hops_max, 8);
	ck_assert_uint_eq(routing.switches[0].via_count, 6 + 15);
	no_cycle_expect();
}

TEST(routing_make__more_hops_than_lanes_use_up_down)
{
	topology_of("{generate: torus, shape: [5, 5], hosts-per-switch: 1}");
	made((struct routing_request){ .lanes_max = 2 });
	ck_assert_int_eq(routing.order, ORDER_UP_DOWN);
	ck_assert_uint_eq(routing.lanes, 1);
	no_cycle_expect();
	all_walk();
}

/* ---- cycles ---- */

TEST(routing_make__ring_on_one_lane_is_rejected)
{
	topology_of(RING5);
	ck_assert_int_eq(make((struct routing_request){ .order = ORDER_MINIMAL, .lanes = 1 }),
			 -EINVAL);
	ck_assert_str_eq(why.text,
			 "packets could wait for each other in a cycle: a:1 -> b:2 -> c:2 -> "
			 "d:2 -> e:2 -> a:1. "
			 "Minimal routes need 2 lanes here, and 1 may be used; with order: "
			 "auto or up-down one is "
			 "enough");
	ck_assert_ptr_null(routing.switches);
}

TEST(routing_make__ring_may_have_a_permitted_cycle)
{
	topology_of(RING5);
	made((struct routing_request){ .lanes = 1, .cycles_allowed = true });
	ck_assert_int_eq(routing.order, ORDER_MINIMAL);
	ck_assert_str_eq(routing.cycle, "a:1 -> b:2 -> c:2 -> d:2 -> e:2 -> a:1");
}

TEST(routing_make__ring_up_down)
{
	topology_of(RING5);
	made((struct routing_request){ .lanes = 1 });
	ck_assert_int_eq(routing.order, ORDER_UP_DOWN);
	ck_assert_ptr_null(routing.cycle);
	no_cycle_expect();
	all_walk();
}

TEST(routing_make__ring_on_two_lanes)
{
	topology_of(RING5);
	made((struct routing_request){ 0 });
	ck_assert_int_eq(routing.order, ORDER_MINIMAL);
	ck_assert_int_eq(routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(routing.lanes, 2);
}

TEST(routing_make__detours_of_a_fat_tree_on_one_lane_have_a_cycle)
{
	topology_of("{generate: leaf-spine, leaves: 3, hosts-per-leaf: 1, spines: 2}");
	made((struct routing_request){ .lanes = 1, .detours = true });
	ck_assert_uint_eq(routing.switches[0].via_count, 0); /* none is short enough */
	made((struct routing_request){ .lanes = 1, .detours = true, .cycles_allowed = true });
	ck_assert_uint_eq(routing.switches[0].via_count, 2);
	ck_assert_ptr_nonnull(routing.cycle); /* leaf, spine, leaf, spine */
	made((struct routing_request){ .detours = true });
	ck_assert_uint_eq(routing.lanes, 4);
	ck_assert_ptr_null(routing.cycle);
}

/* ---- failures ---- */

/* the two orders without cycles, on as many lanes as they need and on one */
static void all_orders_walk(void)
{
	made((struct routing_request){ 0 });
	all_walk();
	made((struct routing_request){ .lanes = 1 });
	ck_assert_uint_eq(routing.lanes, 1);
	no_cycle_expect();
	all_walk();
	made((struct routing_request){ .order = ORDER_UP_DOWN });
	no_cycle_expect();
	all_walk();
}

TEST_RANGE(routing_make__every_host_is_reached, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	all_orders_walk();
}

TEST_RANGE(routing_make__around_any_failed_link, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		for (uint32_t p = 0; p < topology.switches[i].port_count; p++) {
			if (topology.switches[i].ports[p].leads_to != END_SWITCH ||
			    topology.switches[i].ports[p].peer < i)
				continue;
			link_set(i, p, false);
			all_orders_walk();
			link_set(i, p, true);
		}
}

TEST_RANGE(routing_make__around_any_failed_switch, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		topology.switches[i].alive = false;
		all_orders_walk();
		topology.switches[i].alive = true;
	}
}

/* ---- trees: which ports lead upward ---- */

/* of a generated tree: hosts are at level 0 */
static uint32_t level_by_name(uint32_t index)
{
	const char *name = topology.switches[index].name;

	if (name[0] == 'p')
		return strchr(name, 'a') ? 1 : 0;
	return name[0] == 'c' ? 2 : name[0] == 's';
}

/* the ports of @index that are in use and lead to a higher level */
static uint64_t upward_by_name(uint32_t index)
{
	const struct topology_switch *node = &topology.switches[index];
	uint64_t ports = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		if (topology_leads_on(&topology, index, p) &&
		    level_by_name(node->ports[p].peer) > level_by_name(index))
			ports |= 1ull << p;
	return ports;
}

static uint64_t upward(const char *name)
{
	ck_assert_uint_eq(routing_upward(&routing, find(name))->fabric_address, ROUTE_UPWARD);
	return routing_upward(&routing, find(name))->ports;
}

static void upward_expect(void)
{
	ck_assert(routing.tree);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		ck_assert_msg(routing_upward(&routing, i)->ports == upward_by_name(i), "%s",
			      topology.switches[i].name);
}

static void no_tree_expect(void)
{
	ck_assert(!routing.tree);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		ck_assert_uint_eq(routing_upward(&routing, i)->ports, 0);
}

TEST(routing_upward_make__fat_tree)
{
	topology_of("{generate: fat-tree, radix: 4}");
	made((struct routing_request){ 0 });
	upward_expect();
	ck_assert_uint_eq(upward("p2e1"), 0xc); /* two hosts below */
	ck_assert_uint_eq(upward("p2a1"), 0xc); /* two edge switches below */
	ck_assert_uint_eq(upward("c3"), 0);
}

TEST(routing_upward_make__tapered)
{
	topology_of("{generate: fat-tree, radix: 8, taper: 2}");
	made((struct routing_request){ 0 });
	upward_expect();
	ck_assert_int_eq(__builtin_popcountll(upward("p0e0")), 2);
	ck_assert_uint_ne(upward("p0a1"), 0);
}

TEST(routing_upward_make__leaf_spine)
{
	topology_of("{generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 4}");
	made((struct routing_request){ 0 });
	upward_expect();
	ck_assert_uint_eq(upward("leaf2"), 0x3c);
	ck_assert_uint_eq(upward("spine0"), 0);
}

/* leaves a, b, c; spines x, y, z. The links of a and b are given in the order x, y, z. */
#define LEAVES_OF(more, links_of_c)                                                             \
	"{switches: [a, b, c, x, y, z" more "], hosts: {h0: a, h1: b, h2: c}, links: [[a, x], " \
	"[a, y], [a, z], [b, x], [b, y], [b, z], " links_of_c "]}"

/* Each spine joins three pairs of paths. What is cabled to lower ends has no effect on them. */
static const struct {
	const char *topology;
	uint32_t permille;
} agreements[] = {
	{ "{generate: fat-tree, radix: 4}", 1000 },
	{ "{generate: fat-tree, radix: 6}", 1000 },
	{ "{generate: fat-tree, radix: 8, taper: 2}", 1000 },
	{ "{generate: leaf-spine, leaves: 5, hosts-per-leaf: 2, spines: 4}", 1000 },
	{ DRAGONFLY, 1000 },
	{ "{generate: star, hosts: 4}", 1000 },
	{ LEAVES_OF("", "[c, x], [c, y], [c, z]"), 1000 },
	/* of c one of three paths is as those of a and b: 1/3, 1, 1/3 */
	{ LEAVES_OF("", "[c, y], [c, x], [c, z]"), 555 },
	/* none: at each spine only a and b agree */
	{ LEAVES_OF("", "[c, y], [c, z], [c, x]"), 333 },
	/* c has two upward ports: it does not count */
	{ LEAVES_OF("", "[c, y], [c, x]"), 1000 },
	/* over two levels: u above x and y, v above z, of which only v has one path to each leaf */
	{ LEAVES_OF(", u, v", "[c, y], [c, x], [c, z], [x, u], [y, u], [z, v]"), 1000 },
	{ LEAVES_OF(", u, v", "[c, z], [c, y], [c, x], [x, u], [y, u], [z, v]"), 333 },
};

TEST_RANGE(routing_upward_make__agreement, 0, sizeof(agreements) / sizeof(agreements[0]))
{
	topology_of(agreements[_i].topology);
	made((struct routing_request){ 0 });
	ck_assert_uint_eq(routing.agreement_permille, agreements[_i].permille);
}

/* hosts on switches that are linked; no hosts on linked switches */
static const char *const no_trees[] = {
	DRAGONFLY,
	"{generate: hyperx, shape: [3, 3], hosts-per-switch: 1}",
	"{generate: torus, shape: [4, 4], hosts-per-switch: 1}",
	"{generate: full-mesh, switches: 5, hosts-per-switch: 1}",
	"{generate: chain, switches: 4, hosts-per-switch: 1}",
	"{generate: dumbbell, hosts-per-side: 2}",
	"{generate: star, hosts: 4}",
	RING5,
};

TEST_RANGE(routing_upward_make__none_without_a_tree, 0, (sizeof(no_trees) / sizeof(no_trees[0])))
{
	topology_of(no_trees[_i]);
	made((struct routing_request){ 0 });
	no_tree_expect();
}

/* one link between switches of a level is enough, also between switches without hosts */
TEST(routing_upward_make__link_within_a_level_is_no_tree)
{
	topology_of("{switches: [a, b, x, y], hosts: {A: a, B: b}, links: [[a, x], [a, y], [b, x], "
		    "[b, y]]}");
	made((struct routing_request){ 0 });
	ck_assert(routing.tree);
	ck_assert_uint_eq(upward("a"), 6);
	ck_assert_uint_eq(upward("x"), 0);
	tear_down();
	topology_of("{switches: [a, b, x, y], hosts: {A: a, B: b}, links: [[a, x], [a, y], [b, x], "
		    "[b, y], [x, y]]}");
	made((struct routing_request){ 0 });
	no_tree_expect();
}

/* parallel links are separate ports; a switch without a path down to hosts is higher */
TEST(routing_upward_make__drawn_by_hand)
{
	topology_of("{switches: [a, b, x, top], hosts: {A: a, B: b}, links: [[a, x], [a, x], [b, "
		    "x], [x, top]]}");
	made((struct routing_request){ 0 });
	ck_assert(routing.tree);
	ck_assert_uint_eq(upward("a"), 6);
	ck_assert_uint_eq(upward("b"), 2);
	ck_assert_uint_eq(upward("x"), 8);
	ck_assert_uint_eq(upward("top"), 0);
}

/* only flow channels use it */
TEST(routing_upward_make__only_for_flow_channels)
{
	topology_of("{generate: fat-tree, radix: 4}");
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP });
	no_tree_expect();
}

/* Whatever fails: the remaining ports keep their numbers, which other switches use, and no switch
 * changes its level. Each switch itself knows which of its links have failed. */
TEST(routing_upward_make__failures_change_no_level)
{
	topology_of("{generate: fat-tree, radix: 4}");
	link_set(find("p1e0"), 2, false);
	link_set(find("p1e0"), 3, false); /* only its hosts are left */
	link_set(find("p0a0"), 0, false);
	link_set(find("p0a0"), 1, false); /* no host below it */
	topology.switches[find("p3a1")].alive = false;
	topology.switches[find("c0")].alive = false;
	made((struct routing_request){ 0 });
	ck_assert(routing.tree);
	ck_assert_uint_eq(upward("p1e0"), 0xc);
	ck_assert_uint_eq(upward("p0a0"), 0xc);
	ck_assert_uint_eq(upward("p3e0"), 0xc);
	ck_assert_uint_eq(upward("c1"), 0);
}

/* hosts that do not answer, but are known */
TEST(routing_upward_make__hosts_that_failed)
{
	uint32_t edge;

	topology_of("{generate: fat-tree, radix: 4}");
	edge = find("p1e0");
	topology.switches[edge].ports[0].leads_to = topology.switches[edge].ports[1].leads_to =
		END_NOTHING;
	made((struct routing_request){ 0 });
	upward_expect();
	ck_assert_uint_eq(upward("p1a0"), 0xc);
}

static void unplug(uint32_t at, uint32_t port)
{
	struct topology_port *end = &topology.switches[at].ports[port];

	topology.switches[end->peer].ports[end->peer_port] =
		(struct topology_port){ .leads_to = END_NOTHING };
	*end = (struct topology_port){ .leads_to = END_NOTHING };
}

/* switches without a connection to any host, with links among themselves: they have no level, and
 * the rest is still a tree */
TEST(routing_upward_make__no_hosts_in_reach)
{
	topology_of("{generate: fat-tree, radix: 4}");
	for (uint32_t pod = 0; pod < 4; pod++) {
		char name[8];

		snprintf(name, sizeof(name), "p%ua0", pod);
		unplug(find(name), 0);
		unplug(find(name), 1);
	}
	made((struct routing_request){ 0 });
	ck_assert(routing.tree);
	ck_assert_uint_eq(upward("p0a0"), 0);
	ck_assert_uint_eq(upward("c0"), 0);
	ck_assert_uint_eq(upward("p0e0"), 8);
	ck_assert_uint_eq(upward("p0a1"), 0xc);
}

/* ---- tables while they change ---- */

/* One level per hop, with as few lanes as minimal paths need and with all lanes; minimal on one
 * level or up*-down*; up*-down*; with detours. */
static const struct routing_request starts[] = {
	{ .lanes_max = NODE_LANES_MAX },        { .lanes = NODE_LANES_MAX },     { .lanes = 1 },
	{ .lanes = 1, .order = ORDER_UP_DOWN }, { .lanes = 6, .detours = true },
};

#define STARTS (int)(sizeof(starts) / sizeof(starts[0]))

/* of the same switches as `routing`: the routes of the whole fabric, or all routes so far */
static struct routing together;

static void together_begin(void)
{
	size_t routes = topology.switch_count;

	together = (struct routing){ .lane_rule = routing.lane_rule,
				     .lanes = routing.lanes,
				     .switch_count = topology.switch_count,
				     .switches = calloc(topology.switch_count,
							sizeof(*together.switches)) };
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		together.switches[i].routes = malloc(routes * sizeof(struct route_config));
		memcpy(together.switches[i].routes, routing.switches[i].routes,
		       routes * sizeof(struct route_config));
	}
}

/* together with those of `routing`, which are kept there if @keep */
static bool together_has_cycle(const struct topology *whole, bool keep)
{
	static uint64_t kept[NODE_PORTS_MAX * NODE_PORTS_MAX];
	uint32_t count = topology.switch_count, routes = count - 1;
	char *cycle = NULL;

	ck_assert_uint_le(count * routes, NODE_PORTS_MAX * NODE_PORTS_MAX);
	for (uint32_t i = 0; i < count * routes; i++) {
		struct route_config *route = &together.switches[i / routes].routes[i % routes];

		kept[i] = route->ports;
		route->ports |= routing.switches[i / routes].routes[i % routes].ports;
	}
	ck_assert_int_eq(routing_cycle_find(whole, &together, &cycle), 0);
	for (uint32_t i = 0; i < count * routes && !keep; i++)
		together.switches[i / routes].routes[i % routes].ports = kept[i];
	free(cycle);
	return cycle != NULL;
}

static uint32_t fresh_count;
static bool is_tree;

/* The fabric follows failures. What is connected is reached, with the lanes that there are. Packets
 * on former routes do not form a cycle with packets on the new ones. Former routes are those of the
 * whole fabric and, unless minimal paths have become longer, those of any other failure. */
static void follow(const struct topology *whole, struct routing_request in_force)
{
	made(in_force);
	ck_assert_uint_eq(routing.lanes, in_force.lanes);
	ck_assert_int_eq(routing.lane_rule, in_force.lane_rule);
	if (routing.lane_rule == LANES_BY_HOP)
		ck_assert(!routing.fresh);
	if (!routing.beyond)
		all_walk();
	no_cycle_expect();
	if (!routing.fresh)
		ck_assert(!together_has_cycle(whole, is_tree || routing.lane_rule == LANES_BY_HOP ||
							     in_force.order == ORDER_UP_DOWN));
}

static void follow_all(const struct routing_request *start)
{
	struct routing_request in_force = *start;
	struct topology whole;

	made(*start);
	in_force.follow = true;
	in_force.lanes = routing.lanes;
	in_force.order = routing.order;
	in_force.lane_rule = routing.lane_rule;
	together_begin();
	ck_assert_int_eq(topology_whole(&topology, &whole), 0);
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		topology.switches[i].alive = false;
		follow(&whole, in_force);
		topology.switches[i].alive = true;
		fresh_count += routing.fresh;
		for (uint32_t p = 0; p < topology.switches[i].port_count; p++) {
			if (topology.switches[i].ports[p].leads_to != END_SWITCH ||
			    topology.switches[i].ports[p].peer < i)
				continue;
			link_set(i, p, false);
			follow(&whole, in_force);
			link_set(i, p, true);
			fresh_count += routing.fresh;
		}
	}
	follow(&whole, in_force);
	ck_assert(!routing.fresh && !routing.beyond);
	routing_free(&together);
	topology_free(&whole);
}

TEST_RANGE(routing_follow__old_and_new_routes_have_no_cycle, 0, TOPOLOGIES *STARTS)
{
	const char *text = topologies[_i / STARTS];

	topology_of(text);
	fresh_count = 0;
	is_tree = strstr(text, "fat-tree") || strstr(text, "leaf-spine");
	follow_all(&starts[_i % STARTS]);
	if (is_tree)
		ck_assert_uint_eq(fresh_count, 0);
}

/* with all links up, the tables are those of the whole fabric at the start */
TEST_RANGE(routing_follow__whole_fabric_has_its_first_tables, 0, 2 * TOPOLOGIES)
{
	struct routing_request request = { .lanes_max = NODE_LANES_MAX, .detours = _i % 2 };
	struct routing first;

	topology_of(topologies[_i / 2]);
	made(request);
	first = routing;
	routing = (struct routing){ 0 };
	request.follow = true;
	request.lanes = first.lanes;
	request.order = first.order;
	request.lane_rule = first.lane_rule;
	made(request);
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		const struct switch_tables *a = &first.switches[i], *b = &routing.switches[i];

		for (uint32_t to = 0; to + 1 < topology.switch_count; to++)
			ck_assert_uint_eq(a->routes[to].ports, b->routes[to].ports);
		ck_assert_uint_eq(a->via_count, b->via_count);
		ck_assert(!a->via_count ||
			  !memcmp(a->vias, b->vias, a->via_count * sizeof(*a->vias)));
	}
	routing_free(&first);
}

/* more links between groups than most fabrics have: a distance that ends too early would leave
 * switches without a route */
TEST(routing_make__many_links_between_groups)
{
	topology_of(
		"{switches: [g0, g1, g2, g3, g4, g5, g6, g7, g8, x], hosts: {a: g0, b: g8}, "
		"links: [{between: [g0, g1], tier: global}, {between: [g1, g2], tier: global}, "
		"{between: [g2, g3], tier: global}, {between: [g3, g4], tier: global}, "
		"{between: [g4, g5], tier: global}, {between: [g5, g6], tier: global}, "
		"{between: [g6, g7], tier: global}, {between: [g7, g8], tier: global}, [g0, x], "
		"[x, g1]]}");
	made((struct routing_request){ 0 });
	for (uint32_t from = 0; from < topology.switch_count; from++)
		for (uint32_t to = 0; to < topology.switch_count; to++)
			if (from != to)
				ck_assert_uint_ne(routing_route(&routing, from, to)->ports, 0);
	all_walk();
}
