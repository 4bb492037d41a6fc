/*  tests/sim/fault_tables: routes of a ring of three switches with links down (FC-26). */
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/sim/fault_tables.h"
#include "tests/testing.h"

/* link 0: a:p1 - b:p1, link 1: b:p2 - c:p1, link 2: c:p2 - a:p2; fabric addresses 1, 2, 3 */
#define RING                                                                         \
	"name: t\nrun: {duration: 100us}\n"                                          \
	"topology: {switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b]," \
	" [b, c], [c, a]]}\n"

#define LINKS 6 /* with those of hosts */

static struct plan plan, follower;
static uint32_t down[LINKS];

static void set_up(void)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	memset(down, 0, sizeof(down));
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", RING, strlen(RING), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.link_count, LINKS);
	scenario_free(&scenario);
}

static void tear_down(void)
{
	fault_tables_free(&follower);
	plan_free(&plan);
}

/* the ports of switch @at for the switch with @fabric_address; 0: no route */
static uint64_t ports_to(uint32_t at, uint32_t fabric_address)
{
	const struct switch_config *config = &follower.nodes[at].switch_;
	uint64_t ports = 0;

	for (uint32_t i = 0; i < config->route_count; i++) {
		ck_assert(config->routes[i].ports);
		if (config->routes[i].fabric_address == fabric_address)
			ports = config->routes[i].ports;
	}
	return ports;
}

/* the link between switches @a and @b goes down */
static void cut(uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < LINKS; i++) {
		const struct plan_link *link = &plan.links[i];

		down[i] += (link->node_a == a && link->node_b == b) ||
			   (link->node_a == b && link->node_b == a);
	}
}

TEST_GROUP(fault_tables, .setup = set_up, .teardown = tear_down);

TEST(fault_tables_make__all_links)
{
	ck_assert_int_eq(fault_tables_make(&plan, down, &follower), 0);
	ck_assert_uint_eq(ports_to(0, 2), 1 << 1);
	ck_assert_uint_eq(ports_to(0, 3), 1 << 2);
	ck_assert_uint_eq(follower.nodes[0].switch_.route_count, 2);
}

TEST(fault_tables_make__around_a_link_that_is_down)
{
	cut(0, 1);
	ck_assert_int_eq(fault_tables_make(&plan, down, &follower), 0);
	ck_assert_uint_eq(ports_to(0, 2), 1 << 2);
	ck_assert_uint_eq(ports_to(0, 3), 1 << 2);
	ck_assert_uint_eq(ports_to(1, 1), 1 << 2);
}

/* A switch that cannot be reached has no route at the others, and none itself: packets to it are
 * dropped as without a route. */
TEST(fault_tables_make__no_route_to_what_is_cut_off)
{
	cut(0, 1);
	cut(0, 2);
	ck_assert_int_eq(fault_tables_make(&plan, down, &follower), 0);
	ck_assert_uint_eq(follower.nodes[0].switch_.route_count, 0);
	ck_assert_uint_eq(ports_to(1, 1), 0);
	ck_assert_uint_eq(follower.nodes[1].switch_.route_count, 1);
	ck_assert_uint_eq(ports_to(1, 3), 1 << 2);
}
