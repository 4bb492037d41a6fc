/*  clock - the virtual clock: conservative windows over one shared page (TB-7).
 *
 *  Every node publishes the time of its next event. The window is [earliest, earliest + lookahead):
 *  within it no node can affect another, because whatever a node puts on a link arrives at least
 *  `lookahead` later (propagation + the sender's fixed latency). Only nodes with something to do in
 *  the window take part; the last one to finish computes the next window. Empty time is skipped, no
 *  node is woken without an event, and the orchestrator is not involved.
 *
 *  The page, a memfd mapped by all nodes of a fabric and by the orchestrator:
 *    own_next[i]    time of node i's next event as far as it knows; written by i when it finishes a
 *                   window
 *    inbox_next[i]  earliest arrival that peers have sent to i meanwhile; atomic minimum by them,
 *                   emptied by the last finisher of each window, when no other node writes
 *    asleep[i]      futex word: 1 while node i sleeps, 0 as soon as another node wakes it
 *    done[i]        last window that node i finished, for the watchdog's message
 *    cores[c]       when a node last held core c, and how long other programs kept it from nodes:
 *                   core_share.h
 *    core_of[i]     the core that node i is to use; written by the orchestrator, which then raises
 *                   `placing`
 *  A node that waits reads `window` for a moment, then yields its core, then sleeps. A node that
 *  opens a window wakes the sleeping ones that take part in it.
 *  When the earliest event lies at or beyond `limit`, the clock stops there: at a breakpoint, after
 *  a step, at the end of the run. Under the real clock (pace.h) there are no windows, and nodes
 *  share only the head of the page (clock_pages.h). */
#ifndef HEDDLE_NODES_CLOCK_CLOCK_H
#define HEDDLE_NODES_CLOCK_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"

#define CLOCK_MAGIC 0x48444c43u /* "HDLC" */
/* core c has slot c % CLOCK_CORES; cores that share one are measured together */
#define CLOCK_CORES 64u
#define CLOCK_CORE_HOME -1 /* core_of: the cores that the node was started on */

enum clock_state {
	/* before the first window, and whenever `limit` is reached; real: before all are ready;
	 * nodes sleep */
	CLOCK_STOPPED,
	CLOCK_RUNNING,
	CLOCK_ENDED, /* nodes leave */
};

struct clock_page {
	/* written once */
	uint32_t magic, node_count;
	node_time_t lookahead_ps;
	/* real clock: fabric time runs so many times slower, 1..DILATION_MAX: fabric_time.h */
	uint32_t dilation;
	uint64_t epoch_ns;     /* real clock: CLOCK_MONOTONIC at fabric time 0 ... */
	uint64_t epoch_utc_ns; /* ... and CLOCK_REALTIME */
	/* the window; written by the last finisher, or by the orchestrator while stopped */
	/* its number; changes last; futex word of the orchestrator is `stops` */
	_Alignas(64) _Atomic uint32_t window;
	_Atomic uint32_t state;               /* enum clock_state */
	_Atomic node_time_t start_ps, end_ps; /* nodes handle events in [start, end) */
	_Atomic node_time_t limit_ps;         /* set by the orchestrator */
	/* number of the placement; odd while other programs use the cores too */
	_Atomic uint32_t placing;
	/* contended */
	/* nodes that have not finished the window yet */
	_Alignas(64) _Atomic uint32_t remaining;
	_Alignas(64) _Atomic uint32_t stops; /* futex word: rises when the clock stops */
	/* several machines (clock_gate.h): not 0, the gate opens windows; futex word of the
	 * gate: rises when a window has ended here; 1 while the gate sleeps on it */
	_Atomic uint32_t gated, ended, gate_asleep;
	_Atomic uint64_t windows, node_windows, wakes; /* for --timing */
};

/* After the page's first memory page, each 64-byte aligned: own_next, inbox_next (u64), asleep,
 * done (u32), core_of (i32), node_count long; cores, CLOCK_CORES long.
 * Under the real clock each process has its own, unused: clock_pages.h. */
