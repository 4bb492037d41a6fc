/*  preload/dilate/clocks: what a program is told of time and of CPU time (SC-8). */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/preload/dilate/ten_times.h"

TEST_GROUP(clocks, .setup = ten_times);

static clockid_t asked;

static int next_clock_gettime(clockid_t id, struct timespec *time)
{
	asked = id;
	*time = ts(3, 4);
	return -1;
}

TEST(clock_gettime__is_the_next_one_without_dilation)
{
	struct timespec time;

	next_dilates(1, 1, 1);
	NEXT_IS(clock_gettime, next_clock_gettime);
	ck_assert_int_eq(clock_gettime(CLOCK_BOOTTIME, &time), -1);
	next_is_real();
	ck_assert_int_eq(asked, CLOCK_BOOTTIME);
	CK_TS(time, 3, 4);
}

TEST(clock_gettime__no_such_clock)
{
	struct timespec time = ts(1, 2);

	errno = 0;
	ck_assert_int_eq(clock_gettime(77, &time), -1);
	ck_assert_int_eq(errno, EINVAL);
	CK_TS(time, 1, 2);
}

TEST(clock_gettime__of_the_fabric)
{
	shows(CLOCK_MONOTONIC, 0);
	shows(CLOCK_REALTIME, UTC_NS - epoch_ns);
}

static struct timezone *asked_zone;

static int next_gettimeofday(struct timeval *time, void *zone)
{
	asked_zone = zone;
	*time = (struct timeval){ 5, 6 };
	*(struct timezone *)zone = (struct timezone){ 7, 8 };
	return 0;
}

/* the zone is the machine's, the time is not */
TEST(gettimeofday__with_a_zone)
{
	struct timezone zone;
	struct timeval time;
	int64_t before, after;

	NEXT_IS(gettimeofday, next_gettimeofday);
	before = dilate_now_ns(CLOCK_REALTIME) / 1000;
	ck_assert_int_eq(gettimeofday(&time, &zone), 0);
	after = dilate_now_ns(CLOCK_REALTIME) / 1000;
	ck_assert_int_eq(zone.tz_minuteswest, 7);
	ck_assert_int_ge(time.tv_sec * 1000000ll + time.tv_usec, before);
	ck_assert_int_le(time.tv_sec * 1000000ll + time.tv_usec, after);
	ck_assert_int_lt(time.tv_usec, 1000000);
}

TEST(gettimeofday__without_zone)
{
	struct timeval time;

	NEXT_IS(gettimeofday, abort); /* it is not asked */
	ck_assert_int_eq(gettimeofday(&time, NULL), 0);
	ck_assert_int_ge(time.tv_sec, UTC_NS / NS_PER_S + 5);
}

TEST(gettimeofday__without_dilation)
{
	struct timezone zone;
	struct timeval time;

	next_dilates(1, 1, 1);
	NEXT_IS(gettimeofday, next_gettimeofday);
	ck_assert_int_eq(gettimeofday(&time, &zone), 0);
	CK_TV(time, 5, 6);
	ck_assert_ptr_eq(asked_zone, &zone);
}

TEST(time__in_seconds)
{
	time_t before = dilate_now_ns(CLOCK_REALTIME) / NS_PER_S, written = 0;
	time_t now = time(&written);

	ck_assert_int_ge(now, before);
	ck_assert_int_le(now, dilate_now_ns(CLOCK_REALTIME) / NS_PER_S);
	ck_assert_int_eq(written, now);
	ck_assert_int_ge(time(NULL), now);
}

TEST(timespec_get__of_utc_only)
{
	struct timespec time = ts(0, 0);

	ck_assert_int_eq(timespec_get(&time, TIME_UTC), TIME_UTC);
	ck_assert_int_ge(time.tv_sec, UTC_NS / NS_PER_S + 5);
	ck_assert_int_eq(timespec_get(&time, TIME_UTC + 1), 0);
	next_dilates(1, 1, 1);
	NEXT_IS(clock_gettime, next_clock_gettime); /* which fails */
	ck_assert_int_eq(timespec_get(&time, TIME_UTC), 0);
	next_is_real();
}

