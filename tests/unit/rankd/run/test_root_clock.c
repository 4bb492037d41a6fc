/*  rankd/run/root: rank 0 while the clock runs, and other ranks that fail or are silent (SC-4,
 *  TB-22). */
#include "tests/unit/rankd/run/one_root.h"

#include "nodes/base/monotonic.h"

TEST_GROUP(root_clock, .setup = setup, .teardown = teardown, .setup_once = programs_begin,
	   .teardown_once = programs_end);

/* ---- ranks that fail ---- */

TEST(root__a_worker_that_failed)
{
	begin();
	letter_send(1,
		    (struct letter_head){
			    .kind = LETTER_FAILED, .place = 16, .index = 2, .number = 77 },
		    NULL, "hangs");
	fails("rank 1 (test), worker 2 (pid 77)", "hangs", 16);
	leaves_lost();
}

/* the last place, and the next one, which is none */
TEST_RANGE(root__the_place_of_a_worker_that_failed, 0, 2)
{
	struct letter_head head = {
		.kind = LETTER_FAILED, .place = PLACES - 1 + (uint32_t)_i, .index = 3, .number = 1
	};

	begin();
	letter_send(2, head, NULL, "left");
	fails("rank 2 (test), worker 3 (pid 1)", "left", _i ? NO_PLACE : PLACES - 1);
}

TEST(root__a_rank_that_failed)
{
	begin();
	letter_send(2, (struct letter_head){ .kind = LETTER_FAILED, .place = 8, .index = 3 }, NULL,
		    "has no memory");
	fails("rank 2 (test)", "has no memory", NO_PLACE);
}

/* ---- the clock ---- */

static void resume(node_time_t limit)
{
	uint32_t wake[WORKERS];

	ck_assert_uint_eq(clock_resume(&clock_, limit, wake), 0);
}

/* the rank sends @next and @limit in round @window; the least of all is @least */
static void round_passes(uint64_t next, uint64_t least, uint64_t limit, uint32_t window)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC, .window = window };

	for (uint32_t rank = 1; rank < RANKS; rank++) {
		ck_assert(ranks_round(&item));
		ck_assert_uint_eq(item.kind, RANKS_PART);
		ck_assert_uint_eq(item.rank, rank);
	}
	ck_assert(ranks_round(&item));
	ck_assert_uint_eq(item.kind, RANKS_ROUND);
	ck_assert_uint_eq(item.times[0], next);
	ck_assert_uint_eq(item.times[1], limit);
	ranks_send(RANKS_PART, 1, NULL, &head, sizeof(head));
	ranks_send(RANKS_PART, 2, NULL, &head, sizeof(head));
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ least, limit }, NULL, 0);
}

/* worker 0 waits for window @window, which ends at @end, and finishes it */
static void worker_finishes(uint32_t window, node_time_t end, node_time_t next)
{
	uint32_t wake[WORKERS];

	for (int i = 0; i < 60000 && atomic_load(&clock_.page->window) != window; i++)
		usleep(1000);
	ck_assert_uint_eq(clock_.page->window, window);
	ck_assert_uint_eq(clock_.page->end_ps, end);
	clock_finish(&clock_, 0, next, wake);
}

static void stands(uint32_t rank, uint64_t next)
{
	letter_send(rank, (struct letter_head){ .kind = LETTER_STANDS, .number = next }, NULL, "");
}

static void stops(uint32_t count)
{
	for (int i = 0; i < 60000 && atomic_load(&clock_.page->stops) != count; i++)
		usleep(1000);
	ck_assert_uint_eq(clock_.page->stops, count);
	ck_assert(clock_stopped(&clock_));
}

static void runs(node_time_t limit)
{
	resume(limit);
	letter_comes(LETTER_RUN, 1);
	letter_comes(LETTER_RUN, 2);
}

