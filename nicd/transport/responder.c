#include "nicd/transport/responder.h"

void responder_open(struct responder *responder, const struct roce_header *header,
		    uint32_t queue_pair, uint32_t traffic_class)
{
	*responder = (struct responder){
		.open = true,
		.queue_pair = queue_pair,
		.traffic_class = (uint8_t)traffic_class,
		.ends = roce_ends_reversed(&header->ends),
	};
}

static bool is_last(uint8_t opcode)
{
	return opcode == ROCE_OPCODE_SEND_LAST || opcode == ROCE_OPCODE_SEND_ONLY;
}

/* One answer waits at most. A NAK that waits stays a NAK until it is sent or the gap is closed. */
static void answer(struct responder *responder, bool nak)
{
	responder->answers = 1;
	responder->nak = nak;
}

static void take(struct responder *responder, const struct roce_header *header)
{
	responder->expected = (responder->expected + 1) & ROCE_PSN_MASK;
	responder->complete = (responder->complete + is_last(header->opcode)) & ROCE_PSN_MASK;
	responder->gap_told = false;
	if (header->ack_request || responder->nak)
		answer(responder, false);
}

enum responder_verdict responder_on_packet(struct responder *responder,
					   const struct roce_header *header)
{
	uint32_t ahead = (header->psn - responder->expected) & ROCE_PSN_MASK;

	if (!ahead) {
		take(responder, header);
		return RESPONDER_TAKE;
	}
	if (ahead >= ROCE_PSN_HALF) {
		answer(responder, responder->nak);
		return RESPONDER_DUPLICATE;
	}
	if (!responder->gap_told)
		answer(responder, true);
	responder->gap_told = true;
	return RESPONDER_GAP;
}

static struct roce_reply reply_of(const struct responder *responder, uint32_t traffic_class)
{
	return (struct roce_reply){
		.ends = responder->ends,
		.traffic_class = (uint8_t)traffic_class,
		.queue_pair = responder->queue_pair,
	};
}

struct roce_reply responder_answer(struct responder *responder)
{
	struct roce_reply reply = reply_of(responder, responder->traffic_class);

	reply.psn = (responder->expected - !responder->nak) & ROCE_PSN_MASK;
	reply.syndrome = responder->nak ? ROCE_SYNDROME_NAK_PSN : ROCE_SYNDROME_ACK;
	reply.msn = responder->complete;
	reply.becn = responder->marked;
	responder->answers = 0;
	responder->nak = false;
	responder->marked = false;
	return reply;
}

struct roce_reply responder_cnp(struct responder *responder, uint32_t traffic_class)
{
	responder->cnps--;
	return reply_of(responder, traffic_class);
}
