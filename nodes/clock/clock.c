#include "nodes/clock/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/clock/clock_scan.h"
#include "nodes/clock/futex.h"

/*  Two orders carry the whole protocol:
 *
 *  1. `end_ps` is stored last when a window opens. A waiting node compares its own_next with end_ps
 *     and with nothing else, so it can see a window only when the count of those that remain, the
 *     window's number and every own_next are there. Comparing the window's number first does not
 *     do: a node that takes no part in window w may look while w + 1 is being written, and would
 *     join it before it is open.
 *  2. The opener stores end_ps, then reads asleep[i]; a node that goes to sleep stores asleep[i],
 *     then reads end_ps. All four are sequentially consistent, so at least one of the two sees the
 *     other: no wake-up is lost. */

static size_t lines(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

size_t clock_bytes(uint32_t node_count)
{
	return CLOCK_HEAD_BYTES + 2 * lines(node_count * sizeof(node_time_t)) +
	       3 * lines(node_count * sizeof(uint32_t)) + CLOCK_CORES * sizeof(struct clock_core);
}

static void locate(struct clock *clock, struct clock_page *page, uint32_t node_count)
{
	char *at = (char *)page + CLOCK_HEAD_BYTES;

	clock->page = page;
	clock->node_count = node_count;
	clock->own_next = (_Atomic node_time_t *)at;
	at += lines(node_count * sizeof(node_time_t));
	clock->inbox_next = (_Atomic node_time_t *)at;
	at += lines(node_count * sizeof(node_time_t));
	clock->asleep = (_Atomic uint32_t *)at;
	at += lines(node_count * sizeof(uint32_t));
	clock->done = (_Atomic uint32_t *)at;
	at += lines(node_count * sizeof(uint32_t));
	clock->core_of = (_Atomic int32_t *)at;
	at += lines(node_count * sizeof(uint32_t));
	clock->cores = (struct clock_core *)at;
}

void clock_init(struct clock_page *page, uint32_t node_count, node_time_t lookahead_ps)
{
	uint32_t padded = (node_count + CLOCK_SCAN_LANES - 1) / CLOCK_SCAN_LANES * CLOCK_SCAN_LANES;
	struct clock clock;

	page->node_count = node_count;
	page->lookahead_ps = lookahead_ps;
	page->dilation = 1;
	locate(&clock, page, node_count);
	for (uint32_t i = 0; i < padded; i++)
		atomic_store_explicit(&clock.inbox_next[i], NODE_TIME_NEVER, memory_order_relaxed);
	for (uint32_t i = node_count; i < padded; i++)
		atomic_store_explicit(&clock.own_next[i], NODE_TIME_NEVER, memory_order_relaxed);
	for (uint32_t i = 0; i < node_count; i++)
		atomic_store_explicit(&clock.core_of[i], CLOCK_CORE_HOME, memory_order_relaxed);
	page->magic = CLOCK_MAGIC;
}

int clock_attach(struct clock *clock, struct clock_page *page, size_t size_bytes)
{
	uint32_t node_count;

	if (size_bytes < CLOCK_HEAD_BYTES || page->magic != CLOCK_MAGIC)
		return -EINVAL;
	node_count = page->node_count;
	if (!node_count || node_count > NODE_COUNT_MAX || !page->lookahead_ps || !page->dilation ||
	    page->dilation > DILATION_MAX || clock_bytes(node_count) > size_bytes)
		return -EINVAL;
	locate(clock, page, node_count);
	return 0;
}

static node_time_t time_add(node_time_t a, node_time_t b)
{
	return a > NODE_TIME_NEVER - b ? NODE_TIME_NEVER : a + b;
}

/* only one process at a time writes these */
static void count(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

/* keeps those of @nodes that sleep: they are the caller's to wake from now on */
static uint32_t keep_sleepers(const struct clock *clock, uint32_t *nodes, uint32_t node_count)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < node_count; k++) {
		_Atomic uint32_t *asleep = &clock->asleep[nodes[k]];

		if (atomic_load_explicit(asleep, memory_order_seq_cst) &&
		    atomic_exchange_explicit(asleep, 0, memory_order_seq_cst))
			nodes[kept++] = nodes[k];
	}
	return kept;
}

/* only the caller writes the page now */
uint32_t clock_open(const struct clock *clock, node_time_t start, node_time_t end, uint32_t *wake,
		    uint32_t *active_count)
{
	struct clock_page *page = clock->page;
	uint32_t active = clock_scan_list(clock->own_next, clock->node_count, end, wake);
	uint32_t window = atomic_load_explicit(&page->window, memory_order_relaxed) + 1;
	uint32_t sleepers;

	count(&page->windows, 1);
	count(&page->node_windows, active);
	atomic_store_explicit(&page->start_ps, start, memory_order_relaxed);
	atomic_store_explicit(&page->remaining, active, memory_order_relaxed);
	atomic_store_explicit(&page->window, window, memory_order_release);
	atomic_store_explicit(&page->end_ps, end, memory_order_seq_cst);
	*active_count = active;
	sleepers = keep_sleepers(clock, wake, active);
	if (sleepers)
		atomic_fetch_add_explicit(&page->wakes, sleepers, memory_order_relaxed);
	return sleepers;
}

