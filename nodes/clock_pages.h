/*  clock_pages - the clock page of the real clock, in two pieces of memory: what nodes read, and what they write (TB-23).
 *
 *  The head (state, epoch) is written by its maker alone: a node that writes wildly can neither end the fabric nor move
 *  its time. What nodes write (own_next, inbox_next, asleep) is memory of its own, mapped right behind: to clock.h both
 *  are one page. Wild writes there cost wake-ups, so a node sleeps no longer than a second (pace.c).
 *  The virtual clock has one memory for both: there every node may have to open the next window.
 *  The seal that makes the head read-only for good needs Linux 5.1; before, a node maps it read-only of its own accord. */
#ifndef HEDDLE_NODES_CLOCK_PAGES_H
#define HEDDLE_NODES_CLOCK_PAGES_H

#include "nodes/clock.h"

struct clock_pages {
	struct clock_page *page; /* both, one behind the other; NULL: not mapped */
	size_t bytes;            /* of the mapping */
};

/** clock_pages_make() - zeroed memory for @node_count nodes, for clock_init().
 *  @fds  filled with the head's and the words' descriptors, the caller's to close; undefined after an error.
 *  Return: 0 or -errno.                                                                                          */
int clock_pages_make(struct clock_pages *pages, uint32_t node_count, int fds[2]);

/** clock_pages_join() - the same memory in a node; it has been checked that both are sealed against shrinking.
 *  @fds  borrowed.  Return: 0; -EINVAL: too small, or not of whole memory pages; -errno.                               */
int clock_pages_join(struct clock_pages *pages, const int fds[2]);

/** clock_pages_free() - unmaps; may be called twice. */
void clock_pages_free(struct clock_pages *pages);

#endif
