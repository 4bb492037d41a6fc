/*  preload/dilate/timers: the timers that a program sets run for as many times longer, and what it
 *  reads of them is time of the fabric (SC-8). */
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/preload/dilate/ten_times.h"

TEST_GROUP(timers, .setup = ten_times);

static struct itimerval asked, old_value;
static const struct itimerval *asked_at;
static struct itimerspec asked_spec, old_spec;
static const struct itimerspec *asked_spec_at;
static int asked_flags, asked_fd, status;
static timer_t asked_id;

/* ---- setitimer ---- */

static int next_setitimer(int which, const struct itimerval *timer, struct itimerval *old)
{
	asked_fd = which;
	asked_at = timer;
	if (timer)
		asked = *timer;
	if (old)
		*old = old_value;
	return status;
}

static int next_getitimer(int which, struct itimerval *timer)
{
	asked_fd = which;
	*timer = old_value;
	return status;
}

TEST(setitimer__ten_times_as_long)
{
	struct itimerval timer = { { 1, 500000 }, { 0, 7 } }, old;

	NEXT_IS(setitimer, next_setitimer);
	old_value = (struct itimerval){ { 20, 0 }, { 0, 15 } };
	ck_assert_int_eq(setitimer(ITIMER_VIRTUAL, &timer, &old), 0);
	ck_assert_int_eq(asked_fd, ITIMER_VIRTUAL);
	CK_TV(asked.it_interval, 15, 0);
	CK_TV(asked.it_value, 0, 70);
	CK_TV(old.it_interval, 2, 0);
	CK_TV(old.it_value, 0, 2);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
	status = -1;
	ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, &old), -1);
	CK_TV(old.it_interval, 20, 0);
}

TEST(setitimer__what_is_passed_on)
{
	struct itimerval interval = { { -1, 0 }, { 0, 7 } }, value = { { 0, 7 }, { 0, 1000000 } };
	struct itimerval fine = { { 1, 0 }, { 1, 0 } }, old;

	NEXT_IS(setitimer, next_setitimer);
	old_value = (struct itimerval){ { 20, 0 }, { 0, 15 } };
	setitimer(ITIMER_REAL, &interval, &old);
	ck_assert_ptr_eq(asked_at, &interval);
	CK_TV(old.it_interval, 2, 0);
	setitimer(ITIMER_REAL, &value, NULL);
	ck_assert_ptr_eq(asked_at, &value);
	setitimer(ITIMER_REAL, NULL, NULL);
	ck_assert_ptr_null(asked_at);
	next_dilates(1, 1, 1);
	setitimer(ITIMER_REAL, &fine, &old);
	ck_assert_ptr_eq(asked_at, &fine);
	CK_TV(old.it_interval, 20, 0);
	CK_TV(old.it_value, 0, 15);
}

TEST(getitimer__a_tenth)
{
	struct itimerval timer;

	NEXT_IS(getitimer, next_getitimer);
	old_value = (struct itimerval){ { 20, 0 }, { 0, 15 } };
	ck_assert_int_eq(getitimer(ITIMER_PROF, &timer), 0);
	ck_assert_int_eq(asked_fd, ITIMER_PROF);
	CK_TV(timer.it_interval, 2, 0);
	CK_TV(timer.it_value, 0, 2);
	status = -1;
	ck_assert_int_eq(getitimer(ITIMER_PROF, &timer), -1);
	CK_TV(timer.it_interval, 20, 0);
	status = 0;
	next_dilates(1, 1, 1);
	ck_assert_int_eq(getitimer(ITIMER_PROF, &timer), 0);
	CK_TV(timer.it_interval, 20, 0);
}

/* what is left of the alarm before: rounded, and not to 0 */
TEST(alarm__what_is_left)
{
	static const struct {
		struct timeval left;
		unsigned seconds;
	} rows[] = { { { 0, 0 }, 0 },       { { 0, 1 }, 1 },  { { 4, 0 }, 1 },
		     { { 5, 0 }, 1 },       { { 10, 0 }, 1 }, { { 14, 999990 }, 1 },
		     { { 14, 999991 }, 2 }, { { 15, 0 }, 2 }, { { 30, 0 }, 3 } };

	NEXT_IS(setitimer, next_setitimer);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		old_value = (struct itimerval){ .it_value = rows[i].left };
		ck_assert_uint_eq(alarm(6), rows[i].seconds);
		ck_assert_int_eq(asked_fd, ITIMER_REAL);
		CK_TV(asked.it_value, 60, 0);
		CK_TV(asked.it_interval, 0, 0);
	}
	status = -1;
	ck_assert_uint_eq(alarm(6), 0);
}

/* ---- timers with clocks ---- */

static int spec_set(int flags, const struct itimerspec *timer, struct itimerspec *old)
{
	asked_flags = flags;
	asked_spec_at = timer;
	if (timer)
		asked_spec = *timer;
	if (old)
		*old = old_spec;
	return status;
}

static int next_timer_settime(timer_t id, int flags, const struct itimerspec *timer,
			      struct itimerspec *old)
{
	asked_id = id;
	return spec_set(flags, timer, old);
}

static int next_timerfd_settime(int fd, int flags, const struct itimerspec *timer,
				struct itimerspec *old)
{
	asked_fd = fd;
	return spec_set(flags, timer, old);
}

