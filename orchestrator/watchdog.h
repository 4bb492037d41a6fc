/*  watchdog - decides from outside whether the fabric has come to a standstill (TB-22).
 *
 *  Under the virtual clock one silent node stops everybody: the window waits for it for ever. But a window may also
 *  take long because the machine is busy, and killing a run for that would be worse. So a window that does not end is
 *  held against its late nodes only if they used no CPU time meanwhile (they hang), or after a much longer time in any
 *  case (they loop). Time counts in small portions, at most WATCHDOG_PORTION_NS per look: if the orchestrator itself was
 *  stopped or starved, its nodes are not blamed.
 *  Pure: the caller looks at the clock page and at the processes.                                                    */
#ifndef HEDDLE_ORCHESTRATOR_WATCHDOG_H
#define HEDDLE_ORCHESTRATOR_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_NS_DEFAULT 1000000000ull
#define WATCHDOG_LOOP_FACTOR 30u /* a late node that does use CPU time is given so much longer */
#define WATCHDOG_PORTION_NS 200000000ull
#define WATCHDOG_IDLE_CPU_NS 2000000ull /* less than this is "no CPU time": a sleeper that looks around now and then */

enum watchdog_verdict {
	WATCHDOG_FINE,
	WATCHDOG_HANGS, /* no progress, and the late nodes did nothing */
	WATCHDOG_LOOPS, /* no progress although they work */
};

struct watchdog {
	uint64_t patience_ns; /* 0: never bites */
	uint32_t window;      /* the window that was open at the last look */
	uint64_t last_ns;     /* when that was */
	uint64_t stalled_ns;  /* for so long it has been the same */
	uint64_t cpu_ns;      /* CPU time of the late nodes when it was seen first */
};

/** watchdog_start() - watches from @now_ns on; the clock has just been resumed. */
void watchdog_start(struct watchdog *watchdog, uint64_t patience_ns, uint64_t now_ns);

/** watchdog_wants_cpu() - would the next look in window @window need the late nodes' CPU time? (Reading it costs one
 *  system call per node, so it is read only for a window that has lasted.)                                       */
bool watchdog_wants_cpu(const struct watchdog *watchdog, uint32_t window);

/** watchdog_look() - the clock runs, in window @window; its late nodes have used @cpu_ns of CPU time in all (only looked
 *  at if watchdog_wants_cpu()).                                                                                  */
enum watchdog_verdict watchdog_look(struct watchdog *watchdog, uint64_t now_ns, uint32_t window, uint64_t cpu_ns);

#endif
