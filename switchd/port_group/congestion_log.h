/*  congestion_log - the packets that a switch has marked with FECN at an output, per virtual lane
 *  (PG-3, PG-10).
 *
 *  Packets are marked while the port detects congestion (lid_transmit.c). The log remembers that
 *  for a while, so a queue that comes and goes is one congestion for the choice of ports.
 *  A ring of the last PORT_GROUP_MARKS_MAX marks of each lane; the oldest are overwritten. It shows
 *  how many packets were marked within the window, and their addresses. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_CONGESTION_LOG_H
#define HEDDLE_SWITCHD_PORT_GROUP_CONGESTION_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/port_group_config.h"

struct congestion_mark {
	node_time_t at_ps;
	uint32_t dlid, slid;
};

struct congestion_log {
	uint64_t count; /* ever */
	struct congestion_mark marks[PORT_GROUP_MARKS_MAX];
};

/** congestion_log_add() - a packet from @slid to @dlid was marked @now. Times never decrease. */
static inline void congestion_log_add(struct congestion_log *log, uint32_t dlid, uint32_t slid,
				      node_time_t now)
{
	log->marks[log->count++ % PORT_GROUP_MARKS_MAX] =
		(struct congestion_mark){ .at_ps = now, .dlid = dlid, .slid = slid };
}

/** congestion_log_says() - were at least @marks packets marked within @window_ps up to @now? @marks
 *  1..PORT_GROUP_MARKS_MAX. O(1). */
bool congestion_log_says(const struct congestion_log *log, uint32_t marks, node_time_t window_ps,
			 node_time_t now);

#endif
