/*  queue_pair - the sender's half of a reliable connection of RoCEv2: what ACKs and NAKs mean
 *  (RC-4).
 *
 *  Packet sequence numbers have 24 bits; a flow's packets are numbered without end (transport.h).
 *  At most half of the PSNs are in flight, so a PSN names exactly one packet. An ACK acknowledges
 *  all packets up to its PSN. A NAK (sequence error) acknowledges all before its PSN and reports
 *  that one as missing: it and all later packets are sent again (go-back-N). An answer that
 *  acknowledges less than is known is old; one that names a packet that was never sent is invalid.
 *  Neither changes anything.
 *
 *  Queue pair numbers. Data goes to QUEUE_PAIR_RELIABLE | slot, below the bit that marks generated
 *  frames. So a receiver distinguishes reliable connections from frames that need no answer.
 *  Answers are sent to ROCE_REQUESTER | slot.
 *  Source: InfiniBand Architecture Specification vol. 1, 9.7. */
#ifndef HEDDLE_NICD_TRANSPORT_QUEUE_PAIR_H
#define HEDDLE_NICD_TRANSPORT_QUEUE_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/transport/transport.h"
#include "nodes/wire/roce_frame.h"

/* in frame_spec.flow, which becomes the lower 23 bits of the number */
#define QUEUE_PAIR_RELIABLE 0x400000u
#define QUEUE_PAIR_SLOTS_MAX ROCE_FLOWS_MAX

/* what an ACK or NAK means */
struct queue_pair_answer {
	bool valid;      /* else it changes nothing */
	uint64_t packet; /* all before it have arrived */
	bool missing;    /* and this one did not */
};

/** queue_pair_read() - @psn and @syndrome of an ACK or NAK, for a flow of which all before
 *  @acknowledged are known to have arrived and none from @top on was sent. A syndrome that is
 *  neither an ACK nor a sequence error is not valid. Pure. */
struct queue_pair_answer queue_pair_read(uint64_t acknowledged, uint64_t top, uint32_t psn,
					 uint8_t syndrome);

/** queue_pair_on_answer() - an ACK or NAK for the flow in @slot, which is one of TRANSPORT_RC, has
 *  arrived at @now. @signs as of transport_acknowledge().
 *  Return: how many messages are complete by that. */
uint32_t queue_pair_on_answer(struct transport *transport, uint32_t slot, uint32_t psn,
			      uint8_t syndrome, const struct transport_signs *signs,
			      node_time_t now);

#endif
