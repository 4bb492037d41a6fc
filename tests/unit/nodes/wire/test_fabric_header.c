/*  nodes/wire/fabric_header: layout and limits; everything else is rejected (FC-5, FC-10,
 *  TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/fabric_header.h"
#include "tests/testing.h"

#define FRAME_BYTES 1000u /* 4 units */

static const struct fabric_header full = {
	.flow_id = 2047,
	.data_flow = 0xfedc,
	.fabric_address = 0x1234,
	.units = 4,
	.egress_port = 63,
	.traffic_class = 7,
	.via = 0x1abc,
	.level = 5,
	.hops = 30,
	.ordered = true,
};

static void front_write(uint8_t *bytes)
{
	fabric_envelope_write(0x0102, 3, 0x0405, 6, bytes);
	fabric_header_write(&full, bytes + FABRIC_ENVELOPE_BYTES);
}

/* FC-10 */
TEST(fabric_header_write__layout)
{
	static const uint8_t golden[FABRIC_FRONT_BYTES] = {
		/* envelope */
		0x02, 0x48, 0xff, 0x04, 0x05, 0x06, 0x02, 0x48, 0xff, 0x01, 0x02, 0x03, 0x88,
		0xb5, 0x17, 0xd1, 0x07, 0xff, 0xfe, 0xdc, 0x12, 0x34, 0x3f, 0xbe, 0xbc, 0x04,
	};
	uint8_t bytes[FABRIC_FRONT_BYTES];

	front_write(bytes);
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
}

TEST(fabric_header_read__reads_what_was_written)
{
	static const struct fabric_header small = { .fabric_address = 1, .units = 1 };
	uint8_t bytes[FABRIC_FRONT_BYTES];
	struct fabric_header header;

	front_write(bytes);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), FRAME_BYTES, &header), 0);
	ck_assert_uint_eq(header.flow_id, full.flow_id);
	ck_assert_uint_eq(header.data_flow, full.data_flow);
	ck_assert_uint_eq(header.fabric_address, full.fabric_address);
	ck_assert_uint_eq(header.units, full.units);
	ck_assert_uint_eq(header.egress_port, full.egress_port);
	ck_assert_uint_eq(header.traffic_class, full.traffic_class);
	ck_assert_uint_eq(header.hops, full.hops);
	ck_assert_uint_eq(header.via, full.via);
	ck_assert_uint_eq(header.level, full.level);
	ck_assert(header.ordered);

	fabric_header_write(&small, bytes + FABRIC_ENVELOPE_BYTES);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), 60, &header), 0);
	ck_assert_uint_eq(header.flow_id, 0);
	ck_assert_uint_eq(header.data_flow, 0);
	ck_assert(!header.ordered);
}

/* Each case changes one bit that has only one valid value. */
TEST_RANGE(fabric_header_read__rejects_fixed_bits, 0, 14)
{
	static const struct {
		unsigned at;
		uint8_t flip;
	} cases[] = {
		{ 12, 0x01 }, { 13, 0x01 }, { 14, 0x10 }, { 14, 0x20 }, { 14, 0x80 },
		{ 14, 0x08 }, { 15, 0x02 }, { 15, 0x04 }, { 16, 0x08 }, { 16, 0x80 },
		{ 22, 0x40 }, { 22, 0x80 }, { 25, 0x01 }, { 25, 0x80 },
	};
	uint8_t bytes[FABRIC_FRONT_BYTES];
	struct fabric_header header;

	front_write(bytes);
	bytes[cases[_i].at] ^= cases[_i].flip;
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), FRAME_BYTES, &header), -EINVAL);
}

TEST(fabric_header_read__rejects_lengths)
{
	uint8_t bytes[FABRIC_FRONT_BYTES];
	struct fabric_header header;

	front_write(bytes);
	for (uint32_t captured = 0; captured < FABRIC_FRONT_BYTES; captured++)
		ck_assert_int_eq(fabric_header_read(bytes, captured, FRAME_BYTES, &header),
				 -EINVAL);
	ck_assert_int_eq(fabric_header_read(bytes, FABRIC_FRONT_BYTES + 1001, FRAME_BYTES, &header),
			 -EINVAL);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), 768, &header), -EINVAL);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), 1025, &header), -EINVAL);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), 769, &header), 0);
	ck_assert_int_eq(fabric_header_read(bytes, sizeof(bytes), 1024, &header), 0);
}
