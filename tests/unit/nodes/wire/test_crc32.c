/*  nodes/wire/crc32: known values, and zeros that are not in memory (FC-18, RC-4). */
#include <stdlib.h>

#include "nodes/wire/crc32.h"
#include "tests/testing.h"

static const uint8_t zeros[20000];

TEST(crc32_add__has_the_check_value)
{
	/* the check value of every catalogue of CRCs */
	static const uint8_t digits[] = "123456789";

	ck_assert_uint_eq(crc32_add(0, digits, 9), 0xcbf43926);
	ck_assert_uint_eq(crc32_add(crc32_add(0, digits, 4), digits + 4, 5), 0xcbf43926);
	ck_assert_uint_eq(crc32_add(0x12345678, digits, 0), 0x12345678);
}

TEST_RANGE(crc32_add_zeros__as_from_memory, 0, 9)
{
	static const uint32_t lengths[] = { 0, 1, 3, 4095, 4096, 4097, 8192, 9000, 20000 };

	ck_assert_uint_eq(crc32_add_zeros(0xdeadbeef, lengths[_i]),
			  crc32_add(0xdeadbeef, zeros, lengths[_i]));
}
