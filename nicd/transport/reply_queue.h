/*  reply_queue - which receiver has to answer next: ACKs in the class of their data, CNPs in theirs
 *  (RC-4).
 *
 *  The receiver has the content of its answers (responder.h). Here receivers queue, each at most
 *  once for ACKs and once for CNPs. So the queue has space for all flows and cannot overflow.
 *  Answers of a paused class wait in its list. Within a class CNPs are sent first, because they end
 *  congestion.
 *  Memory: a receiver per flow, allocated in _init, never later. */
#ifndef HEDDLE_NICD_TRANSPORT_REPLY_QUEUE_H
#define HEDDLE_NICD_TRANSPORT_REPLY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/transport/responder.h"
#include "nodes/config/config.h"

#define REPLY_NONE UINT32_MAX

struct reply_list {
	uint32_t first, last; /* REPLY_NONE: empty */
};

struct reply_queue {
	struct responder *responders; /* by slot of the received flow */
	struct reply_list answers[NODE_CLASSES_MAX];
	struct reply_list cnps;
	uint32_t cnp_class;
	uint32_t ready; /* set of classes in which something is to be answered */
};

/** reply_queue_init() - @flows_max receivers without packets so far. @cnp_class that of CNPs.
 *  Return: 0 or -ENOMEM. */
int reply_queue_init(struct reply_queue *queue, uint32_t flows_max, uint32_t cnp_class);
void reply_queue_fini(struct reply_queue *queue);

/** reply_queue_answer() - enqueues the receiver in @slot, which has an ACK or NAK to send and had
 *  none before. O(1). */
void reply_queue_answer(struct reply_queue *queue, uint32_t slot);

/** reply_queue_cnp() - the same of a CNP. O(1). */
void reply_queue_cnp(struct reply_queue *queue, uint32_t slot);

/** reply_queue_next() - dequeues the first receiver of @traffic_class, which must be in ->ready.
 *  The caller enqueues it again if it has more to send.
 *  @cnp  set to whether a CNP is to be sent, else an ACK or NAK.   Return: its slot. O(1). */
uint32_t reply_queue_next(struct reply_queue *queue, uint32_t traffic_class, bool *cnp);

#endif
