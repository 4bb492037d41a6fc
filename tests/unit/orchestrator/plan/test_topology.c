/*  orchestrator/routing/topology: a fabric as it is with all that has failed (FC-23, TB-14). */
#include "tests/unit/orchestrator/plan/routing_checks.h"

static struct topology whole;

static void teardown(void)
{
	topology_free(&whole);
	tear_down();
}

TEST_GROUP(topology, .teardown = teardown);

static void port_expect(const char *name, uint32_t port, struct topology_port expected)
{
	const struct topology_switch *at = &whole.switches[find(name)];
	const struct topology_port *end = &at->ports[port];

	ck_assert(at->alive && port < at->port_count);
	ck_assert_uint_eq(end->leads_to, expected.leads_to);
	ck_assert_uint_eq(end->peer, expected.peer);
	ck_assert_uint_eq(end->peer_port, expected.peer_port);
	ck_assert_uint_eq(end->tier, expected.tier);
	ck_assert(end->up);
}

/* Ports beyond the last one are as they were. */
static void ports_end_at(const char *name, uint32_t count)
{
	static const struct topology_port none;
	const struct topology_switch *at = &whole.switches[find(name)];

	ck_assert_uint_eq(at->port_count, count);
	for (uint32_t p = count; p < NODE_PORTS_MAX; p++)
		ck_assert_mem_eq(&at->ports[p], &none, sizeof(none));
}

/* One link is down; b answers nothing, so that only the other ends of its links are known, and the
 * number of its host. A host of no known switch is left out. */
TEST(topology_whole__all_that_is_plugged_in)
{
	uint32_t a, b, c;

	topology_of("{switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b], [b, c], [c, "
		    "a]]}");
	a = find("a");
	b = find("b");
	c = find("c");
	/* ports: the host's, then those of the links in their order */
	topology.switches[a].ports[1].tier = TIER_GLOBAL;
	link_set(a, 2, false);
	memset(topology.switches[b].ports, 0, sizeof(topology.switches[b].ports));
	topology.switches[b].port_count = 0;
	topology.switches[b].alive = false;
	topology.switches[a].ports[1].up = topology.switches[c].ports[1].up = false;
	topology.hosts[2].fabric_address = 4;
	ck_assert_int_eq(topology_whole(&topology, &whole), 0);
	ck_assert_uint_eq(whole.switch_count, 3);
	port_expect("a", 0, (struct topology_port){ .leads_to = END_HOST, .peer = 0 });
	port_expect("b", 0, (struct topology_port){ .leads_to = END_HOST, .peer = 1 });
	port_expect(
		"a", 1,
		(struct topology_port){
			.leads_to = END_SWITCH, .peer = b, .peer_port = 1, .tier = TIER_GLOBAL });
	port_expect(
		"b", 1,
		(struct topology_port){
			.leads_to = END_SWITCH, .peer = a, .peer_port = 1, .tier = TIER_GLOBAL });
	port_expect("b", 2,
		    (struct topology_port){ .leads_to = END_SWITCH, .peer = c, .peer_port = 1 });
	port_expect("c", 1,
		    (struct topology_port){ .leads_to = END_SWITCH, .peer = b, .peer_port = 2 });
	port_expect("a", 2,
		    (struct topology_port){ .leads_to = END_SWITCH, .peer = c, .peer_port = 2 });
	port_expect("c", 2,
		    (struct topology_port){ .leads_to = END_SWITCH, .peer = a, .peer_port = 2 });
	ports_end_at("a", 3);
	ports_end_at("b", 3);
	ports_end_at("c", 3);
}

/* A switch with hosts is there, though nothing else is known of it; a host without an address is
 * at none. */
TEST(topology_whole__of_hosts_alone)
{
	topology_of("{switches: [a, b], hosts: {A: a, B: b}, links: [[a, b]]}");
	for (uint32_t i = 0; i < 2; i++) {
		memset(topology.switches[i].ports, 0, sizeof(topology.switches[i].ports));
		topology.switches[i].port_count = 0;
		topology.switches[i].alive = false;
	}
	topology.hosts[0].fabric_address = 0;
	topology.hosts[1].egress_port = 7;
	ck_assert_int_eq(topology_whole(&topology, &whole), 0);
	ck_assert(!whole.switches[find("a")].alive);
	ports_end_at("a", 0);
	port_expect("b", 7, (struct topology_port){ .leads_to = END_HOST, .peer = 1 });
	ports_end_at("b", 8);
}
