/*  wall_time - the machine's time, for waiting and for --timing. No result depends on it. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_WALL_TIME_H
#define HEDDLE_ORCHESTRATOR_BASE_WALL_TIME_H

#include "nodes/base/monotonic.h"

/** wall_ns() - monotonic_ns(). */
static inline uint64_t wall_ns(void)
{
	return monotonic_ns();
}

#endif
