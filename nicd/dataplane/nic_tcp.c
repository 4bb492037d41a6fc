/*  nic_tcp - TCP connections of generated traffic, at both ends (nic.h, RC-6).
 *
 *      data  transport.h, tcp_sender.h -> link ... link -> tcp_receiver.h, receive.h: in order only
 *      ACKs  tcp_sender.h              <- link ... link <- reply_queue.h
 *
 *  Frames of other TCP connections are for the attached host, which may use TCP too.
 *  ACKs wait like answers of queue pairs, and are written when they are sent. The sender counts
 *  duplicates, so each segment after a hole gets an ACK of its own. An ACK that acknowledges more
 *  replaces those that wait. */
#include "nicd/dataplane/nic_tcp.h"

#include <errno.h>
#include <string.h>

#include "nicd/dataplane/nic_transmit.h"
#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/ip_header.h"
#include "nodes/wire/tcp_frame.h"

#define ETHERTYPE_AT 12u
#define IP_AT 14u
#define PROTOCOL_AT (IP_AT + 9u)
/* of all received connections (ours): 64 full windows whose first segment is lost */
#define SEGMENTS_WAITING_MAX 65536u
#define ANSWERS_MAX UINT16_MAX

int nic_tcp_init(struct nic *nic, uint32_t flows_max)
{
	const struct tcp_config *config = &nic->config->roce.tcp;

	return tcp_sender_init(&nic->tcp_sender, nic->config, flows_max, &nic->transport) ||
			       tcp_receiver_init(&nic->tcp_receiver,
						 nic->roce ? nic->stats->flows_max : 0,
						 nic->roce ? SEGMENTS_WAITING_MAX : 0,
						 config->window_packets_max)
		       ? -ENOMEM
		       : 0;
}

void nic_tcp_fini(struct nic *nic)
{
	tcp_receiver_fini(&nic->tcp_receiver);
}

/* ---- answers ---- */

uint32_t nic_tcp_answer(struct nic *nic, uint32_t slot, uint8_t *bytes)
{
	struct responder *responder = &nic->replies.responders[slot];
	struct tcp_ack ack = {
		.source = nic->config->nic.host_index,
		.destination = nic->receive.flows[slot].source,
		.flow = nic->receive.flows[slot].source_slot,
		.traffic_class = responder->traffic_class,
		.fields = {
			.acknowledgement = tcp_receiver_expected(&nic->tcp_receiver, slot),
			.window = TCP_WINDOW_OPEN,
			.flags = TCP_FLAG_ACK,
		},
	};

	if (tcp_receiver_echo(&nic->tcp_receiver, slot))
		ack.fields.flags |= TCP_FLAG_ECE;
	if (--responder->answers)
		reply_queue_answer(&nic->replies, slot);
	return tcp_ack_write(&ack, bytes);
}

/* queues an ACK; @progress: it acknowledges more than the one before */
static void answer(struct nic *nic, uint32_t slot, bool progress)
{
	struct responder *responder = &nic->replies.responders[slot];

	if (!responder->answers)
		reply_queue_answer(&nic->replies, slot);
	if (progress)
		responder->answers = 1;
	else if (responder->answers != ANSWERS_MAX)
		responder->answers++;
}

/* ---- arrivals: data ---- */

static void count_duplicate(struct nic *nic, uint32_t slot, const struct tcp_segment *segment)
{
	stats_flow_rx(nic->stats, slot)->duplicates++;
	receive_drop(&nic->receive, DROP_DUPLICATE, segment->frame_bytes, nic->now_ps);
}

/* a segment does not wait any more */
static void count_left(struct nic *nic, const struct tcp_segment *segment)
{
	ENSURE(nic->stats->inside_packets, !=, 0u);
	ENSURE(nic->stats->inside_bytes, >=, (uint64_t)segment->frame_bytes);
	nic->stats->inside_packets--;
	nic->stats->inside_bytes -= segment->frame_bytes;
}

static void deliver(struct nic *nic, uint32_t slot, const struct tcp_segment *segment)
{
	struct tcp_segment waited;

	receive_take(&nic->receive, slot, &segment->payload, segment->frame_bytes, nic->now_ps,
		     nic->now_ps);
	while (tcp_receiver_covered(&nic->tcp_receiver, slot, &waited)) {
		count_left(nic, &waited);
		count_duplicate(nic, slot, &waited);
	}
	while (tcp_receiver_pop(&nic->tcp_receiver, slot, &waited)) {
		count_left(nic, &waited);
		receive_take(&nic->receive, slot, &waited.payload, waited.frame_bytes,
			     waited.arrived_ps, nic->now_ps);
	}
}

