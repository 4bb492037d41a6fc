/*  core_share - how a node behaves on a core that other programs use too (TB-1, TB-7).
 *
 *  Alone on its core, a fabric's node that waits yields, and gets the core back when the other
 *  nodes have had it: microseconds. Beside a program that computes, each yield gives that program a
 *  whole time slice, 3 to 4 ms, for every window. Nodes therefore measure: a node that yields notes
 *  the time for its core on the clock page, and so does the node that gets the core. If no node has
 *  held the core for CORE_SHARE_STOLEN_NS before a yield returns, another program had it: the gap
 *  is added to the core's stolen time, and the orchestrator is woken. It decides
 *  (orchestrator/fabric/core_choice.h) and writes a new placement; nodes follow it at their next
 *  turn:
 *    - They move to the core that they are told. A fabric whose windows are short is gathered on
 *      one core, where nodes take turns and never wait for a node that another program keeps from
 *      running.
 *    - They sleep instead of yielding: a sleeper keeps its claim on the core, and a node that
 *      yields loses its own.
 *    - They ask for short time slices (sched_setattr(), Linux 6.12), so that a node that is woken
 *      gets the core at once from a program with longer ones. Older kernels ignore that; there
 *      sleeping helps alone.
 *  Results do not depend on any of this.
 *  Cost: 20 ns for each yield, which takes 0.7 to 1.4 us itself. Hence the core's counter, not the
 *  kernel's clock (28 ns). */
#ifndef HEDDLE_NODES_CLOCK_CORE_SHARE_H
#define HEDDLE_NODES_CLOCK_CORE_SHARE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "nodes/clock/clock.h"

#define CORE_SHARE_STOLEN_NS 500000u /* shorter gaps are interrupts and threads of the kernel */
#define CORE_SHARE_SLICE_NS 100000u  /* the shortest slice that Linux grants */

struct core_share {
	const struct clock *clock;
	uint32_t node;
	uint32_t placing;  /* the placement that is followed */
	bool short_slices; /* asked for, and granted */
	uint32_t core;     /* slot of the core that it was noted for last, */
	uint64_t noted;    /* and the core's counter then */
	/* counter and CLOCK_MONOTONIC at the start: what a step of the counter is */
	uint64_t first, first_ns;
	cpu_set_t home; /* the cores that the node was started on */
};

/** core_share_init() - @clock is borrowed.  @node  slot on the clock page. */
void core_share_init(struct core_share *share, const struct clock *clock, uint32_t node);

/** core_share_note() - before the first of several yields: the node holds its core now. */
void core_share_note(struct core_share *share);

/** core_share_yield() - sched_yield(), measured; after core_share_note() or another yield. */
void core_share_yield(struct core_share *share);

/** core_share_follow() - takes on a new placement. System calls; only if core_share_changed(). */
void core_share_follow(struct core_share *share);

static inline bool core_share_changed(const struct core_share *share)
{
	return atomic_load_explicit(&share->clock->page->placing, memory_order_acquire) !=
	       share->placing;
}

/** core_share_shared() - do other programs use the cores too? */
static inline bool core_share_shared(const struct core_share *share)
{
	return share->placing & 1;
}

#endif
