/*  flow_packet - a packet of a message, and its frame: the same for flows with a transport
 *  (transport.h) and without (send_queue.h).
 *
 *  The headers of a flow's frames are kept as a template. They contain the frame's length, so the
 *  template is written again when a packet has another length than the one before. Otherwise only
 *  the test payload is written for each packet. */
#ifndef HEDDLE_NICD_TRAFFIC_FLOW_PACKET_H
#define HEDDLE_NICD_TRAFFIC_FLOW_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "nicd/traffic/message.h"
#include "nodes/base/copy.h"
#include "nodes/base/time.h"
#include "nodes/wire/frame.h"

/* the packet that a class would send next */
struct flow_packet {
	uint32_t flow;           /* slot */
	uint32_t frame_bytes;    /* without FCS */
	uint32_t captured_bytes; /* what flow_packet_write() writes */
	uint32_t payload_bytes;  /* of the message */
	bool message_first, message_last;
	/* of a flow with a transport, else false */
	bool again;       /* a retransmission */
	bool ack_request; /* the receiver is to acknowledge it at once */
};

/* the position of a packet in its flow and message; numbers count from 0, modulo 2^32 */
struct flow_packet_place {
	uint32_t packet, message; /* numbers in the flow */
	uint64_t message_bytes;
	node_time_t message_start_ps;
};

/* what the frames of a flow have in common; all borrowed */
struct flow_headers {
	const struct flow_spec *spec;
	uint32_t source;       /* host index */
	uint32_t number;       /* frame_spec.flow */
	bool ecn_capable;      /* as in frame_spec */
	uint8_t *template;     /* FRAME_HEADERS_MAX bytes */
	uint32_t *frame_bytes; /* length that the template is written for; 0: none yet */
};

/** flow_packet_cut() - the next packet of the flow in @slot, whose message of @shape has
 *  @left_bytes (>= 1) left. `again` and `ack_request` are false. O(1). */
static inline struct flow_packet flow_packet_cut(uint32_t slot, const struct message_shape *shape,
						 uint64_t left_bytes, bool message_first)
{
	uint32_t payload_bytes = message_payload_bytes(shape, left_bytes);

	return (struct flow_packet){
		.flow = slot,
		.frame_bytes = message_frame_bytes(shape, payload_bytes),
		.captured_bytes = frame_headers_bytes(shape->frame),
		.payload_bytes = payload_bytes,
		.message_first = message_first,
		.message_last = left_bytes == payload_bytes,
	};
}

/** flow_headers_write() - writes to @bytes (FRAME_HEADERS_MAX) the headers of a frame of
 *  @frame_bytes and @payload. The template is not touched.  Return: captured bytes. */
uint32_t flow_headers_write(const struct flow_headers *headers, uint32_t frame_bytes,
			    const struct frame_payload *payload, uint8_t *bytes);

/** flow_packet_write() - writes the captured_bytes of @packet to @bytes. The template is rewritten
 *  if it is of another length. */
static inline void flow_packet_write(const struct flow_headers *headers,
				     const struct flow_packet *packet,
				     const struct flow_packet_place *place, uint8_t *bytes)
{
	struct frame_payload payload = {
		.source = headers->source,
		.flow_slot = packet->flow,
		.workload_index = headers->spec->workload_index,
		.packet = place->packet,
		.message = place->message,
		.message_bytes = place->message_bytes,
		.message_start_ps = place->message_start_ps,
		.payload_bytes = packet->payload_bytes,
		.message_first = packet->message_first,
		.message_last = packet->message_last,
	};

	if (*headers->frame_bytes != packet->frame_bytes) {
		flow_headers_write(headers, packet->frame_bytes, &payload, headers->template);
		*headers->frame_bytes = packet->frame_bytes;
	}
	copy_short(bytes, headers->template, packet->captured_bytes);
	frame_payload_write(headers->spec->shape.frame, &payload, bytes);
}

#endif