TEST(root__runs_and_stands)
{
	begin();
	letter_send(1, (struct letter_head){ .kind = LETTER_NEXT, .number = 500 }, NULL, "");
	becomes(&clock_.own_next[1], 500);
	runs(5000);
	round_passes(0, 0, 5000, 0); /* other ranks have no time here while it runs */
	letter_send(1, (struct letter_head){ .kind = LETTER_NEXT, .number = 400 }, NULL, "");
	letter_send(1, (struct letter_head){ .kind = LETTER_CONTROL, .place = 8 }, NULL, "after");
	node_gets(0, "after");
	ck_assert_uint_eq(clock_.own_next[1], NODE_TIME_NEVER);
	worker_finishes(1, 1000, 4500);
	round_passes(4500, 4500, 5000, 1);
	worker_finishes(2, 5000, 6000);
	stands(2, 7000); /* it may be faster */
	round_passes(6000, 6000, 5000, 2);
	usleep(20000);
	ck_assert(!clock_stopped(&clock_)); /* rank 1 does not stand yet */
	stands(1, 8000);
	stops(1);
	ck_assert_uint_eq(clock_.own_next[1], 8000);
	ck_assert_uint_eq(clock_.own_next[3], 7000);
	ck_assert_uint_eq(clock_earliest(&clock_), 6000);
	/* and again */
	runs(6000);
	round_passes(6000, 6000, 6000, 3);
	usleep(20000);
	ck_assert(!clock_stopped(&clock_));
	stands(1, 8000);
	stands(2, 7000);
	stops(2);
}

TEST(root__records_that_are_wrong)
{
	begin();
	runs(5000);
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	ck_assert(ranks_round(&item));
	ranks_send(RANKS_PART, 1, NULL, "junk", 4);
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 0, 5000 }, NULL, 0);
	fails_lost("rank 0 (test)", "rank 1 sent no message of window 0");
}

TEST(root__a_rank_fails_while_the_clock_runs)
{
	begin();
	runs(5000);
	letter_send(1, (struct letter_head){ .kind = LETTER_FAILED }, NULL, "reason");
	fails_lost("rank 1 (test)", "reason");
}

/* rank @rank has sent nothing for five times the watchdog's time; how long exactly, the machine
 * decides */
static void is_silent(const char *name)
{
	struct why text;
	double seconds = 0;

	ck_assert_int_eq(control_receive(control, &message, 1, &text), 0);
	ck_assert_str_eq(message.text, name);
	ck_assert_int_eq(sscanf(message.text2, "has sent no message for %lf s", &seconds), 1);
	ck_assert_double_ge(seconds, 0.25); /* as printed, 0.3 */
	/* the machine runs for longer */
	ck_assert_double_le(seconds, (double)monotonic_ns() / 1e9 + 1);
	ck_assert_uint_eq(message.question, NO_PLACE);
}

TEST(root__a_silent_rank_in_a_round)
{
	plan->watchdog_ns = 50000000;
	begin();
	runs(5000);
	is_silent("rank 1 (test)");
}

/* of two ranks, one stands */
TEST(root__a_silent_rank)
{
	uint64_t began_ns;

	plan->watchdog_ns = 50000000;
	begin();
	began_ns = monotonic_ns();
	runs(5000);
	round_passes(0, 5000, 5000, 0);
	stands(1, 8000);
	if (monotonic_ns() - began_ns > 50000000)
		return; /* this test was silent for too long itself */
	is_silent("rank 2 (test)");
}

/* ranks that wait say so, and none is lost */
TEST(root__ranks_that_say_that_they_live)
{
	uint64_t sent_ns;
	struct why text;

	plan->watchdog_ns = 50000000;
	begin();
	runs(5000);
	for (int i = 0; i < 40; i++) {
		sent_ns = monotonic_ns();
		letter_send(1, (struct letter_head){ .kind = LETTER_ALIVE }, NULL, "");
		letter_send(2, (struct letter_head){ .kind = LETTER_ALIVE }, NULL, "");
		usleep(10000);
		if (monotonic_ns() - sent_ns > 100000000)
			return; /* this test was silent for too long itself */
	}
	ck_assert_int_eq(control_receive(control, &message, 0, &text), -EAGAIN);
}

/* without a watchdog none is; the test waits for longer than the shortest one would */
TEST(root__no_watchdog)
{
	begin();
	runs(5000);
	usleep(50000);
	round_passes(0, 5000, 5000, 0);
	stands(1, 8000);
	stands(2, 8000);
	stops(1);
}
