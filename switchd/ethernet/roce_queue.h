/*  roce_queue - the state of a watched output queue, and the CNPs that the switch makes (RC-7,
 *  RC-8).
 *
 *      from         to           when
 *      ECN normal   ECN failed   length > reference
 *      ECN normal   CNP failed   length > reference, and CNPs have failed shortly before
 *      ECN failed   CNP failed   length > reference for an increase period, with supplementing
 *      both failed  ECN normal   length <= reference
 *
 *  reference = reference_permille of kmax (1.5 kmax in S4).
 *
 *  Supplementing: from ECN failed on, a flow gets a CNP if its last one is older than the
 *  rate-increase period of its source, or if it has had none for so long. It need not have a packet
 *  to send: each flow has a timer (flow_timer.h). The timer runs out a sixteenth of the period
 *  early (ours), so the CNP arrives before the source's own timer runs out, and no source raises
 *  its rate while the queue is too long. S4's example has a packet every 500 us and sources that
 *  raise their rates every 300 us. These timers stop when they run out:
 *    - Of a flow whose queue pair is unknown. The CNP is made as soon as it is known.
 *    - Of a flow that does not feed the queue any more: it has no packet in the queue, and the last
 *      one left it idle_ps ago or earlier (ours: S4 says "flows that pass the port"). Its next
 *      packet makes it a new flow.
 *  The timer of a flow that was signalled to pause begins again, without a CNP (ours): the flow
 *  sends nothing, and a cut would only make it slower afterwards.
 *  After one period every flow that feeds the queue has had a CNP, from its receiver or from here.
 *  If the queue is still too long, CNPs have failed (ours: S4 says "still", not for how long).
 *  Without supplementing a queue is never in the third state.
 *  A queue that is short because flows are paused (path_signal.h) does not show that CNPs work. So
 *  the failure is remembered until the queue has been in its range for a whole period without a
 *  paused flow (ours). Else each pause would be followed by a period in which the queue grows at
 *  full speed. A queue that grows fast is paused at once; a slow one grows less in that period than
 *  from THl to the reference.
 *  O(1) each. The caller reports every change of length, and every data packet and CNP of the flows
 *  of the class. Times never decrease. */
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
	/* CNPs have failed, which is remembered: calm_since_ps */
	bool tried;
	node_time_t above_since_ps; /* not ECN normal: without a break */
	/* ECN normal: without a break, and without a paused flow */
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
 *  less the time that the CNP may take. */
static inline node_time_t roce_queue_lacks_ps(const struct roce_config *roce)
{
	return roce->increase_period_ps - roce->increase_period_ps / 16;
}

/** roce_queue_on_length() - the queue has @bytes from @now on. @paused: some of its flows are
 *  paused. */
void roce_queue_on_length(struct roce_queue *queue, uint64_t bytes, bool paused, node_time_t now);

/** roce_queue_on_packet() - a packet of the flow of @line is enqueued.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_packet(struct roce_queue *queue, struct flow_line *line, node_time_t now);

/** roce_queue_on_cnp() - a CNP of the flow of @line, which feeds the queue, passes: the time is
 *  noted.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_cnp(struct roce_queue *queue, struct flow_line *line, node_time_t now);

/** roce_queue_on_queue_pair() - the queue pair of the flow of @line, which feeds the queue, became
 *  known.
 *  Return: may roce_queue_due_at() be earlier than before? */
bool roce_queue_on_queue_pair(struct roce_queue *queue, struct flow_line *line);

/** roce_queue_due_at() - when roce_queue_next() is due, while the queue stays in its state;
 *  NODE_TIME_NEVER. */
node_time_t roce_queue_due_at(const struct roce_queue *queue);

/** roce_queue_next() - (roce_queue_due_at() <= @now) the first timer has run out. @oldest_ps when
 *  the first packet in the queue joined it; @now if there is none. Return: the flow whose sender
 *  gets a CNP now, which is noted; NULL: it gets none. */
struct flow_line *roce_queue_next(struct roce_queue *queue, node_time_t oldest_ps, node_time_t now);

#endif
