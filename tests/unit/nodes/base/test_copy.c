/*  nodes/base/copy: each length arrives whole, and nothing beside it is touched. */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/copy.h"
#include "tests/testing.h"

#define BYTES_MAX 300u
#define GUARD 32u

static uint8_t byte_of(size_t at)
{
	return (uint8_t)(at * 7 + 1);
}

static void copies(size_t bytes)
{
	uint8_t from[BYTES_MAX], to[GUARD + BYTES_MAX + GUARD];

	for (size_t i = 0; i < BYTES_MAX; i++)
		from[i] = byte_of(i);
	memset(to, 0, sizeof(to));
	copy_short(to + GUARD, from, bytes);
	for (size_t i = 0; i < sizeof(to); i++)
		ck_assert_uint_eq(to[i], i >= GUARD && i < GUARD + bytes ? byte_of(i - GUARD) : 0);
}

TEST(copy_short__every_length)
{
	for (size_t bytes = 0; bytes <= BYTES_MAX; bytes++)
		copies(bytes);
}

/* the sanitizer sees a byte that is read beyond the source */
TEST(copy_short__reads_no_more)
{
	for (size_t bytes = 1; bytes <= 64; bytes++) {
		uint8_t *from = malloc(bytes), to[64];

		ck_assert_ptr_nonnull(from);
		memset(from, 3, bytes);
		copy_short(to, from, bytes);
		ck_assert_mem_eq(to, from, bytes);
		free(from);
	}
}
