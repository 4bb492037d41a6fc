/*  roce_queue - in which state a watched output queue is, and when the switch makes CNPs itself (RC-7, RC-8).
 *
 *                     length > reference                   so for an increase period, supplementing
 *      ECN normal ----------------------------> ECN failed ----------------------------------------> CNP failed
 *         ^  |                                       |                                                 |   ^
 *         |  |                                       |            length <= reference                  |   |
 *         +--|---------------------------------------+-------------------------------------------------+   |
 *            |                    length > reference, and CNPs failed just now                             |
 *            +---------------------------------------------------------------------------------------------+
 *
 *  reference = reference_permille of kmax (1.5 kmax in S4). From ECN failed on, a flow whose last CNP is older than its source's
 *  rate-increase period, or that has been there for so long without any, gets one with its next packet: so no source raises its rate
 *  while the queue is too long. After one such period every flow that feeds the queue has had a CNP, from its receiver or from here;
 *  if the queue is still too long then, CNPs have failed (ours: S4 says "still", not for how long). Without supplementing a queue is
 *  never in the third state.
 *  A queue that is short because flows are paused (path_signal.h) does not show that CNPs work. So that they failed is remembered until the
 *  queue has been in its range for a whole period with nobody paused (ours). Else each pause would be followed by a period in which the
 *  queue grows at full speed; so if it grows fast it is paused at once, and if not, it grows less in that period than it is
 *  from THl to the reference.
 *  O(1) for a packet. Place: told of every change of length and asked for every data packet of the class.              */
#ifndef HEDDLE_SWITCHD_ROCE_QUEUE_H
#define HEDDLE_SWITCHD_ROCE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/roce_config.h"
#include "nodes/stats.h"
#include "nodes/time.h"
#include "switchd/flow_watch.h"

struct roce_queue {
	enum roce_state state;
	const struct roce_config *roce; /* borrowed, may be changed */
	const struct roce_class_config *class;
	bool tried;                 /* CNPs have failed, and that counts: calm_since_ps */
	node_time_t above_since_ps; /* not ECN normal: without a break */
	node_time_t calm_since_ps;  /* ECN normal: without a break, nobody being paused */
	struct class_stats *stats;  /* state, state_max and when; borrowed */
};

/** roce_queue_init() - an empty queue of @roce's watched class @traffic_class.  @stats  its page, zeroed. */
void roce_queue_init(struct roce_queue *queue, const struct roce_config *roce, uint32_t traffic_class,
		     struct class_stats *stats);

/** roce_queue_reference_bytes() - the end of the reference range. */
static inline uint64_t roce_queue_reference_bytes(const struct roce_queue *queue)
{
	return queue->class->kmax_bytes * queue->roce->reference_permille / 1000;
}

/** roce_queue_on_length() - the queue has @bytes from @now on.  @paused  some of its flows are. */
void roce_queue_on_length(struct roce_queue *queue, uint64_t bytes, bool paused, node_time_t now);

/** roce_queue_supplements() - a packet of the flow of @line is put into the queue: does its sender need a CNP? Then the caller sends it
 *  and says roce_queue_on_supplement().                                                                            */
bool roce_queue_supplements(const struct roce_queue *queue, const struct flow_line *line, node_time_t now);
void roce_queue_on_supplement(struct roce_queue *queue, struct flow_line *line, node_time_t now);

#endif