static void settle(struct nic *nic, uint32_t slot, const struct tcp_segment *segment,
		   enum tcp_verdict verdict)
{
	struct flow_rx_stats *stats = stats_flow_rx(nic->stats, slot);

	switch (verdict) {
	case TCP_IN_ORDER:
		deliver(nic, slot, segment);
		break;
	case TCP_HELD:
		stats->out_of_order++;
		nic->stats->inside_packets++;
		nic->stats->inside_bytes += segment->frame_bytes;
		break;
	case TCP_DUPLICATE:
		count_duplicate(nic, slot, segment);
		break;
	case TCP_REFUSED:
		stats->out_of_order++;
		receive_drop(&nic->receive, DROP_OUT_OF_ORDER, segment->frame_bytes, nic->now_ps);
		break;
	}
}

static void arrive_data(struct nic *nic, const struct nic_frame *frame)
{
	struct tcp_fields fields = tcp_fields_read(frame->bytes);
	struct tcp_segment segment = {
		.frame_bytes = frame->frame_bytes,
		.arrived_ps = nic->now_ps,
		.sequence = fields.sequence,
		.bytes = frame->frame_bytes - TCP_SEGMENT_AT,
	};
	uint32_t slot = receive_place(&nic->receive, frame->bytes, frame->captured_bytes,
				      frame->frame_bytes, frame->traffic_class, nic->now_ps,
				      &segment.payload);
	bool marked = ecn_read(frame->bytes, frame->captured_bytes) == ECN_CONGESTED;
	enum tcp_verdict verdict;
	struct responder *responder;

	if (slot == RECEIVE_NONE)
		return;
	responder = &nic->replies.responders[slot];
	if (!responder->open)
		*responder = (struct responder){ .open = true,
						 .tcp = true,
						 .traffic_class = (uint8_t)frame->traffic_class };
	if (!responder->tcp) { /* a queue pair's number, forged */
		receive_drop(&nic->receive, DROP_UNKNOWN_FLOW, frame->frame_bytes, nic->now_ps);
		return;
	}
	stats_flow_rx(nic->stats, slot)->marked += marked;
	verdict = tcp_receiver_take(&nic->tcp_receiver, slot, &segment, marked,
				    fields.flags & TCP_FLAG_CWR);
	settle(nic, slot, &segment, verdict);
	answer(nic, slot, verdict == TCP_IN_ORDER);
}

/* ---- arrivals: ACKs ---- */

/* is it for a connection of this NIC, and from the destination of that? */
static bool is_from_receiver(const struct nic *nic, const struct tcp_ack *ack)
{
	return ack->destination == nic->config->nic.host_index &&
	       transport_is_open(&nic->transport, ack->flow, TRANSPORT_TCP) &&
	       nic->transport.specs[ack->flow].destination == ack->source;
}

static void arrive_ack(struct nic *nic, const struct nic_frame *frame, const struct tcp_ack *ack)
{
	uint32_t complete =
		tcp_sender_on_ack(&nic->tcp_sender, ack->flow, &ack->fields, nic->now_ps);

	nic->stats->delivered_packets++;
	nic->stats->delivered_bytes += frame->frame_bytes;
	while (complete--)
		nic_message_sent(nic, ack->flow, nic->now_ps);
}

bool nic_tcp_arrive(struct nic *nic, const struct nic_frame *frame)
{
	struct frame_payload payload;
	struct tcp_ack ack;

	if (frame->captured_bytes < TCP_SEGMENT_AT ||
	    bytes_get16(frame->bytes + ETHERTYPE_AT) != ETHERTYPE_IPV4 ||
	    frame->bytes[PROTOCOL_AT] != PROTOCOL_TCP ||
	    memcmp(frame->bytes, nic->receive.mac, sizeof(nic->receive.mac)))
		return false;
	if (!tcp_ack_read(frame->bytes, frame->captured_bytes, frame->frame_bytes, &ack) &&
	    is_from_receiver(nic, &ack)) {
		arrive_ack(nic, frame, &ack);
		return true;
	}
	if (frame_payload_read(frame->bytes, frame->captured_bytes, frame->frame_bytes, &payload))
		return false;
	arrive_data(nic, frame);
	return true;
}
