/*  nodes/config/routing_config: numbers that contradict each other are refused by name, those at
 *  the limit are not (FC-23 ... FC-25). */
#include "nodes/config/routing_config.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"

static struct routing_config config;

static void setup(void)
{
	parameters_default(&routing_parameters, &config);
	config.hold_sources = config.redirect = false;
}

static const char *wrong(void)
{
	static struct why why;

	why.text[0] = 0;
	return routing_config_check(&config, &why) ? why.text : "fine";
}

TEST_GROUP(routing_config, .setup = setup);

TEST(routing_config_check__defaults)
{
	ck_assert_str_eq(wrong(), "fine");
}

/* a value out of its range, before what contradicts */
TEST(routing_config_check__range)
{
	config.detour_draws = 65;
	ck_assert_int_eq(routing_config_check(&config, &(struct why){ "" }), -EINVAL);
	ck_assert_ptr_nonnull(strstr(wrong(), "switch.routing.detour_draws"));
}

TEST(routing_config_check__detours_are_compared)
{
	config.detour = DETOUR_ADAPTIVE;
	config.detour_draws = 0;
	ck_assert_str_eq(wrong(), "switch.routing.detour_draws is 0, but detours are compared with "
				  "the shortest path");
	config.detour = DETOUR_ALWAYS;
	ck_assert_str_eq(wrong(), "fine");
	config.detour = DETOUR_ADAPTIVE;
	config.detour_draws = 1;
	ck_assert_str_eq(wrong(), "fine");
}

TEST(routing_config_check__full_is_not_below_depth)
{
	config.redirect_depth_units = 10;
	config.redirect_full_units = 9;
	ck_assert_str_eq(wrong(), "switch.routing.redirect_full_units is less than "
				  "redirect_depth_units");
	config.redirect_full_units = 10;
	ck_assert_str_eq(wrong(), "fine");
	config.redirect_full_units = 0; /* there is none */
	ck_assert_str_eq(wrong(), "fine");
}

/* of a group of one, each redirect is a request of its own */
TEST(routing_config_check__what_needs_an_interval)
{
	config.redirect = true;
	config.redirect_interval_ps = 0;
	config.redirect_growth_weight_permille = 0;
	config.redirect_group = 1;
	ck_assert_str_eq(wrong(), "fine");
	config.redirect_group = 2;
	ck_assert_str_eq(
		wrong(),
		"switch.routing.redirect_interval_ps is 0, but a group is asked once in it");
	config.redirect_growth_weight_permille = 1;
	ck_assert_str_eq(wrong(), "switch.routing.redirect_interval_ps is 0, but the growth within "
				  "it counts");
	config.redirect_interval_ps = NODE_US;
	ck_assert_str_eq(wrong(), "fine");
	config.redirect_interval_ps = 0;
	config.redirect = false;
	ck_assert_str_eq(wrong(), "fine");
}

TEST(routing_config_check__held_for_some_time)
{
	config.hold_sources = true;
	config.hold_ps = 0;
	ck_assert_str_eq(wrong(),
			 "switch.routing.hold_ps is 0, but sources of congestion are held");
	config.hold_ps = NODE_US;
	ck_assert_str_eq(wrong(), "fine");
}
