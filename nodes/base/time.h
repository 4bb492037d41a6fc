/*  time - fabric time in integer picoseconds, and how long bytes take on a link.
 *
 *  A stage is given `now` and never reads a clock: under the virtual clock `now` is simulated,
 *  under the real clock it is measured (TB-7, TB-8). One byte at 200 Gb/s is exactly 40 ps, so
 *  nothing is rounded at the usual rates. */
#ifndef HEDDLE_NODES_BASE_TIME_H
#define HEDDLE_NODES_BASE_TIME_H

#include <stdint.h>

typedef uint64_t node_time_t; /* picoseconds since the fabric started */

#define NODE_TIME_NEVER UINT64_MAX
/* no frame is later: what is added to the time of a frame does not wrap. 212 days */
#define NODE_TIME_LATEST (NODE_TIME_NEVER - 24 * 3600 * NODE_S)

#define NODE_NS ((node_time_t)1000)
#define NODE_US ((node_time_t)1000000)
#define NODE_MS ((node_time_t)1000000000)
#define NODE_S ((node_time_t)1000000000000)

static inline node_time_t node_time_min(node_time_t a, node_time_t b)
{
	return a < b ? a : b;
}

static inline node_time_t node_time_max(node_time_t a, node_time_t b)
{
	return a > b ? a : b;
}

/** node_time_of_bytes() - how long @bytes take on a link of @rate_bps, rounded up to a picosecond.
 *  @bytes  up to 2 MB (no overflow).   @rate_bps  not 0.   O(1), one division. */
static inline node_time_t node_time_of_bytes(uint64_t bytes, uint64_t rate_bps)
{
	return (bytes * 8 * NODE_S + rate_bps - 1) / rate_bps;
}

/** node_bytes_in_time() - how many whole bytes a link of @rate_bps carries in @span_ps. */
static inline uint64_t node_bytes_in_time(node_time_t span_ps, uint64_t rate_bps)
{
	return (uint64_t)((unsigned __int128)span_ps * rate_bps / (8 * NODE_S));
}

#endif
