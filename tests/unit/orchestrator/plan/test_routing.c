/*  orchestrator/routing/topology, routing* (FC-23, FC-25, PG-5, PG-6, PG-11, TB-14): against the
 *  formulas of fat trees, dragonflies, HyperX and tori, with links and switches that failed, and
 *  the finder of circles against one that tries every path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_topology.h"
#include "orchestrator/routing/routing_cycle.h"
#include "orchestrator/routing/routing_in_flight.h"
#include "orchestrator/routing/routing_minimal.h"
#include "tests/testing.h"

#define RING5                                                                                     \
	"{switches: [a, b, c, d, e], hosts: {A: a, B: b, C: c, D: d, E: e}, links: [[a, b], [b, " \
	"c], [c, d], [d, e], "                                                                    \
	"[e, a]]}"
#define DRAGONFLY \
	"{generate: dragonfly, hosts-per-switch: 2, switches-per-group: 4, global-links: 2}"

/* ck_assert() writes a line for all that holds, which would be most of the time of these tests */
#define HOLDS(condition, ...)                      \
	do {                                       \
		if (!(condition))                  \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

static struct topology topology;
static struct routing routing;
static char why[512];

static void tear_down(void)
{
	routing_free(&routing);
	topology_free(&topology);
}

static void topology_of(const char *text)
{
	char *whole = NULL;
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;
	int error;

	ck_assert_int_gt(asprintf(&whole, "name: t\nrun: {duration: 1us}\ntopology: %s\n", text),
			 0);
	error = scenario_read_memory("t.yaml", whole, strlen(whole), NULL, 0, &scenario, &errors);
	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	ck_assert_int_eq(plan_topology(&plan, &topology), 0);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	free(whole);
}

static int make(struct routing_request request)
{
	request.lanes_max = request.lanes_max ? request.lanes_max : NODE_LANES_MAX;
	routing_free(&routing);
	return routing_make(&topology, &request, &routing, why, sizeof(why));
}

static void made(struct routing_request request)
{
	ck_assert_msg(!make(request), "%s", why);
}

static uint32_t find(const char *name)
{
	for (uint32_t i = 0; i < topology.switch_count; i++)
		if (!strcmp(topology.switches[i].name, name))
			return i;
	ck_abort_msg("no switch %s", name);
	return 0;
}

static uint32_t candidates(const char *from, const char *to)
{
	return (uint32_t)__builtin_popcountll(routing_route(&routing, find(from), find(to))->ports);
}

/* ---- ways ---- */

/* every choice of candidates leads from @at to @to */
static void walk(uint32_t at, uint32_t to, uint32_t hops_left)
{
	uint64_t ports;

	if (at == to)
		return;
	ports = routing_route(&routing, at, to)->ports;
	HOLDS(ports, "%s has no way to %s", topology.switches[at].name, topology.switches[to].name);
	HOLDS(hops_left, "the way to %s does not end", topology.switches[to].name);
	for (; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		HOLDS(topology_leads_on(&topology, at, port), "%s:%u leads nowhere",
		      topology.switches[at].name, port);
		walk(topology.switches[at].ports[port].peer, to, hops_left - 1);
	}
}

/* whoever has hosts gets to whoever it is joined with, within hops_max */
static void all_walk(void)
{
	uint16_t *distances = routing_distances(&topology);
	size_t count = topology.switch_count;

	ck_assert_ptr_nonnull(distances);
	for (uint32_t from = 0; from < count; from++)
		for (uint32_t to = 0; to < count; to++) {
			if (!topology_has_hosts(&topology, from) ||
			    !topology_has_hosts(&topology, to) || from == to)
				continue;
			if (distances[to * count + from] == ROUTING_UNREACHED)
				HOLDS(!routing_route(&routing, from, to)->ports,
				      "a way to where there is none");
			else
				walk(from, to,
				     routing.hops_max ? routing.hops_max : (uint32_t)count);
		}
	free(distances);
}

static void no_circle(void)
{
	char *cycle;

	ck_assert_int_eq(routing_cycle_find(&topology, &routing, &cycle), 0);
	ck_assert_msg(!cycle, "%s", cycle);
}

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
	no_circle();
}

