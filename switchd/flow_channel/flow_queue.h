/*  flow_queue - the queue of a flow at its input (dataplane.h), and the credit that the flow gives
 *  upstream as packets leave (headroom.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_QUEUE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_QUEUE_H

#include "nodes/base/ensure.h"
#include "switchd/flow_channel/dataplane.h"

/** flow_extent_add() - @units more of the flows of edge port @in are in flight; < 0: fewer (EC-9).
 */
static inline void flow_extent_add(struct port *in, int64_t units)
{
	ENSURE((int64_t)in->edge.extent_units + units, >=, 0);
	in->edge.extent_units += (uint64_t)units;
	in->stats->extent_units = in->edge.extent_units;
}

/** flow_queue() - queues @packet at the input of flow @ref; takes it. Return: true if the queue was
 *  empty. */
bool flow_queue(struct dataplane *dp, uint32_t ref, struct packet *packet);

/** flow_meter() - starts to meter flow @ref if its queue has reached the target level (EC-12). For
 *  after flow_queue(), once all that can be granted at once was granted. */
void flow_meter(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_unqueue() - takes the first packet out of the input queue of flow @ref, whose buffer and
 *  credit are released. */
struct packet *flow_unqueue(struct dataplane *dp, uint32_t ref, node_time_t now);

/** flow_credit_lost() - a HEADROOM ACK for flow @ref was lost on the link upstream: ends metering
 *  there and, if the flow is still metered, starts it again with all its credit. */
void flow_credit_lost(struct dataplane *dp, uint32_t ref, node_time_t now);

#endif
