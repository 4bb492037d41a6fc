/*  orchestrator/recording/recording_layout: how far each node is from the hosts, and what belongs
 *  together, for pictures of the fabric (SE-2). */
#include "orchestrator/recording/recording_layout.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

#define NOWHERE RECORDING_NOWHERE

static struct plan plan;
static struct recording_layout layout;

static void teardown(void)
{
	recording_layout_free(&layout);
	plan_free(&plan);
}

/* the layout of a fabric with @topology; of a running one, with places that wait for what may
 * join, if @real */
static void laid_out(const char *topology, bool real)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char text[512];

	snprintf(text, sizeof(text), "name: t\nrun: {duration: 100us}\ntopology: %s\n", topology);
	ck_assert_msg(
		!scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors),
		"%s", errors.count ? errors.texts[0] : "?");
	ck_assert_int_eq(real ? plan_make_real(&scenario, &plan, &errors)
			      : plan_make(&scenario, &plan, &errors),
			 0);
	if (real)
		ck_assert_int_eq(plan_spare_make(&plan), 0);
	scenario_free(&scenario);
	ck_assert_int_eq(recording_layout_make(&plan, &layout), 0);
}

/* node @name has this tier and group */
static void is(const char *name, uint32_t tier, uint32_t group)
{
	const struct node_config *node = plan_node_find(&plan, name);

	ck_assert_ptr_nonnull(node);
	ck_assert_msg(layout.tiers[node->index] == tier, "%s has tier %u", name,
		      layout.tiers[node->index]);
	ck_assert_msg(layout.groups[node->index] == group, "%s is in group %u", name,
		      layout.groups[node->index]);
}

TEST_GROUP(recording_layout, .teardown = teardown);

/* without the spines each leaf is on its own, with its hosts */
TEST(recording_layout_make__leaf_spine)
{
	laid_out("{generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}", false);
	is("h0", 0, 0);
	is("h1", 0, 0);
	is("h2", 0, 1);
	is("h5", 0, 2);
	is("leaf0", 1, 0);
	is("leaf2", 1, 2);
	is("spine0", 2, NOWHERE);
	is("spine1", 2, NOWHERE);
}

/* a line is no tree of tiers: there are no groups */
TEST(recording_layout_make__distance_from_the_nearest_host)
{
	laid_out("{switches: [a, b, c, d, e], hosts: {A: a, E: e}, links: [[a, b], [b, c], [c, d], "
		 "[d, e], [a, e]]}",
		 false);
	is("A", 0, NOWHERE);
	is("a", 1, NOWHERE);
	is("b", 2, NOWHERE);
	is("c", 3, NOWHERE);
	is("d", 2, NOWHERE);
	is("e", 1, NOWHERE);
}

/* groups are what global links connect */
TEST(recording_layout_make__dragonfly)
{
	uint32_t last = 0;

	laid_out("{generate: dragonfly, hosts-per-switch: 1, switches-per-group: 2, global-links: "
		 "1}",
		 false);
	for (uint32_t i = 0; i < plan.switch_count; i++) {
		ck_assert_uint_eq(layout.tiers[i], 1);
		ck_assert_uint_eq(layout.groups[i], i / 2);
		last = layout.groups[i];
	}
	ck_assert_uint_eq(last, 2);
	for (uint32_t h = 0; h < plan.host_count; h++) {
		const struct node_config *host = &plan.nodes[plan.switch_count + h];

		ck_assert_uint_eq(layout.tiers[plan.switch_count + h], 0);
		ck_assert_uint_eq(layout.groups[plan.switch_count + h],
				  layout.groups[host->ports[0].peer_index]);
	}
}

/* a star has one tier of switches, so no groups */
TEST(recording_layout_make__star)
{
	laid_out("{generate: star, hosts: 3}", false);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert_uint_eq(layout.tiers[i], i ? 0 : 1);
		ck_assert_uint_eq(layout.groups[i], NOWHERE);
	}
}

/* places of nodes that are not there yet are nowhere */
TEST(recording_layout_make__what_may_join)
{
	laid_out("{generate: leaf-spine, leaves: 2, hosts-per-leaf: 1, spines: 1}", true);
	is("h0", 0, 0);
	is("leaf1", 1, 1);
	is("spine0", 2, NOWHERE);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (plan_vacant(&plan, i)) {
			ck_assert_uint_eq(layout.tiers[i], NOWHERE);
			ck_assert_uint_eq(layout.groups[i], NOWHERE);
		}
}