TEST(routing_make__dragonfly_detours_that_fit_five_lanes)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ .detours = true, .lanes = 5 });
	ck_assert_uint_eq(routing.hops_max, 5);
	/* at most two links away: 3 of the group; 2 behind its own global links, 6 behind those of
	 * the group; 6 beside those 2 */
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
	uint16_t *distances;

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
	uint16_t *distances;

	topology_of("{generate: torus, shape: [4, 4, 4], hosts-per-switch: 1}");
	made((struct routing_request){ .detours = true });
	distances = routing_distances(&topology);
	for (uint32_t from = 0; from < 64; from++)
		for (uint32_t to = 0; to < 64; to++) {
			uint32_t distance = 0, ports = 0;

			for (uint32_t d = 0; d < 3; d++) {
				uint32_t apart = (coordinate(from, d) - coordinate(to, d)) & 3;

				distance += apart == 3 ? 1 : apart;
				ports += apart == 2 ? 2 : apart != 0; /* half round: either way */
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
	no_circle();
}

TEST(routing_make__more_hops_than_lanes_go_up_and_down)
{
	topology_of("{generate: torus, shape: [5, 5], hosts-per-switch: 1}");
	made((struct routing_request){ .lanes_max = 2 });
	ck_assert_int_eq(routing.order, ORDER_UP_DOWN);
	ck_assert_uint_eq(routing.lanes, 1);
	no_circle();
	all_walk();
}

/* ---- circles ---- */

TEST(routing_make__ring_on_one_lane_is_refused)
{
	topology_of(RING5);
	ck_assert_int_eq(make((struct routing_request){ .order = ORDER_MINIMAL, .lanes = 1 }),
			 -EINVAL);
	ck_assert_str_eq(why, "packets could wait for each other in a cycle: a:1 -> b:2 -> c:2 -> "
			      "d:2 -> e:2 -> a:1. "
			      "Minimal routes need 2 lanes here, and 1 may be used; with order: "
			      "auto or up-down one is "
			      "enough");
	ck_assert_ptr_null(routing.switches);
}

TEST(routing_make__ring_that_may_have_a_circle)
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
	no_circle();
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

TEST(routing_make__detours_of_a_fat_tree_on_one_lane_have_a_circle)
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

/* ---- what failed ---- */

static const char *const topologies[] = {
	"{generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}",
	"{generate: fat-tree, radix: 4}",
	DRAGONFLY,
	"{generate: hyperx, shape: [3, 3], hosts-per-switch: 1}",
	"{generate: torus, shape: [3, 3], hosts-per-switch: 1}",
	"{generate: full-mesh, switches: 5, hosts-per-switch: 1}",
	"{generate: chain, switches: 4, hosts-per-switch: 1}",
	RING5,
};

#define TOPOLOGIES (int)(sizeof(topologies) / sizeof(topologies[0]))

static void link_set(uint32_t at, uint32_t port, bool up)
{
	struct topology_port *end = &topology.switches[at].ports[port];

	end->up = up;
	topology.switches[end->peer].ports[end->peer_port].up = up;
}

/* the two orders that know no circle, on as many lanes as it takes and on one */
static void all_orders_walk(void)
{
	made((struct routing_request){ 0 });
	all_walk();
	made((struct routing_request){ .lanes = 1 });
	ck_assert_uint_eq(routing.lanes, 1);
	no_circle();
	all_walk();
	made((struct routing_request){ .order = ORDER_UP_DOWN });
	no_circle();
	all_walk();
}

TEST_RANGE(routing_make__everybody_is_reached, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	all_orders_walk();
}

TEST_RANGE(routing_make__around_any_link_that_failed, 0, TOPOLOGIES)
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

TEST_RANGE(routing_make__around_any_switch_that_failed, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		topology.switches[i].alive = false;
		all_orders_walk();
		topology.switches[i].alive = true;
	}
}

/* ---- trees: which ports lead upward ---- */

