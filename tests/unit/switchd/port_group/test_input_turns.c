/*  switchd/port_group/input_turns: each input in order of arrival, bytes shared equally between
 *  inputs. switchd/port_group/congestion_log: marks within a window (PG-3, PG-10). */
#include <stdlib.h>

#include "switchd/port_group/congestion_log.h"
#include "switchd/port_group/input_turns.h"
#include "tests/testing.h"

#define INPUTS 64u
#define QUANTUM 4096
#define PACKETS 400u

static struct input_turn inputs[INPUTS];
static struct input_turns turns;
static struct packet packets[3 * PACKETS];
static uint32_t packet_count;

static void setup(void)
{
	packet_count = 0;
	for (uint32_t i = 0; i < INPUTS; i++)
		inputs[i] = (struct input_turn){ 0 };
	turns = (struct input_turns){ .inputs = inputs, .quantum_bytes = QUANTUM };
}

static void push(uint32_t input, uint32_t frame_bytes)
{
	struct packet *packet = &packets[packet_count++];

	*packet = (struct packet){ .in_port = (uint8_t)input,
				   .frame_bytes = frame_bytes,
				   .slid = packet_count };
	input_turns_push(&turns, packet);
}

TEST_GROUP(input_turns, .setup = setup);

TEST(input_turns__order_of_an_input)
{
	for (uint32_t i = 0; i < 10; i++)
		push(3, 4096);
	for (uint32_t i = 1; i <= 10; i++) {
		const struct packet *first = input_turns_first(&turns);

		ck_assert_ptr_eq(first, input_turns_first(&turns));
		ck_assert_ptr_eq(first, input_turns_pop(&turns));
		ck_assert_uint_eq(first->slid, i);
	}
	ck_assert_uint_eq(turns.waiting, 0);
}

/* Short packets of one input, long ones of two others: equal bytes of each, within a quantum, at
 * any time. */
TEST(input_turns__bytes_of_inputs)
{
	static const uint32_t from[] = { 0, 17, 63 }, bytes[] = { 100, 4096, 1500 };
	uint64_t sent[INPUTS] = { 0 };

	for (uint32_t i = 0; i < PACKETS; i++)
		for (uint32_t s = 0; s < 3; s++)
			push(from[s], bytes[s]);
	while (inputs[0].queue.head) {
		const struct packet *packet = (input_turns_first(&turns), input_turns_pop(&turns));

		sent[packet->in_port] += packet->frame_bytes;
		for (uint32_t s = 1; s < 3; s++)
			ck_assert_uint_le(sent[from[s]], sent[0] + 2 * QUANTUM);
	}
	for (uint32_t s = 1; s < 3; s++)
		ck_assert_uint_ge(sent[from[s]] + 2 * QUANTUM, sent[0]);
}

/* an input without packets saves up nothing */
TEST(input_turns__no_credit_from_idleness)
{
	push(1, 64);
	input_turns_first(&turns);
	input_turns_pop(&turns);
	ck_assert_int_eq(inputs[1].deficit_bytes, 0);
	ck_assert_uint_eq(turns.waiting, 0);
	push(2, 64);
	ck_assert_uint_eq(input_turns_first(&turns)->in_port, 2);
}

TEST(congestion_log__counts_marks_in_its_window)
{
	struct congestion_log log = { 0 };

	ck_assert(!congestion_log_says(&log, 1, 1000, 0));
	congestion_log_add(&log, 7, 1, 100);
	congestion_log_add(&log, 8, 2, 600);
	ck_assert(congestion_log_says(&log, 1, 1000, 600));
	ck_assert(congestion_log_says(&log, 2, 500, 600));
	ck_assert(!congestion_log_says(&log, 2, 499, 600));
	ck_assert(!congestion_log_says(&log, 3, 100000, 600));
	ck_assert(congestion_log_says(&log, 1, 400, 1000));
	ck_assert(!congestion_log_says(&log, 1, 399, 1000));
}

TEST(congestion_log__forgets_the_oldest)
{
	struct congestion_log log = { 0 };

	for (uint32_t i = 0; i < PORT_GROUP_MARKS_MAX + 5; i++)
		congestion_log_add(&log, i, 1, 1000 + i);
	ck_assert_uint_eq(log.count, PORT_GROUP_MARKS_MAX + 5);
	ck_assert(congestion_log_says(&log, PORT_GROUP_MARKS_MAX, PORT_GROUP_MARKS_MAX - 1,
				      1000 + PORT_GROUP_MARKS_MAX + 4));
	ck_assert(!congestion_log_says(&log, PORT_GROUP_MARKS_MAX, PORT_GROUP_MARKS_MAX - 2,
				       1000 + PORT_GROUP_MARKS_MAX + 4));
}
