/*  nodes/process/watchdog: which nodes a stall is attributed to (TB-22). */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/process/process_look.h"
#include "nodes/process/watchdog.h"
#include "tests/testing.h"

#define SECOND 1000000000ull
#define SLICE (SECOND / 20)

static struct watchdog watchdog;
static struct watchdog_sight sight; /* one late node, by default */
static uint64_t now;

/* Looks every slice for @duration_ns while window @window stays open. Late nodes use @cpu_ns,
 * handle @events and advance by @virtual_ps per slice. */
static enum watchdog_verdict watch_work(uint64_t duration_ns, uint32_t window, uint64_t cpu_ns,
					uint64_t events, uint64_t virtual_ps)
{
	enum watchdog_verdict verdict = WATCHDOG_FINE;
	uint64_t until = now + duration_ns;

	sight.progress = window;
	while (now < until && verdict == WATCHDOG_FINE) {
		now += SLICE;
		sight.cpu_ns += cpu_ns;
		sight.events += events;
		sight.virtual_ps += virtual_ps;
		verdict = watchdog_look(&watchdog, now, &sight);
	}
	return verdict;
}

/* ... on one event */
static enum watchdog_verdict watch(uint64_t duration_ns, uint32_t window, uint64_t cpu_ns)
{
	return watch_work(duration_ns, window, cpu_ns, 0, 0);
}

static void set_up(void)
{
	now = 5 * SECOND;
	sight = (struct watchdog_sight){ .late = 1, .cpu_ns = 7 * SECOND, .events = 3 };
	watchdog_start(&watchdog, WATCHDOG_NS_DEFAULT, now);
}

TEST_GROUP(watchdog, .setup = set_up);

TEST(watchdog_look__progress_is_fine)
{
	for (uint32_t window = 0; window < 100; window++)
		ck_assert_int_eq(watch(SECOND / 2, window, 0), WATCHDOG_FINE);
}

TEST(watchdog_look__blames_a_hanging_node)
{
	uint64_t from = now;

	ck_assert_int_eq(watch(10 * SECOND, 1, 0), WATCHDOG_HANGS);
	ck_assert(now - from < 3 * SECOND / 2);
}

/* a window may take hours if its nodes advance in virtual time, or if one after the other
 * finishes */
TEST(watchdog_look__advancing_nodes_are_fine)
{
	ck_assert_int_eq(watch_work(3600 * SECOND, 1, SLICE, 1000, 1), WATCHDOG_FINE);
	sight.late = 1000;
	for (; sight.late > 10; sight.late--)
		ck_assert_int_eq(watch(SECOND / 2, 1, 0), WATCHDOG_FINE);
}

/* On a slow or busy machine the nodes get little CPU time. The wall time does not count. */
TEST(watchdog_look__slow_machine_is_fine)
{
	ck_assert_int_eq(watch(1000 * SECOND, 1, SLICE / 40), WATCHDOG_FINE);
	ck_assert_int_eq(watch_work(3600 * SECOND, 2, SLICE / 10, 1, 0), WATCHDOG_FINE);
}

/* two kinds of endless loop: many events at the same time, and one event */
TEST(watchdog_look__events_of_one_moment)
{
	uint64_t from = sight.events;

	ck_assert_int_eq(watch_work(100000 * SECOND, 1, SLICE, 1000000, 0), WATCHDOG_LOOPS);
	ck_assert_uint_ge(sight.events - from, WATCHDOG_EVENTS_MAX);
	ck_assert_uint_le(sight.events - from, WATCHDOG_EVENTS_MAX + 3000000);
}

TEST(watchdog_look__one_event_without_end)
{
	uint64_t from;

	ck_assert_int_eq(watch_work(60 * SECOND, 1, SLICE, 1, 0), WATCHDOG_FINE);
	from = sight.cpu_ns;
	ck_assert_int_eq(watch(1000 * SECOND, 1, SLICE / 2), WATCHDOG_LOOPS);
	ck_assert_uint_le(sight.cpu_ns - from, 31 * SECOND);
	ck_assert_uint_ge(sight.cpu_ns - from, 29 * SECOND);
}

/* a node that worked and then hangs is detected as soon as one that never worked */
TEST(watchdog_look__works_then_hangs)
{
	uint64_t from;

	ck_assert_int_eq(watch(10 * SECOND, 1, SLICE), WATCHDOG_FINE);
	from = now;
	ck_assert_int_eq(watch(100 * SECOND, 1, 0), WATCHDOG_HANGS);
	ck_assert_uint_le(now - from, 3 * SECOND);
}

/* the orchestrator itself was stopped for a minute: no node has failed */
TEST(watchdog_look__stopped_orchestrator_blames_no_node)
{
	ck_assert_int_eq(watch(SECOND / 2, 1, 0), WATCHDOG_FINE);
	now += 60 * SECOND;
	ck_assert_int_eq(watchdog_look(&watchdog, now, &sight), WATCHDOG_FINE);
}

TEST(watchdog_look__never_if_switched_off)
{
	watchdog_start(&watchdog, 0, now);
	ck_assert_int_eq(watch(100 * SECOND, 1, 0), WATCHDOG_FINE);
	ck_assert(!watchdog_wants_detail(&watchdog, 1));
}

/* a process that would run, one that sleeps, one that was stopped, one that has ended */
TEST(process_wants_core__states)
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (!child) {
		for (;;)
			pause();
	}
	ck_assert(process_wants_core(getpid()));
	while (process_wants_core(child)) /* until it is in pause() */
		usleep(1000);
	ck_assert_int_eq(kill(child, SIGSTOP), 0);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(!process_wants_core(child));
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(!process_wants_core(child));
}
