/*  watchdog - decides from outside whether the fabric has come to a standstill (TB-22).
 *
 *  Under the virtual clock one silent node stops everybody: the window waits for it for ever. But a
 *  window may also take long because the machine is busy, and killing a run for that would be
 *  worse. So a window that does not end is held against its late nodes only
 *  - if they used no CPU time for `patience` (they hang), or
 *  - if they work without getting anywhere (they run in circles): each has handled
 *    WATCHDOG_EVENTS_MAX events at one moment of virtual time, or has used WATCHDOG_LOOP_FACTOR
 *    times `patience` of CPU time on one event.
 *  How long a node takes that gets on in virtual time is never asked. Progress is also: one more
 *  node has finished. Time counts in small portions, at most WATCHDOG_PORTION_NS per look: if the
 *  orchestrator itself was stopped or starved, its nodes are not blamed.
 *  Pure: the caller looks at the clock page and at the processes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_WATCHDOG_H
#define HEDDLE_ORCHESTRATOR_FABRIC_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_NS_DEFAULT 1000000000ull
/* what a node does at a time may take so much more CPU time than a hang is waited for */
#define WATCHDOG_LOOP_FACTOR 30u
/* of a node at one moment of virtual time; ours: hundreds of times what flows and ports can cause
 * */
#define WATCHDOG_EVENTS_MAX 100000000ull
#define WATCHDOG_PORTION_NS 200000000ull
/* less than this is "no CPU time": a sleeper that looks around now and then */
#define WATCHDOG_IDLE_CPU_NS 2000000ull

enum watchdog_verdict {
	WATCHDOG_FINE,
	WATCHDOG_HANGS, /* no progress, and the late nodes did nothing */
	WATCHDOG_LOOPS, /* no progress although they work */
};

/* what the caller sees; all but `progress` is of the late nodes together, and is looked at only if
 * watchdog_wants_detail() */
struct watchdog_sight {
	/* number of the window that is open, or of any other kind of progress */
	uint32_t progress;
	uint32_t late;       /* how many nodes */
	uint64_t cpu_ns;     /* CPU time used so far */
	uint64_t events;     /* handled so far */
	uint64_t virtual_ps; /* sum of the times of their last events, modulo 2^64 */
};

struct watchdog {
	uint64_t patience_ns; /* 0: never bites */
	uint64_t last_ns;     /* when it looked last */
	uint64_t stalled_ns;  /* for so long nothing has got on */
	bool fresh;           /* the next look begins a standstill */
	/* when the standstill began; its `progress`: of the last look */
	struct watchdog_sight from;
	/* stalled_ns and CPU time when they were seen to work last */
	uint64_t quiet_ns, quiet_cpu_ns;
	/* events by the last look at which there were more, and CPU time then */
	uint64_t event_count, event_cpu_ns;
};

/** watchdog_start() - watches from @now_ns on; the clock has just been resumed. */
void watchdog_start(struct watchdog *watchdog, uint64_t patience_ns, uint64_t now_ns);

/** watchdog_wants_detail() - would the next look with this @progress need more than that? (It costs
 *  one system call per late node, so it is read only for a window that has lasted.) */
bool watchdog_wants_detail(const struct watchdog *watchdog, uint32_t progress);

/** watchdog_look() - the clock runs, and this is what is seen. */
enum watchdog_verdict watchdog_look(struct watchdog *watchdog, uint64_t now_ns,
				    const struct watchdog_sight *sight);

#endif
