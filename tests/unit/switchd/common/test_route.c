/*  switchd/common/route: which ports are next hops to a switch, and the static choice among them
 *  (FC-1, FC-15); ports upward (FC-25). */
#include <stdlib.h>

#include "switchd/common/route.h"
#include "switchd/common/switch_tables.h"
#include "tests/testing.h"

#define OWN_ADDRESS 7u
#define UPWARD (1ull << 0 | 1ull << 3 | 1ull << 62 | 1ull << 63)

static struct route_config routes[] = {
	{ .fabric_address = 2, .ports = 1ull << 5 },
	{ .fabric_address = 300, .ports = 1ull << 0 | 1ull << 3 | 1ull << 63 },
	{ .fabric_address = ROUTE_UPWARD, .ports = UPWARD },
};

static struct route_table table;

static void setup(void)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS,
					.route_count = 3,
					.routes = routes };

	ck_assert_int_eq(route_table_init(&table, &config), 0);
}

static void teardown(void)
{
	route_table_fini(&table);
}

TEST_GROUP(route, .setup = setup, .teardown = teardown);

TEST(route_table_init__has_no_routes)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS };
	struct route_table lonely;

	ck_assert_int_eq(route_table_init(&lonely, &config), 0);
	ck_assert_int_eq(route_choose(&lonely, OWN_ADDRESS, 4), 4);
	for (uint32_t address = 0; address < 10; address++)
		ck_assert(address == OWN_ADDRESS || route_choose(&lonely, address, 0) == -1);
	route_table_fini(&lonely);
}

/* FC-1: a path may have ingress and egress on the same switch */
TEST(route_choose__own_switch)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, OWN_ADDRESS, port), (int)port);
}

TEST(route_choose__single_candidate_is_selected)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, 2, port), 5);
}

/* the (egress port mod count)-th candidate: flows to the hosts of a switch are spread over the
 * paths to it */
TEST(route_choose__spread_over_candidates)
{
	static const int expected[3] = { 0, 3, 63 };

	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, 300, port), expected[port % 3]);
}

TEST(route_choose__none_for_an_unknown_switch)
{
	static const uint32_t unknown[] = { 0, 1, 3, 299, 301, 65535 };

	for (uint32_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert_int_eq(route_choose(&table, unknown[i], 0), -1);
}

/* ---- ports upward (FC-25) ---- */

/* address 0 belongs to no switch: its entry is no route */
TEST(route_upward__is_no_destination)
{
	ck_assert_uint_eq(table.upward, UPWARD);
	ck_assert_uint_eq(route_of(&table, ROUTE_UPWARD)->port_count, 0);
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, ROUTE_UPWARD, port), -1);
}

/* 1 is the lowest; the reverse lookup gives the same port, 63 too */
TEST(route_upward__number_and_port)
{
	static const uint32_t ports[] = { 0, 3, 62, 63 };

	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(route_upward_number(&table, ports[i]), i + 1);
		ck_assert_int_eq(route_upward_port(&table, i + 1), (int)ports[i]);
	}
}

/* 0: no number is given */
TEST(route_upward__none_for_an_unknown_number)
{
	static const uint32_t numbers[] = { 0, 5, 6, 63, 64, 2047, UINT32_MAX };

	for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ck_assert_int_eq(route_upward_port(&table, numbers[i]), -1);
}

TEST(route_upward__numbers_all_ports)
{
	table.upward = UINT64_MAX;
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++) {
		ck_assert_uint_eq(route_upward_number(&table, port), port + 1);
		ck_assert_int_eq(route_upward_port(&table, port + 1), (int)port);
	}
	ck_assert_int_eq(route_upward_port(&table, 65), -1);
}

/* the top of a tree, and numbers that do not exist */
TEST(route_upward__none_at_the_top)
{
	table.upward = 0;
	for (uint32_t number = 0; number < 70; number++)
		ck_assert_int_eq(route_upward_port(&table, number), -1);
}

static void follow(void *dataplane, node_time_t now)
{
	(void)dataplane;
	(void)now;
}

/* PG-11: the fabric manager reads back what it wrote; otherwise it would write it again at every
 * sweep */
TEST(route_upward__is_read_back)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS,
					.route_count = 3,
					.routes = routes };
	struct table_block block = { .table = TABLE_ROUTES };
	struct route_table ways = { 0 };
	struct translate hosts = { 0 };
	const struct switch_ops ops = { .follow = follow };
	struct stats_page stats = { 0 };
	struct switch_shell sw = {
		.ops = &ops, .stats = &stats, .routes = &ways, .translate = &hosts
	};

	ck_assert_int_eq(switch_tables_replace(&sw, &config), 0);
	ck_assert(sw.tables_changed);
	sw.tables_changed = false;
	ck_assert_int_eq(switch_tables_replace(&sw, &config), 0);
	ck_assert(!sw.tables_changed);
	ck_assert_uint_eq(stats.tables_taken, 2);
	ck_assert_uint_eq(switch_tables_blocks(&sw, TABLE_FLOOD), 0);
	switch_tables_read(&sw, &block);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, ROUTE_UPWARD), UPWARD);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, 1), 0);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, 2), 1 << 5);
	route_table_fini(&ways);
	translate_fini(&hosts);
}

/* tables that differ only in this are different */
TEST(route_upward__makes_a_difference)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS,
					.route_count = 2,
					.routes = routes };
	struct route_table without;

	ck_assert_int_eq(route_table_init(&without, &config), 0);
	ck_assert(!route_table_same(&table, &without));
	without.upward = UPWARD;
	ck_assert(route_table_same(&table, &without));
	route_table_fini(&without);
}

/* each intermediate switch counts, and their number */
TEST(route_table_same__intermediate_switches)
{
	uint16_t one[] = { 3, 4, 5 }, other[] = { 3, 4, 6 };
	struct switch_config config = { .fabric_address = OWN_ADDRESS,
					.via_count = 3,
					.vias = one };
	struct route_table a, b;

	ck_assert_int_eq(route_table_init(&a, &config), 0);
	ck_assert_int_eq(route_table_init(&b, &config), 0);
	ck_assert(route_table_same(&a, &b));
	route_table_fini(&b);
	config.vias = other;
	ck_assert_int_eq(route_table_init(&b, &config), 0);
	ck_assert(!route_table_same(&a, &b));
	route_table_fini(&b);
	config.vias = one;
	config.via_count = 2;
	ck_assert_int_eq(route_table_init(&b, &config), 0);
	ck_assert(!route_table_same(&a, &b));
	ck_assert(!route_table_same(&b, &a));
	route_table_fini(&a);
	route_table_fini(&b);
}
