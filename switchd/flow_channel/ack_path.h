/*  ack_path - an ACK's way: link -> OFCT -> IFCT -> EFCT or ACK collector -> link (dataplane.h,
 *  FC-12). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** ack_path_frame() - an ACK frame has arrived on port @port.  @bytes  in shared memory. */
void ack_path_frame(struct dataplane *dp, uint32_t port, const struct record *header,
		    const uint8_t *bytes, node_time_t now);

/** ack_path_up() - an ACK for flow @ref of this switch, over the ACK crossbar to its input port
 *  (FC-12). */
void ack_path_up(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value,
		 node_time_t now);

/* on an edge link: the flow of a packet, and whether the queue that it left was congested */
#define ACK_TAG_CONGESTED (1u << 31)

/** ack_path_delivered() - the packet of @tag and @units has left the fabric: its ACK starts
 *  (EC-3). */
void ack_path_delivered(struct dataplane *dp, uint32_t tag, uint32_t units, node_time_t now);

/** ack_path_listener() - what a guarded link of this switch calls about its frames. */
struct link_listener ack_path_listener(struct dataplane *dp);

#endif
