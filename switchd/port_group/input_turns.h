/*  input_turns - the queue of an output and virtual lane: one queue per input port, served round
 *  robin.
 *
 *  Deficit round robin over the inputs (Shreedhar and Varghese, 1995) with the longest frame as
 *  quantum: fair in bytes, O(1). These are virtual output queues: packets for another output or
 *  lane never block an input here. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_INPUT_TURNS_H
#define HEDDLE_SWITCHD_PORT_GROUP_INPUT_TURNS_H

#include <stdint.h>

#include "switchd/common/packet.h"

struct input_turn {
	struct packet_queue queue;
	int32_t deficit_bytes;
};

struct input_turns {
	struct input_turn *inputs; /* by input port; borrowed */
	uint64_t waiting;          /* set of the inputs with packets */
	int32_t quantum_bytes;
	uint8_t turn; /* the input whose turn it is, if it has packets */
};

/** input_turns_push() - enqueues @packet, which came from packet->in_port. O(1). */
void input_turns_push(struct input_turns *turns, struct packet *packet);

/** input_turns_first() - the packet whose turn it is, if there is any; the same one until it is
 *  popped. O(1). */
struct packet *input_turns_first(struct input_turns *turns);

/** input_turns_pop() - dequeues the packet of input_turns_first(). O(1). */
struct packet *input_turns_pop(struct input_turns *turns);

#endif
