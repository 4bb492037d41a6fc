/*  wake_queue - flows that wait for a time: an indexed binary heap, earliest first, lower flow_ref() first among equals.
 *
 *  Every flow of the switch has at most one place in it, so its size is fixed; memory that is not used is not touched.  */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_WAKE_QUEUE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_WAKE_QUEUE_H

#include <stdint.h>

#include "nodes/base/time.h"

struct wake_entry {
	node_time_t at_ps;
	uint32_t ref; /* flow_ref() */
};

struct wake_queue {
	struct wake_entry *heap;
	uint32_t *places; /* by ref: place in the heap + 1, 0: not in it */
	uint32_t count, refs;
};

/** wake_queue_init() - for refs below @refs.  Return: 0 or -ENOMEM. */
int wake_queue_init(struct wake_queue *queue, uint32_t refs);
void wake_queue_fini(struct wake_queue *queue);

/** wake_queue_set() - @ref is to be woken at @at_ps, and no more when it was to be before. O(log flows that wait). */
void wake_queue_set(struct wake_queue *queue, uint32_t ref, node_time_t at_ps);

/** wake_queue_remove() - @ref waits no more; nothing if it did not. O(log flows that wait). */
void wake_queue_remove(struct wake_queue *queue, uint32_t ref);

/** wake_queue_next_at() - when the first is to be woken; NODE_TIME_NEVER if none waits. O(1). */
static inline node_time_t wake_queue_next_at(const struct wake_queue *queue)
{
	return queue->count ? queue->heap[0].at_ps : NODE_TIME_NEVER;
}

/** wake_queue_pop() - takes the first out; there must be one.  Return: its ref. O(log flows that wait). */
uint32_t wake_queue_pop(struct wake_queue *queue);

#endif
