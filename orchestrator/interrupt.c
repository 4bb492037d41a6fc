#include "orchestrator/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;

static void remember(int number)
{
	(void)number;
	seen = 1;
}

static void wake_up(int number)
{
	(void)number;
}

void interrupt_catch(void)
{
	struct sigaction end = { .sa_handler = remember, .sa_flags = (int)SA_RESETHAND };
	struct sigaction child = { .sa_handler = wake_up };
	struct sigaction hangup;

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* nohup: it is to survive its terminal */
		sigaction(SIGHUP, &end, NULL);
	sigaction(SIGCHLD, &child, NULL);
}

bool interrupt_seen(void)
{
	return seen;
}
