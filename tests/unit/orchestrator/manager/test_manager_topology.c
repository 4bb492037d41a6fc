/*  orchestrator/manager/manager_topology: the graph follows from what nodes say of themselves, and
 *  from both ends of a link (TB-14).
 *
 *      h0 - 0 s1 1 - 2 s2 0 - h1      s1 also has port 2 to a switch of index 3, that is silent */
#include "orchestrator/manager/manager_topology.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

enum { S1, S2, H0, H1, SILENT, NODES };

static struct node_identity nodes[NODES];
static bool answered[NODES];
static struct manager_census census;
static struct topology topology;

static void plug(uint32_t node, uint32_t port, uint32_t peer, uint32_t peer_port,
		 enum port_kind kind)
{
	nodes[node].ports[port] = (struct port_identity){ .plugged = true,
							  .up = true,
							  .kind = kind,
							  .peer_index = peer,
							  .peer_port = peer_port };
}

static void link_nodes(uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b,
		       enum port_kind kind)
{
	plug(a, port_a, b, port_b, kind);
	plug(b, port_b, a, port_a, kind);
}

static void setup(void)
{
	memset(nodes, 0, sizeof(nodes));
	for (uint32_t i = 0; i < NODES; i++) {
		bool is_switch = i != H0 && i != H1;

		nodes[i].kind = is_switch ? NODE_SWITCH : NODE_NIC;
		nodes[i].index = i;
		nodes[i].port_count = is_switch ? 3 : 1;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "n%u", i);
		answered[i] = i != SILENT;
	}
	nodes[S1].fabric_address = 1;
	nodes[S2].fabric_address = 2;
	nodes[H1].host_index = 1;
	link_nodes(S1, 0, H0, 0, PORT_EDGE);
	link_nodes(S2, 0, H1, 0, PORT_EDGE);
	link_nodes(S1, 1, S2, 2, PORT_FABRIC);
	plug(S1, 2, SILENT, 1, PORT_FABRIC);
	census = (struct manager_census){ .node_count = NODES,
					  .nodes = nodes,
					  .answered = answered };
}

static void teardown(void)
{
	topology_free(&topology);
}

static void made(void)
{
	topology_free(&topology);
	ck_assert_int_eq(manager_topology_make(&census, &topology), 0);
}

static void leads(uint32_t from, uint32_t port, enum topology_end to, uint32_t peer,
		  uint32_t peer_port, bool up)
{
	const struct topology_port *end = &topology.switches[from].ports[port];

	ck_assert_int_eq(end->leads_to, to);
	ck_assert_uint_eq(end->peer, peer);
	ck_assert_uint_eq(end->peer_port, peer_port);
	ck_assert_int_eq(end->up, up);
}

TEST_GROUP(manager_topology, .setup = setup, .teardown = teardown);

TEST(manager_topology_make__every_port)
{
	made();
	ck_assert_uint_eq(topology.host_count, 2);
	ck_assert(topology.switches[0].alive && topology.switches[1].alive);
	ck_assert_str_eq(topology.switches[1].name, "n1");
	leads(0, 0, END_HOST, 0, 0, true);
	leads(0, 1, END_SWITCH, 1, 2, true);
	leads(1, 0, END_HOST, 1, 0, true);
	leads(1, 1, END_NOTHING, 0, 0, false);
	leads(1, 2, END_SWITCH, 0, 1, true);
	ck_assert_uint_eq(manager_topology_links(&topology), 1);
	ck_assert_uint_eq(topology.hosts[1].fabric_address, 2);
	ck_assert_uint_eq(topology.hosts[1].egress_port, 0);
	ck_assert_uint_eq(topology.hosts[0].fabric_address, 1);
}

/* a port to a silent switch is there, down; so is a switch of that index */
TEST(manager_topology_make__a_silent_switch)
{
	made();
	leads(0, 2, END_SWITCH, SILENT, 1, false);
	ck_assert_uint_eq(topology.switch_count, SILENT + 1);
	ck_assert(!topology.switches[SILENT].alive);
	ck_assert_uint_eq(topology.switches[SILENT].fabric_address, SILENT + 1);
}

/* what lies where a switch has no port any more is none */
TEST(manager_topology_make__fewer_ports)
{
	nodes[S1].port_count = 2; /* without the one to the silent switch */
	made();
	ck_assert_uint_eq(topology.switch_count, 2);
}

/* one end is enough */
TEST_RANGE(manager_topology_make__a_link_that_is_down, 0, 2)
{
	(_i ? &nodes[S2].ports[2] : &nodes[S1].ports[1])->up = false;
	made();
	leads(0, 1, END_SWITCH, 1, 2, false);
	leads(1, 2, END_SWITCH, 0, 1, false);
	ck_assert_uint_eq(manager_topology_links(&topology), 0);
}

/* ends that do not name each other are no link */
TEST_RANGE(manager_topology_make__ends_contradict_each_other, 0, 4)
{
	struct port_identity *end = &nodes[S2].ports[2];

	if (_i == 0)
		end->plugged = false;
	else if (_i == 1)
		end->peer_index = H0;
	else if (_i == 2)
		end->peer_port = 0;
	else
		nodes[S1].ports[1].peer_port = 3; /* S2 has none */
	made();
	leads(0, 1, END_NOTHING, 0, 0, false);
	leads(0, 0, END_HOST, 0, 0, true);
}

/* a host that is silent is not there, unless it was: then it stays where it was */
TEST(manager_topology_keep__a_silent_host)
{
	const struct host_config was = { .host_index = 1, .fabric_address = 2, .egress_port = 0 };
	const struct host_config moved = { .host_index = 1, .fabric_address = 2, .egress_port = 1 };

	answered[H1] = false;
	made();
	ck_assert_uint_eq(topology.host_count, 1);
	ck_assert_uint_eq(topology.hosts[1].fabric_address, 0);
	manager_topology_keep(&census, &topology, &moved); /* nothing is plugged in there */
	ck_assert_uint_eq(topology.hosts[1].fabric_address, 0);
	manager_topology_keep(&census, &topology, &was);
	ck_assert_uint_eq(topology.hosts[1].fabric_address, 2);
	ck_assert_uint_eq(topology.host_count, 2);
}

TEST(manager_topology_keep__its_switch_is_silent)
{
	const struct host_config was = { .host_index = 1, .fabric_address = 2, .egress_port = 1 };

	answered[H1] = answered[S2] = false;
	made();
	manager_topology_keep(&census, &topology, &was);
	ck_assert_uint_eq(topology.hosts[1].egress_port, 1);
}

/* of one that answered, what it says holds */
TEST(manager_topology_keep__it_answered)
{
	const struct host_config was = { .host_index = 1, .fabric_address = 1, .egress_port = 2 };

	made();
	manager_topology_keep(&census, &topology, &was);
	ck_assert_uint_eq(topology.hosts[1].fabric_address, 2);
	ck_assert_uint_eq(topology.hosts[1].egress_port, 0);
}
