/*  monotonic - the machine's time. Only what waits or measures reads it, no stage. */
#ifndef HEDDLE_NODES_BASE_MONOTONIC_H
#define HEDDLE_NODES_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/** monotonic_ns() - nanoseconds of CLOCK_MONOTONIC. It never jumps and does not count while the
 *  machine is suspended. */
static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#endif