/* of a generated tree: hosts are at 0 */
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
		HOLDS(routing_upward(&routing, i)->ports == upward_by_name(i), "%s",
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
	ck_assert_uint_eq(upward("p2e1"), 0xc); /* behind two hosts */
	ck_assert_uint_eq(upward("p2a1"), 0xc); /* behind two edge switches */
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

/* hosts on switches that are linked; none that are linked at all */
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

TEST_RANGE(routing_upward_make__no_tree, 0, (sizeof(no_trees) / sizeof(no_trees[0])))
{
	topology_of(no_trees[_i]);
	made((struct routing_request){ 0 });
	no_tree_expect();
}

/* one link across is enough, also between switches without hosts */
TEST(routing_upward_make__a_link_across)
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

/* parallel links are ports of their own; what leads to no host is further up */
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

/* other kinds of fabric have no use for it */
TEST(routing_upward_make__of_flow_channels_only)
{
	topology_of("{generate: fat-tree, radix: 4}");
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP });
	no_tree_expect();
}

/* Whatever fails: the ports that are left keep their numbers, by which others tell of them, and no
 * switch is further up or down than it was. Each switch knows itself which of its links are
 * down. */
TEST(routing_upward_make__what_failed_keeps_its_place)
{
	topology_of("{generate: fat-tree, radix: 4}");
	link_set(find("p1e0"), 2, false);
	link_set(find("p1e0"), 3, false); /* alone with its hosts */
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

/* hosts that do not answer, but are known to be there */
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

/* switches that nothing joins with any host have links among themselves: those are of no level, and
 * spoil no tree */
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

/* By one level a hop, by as few lanes as minimal ways take and as many as there can be; minimal on
 * one level or up*-down*; up*-down*; with detours. */
static const struct routing_request starts[] = {
	{ .lanes_max = NODE_LANES_MAX },        { .lanes = NODE_LANES_MAX },     { .lanes = 1 },
	{ .lanes = 1, .order = ORDER_UP_DOWN }, { .lanes = 6, .detours = true },
};

#define STARTS (int)(sizeof(starts) / sizeof(starts[0]))

/* of the same switches as `routing`: the ways of the whole, or all that there have been */
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

/* with those of `routing`, which are kept there if @keep */
static bool together_has_circle(const struct topology *whole, bool keep)
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

/* The fabric follows what has failed: who has a way gets there, with as many lanes as there are,
 * and what is on former ways does not meet what is on these in a circle: those of the whole, and,
 * unless minimal ways have become longer, of whatever other failure. */
static void follow(const struct topology *whole, struct routing_request in_force)
{
	made(in_force);
	ck_assert_uint_eq(routing.lanes, in_force.lanes);
	ck_assert_int_eq(routing.lane_rule, in_force.lane_rule);
	if (routing.lane_rule == LANES_BY_HOP)
		ck_assert(!routing.fresh);
	if (!routing.beyond)
		all_walk();
	no_circle();
	if (!routing.fresh)
		ck_assert(!together_has_circle(whole, is_tree ||
							      routing.lane_rule == LANES_BY_HOP ||
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

TEST_RANGE(routing_follow__old_and_new_ways_have_no_circle, 0, TOPOLOGIES *STARTS)
{
	const char *text = topologies[_i / STARTS];

	topology_of(text);
	fresh_count = 0;
	is_tree = strstr(text, "fat-tree") || strstr(text, "leaf-spine");
	follow_all(&starts[_i % STARTS]);
	if (is_tree)
		ck_assert_uint_eq(fresh_count, 0);
}

/* what is left of a fabric has the tables that the whole one had, if all is up */
TEST_RANGE(routing_follow__same_as_at_the_start, 0, 2 * TOPOLOGIES)
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

/* ---- the finder and one that tries every path ---- */

#define RANDOM_SWITCHES 6u
#define CHANNELS_MAX (RANDOM_SWITCHES * 16u * 4u)

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

static void random_link(uint32_t a, uint32_t b)
{
	struct topology_switch *at = &topology.switches[a], *peer = &topology.switches[b];

	at->ports[at->port_count] =
		(struct topology_port){ .leads_to = END_SWITCH,
					.up = true,
					.peer = b,
					.peer_port = (uint8_t)peer->port_count };
	peer->ports[peer->port_count++] =
		(struct topology_port){ .leads_to = END_SWITCH,
					.up = true,
					.peer = a,
					.peer_port = (uint8_t)at->port_count++ };
}

/* Hosts on about two switches of three; up to 12 links, parallel ones among them, and not all are
 * up. */
static void random_topology(void)
{
	topology_free(&topology);
	topology.switch_count = 3 + draw(RANDOM_SWITCHES - 2);
	topology.switches = calloc(topology.switch_count, sizeof(*topology.switches));
	topology.hosts = calloc(1, sizeof(*topology.hosts));
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		struct topology_switch *node = &topology.switches[i];

		node->alive = draw(20) > 0;
		node->fabric_address = i + 1;
		node->ports[0] =
			(struct topology_port){ .leads_to = draw(4) ? END_HOST : END_NOTHING,
						.up = true };
		node->port_count = 1;
	}
	for (uint32_t links = 2 + draw(11); links; links--) {
		uint32_t a = draw(topology.switch_count), b = draw(topology.switch_count);

		if (a != b)
			random_link(a, b);
	}
}

static uint64_t waits[CHANNELS_MAX][CHANNELS_MAX / 64];

static uint32_t channel_of(uint32_t at, uint32_t port, uint32_t level)
{
	return (at * 16 + port) * 4 + level;
}

/* A packet at @at, which came over @from (CHANNELS_MAX: from a host), with @level on its next
 * link. */
static void path_try(uint32_t from, uint32_t at, uint32_t level, uint32_t via, uint32_t to,
		     uint32_t hops)
{
	uint32_t towards = via == UINT32_MAX ? to : via;

	if (at == via)
		towards = to;
	if (at == to && towards == to)
		return;
	if (level >= 4 || (routing.lane_rule == LANES_BY_HOP && level >= routing.lanes))
		return;
	HOLDS(hops < 64, "a way that does not end");
	for (uint64_t ports = routing_route(&routing, at, towards)->ports; ports;
	     ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports),
			 channel = channel_of(at, port, level);

		if (from != CHANNELS_MAX)
			waits[from][channel / 64] |= 1ull << channel % 64;
		path_try(channel, topology.switches[at].ports[port].peer,
			 level + (routing.lane_rule == LANES_BY_HOP),
			 towards == via ? via : UINT32_MAX, to, hops + 1);
	}
}

static bool has_circle(void)
{
	memset(waits, 0, sizeof(waits));
	for (uint32_t from = 0; from < topology.switch_count; from++)
		for (uint32_t to = 0; to < topology.switch_count; to++) {
			const struct switch_tables *tables = &routing.switches[from];

			if (!topology_has_hosts(&topology, from) ||
			    !topology_has_hosts(&topology, to))
				continue;
			path_try(CHANNELS_MAX, from, 0, UINT32_MAX, to, 0);
			for (uint32_t i = 0; i < tables->via_count; i++)
				path_try(CHANNELS_MAX, from, 0, tables->vias[i] - 1u, to, 0);
		}
	for (uint32_t k = 0; k < CHANNELS_MAX; k++)
		for (uint32_t i = 0; i < CHANNELS_MAX; i++)
			for (uint32_t word = 0;
			     waits[i][k / 64] >> k % 64 & 1 && word < CHANNELS_MAX / 64; word++)
				waits[i][word] |= waits[k][word];
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (waits[i][i / 64] >> i % 64 & 1)
			return true;
	return false;
}

/* does each step of the circle in words stand in the table of who waits for whom? */
static void circle_check(const char *words)
{
	uint32_t from = CHANNELS_MAX, first = CHANNELS_MAX, address, port;
	int length;

	for (; sscanf(words, "%u:%u%n", &address, &port, &length) == 2;
	     words += strspn(words, " ->")) {
		uint32_t channel = channel_of(address - 1, port, 0);

		if (from != CHANNELS_MAX)
			ck_assert_uint_eq(
				topology.switches[from / 4 / 16].ports[from / 4 % 16].peer,
				address - 1);
		else
			first = channel;
		from = channel;
		words += length;
	}
	ck_assert_uint_eq(from, first);
	ck_assert_str_eq(words, "");
}

TEST(routing_cycle_find__as_by_trying_every_path)
{
	uint32_t with_circle = 0, without = 0;

	random_state = 4711;
	for (uint32_t round = 0; round < 2000; round++) {
		struct routing_request request = {
			.order = draw(5) ? ORDER_AUTO : ORDER_UP_DOWN,
			.lanes = draw(3) ? 1 : draw(4),
			.lanes_max = 4,
			.detours = draw(2),
			.cycles_allowed = draw(4),
		};
		bool circle;

		random_topology();
		made(request);
		circle = has_circle();
		ck_assert_msg(circle == !!routing.cycle, "round %u: %s", round,
			      routing.cycle ? routing.cycle : "no circle was found");
		if (routing.cycle)
			circle_check(routing.cycle);
		with_circle += circle;
		without += !circle;
	}
	ck_assert_uint_gt(with_circle, 100);
	ck_assert_uint_gt(without, 100);
}

/* ---- tables of port groups ---- */

static void lids_check(uint32_t at)
{
	const struct lid_tables *lids = &routing.switches[at].lids;

	ck_assert_uint_eq(lids->lid_count, topology.host_count + 1);
	ck_assert_uint_le(lids->group_count, PORT_GROUPS_MAX);
	ck_assert_uint_eq(lids->lft[0], LFT_NO_PORT);
	for (uint32_t h = 0; h < topology.host_count; h++) {
		uint32_t egress = topology.hosts[h].fabric_address - 1, port = lids->lft[h + 1];
		uint64_t ports;

		if (egress == at) {
			ck_assert_uint_eq(port, topology.hosts[h].egress_port);
			ck_assert_uint_eq(lids->pgft[h + 1], 0);
			continue;
		}
		ports = routing_route(&routing, at, egress)->ports;
		ck_assert(ports >> port & 1);
		if (ports & (ports - 1))
			ck_assert_uint_eq(lids->pgt[lids->pgft[h + 1]][0], ports);
		else
			ck_assert_uint_eq(lids->pgft[h + 1], 0);
	}
}

TEST_RANGE(routing_lids_make__groups_are_the_candidates, 0, TOPOLOGIES)
{
	topology_of(topologies[_i]);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP });
	for (uint32_t i = 0; i < topology.switch_count; i++)
		lids_check(i);
}

