/*  nodes/wire/ecn_mark: CE is set where the transport understands ECN, with a valid checksum; no
 *  byte beyond the captured ones is touched (RC-1). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define BYTES 200u

/* Makes a frame with ECN field @ecn, tagged for class 5 if @tagged; its checksum differs with
 * @destination.  Return: captured bytes. */
static uint32_t frame_make(enum frame_kind kind, uint32_t destination, uint32_t ecn, bool tagged,
			   uint8_t *bytes)
{
	struct frame_spec spec = {
		.kind = kind, .destination = destination, .traffic_class = 3, .frame_bytes = BYTES
	};
	struct frame_payload payload = { 0 };
	uint32_t captured = frame_write(&spec, &payload, bytes);
	uint32_t sum = 0;

	if (kind == FRAME_IPV6) {
		bytes[15] |= (uint8_t)(ecn << 4);
	} else {
		bytes[15] |= (uint8_t)ecn;
		bytes_put16(bytes + 24, 0);
		for (uint32_t i = 0; i < 20; i += 2)
			sum += bytes_get16(bytes + 14 + i);
		sum = (sum & 0xffff) + (sum >> 16);
		bytes_put16(bytes + 24, (uint16_t)~sum);
	}
	if (!tagged)
		return captured;
	memmove(bytes + 16, bytes + 12, captured - 12);
	bytes_put32(bytes + 12, 0x8100a000);
	return captured + 4;
}

/* the parser verifies the IPv4 checksum */
TEST(ecn_mark__capable_becomes_ce)
{
	static const enum frame_kind kinds[] = { FRAME_IPV4, FRAME_IPV6 };
	uint8_t bytes[FRAME_HEADERS_MAX + 4], before[FRAME_HEADERS_MAX + 4];
	struct frame_fields fields;

	for (uint32_t n = 0; n < 2000; n++) {
		enum frame_kind kind = kinds[n % 2];
		bool tagged = n / 2 % 2;
		uint32_t ecn = 1 + n / 4 % 3;
		uint32_t captured = frame_make(kind, n * 31, ecn, tagged, bytes), differ = 0;

		memcpy(before, bytes, captured);
		ck_assert(ecn_mark(bytes, captured));
		ck_assert_int_eq(frame_parse(bytes, captured, BYTES + 4, &fields), 0);
		ck_assert_uint_eq(bytes[15 + 4 * tagged] >> (kind == FRAME_IPV6 ? 4 : 0) & 3, 3);
		for (uint32_t i = 0; i < captured; i++)
			differ += bytes[i] != before[i];
		ck_assert_uint_le(differ, ecn == 3 ? 0 : kind == FRAME_IPV6 ? 1 : 3);
	}
}

TEST_RANGE(ecn_mark__not_capable_is_unchanged, 0, 4)
{
	static const enum frame_kind kinds[] = { FRAME_IPV4, FRAME_IPV6, FRAME_HPC,
						 FRAME_ETHERNET };
	uint8_t bytes[FRAME_HEADERS_MAX], before[FRAME_HEADERS_MAX];
	struct frame_spec spec = { .kind = kinds[_i], .destination = 1, .frame_bytes = BYTES };
	struct frame_payload payload = { 0 };
	uint32_t captured = frame_write(&spec, &payload, bytes);

	memcpy(before, bytes, captured);
	ck_assert(!ecn_mark(bytes, captured));
	ck_assert_mem_eq(bytes, before, captured);
}

/* whatever its bytes are: another type than IP, and another version than that of the type */
TEST(ecn_mark__no_ip_header)
{
	uint8_t bytes[64], before[64];

	memset(bytes, 0xff, sizeof(bytes));
	memcpy(before, bytes, sizeof(bytes));
	ck_assert(!ecn_mark(bytes, sizeof(bytes)));
	ck_assert_uint_eq(ecn_read(bytes, sizeof(bytes)), 0);
	bytes_put16(bytes + 12, 0x0800);
	bytes_put16(before + 12, 0x0800);
	ck_assert(!ecn_mark(bytes, sizeof(bytes)));
	ck_assert_uint_eq(ecn_read(bytes, sizeof(bytes)), 0);
	ck_assert_mem_eq(bytes, before, sizeof(bytes));
}

/* in memory of exactly that length, so that ASan detects a byte too many */
TEST_RANGE(ecn_mark__truncated_is_unchanged, 0, 4)
{
	uint8_t whole[FRAME_HEADERS_MAX + 4];
	uint32_t captured = frame_make(_i / 2 ? FRAME_IPV6 : FRAME_IPV4, 1, 2, _i % 2, whole);
	uint32_t header_end = 14 + 4 * (_i % 2) + (_i / 2 ? 40 : 20);

	for (uint32_t length = 0; length <= captured; length++) {
		uint8_t *bytes = malloc(length + !length);

		memcpy(bytes, whole, length);
		ck_assert(ecn_mark(bytes, length) == (length >= header_end));
		free(bytes);
	}
}

/* what a receiver reads before and after; without a whole IP header nothing */
TEST_RANGE(ecn_read__reads_every_field, 0, 4)
{
	enum frame_kind kind = _i / 2 ? FRAME_IPV6 : FRAME_IPV4;
	uint8_t bytes[FRAME_HEADERS_MAX + 4];

	for (uint32_t ecn = 0; ecn < 4; ecn++) {
		uint32_t captured = frame_make(kind, 1, ecn, _i % 2, bytes);
		uint32_t header_end = 14 + 4 * (_i % 2) + (_i / 2 ? 40 : 20);

		for (uint32_t length = 0; length <= captured; length++) {
			uint8_t *copy = malloc(length + !length);

			memcpy(copy, bytes, length);
			ck_assert_uint_eq(ecn_read(copy, length), length < header_end ? 0 : ecn);
			free(copy);
		}
		ecn_mark(bytes, captured);
		ck_assert_uint_eq(ecn_read(bytes, captured), ecn ? 3 : 0);
	}
	frame_make(FRAME_IPV4, 1, 3, false, bytes);
	bytes[13] = 0x06; /* ARP */
	ck_assert_uint_eq(ecn_read(bytes, sizeof(bytes)), 0);
}
