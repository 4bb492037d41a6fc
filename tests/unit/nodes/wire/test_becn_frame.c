/*  nodes/wire/becn_frame: layout; no other frame is taken for one (PG-10). */
#include <string.h>

#include "nodes/wire/address.h"
#include "nodes/wire/becn_frame.h"
#include "tests/testing.h"

TEST(becn_frame_write__layout)
{
	uint8_t bytes[BECN_FRAME_BYTES], wanted[BECN_FRAME_BYTES] = { 0 };

	memset(bytes, 0xff, sizeof(bytes)); /* what was there does not remain */
	becn_frame_write(7, 9, bytes);
	address_mac(9, wanted);
	address_mac(7, wanted + 6);
	wanted[12] = 0x88;
	wanted[13] = 0xb6;
	wanted[14] = 2;
	ck_assert_mem_eq(bytes, wanted, sizeof(wanted));
	ck_assert(becn_frame_is(bytes, BECN_FRAME_BYTES));
}

TEST(becn_frame_is__nothing_else)
{
	uint8_t bytes[BECN_FRAME_BYTES + 1] = { 0 };

	for (uint32_t at = 12; at < 15; at++) {
		becn_frame_write(7, 9, bytes);
		bytes[at] ^= 1;
		ck_assert(!becn_frame_is(bytes, BECN_FRAME_BYTES));
	}
	becn_frame_write(7, 9, bytes);
	ck_assert(!becn_frame_is(bytes, BECN_FRAME_BYTES - 1));
	ck_assert(!becn_frame_is(bytes, BECN_FRAME_BYTES + 1));
}
