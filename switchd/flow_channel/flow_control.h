/*  flow_control - a flow at its input (dataplane.h): why it waits, and its end. How it resumes:
 *  resume.h. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_CONTROL_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_CONTROL_H

#include "switchd/flow_channel/dataplane.h"

/** flow_wait_reason() - what flow @ref, which would be granted output @out next, must wait for;
 *  IFCT_REQUESTING: nothing. Counts each reason once for a packet (port_stats.blocked_*), however
 *  often it waits for it. In its last switch a packet from another switch waits for nothing: its
 *  wait would only idle the host's link (ours). O(1). */
enum ifct_wait flow_wait_reason(struct dataplane *dp, const struct port *out, uint32_t ref,
				node_time_t now);

/** flow_wait() - flow @ref, in no list, with packets, waits for @wait: a value of
 *  flow_wait_reason() other than IFCT_REQUESTING, or IFCT_WAITING_CHANNEL. O(1); IFCT_ASLEEP:
 *  O(log flows asleep). */
void flow_wait(struct dataplane *dp, uint32_t ref, enum ifct_wait wait);

/** flow_stop_waiting() - flow @ref, not in an arbiter, is taken out of whatever it waits in.
 *  O(flows that wait there). */
void flow_stop_waiting(struct dataplane *dp, uint32_t ref);

/** flow_credited() - a HEADROOM ACK of @credit, or HEADROOM_END, has come for flow @ref on channel
 *  @id of output @port. Marks the flow if it may resume. */
void flow_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit);

/** flow_forwarded() - @packet, just taken out, was granted: charges its credit and its rate limit.
 */
void flow_forwarded(struct dataplane *dp, const struct packet *packet, node_time_t now);

/** flow_free() - frees the channel of flow @ref, both extents of which are 0. The caller frees its
 *  EFCT line. */
void flow_free(struct dataplane *dp, uint32_t ref);

#endif