/* ---- CPU time ---- */

static clock_t clocks;

static clock_t next_clock(void)
{
	return clocks;
}

TEST(clock__a_tenth)
{
	NEXT_IS(clock, next_clock);
	clocks = 12345;
	ck_assert_int_eq(clock(), 1234);
	clocks = -1;
	ck_assert_int_eq(clock(), -1);
}

static clock_t next_times(struct tms *used)
{
	if (used)
		*used = (struct tms){ 100, 200, 300, 400 };
	return clocks;
}

TEST(times__a_tenth)
{
	long per_tick_ns = NS_PER_S / sysconf(_SC_CLK_TCK);
	int64_t before = dilate_now_ns(CLOCK_MONOTONIC) / per_tick_ns;
	struct tms used;
	clock_t now;

	NEXT_IS(times, next_times);
	clocks = 5;
	now = times(&used);
	ck_assert_int_ge(now, before);
	ck_assert_int_le(now, dilate_now_ns(CLOCK_MONOTONIC) / per_tick_ns);
	ck_assert_int_eq(used.tms_utime, 10);
	ck_assert_int_eq(used.tms_stime, 20);
	ck_assert_int_eq(used.tms_cutime, 30);
	ck_assert_int_eq(used.tms_cstime, 40);
	ck_assert_int_ge(times(NULL), before);
}

TEST(times__errors_and_no_dilation)
{
	struct tms used;

	NEXT_IS(times, next_times);
	clocks = -1;
	ck_assert_int_eq(times(&used), -1);
	ck_assert_int_eq(used.tms_utime, 100);
	next_dilates(1, 1, 1);
	clocks = 5;
	ck_assert_int_eq(times(&used), 5);
	ck_assert_int_eq(used.tms_cstime, 400);
}

static int status;
static pid_t asked_pid;
static int asked_options;

static int next_getrusage(int who, struct rusage *usage)
{
	(void)who;
	usage->ru_utime = (struct timeval){ 20, 0 };
	usage->ru_stime = (struct timeval){ 0, 5 };
	usage->ru_maxrss = 17;
	return status;
}

TEST(getrusage__a_tenth)
{
	struct rusage usage;

	NEXT_IS(getrusage, next_getrusage);
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	CK_TV(usage.ru_utime, 2, 0);
	CK_TV(usage.ru_stime, 0, 1); /* rounded up */
	ck_assert_int_eq(usage.ru_maxrss, 17);
	status = -1;
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), -1);
	CK_TV(usage.ru_utime, 20, 0);
	status = 0;
	next_dilates(1, 1, 1);
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	CK_TV(usage.ru_utime, 20, 0);
	CK_TV(usage.ru_stime, 0, 5);
}

static pid_t next_wait4(pid_t pid, int *state, int options, struct rusage *usage)
{
	asked_pid = pid;
	asked_options = options;
	*state = 3;
	if (usage)
		next_getrusage(0, usage);
	return status;
}

TEST(wait4__a_tenth)
{
	struct rusage usage;
	int state = 0;

	NEXT_IS(wait4, next_wait4);
	status = 77;
	ck_assert_int_eq(wait4(55, &state, WNOHANG, &usage), 77);
	ck_assert_int_eq(state, 3);
	ck_assert_int_eq(asked_pid, 55);
	ck_assert_int_eq(asked_options, WNOHANG);
	CK_TV(usage.ru_utime, 2, 0);
	ck_assert_int_eq(wait3(&state, WUNTRACED, &usage), 77);
	ck_assert_int_eq(asked_pid, -1);
	ck_assert_int_eq(asked_options, WUNTRACED);
	CK_TV(usage.ru_utime, 2, 0);
	ck_assert_int_eq(wait4(55, &state, 0, NULL), 77);
	status = 0; /* there is none: nothing was filled */
	ck_assert_int_eq(wait4(55, &state, WNOHANG, &usage), 0);
	CK_TV(usage.ru_utime, 20, 0);
}
