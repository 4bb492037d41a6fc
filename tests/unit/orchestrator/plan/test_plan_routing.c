/*  orchestrator/plan/plan_routing: numbers that follow from the fabric, numbers that a scenario
 *  gives, and the configuration of every switch (FC-23 ... FC-25, PG-3, PG-10). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_routing.h"
#include "tests/testing.h"

#define TWO                                                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us}\ntopology: {switches: [s1, s2], hosts: {A: s1, " \
	"B: s2}, links: "                                                                          \
	"[[s1, s2]]}\n"

#define TREE                                                                            \
	"name: t\nrun: {duration: 100us}\ntopology: {generate: leaf-spine, leaves: 2, " \
	"hosts-per-leaf: 2, "                                                           \
	"spines: 2}\n"

/* 200 Gb/s, 25 bytes a nanosecond: 100 kB in the round trip of a link, 250 kB in that of the
 * fabric */
static const struct congestion_basis basis = { .rate_bps = 200000000000,
					       .rtt_ps = 10 * NODE_US,
					       .link_rtt_ps = 4 * NODE_US,
					       .mtu_bytes = 4096,
					       .hosts = 16 };

static struct plan plan;
static struct scenario scenario;
static struct scenario_errors errors;

static void tear_down(void)
{
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static void scenario_of(const char *text)
{
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
}

static void plan_of(const char *text)
{
	int error;

	scenario_of(text);
	error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
}

TEST_GROUP(plan_routing, .teardown = tear_down);

TEST(plan_routing_derive__numbers)
{
	struct routing_config routing = plan_routing_derive(&basis, false);

	ck_assert_uint_eq(routing.detour_bias_units, 8 * 16);
	ck_assert_uint_eq(routing.redirect_depth_units, 4 * 16);
	ck_assert_uint_eq(routing.redirect_full_units, 4 * 16 + 977);
	ck_assert_uint_eq(routing.redirect_interval_ps, 80 * NODE_US / 3);
	ck_assert_uint_eq(routing.redirect_pause_ps, 15 * NODE_US);
	ck_assert_uint_eq(routing.hold_ps, 40 * NODE_US); /* 2 * 16 * 163.84 ns are less */
}

/* one of many sources sends rarely: 163.84 ns * 4000 hosts between two frames */
TEST(plan_routing_derive__hold_of_many_hosts)
{
	struct congestion_basis many = basis;

	many.hosts = 4000;
	ck_assert_uint_eq(plan_routing_derive(&many, false).hold_ps, 2 * 163840ull * 4000);
}

/* ours: Inputs request redirects, which any switch may execute. Their effect can be measured after
 * two round trips. */
TEST(plan_routing_derive__inputs_request_redirects_in_a_tree)
{
	struct routing_config tree = plan_routing_derive(&basis, true),
			      other = plan_routing_derive(&basis, false);

	ck_assert(tree.redirect_inputs && tree.redirect_anywhere);
	ck_assert_uint_eq(tree.redirect_interval_ps, 45 * NODE_US);
	ck_assert_uint_eq(tree.redirect_pause_ps, 45 * NODE_US);
	ck_assert(!other.redirect_inputs && !other.redirect_anywhere);
	tree.redirect_inputs = tree.redirect_anywhere = false; /* all else is the same */
	tree.redirect_interval_ps = other.redirect_interval_ps;
	tree.redirect_pause_ps = other.redirect_pause_ps;
#define PARAMETER(type, field, ...) ck_assert(tree.field == other.field);
#define KEY(...)
#include "nodes/config/routing.def"
}

TEST(plan_port_group_derive__numbers)
{
	struct port_group_config config = plan_port_group_derive(&basis);

	ck_assert_uint_eq(config.pending_units, 4 * 16);
	ck_assert_uint_eq(config.queue_units, 196); /* 50000 / 256 */
	/* 18 us, the round trip with the links of hosts */
	ck_assert_uint_eq(config.fecn_units, 1758);
	ck_assert_uint_eq(config.log_marks, 1);
	ck_assert_uint_eq(config.log_window_ps, 2007040); /* the time in which the queue drains */
	ck_assert_uint_eq(config.hold_ps, 4 * NODE_US);
	ck_assert_uint_eq(config.becn_interval_ps, 9 * NODE_US);
	ck_assert_uint_eq(config.ccti_timer_ps, 9 * NODE_US);
	/* at the highest index each of 16 hosts has 1/33 of the link */
	ck_assert_uint_eq(config.ccti_max * config.ccti_step_permille, 32000);
}

/* where a round trip carries less than that: four frames of 4096 bytes, 16 data units each, and
 * eight for FECN */
TEST(plan_port_group_derive__short_links)
{
	struct congestion_basis near = basis;
	struct port_group_config config;

	near.rtt_ps = near.link_rtt_ps = 10 * NODE_NS;
	config = plan_port_group_derive(&near);
	ck_assert_uint_eq(config.pending_units, 4 * 16);
	ck_assert_uint_eq(config.queue_units, 4 * 16);
	ck_assert_uint_eq(config.fecn_units, 8 * 16);
	ck_assert_uint_eq(config.log_window_ps, 4 * 16 * 256 * 40); /* 25 bytes a nanosecond */
	ck_assert_uint_eq(plan_routing_derive(&near, false).redirect_full_units, 4 * 16 + 8 * 16);
}

/* for any fabric, a tree (_i) or not, a node accepts the numbers */
TEST_RANGE(plan_routing_derive__within_limits, 0, 2)
{
	static const uint64_t rates[] = { 1000000, 10000000000, 800000000000 };
	static const node_time_t trips[] = { 0, NODE_NS, NODE_MS, 3600 * NODE_S };
	struct why why;

	for (unsigned r = 0; r < 3; r++)
		for (unsigned t = 0; t < 4; t++) {
			struct congestion_basis any = { rates[r], trips[t], trips[t], 9216,
							8191,     0,        false };
			struct routing_config routing = plan_routing_derive(&any, _i);
			struct port_group_config port_group = plan_port_group_derive(&any);

			routing.redirect = routing.hold_sources = true;
			routing.detour = DETOUR_ADAPTIVE;
			port_group.lid_bits = 16;
			ck_assert_msg(!routing_config_check(&routing, &why), "%s", why.text);
			ck_assert_msg(!port_group_config_check(&port_group, &why), "%s", why.text);
		}
}

TEST(plan_routing_request__defaults)
{
	struct routing_request request;

	scenario_of(TWO "classes: [{name: a}, {name: b}, {name: c}]\n");
	request = plan_routing_request(&scenario);
	ck_assert_int_eq(request.fabric, FABRIC_FLOW_CHANNEL);
	ck_assert_int_eq(request.order, ORDER_AUTO);
	ck_assert_uint_eq(request.lanes, 0);
	ck_assert_uint_eq(request.lanes_max, 2); /* three classes of two */
	ck_assert(!request.detours);
	ck_assert(!request.cycles_allowed);
}

/* PFC deadlocks are a subject of that kind: one lane, cycles are permitted */
TEST(plan_routing_request__roce_permits_cycles)
{
	struct routing_request request;

	scenario_of(TWO "fabric: roce\nrouting: {lanes: 4, detour: always}\n");
	request = plan_routing_request(&scenario);
	ck_assert_uint_eq(request.lanes, 1);
	ck_assert_uint_eq(request.lanes_max, 1);
	ck_assert(!request.detours);
	ck_assert(request.cycles_allowed);
}

TEST(plan_routing_make__by_kind_of_fabric)
{
	plan_of(TWO);
	ck_assert_int_eq(plan.nodes[0].switch_.routing.choice, ROUTING_STATIC);
	ck_assert(!plan.nodes[0].switch_.routing.redirect);
	ck_assert(!plan.nodes[0].switch_.routing.hold_sources);
	tear_down();
	plan_of(TWO "fabric: roce\n");
	ck_assert_int_eq(plan.nodes[0].switch_.routing.choice, ROUTING_HASH);
	tear_down();
	plan_of(TWO "routing: {choice: adaptive}\n");
	ck_assert(plan.nodes[0].switch_.routing.redirect);
	ck_assert(plan.nodes[0].switch_.routing.hold_sources);
}

TEST(plan_routing_make__given_numbers_are_used)
{
	const struct routing_config *routing = NULL;

	plan_of(TWO "routing: {detour: {bias: 1000B, weight: 1, draws: 7}, redirect: {depth: "
		    "10KiB, growth: 50%, "
		    "pause: 1ms},\n"
		    "  hold-sources: {for: 77us}}\n");
	routing = &plan.nodes[1].switch_.routing;
	ck_assert_int_eq(routing->choice, ROUTING_STATIC);
	ck_assert_int_eq(routing->detour, DETOUR_ADAPTIVE);
	ck_assert_uint_eq(routing->detour_bias_units, 4); /* a part of a unit counts as one */
	ck_assert_uint_eq(routing->detour_weight_permille, 1000);
	ck_assert_uint_eq(routing->detour_draws, 7);
	ck_assert(routing->redirect && routing->hold_sources);
	ck_assert_uint_eq(routing->redirect_depth_units, 40);
	ck_assert_uint_gt(routing->redirect_full_units, 40);
	ck_assert_uint_eq(routing->redirect_growth_weight_permille, 500);
	ck_assert_uint_eq(routing->redirect_pause_ps, NODE_MS);
	ck_assert_uint_eq(routing->hold_ps, 77 * NODE_US);
}

/* a full level below the derived depth lowers the depth to it */
TEST(plan_routing_make__full_level_lowers_the_depth)
{
	plan_of(TWO "routing: {redirect: {full: 4KiB}}\n");
	ck_assert_uint_eq(plan.nodes[0].switch_.routing.redirect_full_units, 16);
	ck_assert_uint_le(plan.nodes[0].switch_.routing.redirect_depth_units, 16);
}

static const struct routing_config *redirects_of(const char *text)
{
	tear_down();
	plan_of(text);
	for (uint32_t i = 1; i < plan.switch_count; i++)
		ck_assert_int_eq(plan.nodes[i].switch_.routing.redirect_inputs,
				 plan.nodes[0].switch_.routing.redirect_inputs);
	return &plan.nodes[0].switch_.routing;
}

TEST(plan_routing_make__groups)
{
	ck_assert_uint_eq(redirects_of(TWO "routing: {choice: adaptive}\n")->redirect_group, 1);
	ck_assert_uint_eq(redirects_of(TWO "routing: {preset: s2}\n")->redirect_group, 1);
	ck_assert_uint_eq(
		redirects_of(TWO "routing: {preset: s2, redirect: {group: 48}}\n")->redirect_group,
		48);
}

/* where every link leads up or down */
TEST(plan_routing_make__inputs_request_redirects_in_a_tree)
{
	const struct routing_config *routing = redirects_of(TREE "routing: {choice: adaptive}\n");

	ck_assert(plan.tree);
	ck_assert(routing->redirect && routing->redirect_anywhere && routing->redirect_inputs);
	ck_assert_uint_eq(routing->redirect_interval_ps, routing->redirect_pause_ps);
	routing = redirects_of(TWO "routing: {choice: adaptive}\n");
	ck_assert(!plan.tree);
	ck_assert(routing->redirect && !routing->redirect_anywhere && !routing->redirect_inputs);
	ck_assert_uint_gt(routing->redirect_interval_ps, routing->redirect_pause_ps);
}

/* Three leaves with three links up each, those of leaf c in another order: suggested ports would
 * mislead (docs/routing.md, "Plug order"). All else is as in trees. */
#define CABLED(links_of_c)                                                                     \
	"name: t\nrun: {duration: 100us}\nrouting: {choice: adaptive, redirect: {anywhere: "   \
	"yes}}\n"                                                                              \
	"topology: {switches: [a, b, c, x, y, z], hosts: {A: a, B: b, C: c}, links: [[a, x], " \
	"[a, y], [a, z], [b, x], [b, y], [b, z], " links_of_c "]}\n"

TEST(plan_routing_make__cabled_in_another_order)
{
	node_time_t interval_ps =
		redirects_of(CABLED("[c, x], [c, y], [c, z]"))->redirect_interval_ps;
	const struct routing_config *routing = &plan.nodes[0].switch_.routing;

	ck_assert(routing->redirect_inputs);
	routing = redirects_of(CABLED("[c, y], [c, x], [c, z]")); /* they agree about most paths */
	ck_assert(routing->redirect_inputs);
	routing = redirects_of(CABLED("[c, y], [c, z], [c, x]"));
	ck_assert(plan.tree);
	ck_assert(routing->redirect && routing->redirect_anywhere && !routing->redirect_inputs);
	ck_assert(routing->redirect_interval_ps == interval_ps);
}

/* An intermediate switch executes the redirect. If it may not, no input requests one. The same keys
 * do not turn another fabric into a tree. */
TEST(plan_routing_make__inputs_need_redirects_anywhere)
{
	const struct routing_config *routing =
		redirects_of(TREE "routing: {choice: adaptive, redirect: {anywhere: no}}\n");

	ck_assert(routing->redirect && !routing->redirect_anywhere && !routing->redirect_inputs);
	routing = redirects_of(TWO "routing: {choice: adaptive, redirect: {anywhere: yes}}\n");
	ck_assert(routing->redirect && routing->redirect_anywhere && !routing->redirect_inputs);
}

/* without redirects no input requests them */
TEST(plan_routing_make__no_redirects_no_inputs)
{
	ck_assert(!redirects_of(TREE)->redirect_inputs); /* choice: static */
	ck_assert(
		!redirects_of(TREE "routing: {choice: adaptive, redirect: no}\n")->redirect_inputs);
	ck_assert(redirects_of(TREE "routing: {redirect: yes}\n")->redirect_inputs);
}

/* FC-23, FC-25, EC-9: [S2] in its own terms, in a tree, too. Other keys override it, wherever they
 * are given. */
TEST(plan_routing_make__preset_s2)
{
	const struct routing_config *routing = redirects_of(TREE "routing: {preset: s2}\n");
	struct congestion_basis of_plan;

	ck_assert_int_eq(routing->choice, ROUTING_ADAPTIVE);
	ck_assert(routing->load_queue && routing->hold_sources && routing->redirect);
	ck_assert(!routing->redirect_anywhere && !routing->redirect_inputs);
	ck_assert_int_eq(routing->redirect_rule, REDIRECT_BY_DEPTH);
	ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &of_plan), 0);
	ck_assert_uint_gt(of_plan.rtt_ps, NODE_US);
	/* R T and four packets of the MTU, in units */
	ck_assert_double_eq_tol(plan.nodes[0].switch_.congestion.port_limit_units * 256.0,
				(double)of_plan.rate_bps / 8 * (double)of_plan.rtt_ps / 1e12 +
					4 * of_plan.mtu_bytes,
				256);
	routing = redirects_of(
		TREE "routing: {load: path, redirect: {rule: loads, anywhere: yes}, preset: s2}\n"
		     "congestion: {port-limit: 0}\n");
	ck_assert_int_eq(routing->choice, ROUTING_ADAPTIVE);
	ck_assert(!routing->load_queue && routing->redirect_anywhere && routing->redirect_inputs);
	ck_assert_int_eq(routing->redirect_rule, REDIRECT_BY_LOADS);
	ck_assert_uint_eq(plan.nodes[0].switch_.congestion.port_limit_units, 0);
	routing = redirects_of(TREE "routing: {preset: s2, choice: static}\ncongestion: no\n");
	ck_assert_int_eq(routing->choice, ROUTING_STATIC);
	ck_assert(!routing->redirect);
	ck_assert_uint_eq(plan.nodes[0].switch_.congestion.port_limit_units, 0);
	routing = redirects_of(TREE "routing: {choice: adaptive}\n");
	ck_assert(!routing->load_queue);
	ck_assert_int_eq(routing->redirect_rule, REDIRECT_BY_LOADS);
	ck_assert_uint_eq(plan.nodes[0].switch_.congestion.port_limit_units, 0);
}

