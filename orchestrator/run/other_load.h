/*  other_load - how much of the cores programs of others have used meanwhile (DU-5).
 *
 *  What the machine was busy for (/proc/stat, all cores, the time that a hypervisor took included)
 *  without what this process and those that it has waited for have used. A machine that does not
 *  tell has none. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_OTHER_LOAD_H
#define HEDDLE_ORCHESTRATOR_RUN_OTHER_LOAD_H

#include <stdint.h>

/* a moment */
struct other_load {
	uint64_t monotonic_ns;
	uint64_t busy_ns; /* of all cores since the machine's start; 0: it does not tell */
	uint64_t own_ns;
};

/** other_load_busy_ns() - the time in @stat, the text of /proc/stat, with @ticks_hz ticks a second;
 *  0: there is none. Pure. */
uint64_t other_load_busy_ns(const char *stat, uint64_t ticks_hz);

/** other_load_now() - the present moment. */
struct other_load other_load_now(void);

/** other_load_permille() - share of @cores cores that others have used from @from to @to.
 *  Return: 0 to 1000. Pure. */
uint32_t other_load_permille(const struct other_load *from, const struct other_load *to,
			     uint32_t cores);

#endif
