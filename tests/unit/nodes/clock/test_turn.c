/*  nodes/clock/turn: how a node waits for its window (TB-1). It yields for as long as that is worth
 *  it, then sleeps, and sees at once what it waits for. The program is linked with --wrap: yields
 *  and sleeps are counted, and what happens meanwhile is what a test says. No time matters. */
#include "nodes/clock/turn.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

#define NODES 2u
#define YIELDS 48u     /* turn.c: */
#define YIELDS_IDLE 4u /* and for each window that others run meanwhile */

static struct clock_page *page;
static struct clock clock_;
static struct turn turn;

static struct {
	uint32_t yields, sleeps;
	uint32_t opens_at, ends_at; /* at this yield; 0: at none */
	uint32_t others; /* other nodes run a window during each of so many first yields */
	bool opens_asleep;
	uint32_t asleep; /* the node's word during the sleep */
} seen;

int __wrap_sched_yield(void);
unsigned __wrap_event_loop_wait(struct event_loop *loop, _Atomic uint32_t *word);

static void window_open(void)
{
	atomic_store(&page->end_ps, NODE_US);
}

int __wrap_sched_yield(void)
{
	seen.yields++;
	if (seen.yields <= seen.others)
		atomic_fetch_add(&page->window, 1);
	if (seen.yields == seen.opens_at)
		window_open();
	if (seen.yields == seen.ends_at)
		atomic_store(&page->state, CLOCK_ENDED);
	return 0;
}

unsigned __wrap_event_loop_wait(struct event_loop *loop, _Atomic uint32_t *word)
{
	(void)loop;
	seen.sleeps++;
	seen.asleep = atomic_load(word);
	if (!seen.opens_asleep)
		return EVENT_LOOP_CONTROL;
	window_open();
	return EVENT_LOOP_WOKEN;
}

/* node 1 of two, whose window is not open */
static void setup(void)
{
	size_t bytes = (clock_bytes(NODES) + 4095) / 4096 * 4096;

	memset(&seen, 0, sizeof(seen));
	page = aligned_alloc(4096, bytes);
	ck_assert_ptr_nonnull(page);
	memset(page, 0, bytes);
	clock_init(page, NODES, NODE_US);
	ck_assert_int_eq(clock_attach(&clock_, page, clock_bytes(NODES)), 0);
	atomic_store(&page->state, CLOCK_RUNNING);
	atomic_store(&page->end_ps, 0);
	atomic_store(&clock_.own_next[1], 0);
	turn_init(&turn, &clock_, NULL, 1, 1);
}

static void teardown(void)
{
	free(page);
}

TEST_GROUP(turn, .setup = setup, .teardown = teardown);

/* it says that it sleeps, and no longer afterwards */
TEST(turn_wait__yields_then_sleeps)
{
	ck_assert_int_eq(turn_wait(&turn), TURN_CONTROL);
	ck_assert_uint_eq(seen.yields, YIELDS);
	ck_assert_uint_eq(seen.sleeps, 1);
	ck_assert_uint_eq(seen.asleep, 1);
	ck_assert_uint_eq(atomic_load(&clock_.asleep[1]), 0);
}

/* windows of others, in which it has no part, use up its patience */
TEST(turn_wait__windows_of_others)
{
	seen.others = YIELDS;
	ck_assert_int_eq(turn_wait(&turn), TURN_CONTROL);
	ck_assert_uint_eq(seen.yields, (YIELDS + YIELDS_IDLE) / (YIELDS_IDLE + 1));
}

TEST(turn_wait__few_windows_of_others)
{
	seen.others = 3;
	ck_assert_int_eq(turn_wait(&turn), TURN_CONTROL);
	ck_assert_uint_eq(seen.yields, YIELDS - 3 * YIELDS_IDLE);
}

TEST_RANGE(turn_wait__window_opens_meanwhile, 1, YIELDS + 1)
{
	seen.opens_at = (uint32_t)_i;
	ck_assert_int_eq(turn_wait(&turn), TURN_RUN);
	ck_assert_uint_eq(seen.yields, (uint32_t)_i);
	ck_assert_uint_eq(seen.sleeps, 0);
}

TEST_RANGE(turn_wait__clock_ends_meanwhile, 1, YIELDS + 1)
{
	seen.ends_at = (uint32_t)_i;
	ck_assert_int_eq(turn_wait(&turn), TURN_ENDED);
	ck_assert_uint_eq(seen.yields, (uint32_t)_i);
	ck_assert_uint_eq(seen.sleeps, 0);
}

TEST(turn_wait__open_window)
{
	window_open();
	ck_assert_int_eq(turn_wait(&turn), TURN_RUN);
	ck_assert_uint_eq(seen.yields + seen.sleeps, 0);
}

TEST(turn_wait__window_opens_during_the_sleep)
{
	seen.opens_asleep = true;
	turn.yields_max = 0;
	ck_assert_int_eq(turn_wait(&turn), TURN_RUN);
	ck_assert_uint_eq(seen.yields, 0);
	ck_assert_uint_eq(seen.sleeps, 1);
	ck_assert_uint_eq(atomic_load(&clock_.asleep[1]), 0);
}

/* beside other programs it sleeps at once */
TEST(turn_wait__shared_core)
{
	turn.share.placing = 1;
	atomic_store(&page->placing, 1);
	ck_assert_int_eq(turn_wait(&turn), TURN_CONTROL);
	ck_assert_uint_eq(seen.yields, 0);
	ck_assert_uint_eq(seen.sleeps, 1);
}

/* it spins only if each node has a core */
TEST(turn_init__spins_with_a_core_for_each_node)
{
	turn_init(&turn, &clock_, NULL, 1, NODES);
	ck_assert_uint_gt(turn.spins_max, 0);
	turn_init(&turn, &clock_, NULL, 1, NODES - 1);
	ck_assert_uint_eq(turn.spins_max, 0);
	ck_assert_uint_eq(turn.yields_max, YIELDS);
}

TEST(turn_cores__of_this_process)
{
	cpu_set_t before, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	ck_assert_uint_eq(turn_cores(), (uint32_t)CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (int core = 0; !CPU_COUNT(&one); core++)
		if (CPU_ISSET(core, &before))
			CPU_SET(core, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	ck_assert_uint_eq(turn_cores(), 1);
}