void clock_stop(const struct clock *clock)
{
	struct clock_page *page = clock->page;
	uint32_t running = CLOCK_RUNNING;

	atomic_compare_exchange_strong_explicit(&page->state, &running, CLOCK_STOPPED,
						memory_order_acq_rel, memory_order_relaxed);
	atomic_fetch_add_explicit(&page->stops, 1, memory_order_seq_cst);
	futex_wake(&page->stops, INT32_MAX);
}

/* The window has ended here: what follows is up to the gate. The gate stores gate_asleep, then
 * reads `ended`: no wake-up is lost. */
static void gate_tell(struct clock_page *page)
{
	atomic_fetch_add_explicit(&page->ended, 1, memory_order_seq_cst);
	if (atomic_load_explicit(&page->gate_asleep, memory_order_seq_cst))
		futex_wake(&page->ended, 1);
}

/* the window that begins with the @earliest event, before @limit */
static uint32_t open_before(const struct clock *clock, node_time_t earliest, node_time_t limit,
			    uint32_t *wake)
{
	node_time_t end = node_time_min(time_add(earliest, clock->page->lookahead_ps), limit);
	uint32_t active;

	return clock_open(clock, earliest, end, wake, &active);
}

static uint32_t advance(const struct clock *clock, uint32_t *wake)
{
	struct clock_page *page = clock->page;
	node_time_t earliest, limit;

	if (atomic_load_explicit(&page->gated, memory_order_relaxed)) {
		gate_tell(page);
		return 0;
	}
	earliest = clock_scan_merge(clock->own_next, clock->inbox_next, clock->node_count);
	limit = atomic_load_explicit(&page->limit_ps, memory_order_relaxed);
	if (earliest >= limit) {
		clock_stop(clock);
		return 0;
	}
	return open_before(clock, earliest, limit, wake);
}

/* a node that wants to go back in time would change what others have seen already */
static void next_check(const struct clock *clock, uint32_t node, node_time_t next)
{
	node_time_t end = atomic_load_explicit(&clock->page->end_ps, memory_order_relaxed);

	if (next >= end)
		return;
	fprintf(stderr,
		"clock: node %u finishes a window that ends at %llu ps, but its next event is at "
		"%llu ps\n",
		node, (unsigned long long)end, (unsigned long long)next);
	abort();
}

uint32_t clock_finish(const struct clock *clock, uint32_t node, node_time_t next, uint32_t *wake)
{
	struct clock_page *page = clock->page;
	uint32_t window = atomic_load_explicit(&page->window, memory_order_relaxed);
	bool last;

	next_check(clock, node, next);
	atomic_store_explicit(&clock->own_next[node], next, memory_order_relaxed);
	last = atomic_fetch_sub_explicit(&page->remaining, 1, memory_order_acq_rel) == 1;
	/* after the counter: the line is contended, and no progress depends on it */
	atomic_store_explicit(&clock->done[node], window, memory_order_relaxed);
	return last ? advance(clock, wake) : 0;
}

uint32_t clock_resume(const struct clock *clock, node_time_t limit, uint32_t *wake)
{
	struct clock_page *page = clock->page;
	uint32_t stopped = CLOCK_STOPPED;
	node_time_t earliest;

	if (!clock_stopped(clock))
		return 0;
	if (atomic_load_explicit(&page->gated, memory_order_relaxed)) {
		/* also if nothing is before the limit, which the other machines must know */
		atomic_store_explicit(&page->limit_ps, limit, memory_order_relaxed);
		atomic_compare_exchange_strong_explicit(&page->state, &stopped, CLOCK_RUNNING,
							memory_order_acq_rel, memory_order_relaxed);
		gate_tell(page);
		return 0;
	}
	earliest = clock_scan_merge(clock->own_next, clock->inbox_next, clock->node_count);
	atomic_store_explicit(&page->limit_ps, limit, memory_order_relaxed);
	if (earliest >= limit)
		return 0;
	atomic_compare_exchange_strong_explicit(&page->state, &stopped, CLOCK_RUNNING,
						memory_order_acq_rel, memory_order_relaxed);
	return open_before(clock, earliest, limit, wake);
}

node_time_t clock_earliest(const struct clock *clock)
{
	node_time_t earliest = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < clock->node_count; i++) {
		earliest = node_time_min(
			earliest, atomic_load_explicit(&clock->own_next[i], memory_order_relaxed));
		earliest = node_time_min(earliest, atomic_load_explicit(&clock->inbox_next[i],
									memory_order_relaxed));
	}
	return earliest;
}

node_time_t clock_now(const struct clock *clock)
{
	if (!clock_stopped(clock))
		return atomic_load(&clock->page->start_ps);
	return node_time_min(atomic_load(&clock->page->limit_ps), clock_earliest(clock));
}
