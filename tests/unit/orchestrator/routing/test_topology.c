/*  orchestrator/routing/topology: a fabric as it is with all that has failed (FC-23, TB-14). */
#include "tests/unit/orchestrator/routing/routing_checks.h"

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

static struct topology_port to(const char *name, uint32_t port, enum link_tier tier)
{
	return (struct topology_port){ .leads_to = END_SWITCH,
				       .peer = find(name),
				       .peer_port = (uint8_t)port,
				       .tier = (uint8_t)tier };
}

/* A switch of which only its hosts and the other ends of its links are known. */
static void silent_make(const char *name)
{
	struct topology_switch *at = &topology.switches[find(name)];

	memset(at->ports, 0, sizeof(at->ports));
	at->port_count = 0;
	at->alive = false;
}

/* One link is down, one switch is silent. A host of no known switch is left out. */
TEST(topology_whole__all_that_is_plugged_in)
{
	static const struct topology_port host_a = { .leads_to = END_HOST, .peer = 0 },
					  host_b = { .leads_to = END_HOST, .peer = 1 };

	topology_of("{switches: [a, b, c], hosts: {A: a, B: b, X: b}, links: [[a, b], [b, c], [c, "
		    "a]]}");
	/* ports: those of hosts, then those of links, in their order */
	topology.switches[find("a")].ports[1].tier = TIER_GLOBAL;
	link_set(find("a"), 1, false);
	link_set(find("a"), 2, false);
	link_set(find("c"), 0, false);
	silent_make("b");
	topology.hosts[2].fabric_address = 4;
	ck_assert_int_eq(topology_whole(&topology, &whole), 0);
	ck_assert_uint_eq(whole.switch_count, 3);
	port_expect("a", 0, host_a);
	port_expect("b", 0, host_b);
	port_expect("a", 1, to("b", 2, TIER_GLOBAL));
	port_expect("b", 2, to("a", 1, TIER_GLOBAL));
	port_expect("b", 3, to("c", 0, TIER_LOCAL));
	port_expect("c", 0, to("b", 3, TIER_LOCAL));
	port_expect("a", 2, to("c", 1, TIER_LOCAL));
	port_expect("c", 1, to("a", 2, TIER_LOCAL));
	ck_assert_uint_eq(whole.switches[find("b")].ports[1].leads_to, END_NOTHING);
	ports_end_at("a", 3);
	ports_end_at("b", 4);
	ports_end_at("c", 2);
}

/* A switch with hosts is there, though nothing else is known of it; a host without an address is
 * at none. */
TEST_RANGE(topology_whole__of_hosts_alone, 0, 2)
{
	uint32_t known = (uint32_t)_i;
	const char *names[] = { "a", "b" };

	topology_of("{switches: [a, b], hosts: {A: a, B: b}, links: [[a, b]]}");
	silent_make("a");
	silent_make("b");
	topology.hosts[known].egress_port = 7;
	topology.hosts[!known].fabric_address = 0;
	ck_assert_int_eq(topology_whole(&topology, &whole), 0);
	port_expect(names[known], 7, (struct topology_port){ .leads_to = END_HOST, .peer = known });
	ports_end_at(names[known], 8);
	ck_assert(!whole.switches[find(names[!known])].alive);
	ports_end_at(names[!known], 0);
}
