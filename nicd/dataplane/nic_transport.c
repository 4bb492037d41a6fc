/*  nic_transport - flows with a transport, at both ends: sending, arrivals, answers (nic.h).
 *
 *      data     transport.h  -> link ... link -> responder.h, receive.h: in order only
 *      answers  queue_pair.h <- link ... link <- reply_queue.h
 *
 *  Frames for other NICs, or for other queue pairs than those of generated traffic, are for the
 *  attached host, which may use RoCEv2 too. */
#include "nicd/dataplane/nic_transport.h"

#include <errno.h>
#include <string.h>

#include "nicd/dataplane/nic_tcp.h"
#include "nicd/dataplane/nic_transmit.h"
#include "nicd/transport/queue_pair.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "nodes/wire/roce_frame.h"

#define QUEUE_PAIR_KIND 0xc00000u /* the upper bits: requester, responder, or the host */
#define QUEUE_PAIR_DATA 0xc00000u /* generated, and reliable: queue_pair.h */
#define REPLIES_MAX UINT16_MAX

/* what decides how fast queue pairs send.  Return: 0 or -ENOMEM */
static int queue_pairs_control(struct nic *nic, uint32_t flows_max)
{
	struct congestion *congestion = &nic->transport.rules[TRANSPORT_RC].congestion;

	if (nic->roce && nic->config->control)
		return own_control_init(&nic->own_control, congestion, nic->config, nic->stats,
					nic->link->rate_bps, flows_max);
	return congestion_init(congestion, congestion_control_of(nic->config), nic->config,
			       nic->link->rate_bps, flows_max);
}

int nic_transport_init(struct nic *nic, uint32_t flows_max, uint32_t messages_max)
{
	if (!nic->roce)
		flows_max = messages_max = 0;
	if (transport_init(&nic->transport, nic->config, flows_max, messages_max, nic->stats) ||
	    reply_queue_init(&nic->replies, nic->roce ? nic->stats->flows_max : 0,
			     nic->config->roce.cnp_class) ||
	    queue_pairs_control(nic, flows_max))
		return -ENOMEM;
	return nic_tcp_init(nic, flows_max);
}

void nic_transport_fini(struct nic *nic)
{
	nic_tcp_fini(nic);
	transport_fini(&nic->transport);
	reply_queue_fini(&nic->replies);
}

/* ---- sending ---- */

void nic_transport_send(struct nic *nic, uint32_t traffic_class)
{
	struct flow_packet packet = transport_next(&nic->transport, traffic_class);
	struct nic_packet start = { .frame_bytes = packet.frame_bytes,
				    .captured_bytes = packet.captured_bytes,
				    .tag = packet.flow };
	uint8_t *bytes = nic_start(nic, traffic_class, &start);

	if (bytes)
		transport_write(&nic->transport, &packet, bytes);
	if (!packet.again)
		nic->link->stats->queue_bytes -= packet.payload_bytes;
	transport_sent(&nic->transport, &packet,
		       packet.frame_bytes + FRAME_FCS_BYTES + nic->link->gap_bytes, nic->now_ps);
}

/* writes the answer of a queue pair to @bytes.  Return: its length */
static uint32_t write_reply(struct nic *nic, uint32_t slot, uint32_t traffic_class, bool cnp,
			    uint8_t *bytes)
{
	struct responder *responder = &nic->replies.responders[slot];
	struct roce_reply reply =
		cnp ? responder_cnp(responder, traffic_class) : responder_answer(responder);

	if (cnp && responder->cnps)
		reply_queue_cnp(&nic->replies, slot);
	return cnp ? roce_cnp_write(&reply, bytes) : roce_ack_write(&reply, bytes);
}

void nic_transport_reply(struct nic *nic, uint32_t traffic_class)
{
	bool cnp;
	uint32_t slot = reply_queue_next(&nic->replies, traffic_class, &cnp), length;
	uint8_t frame[ROCE_REPLY_BYTES_MAX], *bytes;
	struct nic_packet start;

	length = nic->replies.responders[slot].tcp
			 ? nic_tcp_answer(nic, slot, frame)
			 : write_reply(nic, slot, traffic_class, cnp, frame);
	start = (struct nic_packet){ .frame_bytes = length,
				     .captured_bytes = length,
				     .tag = SEND_NONE };
	nic->link->stats->replies += !cnp;
	bytes = nic_start(nic, traffic_class, &start);
	if (bytes)
		memcpy(bytes, frame, length);
}

/* ---- arrivals: data ---- */

/* a packet arrived marked: queues a CNP if one is due (RC-2) */
static void notice_mark(struct nic *nic, uint32_t slot)
{
	struct responder *responder = &nic->replies.responders[slot];
	struct flow_rx_stats *stats = stats_flow_rx(nic->stats, slot);
	const struct dcqcn_config *dcqcn = &nic->config->roce.dcqcn;
	const struct congestion_control *control =
		nic->transport.rules[TRANSPORT_RC].congestion.control;
	node_time_t gap_ps = nic->now_ps - responder->cnp_ps;

	stats->marked++;
	responder->marked |= control && control->echo;
	if (!control || !control->cnps || !dcqcn_np_marked(&responder->np, dcqcn, nic->now_ps) ||
	    responder->cnps == REPLIES_MAX)
		return;
	if (stats->cnps && (gap_ps < stats->cnp_gap_min_ps || stats->cnps == 1))
		stats->cnp_gap_min_ps = gap_ps;
	responder->cnp_ps = nic->now_ps;
	stats->cnps++;
	nic->link->stats->cnps++;
	if (trace_often(nic->stats))
		trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
							.kind = TRACE_CNP,
							.source = stats->source + 1 });
	if (!responder->cnps++)
		reply_queue_cnp(&nic->replies, slot);
}

