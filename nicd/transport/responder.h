/*  responder - the receiver's half of a reliable connection of RoCEv2: in order or not, and what to
 *  answer (RC-2, RC-4).
 *
 *  Only the packet with the expected PSN is accepted. A packet after a gap is dropped, and one NAK
 *  reports the gap: a NAK for each of them would make the sender go back again and again. If the
 *  NAK or the repeated packet is lost, the sender's timeout repairs it. A duplicate is acknowledged
 *  again, for the first ACK may have been lost.
 *
 *  Answers wait here, one of a kind: an ACK is written when it is sent, so it is up to date, and a
 *  later one replaces one that waits. Each CNP of the notification point is sent (dcqcn_np.h).
 *  Place: called by nic_transport.c; replies are sent in the order of reply_queue.h. All zeros is a
 *  connection without packets so far, but for its ends.
 *  Source: InfiniBand Architecture Specification vol. 1, 9.7. */
#ifndef HEDDLE_NICD_TRANSPORT_RESPONDER_H
#define HEDDLE_NICD_TRANSPORT_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/transport/dcqcn_np.h"
#include "nodes/base/time.h"
#include "nodes/wire/roce_frame.h"

struct responder {
	uint32_t expected;   /* PSN of the next packet in order */
	uint32_t complete;   /* messages: the MSN, 24 bits */
	uint32_t queue_pair; /* at the sender: answers go to it */
	uint8_t traffic_class;
	bool open;
	/* a connection of TCP: nic_tcp.c. Of what follows it has `answers` only */
	bool tcp;
	bool gap_told;                  /* a NAK was made, and nothing has arrived in order since */
	bool nak;                       /* the answer that waits is one */
	bool marked;                    /* a packet since the last answer had an ECN mark */
	uint16_t answers;               /* ACKs and NAKs that wait to be sent */
	uint16_t cnps;                  /* CNPs that do */
	uint32_t next_answer, next_cnp; /* reply_queue.h */
	struct dcqcn_np np;
	node_time_t cnp_ps;    /* the last CNP was made; 0: none so far */
	struct roce_ends ends; /* of the answers: from here to the sender */
};

enum responder_verdict {
	RESPONDER_TAKE,      /* in order */
	RESPONDER_GAP,       /* a packet before it is missing */
	RESPONDER_DUPLICATE, /* arrived before */
};

/** responder_open() - the first packet of a connection has arrived, with @header.
 *  @queue_pair  at the sender.   @traffic_class  of the data, and so of ACKs and NAKs. */
void responder_open(struct responder *responder, const struct roce_header *header,
		    uint32_t queue_pair, uint32_t traffic_class);

/** responder_on_packet() - a data packet with @header has arrived. responder->answers rises if it
 *  is to be answered. O(1).   Return: whether to deliver or drop it. */
enum responder_verdict responder_on_packet(struct responder *responder,
					   const struct roce_header *header);

/** responder_answer() - takes the ACK or NAK that waits, with the connection's present state. */
struct roce_reply responder_answer(struct responder *responder);

/** responder_cnp() - the same of a CNP, in @traffic_class. */
struct roce_reply responder_cnp(struct responder *responder, uint32_t traffic_class);

#endif
