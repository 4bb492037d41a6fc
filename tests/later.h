/*  later - what another process does while a test waits. */
#ifndef TESTS_LATER_H
#define TESTS_LATER_H

#include <sys/types.h>
#include <unistd.h>

/* Starts a process that does @action after a short delay. The caller waits for the process. */
static inline pid_t later(void (*action)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	usleep(20000);
	action();
	_exit(0);
}

#endif
