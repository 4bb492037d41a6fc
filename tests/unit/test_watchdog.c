/*  test_watchdog - who is blamed for a standstill, and who is not (TB-22).                                           */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/fabric_watch.h"
#include "orchestrator/watchdog.h"
#include "tests/testing.h"

#define SECOND 1000000000ull
#define SLICE (SECOND / 20)

static struct watchdog watchdog;
static uint64_t now, used_ns;

/* looks every slice for @duration_ns while window @window stays open and late nodes use @cpu_ns per slice */
static enum watchdog_verdict watch(uint64_t duration_ns, uint32_t window, uint64_t cpu_ns)
{
	enum watchdog_verdict verdict = WATCHDOG_FINE;
	uint64_t until = now + duration_ns;

	while (now < until && verdict == WATCHDOG_FINE) {
		now += SLICE;
		used_ns += cpu_ns;
		verdict = watchdog_look(&watchdog, now, window, used_ns);
	}
	return verdict;
}

static void set_up(void)
{
	now = 5 * SECOND;
	watchdog_start(&watchdog, WATCHDOG_NS_DEFAULT, now);
}

TEST_GROUP(watchdog, .setup = set_up);

TEST(watchdog_look__progress)
{
	for (uint32_t window = 0; window < 100; window++)
		ck_assert_int_eq(watch(SECOND / 2, window, 0), WATCHDOG_FINE);
}

TEST(watchdog_look__hang)
{
	uint64_t from = now;

	ck_assert_int_eq(watch(10 * SECOND, 1, 0), WATCHDOG_HANGS);
	ck_assert(now - from < 3 * SECOND / 2);
}

TEST(watchdog_look__works_for_long)
{
	ck_assert_int_eq(watch(20 * SECOND, 1, SLICE), WATCHDOG_FINE);
	ck_assert_int_eq(watch(20 * SECOND, 1, SLICE), WATCHDOG_LOOPS);
}

/* the orchestrator itself was stopped for a minute: nobody is to blame */
TEST(watchdog_look__watcher_was_away)
{
	ck_assert_int_eq(watch(SECOND / 2, 1, 0), WATCHDOG_FINE);
	now += 60 * SECOND;
	ck_assert_int_eq(watchdog_look(&watchdog, now, 1, 0), WATCHDOG_FINE);
}

TEST(watchdog_look__switched_off)
{
	watchdog_start(&watchdog, 0, now);
	ck_assert_int_eq(watch(100 * SECOND, 1, 0), WATCHDOG_FINE);
	ck_assert(!watchdog_wants_cpu(&watchdog, 1));
}

/* a process that would run, one that sleeps, one that was stopped, one that is gone */
TEST(fabric_wants_core__states)
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (!child) {
		for (;;)
			pause();
	}
	ck_assert(fabric_wants_core(getpid()));
	while (fabric_wants_core(child)) /* until it has come to pause() */
		usleep(1000);
	ck_assert_int_eq(kill(child, SIGSTOP), 0);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(!fabric_wants_core(child));
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(!fabric_wants_core(child));
}
