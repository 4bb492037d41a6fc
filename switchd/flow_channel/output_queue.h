/*  output_queue - the output transmit queue of a port and traffic class, between crossbar and link
 *  (FC-11).
 *
 *  Short: it covers the time from a grant to the link. A packet that does not fit stays in the
 *  input queue of its flow, where it delays no other flow. All flows of the class share the queue:
 *  first in, first out. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_OUTPUT_QUEUE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_OUTPUT_QUEUE_H

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
