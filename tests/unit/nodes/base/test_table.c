/*  nodes/base/table: zeroed memory that begins with a cache line; under the address sanitizer it
 *  has an end (TB-13, TB-23). */
#include <stdint.h>
#include <sys/mman.h>

#include "nodes/base/sanitizer.h"
#include "nodes/base/table.h"
#include "tests/testing.h"

#if SANITIZER_ADDRESS
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

/* ---- near and far entries ---- */

static struct table_arena arena;

TEST(table_at__entries_are_distinct_and_stay)
{
	TABLE(uint64_t) tables[3] = { 0 };

	ck_assert_int_eq(table_arena_init(&arena, 65536), 0);
	for (uint32_t t = 0; t < 3; t++)
		ck_assert(TABLE_INIT(tables[t], 100, t == 2 ? NULL : &arena));
	for (uint32_t t = 0; t < 3; t++)
		for (uint32_t i = 0; i < 100; i++) {
			ck_assert_uint_eq(*TABLE_AT(tables[t], i), 0);
			*TABLE_AT(tables[t], i) = t * 100 + i + 1;
		}
	for (uint32_t t = 0; t < 3; t++)
		for (uint32_t i = 0; i < 100; i++)
			ck_assert_uint_eq(*TABLE_AT(tables[t], i), t * 100 + i + 1);
	for (uint32_t t = 0; t < 3; t++)
		TABLE_FINI(tables[t], 100);
	table_arena_fini(&arena);
}

static size_t pages_of(const void *memory, size_t bytes)
{
	unsigned char pages[64];
	size_t count = 0;

	ck_assert_int_eq(mincore((void *)(uintptr_t)memory, bytes, pages), 0);
	for (size_t i = 0; i < bytes / 4096; i++)
		count += pages[i] & 1;
	return count;
}

/* SC-2: ten tables of which sixteen entries of 24 bytes are used take one page */
TEST(table_near__few_entries_share_pages)
{
	TABLE(struct { uint8_t bytes[24]; }) tables[10] = { 0 };
	size_t far = 0;

	ck_assert_int_eq(table_arena_init(&arena, 65536), 0);
	for (uint32_t t = 0; t < 10; t++) {
		ck_assert(TABLE_INIT(tables[t], 2048, &arena));
		for (uint32_t i = 0; i < TABLE_NEAR; i++)
			TABLE_AT(tables[t], i)->bytes[0] = 1;
		far += pages_of(tables[t].far, 2048 * 24);
	}
	ck_assert_uint_eq(far, 0);
	ck_assert_uint_le(pages_of(arena.memory, 65536),
			  2); /* one, without guards between tables */
	TABLE_AT(tables[0], TABLE_NEAR)->bytes[0] = 1;
	ck_assert_uint_eq(pages_of(tables[0].far, 2048 * 24), 1);
	for (uint32_t t = 0; t < 10; t++)
		TABLE_FINI(tables[t], 2048);
	table_arena_fini(&arena);
}

/* What does not fit there is far, as without an arena. With and without guards one table fits. */
TEST(table_near__full_arena)
{
	uint8_t *far = table_alloc(2048, 64), *near;

	ck_assert_ptr_nonnull(far);
	ck_assert_int_eq(table_arena_init(&arena, 2000), 0);
	ck_assert_ptr_null(table_near(&arena, NULL, 2048, 64)); /* and takes nothing */
	near = table_near(&arena, far, 2048, 64);
	ck_assert(near != far && (uintptr_t)near % 64 == 0);
	ck_assert_ptr_eq(table_near(&arena, far, 2048, 64), far);
	ck_assert_ptr_eq(table_near(NULL, far, 2048, 64), far);
	ck_assert_ptr_null(table_near(&arena, NULL, 1, 64)); /* no memory */
	table_free(far, 2048, 64);
	table_arena_fini(&arena);
}

#if SANITIZER_ADDRESS
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
