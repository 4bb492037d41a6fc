/*  orchestrator/manager/update_safety: old and new routes of four switches in a ring, one host
 *  each, port 0 to the host, 1 to the next switch, 2 to the previous one. Routes along the chain 0
 *  - 1 - 2 - 3 have no cycle, nor have those along 1 - 2 - 3 - 0; both together have (FC-26). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/manager/update_safety.h"
#include "tests/testing.h"

#define COUNT 4u
#define HOST 0u
#define NEXT 1u
#define BEFORE 2u

static struct topology topology;
static struct routing routing;
static struct switch_image images[COUNT];
static char *circle;

/* the port of @at towards @to along the chain that begins at switch @first */
static uint32_t chain_port(uint32_t first, uint32_t at, uint32_t to)
{
	return (at + COUNT - first) % COUNT < (to + COUNT - first) % COUNT ? NEXT : BEFORE;
}

static void ring_make(void)
{
	topology = (struct topology){ .switch_count = COUNT,
				      .host_count = COUNT,
				      .switches = calloc(COUNT, sizeof(*topology.switches)),
				      .hosts = calloc(COUNT, sizeof(*topology.hosts)) };
	for (uint32_t i = 0; i < COUNT; i++) {
		struct topology_switch *node = &topology.switches[i];

		node->fabric_address = i + 1;
		node->alive = true;
		node->port_count = 3;
		node->ports[HOST] =
			(struct topology_port){ .leads_to = END_HOST, .up = true, .peer = i };
		node->ports[NEXT] = (struct topology_port){ .leads_to = END_SWITCH,
							    .up = true,
							    .peer = (i + 1) % COUNT,
							    .peer_port = BEFORE };
		node->ports[BEFORE] = (struct topology_port){ .leads_to = END_SWITCH,
							      .up = true,
							      .peer = (i + COUNT - 1) % COUNT,
							      .peer_port = NEXT };
		topology.hosts[i] =
			(struct host_config){ .host_index = i, .fabric_address = i + 1 };
	}
}

/* new routes: along the chain from @first */
static void routing_chain(uint32_t first)
{
	routing = (struct routing){ .order = ORDER_UP_DOWN,
				    .lane_rule = LANES_KEEP,
				    .lanes = 1,
				    .switch_count = COUNT,
				    .switches = calloc(COUNT, sizeof(*routing.switches)) };
	for (uint32_t at = 0; at < COUNT; at++) {
		routing.switches[at].routes =
			calloc(COUNT - 1, sizeof(*routing.switches[at].routes));
		for (uint32_t to = 0; to < COUNT; to++)
			if (to != at)
				*routing_route(&routing, at, to) = (struct route_config){
					.fabric_address = to + 1,
					.ports = 1ull << chain_port(first, at, to)
				};
	}
}

/* The present routes: equal to the tables of @fabric; for port groups, with @groups, every group
 * has all of its ports. */
static void images_chain(enum fabric_kind fabric, uint32_t first, bool groups)
{
	for (uint32_t at = 0; at < COUNT; at++)
		for (uint32_t to = 0; to < COUNT; to++) {
			uint64_t ports = 1ull << (to == at ? HOST : chain_port(first, at, to));
			struct switch_image *image = &images[at];

			if (fabric == FABRIC_FLOW_CHANNEL && to != at) {
				ck_assert_int_eq(switch_image_widen(image, TABLE_ROUTES, 1), 0);
				table_put(TABLE_ROUTES, image->tables[TABLE_ROUTES].bytes, to + 1,
					  ports);
			}
			if (fabric != FABRIC_PORT_GROUP)
				continue;
			ck_assert_int_eq(switch_image_widen(image, TABLE_LFT, 1), 0);
			ck_assert_int_eq(switch_image_widen(image, TABLE_PGFT, 1), 0);
			ck_assert_int_eq(switch_image_widen(image, TABLE_PGT, 1), 0);
			table_put(TABLE_LFT, image->tables[TABLE_LFT].bytes, to + 1,
				  groups ? LFT_NO_PORT : (uint64_t)__builtin_ctzll(ports));
			table_put(TABLE_PGFT, image->tables[TABLE_PGFT].bytes, to + 1,
				  groups ? to + 1 : 0);
			table_put_mask(image->tables[TABLE_PGT].bytes, to + 1,
				       (uint64_t[PORT_GROUP_WORDS]){ ports });
		}
}

static void setup(void)
{
	memset(images, 0, sizeof(images));
	circle = NULL;
	ring_make();
	routing_chain(0);
}

static void teardown(void)
{
	free(circle);
	for (uint32_t i = 0; i < COUNT; i++) {
		switch_image_free(&images[i]);
		free(routing.switches[i].routes);
	}
	free(routing.switches);
	topology_free(&topology);
}

static bool has_circle(enum fabric_kind fabric)
{
	ck_assert_int_eq(update_safety_check(fabric, &topology, images, &routing, &circle), 0);
	return circle;
}

static const struct {
	enum fabric_kind fabric;
	bool groups;
} kinds[] = { { FABRIC_FLOW_CHANNEL, false },
	      { FABRIC_PORT_GROUP, false },
	      { FABRIC_PORT_GROUP, true } };

TEST_GROUP(all, .setup = setup, .teardown = teardown);

TEST_RANGE(update_safety_check__unchanged_routes_are_safe, 0, 3)
{
	images_chain(kinds[_i].fabric, 0, kinds[_i].groups);
	ck_assert(!has_circle(kinds[_i].fabric));
}

TEST_RANGE(update_safety_check__finds_the_cycle_of_both, 0, 3)
{
	images_chain(kinds[_i].fabric, 1, kinds[_i].groups);
	ck_assert(has_circle(kinds[_i].fabric));
	ck_assert_msg(strstr(circle, "->"), "%s", circle);
}

/* all tables are empty */
TEST(update_safety_check__empty_tables_are_safe)
{
	ck_assert(!has_circle(FABRIC_FLOW_CHANNEL));
}

/* 0 and 3 send everything to each other; no packet waits for a failed link */
TEST_RANGE(update_safety_check__links_that_are_down_do_not_count, 0, 2)
{
	images_chain(FABRIC_FLOW_CHANNEL, 0, false);
	for (uint32_t to = 0; to < COUNT; to++) {
		table_put(TABLE_ROUTES, images[0].tables[TABLE_ROUTES].bytes, to + 1,
			  to ? 1 << BEFORE : 0);
		table_put(TABLE_ROUTES, images[3].tables[TABLE_ROUTES].bytes, to + 1,
			  to == 3 ? 0 : 1 << NEXT);
	}
	if (_i)
		topology.switches[0].ports[BEFORE].up = topology.switches[3].ports[NEXT].up = false;
	ck_assert_int_eq(has_circle(FABRIC_FLOW_CHANNEL), !_i);
}
