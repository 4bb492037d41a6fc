/*  orchestrator/live: allocations of the daemon that fail (TB-22). */
#include "orchestrator/live/live_history.h"
#include "tests/allocation.h"
#include "tests/testing.h"

TEST_GROUP(allocation_live);

/* a note without memory is none */
static int history_attempt(void)
{
	struct live_history history = { 0 };
	const struct fabric fabric = { 0 };
	const struct plan plan = { 0 };
	int error;

	live_history_step(&history, &plan, &fabric, 0);
	live_history_step(&history, &plan, &fabric, LIVE_HISTORY_STEP_NS);
	error = history.notes[0].at_ns ? 0 : -ENOMEM;
	live_history_free(&history);
	return error;
}

TEST(live_history_step__survives_each_failure)
{
	all_fail("live_history_step()", history_attempt);
}
