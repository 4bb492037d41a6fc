/*  orchestrator/base/interrupt: one signal, or two at once, is remembered; a later one ends the
 *  process (TB-22). Each case runs in a process of its own. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orchestrator/base/interrupt.h"
#include "tests/testing.h"

/* Return: the status, or -signal, of a process that gets SIGINT and SIGTERM at once, and another
 * SIGTERM after @wait_us. */
static int fate(unsigned wait_us)
{
	pid_t child = fork();
	int status;

	if (!child) {
		close(STDERR_FILENO);
		interrupt_catch();
		if (interrupt_seen() || interrupt_wait(-1, 1))
			_exit(1);
		raise(SIGINT);
		raise(SIGTERM);
		/* one that has arrived ends the wait, however long it is */
		if (!interrupt_seen() || !interrupt_wait(-1, UINT64_MAX))
			_exit(2);
		usleep(wait_us);
		if (wait_us)
			raise(SIGTERM);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(interrupt_catch__twice_at_once_is_once)
{
	ck_assert_int_eq(fate(0), 0);
}

TEST(interrupt_catch__a_later_one_ends_at_once)
{
	ck_assert_int_eq(fate(INTERRUPT_ONE_NS / 1000 + 10000), INTERRUPT_STATUS);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* without a signal it sleeps for the whole time: a caller that asks again and again would use a
 * core */
TEST(interrupt_wait__sleeps)
{
	uint64_t begun_ns = now_ns();

	ck_assert(!interrupt_wait(-1, 20000000));
	ck_assert_uint_ge(now_ns() - begun_ns, 20000000);
}

/* each of the three is remembered; SIGHUP not where it was ignored before (nohup) */
TEST_RANGE(interrupt_catch__each_signal, 0, 4)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGHUP };

	signal(SIGHUP, _i == 3 ? SIG_IGN : SIG_DFL); /* whatever started the test */
	interrupt_catch();
	ck_assert(!interrupt_seen());
	raise(signals[_i]);
	ck_assert(interrupt_seen() == (_i < 3));
}

/* Ctrl-C may stop one command; what ends a process does so after a Ctrl-C, too */
TEST_RANGE(interrupt_forgive__ctrl_c_only, 0, 3)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGHUP, SIG_DFL); /* whatever started the test */
	interrupt_catch();
	for (unsigned i = 0; i < 2; i++) {
		raise(SIGINT);
		ck_assert(interrupt_seen());
		ck_assert(interrupt_forgive());
		ck_assert(!interrupt_seen());
	}
	raise(SIGINT);
	raise(signals[_i]);
	ck_assert(interrupt_forgive() == !_i);
	ck_assert(interrupt_seen() == !!_i);
}
