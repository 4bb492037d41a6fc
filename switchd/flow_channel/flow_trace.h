/*  flow_trace - events of a flow, with the hosts of its first packet that waits (SE-2). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_TRACE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_TRACE_H

#include "nodes/stats/trace.h"
#include "switchd/flow_channel/dataplane.h"

/** flow_trace() - an event of @kind of flow @ref: its input port and flow id, and @value. The
 *  hosts are those of its first packet; without one they are not known. O(1). */
void flow_trace(struct dataplane *dp, enum trace_kind kind, uint32_t ref, uint64_t value,
		node_time_t now);

#endif
