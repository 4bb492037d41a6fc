/*  descriptor - a file descriptor, or -1 for none. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H
#define HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H

#include <unistd.h>

/** descriptor_close() - closes *@fd unless it is -1, and sets it to -1. */
static inline void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#endif
