/*  ack_path - the path of an ACK: link -> OFCT -> IFCT -> EFCT or ACK collector -> link
 *  (dataplane.h, FC-12). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** ack_path_read() - the ACKs of an ACK frame that has arrived on port @port.
 *  @bytes in shared memory.
 *  Return: their number; 0: none, or the frame is malformed (counted). */
uint32_t ack_path_read(struct dataplane *dp, uint32_t port, const struct record *header,
		       const uint8_t *bytes, struct ack acks[ACK_FRAME_ACKS_MAX], node_time_t now);

/** ack_path_ack() - handles @ack, received over fabric port @port: credit, extents, congestion or a
 *  redirect of its flow. What may follow from it is left as marks. An ACK that contradicts the
 *  state of its channel is dropped (DROP_BAD_ACK). */
void ack_path_ack(struct dataplane *dp, uint32_t port, const struct ack *ack, node_time_t now);

/* Tag of a packet on an edge link: flow_ref() of its flow, with this bit set if the queue that it
 * left was congested. */
#define ACK_TAG_CONGESTED (1u << 31)

/** ack_path_delivered() - the packet of @tag and @units has left the fabric: its ACK starts
 *  (EC-3). */
void ack_path_delivered(struct dataplane *dp, uint32_t tag, uint32_t units, node_time_t now);

/** ack_path_seen(), ack_path_lost(), ack_path_ack_lost() - what a guarded link reports of its
 *  frames (link_listener). They leave marks. */
void ack_path_seen(void *dataplane, struct link *link, const struct link_log_entry *entry,
		   node_time_t now);
void ack_path_lost(void *dataplane, struct link *link, const struct link_log_entry *entry,
		   node_time_t now);
void ack_path_ack_lost(void *dataplane, struct link *link, const uint8_t *bytes, uint32_t length,
		       node_time_t now);

#endif
