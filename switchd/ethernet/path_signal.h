/*  path_signal - which flows of a watched output queue their first switches were told to pause, and
 *  when they are told what (RC-9).
 *
 *  Pause: in the target state or a worse one, and above the high level, for every flow as soon as a
 *  packet of it is put into the queue: that is what feeds it (ours; flows that only have packets in
 *  it make it no longer). Again when half of the time is over that the first switch's PFC frame
 *  lasts, while the queue is still above; so a lost signal does not end the pause. Resume: below
 *  the low level, for all that were told, whatever the state: below THl the queue is in its
 *  reference range. In between nothing is said, and pauses run out. All of it is asked for one flow
 *  at a time, the flow told first being the next, so that the caller bounds the work of an event.
 *  How long a PFC frame lasts follows from the rate of the device's link, which a switch far away
 *  does not know: it takes the rate of its own fastest port (ours). A device with a link more than
 *  twice as fast goes on now and then, until it is told again. Memory: a list through the flows'
 *  lines. O(1). */
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
	/* flows told to pause, in the order in which they were: index + 1; 0: none */
	uint32_t oldest, youngest;
	uint32_t paused; /* so many */
};

/** path_signal_init() - nobody was told anything. @rate_bps of the switch's fastest port. The
 *  levels are @roce's. */
void path_signal_init(struct path_signal *signal, const struct roce_config *roce,
		      uint64_t rate_bps);

/** path_signal_rate() - the fastest port now has @rate_bps (> 0). */
void path_signal_rate(struct path_signal *signal, uint64_t rate_bps);

/** path_signal_levels() - THh and THl of this queue's port. */
void path_signal_levels(struct path_signal *signal, uint64_t high_bytes, uint64_t low_bytes);

/** path_signal_on_packet() - a packet of the flow of @line is put into the queue, which is in
 *  @state and has @bytes.
 *  Return: must the flow be told to pause? It counts as told then. */
bool path_signal_on_packet(struct path_signal *signal, struct flow_watch *watch,
			   struct flow_line *line, enum roce_state state, uint64_t bytes,
			   node_time_t now);

/** path_signal_due_at() - when path_signal_next() has something, as long as the queue stays so; 0:
 *  now; NODE_TIME_NEVER. */
node_time_t path_signal_due_at(const struct path_signal *signal, const struct flow_watch *watch,
			       enum roce_state state, uint64_t bytes);

/** path_signal_next() - the flow to be told next, and what: @what is ROCE_SIGNAL_PAUSE, again, or
 *  ROCE_SIGNAL_RESUME.
 *  Return: NULL if nothing is due. */
struct flow_line *path_signal_next(struct path_signal *signal, struct flow_watch *watch,
				   enum roce_state state, uint64_t bytes, node_time_t now,
				   uint8_t *what);

#endif
