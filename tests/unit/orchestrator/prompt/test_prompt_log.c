/*  orchestrator/prompt/prompt_log: what a repeated run does again (SE-8). */
#include "orchestrator/prompt/prompt_log.h"
#include "tests/testing.h"

static struct prompt_log notes;

static void teardown(void)
{
	prompt_log_free(&notes);
}

TEST_GROUP(prompt_log, .teardown = teardown);

/* a change at the time itself was made there, and is made again */
TEST(prompt_log_cut__changes_after_the_time)
{
	ck_assert_int_eq(prompt_log_change(&notes, 10, "set a"), 0);
	ck_assert_int_eq(prompt_log_change(&notes, 20, "set b"), 0);
	ck_assert_int_eq(prompt_log_change(&notes, 20, "set c"), 0);
	ck_assert_int_eq(prompt_log_change(&notes, 21, "set d"), 0);
	ck_assert_uint_eq(prompt_log_cut(&notes, 20), 1);
	ck_assert_uint_eq(notes.change_count, 3);
	ck_assert_str_eq(notes.changes[2].line, "set c");
	ck_assert_uint_eq(prompt_log_cut(&notes, 19), 2);
	ck_assert_uint_eq(notes.change_count, 1);
	ck_assert_uint_eq(notes.changes[0].at, 10);
}

TEST(prompt_log_last__the_stop_before)
{
	node_time_t at = 0;

	ck_assert(!prompt_log_last(&notes, 5, &at));
	prompt_log_stop(&notes, 10);
	prompt_log_stop(&notes, 20);
	prompt_log_stop(&notes, 20);
	prompt_log_stop(&notes, 19);
	ck_assert_uint_eq(notes.stop_count, 2);
	ck_assert(prompt_log_last(&notes, 30, &at));
	ck_assert_uint_eq(at, 20);
	ck_assert(prompt_log_last(&notes, 20, &at));
	ck_assert_uint_eq(at, 10);
	ck_assert(!prompt_log_last(&notes, 10, &at));
}

/* after a return the stops that lie ahead are unknown again */
TEST(prompt_log_cut__stops_from_the_time_on)
{
	node_time_t at = 0;

	for (node_time_t stop = 10; stop <= 50; stop += 10)
		prompt_log_stop(&notes, stop);
	prompt_log_cut(&notes, 30);
	ck_assert_uint_eq(notes.stop_count, 2);
	ck_assert(prompt_log_last(&notes, 60, &at));
	ck_assert_uint_eq(at, 20);
}
