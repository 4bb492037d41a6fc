/*  reply_queue - which receiver has to answer next: ACKs in the class of their data, CNPs in theirs
 *  (RC-4).
 *
 *  What is to be answered stands with the receiver (responder.h); here they only queue for it, each
 *  once per kind. So the queue is as long as there are flows and cannot overflow, and answers of
 *  flows whose classes are held wait together there. Within a class CNPs go first: they are what
 *  congestion ends by.
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

/** reply_queue_init() - @flows_max receivers, of which nothing has come. @cnp_class that of CNPs.
 *  Return: 0 or -ENOMEM. */
int reply_queue_init(struct reply_queue *queue, uint32_t flows_max, uint32_t cnp_class);
void reply_queue_fini(struct reply_queue *queue);

/** reply_queue_answer() - the receiver in @slot has got an answer to give, and had none before.
 *  O(1). */
void reply_queue_answer(struct reply_queue *queue, uint32_t slot);

/** reply_queue_cnp() - the same of a CNP. O(1). */
void reply_queue_cnp(struct reply_queue *queue, uint32_t slot);

/** reply_queue_next() - the receiver whose turn it is in @traffic_class, which must be in ->ready;
 *  it leaves the queue, and comes back
 *  by the above if it has more to say. @cnp set: with a CNP, or with an answer. Return: its slot.
 *  O(1). */
uint32_t reply_queue_next(struct reply_queue *queue, uint32_t traffic_class, bool *cnp);

#endif
