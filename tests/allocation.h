/*  allocation - allocations that fail (TB-22). For each function that allocates, the first
 *  allocation fails, then the second, and so on until all succeed. Each time there is an error, no
 *  crash, and no leak; the sanitizers judge that (`make check`).
 *
 *  A program that includes this is linked with --wrap, so only allocations of this project fail.
 *  Libraries get the memory that they request. Tables (nodes/base/table.h) fail too, and each is
 *  freed with its own size. */
#ifndef TESTS_ALLOCATION_H
#define TESTS_ALLOCATION_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/base/sanitizer.h"
#include "nodes/base/table.h"
#include "tests/testing.h"

#if SANITIZER_ADDRESS
#include <sanitizer/lsan_interface.h>
#endif

#define FAILURES_MAX 100000u /* for one function; with more it allocates for ever */

static uint64_t fails_at; /* the number of the allocation that fails; 0: none does */
static uint64_t made;
static uint64_t table_bytes; /* of the tables that are not freed */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
char *__real_strdup(const char *text);
void *__real_table_alloc(size_t count, size_t size);
void __real_table_free(void *table, size_t count, size_t size);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);
void *__wrap_table_alloc(size_t count, size_t size);
void __wrap_table_free(void *table, size_t count, size_t size);

/* Only this allocation fails, not the later ones. So code that continues after a failure is found,
 * too. */
static bool fails(void)
{
	if (!fails_at || ++made != fails_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

void *__wrap_table_alloc(size_t count, size_t size)
{
	void *table = fails() ? NULL : __real_table_alloc(count, size);

	if (table)
		table_bytes += count * size;
	return table;
}

void __wrap_table_free(void *table, size_t count, size_t size)
{
	if (table)
		table_bytes -= count * size;
	__real_table_free(table, count, size);
}

/* Of the sanitizers, which come without its header. */
size_t __sanitizer_get_current_allocated_bytes(void);

/* bytes that are allocated now; 0 without the sanitizers */
static size_t allocated_bytes(void)
{
#if SANITIZER_ADDRESS
	return __sanitizer_get_current_allocated_bytes();
#else
	return 0;
#endif
}

/* Is there memory that nothing points to? Only the leak sanitizer can tell. It does not see tables:
 * what was freed of them must be what was allocated. */
static bool leaks(void)
{
	if (table_bytes)
		return true;
#if SANITIZER_ADDRESS
	return __lsan_do_recoverable_leak_check();
#else
	return false;
#endif
}

/* The same after an attempt that began with @before bytes. The sanitizer searches all memory, which
 * takes much longer than an attempt: it searches only if there is more memory than before. */
static bool leaks_since(size_t before)
{
	return table_bytes || (allocated_bytes() > before && leaks());
}

/** all_fail() - calls @attempt once for each of its allocations, which fails, and at last without a
 *  failure. @attempt returns 0 or -errno, must leave nothing allocated, and has no check of Check,
 *  which allocates as well. */
static void all_fail(const char *what, int (*attempt)(void))
{
	for (uint64_t n = 1; n < FAILURES_MAX; n++) {
		size_t before = allocated_bytes();
		int error;

		made = 0;
		fails_at = n;
		error = attempt();
		fails_at = 0;
		ck_assert_msg(!leaks_since(before), "%s: allocation %u failed, and memory is left",
			      what, (unsigned)n);
		if (made < n) {
			/* also if an attempt has freed as much of an earlier one */
			ck_assert_msg(!leaks(), "%s: memory is left", what);
			ck_assert_int_eq(error, 0);
			ck_assert_msg(n > 1, "%s allocates nothing", what);
			printf("%s: %u allocations failed\n", what, (unsigned)(n - 1));
			return;
		}
		ck_assert_msg(error == -ENOMEM, "%s: allocation %u failed, and it returned %d",
			      what, (unsigned)n, error);
	}
	ck_abort_msg("%s never succeeds", what);
}

#endif
