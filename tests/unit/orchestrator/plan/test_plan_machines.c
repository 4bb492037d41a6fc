/*  orchestrator/plan/plan_machines: nodes are divided among machines; links between them become
 *  tunnels (SC-5). */
#include <errno.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/control/config_check.h"
#include "orchestrator/plan/plan_machines.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "tests/kept.h"

#define RUN "name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"
#define ROW                                                                                       \
	RUN "topology: {switches: [s1, s2, s3], hosts: {h1: s1, h2: s1, h3: s2, h4: s3}, links: " \
	    "[[s1, s2], [s2, s3]]"

static struct plan plan;
static char why[600];

static int plan_of(const char *text, uint32_t count)
{
	struct machine_list machines = { .count = count, .names = { "a", "b", "c" } };
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);

	plan = (struct plan){ 0 };
	if (!error)
		error = plan_make_machines(&scenario, &machines, &plan, &errors);
	snprintf(why, sizeof(why), "%s", errors.count ? errors.texts[0] : "");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	return error;
}

static uint32_t machine_of(const char *name)
{
	return plan.machine_of[plan_node_find(&plan, name)->index];
}

static void tear_down(void)
{
	plan_free(&plan);
}

static void set_up(void)
{
	plan = (struct plan){ 0 };
}

/* the ends of a link agree, and only cut links are tunnels */
static uint32_t tunnels(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan.link_count; i++) {
		const struct plan_link *link = &plan.links[i];
		const struct port_config *a, *b;
		bool cut;

		if (link->vacant)
			continue;
		a = &plan.nodes[link->node_a].ports[link->port_a];
		b = &plan.nodes[link->node_b].ports[link->port_b];
		cut = plan.machine_of[link->node_a] != plan.machine_of[link->node_b];
		ck_assert_int_eq(a->medium == MEDIUM_TUNNEL, cut);
		ck_assert_int_eq(b->medium == MEDIUM_TUNNEL, cut);
		ck_assert(!cut || (a->guarded && b->guarded) || plan_fabric(&plan) == FABRIC_ROCE);
		count += cut;
	}
	return count;
}

TEST_GROUP(plan_machines, .setup = set_up, .teardown = tear_down);

TEST(plan_machines_make__as_the_scenario_says)
{
	ck_assert_msg(!plan_of(ROW ", machines: {b: [s2], a: [s1, s3]}}\n", 2), "%s", why);
	ck_assert_uint_eq(machine_of("s1"), 0);
	ck_assert_uint_eq(machine_of("s2"), 1);
	ck_assert_uint_eq(machine_of("s3"), 0);
	ck_assert_uint_eq(machine_of("h3"), 1);
	ck_assert_uint_eq(machine_of("h4"), 0);
	ck_assert_uint_eq(tunnels(), 2);
}

TEST(plan_machines_make__cut)
{
	ck_assert_msg(!plan_of(ROW "}\n", 2), "%s", why);
	ck_assert_uint_eq(tunnels(), 1);
	ck_assert_uint_eq(machine_of("h1"), machine_of("s1"));
	ck_assert_uint_eq(machine_of("h4"), machine_of("s3"));
	ck_assert_uint_ne(machine_of("s1"), machine_of("s3"));
}

TEST(plan_machines_make__places_that_join_are_here)
{
	struct why text;

	ck_assert_msg(!plan_of(ROW "}\n", 2), "%s", why);
	ck_assert_int_eq(plan_spare_make(&plan), 0);
	ck_assert_uint_eq(tunnels(), 1);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert(!plan_vacant(&plan, i) || !plan_elsewhere(&plan, i));
		ck_assert_msg(plan_vacant(&plan, i) || !node_config_check(&plan.nodes[i], &text),
			      "%s", text.text);
	}
	ck_assert_uint_eq(machine_of("h4"), machine_of("s3"));
}

TEST(plan_machines_make__fabrics_with_credit_and_with_pfc)
{
	ck_assert_msg(!plan_of("fabric: roce\n" ROW "}\n", 3), "%s", why);
	ck_assert_uint_eq(tunnels(), 2);
	plan_free(&plan);
	ck_assert_msg(!plan_of("fabric: port-group\n" ROW "}\n", 3), "%s", why);
	ck_assert_uint_eq(tunnels(), 2);
}

