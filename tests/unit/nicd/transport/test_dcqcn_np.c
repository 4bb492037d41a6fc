/*  nicd/transport/dcqcn_np: how often marked packets lead to CNPs (RC-2). */
#include <stdlib.h>

#include "nicd/transport/dcqcn_np.h"
#include "tests/testing.h"

/* Return: the CNPs of a flow with a marked packet every @every_ps for @for_ps. */
static uint32_t cnps(node_time_t interval_ps, node_time_t every_ps, node_time_t for_ps)
{
	struct dcqcn_config config = { .cnp_interval_ps = interval_ps };
	struct dcqcn_np np = { 0 };
	uint32_t count = 0;

	for (node_time_t now = 0; now < for_ps; now += every_ps)
		count += dcqcn_np_marked(&np, &config, now);
	return count;
}

/* RC-2: at most one in 50 us, however many packets are marked: 20 000 a second */
TEST(dcqcn_np_marked__at_most_one_an_interval)
{
	ck_assert_uint_eq(cnps(50 * NODE_US, NODE_US, NODE_S), 20000);
	ck_assert_uint_le(cnps(50 * NODE_US, 7 * NODE_US, NODE_S), 20000);
}

TEST(dcqcn_np_marked__rare_marks_send_one_each)
{
	ck_assert_uint_eq(cnps(50 * NODE_US, 50 * NODE_US, NODE_S), 20000);
	ck_assert_uint_eq(cnps(50 * NODE_US, 60 * NODE_US, 60 * NODE_MS), 1000);
}

TEST(dcqcn_np_marked__interval_0_sends_for_each)
{
	struct dcqcn_config config = { .cnp_interval_ps = 0 };
	struct dcqcn_np np = { 0 };

	ck_assert_uint_eq(cnps(0, NODE_US, NODE_MS), 1000);
	ck_assert(dcqcn_np_marked(&np, &config, 5));
	ck_assert(dcqcn_np_marked(&np, &config, 5));
}

/* the first mark at once, the next interval exactly; no mark is remembered */
TEST(dcqcn_np_marked__interval_is_exact)
{
	struct dcqcn_config config = { .cnp_interval_ps = 100 };
	struct dcqcn_np np = { 0 };

	ck_assert(dcqcn_np_marked(&np, &config, 0));
	ck_assert(!dcqcn_np_marked(&np, &config, 0));
	ck_assert(!dcqcn_np_marked(&np, &config, 99));
	ck_assert(dcqcn_np_marked(&np, &config, 150));
	ck_assert(!dcqcn_np_marked(&np, &config, 249));
	ck_assert(dcqcn_np_marked(&np, &config, 250));
}
