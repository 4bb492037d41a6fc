/*  message - flows, how their messages are cut into packets, and the length of these on the link.
 *
 *  Each packet carries as much of the message as the largest frame allows (RoCEv2: one path MTU,
 *  RC-4), and the last one the rest. Frames are padded to the shortest allowed length, and payloads
 *  of RoCEv2 to a multiple of four bytes. All pure; a shape is computed once per workload. */
#ifndef HEDDLE_NICD_TRAFFIC_MESSAGE_H
#define HEDDLE_NICD_TRAFFIC_MESSAGE_H

#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

struct message_shape {
	uint16_t capacity_bytes;  /* of the message in a full packet, >= 1 */
	uint16_t overhead_bytes;  /* of a frame, without FCS */
	uint16_t frame_bytes_min; /* without FCS */
	uint8_t padding_mask;     /* payload is padded to a multiple of this and one */
	uint8_t frame;            /* enum frame_kind */
};

/* what a flow is, with or without a transport: needed at most once per message */
struct flow_spec {
	uint32_t workload; /* of the owner, not used here */
	uint32_t connection;
	uint32_t workload_index; /* goes into the packets */
	uint32_t destination;    /* host index */
	uint32_t traffic_class;
	enum transport_kind transport;
	struct message_shape shape;
};

/** message_shape_of() - for frames of @kind with at most @packet_bytes (without FCS).
 *  A packet carries at least one byte of the message, and at most what a test payload can state
 *  (ours). */
static inline struct message_shape message_shape_of(enum frame_kind kind, uint32_t packet_bytes)
{
	uint32_t capacity_bytes = frame_payload_max(kind, packet_bytes);

	return (struct message_shape){
		.capacity_bytes = (uint16_t)(capacity_bytes ? capacity_bytes : 1),
		.overhead_bytes = (uint16_t)frame_overhead_bytes(kind),
		.frame_bytes_min = (uint16_t)frame_bytes_min(kind),
		.padding_mask = (uint8_t)frame_padding_mask(kind),
		.frame = (uint8_t)kind,
	};
}

/** message_packets() - number of packets of a message of @bytes (>= 1). */
static inline uint64_t message_packets(const struct message_shape *shape, uint64_t bytes)
{
	return (bytes - 1) / shape->capacity_bytes + 1;
}

/** message_payload_bytes() - what the next packet carries of a message with @left_bytes left. */
static inline uint32_t message_payload_bytes(const struct message_shape *shape, uint64_t left_bytes)
{
	return left_bytes < shape->capacity_bytes ? (uint32_t)left_bytes : shape->capacity_bytes;
}

/** message_frame_bytes() - length of the frame, without FCS, with @payload_bytes of a message. */
static inline uint32_t message_frame_bytes(const struct message_shape *shape,
					   uint32_t payload_bytes)
{
	uint32_t padding_mask = shape->padding_mask;
	uint32_t padded_bytes = (payload_bytes + padding_mask) & ~padding_mask;
	uint32_t frame_bytes = shape->overhead_bytes + padded_bytes;

	return frame_bytes > shape->frame_bytes_min ? frame_bytes : shape->frame_bytes_min;
}

#endif
