/*  nodes/wire/hop_limit: reduces the hop limit by one and updates the checksum, nothing else; what
 *  routers do not route is unchanged (RC-5). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/hop_limit.h"
#include "tests/testing.h"

#define BYTES 200u
#define TTL_AT 22u       /* of IPv4 after Ethernet */
#define HOP_LIMIT_AT 21u /* of IPv6 */
#define IPV6_AT 14u

static uint8_t bytes[FRAME_HEADERS_MAX + 4], before[FRAME_HEADERS_MAX + 4];
static struct frame_fields fields;
static uint32_t captured;

/* Makes a frame whose checksum differs with @destination, tagged if @tagged; `before` is a copy. */
static void frame_make(enum frame_kind kind, uint32_t destination, bool tagged)
{
	struct frame_spec spec = { .kind = kind, .destination = destination, .frame_bytes = BYTES };
	struct frame_payload payload = { 0 };

	captured = frame_write(&spec, &payload, bytes);
	if (tagged) {
		memmove(bytes + 16, bytes + 12, captured - 12);
		bytes_put32(bytes + 12, 0x8100a000);
		captured += 4;
	}
	memcpy(before, bytes, sizeof(before));
	ck_assert_int_eq(frame_parse(bytes, captured, BYTES + 4, &fields), 0);
}

static void untouched_expect(void)
{
	ck_assert_mem_eq(bytes, before, captured);
}

/* 64, 63, ... 1, and then no more. The parser verifies the IPv4 checksum at every hop. */
TEST_RANGE(hop_limit_take__counts_down, 0, 8)
{
	static const enum frame_kind kinds[] = { FRAME_IPV4, FRAME_ROCE, FRAME_IPV6,
						 FRAME_ROCE_IPV6 };
	enum frame_kind kind = kinds[_i / 2];
	uint32_t at =
		(kind == FRAME_IPV4 || kind == FRAME_ROCE ? TTL_AT : HOP_LIMIT_AT) + 4 * (_i % 2);

	for (uint32_t destination = 0; destination < 3000; destination += 7) {
		frame_make(kind, destination, _i % 2);
		for (uint32_t left = 64; left > 1; left--) {
			ck_assert_uint_eq(bytes[at], left);
			ck_assert(hop_limit_take(bytes, captured, &fields));
			ck_assert_int_eq(frame_parse(bytes, captured, BYTES + 4, &fields), 0);
		}
		ck_assert(!hop_limit_take(bytes, captured, &fields));
		ck_assert_uint_eq(bytes[at], 1);
		memcpy(before + at, bytes + at, 1);
		if (kind == FRAME_IPV4 || kind == FRAME_ROCE)
			memcpy(before + at + 2, bytes + at + 2, 2);
		untouched_expect();
	}
}

TEST(hop_limit_take__zero_is_none)
{
	frame_make(FRAME_IPV6, 1, false);
	bytes[HOP_LIMIT_AT] = 0;
	ck_assert(!hop_limit_take(bytes, captured, &fields));
	ck_assert_uint_eq(bytes[HOP_LIMIT_AT], 0);
}

TEST_RANGE(hop_limit_take__leaves_what_is_not_ip, 0, 2)
{
	static const enum frame_kind kinds[] = { FRAME_ETHERNET, FRAME_HPC };

	frame_make(kinds[_i], 1, false);
	ck_assert(hop_limit_take(bytes, captured, &fields));
	untouched_expect();
}

/* group frames and link-local addresses, even with a TTL of 1 */
TEST(hop_limit_take__leaves_what_is_not_routed)
{
	frame_make(FRAME_IPV4, 1, false);
	fields.group = true;
	ck_assert(hop_limit_take(bytes, captured, &fields));
	fields.group = false;
	bytes_put16(fields.source_ip, 0xa9fe);
	ck_assert(hop_limit_take(bytes, captured, &fields));
	frame_make(FRAME_IPV6, 1, false);
	bytes_put16(fields.destination_ip, 0xfebf);
	ck_assert(hop_limit_take(bytes, captured, &fields));
	untouched_expect();
	bytes_put16(fields.destination_ip, 0xfec0);
	ck_assert(hop_limit_take(bytes, captured, &fields));
	ck_assert_uint_eq(bytes[HOP_LIMIT_AT], 63);
}

/* neighbour solicitations and advertisements keep their 255, an echo request does not */
TEST(hop_limit_take__leaves_neighbour_discovery)
{
	static const uint8_t types[] = { 128, 132, 133, 135, 136, 137, 138 };

	for (uint32_t i = 0; i < sizeof(types); i++) {
		frame_make(FRAME_IPV6, 1, false);
		bytes[IPV6_AT + 6] = 58;
		bytes[IPV6_AT + 40] = types[i];
		bytes[HOP_LIMIT_AT] = 255;
		ck_assert(hop_limit_take(bytes, captured, &fields));
		ck_assert_uint_eq(bytes[HOP_LIMIT_AT],
				  types[i] >= 133 && types[i] <= 137 ? 255 : 254);
	}
}
