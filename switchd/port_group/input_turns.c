#include "switchd/port_group/input_turns.h"

#include "nodes/base/ensure.h"

void input_turns_push(struct input_turns *turns, struct packet *packet)
{
	packet_queue_push(&turns->inputs[packet->in_port].queue, packet);
	turns->waiting |= 1ull << packet->in_port;
}

/* the next input with packets, round robin */
static uint8_t next_turn(const struct input_turns *turns)
{
	uint64_t after = turns->waiting & ~((2ull << turns->turn) - 1);

	ENSURE(turns->waiting, !=, 0u);
	return (uint8_t)__builtin_ctzll(after ? after : turns->waiting);
}

/* A quantum is at least the longest frame, and a deficit is never negative, so the turn moves to
 * the next input once at most. */
struct packet *input_turns_first(struct input_turns *turns)
{
	struct input_turn *input = &turns->inputs[turns->turn];

	if (!input->queue.head || input->deficit_bytes < (int32_t)input->queue.head->frame_bytes) {
		turns->turn = next_turn(turns);
		input = &turns->inputs[turns->turn];
		input->deficit_bytes += turns->quantum_bytes;
		ENSURE(input->queue.head, !=, NULL);
	}
	return input->queue.head;
}

struct packet *input_turns_pop(struct input_turns *turns)
{
	struct input_turn *input = &turns->inputs[turns->turn];
	struct packet *packet = packet_queue_pop(&input->queue);

	input->deficit_bytes -= (int32_t)packet->frame_bytes;
	if (!input->queue.head) {
		input->deficit_bytes = 0;
		turns->waiting &= ~(1ull << turns->turn);
	}
	return packet;
}
