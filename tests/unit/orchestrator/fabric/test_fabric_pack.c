/*  orchestrator/fabric/fabric_pack: how many workers a run has unless the user says so (SC-3). */
#include "orchestrator/fabric/fabric_pack.h"

#include <stdlib.h>

#include "tests/testing.h"

static struct node_config nodes[8 * FABRIC_PACK_SHARE];

static struct plan plan_of(uint32_t node_count)
{
	return (struct plan){ .nodes = nodes, .node_count = node_count };
}

TEST(fabric_pack_by_cores__one_for_each)
{
	ck_assert_uint_eq(fabric_pack_by_cores(0), 1);
	ck_assert_uint_eq(fabric_pack_by_cores(1), 1);
	ck_assert_uint_eq(fabric_pack_by_cores(PLACES_WORKERS_MAX), PLACES_WORKERS_MAX);
	ck_assert_uint_eq(fabric_pack_by_cores(PLACES_WORKERS_MAX + 1), PLACES_WORKERS_MAX);
}

TEST(fabric_pack_default__by_size)
{
	struct plan few = plan_of(FABRIC_PACK_SHARE), more = plan_of(FABRIC_PACK_SHARE + 1);
	struct plan many = plan_of(8 * FABRIC_PACK_SHARE);

	ck_assert_uint_eq(fabric_pack_default(&few, 4), 0);
	ck_assert_uint_eq(fabric_pack_default(&more, 4), 1);
	ck_assert_uint_eq(fabric_pack_default(&many, 4), 4);
}

/* a worker for FABRIC_PACK_SHARE nodes, one for each core at most */
TEST(fabric_pack_variant__by_share)
{
	static const struct {
		uint32_t nodes, cores, workers;
	} cases[] = {
		{ 2, 4, 1 },
		{ 2 * FABRIC_PACK_SHARE - 1, 4, 1 },
		{ 2 * FABRIC_PACK_SHARE, 4, 2 },
		{ 2 * FABRIC_PACK_SHARE, 1, 1 },
		{ 4 * FABRIC_PACK_SHARE, 4, 4 },
		{ 5 * FABRIC_PACK_SHARE, 4, 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan plan = plan_of(cases[i].nodes);

		ck_assert_uint_eq(fabric_pack_variant(&plan, cases[i].cores), cases[i].workers);
	}
}

/* each NIC has its own copy of a user's congestion control */
TEST(fabric_pack__not_with_a_control)
{
	struct plan plan = plan_of(FABRIC_PACK_SHARE + 1);

	nodes[1].fabric = FABRIC_ROCE;
	nodes[1].kind = NODE_NIC;
	nodes[1].roce.congestion = CONGESTION_OWN;
	ck_assert_ptr_nonnull(fabric_pack_refuses(&plan));
	ck_assert_uint_eq(fabric_pack_variant(&plan, 4), 0);
	ck_assert_uint_eq(fabric_pack_default(&plan, 4), 0);
}