/* links of the shortest way from @from to @to */
static uint32_t hops(const uint16_t *distances, uint32_t from, uint32_t to)
{
	return routing_hops(distances[(size_t)to * topology.switch_count + from]);
}

/* PG-5, PG-6: the members of every group of longer ways, on their own, and the number of these
 * groups */
static uint32_t non_minimal_check(const uint16_t *distances, uint32_t at, uint32_t host,
				  uint32_t lanes)
{
	const struct lid_tables *lids = &routing.switches[at].lids;
	uint32_t egress = topology.hosts[host].fabric_address - 1, group = lids->pgft[host + 1];
	uint64_t shortest, ports;

	if (egress == at || group < PORT_GROUP_EDGE_FROM)
		return 0;
	shortest = routing_route(&routing, at, egress)->ports;
	ports = lids->pgt[group][0];
	ck_assert_int_eq(__builtin_popcountll(shortest), 1);
	ck_assert_uint_eq(lids->lft[host + 1], (uint32_t)__builtin_ctzll(shortest));
	ck_assert(ports & shortest);
	ck_assert(topology_has_hosts(&topology, at));
	for (ports &= ~shortest; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports),
			 peer = topology.switches[at].ports[port].peer;
		uint64_t on = routing_route(&routing, peer, egress)->ports;

		ck_assert(topology_leads_on(&topology, at, port));
		ck_assert_uint_le(1 + hops(distances, peer, egress), lanes);
		for (; on; on &= on - 1)
			ck_assert_uint_ne(topology.switches[peer].ports[__builtin_ctzll(on)].peer,
					  at);
	}
	return 1;
}

