/*  orchestrator/routing/routing_given: routes that a scenario gives (FC-26, RC-5). They replace the
 *  computed ones while their link is up, and a loop of them is named. tests/bad-scenarios/ has what
 *  is rejected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/plan/plan_routes.h"
#include "tests/testing.h"

#define TOPOLOGY                                                                                 \
	"topology: {switches: [a, b, c, d], hosts: {A: a, B: b, D: d}, links: [[a, b], [a, b], " \
	"[b, c], [c, a], [c, "                                                                   \
	"d]]}\n"
#define SCENARIO "name: t\nrun: {duration: 1us}\n" TOPOLOGY
#define ROCE SCENARIO "fabric: roce\n"
#define LOOP "{routes: [{at: c, to: D, by: a}, {at: a, to: D, by: b}]}"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;

static void tear_down(void)
{
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static int make(const char *text)
{
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	return error ? error : plan_make(&scenario, &plan, &errors);
}

static void made(const char *text)
{
	ck_assert_msg(!make(text), "%s", errors.count ? errors.texts[0] : "no error");
}

static uint64_t ports(const char *from, const char *to)
{
	return plan_route(plan_node_find(&plan, from), plan_node_find(&plan, to)->index)->ports;
}

/* the ports of switch @from that lead to switch @to */
static uint64_t leads_to(const char *from, const char *to)
{
	const struct node_config *node = plan_node_find(&plan, from);
	uint64_t set = 0;

	for (uint32_t p = 0; p < node->port_count; p++)
		if (node->ports[p].peer_index == plan_node_find(&plan, to)->index)
			set |= 1ull << p;
	return set;
}

static void loops_expect(int count, const char *lines)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(plan_loops_print(&plan, "loop ", out), count);
	fclose(out);
	ck_assert_str_eq(text, lines);
	free(text);
}

TEST_GROUP(routing_given, .teardown = tear_down);

/* all links to the next hop, towards that switch only; no loop, although the path is longer */
TEST(routing_given__replaces_the_shortest)
{
	made(ROCE "routing: {routes: [{at: a, to: D, by: b}]}\n");
	ck_assert_uint_eq(ports("a", "d"), leads_to("a", "b"));
	ck_assert_int_eq(__builtin_popcountll(ports("a", "d")), 2);
	ck_assert_uint_eq(ports("a", "c"), leads_to("a", "c"));
	ck_assert_uint_eq(ports("b", "d"), leads_to("b", "c"));
	loops_expect(0, "");
}

/* named once, although two routes are part of it; the plan knows that such a path has no end, and
 * assumes none */
TEST(routing_given__a_loop_is_named)
{
	made(ROCE "routing: " LOOP
		  "\nworkloads: [{name: w, pattern: pairs, pairs: [[A, D]], size: 1}]\n");
	ck_assert_uint_eq(ports("c", "d"), leads_to("c", "a"));
	loops_expect(1, "loop to d: c -> a -> b -> c\n");
	ck_assert_uint_eq(plan_ideal_ps(&plan, 0, 2, 0, 1), NODE_TIME_NEVER);
	ck_assert_uint_lt(plan_ideal_ps(&plan, 2, 0, 0, 1), NODE_MS);
}

/* a route into a loop is not part of it; c's first port leads to b */
TEST(routing_given__a_loop_behind_another_route)
{
	made(ROCE "routing: {routes: [{at: a, to: D, by: c}, {at: c, to: D, by: b}]}\n");
	ck_assert_uint_eq(ports("c", "d"), 1);
	loops_expect(1, "loop to d: c -> b -> c\n");
}

TEST(routing_given__a_loop_is_rejected)
{
	ck_assert_int_eq(make(ROCE "routing: {cycles: refuse, routes: [{at: c, to: D, by: a}, {at: "
				   "a, to: D, by: b}]}\n"),
			 -EINVAL);
	ck_assert_ptr_nonnull(
		strstr(errors.texts[0], "packets could wait for each other in a cycle"));
}

/* other kinds of fabric, which have no TTL, are as without these routes */
TEST(routing_given__only_in_kind_roce)
{
	made(SCENARIO "routing: " LOOP "\n");
	ck_assert_uint_eq(ports("c", "d"), leads_to("c", "d"));
	ck_assert_uint_eq(ports("a", "d"), leads_to("a", "c"));
	loops_expect(0, "");
	ck_assert_uint_eq(scenario.idle_count, 1);
	ck_assert_ptr_nonnull(strstr(scenario.idle[0], "routing.routes"));
}

/* FC-26: one of two links is enough. Without both, the computed route is used; when a link returns,
 * the given one again. */
TEST(routing_given__while_a_link_is_up)
{
	struct why why;
	uint64_t both;

	made(ROCE "routing: {routes: [{at: a, to: D, by: b}]}\n");
	both = leads_to("a", "b");
	for (uint32_t links = 0; links < 8; links++) {
		uint32_t i = plan.host_count;

		plan.links[i].down = (links & 3) > 0;
		plan.links[i + 1].down = (links & 3) > 1;
		ck_assert_int_eq(plan_routes_make(&plan, &why), 0);
		if ((links & 3) > 1)
			ck_assert_uint_eq(ports("a", "d"), leads_to("a", "c"));
		else
			ck_assert_uint_eq(ports("a", "d"), links & 3 ? both & (both - 1) : both);
	}
}
