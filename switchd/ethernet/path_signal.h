/*  path_signal - the flows of a watched output queue that were signalled to pause, and when the
 *  next signal is due (RC-9).
 *
 *      pause    in the target state or a worse one, and above the high level: each flow of which a
 *               packet is enqueued. Such a flow feeds the queue (ours; a flow that only has packets
 *               in it makes it no longer)
 *      again    after half of the duration of the first switch's PFC frame, while the queue is
 *               still above. So a lost signal does not end the pause
 *      resume   below the low level, in any state: all that were signalled. Below THl the queue is
 *               in its reference range
 *
 *  Between the levels no signal is sent, and pauses run out. One flow at a time: the one signalled
 *  first is next, so the caller bounds the work of an event.
 *
 *  The duration of a PFC frame depends on the rate of the device's link, which a remote switch does
 *  not know. It takes the rate of its own fastest port (ours). A device with a link more than twice
 *  as fast resumes now and then, until the next signal.
 *  Memory: a list through the lines of the flows. O(1). */
#ifndef HEDDLE_SWITCHD_ETHERNET_PATH_SIGNAL_H
#define HEDDLE_SWITCHD_ETHERNET_PATH_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"
#include "switchd/ethernet/flow_watch.h"

struct path_signal {
	const struct roce_config *roce; /* borrowed, may be changed */
	uint64_t high_bytes, low_bytes; /* THh > THl */
	node_time_t renew_ps;
	/* flows signalled to pause, in the order of their signals: index + 1; 0: none */
	uint32_t oldest, youngest;
	uint32_t paused; /* number of them */
};

/** path_signal_init() - no flow has been signalled. @rate_bps of the switch's fastest port. The
 *  levels are
 *  @roce's. */
void path_signal_init(struct path_signal *signal, const struct roce_config *roce,
		      uint64_t rate_bps);

/** path_signal_rate() - the fastest port now has @rate_bps (> 0). */
void path_signal_rate(struct path_signal *signal, uint64_t rate_bps);

/** path_signal_levels() - THh and THl of this queue's port. */
void path_signal_levels(struct path_signal *signal, uint64_t high_bytes, uint64_t low_bytes);

/** path_signal_on_packet() - a packet of the flow of @line is enqueued; the queue is in @state and
 *  has
 *  @bytes. Return: must the flow be signalled to pause? It counts as signalled then. */
bool path_signal_on_packet(struct path_signal *signal, struct flow_watch *watch,
			   struct flow_line *line, enum roce_state state, uint64_t bytes,
			   node_time_t now);

/** path_signal_due_at() - when path_signal_next() has a flow, while the queue does not change; 0:
 *  now; NODE_TIME_NEVER. */
node_time_t path_signal_due_at(const struct path_signal *signal, const struct flow_watch *watch,
			       enum roce_state state, uint64_t bytes);

/** path_signal_next() - the next flow to signal. @what ROCE_SIGNAL_PAUSE, a repetition, or
 *  ROCE_SIGNAL_RESUME. Return: NULL if none is due. */
struct flow_line *path_signal_next(struct path_signal *signal, struct flow_watch *watch,
				   enum roce_state state, uint64_t bytes, node_time_t now,
				   uint8_t *what);

#endif
