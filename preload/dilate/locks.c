/*  locks - deadlines of threads: condition variables, mutexes, semaphores, joins, and futexes, by
 *  which other languages than C wait. */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "preload/dilate/dilate.h"

/* A condition variable has a clock, which no function returns. */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	struct timespec machine;

	return NEXT(pthread_cond_timedwait)(
		cond, mutex, dilate_until(dilate_clock_of(timespec_ns(until)), until, &machine));
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t id,
			   const struct timespec *until)
{
	struct timespec machine;

	return NEXT(pthread_cond_clockwait)(cond, mutex, id, dilate_until(id, until, &machine));
}

/* a function that waits for @object until a time of CLOCK_REALTIME */
#define UNTIL_UTC(name, type)                                                             \
	int name(type *object, const struct timespec *until)                              \
	{                                                                                 \
		struct timespec machine;                                                  \
                                                                                          \
		return NEXT(name)(object, dilate_until(CLOCK_REALTIME, until, &machine)); \
	}

/* the same for a clock that it is given */
#define UNTIL_CLOCK(name, type)                                                   \
	int name(type *object, clockid_t id, const struct timespec *until)        \
	{                                                                         \
		struct timespec machine;                                          \
                                                                                  \
		return NEXT(name)(object, id, dilate_until(id, until, &machine)); \
	}

UNTIL_UTC(pthread_mutex_timedlock, pthread_mutex_t)
UNTIL_UTC(pthread_rwlock_timedrdlock, pthread_rwlock_t)
UNTIL_UTC(pthread_rwlock_timedwrlock, pthread_rwlock_t)
UNTIL_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)
UNTIL_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
UNTIL_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t)
UNTIL_UTC(sem_timedwait, sem_t)
UNTIL_CLOCK(sem_clockwait, sem_t)

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	struct timespec machine;

	return NEXT(mtx_timedlock)(mutex, dilate_until(CLOCK_REALTIME, until, &machine));
}

int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
		  const struct timespec *restrict until)
{
	struct timespec machine;

	return NEXT(cnd_timedwait)(cond, mutex, dilate_until(CLOCK_REALTIME, until, &machine));
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	struct timespec machine;

	return NEXT(pthread_timedjoin_np)(thread, result,
					  dilate_until(CLOCK_REALTIME, until, &machine));
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t id,
			 const struct timespec *until)
{
	struct timespec machine;

	return NEXT(pthread_clockjoin_np)(thread, result, id, dilate_until(id, until, &machine));
}

/* ---- system calls by number ---- */

/* the time-out of a futex operation, as futex(2) says: a span for FUTEX_WAIT, else a deadline */
static const struct timespec *futex_until(long operation, const struct timespec *until,
					  struct timespec *machine)
{
	const long command = operation & FUTEX_CMD_MASK;

	if (command == FUTEX_WAIT)
		return dilate_span(until, machine);
	if (command == FUTEX_WAIT_BITSET || command == FUTEX_WAIT_REQUEUE_PI)
		return dilate_until(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
								     : CLOCK_MONOTONIC,
				    until, machine);
	if (command == FUTEX_LOCK_PI)
		return dilate_until(CLOCK_REALTIME, until, machine);
	if (command == FUTEX_LOCK_PI2)
		return dilate_until(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME
								     : CLOCK_MONOTONIC,
				    until, machine);
	return until; /* a number, or nothing */
}

/* Rust and C++ wait so. Like the C library it takes six numbers, of which the caller gave some; the
 * others are whatever is in their places, so the address sanitizer must not look at them. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	struct timespec machine;
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (dilate_get()->times != 1 && number == SYS_clock_gettime)
		return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
	if (dilate_get()->times != 1 && number == SYS_futex)
		a[3] = (long)futex_until(a[1], (const struct timespec *)a[3], &machine);
	return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
