/*  orchestrator/fabric/core_choice: how many cores a fabric keeps when other programs compute, and
 *  which (TB-1). The test supplies all times. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/fabric/core_choice.h"
#include "tests/testing.h"

#define MS 1000000ull
#define CORES 4u

static struct core_choice choice;
static uint64_t stolen[CORES];
static uint64_t now = 1000 * MS;

static void set_up(void)
{
	memset(&choice, 0xff, sizeof(choice)); /* of an earlier fabric */
	core_choice_init(&choice, CORES);
	for (uint32_t i = 0; i < CORES; i++)
		stolen[i] = 5 * MS; /* of an earlier time: does not count */
	ck_assert(!core_choice_due(&choice, now, stolen));
}

static bool due(void)
{
	return core_choice_due(&choice, now, stolen);
}

/* each window holds @work_ns of CPU time */
static enum core_choice_verdict decide(uint64_t work_ns)
{
	struct core_sample sample = {
		.now_ns = now, .stolen_ns = stolen, .windows = 100, .cpu_ns = 100 * work_ns
	};

	return core_choice_decide(&choice, &sample);
}

static void steal(uint64_t ns, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		stolen[i] += ns;
}

TEST(core_choice_due__above_half_of_the_time)
{
	set_up();
	steal(6 * MS, 1, 1);
	now += CORE_CHOICE_LOOK_NS - 1;
	ck_assert(!due()); /* too short a time to decide */
	now += 1;
	ck_assert(due());
	now += 2 * MS;
	ck_assert(!due()); /* 6 of 12 ms are no more than half */
	steal(1, 1, 1);
	ck_assert(due());
}

TEST(core_choice_due__old_time_is_forgotten)
{
	set_up();
	steal(40 * MS, 0, 1);
	now += CORE_CHOICE_FORGET_NS + 1;
	ck_assert(!due());
	steal(6 * MS, 0, 1);
	now += CORE_CHOICE_LOOK_NS;
	ck_assert(due()); /* 6 of 10 ms, not 46 of 110 */
}

TEST(core_choice_decide__short_windows_on_one_core)
{
	set_up();
	steal(8 * MS, 0, CORES);
	steal(1 * MS, 0, 2);
	now += 10 * MS;
	ck_assert(due());
	ck_assert_int_eq(decide(50000), CORE_CHOICE_FEWER);
	ck_assert_uint_eq(choice.keep_count, 1);
	/* the cores from which least was taken; the first of two equal ones */
	ck_assert_uint_eq(choice.keep[0], 2);
}

TEST(core_choice_decide__as_many_as_have_work)
{
	set_up();
	steal(8 * MS, 0, CORES);
	now += 10 * MS;
	ck_assert(due());
	ck_assert_int_eq(decide(3 * CORE_CHOICE_WORK_NS), CORE_CHOICE_FEWER);
	ck_assert_uint_eq(choice.keep_count, 3);
}

/* free cores are kept, however short the windows are */
TEST(core_choice_decide__free_cores_are_kept)
{
	set_up();
	steal(9 * MS, 1, 1);
	now += 10 * MS;
	ck_assert(due());
	ck_assert_int_eq(decide(50000), CORE_CHOICE_FEWER);
	ck_assert_uint_eq(choice.keep_count, 3);
	ck_assert_uint_eq(choice.keep[0], 0);
	ck_assert_uint_eq(choice.keep[1], 2);
	ck_assert_uint_eq(choice.keep[2], 3);
}

/* a fabric with much work in a window keeps all cores; it is judged less and less often */
TEST(core_choice_decide__long_windows_on_all_cores)
{
	set_up();
	for (uint64_t look_ns = CORE_CHOICE_LOOK_NS; look_ns < CORE_CHOICE_LOOK_MAX_NS;
	     look_ns *= 2) {
		steal(look_ns, 0, CORES);
		now += look_ns - 1;
		ck_assert(!due());
		now += 1;
		ck_assert(due());
		ck_assert_int_eq(decide(CORES * CORE_CHOICE_WORK_NS), CORE_CHOICE_SAME);
	}
	steal(2 * CORE_CHOICE_LOOK_MAX_NS, 0, CORES);
	now += 2 * CORE_CHOICE_LOOK_MAX_NS;
	ck_assert(due());
}

/* All cores are tried again. After each trial that was too early the next one takes twice as long,
 * up to a limit. */
TEST(core_choice_decide__early_trials_double_the_time)
{
	uint64_t stay_ns = CORE_CHOICE_STAY_MIN_NS;

	set_up();
	for (int i = 0; i < 8; i++) {
		steal(8 * MS, 0, CORES);
		now += 10 * MS;
		ck_assert(due());
		ck_assert_int_eq(decide(50000), CORE_CHOICE_FEWER);
		now += stay_ns - 1;
		ck_assert(!due());
		now += 1;
		ck_assert(due());
		ck_assert_int_eq(decide(50000), CORE_CHOICE_ALL);
		if (stay_ns < CORE_CHOICE_STAY_MAX_NS)
			stay_ns *= 2;
	}
	/* this trial was successful: the next stay is short */
	now += stay_ns + 1;
	ck_assert(!due());
	steal(8 * MS, 0, CORES);
	now += 10 * MS;
	ck_assert(due());
	ck_assert_int_eq(decide(50000), CORE_CHOICE_FEWER);
	now += CORE_CHOICE_STAY_MIN_NS;
	ck_assert(due());
}
