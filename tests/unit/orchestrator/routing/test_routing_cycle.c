/*  orchestrator/routing/routing_cycle: the search for cycles, compared with one that tries every
 *  path, and on many switches (FC-23). */
#include "tests/unit/orchestrator/routing/routing_checks.h"

TEST_GROUP(routing_cycle, .teardown = tear_down, .timeout_s = 120);

/* ---- the search, and one that tries every path ---- */

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

/* Hosts at about two switches of three; up to 12 links, some of them parallel, and some down. */
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

/* the candidates at @at towards @towards; a packet of a host may also leave by a non-minimal one */
static uint64_t ports_of(uint32_t from, uint32_t at, uint32_t via, uint32_t towards)
{
	const uint64_t *aside = routing.switches[at].non_minimal;
	bool may = aside && from == CHANNELS_MAX && via == UINT32_MAX;

	return routing_route(&routing, at, towards)->ports | (may ? aside[towards] : 0);
}

/* A packet at @at, which arrived from @from (CHANNELS_MAX: from a host), with @level on its next
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
	ck_assert_msg(hops < 64, "a path that does not end");
	for (uint64_t ports = ports_of(from, at, via, towards); ports; ports &= ports - 1) {
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
	static const uint64_t none[CHANNELS_MAX / 64];

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
		for (uint32_t i = 0; memcmp(waits[k], none, sizeof(none)) && i < CHANNELS_MAX; i++)
			for (uint32_t word = 0;
			     waits[i][k / 64] >> k % 64 & 1 && word < CHANNELS_MAX / 64; word++)
				waits[i][word] |= waits[k][word];
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (waits[i][i / 64] >> i % 64 & 1)
			return true;
	return false;
}

/* Is each step of the printed cycle in the wait-for graph? */
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

/* Packets of hosts may leave by any other port, at about one switch of two. Is there a cycle? */
static bool non_minimal_compare(uint32_t round)
{
	uint64_t aside[RANDOM_SWITCHES][RANDOM_SWITCHES] = { 0 };
	char *cycle = NULL;
	bool circle;

	for (uint32_t at = 0; at < topology.switch_count; at++) {
		for (uint32_t to = 0; to < topology.switch_count; to++)
			for (uint32_t p = 0; to != at && p < topology.switches[at].port_count; p++)
				if (topology_leads_on(&topology, at, p) && !draw(3))
					aside[at][to] |= 1ull << p;
		routing.switches[at].non_minimal = draw(2) ? aside[at] : NULL;
	}
	ck_assert_int_eq(routing_cycle_find(&topology, &routing, &cycle), 0);
	circle = has_circle();
	ck_assert_msg(circle == !!cycle, "round %u: %s", round,
		      cycle ? cycle : "no non-minimal cycle was found");
	if (cycle)
		circle_check(cycle);
	free(cycle);
	for (uint32_t at = 0; at < topology.switch_count; at++)
		routing.switches[at].non_minimal = NULL;
	return circle;
}

TEST(routing_cycle_find__equals_trying_every_path)
{
	uint32_t with_circle = 0, without = 0, aside_only = 0;

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
			      routing.cycle ? routing.cycle : "no cycle was found");
		if (routing.cycle)
			circle_check(routing.cycle);
		aside_only += non_minimal_compare(round) && !circle;
		with_circle += circle;
		without += !circle;
	}
	ck_assert_uint_gt(with_circle, 100);
	ck_assert_uint_gt(without, 100);
	ck_assert_uint_gt(aside_only, 100);
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
