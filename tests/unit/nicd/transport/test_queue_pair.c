/*  nicd/transport/queue_pair: what ACKs and NAKs of 24 bits mean for packets that are numbered
 *  without end (RC-4). */
#include "nicd/transport/queue_pair.h"
#include "tests/testing.h"

#define ACK 0x1fu /* with a credit count that means nothing here */

static struct queue_pair_answer answer;

static void read_psn(uint64_t acknowledged, uint64_t top, uint64_t packet, uint8_t syndrome)
{
	answer = queue_pair_read(acknowledged, top, (uint32_t)(packet & ROCE_PSN_MASK), syndrome);
}

/* the number of a queue pair says whether its frames need answers, whatever the slot of its flow */
TEST(queue_pair__numbers_of_flows_without_answers)
{
	struct frame_spec spec = {
		.kind = FRAME_ROCE, .destination = 1, .flow = ROCE_FLOWS_MAX - 1, .frame_bytes = 200
	};
	struct frame_payload payload = { .flow_slot = spec.flow };
	uint8_t bytes[FRAME_HEADERS_MAX];
	struct frame_fields fields;
	uint32_t captured_bytes = frame_write(&spec, &payload, bytes);

	ck_assert_int_eq(frame_parse(bytes, captured_bytes, 200, &fields), 0);
	ck_assert_uint_eq(fields.queue_pair & QUEUE_PAIR_RELIABLE, 0);
	ck_assert_uint_eq(fields.queue_pair & (QUEUE_PAIR_SLOTS_MAX - 1), ROCE_FLOWS_MAX - 1);
}

TEST(queue_pair_read__ack_includes_its_packet)
{
	read_psn(10, 20, 12, ACK);
	ck_assert(answer.valid && !answer.missing);
	ck_assert_uint_eq(answer.packet, 13);
	read_psn(10, 20, 19, ACK); /* all that was sent */
	ck_assert(answer.valid);
	ck_assert_uint_eq(answer.packet, 20);
	read_psn(10, 20, 20, ACK); /* never sent */
	ck_assert(!answer.valid);
}

TEST(queue_pair_read__nak_names_the_missing_packet)
{
	read_psn(10, 20, 12, ROCE_SYNDROME_NAK_PSN);
	ck_assert(answer.valid && answer.missing);
	ck_assert_uint_eq(answer.packet, 12);
	read_psn(10, 20, 19, ROCE_SYNDROME_NAK_PSN);
	ck_assert(answer.valid);
	read_psn(10, 20, 20, ROCE_SYNDROME_NAK_PSN); /* what was never sent is not missing */
	ck_assert(!answer.valid);
}

TEST(queue_pair_read__old_ones_change_nothing)
{
	read_psn(10, 20, 9, ACK); /* nothing new, and no harm */
	ck_assert(answer.valid);
	ck_assert_uint_eq(answer.packet, 10);
	read_psn(10, 20, 8, ACK);
	ck_assert(!answer.valid);
	read_psn(10, 20, 9, ROCE_SYNDROME_NAK_PSN);
	ck_assert(!answer.valid);
}

/* other NAKs and RNR: InfiniBand has them, no NIC here sends them */
TEST(queue_pair_read__other_syndromes)
{
	read_psn(10, 20, 12, 0x61);
	ck_assert(!answer.valid);
	read_psn(10, 20, 12, 0x20);
	ck_assert(!answer.valid);
}

/* packet numbers go on where PSNs begin again; half of the PSNs is ahead, half is old */
TEST(queue_pair_read__sequence_numbers_wrap)
{
	uint64_t base = (5ull << 24) - 2, half = 1u << 23;

	read_psn(base, base + 10, base + 4, ACK);
	ck_assert(answer.valid);
	ck_assert_uint_eq(answer.packet, base + 5);
	read_psn(base, base + half - 1, base + half - 2, ACK);
	ck_assert(answer.valid);
	ck_assert_uint_eq(answer.packet, base + half - 1);
	read_psn(base, base + half, base + half - 1, ACK);
	ck_assert(!answer.valid);
}
