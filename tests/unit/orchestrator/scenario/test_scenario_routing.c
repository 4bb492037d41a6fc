/*  orchestrator/scenario/scenario_routing, scenario_port_group: every key of the sections `routing`
 *  and `port-group` (FC-15, FC-16, FC-23 ... FC-25, PG-1 ... PG-10, TB-11). tests/bad-scenarios/
 *  has what is rejected. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

#define STAR "name: t\nrun: {duration: 100us}\ntopology: {generate: star, hosts: 4}\n"

static struct scenario scenario;
static struct scenario_errors errors;

static void tear_down(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static const struct scenario_routing *routing_of(const char *text)
{
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	return &scenario.routing;
}

static const struct scenario_port_group *port_group_of(const char *text)
{
	routing_of(text);
	return &scenario.port_group;
}

TEST_GROUP(scenario_routing, .teardown = tear_down);

TEST_RANGE(scenario_port_group__lid_bits, 0, 4)
{
	static const uint32_t bits[] = { 16, 20, 24, 32 };
	char text[256];

	snprintf(text, sizeof(text), STAR "fabric: port-group\nport-group: {lid-bits: %u}\n",
		 bits[_i]);
	ck_assert_uint_eq(port_group_of(text)->config.lid_bits, bits[_i]);
}

/* also the first of the words, which is not the default */
TEST_RANGE(scenario_port_group__policy, 0, PORT_GROUP_POLICIES)
{
	char text[256];

	snprintf(text, sizeof(text), STAR "fabric: port-group\nport-group: {policy: %s}\n",
		 port_group_policy_words[_i]);
	ck_assert_uint_eq(port_group_of(text)->config.policy, (unsigned)_i);
}

TEST(scenario_routing__defaults)
{
	const struct scenario_routing *routing = routing_of(STAR);

	ck_assert(!routing->given.choice);
	ck_assert_uint_eq(routing->order, ORDER_AUTO);
	ck_assert_uint_eq(routing->lanes, 0);
	ck_assert_uint_eq(routing->cycles_allowed, SCENARIO_DERIVED);
	ck_assert_uint_eq(routing->config.detour, DETOUR_NEVER);
	ck_assert(!routing->given.hold_sources);
	ck_assert(!routing->given.redirect);
	ck_assert(!routing->given.redirect_anywhere);
	ck_assert_uint_eq(routing->reaction_ps, 10 * NODE_US);
	ck_assert(!scenario.classes[0].unordered);
}

/* PG-4, PG-8: every packet uses port groups, unless its class requires order; flow channels keep
 * order */
TEST(scenario_routing__order_by_kind)
{
	routing_of(STAR "fabric: port-group\n");
	ck_assert(scenario.classes[0].unordered);
	scenario_free(&scenario);
	routing_of("classes: [{name: a}, {name: b, unordered: no}]\nfabric: port-group\n" STAR);
	ck_assert(scenario.classes[0].unordered);
	ck_assert(!scenario.classes[1].unordered);
	scenario_free(&scenario);
	routing_of(STAR "fabric: roce\n");
	ck_assert(!scenario.classes[0].unordered);
}

TEST(scenario_routing__words)
{
	const struct scenario_routing *routing =
		routing_of(STAR "classes: [{name: a}, {name: b, unordered: yes}]\n"
				"routing: {choice: adaptive, order: up-down, lanes: "
				"4, cycles: allow, detour: always, hold-sources: no, "
				"redirect: no, reaction: 3us}\n");

	ck_assert(!scenario.classes[0].unordered);
	ck_assert(scenario.classes[1].unordered);
	ck_assert_uint_eq(routing->config.choice, ROUTING_ADAPTIVE);
	ck_assert_uint_eq(routing->order, ORDER_UP_DOWN);
	ck_assert_uint_eq(routing->lanes, 4);
	ck_assert_uint_eq(routing->cycles_allowed, 1);
	ck_assert_uint_eq(routing->config.detour, DETOUR_ALWAYS);
	ck_assert_uint_eq(routing->config.hold_sources, 0);
	ck_assert_uint_eq(routing->config.redirect, 0);
	ck_assert_uint_eq(routing->reaction_ps, 3 * NODE_US);
}

