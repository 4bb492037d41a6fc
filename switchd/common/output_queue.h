/*  output_queue - the output transmit queue of a port and traffic class, behind the crossbar
 *  (FC-11).
 *
 *  Short on purpose: it only hides the time between a grant and the link. What does not fit stays
 *  in its flow's input queue, where it delays nobody else. Shared by all flows of the class, so it
 *  is first in, first out. */
#ifndef HEDDLE_SWITCHD_COMMON_OUTPUT_QUEUE_H
#define HEDDLE_SWITCHD_COMMON_OUTPUT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "switchd/common/packet.h"

struct output_queue {
	struct packet_queue queue;
	uint32_t units, units_max;
};

/** output_queue_has_room() - may @units more be granted? One packet always fits into an empty
 *  queue. */
static inline bool output_queue_has_room(const struct output_queue *queue, uint32_t units)
{
	return !queue->units || queue->units + units <= queue->units_max;
}

static inline void output_queue_push(struct output_queue *queue, struct packet *packet)
{
	ENSURE(output_queue_has_room(queue, packet->units), ==, true);
	packet_queue_push(&queue->queue, packet);
	queue->units += packet->units;
}

static inline struct packet *output_queue_pop(struct output_queue *queue)
{
	struct packet *packet = packet_queue_pop(&queue->queue);

	ENSURE(queue->units, >=, (uint32_t)packet->units);
	queue->units -= packet->units;
	return packet;
}

#endif
