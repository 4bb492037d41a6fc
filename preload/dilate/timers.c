/*  timers - timers of a process, in signals and in descriptors: setitimer(2), timer_settime(2),
 *  timerfd_settime(2), alarm(2). */
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "preload/dilate/dilate.h"

/* ---- setitimer ---- */

static bool itimerval_fine(const struct itimerval *timer)
{
	return timeval_fine(&timer->it_interval) && timeval_fine(&timer->it_value);
}

static void itimerval_shorten(struct itimerval *timer)
{
	timer->it_interval = timeval_of(dilate_shorter(timeval_ns(&timer->it_interval)));
	timer->it_value = timeval_of(dilate_shorter(timeval_ns(&timer->it_value)));
}

int setitimer(__itimer_which_t which, const struct itimerval *timer, struct itimerval *old)
{
	struct itimerval machine;
	int status;

	if (!timer || dilate_get()->times == 1 || !itimerval_fine(timer)) {
		status = NEXT(setitimer)(which, timer, old);
	} else {
		machine = (struct itimerval){
			timeval_of(dilate_longer(timeval_ns(&timer->it_interval))),
			timeval_of(dilate_longer(timeval_ns(&timer->it_value))),
		};
		status = NEXT(setitimer)(which, &machine, old);
	}
	if (!status && old && dilate_get()->times != 1)
		itimerval_shorten(old);
	return status;
}

int getitimer(__itimer_which_t which, struct itimerval *timer)
{
	int status = NEXT(getitimer)(which, timer);

	if (!status && dilate_get()->times != 1)
		itimerval_shorten(timer);
	return status;
}

unsigned alarm(unsigned seconds)
{
	struct itimerval timer = { .it_value.tv_sec = seconds }, old;

	if (setitimer(ITIMER_REAL, &timer, &old))
		return 0;
	/* as Linux does: rounded, but not to 0 */
	return (unsigned)old.it_value.tv_sec +
	       (old.it_value.tv_usec >= 500000 || (!old.it_value.tv_sec && old.it_value.tv_usec));
}

/* ---- timers with clocks ---- */

/* @timer as the machine's; NULL as it is */
static const struct itimerspec *machine_timer(const struct itimerspec *timer, bool absolute,
					      struct itimerspec *machine)
{
	int64_t value_ns;

	if (!timer || dilate_get()->times == 1 || !timespec_fine(&timer->it_interval) ||
	    !timespec_fine(&timer->it_value))
		return timer;
	value_ns = timespec_ns(&timer->it_value);
	/* 0 disarms it */
	if (absolute && value_ns)
		value_ns = dilate_deadline_ns(dilate_clock_of(value_ns), value_ns);
	else
		value_ns = dilate_longer(value_ns);
	*machine = (struct itimerspec){
		timespec_of(dilate_longer(timespec_ns(&timer->it_interval))),
		timespec_of(value_ns),
	};
	return machine;
}

static void timer_shorten(struct itimerspec *timer)
{
	timer->it_interval = timespec_of(dilate_shorter(timespec_ns(&timer->it_interval)));
	timer->it_value = timespec_of(dilate_shorter(timespec_ns(&timer->it_value)));
}

int timer_settime(timer_t id, int flags, const struct itimerspec *timer, struct itimerspec *old)
{
	struct itimerspec machine;
	int status = NEXT(timer_settime)(
		id, flags, machine_timer(timer, flags & TIMER_ABSTIME, &machine), old);

	if (!status && old)
		timer_shorten(old);
	return status;
}

int timer_gettime(timer_t id, struct itimerspec *timer)
{
	int status = NEXT(timer_gettime)(id, timer);

	if (!status)
		timer_shorten(timer);
	return status;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *timer, struct itimerspec *old)
{
	struct itimerspec machine;
	int status = NEXT(timerfd_settime)(
		fd, flags, machine_timer(timer, flags & TFD_TIMER_ABSTIME, &machine), old);

	if (!status && old)
		timer_shorten(old);
	return status;
}

int timerfd_gettime(int fd, struct itimerspec *timer)
{
	int status = NEXT(timerfd_gettime)(fd, timer);

	if (!status)
		timer_shorten(timer);
	return status;
}