TEST(plan_machines_make__mistakes)
{
	ck_assert_int_eq(plan_of(ROW ", machines: {a: [s1], x: [s2, s3]}}\n", 2), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "switch s2 on x, which --machines does not name"));
	ck_assert_int_eq(plan_of(ROW ", machines: {a: [s1], b: [s2]}}\n", 2), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "switch s3 on no machine"));
	ck_assert_int_eq(plan_of(ROW ", machines: {a: [s1, s2, s3]}}\n", 2), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "machine b has no switch"));
	ck_assert_int_eq(plan_of(ROW ", machines: {a: [s1, s1], b: [s2, s3]}}\n", 2), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "switch s1 has a machine already: a"));
	ck_assert_int_eq(plan_of(ROW ", machines: {a: [s1, s4], b: [s2, s3]}}\n", 2), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "there is no switch 's4'"));
	ck_assert_int_eq(plan_of(RUN "topology: {switches: [s1], hosts: {A: s1, B: s1}}\n", 2),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "has no switch: there are 1 switches"));
}

/* two cliques of eight with one edge between them */
TEST(plan_machines_cut__between_what_belongs_together)
{
	uint32_t weights[16], edges[64][2], count = 0, cut = 0;
	uint8_t part[16];

	for (uint32_t i = 0; i < 16; i++)
		weights[i] = 1;
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t j = i + 2; j < 16; j += 2) { /* even ones, and odd ones */
			edges[count][0] = i;
			edges[count++][1] = j;
		}
	edges[count][0] = 0;
	edges[count++][1] = 1;
	ck_assert_int_eq(
		plan_machines_cut(16, weights, (const uint32_t(*)[2])edges, count, 2, part), 0);
	for (uint32_t e = 0; e < count; e++)
		cut += part[edges[e][0]] != part[edges[e][1]];
	ck_assert_uint_eq(cut, 1);
}

/* a ring of @n: no part is empty, and none has more than its share and an eighth and one */
TEST_RANGE(plan_machines_cut__balanced, 2, 17)
{
	uint32_t weights[100], edges[100][2], load[16] = { 0 };
	uint8_t part[100];

	for (uint32_t i = 0; i < 100; i++) {
		weights[i] = 1 + i % 3;
		edges[i][0] = i;
		edges[i][1] = (i + 1) % 100;
	}
	ck_assert_int_eq(plan_machines_cut(100, weights, (const uint32_t(*)[2])edges, 100,
					   (uint32_t)_i, part),
			 0);
	for (uint32_t i = 0; i < 100; i++) {
		ck_assert_uint_lt(part[i], (uint32_t)_i);
		load[part[i]] += weights[i];
	}
	for (int m = 0; m < _i; m++) {
		ck_assert_uint_gt(load[m], 0);
		ck_assert_uint_le(load[m], 199 / (uint32_t)_i + 3 + 199 / (uint32_t)_i / 8);
	}
}

/* Every machine computes the parts for itself, so they are the same with every build: of random
 * graphs with some edges twice, for all numbers of machines. */
TEST(plan_machines_cut__the_same_with_every_build)
{
	uint32_t weights[40], edges[80][2], count, edge_count;
	uint64_t digest = KEPT_NOTHING;
	struct random random;
	uint8_t part[40];

	random_init(&random, 1, 2);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t parts = 1 + round % SCENARIO_MACHINES_MAX;

		count = parts + (uint32_t)random_below(&random, 41 - parts);
		edge_count = (uint32_t)random_below(&random, 81);
		for (uint32_t v = 0; v < count; v++)
			weights[v] = 1 + (uint32_t)random_below(&random, 1 + round % 5);
		for (uint32_t e = 0; e < edge_count; e++)
			for (uint32_t end = 0; end < 2; end++)
				edges[e][end] = (uint32_t)random_below(&random, count);
		ck_assert_int_eq(plan_machines_cut(count, weights, (const uint32_t(*)[2])edges,
						   edge_count, parts, part),
				 0);
		digest = kept_digest(digest, part, count);
	}
	ck_assert_uint_eq(digest, 0x2f15228c08507391u);
}
