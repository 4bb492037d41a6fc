#include "nicd/transport/queue_pair.h"

#define SYNDROME_KIND 0xe0u /* the upper bits: ACK with a credit count, NAK, ... */

struct queue_pair_answer queue_pair_read(uint64_t acknowledged, uint64_t top, uint32_t psn,
					 uint8_t syndrome)
{
	struct queue_pair_answer answer = { .missing = syndrome == ROCE_SYNDROME_NAK_PSN };
	uint32_t ahead = (psn + !answer.missing - (uint32_t)acknowledged) & ROCE_PSN_MASK;

	if (!answer.missing && (syndrome & SYNDROME_KIND))
		return answer;
	answer.packet = acknowledged + ahead;
	answer.valid = ahead < ROCE_PSN_HALF && answer.packet + answer.missing <= top;
	return answer;
}

uint32_t queue_pair_on_answer(struct transport *transport, uint32_t slot, uint32_t psn,
			      uint8_t syndrome, const struct transport_signs *signs,
			      node_time_t now)
{
	const struct transport_flow *flow = &transport->flows[slot];
	struct queue_pair_answer answer =
		queue_pair_read(flow->acknowledged, flow->top, psn, syndrome);
	uint32_t complete;

	if (!answer.valid)
		return 0;
	complete = transport_acknowledge(transport, slot, answer.packet, signs, now);
	if (answer.missing)
		transport_go_back(transport, slot, now);
	return complete;
}
