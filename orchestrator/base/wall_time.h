/*  wall_time - the machine's time, for waiting and for --timing. No result depends on it. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_WALL_TIME_H
#define HEDDLE_ORCHESTRATOR_BASE_WALL_TIME_H

#include <stdint.h>
#include <time.h>

/** wall_ns() - nanoseconds of CLOCK_MONOTONIC. It never jumps and does not count while the machine
 *  is suspended. */
static inline uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#endif
