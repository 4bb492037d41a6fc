#include "nodes/link/link_trace.h"

#include "nodes/stats/trace.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/becn_frame.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/roce_frame.h"

#define MACS_BYTES 12u

/* time since the first bit of what is in @header left the peer; 0 if that was before the start, as
 * if it wrapped to a time to come */
static node_time_t ago(const struct link *link, const struct record *header, node_time_t now)
{
	node_time_t left_ps = header->at_ps - link->delay_ps;

	return now > left_ps ? now - left_ps : 0;
}

static struct trace_entry entry_of(const struct link *link, const struct record *header,
				   enum trace_kind kind, uint32_t detail, node_time_t now)
{
	return (struct trace_entry){ .at_ps = now,
				     .value = ago(link, header, now),
				     .kind = (uint16_t)kind,
				     .port = (uint8_t)link->port,
				     .detail = detail };
}

/* what the packet is: *@detail is the number of it, or of what it acknowledges; 0: unknown */
static enum trace_kind packet_kind(const uint8_t *bytes, uint32_t captured_bytes,
				   uint32_t frame_bytes, uint32_t *detail)
{
	struct frame_payload payload;
	struct roce_header roce;

	*detail = 0;
	if (!frame_payload_read(bytes, captured_bytes, frame_bytes, &payload)) {
		*detail = payload.packet;
		return TRACE_PACKET;
	}
	if (captured_bytes == frame_bytes && becn_frame_is(bytes, captured_bytes))
		return TRACE_CNP_PACKET;
	if (roce_frame_read(bytes, captured_bytes, frame_bytes, &roce))
		return TRACE_PACKET;
	if (roce.opcode == ROCE_OPCODE_CNP)
		return TRACE_CNP_PACKET;
	*detail = roce.psn;
	return roce.opcode == ROCE_OPCODE_ACKNOWLEDGE ? TRACE_ACK : TRACE_PACKET;
}

static void packet_trace(struct link *link, const struct record *header, node_time_t now)
{
	uint32_t front = link->front_bytes ? FABRIC_FRONT_BYTES : 0, detail;
	uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes);
	const uint8_t *inner = link->rx.head_bytes + front;
	struct trace_entry entry;

	if (header->captured_bytes < front + MACS_BYTES || !frame_bytes)
		return; /* link_receive() refuses it */
	entry = entry_of(link, header,
			 packet_kind(inner, header->captured_bytes - front, frame_bytes, &detail),
			 0, now);
	entry.detail = detail;
	trace_hosts(&entry, inner);
	trace(link->page, entry);
}

void link_trace_frame(struct link *link, const struct record *header, node_time_t now)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	int count;

	if (!trace_often(link->page))
		return;
	if (header->kind == RECORD_PACKET)
		packet_trace(link, header, now);
	if (header->kind != RECORD_ACKS)
		return;
	count = ack_frame_read(link->rx.head_bytes, header->captured_bytes, acks);
	if (count > 0)
		trace(link->page, entry_of(link, header, TRACE_LINK_ACKS, (uint32_t)count, now));
}

void link_trace_credit(struct link *link, const struct record *header, uint32_t lane,
		       node_time_t now)
{
	if (trace_often(link->page))
		trace(link->page, entry_of(link, header, TRACE_CREDIT, lane, now));
}