/* numbers of a mechanism enable it */
TEST(scenario_routing__numbers_enable_a_mechanism)
{
	const struct scenario_routing *routing =
		routing_of(STAR "routing: {lanes: auto, detour: {weight: 1.5, bias: 12KiB, draws: "
				"3}, hold-sources: {for: 80us},\n"
				"  redirect: {depth: 100KB, full: 300KB, growth: 2, interval: 4us, "
				"pause: 50us, anywhere: yes, group: 16}}\n");

	ck_assert_uint_eq(routing->lanes, 0);
	ck_assert_uint_eq(routing->config.detour, DETOUR_ADAPTIVE);
	ck_assert_uint_eq(routing->config.detour_weight_permille, 1500);
	ck_assert_uint_eq(routing->config.detour_bias_units, 48);
	ck_assert_uint_eq(routing->config.detour_draws, 3);
	ck_assert_uint_eq(routing->config.hold_sources, 1);
	ck_assert_uint_eq(routing->config.hold_ps, 80 * NODE_US);
	ck_assert_uint_eq(routing->config.redirect, 1);
	ck_assert(routing->config.redirect_anywhere);
	ck_assert_uint_eq(routing->config.redirect_depth_units, 391);
	ck_assert_uint_eq(routing->config.redirect_full_units, 1172);
	ck_assert_uint_eq(routing->config.redirect_growth_weight_permille, 2000);
	ck_assert_uint_eq(routing->config.redirect_interval_ps, 4 * NODE_US);
	ck_assert_uint_eq(routing->config.redirect_pause_ps, 50 * NODE_US);
	ck_assert_uint_eq(routing->config.redirect_group, 16);
}

TEST(scenario_routing__detour_off_with_numbers)
{
	ck_assert_uint_eq(
		routing_of(STAR "routing: {detour: {when: never, draws: 5}}\n")->config.detour,
		DETOUR_NEVER);
	ck_assert_uint_eq(scenario.routing.config.detour_draws, 5);
}

TEST(scenario_port_group__defaults)
{
	const struct scenario_port_group *port_group = port_group_of(STAR "fabric: port-group\n");

	ck_assert_int_eq(scenario.fabric, FABRIC_PORT_GROUP);
	ck_assert_uint_eq(port_group->config.lid_bits, 16);
	ck_assert(port_group->config.adaptive && port_group->config.update_lft &&
		  port_group->config.fecn && port_group->config.becn);
	ck_assert(!port_group->config.non_minimal);
	ck_assert_uint_eq(port_group->config.policy, POLICY_GREEDY_RANDOM);
	ck_assert(!port_group->given.pending_units);
	ck_assert(!port_group->given.ccti_timer_ps);
}

TEST(scenario_port_group__all)
{
	const struct scenario_port_group *port_group = port_group_of(
		STAR "port-group: {lid-bits: 24, adaptive: no, policy: greedy, update: no, "
		     "non-minimal: yes,\n"
		     "  pending: 8KiB, queue: 16KiB,\n"
		     "  log: {marks: 7, window: 9us}, hold: 2us, fecn: {at: 64KiB},\n"
		     "  becn: {interval: 20us, increase: 2, max: 500, step: 25%, timer: 30us}}\n");

	ck_assert_uint_eq(port_group->config.lid_bits, 24);
	ck_assert(!port_group->config.adaptive && !port_group->config.update_lft &&
		  port_group->config.non_minimal);
	ck_assert_uint_eq(port_group->config.policy, POLICY_GREEDY);
	ck_assert_uint_eq(port_group->config.pending_units, 32);
	ck_assert_uint_eq(port_group->config.queue_units, 64);
	ck_assert_uint_eq(port_group->config.log_marks, 7);
	ck_assert_uint_eq(port_group->config.log_window_ps, 9 * NODE_US);
	ck_assert_uint_eq(port_group->config.hold_ps, 2 * NODE_US);
	ck_assert_uint_eq(port_group->config.fecn_units, 256);
	ck_assert_uint_eq(port_group->config.becn_interval_ps, 20 * NODE_US);
	ck_assert_uint_eq(port_group->config.ccti_increase, 2);
	ck_assert_uint_eq(port_group->config.ccti_max, 500);
	ck_assert_uint_eq(port_group->config.ccti_step_permille, 250);
	ck_assert_uint_eq(port_group->config.ccti_timer_ps, 30 * NODE_US);
}

TEST(scenario_port_group__off)
{
	const struct scenario_port_group *port_group =
		port_group_of(STAR "port-group: {fecn: no, becn: no}\n");

	ck_assert(!port_group->config.fecn && !port_group->config.becn);
}
