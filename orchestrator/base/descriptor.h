/*  descriptor - a file descriptor, or -1 for none; how many there may be. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H
#define HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H

#include <sys/resource.h>
#include <unistd.h>

/** descriptor_close() - closes *@fd unless it is -1, and sets it to -1. */
static inline void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/** descriptor_limit_raise() - this process, and those that it starts, may have as many open files
 *  as the hard limit allows: each node needs some. */
static inline void descriptor_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