#ifdef __x86_64__
#define CLOCK_HEAD_BYTES 4096u
#else
#define CLOCK_HEAD_BYTES 65536u /* the largest page of memory that Linux has */
#endif
_Static_assert(sizeof(struct clock_page) <= CLOCK_HEAD_BYTES, "the head is a page of memory");

struct clock_core {
	/* counter of the core when a node last gave it up or got it back */
	_Alignas(64) _Atomic uint64_t seen;
	/* time that nodes which could have run waited for other programs */
	_Atomic uint64_t stolen_ns;
};

struct clock {
	struct clock_page *page;
	_Atomic node_time_t *own_next, *inbox_next;
	_Atomic uint32_t *asleep, *done;
	_Atomic int32_t *core_of;
	struct clock_core *cores;
	uint32_t node_count;
};

/** clock_bytes() - size of the page for @node_count nodes. */
size_t clock_bytes(uint32_t node_count);

/** clock_init() - lays out a zeroed page; the clock is stopped at 0, every node is due at 0 (so
 *  that all start once), and time is not dilated.
 *  @lookahead_ps > 0. */
void clock_init(struct clock_page *page, uint32_t node_count, node_time_t lookahead_ps);

/** clock_attach() - @clock refers to @page of @size_bytes, borrowed.
 *  Return: 0; -EINVAL: it is not a clock page. */
int clock_attach(struct clock *clock, struct clock_page *page, size_t size_bytes);

/** clock_notify() - a record that the caller has sent arrives at node @node at @at. Called by any
 *  node, within a window. O(1). */
static inline void clock_notify(const struct clock *clock, uint32_t node, node_time_t at)
{
	_Atomic node_time_t *next = &clock->inbox_next[node];
	node_time_t seen = atomic_load_explicit(next, memory_order_relaxed);

	while (at < seen && !atomic_compare_exchange_weak_explicit(
				    next, &seen, at, memory_order_acq_rel, memory_order_relaxed))
		;
}

/** clock_takes_part() - true if node @node has an event in the window that is open now. */
static inline bool clock_takes_part(const struct clock *clock, uint32_t node)
{
	return atomic_load_explicit(&clock->own_next[node], memory_order_relaxed) <
	       atomic_load_explicit(&clock->page->end_ps, memory_order_relaxed);
}

/** clock_finish() - node @node has handled its events of the window; its next one is at @next.
 *  The last one to finish opens the next window, or stops the clock at the limit.
 *  @wake filled with the nodes that the caller must wake (they sleep), node_count entries;
 *  borrowed.
 *  Return: how many there are. Wakes the orchestrator, which waits on `stops`, if the clock stops.
 *  O(1); O(nodes) for the last one. */
uint32_t clock_finish(const struct clock *clock, uint32_t node, node_time_t next, uint32_t *wake);

/** clock_resume() - lets a stopped clock run up to @limit. @wake as in clock_finish().
 *  Only the orchestrator, only while stopped. Return: how many to wake; 0 also if there is nothing
 *  before @limit (clock_stopped() tells), or if a gate opens the windows. */
uint32_t clock_resume(const struct clock *clock, node_time_t limit, uint32_t *wake);

/* ---- for clock_gate.c: the clock of several machines ---- */

/** clock_open() - opens the window [@start, @end). Only the gate, after clock_gate_earliest(),
 *  while no window is open. @active how many nodes take part here.
 *  Return: how many of @wake the caller must wake. */
uint32_t clock_open(const struct clock *clock, node_time_t start, node_time_t end, uint32_t *wake,
		    uint32_t *active);

/** clock_stop() - the clock stops, unless it has been ended meanwhile. Only the gate. */
void clock_stop(const struct clock *clock);

/** clock_earliest() - the time of the earliest event of all; NODE_TIME_NEVER: nothing will ever
 *  happen again. Exact only while stopped. O(nodes). */
node_time_t clock_earliest(const struct clock *clock);

/** clock_now() - the fabric's time: while stopped, the limit, or the earliest event if that is
 *  before it; else the start of the window. Exact only while stopped. O(nodes). */
node_time_t clock_now(const struct clock *clock);

static inline bool clock_stopped(const struct clock *clock)
{
	return atomic_load_explicit(&clock->page->state, memory_order_acquire) == CLOCK_STOPPED;
}

#endif
