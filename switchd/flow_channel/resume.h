/*  resume - how a flow that waits at its input (flow_control.h) resumes: by an ACK, by credit, at
 *  its wake-up time, by the port's limit, by free buffer of the peer. dataplane.c calls it for the
 *  marks of other stages. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_RESUME_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_RESUME_H

#include "switchd/flow_channel/dataplane.h"

/** resume_flow() - the limits, the credit or the extents of flow @ref have changed: it moves, if a
 *  redirect waited for that; it requests its output again; or it is released with its last
 *  acknowledgement. Nothing if its channel is free. */
void resume_flow(struct dataplane *dp, uint32_t ref, node_time_t now);

/** resume_port() - the sum of extents of edge port @port fell: flows that wait for that resume
 *  (EC-9). */
void resume_port(struct dataplane *dp, uint32_t port, node_time_t now);

/** resume_wake() - the earliest wake-up time may have come: at most one flow resumes. */
void resume_wake(struct dataplane *dp, node_time_t now);

/** resume_lane() - the peer at fabric port @port has buffer again for @lane. */
void resume_lane(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now);

#endif