TEST(plan_routing_make__given_times_are_used)
{
	const struct routing_config *routing = redirects_of(
		TREE "routing: {choice: adaptive, redirect: {interval: 60us, pause: 70us}}\n");

	ck_assert_uint_eq(routing->redirect_interval_ps, 60 * NODE_US);
	ck_assert_uint_eq(routing->redirect_pause_ps, 70 * NODE_US);
	ck_assert(routing->redirect_inputs);
}

/* FC-26: what the manager writes, for trees only */
TEST(plan_routing_make__ports_upward)
{
	const struct switch_config *leaf, *spine;

	redirects_of(TREE);
	leaf = &plan.nodes[0].switch_;
	spine = &plan.nodes[3].switch_;
	ck_assert_uint_eq(leaf->route_count, 4);
	ck_assert_uint_eq(leaf->routes[3].fabric_address, ROUTE_UPWARD);
	ck_assert_uint_eq(leaf->routes[3].ports, 0xc);
	ck_assert_uint_eq(spine->routes[3].fabric_address, ROUTE_UPWARD);
	ck_assert_uint_eq(spine->routes[3].ports, 0);
	redirects_of(TWO);
	ck_assert_uint_eq(plan.nodes[0].switch_.route_count, 1);
	ck_assert_uint_ne(plan.nodes[0].switch_.routes[0].fabric_address, ROUTE_UPWARD);
}

