/*  input_turns - what waits for an output and virtual lane: in order of arrival per input port,
 *  inputs by turns.
 *
 *  Deficit round robin over the inputs (Shreedhar and Varghese, 1995) with the longest frame as
 *  quantum: fair in bytes, O(1). An input whose packets wait for another output or lane is in the
 *  way of nobody here. */
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
	uint8_t turn; /* whose it is, if it waits */
};

/** input_turns_push() - @packet, of packet->in_port, waits. O(1). */
void input_turns_push(struct input_turns *turns, struct packet *packet);

/** input_turns_first() - the packet whose turn it is, if any waits at all; the same until it is
 *  popped. O(1). */
struct packet *input_turns_first(struct input_turns *turns);

/** input_turns_pop() - takes it: the one that input_turns_first() gave. O(1). */
struct packet *input_turns_pop(struct input_turns *turns);

#endif