static void count_verdict(struct nic *nic, uint32_t slot, enum responder_verdict verdict,
			  uint32_t frame_bytes)
{
	struct flow_rx_stats *stats = stats_flow_rx(nic->stats, slot);

	if (verdict == RESPONDER_GAP) {
		stats->out_of_order++;
		receive_drop(&nic->receive, DROP_OUT_OF_ORDER, frame_bytes, nic->now_ps);
	} else {
		stats->duplicates++;
		receive_drop(&nic->receive, DROP_DUPLICATE, frame_bytes, nic->now_ps);
	}
}

static void arrive_data(struct nic *nic, const struct nic_frame *frame,
			const struct roce_header *header)
{
	struct frame_payload payload;
	uint32_t slot =
		receive_place(&nic->receive, frame->bytes, frame->captured_bytes,
			      frame->frame_bytes, frame->traffic_class, nic->now_ps, &payload);
	struct responder *responder;
	enum responder_verdict verdict;
	uint16_t answers;

	if (slot == RECEIVE_NONE)
		return;
	responder = &nic->replies.responders[slot];
	if (!responder->open)
		responder_open(responder, header,
			       ROCE_REQUESTER | (payload.flow_slot & (QUEUE_PAIR_SLOTS_MAX - 1)),
			       frame->traffic_class);
	if (responder->tcp) { /* a connection's number, forged */
		receive_drop(&nic->receive, DROP_UNKNOWN_FLOW, frame->frame_bytes, nic->now_ps);
		return;
	}
	answers = responder->answers;
	verdict = responder_on_packet(responder, header);
	if (!answers && responder->answers)
		reply_queue_answer(&nic->replies, slot);
	if (header->congested)
		notice_mark(nic, slot);
	if (verdict == RESPONDER_TAKE)
		receive_take(&nic->receive, slot, &payload, frame->frame_bytes, nic->now_ps,
			     nic->now_ps);
	else
		count_verdict(nic, slot, verdict, frame->frame_bytes);
}

/* ---- arrivals: answers ---- */

/* is it from the destination of the flow in @slot? */
static bool is_from_receiver(const struct nic *nic, uint32_t slot, const struct roce_header *header)
{
	uint8_t mac[6];

	if (!transport_is_open(&nic->transport, slot, TRANSPORT_RC))
		return false;
	address_mac(nic->transport.specs[slot].destination, mac);
	return !memcmp(header->ends.source_mac, mac, sizeof(mac));
}

static void arrive_answer(struct nic *nic, const struct nic_frame *frame,
			  const struct roce_header *header)
{
	uint32_t slot = header->queue_pair & (QUEUE_PAIR_SLOTS_MAX - 1), complete;

	if (!is_from_receiver(nic, slot, header)) {
		receive_drop(&nic->receive, DROP_UNKNOWN_FLOW, frame->frame_bytes, nic->now_ps);
		return;
	}
	nic->stats->delivered_packets++;
	nic->stats->delivered_bytes += frame->frame_bytes;
	if (header->opcode == ROCE_OPCODE_CNP) {
		nic->link->stats->cnps_received++;
		transport_congested(&nic->transport, slot, nic->now_ps);
		return;
	}
	complete = queue_pair_on_answer(
		&nic->transport, slot, header->psn, header->syndrome,
		&(struct transport_signs){ .hops = header->hops, .echo = header->becn },
		nic->now_ps);
	while (complete--)
		nic_message_sent(nic, slot, nic->now_ps);
}

bool nic_transport_arrive(struct nic *nic, const struct nic_frame *frame)
{
	struct roce_header header;
	uint32_t kind;

	if (nic_tcp_arrive(nic, frame))
		return true;
	if (roce_frame_read(frame->bytes, frame->captured_bytes, frame->frame_bytes, &header) ||
	    memcmp(header.ends.destination_mac, nic->receive.mac, sizeof(nic->receive.mac)))
		return false;
	kind = header.queue_pair & QUEUE_PAIR_KIND;
	if (kind != QUEUE_PAIR_DATA && kind != ROCE_REQUESTER)
		return false;
	if (!roce_icrc_holds(frame->bytes, frame->captured_bytes, frame->frame_bytes))
		receive_drop(&nic->receive, DROP_BAD_ICRC, frame->frame_bytes, nic->now_ps);
	else if (kind == QUEUE_PAIR_DATA)
		arrive_data(nic, frame, &header);
	else if (header.opcode == ROCE_OPCODE_ACKNOWLEDGE || header.opcode == ROCE_OPCODE_CNP)
		arrive_answer(nic, frame, &header);
	else
		receive_drop(&nic->receive, DROP_UNKNOWN_FLOW, frame->frame_bytes, nic->now_ps);
	return true;
}
