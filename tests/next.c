/*  next - see next.h. Linked with --wrap=dilate_next. */
#include "tests/next.h"

#include <string.h>

#include "preload/dilate/dilate.h"
#include "tests/testing.h"

#define REPLACED_MAX 32u

void *__real_dilate_next(_Atomic(void *) *slot, const char *name);
void *__wrap_dilate_next(_Atomic(void *) *slot, const char *name);

static struct {
	const char *name;
	void (*function)(void);
} replaced[REPLACED_MAX];
static uint32_t replaced_count;

void next_is(const char *name, void (*function)(void))
{
	ck_assert_uint_lt(replaced_count, REPLACED_MAX);
	replaced[replaced_count].name = name;
	replaced[replaced_count++].function = function;
}

void next_is_real(void)
{
	replaced_count = 0;
}

/* what was said last counts */
void *__wrap_dilate_next(_Atomic(void *) *slot, const char *name)
{
	for (uint32_t i = replaced_count; i-- > 0;)
		if (!strcmp(replaced[i].name, name))
			return (void *)(uintptr_t)replaced[i].function;
	return __real_dilate_next(slot, name);
}

void next_dilates(int64_t times, int64_t epoch_ns, int64_t utc_ns)
{
	/* it is no constant */
	*(struct dilation *)(uintptr_t)dilate_get() =
		(struct dilation){ .times = times, .epoch_ns = epoch_ns, .utc_ns = utc_ns };
}
