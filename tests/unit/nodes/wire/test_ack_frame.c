/*  nodes/wire/ack_frame: 48 ACKs of 25 bits with 9 bytes of overhead; everything else is rejected
 *  (FC-12, FC-13, FC-18, TB-23). The FCS is compared with a CRC-32 of this test, bit by bit as
 *  802.3 defines it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "tests/unit/nodes/wire/cut_short.h"

/* one ACK more than a frame may have: 49 of 25 bits are 154 bytes */
#define BYTES_MAX (FABRIC_ENVELOPE_BYTES + ACK_FRAME_OVERHEAD_BYTES + 154)

static uint8_t envelope[FABRIC_ENVELOPE_BYTES];
static uint8_t bytes[BYTES_MAX];
static struct ack acks[ACK_FRAME_ACKS_MAX], acks_read[ACK_FRAME_ACKS_MAX];

/* differs in every bit position from one ACK to the next */
static void setup(void)
{
	fabric_envelope_write(1, 2, 3, 4, envelope);
	for (uint32_t i = 0; i < ACK_FRAME_ACKS_MAX; i++)
		acks[i] = (struct ack){ .flow_id = (i * 683 + 5) & 2047,
					.type = i % ACK_TYPES,
					.value = (2047 - i * 331) & 2047 };
}

/* CRC-32 of the bytes after the envelope, up to @end [802.3, 3.2.9] */
static uint32_t crc32_up_to(uint32_t end)
{
	uint32_t crc = 0xffffffff;

	for (uint32_t i = FABRIC_ENVELOPE_BYTES; i < end; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* a valid FCS again, so that later checks are reached */
static void fcs_write(uint32_t captured)
{
	uint32_t fcs = crc32_up_to(captured - 4);

	for (int i = 0; i < 4; i++)
		bytes[captured - 4 + i] = (uint8_t)(fcs >> 8 * i);
}

TEST_GROUP(ack_frame, .setup = setup);

/* FC-18: 150 bytes of ACKs and 9 more, 6 % */
TEST(ack_frame_wire_bytes__full_frame_has_159_bytes)
{
	ck_assert_uint_eq(ack_frame_wire_bytes(48), 159);
	ck_assert_uint_eq(ack_frame_wire_bytes(1), 13);
	ck_assert_uint_eq(ack_frame_wire_bytes(8), 34);
}

TEST(ack_frame_write__layout)
{
	static const struct ack two[] = {
		{ .flow_id = 2047, .type = ACK_DELTA_ECA, .value = 0x555 },
		{ .flow_id = 1, .type = ACK_LOSS, .value = 2047 }
	};
	static const uint8_t golden[] = { 0x20, 2, 0, 7, 0,
					  /* 11111111111 001 10101010101 00000000001 101 11111111111
					   * 000000 */
					  0xff, 0xe6, 0xaa, 0x80, 0x1b, 0xff, 0xc0 };

	ck_assert_uint_eq(ack_frame_write(envelope, two, 2, bytes), FABRIC_ENVELOPE_BYTES + 16);
	ck_assert_mem_eq(bytes, envelope, sizeof(envelope));
	ck_assert_mem_eq(bytes + FABRIC_ENVELOPE_BYTES, golden, sizeof(golden));
}

TEST(ack_frame_write__fcs_is_802_3)
{
	uint32_t captured = ack_frame_write(envelope, acks, 17, bytes);

	/* CRC-32 over data and FCS gives the residue of 802.3 */
	ck_assert_uint_eq(crc32_up_to(captured), 0x2144df1c);
}

TEST(ack_frame_read__reads_what_was_written)
{
	for (uint32_t count = 1; count <= ACK_FRAME_ACKS_MAX; count++) {
		uint32_t captured = ack_frame_write(envelope, acks, count, bytes);

		ck_assert_uint_eq(captured, FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(count));
		memset(acks_read, 0xff, sizeof(acks_read));
		ck_assert_int_eq(ack_frame_read(bytes, captured, acks_read), (int)count);
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_uint_eq(acks_read[i].flow_id, acks[i].flow_id);
			ck_assert_uint_eq(acks_read[i].type, acks[i].type);
			ck_assert_uint_eq(acks_read[i].value, acks[i].value);
		}
	}
}

TEST(ack_frame_read__rejects_any_flipped_bit)
{
	uint32_t captured = ack_frame_write(envelope, acks, 11, bytes);

	/* the MACs of the envelope are not protected */
	for (uint32_t bit = 12 * 8; bit < captured * 8; bit++) {
		bytes[bit / 8] ^= 1u << bit % 8;
		ck_assert_int_eq(ack_frame_read(bytes, captured, acks_read), -EINVAL);
		bytes[bit / 8] ^= 1u << bit % 8;
	}
	ck_assert_int_eq(ack_frame_read(bytes, captured, acks_read), 11);
}

TEST(ack_frame_read__rejects_lengths)
{
	uint32_t captured = ack_frame_write(envelope, acks, 11, bytes);

	for (uint32_t length = 0; length < sizeof(bytes); length++)
		if (length != captured)
			ck_assert_int_eq(ack_frame_read(bytes, length, acks_read), -EINVAL);
}

/* fields that contradict each other under a valid FCS; the last two: padding, ACK type 6 */
TEST_RANGE(ack_frame_read__rejects_contradictions, 0, 12)
{
	static const struct {
		unsigned at; /* after the envelope */
		uint8_t value;
	} cases[] = {
		{ 0, 0x21 }, { 0, 0x10 }, { 1, 0 }, { 1, 2 }, { 1, 49 },   { 1, 255 },
		{ 3, 3 },    { 3, 5 },    { 2, 1 }, { 4, 1 }, { 8, 0x01 }, { 6, 0x18 },
	};
	uint32_t captured;

	acks[0] = (struct ack){ .flow_id = 0, .type = 0, .value = 0 };
	captured = ack_frame_write(envelope, acks, 1, bytes);
	fcs_write(captured);
	ck_assert_int_eq(ack_frame_read(bytes, captured, acks_read), 1);
	bytes[FABRIC_ENVELOPE_BYTES + cases[_i].at] = cases[_i].value;
	fcs_write(captured);
	ck_assert_int_eq(ack_frame_read(bytes, captured, acks_read), -EINVAL);
}

static bool is_read(const uint8_t *frame, uint32_t length)
{
	return ack_frame_read(frame, length, acks_read) > 0;
}

TEST(ack_frame_read__cut_short)
{
	for (uint32_t count = 1; count <= 3; count++) {
		uint32_t length = ack_frame_write(envelope, acks, count, bytes);

		cut_short_refused(bytes, length, length, is_read);
	}
}

TEST(ack_frame_read__one_ack_too_many)
{
	ack_frame_write(envelope, acks, ACK_FRAME_ACKS_MAX, bytes);
	bytes[FABRIC_ENVELOPE_BYTES + 1] = ACK_FRAME_ACKS_MAX + 1;
	bytes[FABRIC_ENVELOPE_BYTES + 3] = 154;
	fcs_write(BYTES_MAX);
	ck_assert_int_eq(ack_frame_read(bytes, BYTES_MAX, acks_read), -EINVAL);
}
