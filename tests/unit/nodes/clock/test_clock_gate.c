/*  nodes/clock/clock_gate: the last worker to finish a window tells the gate, which alone opens the
 *  next one or stops the clock (SC-4). */
#include <stdlib.h>

#include "nodes/clock/clock_gate.h"
#include "tests/testing.h"

#define WORKERS 3u
#define LOOKAHEAD 100u

static struct clock_page *page;
static struct clock gated;
static struct clock_gate gate;
static uint32_t wake[WORKERS];

static void make(void)
{
	size_t bytes = (clock_bytes(WORKERS) + 63) / 64 * 64;

	page = aligned_alloc(64, bytes);
	ck_assert_ptr_nonnull(page);
	__builtin_memset(page, 0, bytes);
	clock_init(page, WORKERS, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&gated, page, bytes), 0);
	ck_assert_int_eq(clock_gate_init(&gate, &gated), 0);
	/* worker 2 is on another machine */
	gated.own_next[2] = NODE_TIME_NEVER;
}

static void done(void)
{
	clock_gate_fini(&gate);
	free(page);
}

TEST_GROUP(gate, .setup = make, .teardown = done);

TEST(clock_resume__tells_the_gate_and_opens_nothing)
{
	ck_assert(!clock_gate_told(&gate));
	ck_assert_uint_eq(clock_resume(&gated, 1000, wake), 0);
	ck_assert_uint_eq(page->window, 0);
	ck_assert(!clock_stopped(&gated));
	ck_assert(clock_gate_told(&gate));
	ck_assert(!clock_gate_told(&gate));
}

/* nothing is before the limit, but other machines must know it: links may fail then */
TEST(clock_resume__the_gate_has_every_limit)
{
	gated.own_next[0] = gated.own_next[1] = 5000;
	ck_assert_uint_eq(clock_resume(&gated, 1000, wake), 0);
	ck_assert(clock_gate_told(&gate));
	ck_assert_uint_eq(page->limit_ps, 1000);
}

TEST(clock_finish__the_last_one_tells_the_gate)
{
	clock_resume(&gated, 1000, wake);
	clock_gate_told(&gate);
	ck_assert(clock_gate_open(&gate, 0, LOOKAHEAD));
	ck_assert_uint_eq(page->remaining, 2);
	clock_finish(&gated, 0, 300, wake);
	ck_assert(!clock_gate_told(&gate));
	clock_notify(&gated, 2, 150);
	clock_finish(&gated, 1, 200, wake);
	ck_assert(clock_gate_told(&gate));
	/* what was sent to another machine counts */
	ck_assert_uint_eq(clock_gate_earliest(&gate), 150);
	ck_assert_uint_eq(page->window, 1);
}

TEST(clock_gate_open__a_window_without_workers_has_ended)
{
	gated.own_next[0] = gated.own_next[1] = 5000;
	ck_assert(!clock_gate_open(&gate, 100, 200));
	ck_assert_uint_eq(page->window, 1);
	ck_assert_uint_eq(page->end_ps, 200);
}

/* what has arrived since */
TEST(clock_gate_open__inboxes_count)
{
	gated.own_next[0] = gated.own_next[1] = 5000;
	clock_notify(&gated, 1, 120);
	ck_assert(clock_gate_open(&gate, 100, 200));
	ck_assert_uint_eq(page->remaining, 1);
	ck_assert(clock_takes_part(&gated, 1));
}

TEST(clock_gate_wait__ends_after_its_time)
{
	ck_assert(!clock_gate_wait(&gate, 1000000));
	clock_resume(&gated, 1000, wake);
	ck_assert(clock_gate_wait(&gate, 1000000000));
}

TEST(clock_stop__the_orchestrator_can_go_on)
{
	clock_resume(&gated, 1000, wake);
	clock_gate_told(&gate);
	clock_stop(&gated);
	ck_assert(clock_stopped(&gated));
	clock_gate_run(&gate);
	ck_assert(!clock_stopped(&gated));
}
