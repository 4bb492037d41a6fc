/*  preload/dilate/locks: until when the C library waits for threads, locks, semaphores and futexes
 *  (SC-8). */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "tests/unit/preload/dilate/ten_times.h"

#define AHEAD_NS (3600 * NS_PER_S)

static int64_t began_ns;                      /* of the test */
static struct timespec monotonic, utc, asked; /* the deadline by both clocks; what is asked for */
static const struct timespec *asked_at;
static const void *asked_object, *asked_second;
static clockid_t asked_id;
static int status;

static void setup(void)
{
	ten_times();
	began_ns = dilate_machine_ns(CLOCK_MONOTONIC);
	monotonic = timespec_of(epoch_ns + AHEAD_NS);
	utc = timespec_of(UTC_NS + AHEAD_NS);
	status = ETIMEDOUT;
	asked_id = -1;
}

TEST_GROUP(locks, .setup = setup);

static int answer(const void *object, clockid_t id, const struct timespec *until)
{
	asked_object = object;
	asked_id = id;
	asked_at = until;
	if (until)
		asked = *until;
	return status;
}

static int next_until(void *object, const struct timespec *until)
{
	return answer(object, -1, until);
}

static int next_until_clock(void *object, clockid_t id, const struct timespec *until)
{
	return answer(object, id, until);
}

static int next_second(void *object, void *second, const struct timespec *until)
{
	asked_second = second;
	return answer(object, -1, until);
}

static int next_second_clock(void *object, void *second, clockid_t id, const struct timespec *until)
{
	asked_second = second;
	return answer(object, id, until);
}

static int next_join(pthread_t thread, void **result, const struct timespec *until)
{
	asked_second = result;
	return answer((void *)thread, -1, until);
}

static int next_join_clock(pthread_t thread, void **result, clockid_t id,
			   const struct timespec *until)
{
	asked_second = result;
	return answer((void *)thread, id, until);
}

/* what was asked for is the deadline, by CLOCK_MONOTONIC of the machine */
static void is_monotonic(void)
{
	is_deadline(timespec_ns(&asked), timespec_ns(&monotonic), began_ns);
}

/* the same by CLOCK_REALTIME: so far ahead as the other, but for the time between */
static void is_utc(void)
{
	int64_t now_ns = dilate_machine_ns(CLOCK_REALTIME);
	int64_t exact_ns = now_ns + (timespec_ns(&utc) - dilate_now_ns(CLOCK_REALTIME)) * TIMES;
	int64_t slack_ns = dilate_machine_ns(CLOCK_MONOTONIC) - began_ns + NS_PER_S;

	ck_assert_int_ge(timespec_ns(&asked), exact_ns - slack_ns);
	ck_assert_int_le(timespec_ns(&asked), exact_ns + slack_ns);
}

TEST(deadlines__of_utc)
{
	pthread_rwlock_t rwlock;
	pthread_mutex_t mutex;
	sem_t semaphore;
	mtx_t mtx;
	cnd_t cnd;
	void *result;

	NEXT_IS(pthread_mutex_timedlock, next_until);
	NEXT_IS(pthread_rwlock_timedrdlock, next_until);
	NEXT_IS(pthread_rwlock_timedwrlock, next_until);
	NEXT_IS(sem_timedwait, next_until);
	NEXT_IS(mtx_timedlock, next_until);
	NEXT_IS(cnd_timedwait, next_second);
	NEXT_IS(pthread_timedjoin_np, next_join);
#define CHECK_UTC(call, object)                         \
	asked = ts(0, 0);                               \
	ck_assert_int_eq(call, ETIMEDOUT);              \
	ck_assert_ptr_eq(asked_object, (void *)object); \
	is_utc()

	CHECK_UTC(pthread_mutex_timedlock(&mutex, &utc), &mutex);
	CHECK_UTC(pthread_rwlock_timedrdlock(&rwlock, &utc), &rwlock);
	CHECK_UTC(pthread_rwlock_timedwrlock(&rwlock, &utc), &rwlock);
	CHECK_UTC(sem_timedwait(&semaphore, &utc), &semaphore);
	CHECK_UTC(mtx_timedlock(&mtx, &utc), &mtx);
	CHECK_UTC(cnd_timedwait(&cnd, &mtx, &utc), &cnd);
	ck_assert_ptr_eq(asked_second, &mtx);
	CHECK_UTC(pthread_timedjoin_np(pthread_self(), &result, &utc), pthread_self());
	ck_assert_ptr_eq(asked_second, &result);
}

