/*  clock_pages - the clock page of the real clock, of which nodes can write nothing (TB-23).
 *
 *  The head (state, epoch) is written by its maker alone: a node that writes wildly can neither end
 *  the fabric nor move its time. The words after it (own_next and so on) belong to windows. Here
 *  they are private, empty memory of each process, so that clock.h sees one page. The words by
 *  which nodes wake each other are in the ring between them (ring_rouse()). That a node sleeps is
 *  in its statistics page.
 *  The virtual clock has one memory for both: there every node may have to open the next window.
 *  The seal that makes the head read-only for good needs Linux 5.1; before, a node maps it
 *  read-only of its own accord. */
#ifndef HEDDLE_NODES_CLOCK_CLOCK_PAGES_H
#define HEDDLE_NODES_CLOCK_CLOCK_PAGES_H

#include "nodes/clock/clock.h"

struct clock_pages {
	struct clock_page *page; /* both, one after the other; NULL: not mapped */
	size_t bytes;            /* of the mapping */
};

/** clock_pages_make() - zeroed memory for @node_count nodes, for clock_init().
 *  @fd filled with the head's descriptor, the caller's to close; undefined after an error.
 *  Return: 0 or -errno. */
int clock_pages_make(struct clock_pages *pages, uint32_t node_count, int *fd);

/** clock_pages_join() - the same head in a node, after clock_init(); it has been checked that it is
 *  sealed against shrinking.
 *  @fd borrowed. Return: 0; -EINVAL: too small, or no clock's; -errno. */
int clock_pages_join(struct clock_pages *pages, int fd);

/** clock_pages_free() - unmaps; may be called twice. */
void clock_pages_free(struct clock_pages *pages);

#endif
