/*  clock_scan - the two looks at every node's next event that opening a window takes.
 *
 *  Everything else about a window costs only the nodes that take part; these two passes are what
 *  remains to be paid for the others, so they go eight nodes at a time, with AVX2 where the
 *  processor has it. The result is the same without. Arrays of times are 64-byte aligned and padded
 *  to whole cache lines with NODE_TIME_NEVER.
 *  The process that opens a window scans when no node writes its times. A worker scans the times of
 *  its own nodes while others send to them: each inbox is emptied by one exchange, so none is
 *  lost. */
#ifndef HEDDLE_NODES_CLOCK_CLOCK_SCAN_H
#define HEDDLE_NODES_CLOCK_CLOCK_SCAN_H

#include <stdatomic.h>
#include <stdint.h>

#include "nodes/base/time.h"

#define CLOCK_SCAN_LANES 8u /* times in a cache line */

/** clock_scan_merge() - what neighbours announced becomes part of each node's next event, and the
 *  inboxes are emptied.
 *  Return: the earliest of all. O(nodes); writes only lines in which an inbox was not empty. */
node_time_t clock_scan_merge(_Atomic node_time_t *own_next, _Atomic node_time_t *inbox_next,
			     uint32_t node_count);

/** clock_scan_list() - the nodes with an event before @end, in order.
 *  @nodes as long as all nodes. Return: how many. O(nodes). */
uint32_t clock_scan_list(const _Atomic node_time_t *own_next, uint32_t node_count, node_time_t end,
			 uint32_t *nodes);

#endif