static uint32_t non_minimal_entries(void)
{
	uint16_t *distances = routing_distances(&topology);
	uint32_t count = 0;

	for (uint32_t i = 0; i < topology.switch_count; i++)
		for (uint32_t h = 0; h < topology.host_count; h++)
			count += non_minimal_check(distances, i, h, routing.lanes);
	free(distances);
	return count;
}

/* links of the longest way by a group of longer ways */
static uint32_t non_minimal_longest(void)
{
	uint16_t *distances = routing_distances(&topology);
	uint32_t longest = 0;

	for (uint32_t at = 0; at < topology.switch_count; at++)
		for (uint32_t to = 0; to < topology.switch_count; to++)
			for (uint64_t ports = routing.switches[at].non_minimal[to]; ports;
			     ports &= ports - 1) {
				uint32_t peer =
					topology.switches[at].ports[__builtin_ctzll(ports)].peer;
				uint32_t links = 1 + hops(distances, peer, to);

				longest = links > longest ? links : longest;
			}
	free(distances);
	return longest;
}

/* PG-5, PG-6: a dragonfly has groups, of own links to other groups and of links within the group;
 * one lane more than minimal ways need. Levels rise with every hop of the longer way, too: no
 * circle. */
TEST(routing_non_minimal_make__dragonfly)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_int_eq(routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(routing.hops_max, 4); /* to another group, local, global, local */
	ck_assert_uint_eq(routing.lanes, 4);
	ck_assert_ptr_null(routing.cycle);
	no_circle();
	all_walk();
	/* of every switch, for all hosts but its own */
	ck_assert_uint_eq(non_minimal_entries(), 36 * 70);
	/* the first switch of group 0 holds the link to group 1; its other global link leads to
	 * group 2 */
	ck_assert_uint_eq(routing.switches[find("g0s0")].non_minimal[find("g1s0")],
			  1ull << __builtin_ctzll(
				  routing_route(&routing, find("g0s0"), find("g2s0"))->ports));
}

