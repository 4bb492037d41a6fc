/*  orchestrator/routing/routing_flood: broadcast frames reach every switch of a connected part once
 *  (TB-14). The reference is the definition of a spanning tree, on random graphs. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "orchestrator/routing/routing_flood.h"
#include "tests/testing.h"

enum { SWITCHES = 12, LINKS = 20, EDGE_PORTS = 2 };

static struct topology_switch switches[SWITCHES];
static struct topology topology = { .switch_count = SWITCHES, .switches = switches };
static uint64_t ports[SWITCHES];

static void port_add(uint32_t at, struct topology_port port)
{
	switches[at].ports[switches[at].port_count++] = port;
}

static void link_add(uint32_t a, uint32_t b, bool up)
{
	uint8_t port_a = (uint8_t)switches[a].port_count, port_b = (uint8_t)switches[b].port_count;

	port_add(a, (struct topology_port){
			    .leads_to = END_SWITCH, .peer_port = port_b, .up = up, .peer = b });
	port_add(b, (struct topology_port){
			    .leads_to = END_SWITCH, .peer_port = port_a, .up = up, .peer = a });
}

/* edge ports, of which the second is down, and a port without a link */
static void setup(void)
{
	memset(switches, 0, sizeof(switches));
	for (uint32_t i = 0; i < SWITCHES; i++) {
		switches[i].alive = true;
		port_add(i, (struct topology_port){ .leads_to = END_HOST, .up = true });
		port_add(i, (struct topology_port){ .leads_to = END_HOST });
		port_add(i, (struct topology_port){ .leads_to = END_NOTHING, .up = true });
	}
}

/* does the port lead over a link of the tree? Both ends agree on that */
static bool in_tree(uint32_t at, uint32_t port)
{
	const struct topology_port *end = &switches[at].ports[port];
	bool is = ports[at] >> port & 1;

	ck_assert_int_eq(is, ports[end->peer] >> end->peer_port & 1);
	ck_assert(!is || topology_leads_on(&topology, at, port));
	return is;
}

/* hops from @from, over the tree or over all links that are up; UINT32_MAX: not reached */
static void hops_from(uint32_t from, bool tree, uint32_t hops[SWITCHES])
{
	uint32_t queue[SWITCHES], head = 0, tail = 0;

	memset(hops, 0xff, SWITCHES * sizeof(*hops));
	hops[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		uint32_t at = queue[head++];

		for (uint32_t p = 0; p < switches[at].port_count; p++) {
			const struct topology_port *end = &switches[at].ports[p];

			if (end->leads_to != END_SWITCH || hops[end->peer] != UINT32_MAX ||
			    !(tree ? in_tree(at, p) : topology_leads_on(&topology, at, p)))
				continue;
			hops[end->peer] = hops[at] + 1;
			queue[tail++] = end->peer;
		}
	}
}

/* what the tree reaches is what the links reach; as many links as that takes; and from the switch
 * of the lowest index the tree is as short as any path */
static void check_part(uint32_t of)
{
	uint32_t tree[SWITCHES], graph[SWITCHES], reached = 0, ends = 0;
	bool lowest = true;

	hops_from(of, true, tree);
	hops_from(of, false, graph);
	for (uint32_t i = 0; i < SWITCHES; i++) {
		ck_assert_int_eq(tree[i] == UINT32_MAX, graph[i] == UINT32_MAX);
		if (tree[i] == UINT32_MAX)
			continue;
		reached++;
		lowest &= i >= of;
		for (uint32_t p = 0; p < switches[i].port_count; p++)
			if (switches[i].ports[p].leads_to == END_SWITCH)
				ends += in_tree(i, p);
	}
	ck_assert_uint_eq(ends, 2 * (reached - 1));
	if (lowest && switches[of].alive)
		ck_assert_mem_eq(tree, graph, sizeof(tree));
}

TEST_GROUP(routing_flood, .setup = setup);

TEST_RANGE(routing_flood__spanning_tree_of_each_part, 0, 200)
{
	struct random random;

	random_init(&random, (uint64_t)_i, 0);
	for (uint32_t i = 0; i < LINKS; i++) {
		uint32_t a = (uint32_t)random_below(&random, SWITCHES);
		uint32_t b = (uint32_t)random_below(&random, SWITCHES - 1);

		link_add(a, b < a ? b : b + 1, random_below(&random, 4) > 0);
	}
	for (uint32_t i = 0; i < SWITCHES; i++)
		switches[i].alive = random_below(&random, 6) > 0;
	memset(ports, 0xff, sizeof(ports));
	ck_assert_int_eq(routing_flood(&topology, ports), 0);
	for (uint32_t i = 0; i < SWITCHES; i++) {
		ck_assert_uint_eq(ports[i] & 7, 3);
		ck_assert_uint_eq(ports[i] >> switches[i].port_count, 0);
		check_part(i);
	}
}

/* of two links between two switches that of the lower port; none between a switch and itself */
TEST(routing_flood__one_of_several_links)
{
	link_add(0, 1, true);
	link_add(0, 1, true);
	ck_assert_int_eq(routing_flood(&topology, ports), 0);
	ck_assert_uint_eq(ports[0], 0xb);
	ck_assert_uint_eq(ports[1], 0xb);
	ck_assert_uint_eq(ports[2], 0x3);
}
