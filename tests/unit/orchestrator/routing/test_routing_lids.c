/*  orchestrator/routing/routing_lids, routing_non_minimal, routing_in_flight: tables of port groups
 *  (PG-5, PG-6, PG-11). */
#include "tests/unit/orchestrator/routing/routing_checks.h"

TEST_GROUP(routing_lids, .teardown = tear_down, .timeout_s = 120);

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

/* links of the shortest path from @from to @to */
static uint32_t hops(const routing_distance_t *distances, uint32_t from, uint32_t to)
{
	return routing_hops(distances[(size_t)to * topology.switch_count + from]);
}

/* PG-5, PG-6: Checks the members of every group with longer paths.  Return: the number of entries
 * with such a group. */
static uint32_t non_minimal_check(const routing_distance_t *distances, uint32_t at, uint32_t host,
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
	routing_distance_t *distances = routing_distances(&topology);
	uint32_t count = 0;

	for (uint32_t i = 0; i < topology.switch_count; i++)
		for (uint32_t h = 0; h < topology.host_count; h++)
			count += non_minimal_check(distances, i, h, routing.lanes);
	free(distances);
	return count;
}

/* links of the longest path by a group with longer paths */
static uint32_t non_minimal_longest(void)
{
	routing_distance_t *distances = routing_distances(&topology);
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

/* PG-5, PG-6: a dragonfly has groups of own links to other groups, and of links within the group,
 * with one lane more than minimal paths need. Levels rise with every hop of the longer path, too:
 * no cycle. */
TEST(routing_non_minimal_make__dragonfly_needs_one_lane_more)
{
	topology_of(DRAGONFLY);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_int_eq(routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(routing.hops_max, 4); /* to another group, local, global, local */
	ck_assert_uint_eq(routing.lanes, 4);
	ck_assert_ptr_null(routing.cycle);
	no_cycle_expect();
	all_walk();
	/* of every switch, for all hosts but its own */
	ck_assert_uint_eq(non_minimal_entries(), 36 * 70);
	/* the first switch of group 0 holds the link to group 1; its other global link leads to
	 * group 2 */
	ck_assert_uint_eq(routing.switches[find("g0s0")].non_minimal[find("g1s0")],
			  1ull << __builtin_ctzll(
				  routing_route(&routing, find("g0s0"), find("g2s0"))->ports));
}

/* The search for cycles follows them. On one level it finds a cycle, although the shortest paths
 * alone have none; by hop it finds none. */
TEST(routing_cycle_find__non_minimal)
{
	uint64_t aside[3][3] = { { 0 } };
	char *cycle;

	topology_of("{switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b], [b, c], [c, "
		    "a]]}");
	made((struct routing_request){ 0 });
	ck_assert_int_eq(routing.lane_rule, LANES_KEEP);
	no_cycle_expect();
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
	no_cycle_expect();
	for (uint32_t at = 0; at < 3; at++)
		routing.switches[at].non_minimal = NULL;
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_uint_eq(routing.lanes, 2);
	ck_assert_uint_eq(non_minimal_entries(), 6);
}

/* too few lanes: no longer paths, or only those that fit; several shortest ports: groups of these,
 * with low numbers */
TEST(routing_non_minimal_make__only_what_fits_the_lanes)
{
	topology_of(RING5);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP, .non_minimal = true });
	ck_assert_uint_eq(routing.lanes, 3);
	/* to the two that are not adjacent, in the other direction */
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

static void port_add(uint32_t at, uint32_t peer, uint32_t peer_port, enum link_tier tier)
{
	struct topology_switch *node = &topology.switches[at];

	node->ports[node->port_count++] = (struct topology_port){ .leads_to = END_SWITCH,
								  .up = true,
								  .tier = (uint8_t)tier,
								  .peer = peer,
								  .peer_port = (uint8_t)peer_port };
}

/* A longer link to the next switch of the shortest path, and a cable from a switch to itself, are
 * no other path. */
TEST(routing_non_minimal_make__no_port_to_the_same_switches)
{
	uint32_t a, b, c, port;

	topology_of("{switches: [a, b, c, d], hosts: {A: a, B: b, C: c, D: d}, links: [[a, b], [b, "
		    "c], [c, a], [b, d]]}");
	a = find("a");
	b = find("b");
	c = find("c");
	port = topology.switches[a].port_count;
	port_add(a, a, port + 1, TIER_LOCAL);
	port_add(a, a, port, TIER_LOCAL);
	port_add(a, b, topology.switches[b].port_count, TIER_GLOBAL);
	port_add(b, a, port + 2, TIER_GLOBAL);
	made((struct routing_request){
		.fabric = FABRIC_PORT_GROUP, .non_minimal = true, .lanes = 8 });
	ck_assert_uint_eq(routing.switches[a].non_minimal[b], routing_route(&routing, a, c)->ports);
	/* to c both links to b are another path */
	ck_assert_uint_eq(routing.switches[a].non_minimal[c],
			  routing_route(&routing, a, b)->ports | 1ull << (port + 2));
	ck_assert_uint_eq(routing.switches[b].non_minimal[a], routing_route(&routing, b, c)->ports);
	ck_assert_uint_eq(routing.switches[a].non_minimal[a], 0);
	/* whatever goes to d passes b */
	ck_assert_uint_eq(routing.switches[a].non_minimal[find("d")], 0);
}

/* A path is no other path if it reaches the next switch of the shortest path before that has taken
 * its link between groups: both take the same one. */
TEST(routing_non_minimal_make__no_port_to_the_same_link_between_groups)
{
	uint32_t a, b, far;

	topology_of("{switches: [a, b, c, far], hosts: {A: a, B: b, C: c, F: far}, links: [[a, b], "
		    "[b, c], [c, a], [b, far]]}");
	a = find("a");
	b = find("b");
	far = find("far");
	for (uint32_t port = 0; port < topology.switches[b].port_count; port++)
		if (topology.switches[b].ports[port].leads_to == END_SWITCH &&
		    topology.switches[b].ports[port].peer == far)
			topology.switches[b].ports[port].tier = TIER_GLOBAL;
	for (uint32_t port = 0; port < topology.switches[far].port_count; port++)
		topology.switches[far].ports[port].tier = TIER_GLOBAL;
	made((struct routing_request){
		.fabric = FABRIC_PORT_GROUP, .non_minimal = true, .lanes = 8 });
	ck_assert_uint_ne(routing.switches[a].non_minimal[b], 0);
	ck_assert_uint_eq(routing.switches[a].non_minimal[far], 0);
}

/* PG-11: after failures of links, the members are the remaining ports, within the present lanes */
TEST(routing_non_minimal_make__follows_failures)
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
	no_cycle_expect();
	ck_assert_uint_gt(non_minimal_entries(), 0);
	ck_assert_uint_eq(routing.switches[find("g0s0")].non_minimal[find("g2s0")], 0);
}