/* the search for circles follows them: on one level, where shortest ways alone are without one, it
 * finds one; by hop it does not */
TEST(routing_cycle_find__non_minimal)
{
	uint64_t aside[3][3] = { { 0 } };
	char *cycle;

	topology_of("{switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b], [b, c], [c, "
		    "a]]}");
	made((struct routing_request){ 0 });
	ck_assert_int_eq(routing.lane_rule, LANES_KEEP);
	no_circle();
	/* all by the other switch, in both directions of the ring */
	for (uint32_t at = 0; at < 3; at++) {
		for (uint32_t to = 0; to < 3; to++)
			if (to != at)
				aside[at][to] = routing_route(&routing, at, 3 - at - to)->ports;
		routing.switches[at].non_minimal = aside[at];
	}
	ck_assert_int_eq(routing_cycle_find(&topology, &routing, &cycle), 0);
	ck_assert_ptr_nonnull(cycle);
	free(cycle);
	routing.lane_rule = LANES_BY_HOP;
	routing.lanes = 2;
	no_circle();
	for (uint32_t at = 0; at < 3; at++)
		routing.switches[at].non_minimal = NULL;
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_uint_eq(routing.lanes, 2);
	ck_assert_uint_eq(non_minimal_entries(), 6);
}

/* too few lanes: none, or those alone that fit; several shortest ports: groups of these, with
 * numbers below */
