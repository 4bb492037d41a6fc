/*  ten_times - a fabric whose time runs ten times slower, for five seconds of it so far. */
#ifndef HEDDLE_TESTS_UNIT_PRELOAD_DILATE_TEN_TIMES_H
#define HEDDLE_TESTS_UNIT_PRELOAD_DILATE_TEN_TIMES_H

#include <errno.h>
#include <string.h>
#include <time.h>

#include "preload/dilate/dilate.h"
#include "tests/next.h"
#include "tests/testing.h"

#define TIMES 10
#define UTC_NS 1700000000123456789ll

static int64_t epoch_ns;

static inline void ten_times(void)
{
	epoch_ns = dilate_machine_ns(CLOCK_MONOTONIC) - 50 * NS_PER_S;
	next_dilates(TIMES, epoch_ns, UTC_NS);
}

/* what CLOCK_MONOTONIC of the fabric shows when that of the machine is @machine_ns */
static inline int64_t shown_ns(int64_t machine_ns)
{
	return epoch_ns + (machine_ns - epoch_ns) / TIMES;
}

/* does clock_gettime(@id) show what is @ahead_ns ahead of that? */
static inline void shows(clockid_t id, int64_t ahead_ns)
{
	int64_t before = dilate_machine_ns(CLOCK_MONOTONIC), after;
	struct timespec now;

	ck_assert_int_eq(clock_gettime(id, &now), 0);
	after = dilate_machine_ns(CLOCK_MONOTONIC);
	ck_assert(timespec_fine(&now));
	ck_assert_int_ge(timespec_ns(&now) - ahead_ns, shown_ns(before));
	ck_assert_int_le(timespec_ns(&now) - ahead_ns, shown_ns(after));
}

/* Is @machine_ns the time of the machine's CLOCK_MONOTONIC at which that of the fabric shows
 * @at_ns? It was computed since @began_ns. */
static inline void is_deadline(int64_t machine_ns, int64_t at_ns, int64_t began_ns)
{
	int64_t exact = epoch_ns + (at_ns - epoch_ns) * TIMES;

	ck_assert_int_ge(machine_ns, exact - TIMES);
	ck_assert_int_le(machine_ns, exact + TIMES + dilate_machine_ns(CLOCK_MONOTONIC) - began_ns);
}

static inline struct timespec ts(int64_t seconds, int64_t ns)
{
	return (struct timespec){ .tv_sec = seconds, .tv_nsec = ns };
}

#define CK_TS(time, seconds, ns)                            \
	do {                                                \
		ck_assert_int_eq((time).tv_sec, (seconds)); \
		ck_assert_int_eq((time).tv_nsec, (ns));     \
	} while (0)
#define CK_TV(time, seconds, us)                            \
	do {                                                \
		ck_assert_int_eq((time).tv_sec, (seconds)); \
		ck_assert_int_eq((time).tv_usec, (us));     \
	} while (0)

#endif