/* sets the only link between @a and @b */
static void link_up_set(const char *a, const char *b, bool up)
{
	uint32_t at = find(a), peer = find(b);

	for (uint32_t p = 0; p < topology.switches[at].port_count; p++)
		if (topology.switches[at].ports[p].leads_to == END_SWITCH &&
		    topology.switches[at].ports[p].peer == peer)
			link_set(at, p, up);
}

/* the most links of a packet in flight when the routes of @request change to those of a ring with
 * or without the link from c to d */
static uint32_t in_flight(struct routing_request request, bool before, bool after)
{
	uint32_t most = 0;
	routing_distance_t *distances;

	link_up_set("c", "d", before);
	made(request);
	link_up_set("c", "d", after);
	distances = routing_distances(&topology);
	ck_assert_int_eq(routing_in_flight_hops(&topology, &routing, distances, &most), 0);
	free(distances);
	return most;
}

/* PG-5, FC-26: a packet from a to c may go by e (1 link) to d (2), where the link to c has
 * failed. It returns over the whole ring, 4 links more. On shortest paths only, it has used 1
 * link when it is there. A link that returns makes no path longer than the 4 links before; nor
 * does no change. */
TEST(routing_in_flight_hops__counts_the_path_back)
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

/* the most links of a packet to @to that is at @at after @passed links: here the tables change, or
 * it continues */
