/*  flow_control - what holds a flow at its input (dataplane.h). What resumes it: resume.h. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_CONTROL_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_CONTROL_H

#include "nodes/base/ensure.h"
#include "switchd/flow_channel/dataplane.h"

/** flow_extent_add() - @units more of the flows of edge port @in are in flight (EC-9). */
static inline void flow_extent_add(struct port *in, int64_t units)
{
	ENSURE((int64_t)in->extent_units + units, >=, 0);
	in->extent_units += (uint64_t)units;
	in->stats->extent_units = in->extent_units;
}

/** flow_holds() - what flow @ref, whose turn it is at output @out, must wait for; IFCT_REQUESTING:
 *  nothing. Counts it. O(1). In its last switch nothing holds a packet that came over the fabric:
 *  it would only idle its host's link (ours). */
enum ifct_wait flow_holds(struct dataplane *dp, const struct port *out, uint32_t ref,
			  node_time_t now);

/** flow_wait() - flow @ref, in no arbiter any more, waits for @wait. O(log flows that wait for a
 *  time). */
void flow_wait(struct dataplane *dp, struct port *out, uint32_t ref, enum ifct_wait wait);

/** flow_queue() - queues @packet at the input of flow @ref; takes it. Return: was the queue
 *  empty? */
bool flow_queue(struct dataplane *dp, uint32_t ref, struct packet *packet);

/** flow_meter() - a packet has been queued for flow @ref, and what could be granted at once is:
 *  must it be metered now (EC-12)? */
void flow_meter(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_unqueue() - takes the first packet out of the input queue of flow @ref, whose buffer and
 *  credit are released. */
struct packet *flow_unqueue(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_forwarded() - @packet, just taken out, goes on to its output. */
void flow_forwarded(struct dataplane *dp, const struct packet *packet, node_time_t now);

/** flow_free() - the channel of flow @ref, of which nothing waits here and nothing is in flight,
 *  is free; its EFCT line is the caller's. */
void flow_free(struct dataplane *dp, uint32_t ref);

/** flow_credited() - a HEADROOM ACK of @credit, or HEADROOM_END, has come for flow @ref on channel
 *  @id of output @port. Marks the flow if it may go on. */
void flow_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit);

/** flow_credit_lost() - a HEADROOM ACK for flow @ref did not arrive upstream: reports the credit
 *  again. */
void flow_credit_lost(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_stop_waiting() - flow @ref, not in an arbiter, is taken out of whatever it waits in.
 *  O(flows that wait there). */
void flow_stop_waiting(struct dataplane *dp, uint32_t ref);

#endif
