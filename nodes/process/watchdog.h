/*  watchdog - decides from outside whether a node of the fabric hangs or loops (TB-22).
 *
 *  Under the virtual clock one node that hangs stops the fabric: its window never ends. But a
 *  window may also take long because the machine is busy, and that must not end a run. So a window
 *  that does not end is a failure of its late nodes only
 *  - if they used no CPU time for `patience` (they hang), or
 *  - if they work without progress (they loop): each has handled WATCHDOG_EVENTS_MAX events at one
 *  moment of virtual time, or has used WATCHDOG_LOOP_FACTOR times `patience` of CPU time on one
 *  event. A node that advances in virtual time has no limit. A further node that has finished is
 *  progress too. Time counts in portions of at most WATCHDOG_PORTION_NS per look: a pause of the
 *  orchestrator itself is not attributed to its nodes. Pure: the caller reads the clock page and
 *  the processes. */
#ifndef HEDDLE_NODES_PROCESS_WATCHDOG_H
#define HEDDLE_NODES_PROCESS_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_NS_DEFAULT 1000000000ull
/* limit of CPU time on one event, in units of `patience` */
#define WATCHDOG_LOOP_FACTOR 30u
/* of a node at one moment of virtual time; ours: hundreds of times what flows and ports can cause
 * */
#define WATCHDOG_EVENTS_MAX 100000000ull
#define WATCHDOG_PORTION_NS 200000000ull
/* less than this is "no CPU time": a sleeping node wakes from time to time */
#define WATCHDOG_IDLE_CPU_NS 2000000ull

enum watchdog_verdict {
	WATCHDOG_FINE,
	WATCHDOG_HANGS, /* no progress, and the late nodes used no CPU time */
	WATCHDOG_LOOPS, /* no progress although they work */
};

/* what the caller reads; all but `progress` are sums over the late nodes, and used only if
 * watchdog_wants_detail() */
struct watchdog_sight {
	/* number of the open window, or another measure of progress */
	uint32_t progress;
	uint32_t late;       /* how many nodes */
	uint64_t cpu_ns;     /* CPU time used so far */
	uint64_t events;     /* handled so far */
	uint64_t virtual_ps; /* sum of the times of their last events, modulo 2^64 */
};

struct watchdog {
	uint64_t patience_ns; /* 0: no watchdog */
	uint64_t last_ns;     /* time of the last look */
	uint64_t stalled_ns;  /* time without progress */
	bool fresh;           /* the next look starts a stall */
	/* at the start of the stall; its `progress` is of the last look */
	struct watchdog_sight from;
	/* stalled_ns and CPU time when the nodes last used CPU time */
	uint64_t quiet_ns, quiet_cpu_ns;
	/* events, and CPU time, at the last look with a new event */
	uint64_t event_count, event_cpu_ns;
};

/** watchdog_start() - starts at @now_ns, when the clock has just been resumed. */
void watchdog_start(struct watchdog *watchdog, uint64_t patience_ns, uint64_t now_ns);

/** watchdog_wants_detail() - does the next look with this @progress need the other members? (They
 *  cost one system call per late node, so they are read only for a window that lasts.) */
bool watchdog_wants_detail(const struct watchdog *watchdog, uint32_t progress);

/** watchdog_look() - one look while the clock runs. */
enum watchdog_verdict watchdog_look(struct watchdog *watchdog, uint64_t now_ns,
				    const struct watchdog_sight *sight);

#endif
