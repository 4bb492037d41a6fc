/*  ack_upstream - an ACK at the input of its flow: IFCT and EFCT, and the ACK collector of the
 *  link upstream (FC-12). It changes the state of the flow, and leaves marks for what follows. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_UPSTREAM_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_UPSTREAM_H

#include "switchd/flow_channel/dataplane.h"

/** ack_settles() - true if an ACK of @type reduces the extents of its flow, by its value in units.
 */
static inline bool ack_settles(enum ack_type type)
{
	return type == ACK_DELTA || type == ACK_DELTA_ECA || type == ACK_LOSS;
}

/** ack_upstream() - an ACK for flow @ref of this switch, which crosses the ACK crossbar to the
 *  input port of the flow. @type: ACK_DELTA, ACK_DELTA_ECA, ACK_LOSS or ACK_ECA. Marks the flow
 *  if it may resume. O(1). */
void ack_upstream(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value,
		  node_time_t now);

#endif
