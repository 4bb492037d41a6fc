/*  turn - how a node waits for its next window: spin, then yield, then sleep (TB-1, TB-7).
 *
 *  There are far more nodes than cores, so the node that is waited for usually needs this very
 *  core. A waiting node yields it: one switch of processes, and no wake-up by another node. It
 *  spins first only if each node can have a core of its own. A node that took part in the last
 *  window will most likely take part in the next one, so it yields for long before it sleeps. A
 *  node without events in recent windows sleeps soon, and then costs nothing. While other programs
 *  use the cores, core_share.h has other rules.
 *  Measured (tests/bench/bench_clock.c; 2 cores, a virtual machine), wall time per process and
 *  window: 4 to 9 us when all sleep at once, about 1 us when they yield, nearly all of it the
 *  switch itself (processes that do nothing but sched_yield() need 1.4 us of a core each); 0.1 us
 *  where two nodes have a core each. One pair talking among 1024 nodes is nearly as fast as a pair
 *  alone. */
#ifndef HEDDLE_NODES_CLOCK_TURN_H
#define HEDDLE_NODES_CLOCK_TURN_H

#include "nodes/clock/clock.h"
#include "nodes/clock/core_share.h"
#include "nodes/clock/event_loop.h"

enum turn_kind {
	TURN_RUN, /* a window is open in which the node takes part */
	/* the control socket is readable; a node that never sleeps reads it when the clock stops */
	TURN_CONTROL,
	TURN_ENDED, /* the clock has ended: leave */
};

struct turn {
	const struct clock *clock;
	struct event_loop *loop;
	uint32_t node;
	uint32_t spins_max;      /* looks at the clock without yielding */
	uint32_t yields_max;     /* after a window that the node took part in */
	struct core_share share; /* what of this holds beside other programs */
};

/** turn_init() - @clock and @loop are borrowed.  @core_count  cores that this fabric may use. */
void turn_init(struct turn *turn, const struct clock *clock, struct event_loop *loop, uint32_t node,
	       uint32_t core_count);

/** turn_cores() - cores that this process may run on, at least 1. */
uint32_t turn_cores(void);

/** turn_wait() - until there is something for the node to do.
 *  On TURN_RUN everything that others wrote before the window opened is visible. */
enum turn_kind turn_wait(struct turn *turn);

#endif