TEST(routing_non_minimal_make__what_fits)
{
	topology_of(RING5);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_uint_eq(routing.lanes, 3);
	/* to the two that are not next to it, the other way round */
	ck_assert_uint_eq(non_minimal_entries(), 5 * 2);
	made((struct routing_request){
		.fabric = FABRIC_PORT_GROUP, .non_minimal = true, .lanes = 2 });
	ck_assert_uint_eq(non_minimal_entries(), 0);
	made((struct routing_request){
		.fabric = FABRIC_PORT_GROUP, .non_minimal = true, .lanes = 1 });
	ck_assert_uint_eq(non_minimal_entries(), 0);
	tear_down();
	topology_of(DRAGONFLY);
	made((struct routing_request){
		.fabric = FABRIC_PORT_GROUP, .non_minimal = true, .lanes = 3 });
	ck_assert_uint_gt(non_minimal_entries(), 0);
	ck_assert_uint_lt(non_minimal_entries(), 36 * 70);
	tear_down();
	topology_of("{generate: fat-tree, radix: 4}");
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_int_eq(routing.lane_rule, LANES_KEEP);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		lids_check(i);
}

/* PG-11: when links have failed, members are the ports that are left, within the lanes that there
 * are */
TEST(routing_non_minimal_make__follows)
{
	struct routing_request request = { .fabric = FABRIC_PORT_GROUP, .non_minimal = true };
	uint32_t before;

	topology_of(DRAGONFLY);
	made(request);
	before = non_minimal_entries();
	request.follow = true;
	request.order = routing.order;
	request.lanes = routing.lanes;
	request.lane_rule = routing.lane_rule;
	made(request);
	ck_assert_uint_eq(non_minimal_entries(), before);
	topology.switches[find("g2s0")].alive = false;
	made(request);
	no_circle();
	ck_assert_uint_gt(non_minimal_entries(), 0);
	ck_assert_uint_eq(routing.switches[find("g0s0")].non_minimal[find("g2s0")], 0);
}

/* the only link between @a and @b */
static void link_up_set(const char *a, const char *b, bool up)
{
	uint32_t at = find(a), peer = find(b);

	for (uint32_t p = 0; p < topology.switches[at].port_count; p++)
		if (topology.switches[at].ports[p].leads_to == END_SWITCH &&
		    topology.switches[at].ports[p].peer == peer)
			link_set(at, p, up);
}

/* the most links of what is under way when the ways of @request give way to those of a ring with or
 * without the link from c to d */
static uint32_t in_flight(struct routing_request request, bool before, bool after)
{
	uint32_t most = 0;
	uint16_t *distances;

	link_up_set("c", "d", before);
	made(request);
	link_up_set("c", "d", after);
	distances = routing_distances(&topology);
	ck_assert_int_eq(routing_in_flight_hops(&topology, &routing, distances, &most), 0);
	free(distances);
	return most;
}

/* PG-5, FC-26: a packet from a to c may go by e (1 link) to d (2), where the link to c has failed:
 * back over all of the ring, 4 links more. On shortest ways alone it has come over 1 link when it
 * is in that corner. What returns makes no way longer than the 4 links before, nor does what stays
 * as it is. */
TEST(routing_in_flight_hops__ring)
{
	struct routing_request request = { .fabric = FABRIC_PORT_GROUP,
					   .order = ORDER_MINIMAL,
					   .lanes_max = 8 };

	topology_of(RING5);
	ck_assert_uint_eq(in_flight(request, true, true), 2);
	ck_assert_uint_eq(in_flight(request, true, false), 5);
	ck_assert_uint_eq(in_flight(request, false, true), 4);
	request.non_minimal = true;
	ck_assert_uint_eq(in_flight(request, true, true), 3);
	ck_assert_uint_eq(in_flight(request, true, false), 6);
}

/* Longer ways do not use up lanes beyond those of the whole fabric's, which are for what is under
 * way. */
TEST(routing_non_minimal_make__path_hops_max)
{
	struct routing_request request = { .fabric = FABRIC_PORT_GROUP,
					   .non_minimal = true,
					   .follow = true,
					   .lane_rule = LANES_BY_HOP,
					   .lanes = 8 };
	uint32_t at, to;

	topology_of(DRAGONFLY);
	link_up_set("g0s1", "g0s0", false);
	at = find("g0s2");
	to = find("g1s1");
	made(request);
	ck_assert_uint_eq(routing.lanes, 8);
	ck_assert_uint_gt(non_minimal_longest(), 4);
	ck_assert(routing.switches[at].non_minimal[to]);
	request.path_hops_max = 4;
	made(request);
	ck_assert_uint_eq(routing.lanes, 8);
	ck_assert_uint_eq(non_minimal_longest(), 4);
}