static uint32_t in_flight_model(const routing_distance_t *after, uint32_t at, uint32_t to,
				uint32_t passed, uint64_t ports)
{
	routing_distance_t left = after[(size_t)to * topology.switch_count + at];
	uint32_t most = left == ROUTING_UNREACHED ? 0 : passed + routing_hops(left);

	for (; ports && at != to; ports &= ports - 1) {
		uint32_t peer = topology.switches[at].ports[__builtin_ctzll(ports)].peer;
		uint32_t all = in_flight_model(after, peer, to, passed + 1,
					       routing_route(&routing, peer, to)->ports);

		most = all > most ? all : most;
	}
	return most;
}

#define RING_LINKS "links: [[a, b], [b, c], [c, d], [d, e], [e, a]]}"

/* rings of which few switches have hosts: the longest path begins at one of these */
static const char *const uneven[] = {
	"{switches: [a, b, c, d, e], hosts: {A: a, C: c}, " RING_LINKS,
	"{switches: [c, b, a, d, e], hosts: {A: a, C: c}, " RING_LINKS,
	"{switches: [b, a, c, d, e], hosts: {A: a, C: c}, " RING_LINKS,
	"{switches: [d, e, c, b, a], hosts: {A: a, C: c}, " RING_LINKS,
	"{switches: [e, a, b, c, d], hosts: {A: a, D: d, C: c}, " RING_LINKS,
};

#define UNEVEN (int)(sizeof(uneven) / sizeof(uneven[0]))

/* Each link of each topology fails. The model follows each path of each host. */
TEST_RANGE(routing_in_flight_hops__as_the_model, 0, (TOPOLOGIES + UNEVEN) * 2)
{
	topology_of(_i / 2 < TOPOLOGIES ? topologies[_i / 2] : uneven[_i / 2 - TOPOLOGIES]);
	made((struct routing_request){ .fabric = FABRIC_PORT_GROUP,
				       .order = ORDER_MINIMAL,
				       .lanes_max = 8,
				       .non_minimal = _i % 2 });
	for (uint32_t at = 0; at < topology.switch_count; at++)
		for (uint32_t port = 0; port < topology.switches[at].port_count; port++) {
			uint32_t most = 0, model = 0;
			routing_distance_t *after;

			if (topology.switches[at].ports[port].leads_to != END_SWITCH)
				continue;
			link_set(at, port, false);
			after = routing_distances(&topology);
			for (uint32_t to = 0; to < topology.switch_count; to++)
				for (uint32_t from = 0; from < topology.switch_count; from++) {
					const uint64_t *aside = routing.switches[from].non_minimal;
					uint32_t all;

					if (from == to || !topology_has_hosts(&topology, to) ||
					    !topology_has_hosts(&topology, from))
						continue;
					all = in_flight_model(
						after, from, to, 0,
						routing_route(&routing, from, to)->ports |
							(aside ? aside[to] : 0));
					model = all > model ? all : model;
				}
			ck_assert_int_eq(routing_in_flight_hops(&topology, &routing, after, &most),
					 0);
			ck_assert_uint_eq(most, model);
			most = model + 1;
			ck_assert_int_eq(routing_in_flight_hops(&topology, &routing, after, &most),
					 0);
			ck_assert_uint_eq(most, model + 1);
			free(after);
			link_set(at, port, true);
		}
}

/* Longer paths use no lanes beyond those of the whole fabric, which are for packets in flight. */
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

/* where packets from @from to host @host pass the core: a switch without hosts, none of whose
 * neighbours has hosts */
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

/* D-mod-k: every source reaches a host over the same core switch, and every core switch has equally
 * many hosts */
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

/* PG-11: a host whose port remains keeps it, whatever other candidates have failed. All others use
 * what their switch uses at once, lid_stand_in(). */
TEST(routing_lids_make__failure_moves_no_other_host)
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