TEST(plan_routing_make__a_seed_of_its_own)
{
	uint64_t first;

	plan_of(TWO);
	first = plan.nodes[0].switch_.routing.seed;
	ck_assert_uint_ne(first, plan.nodes[1].switch_.routing.seed);
	ck_assert_uint_ne(first, plan.nodes[0].seed);
	ck_assert_uint_eq(first, plan_routing_seed(7, 0));
}

TEST(plan_routing_make__port_group)
{
	plan_of(TWO "fabric: port-group\nport-group: {policy: random, queue: 5KiB, becn: {max: 9}, "
		    "fecn: {at: 1MiB}}\n");
	for (uint32_t i = 0; i < plan.node_count; i++) {
		const struct port_group_config *config = &plan.nodes[i].port_group;

		ck_assert_int_eq(plan.nodes[i].fabric, FABRIC_PORT_GROUP);
		ck_assert_uint_eq(config->lid_bits, 16);
		ck_assert(config->adaptive && config->update_lft && config->fecn && config->becn);
		ck_assert_int_eq(config->policy, POLICY_RANDOM);
		ck_assert_uint_eq(config->queue_units, 20);
		ck_assert_uint_eq(config->fecn_units, 4096);
		ck_assert_uint_eq(config->ccti_max, 9);
	}
}

/* what is not marked is not answered */
TEST(plan_routing_make__without_fecn_no_becn)
{
	plan_of(TWO "fabric: port-group\nport-group: {fecn: no}\n");
	ck_assert(!plan.nodes[0].port_group.fecn);
	ck_assert(!plan.nodes[0].port_group.becn);
}
