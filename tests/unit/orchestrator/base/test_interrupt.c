/*  orchestrator/base/interrupt: one signal, or two at once, is remembered; a later one ends the
 *  process (TB-22). Each case runs in a process of its own. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
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
		if (interrupt_seen() || interrupt_wait(1))
			_exit(1);
		raise(SIGINT);
		raise(SIGTERM);
		/* one that has arrived ends the wait, however long it is */
		if (!interrupt_seen() || !interrupt_wait(UINT64_MAX))
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
