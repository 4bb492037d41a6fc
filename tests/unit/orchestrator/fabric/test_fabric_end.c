/*  orchestrator/fabric/fabric_end: a fabric that is stopped in the middle of a run (TB-9). */
#include <stdlib.h>

#include "nodes/clock/clock.h"
#include "orchestrator/fabric/fabric_end.h"
#include "tests/testing.h"

#define NODES 2u

/* A node that is asked or changed takes the limit of the clock for the time up to which it ran:
 * after a pause that is the next event, and not 0. */
TEST(fabric_pause__time_stays_what_it_is)
{
	struct clock_page *page = aligned_alloc(64, (clock_bytes(NODES) + 63) / 64 * 64);
	struct plan plan = { .node_count = NODES };
	struct fabric fabric = { .plan = &plan, .page = page, .limit_ps = NODE_TIME_NEVER };

	memset(page, 0, clock_bytes(NODES));
	clock_init(page, NODES, NODE_US);
	ck_assert_int_eq(clock_attach(&fabric.clock, page, clock_bytes(NODES)), 0);
	atomic_store(&page->limit_ps, NODE_S);
	atomic_store(&fabric.clock.own_next[0], 70 * NODE_US);
	atomic_store(&fabric.clock.own_next[1], 60 * NODE_US);
	atomic_store(&fabric.clock.inbox_next[0], NODE_TIME_NEVER);
	atomic_store(&fabric.clock.inbox_next[1], NODE_TIME_NEVER);
	ck_assert_int_eq(fabric_pause(&fabric), 0);
	ck_assert_uint_eq(fabric_now(&fabric), 60 * NODE_US);
	ck_assert_uint_eq(clock_now(&fabric.clock), 60 * NODE_US);
	/* a run that was to end before goes no further */
	fabric.limit_ps = 50 * NODE_US;
	ck_assert_int_eq(fabric_pause(&fabric), 0);
	ck_assert_uint_eq(clock_now(&fabric.clock), 50 * NODE_US);
	free(page);
}
