/*  switchd/route: which ports lead to a switch, and the static choice among them (FC-1, FC-15).                      */
#include <check.h>
#include <stdlib.h>

#include "switchd/route.h"

#define OWN_ADDRESS 7u

static struct route_config routes[] = {
	{ .fabric_address = 2, .ports = 1ull << 5 },
	{ .fabric_address = 300, .ports = 1ull << 0 | 1ull << 3 | 1ull << 63 },
};

static struct route_table table;

static void setup(void)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS, .route_count = 2, .routes = routes };

	ck_assert_int_eq(route_table_init(&table, &config), 0);
}

static void teardown(void)
{
	route_table_fini(&table);
}

START_TEST(route_table_init__no_routes)
{
	struct switch_config config = { .fabric_address = OWN_ADDRESS };
	struct route_table lonely;

	ck_assert_int_eq(route_table_init(&lonely, &config), 0);
	ck_assert_int_eq(route_choose(&lonely, OWN_ADDRESS, 4), 4);
	for (uint32_t address = 0; address < 10; address++)
		ck_assert(address == OWN_ADDRESS || route_choose(&lonely, address, 0) == -1);
	route_table_fini(&lonely);
}
END_TEST

/* FC-1: a path may have ingress and egress on the same switch */
START_TEST(route_choose__own_switch)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, OWN_ADDRESS, port), (int)port);
}
END_TEST

START_TEST(route_choose__one_candidate)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, 2, port), 5);
}
END_TEST

/* the (egress port mod count)-th: the hosts of a switch spread over the paths to it */
START_TEST(route_choose__spread_over_candidates)
{
	static const int expected[3] = { 0, 3, 63 };

	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		ck_assert_int_eq(route_choose(&table, 300, port), expected[port % 3]);
}
END_TEST

START_TEST(route_choose__unknown_switch)
{
	static const uint32_t unknown[] = { 0, 1, 3, 299, 301, 65535 };

	for (uint32_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert_int_eq(route_choose(&table, unknown[i], 0), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("route");
	TCase *tcase = tcase_create("route");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, route_table_init__no_routes);
	tcase_add_test(tcase, route_choose__own_switch);
	tcase_add_test(tcase, route_choose__one_candidate);
	tcase_add_test(tcase, route_choose__spread_over_candidates);
	tcase_add_test(tcase, route_choose__unknown_switch);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
