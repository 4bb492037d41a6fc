/*  nodes/base/table: zeroed memory that begins with a cache line; under the address sanitizer it
 *  has an end (TB-13, TB-23). */
#include <stdint.h>
#include <sys/mman.h>

#include "nodes/base/table.h"
#include "tests/testing.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

TEST(table_alloc__zeroed_and_aligned)
{
	uint8_t *table = table_alloc(2048, 24);

	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq((uintptr_t)table % 64, 0);
	for (uint32_t i = 0; i < 2048 * 24; i++) {
		ck_assert_uint_eq(table[i], 0);
		table[i] = 1;
	}
	table_free(table, 2048, 24);
	table_free(NULL, 2048, 24);
}

#ifdef __SANITIZE_ADDRESS__
/* 2048 * 24 bytes end with a page, 3 * 24 within one */
TEST_RANGE(table_alloc__ends_where_it_should, 0, 2)
{
	size_t count = _i ? 3 : 2048;
	uint8_t *table = table_alloc(count, 24);

	ck_assert(!__asan_address_is_poisoned(table + count * 24 - 1));
	ck_assert(__asan_address_is_poisoned(table + count * 24));
	ck_assert(__asan_address_is_poisoned(table + count * 24 + 4095));
	table_free(table, count, 24);
	/* what comes to lie there is usable */
	table = mmap(table, 2048 * 24 + 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (table == MAP_FAILED)
		return; /* something else lies there by now */
	ck_assert_ptr_null(__asan_region_is_poisoned(table, 2048 * 24 + 4096));
	munmap(table, 2048 * 24 + 4096);
}
#endif