static int next_timer_gettime(timer_t id, struct itimerspec *timer)
{
	asked_id = id;
	*timer = old_spec;
	return status;
}

static int next_timerfd_gettime(int fd, struct itimerspec *timer)
{
	asked_fd = fd;
	*timer = old_spec;
	return status;
}

static timer_t some_timer(void)
{
	return (timer_t)&asked_id;
}

/* one of the two functions, which do the same */
static int set(int which, int flags, const struct itimerspec *timer, struct itimerspec *old)
{
	int result = which ? timerfd_settime(7, flags, timer, old)
			   : timer_settime(some_timer(), flags, timer, old);

	if (which)
		ck_assert_int_eq(asked_fd, 7);
	else
		ck_assert_ptr_eq(asked_id, some_timer());
	return result;
}

static void timers_replace(void)
{
	NEXT_IS(timer_settime, next_timer_settime);
	NEXT_IS(timerfd_settime, next_timerfd_settime);
	NEXT_IS(timer_gettime, next_timer_gettime);
	NEXT_IS(timerfd_gettime, next_timerfd_gettime);
	old_spec = (struct itimerspec){ ts(20, 0), ts(0, 15) };
}

TEST_RANGE(timer_settime__a_span, 0, 2)
{
	struct itimerspec timer = { ts(1, 500000000), ts(0, 7) }, old;

	timers_replace();
	ck_assert_int_eq(set(_i, 0, &timer, &old), 0);
	ck_assert_int_eq(asked_flags, 0);
	CK_TS(asked_spec.it_interval, 15, 0);
	CK_TS(asked_spec.it_value, 0, 70);
	CK_TS(old.it_interval, 2, 0);
	CK_TS(old.it_value, 0, 1);
	ck_assert_int_eq(set(_i, 0, &timer, NULL), 0);
	status = -1;
	ck_assert_int_eq(set(_i, 0, &timer, &old), -1);
	CK_TS(old.it_interval, 20, 0);
}

/* of the clock that it must be of; the interval stays a span */
TEST_RANGE(timer_settime__a_deadline, 0, 2)
{
	int64_t at_ns = epoch_ns + 3600 * NS_PER_S, began_ns = dilate_machine_ns(CLOCK_MONOTONIC);
	struct itimerspec timer = { ts(1, 0), timespec_of(at_ns) };
	int64_t utc_ns;

	timers_replace();
	ck_assert_int_eq(set(_i, _i ? TFD_TIMER_ABSTIME : TIMER_ABSTIME, &timer, NULL), 0);
	is_deadline(timespec_ns(&asked_spec.it_value), at_ns, began_ns);
	CK_TS(asked_spec.it_interval, 10, 0);
	ck_assert_int_eq(asked_flags, 1);
	timer.it_value = timespec_of(UTC_NS + 3600 * NS_PER_S);
	utc_ns = dilate_machine_ns(CLOCK_REALTIME) + 35900 * NS_PER_S;
	set(_i, 1, &timer, NULL); /* in 3595 s of the fabric */
	ck_assert_int_ge(timespec_ns(&asked_spec.it_value), utc_ns);
}

/* time 0 disarms it, also as a deadline */
TEST_RANGE(timer_settime__disarms, 0, 2)
{
	struct itimerspec timer = { ts(1, 0), ts(0, 0) };

	timers_replace();
	set(_i, 1, &timer, NULL);
	CK_TS(asked_spec.it_value, 0, 0);
	set(_i, 0, &timer, NULL);
	CK_TS(asked_spec.it_value, 0, 0);
	CK_TS(asked_spec.it_interval, 10, 0);
}

TEST_RANGE(timer_settime__what_is_passed_on, 0, 2)
{
	struct itimerspec interval = { ts(0, -1), ts(1, 0) }, value = { ts(1, 0), ts(0, NS_PER_S) };
	struct itimerspec fine = { ts(1, 0), ts(1, 0) }, old;

	timers_replace();
	set(_i, 0, &interval, NULL);
	ck_assert_ptr_eq(asked_spec_at, &interval);
	set(_i, 1, &value, NULL);
	ck_assert_ptr_eq(asked_spec_at, &value);
	set(_i, 0, NULL, NULL);
	ck_assert_ptr_null(asked_spec_at);
	next_dilates(1, 1, 1);
	set(_i, 0, &fine, &old);
	ck_assert_ptr_eq(asked_spec_at, &fine);
	CK_TS(old.it_interval, 20, 0);
}

TEST(timer_gettime__a_tenth)
{
	struct itimerspec timer;

	timers_replace();
	ck_assert_int_eq(timer_gettime(some_timer(), &timer), 0);
	CK_TS(timer.it_interval, 2, 0);
	CK_TS(timer.it_value, 0, 1);
	ck_assert_int_eq(timerfd_gettime(7, &timer), 0);
	ck_assert_int_eq(asked_fd, 7);
	CK_TS(timer.it_interval, 2, 0);
	status = -1;
	ck_assert_int_eq(timer_gettime(some_timer(), &timer), -1);
	CK_TS(timer.it_interval, 20, 0);
	ck_assert_int_eq(timerfd_gettime(7, &timer), -1);
	CK_TS(timer.it_interval, 20, 0);
}
