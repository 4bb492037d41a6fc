/*  roce_queue - in which state a watched output queue is, and when the switch makes CNPs itself
 *  (RC-7, RC-8).
 *
 *                     length > reference                   so for an increase period, supplementing
 *      ECN normal ----------------------------> ECN failed
 *      ----------------------------------------> CNP failed
 *         ^ | | | ^
 *         | | | length <= reference | |
 *         +--|---------------------------------------+-------------------------------------------------+
 *         |
 *            | length > reference, and CNPs failed just now |
 *            +---------------------------------------------------------------------------------------------+
 *
 *  reference = reference_permille of kmax (1.5 kmax in S4). From ECN failed on, a flow whose last
 *  CNP is older than its source's rate-increase period, or that has been there for so long without
 *  any, gets one, whether it has a packet to send or not: each flow has a timer (flow_timer.h). It
 *  runs out a sixteenth of the period early (ours), so that the CNP is there before the source's
 *  own timer runs out. So no source raises its rate while the queue is too long; S4's example has a
 *  packet every 500 us and sources that raise their rates every 300 us. The timer of a flow whose
 *  queue pair is not known yet stops when it runs out, and the CNP is made as soon as the queue
 *  pair is known. So does that of a flow that feeds the queue no more: none of its packets is in
 *  the queue, and the last one left it idle_ps ago or earlier (ours: S4 says "flows that pass the
 *  port"); its next packet makes it a new one. A flow that was told to pause gets none (ours): it
 *  sends nothing, and cuts that it cannot feel would only slow it down afterwards. After one such
 *  period every flow that feeds the queue has had a CNP, from its receiver or from here;
 *  if the queue is still too long then, CNPs have failed (ours: S4 says "still", not for how long).
 *  Without supplementing a queue is never in the third state.
 *  A queue that is short because flows are paused (path_signal.h) does not show that CNPs work. So
 *  that they failed is remembered until the queue has been in its range for a whole period with
 *  nobody paused (ours). Else each pause would be followed by a period in which the queue grows at
 *  full speed; so if it grows fast it is paused at once, and if not, it grows less in that period
 *  than it is from THl to the reference.
 *  O(1) each. Place: told of every change of length, and of every data packet and CNP of the flows
 *  of the class. 'now' never goes back. */
#ifndef HEDDLE_SWITCHD_ETHERNET_ROCE_QUEUE_H
#define HEDDLE_SWITCHD_ETHERNET_ROCE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"
#include "nodes/stats/stats.h"
#include "switchd/ethernet/flow_watch.h"

struct roce_queue {
	enum roce_state state;
	const struct roce_config *roce;        /* borrowed, may be changed */
	const struct roce_class_config *class; /* of this queue's port, borrowed, may be changed */
	/* CNPs have failed, and that counts: calm_since_ps */
	bool tried;
	node_time_t above_since_ps; /* not ECN normal: without a break */
	/* ECN normal: without a break, nobody being paused */
	node_time_t calm_since_ps;
	struct flow_timers timers; /* of the flows that feed it; with supplementing */
	struct class_stats *stats; /* state, state_max and when; borrowed */
};

/** roce_queue_init() - an empty queue of a watched class of @roce, @class at its port. @stats its
 *  page, zeroed. */
void roce_queue_init(struct roce_queue *queue, const struct roce_config *roce,
		     const struct roce_class_config *class, struct class_stats *stats);

/** roce_queue_reference_bytes() - the end of the reference range. */
static inline uint64_t roce_queue_reference_bytes(const struct roce_queue *queue)
{
	return queue->class->kmax_bytes * queue->roce->reference_permille / 1000;
}

/** roce_queue_lacks_ps() - a flow lacks a CNP if none has passed for so long: the sources' period,
 *  less what the CNP may take to get there. */
static inline node_time_t roce_queue_lacks_ps(const struct roce_config *roce)
{
	return roce->increase_period_ps - roce->increase_period_ps / 16;
}

/** roce_queue_on_length() - the queue has @bytes from @now on.  @paused  some of its flows are. */
void roce_queue_on_length(struct roce_queue *queue, uint64_t bytes, bool paused, node_time_t now);

/** roce_queue_on_packet() - a packet of the flow of @line is put into the queue.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_packet(struct roce_queue *queue, struct flow_line *line, node_time_t now);

/** roce_queue_on_cnp() - a CNP of the flow of @line, which feeds the queue, passes: the time is
 *  noted.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_cnp(struct roce_queue *queue, struct flow_line *line, node_time_t now);

/** roce_queue_on_queue_pair() - the queue pair of the flow of @line, which feeds the queue, has
 *  just become known.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_queue_pair(struct roce_queue *queue, struct flow_line *line);

/** roce_queue_due_at() - when roce_queue_next() has something to do, as long as the queue stays in
 *  its state; NODE_TIME_NEVER. */
node_time_t roce_queue_due_at(const struct roce_queue *queue);

/** roce_queue_next() - (roce_queue_due_at() <= @now) the first timer has run out. @oldest_ps when
 *  the first packet in the queue joined it;
 *  @now if there is none. Return: the flow whose sender is to be sent a CNP, which is noted; NULL
 *  if it gets none. */
struct flow_line *roce_queue_next(struct roce_queue *queue, node_time_t oldest_ps, node_time_t now);

#endif
