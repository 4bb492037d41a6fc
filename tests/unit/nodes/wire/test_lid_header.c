/*  nodes/wire/lid_header: layout, limits and the ranges of LIDs; everything else is rejected (PG-1,
 *  PG-10, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/lid_header.h"
#include "nodes/wire/word_frame.h"
#include "tests/unit/nodes/wire/cut_short.h"

#define FRAME_BYTES 1000u

static const struct lid_header full = {
	.dlid = 0xfedcba98,
	.slid = 0x01234567,
	.frame_bytes = FRAME_BYTES,
	.service_level = 6,
	.level = 5,
	.fecn = true,
};

static void front_write(uint8_t *bytes)
{
	word_frame_envelope_write(0x0102, 3, 0x0405, 6, bytes);
	lid_header_write(&full, bytes + FABRIC_ENVELOPE_BYTES);
}

/* PG-1 */
TEST(lid_header_write__layout)
{
	static const uint8_t golden[LID_FRONT_BYTES] = {
		/* envelope */
		0x02, 0x48, 0xfe, 0x04, 0x05, 0x06, 0x02, 0x48, 0xfe, 0x01, 0x02, 0x03, 0x88,
		0xb5, 0x50, 0x65, 0x83, 0xe8, 0xfe, 0xdc, 0xba, 0x98, 0x01, 0x23, 0x45, 0x67,
	};
	uint8_t bytes[LID_FRONT_BYTES];

	front_write(bytes);
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
}

TEST(lid_header_read__reads_what_was_written)
{
	static const struct lid_header small = {
		.dlid = 1, .slid = 2, .frame_bytes = 60, .lasting = true, .becn = true
	};
	uint8_t bytes[LID_FRONT_BYTES];
	struct lid_header header;

	front_write(bytes);
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), FRAME_BYTES, &header), 0);
	ck_assert_uint_eq(header.dlid, full.dlid);
	ck_assert_uint_eq(header.slid, full.slid);
	ck_assert_uint_eq(header.frame_bytes, FRAME_BYTES);
	ck_assert_uint_eq(header.service_level, full.service_level);
	ck_assert_uint_eq(header.level, full.level);
	ck_assert(header.fecn && !header.lasting && !header.becn);

	lid_header_write(&small, bytes + FABRIC_ENVELOPE_BYTES);
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), 60, &header), 0);
	ck_assert_uint_eq(header.dlid, 1);
	ck_assert_uint_eq(header.service_level, 0);
	ck_assert(!header.fecn && header.lasting && header.becn);
}

/* Each case changes one bit that has only one valid value. */
TEST_RANGE(lid_header_read__rejects_fixed_bits, 0, 13)
{
	static const struct {
		unsigned at;
		uint8_t flip;
	} cases[] = {
		{ 12, 0x01 }, { 13, 0x01 }, { 14, 0x10 }, { 14, 0x20 }, { 14, 0x40 },
		{ 14, 0x80 }, { 14, 0x01 }, { 14, 0x08 }, { 15, 0x08 }, { 16, 0x01 },
		{ 16, 0x20 }, { 17, 0x01 }, { 17, 0x80 },
	};
	uint8_t bytes[LID_FRONT_BYTES];
	struct lid_header header;

	front_write(bytes);
	bytes[cases[_i].at] ^= cases[_i].flip;
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), FRAME_BYTES, &header), -EINVAL);
}

TEST(lid_header_read__rejects_lengths)
{
	uint8_t bytes[LID_FRONT_BYTES];
	struct lid_header header;

	front_write(bytes);
	for (uint32_t captured = 0; captured < LID_FRONT_BYTES; captured++)
		ck_assert_int_eq(lid_header_read(bytes, captured, FRAME_BYTES, &header), -EINVAL);
	ck_assert_int_eq(
		lid_header_read(bytes, LID_FRONT_BYTES + FRAME_BYTES + 1, FRAME_BYTES, &header),
		-EINVAL);
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), FRAME_BYTES - 1, &header), -EINVAL);
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), FRAME_BYTES + 1, &header), -EINVAL);
	ck_assert_int_eq(lid_header_read(bytes, sizeof(bytes), FRAME_BYTES + (1u << 14), &header),
			 -EINVAL);
}

/* PG-1: reserved LIDs and groups, of every width */
TEST_RANGE(lid_kind__ranges, 0, 4)
{
	static const struct {
		uint32_t bits, group_first, permissive;
	} cases[] = {
		{ 16, 0xc000, 0xffff }, /* the ranges of InfiniBand */
		{ 20, 0xc0000, 0xfffff },
		{ 24, 0xc00000, 0xffffff },
		{ 32, 0xc0000000, 0xffffffff },
	};
	uint32_t bits = cases[_i].bits;

	ck_assert_uint_eq(lid_group_first(bits), cases[_i].group_first);
	ck_assert_uint_eq(lid_permissive(bits), cases[_i].permissive);
	ck_assert_int_eq(lid_kind(0, bits), LID_UNINITIALISED);
	ck_assert_int_eq(lid_kind(1, bits), LID_HOST);
	ck_assert_int_eq(lid_kind(cases[_i].group_first - 1, bits), LID_HOST);
	ck_assert_int_eq(lid_kind(cases[_i].group_first, bits), LID_GROUP);
	ck_assert_int_eq(lid_kind(cases[_i].permissive - 1, bits), LID_GROUP);
	ck_assert_int_eq(lid_kind(cases[_i].permissive, bits), LID_PERMISSIVE);
	if (bits < 32)
		ck_assert_int_eq(lid_kind(cases[_i].permissive + 1, bits), LID_BEYOND);
}

static bool is_read(const uint8_t *bytes, uint32_t length)
{
	struct lid_header header;

	return !lid_header_read(bytes, length, FRAME_BYTES, &header);
}

TEST(lid_header_read__cut_short)
{
	uint8_t bytes[LID_FRONT_BYTES + 3] = { 0 };

	front_write(bytes);
	cut_short_refused(bytes, LID_FRONT_BYTES, sizeof(bytes), is_read);
}
