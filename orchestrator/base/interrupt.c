#include "orchestrator/base/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"

static volatile sig_atomic_t seen;
static volatile sig_atomic_t ends; /* one of them is not Ctrl-C */
/* valid once `seen` is set; the three signals are blocked while one of them is handled */
static uint64_t first_ns;

/* Calls only what a signal handler may call: nothing is flushed, and unfinished files stay as they
 * are. */
static void remember(int number)
{
	static const char words[] = "heddle: interrupted again, and so ended at once\n";

	if (number != SIGINT)
		ends = 1;
	if (!seen) {
		first_ns = monotonic_ns();
		seen = 1;
	} else if (monotonic_ns() - first_ns > INTERRUPT_ONE_NS) {
		(void)!write(STDERR_FILENO, words, sizeof(words) - 1);
		_exit(INTERRUPT_STATUS);
	}
}

static void wake_up(int number)
{
	(void)number;
}

void interrupt_catch(void)
{
	struct sigaction end = { .sa_handler = remember };
	struct sigaction child = { .sa_handler = wake_up };
	struct sigaction hangup;

	sigaddset(&end.sa_mask, SIGINT);
	sigaddset(&end.sa_mask, SIGTERM);
	sigaddset(&end.sa_mask, SIGHUP);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* not under nohup, where the run survives its terminal */
		sigaction(SIGHUP, &end, NULL);
	sigaction(SIGCHLD, &child, NULL);
}

bool interrupt_seen(void)
{
	return seen;
}

bool interrupt_forgive(void)
{
	seen = 0;
	if (ends) /* before this, or in between */
		seen = 1;
	return !seen;
}

bool interrupt_wait(int fd, uint64_t time_ns)
{
	struct timespec limit = { .tv_sec = (time_t)(time_ns / 1000000000),
				  .tv_nsec = (long)(time_ns % 1000000000) };
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	sigset_t wanted, before;

	/* blocked but while it sleeps, so that none is missed in between */
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	if (!seen)
		ppoll(&polled, 1, time_ns == UINT64_MAX ? NULL : &limit, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return seen;
}
