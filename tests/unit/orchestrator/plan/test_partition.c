/*  orchestrator/plan/partition: groups and pods stay whole, other fabrics are cut with few links,
 *  each machine has work (SC-4). Results must not depend on it. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/partition.h"
#include "orchestrator/plan/placement.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/generated_plan.h"

static struct plan plan;
static uint32_t *part_of;
static enum partition_kind kind;

static void part(const char *topology, uint32_t part_count)
{
	generated_plan(topology, &plan);
	part_of = calloc(plan.node_count, sizeof(*part_of));
	ck_assert_int_eq(partition_make(&plan, part_count, part_of, &kind), 0);
}

static void done(void)
{
	free(part_of);
	plan_free(&plan);
}

/* the largest part of the work, in percent of an equal one */
static uint32_t largest(uint32_t part_count)
{
	uint64_t load[64] = { 0 }, whole = 0, most = 0;

	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert_uint_lt(part_of[i], part_count);
		load[part_of[i]] += placement_weight(&plan.nodes[i]);
		whole += placement_weight(&plan.nodes[i]);
	}
	for (uint32_t p = 0; p < part_count; p++) {
		ck_assert_uint_gt(load[p], 0);
		most = load[p] > most ? load[p] : most;
	}
	return (uint32_t)(most * part_count * 100 / whole);
}

static void hosts_are_with_their_switch(void)
{
	for (uint32_t h = plan.switch_count; h < plan.node_count; h++)
		ck_assert_uint_eq(part_of[h], part_of[plan.nodes[h].ports[0].peer_index]);
}

/* only links of tier global join two parts */
TEST(partition_make__groups_of_a_dragonfly_stay_whole)
{
	part("dragonfly, hosts-per-switch: 2, switches-per-group: 3, global-links: 1", 2);
	ck_assert_uint_eq(kind, PARTITION_BLOCKS);
	hosts_are_with_their_switch();
	for (uint32_t i = 0; i < plan.link_count; i++) {
		const struct plan_link *link = &plan.links[i];

		if (part_of[link->node_a] != part_of[link->node_b])
			ck_assert_uint_eq(plan.nodes[link->node_a].ports[link->port_a].tier,
					  TIER_GLOBAL);
	}
	ck_assert_uint_le(largest(2), 130);
	done();
}

/* of a pod's switches only the links to core switches may leave */
TEST(partition_make__pods_of_a_fat_tree_stay_whole)
{
	part("fat-tree, radix: 4", 2);
	ck_assert_uint_eq(kind, PARTITION_BLOCKS);
	hosts_are_with_their_switch();
	for (uint32_t i = 0; i < plan.link_count; i++) {
		const struct plan_link *link = &plan.links[i];

		if (part_of[link->node_a] != part_of[link->node_b])
			ck_assert(plan.nodes[link->node_a].name[0] == 'c' ||
				  plan.nodes[link->node_b].name[0] == 'c');
	}
	ck_assert_uint_le(largest(2), 110);
	/* half of the links to core switches, at most */
	ck_assert_uint_le(partition_cut_links(&plan, part_of), 8);
	done();
}

/* a torus of 8 x 4 has a cut of 8 links into two halves; any other one has more */
TEST(partition_make__others_are_cut_with_few_links)
{
	part("torus, shape: [8, 4], hosts-per-switch: 1", 2);
	ck_assert_uint_eq(kind, PARTITION_CUT);
	hosts_are_with_their_switch();
	ck_assert_uint_le(largest(2), 110);
	ck_assert_uint_le(partition_cut_links(&plan, part_of), 10);
	done();
}

TEST(partition_make__more_parts_than_switches)
{
	part("star, hosts: 6", 4);
	ck_assert_uint_eq(kind, PARTITION_ORDER);
	largest(4);
	done();
}

TEST(partition_make__one_part)
{
	part("star, hosts: 6", 1);
	ck_assert_uint_eq(partition_cut_links(&plan, part_of), 0);
	done();
}

TEST(placement_make_part__places_the_part_only)
{
	uint32_t core_of[64];
	struct placement_part half;

	part("fat-tree, radix: 4", 2);
	half = (struct placement_part){ .of = part_of, .number = 1 };
	for (uint32_t i = 0; i < plan.node_count; i++)
		core_of[i] = 99;
	ck_assert_int_eq(placement_make_part(&plan, &half, 3, core_of), 0);
	for (uint32_t i = 0; i < plan.node_count; i++)
		ck_assert(part_of[i] == 1 ? core_of[i] < 3 : core_of[i] == 99);
	done();
}
