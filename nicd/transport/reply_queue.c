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

void reply_queue_answer(struct reply_queue *queue, uint32_t slot)
{
	uint32_t traffic_class = queue->responders[slot].traffic_class;
	struct reply_list *list = &queue->answers[traffic_class];

	queue->responders[slot].next_answer = REPLY_NONE;
	if (list->first == REPLY_NONE)
		list->first = slot;
	else
		queue->responders[list->last].next_answer = slot;
	list->last = slot;
	queue->ready |= 1u << traffic_class;
}

void reply_queue_cnp(struct reply_queue *queue, uint32_t slot)
{
	struct reply_list *list = &queue->cnps;

	queue->responders[slot].next_cnp = REPLY_NONE;
	if (list->first == REPLY_NONE)
		list->first = slot;
	else
		queue->responders[list->last].next_cnp = slot;
	list->last = slot;
	queue->ready |= 1u << queue->cnp_class;
}

uint32_t reply_queue_next(struct reply_queue *queue, uint32_t traffic_class, bool *cnp)
{
	bool cnps = traffic_class == queue->cnp_class && queue->cnps.first != REPLY_NONE;
	struct reply_list *list = cnps ? &queue->cnps : &queue->answers[traffic_class];
	uint32_t slot = list->first;

	list->first = cnps ? queue->responders[slot].next_cnp : queue->responders[slot].next_answer;
	if (queue->answers[traffic_class].first == REPLY_NONE &&
	    (traffic_class != queue->cnp_class || queue->cnps.first == REPLY_NONE))
		queue->ready &= ~(1u << traffic_class);
	*cnp = cnps;
	return slot;
}
