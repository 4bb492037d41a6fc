/*  clocks - what time it is, and how much CPU time was used: clock_gettime(2) and its relatives. */
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/dilate/dilate.h"

int clock_gettime(clockid_t id, struct timespec *time)
{
	int64_t now_ns;

	if (dilate_get()->times == 1)
		return NEXT(clock_gettime)(id, time);
	now_ns = dilate_now_ns(id);
	if (now_ns == INT64_MIN)
		return -1;
	*time = timespec_of(now_ns);
	return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	int64_t us;

	if (dilate_get()->times == 1 || zone) /* the zone is the machine's */
		NEXT(gettimeofday)(time, zone);
	if (dilate_get()->times == 1)
		return 0;
	us = dilate_now_ns(CLOCK_REALTIME) / NS_PER_US;
	*time = (struct timeval){ .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
	return 0;
}

time_t time(time_t *time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (time)
		*time = now.tv_sec;
	return now.tv_sec;
}

int timespec_get(struct timespec *time, int base)
{
	return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, time) ? base : 0;
}

/* ---- CPU time ---- */

clock_t clock(void)
{
	clock_t used = NEXT(clock)();

	return used == (clock_t)-1 ? used : used / dilate_get()->times;
}

clock_t times(struct tms *used)
{
	const int64_t by = dilate_get()->times;
	clock_t now = NEXT(times)(used);

	if (now == (clock_t)-1 || by == 1)
		return now;
	if (used)
		*used = (struct tms){ used->tms_utime / by, used->tms_stime / by,
				      used->tms_cutime / by, used->tms_cstime / by };
	return dilate_now_ns(CLOCK_MONOTONIC) / (NS_PER_S / sysconf(_SC_CLK_TCK));
}

static void usage_shorten(struct rusage *usage)
{
	if (!usage || dilate_get()->times == 1)
		return;
	usage->ru_utime = timeval_of(dilate_shorter(timeval_ns(&usage->ru_utime)));
	usage->ru_stime = timeval_of(dilate_shorter(timeval_ns(&usage->ru_stime)));
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	int status = NEXT(getrusage)(who, usage);

	if (!status)
		usage_shorten(usage);
	return status;
}

pid_t wait3(int *state, int options, struct rusage *usage)
{
	return wait4(-1, state, options, usage);
}

pid_t wait4(pid_t pid, int *state, int options, struct rusage *usage)
{
	pid_t ended = NEXT(wait4)(pid, state, options, usage);

	if (ended > 0)
		usage_shorten(usage);
	return ended;
}