TEST(deadlines__of_a_clock)
{
	pthread_rwlock_t rwlock;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	sem_t semaphore;
	void *result;

	NEXT_IS(pthread_mutex_clocklock, next_until_clock);
	NEXT_IS(pthread_rwlock_clockrdlock, next_until_clock);
	NEXT_IS(pthread_rwlock_clockwrlock, next_until_clock);
	NEXT_IS(sem_clockwait, next_until_clock);
	NEXT_IS(pthread_cond_clockwait, next_second_clock);
	NEXT_IS(pthread_clockjoin_np, next_join_clock);
#define CHECK_CLOCK(call, object)                       \
	asked = ts(0, 0);                               \
	asked_id = -1;                                  \
	ck_assert_int_eq(call, ETIMEDOUT);              \
	ck_assert_ptr_eq(asked_object, (void *)object); \
	ck_assert_int_eq(asked_id, CLOCK_MONOTONIC);    \
	is_monotonic()

	CHECK_CLOCK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic), &mutex);
	CHECK_CLOCK(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &monotonic), &rwlock);
	CHECK_CLOCK(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &monotonic), &rwlock);
	CHECK_CLOCK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &monotonic), &semaphore);
	CHECK_CLOCK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &monotonic), &cond);
	ck_assert_ptr_eq(asked_second, &mutex);
	CHECK_CLOCK(pthread_clockjoin_np(pthread_self(), &result, CLOCK_MONOTONIC, &monotonic),
		    pthread_self());
	ck_assert_ptr_eq(asked_second, &result);
	pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &utc);
	is_utc();
}

/* a condition variable has a clock of its own: the size of the deadline tells */
TEST(pthread_cond_timedwait__of_either_clock)
{
	pthread_mutex_t mutex;
	pthread_cond_t cond;

	NEXT_IS(pthread_cond_timedwait, next_second);
	ck_assert_int_eq(pthread_cond_timedwait(&cond, &mutex, &utc), ETIMEDOUT);
	is_utc();
	ck_assert_int_eq(pthread_cond_timedwait(&cond, &mutex, &monotonic), ETIMEDOUT);
	is_monotonic();
	ck_assert_ptr_eq(asked_object, &cond);
	ck_assert_ptr_eq(asked_second, &mutex);
}

/* by the C library itself: a deadline that is over, and one that is wrong */
TEST(pthread_mutex_timedlock__over_and_wrong)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec over = timespec_of(UTC_NS), wrong = ts(1, NS_PER_S);

	pthread_mutex_lock(&mutex);
	ck_assert_int_eq(pthread_mutex_timedlock(&mutex, &over), ETIMEDOUT);
	ck_assert_int_eq(pthread_mutex_timedlock(&mutex, &wrong), EINVAL);
	ck_assert_int_eq(pthread_mutex_clocklock(&mutex, 77, &over), EINVAL);
	pthread_mutex_unlock(&mutex);
}

/* ---- system calls by number ---- */

static long asked_number, asked_words[6];

static long next_syscall(long number, ...)
{
	va_list list;

	asked_number = number;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		asked_words[i] = va_arg(list, long);
	va_end(list);
	asked_at = (const struct timespec *)asked_words[3];
	if (number == SYS_futex && asked_at)
		asked = *asked_at;
	return 42;
}

static void futex(int operation, const struct timespec *until)
{
	asked = ts(0, 0);
	ck_assert_int_eq(syscall(SYS_futex, 1l, (long)operation, 3l, until, 5l, 6l), 42);
	ck_assert_int_eq(asked_number, SYS_futex);
	ck_assert_int_eq(asked_words[0], 1);
	ck_assert_int_eq(asked_words[1], operation);
	ck_assert_int_eq(asked_words[2], 3);
	ck_assert_int_eq(asked_words[4], 5);
	ck_assert_int_eq(asked_words[5], 6);
}

TEST(syscall__futex)
{
	struct timespec span = ts(1, 0);

	NEXT_IS(syscall, next_syscall);
	futex(FUTEX_WAIT | FUTEX_PRIVATE_FLAG, &span);
	CK_TS(asked, 10, 0);
	futex(FUTEX_WAIT, NULL);
	ck_assert_ptr_null(asked_at);
	futex(FUTEX_WAIT_BITSET, &monotonic);
	is_monotonic();
	futex(FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, &utc);
	is_utc();
	futex(FUTEX_WAIT_REQUEUE_PI, &monotonic);
	is_monotonic();
	futex(FUTEX_WAIT_REQUEUE_PI | FUTEX_CLOCK_REALTIME, &utc);
	is_utc();
	futex(FUTEX_LOCK_PI, &utc);
	is_utc();
	futex(FUTEX_LOCK_PI2, &monotonic);
	is_monotonic();
	futex(FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, &utc);
	is_utc();
}

/* a number where others have a time */
TEST(syscall__futex_with_a_number)
{
	NEXT_IS(syscall, next_syscall);
	futex(FUTEX_REQUEUE, &monotonic);
	ck_assert_ptr_eq(asked_at, &monotonic);
	futex(FUTEX_WAKE, &monotonic);
	ck_assert_ptr_eq(asked_at, &monotonic);
}

TEST(syscall__clock_gettime)
{
	int64_t before = dilate_now_ns(CLOCK_MONOTONIC);
	struct timespec now;

	NEXT_IS(syscall, next_syscall);
	ck_assert_int_eq(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now), 0);
	ck_assert_int_ge(timespec_ns(&now), before);
	ck_assert_int_le(timespec_ns(&now), dilate_now_ns(CLOCK_MONOTONIC));
	ck_assert_int_eq(syscall(SYS_getpid, 1l, 2l, 3l, 4l, 5l, 6l), 42);
	ck_assert_int_eq(asked_words[5], 6);
	next_dilates(1, 1, 1);
	ck_assert_int_eq(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now), 42);
	ck_assert_int_eq(asked_number, SYS_clock_gettime);
	futex(FUTEX_WAIT, &monotonic);
	ck_assert_ptr_eq(asked_at, &monotonic);
}
