/*  descriptor - a file descriptor that may be there or not: -1.                                                       */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H
#define HEDDLE_ORCHESTRATOR_BASE_DESCRIPTOR_H

#include <unistd.h>

/** descriptor_close() - closes *@fd if it is there; then it is not. */
static inline void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#endif
