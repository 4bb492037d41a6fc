/*  places - the shared page of packed nodes (SC-3).
 *
 *  A worker is a process that runs many nodes. On the clock page (clock.h) a worker takes the place
 *  of a node: its own_next is that of the earliest of its nodes, and a window waits for workers.
 *  The places page has the times of the nodes themselves: own_next and inbox_next by place. The
 *  places of one worker follow each other from the beginning of a cache line, so that it scans
 *  them, and no line has the own_next of two workers. A node that sends to one of another worker
 *  notifies both: the node's inbox here, and the worker's on the clock page. */
#ifndef HEDDLE_NODES_CLOCK_PLACES_H
#define HEDDLE_NODES_CLOCK_PLACES_H

#include "nodes/clock/clock.h"
#include "nodes/clock/clock_scan.h"

#define PLACES_MAGIC 0x4844504bu /* "HDPK" */
#define PLACES_WORKERS_MAX 256u

#define PLACES_NONE UINT32_MAX

struct places_worker {
	/* place of the node that it runs now, for the message about its end; PLACES_NONE: none */
	_Alignas(64) _Atomic uint32_t running;
};

struct places_page {
	uint32_t magic, worker_count, place_count;
	struct places_worker workers[];
};

struct places {
	struct places_page *page;
	uint32_t worker_count, place_count;         /* as checked when it was attached */
	_Atomic node_time_t *own_next, *inbox_next; /* [place_count] */
};

/** places_of() - the places that @node_count nodes of one worker take: whole cache lines. */
static inline uint32_t places_of(uint32_t node_count)
{
	return (node_count + CLOCK_SCAN_LANES - 1) / CLOCK_SCAN_LANES * CLOCK_SCAN_LANES;
}

/** places_bytes() - size of the page for @worker_count workers with @place_count places in all. */
size_t places_bytes(uint32_t worker_count, uint32_t place_count);

/** places_init() - lays out a zeroed page. Nothing is due at any place. */
void places_init(struct places_page *page, uint32_t worker_count, uint32_t place_count);

/** places_attach() - @places refers to @page of @size_bytes. Return: 0, or -EINVAL if it is none.
 * */
int places_attach(struct places *places, struct places_page *page, size_t size_bytes);

/** places_clock() - the clock of packed nodes: its windows are those of @workers, its times are by
 *  place. Only for clock_notify() and node_window.  Borrows both. */
struct clock places_clock(const struct places *places, const struct clock *workers);

#endif