/* where host @host's packets from @from pass a switch without hosts all of whose neighbours have
 * none either: the core */
static uint32_t core_of(uint32_t from, uint32_t host)
{
	uint32_t at = from, core = UINT32_MAX;

	while (at != topology.hosts[host].fabric_address - 1) {
		if (topology.switches[at].name[0] == 'c')
			core = at;
		at = topology.switches[at].ports[routing.switches[at].lids.lft[host + 1]].peer;
	}
	return core;
}

/* D-mod-k: to a host from everywhere over one core switch, and every core switch has equally many
 * hosts */
TEST_RANGE(routing_lids_make__fat_tree_spreads_destinations, 0, 2)
{
	uint32_t hosts_of[64] = { 0 }, k = _i ? 8 : 4;
	char text[64];

	snprintf(text, sizeof(text), "{generate: fat-tree, radix: %u}", k);
	topology_of(text);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP });
	for (uint32_t h = 0; h < topology.host_count; h++) {
		uint32_t core = UINT32_MAX;

		for (uint32_t i = 0; i < topology.switch_count; i++) {
			uint32_t by = topology_has_hosts(&topology, i) ? core_of(i, h) : UINT32_MAX;

			if (by == UINT32_MAX)
				continue;
			ck_assert(core == UINT32_MAX || core == by);
			core = by;
		}
		ck_assert_uint_ne(core, UINT32_MAX);
		hosts_of[core - find("c0")]++;
	}
	for (uint32_t i = 0; i < k * k / 4; i++)
		ck_assert_uint_eq(hosts_of[i], k);
}

/* PG-11: whose port is left keeps it, whatever else of its candidates has failed; all others take
 * what their switch takes at once, lid_stand_in() */
TEST(routing_lids_make__a_failure_moves_no_others)
{
	struct routing_request request = { .fabric = FABRIC_PORT_GROUP };
	uint32_t moved = 0, kept = 0;
	struct lid_tables *before;

	topology_of("{generate: fat-tree, radix: 8}");
	made(request);
	before = calloc(topology.switch_count, sizeof(*before));
	for (uint32_t i = 0; i < topology.switch_count; i++) {
		before[i] = routing.switches[i].lids;
		routing.switches[i].lids = (struct lid_tables){ 0 };
	}
	request = (struct routing_request){ .fabric = FABRIC_PORT_GROUP,
					    .follow = true,
					    .order = routing.order,
					    .lanes = routing.lanes,
					    .lane_rule = routing.lane_rule };
	topology.switches[find("c0")].alive = false;
	made(request);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		for (uint32_t lid = 1; i != find("c0") && lid <= topology.host_count; lid++) {
			uint8_t was = before[i].lft[lid], is = routing.switches[i].lids.lft[lid];
			uint64_t group =
				routing.switches[i].lids.pgt[routing.switches[i].lids.pgft[lid]][0];

			moved += is != was;
			kept += is == was;
			if (is != was) {
				ck_assert(!topology_leads_on(&topology, i, was));
				ck_assert_uint_eq(is, lid_stand_in(group, lid));
			}
		}
	ck_assert_uint_gt(moved, 0);
	ck_assert_uint_gt(kept, 30 * moved);
	for (uint32_t i = 0; i < topology.switch_count; i++)
		lid_tables_free(&before[i]);
	free(before);
}

/* ---- many switches ---- */

static const char *const big[] = {
	"{generate: dragonfly, hosts-per-switch: 4, switches-per-group: 8, global-links: 4}",
	"{generate: fat-tree, radix: 16}",
};

TEST_RANGE(routing_make__a_thousand_hosts, 0, 2)
{
	topology_of(big[_i]);
	made((struct routing_request){ .detours = !_i, .fabric = FABRIC_PORT_GROUP });
	ck_assert_uint_eq(topology.host_count, _i ? 1024 : 1056);
	ck_assert_uint_eq(routing.lanes, _i ? 1 : 6);
}
