/*  orchestrator/plan/placement: neighbours share a core, and each core has equal work. Results must
 *  not depend on it (TB-7). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/placement.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/generated_plan.h"

static struct plan plan;
static uint32_t *core_of;

static void place(const char *topology, uint32_t core_count)
{
	generated_plan(topology, &plan);
	core_of = calloc(plan.node_count, sizeof(*core_of));
	ck_assert_int_eq(placement_make(&plan, core_count, core_of), 0);
	for (uint32_t i = 0; i < plan.node_count; i++)
		ck_assert_uint_lt(core_of[i], core_count);
}

static void done(void)
{
	free(core_of);
	plan_free(&plan);
}

/* Return: how many nodes of [first, end) are on @core */
static uint32_t on_core(uint32_t first, uint32_t end, uint32_t core)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < end; i++)
		count += core_of[i] == core;
	return count;
}

TEST(placement_make__hosts_beside_their_switch)
{
	place("leaf-spine, leaves: 4, hosts-per-leaf: 4, spines: 4", 2);
	for (uint32_t host = 0; host < plan.host_count; host++) {
		const struct node_config *nic = &plan.nodes[plan_host_node(&plan, host)];

		ck_assert_uint_eq(core_of[nic->index], core_of[nic->ports[0].peer_index]);
	}
	ck_assert_uint_eq(on_core(0, plan.switch_count, 0), 4);
	ck_assert_uint_eq(on_core(plan.switch_count, plan.node_count, 0), 8);
	done();
}

TEST(placement_make__star_is_spread_over_the_cores)
{
	place("star, hosts: 32", 4);
	for (uint32_t core = 0; core < 4; core++)
		ck_assert_uint_ge(on_core(0, plan.node_count, core), 1);
	done();
}

/* the cores of all nodes, a letter each; of those that are not placed '?' */
static void cores_are(const char *wanted)
{
	char cores[64] = "";

	for (uint32_t i = 0; i < plan.node_count; i++)
		cores[i] = core_of[i] == UINT32_MAX ? '?' : (char)('0' + core_of[i]);
	ck_assert_str_eq(cores, wanted);
	done();
}

/* a core has its share of the work and a NIC more; the rest goes to the core that has least */
TEST(placement_make__core_of_each_node)
{
	place("star, hosts: 9", 3);
	cores_are("0121212121");
	place("leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 2);
	cores_are("01011000001111100011");
	place("leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 4);
	cores_are("01233000031111222233");
}

/* a machine of several has some of the nodes: switches 0 and 2, hosts with odd numbers */
TEST(placement_make_part__core_of_each_node)
{
	uint32_t of[20] = { 1, 0, 1 };
	const struct placement_part part = { .of = of, .number = 1 };

	place("leaf-spine, leaves: 3, hosts-per-leaf: 5, spines: 2", 2);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		core_of[i] = UINT32_MAX;
		if (i >= plan.switch_count)
			of[i] = i % 2;
	}
	ck_assert_int_eq(placement_make_part(&plan, &part, 2, core_of), 0);
	cores_are("0?1??0?0?0?1?1?1?1?1");
}

TEST(placement_make__one_core_has_all)
{
	place("star, hosts: 3", 1);
	ck_assert_uint_eq(on_core(0, plan.node_count, 0), plan.node_count);
	done();
}
