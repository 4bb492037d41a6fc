#include "nicd/transport/reply_queue.h"

#include <errno.h>
#include <stdlib.h>

int reply_queue_init(struct reply_queue *queue, uint32_t flows_max, uint32_t cnp_class)
{
	const struct reply_list empty = { .first = REPLY_NONE, .last = REPLY_NONE };

	*queue = (struct reply_queue){
		.responders = calloc(flows_max, sizeof(*queue->responders)),
		.cnps = empty,
		.cnp_class = cnp_class,
	};
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		queue->answers[c] = empty;
	return queue->responders ? 0 : -ENOMEM;
}

void reply_queue_fini(struct reply_queue *queue)
{
	free(queue->responders);
	*queue = (struct reply_queue){ 0 };
}

/* the receiver after the one in @slot, in the list of CNPs or of ACKs */
static uint32_t *next_of(const struct reply_queue *queue, uint32_t slot, bool cnp)
{
	struct responder *responder = &queue->responders[slot];

	return cnp ? &responder->next_cnp : &responder->next_answer;
}

static void append(struct reply_queue *queue, struct reply_list *list, uint32_t slot, bool cnp)
{
	*next_of(queue, slot, cnp) = REPLY_NONE;
	if (list->first == REPLY_NONE)
		list->first = slot;
	else
		*next_of(queue, list->last, cnp) = slot;
	list->last = slot;
}

void reply_queue_answer(struct reply_queue *queue, uint32_t slot)
{
	uint32_t traffic_class = queue->responders[slot].traffic_class;

	append(queue, &queue->answers[traffic_class], slot, false);
	queue->ready |= 1u << traffic_class;
}

void reply_queue_cnp(struct reply_queue *queue, uint32_t slot)
{
	append(queue, &queue->cnps, slot, true);
	queue->ready |= 1u << queue->cnp_class;
}

uint32_t reply_queue_next(struct reply_queue *queue, uint32_t traffic_class, bool *cnp)
{
	struct reply_list *answers = &queue->answers[traffic_class], *list;
	bool has_cnps = traffic_class == queue->cnp_class;
	uint32_t slot;

	*cnp = has_cnps && queue->cnps.first != REPLY_NONE;
	list = *cnp ? &queue->cnps : answers;
	slot = list->first;
	list->first = *next_of(queue, slot, *cnp);
	if (answers->first == REPLY_NONE && !(has_cnps && queue->cnps.first != REPLY_NONE))
		queue->ready &= ~(1u << traffic_class);
	return slot;
}
