/*  sleeps - sleeping, and waiting for descriptors and signals: nanosleep(2), poll(2), select(2),
 *  epoll_wait(2), sigtimedwait(2). */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/dilate/dilate.h"

/* ---- sleep ---- */

int nanosleep(const struct timespec *span, struct timespec *left)
{
	struct timespec machine, machine_left;
	int status = NEXT(nanosleep)(dilate_span(span, &machine), &machine_left);

	if (status && errno == EINTR && left)
		*left = timespec_of(dilate_shorter(timespec_ns(&machine_left)));
	return status;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *span, struct timespec *left)
{
	struct timespec machine, machine_left;
	int error;

	if (flags & TIMER_ABSTIME)
		return NEXT(clock_nanosleep)(id, flags, dilate_until(id, span, &machine), NULL);
	error = NEXT(clock_nanosleep)(id, flags, dilate_span(span, &machine), &machine_left);
	if (error == EINTR && left)
		*left = timespec_of(dilate_shorter(timespec_ns(&machine_left)));
	return error;
}

int thrd_sleep(const struct timespec *span, struct timespec *left)
{
	int error = clock_nanosleep(CLOCK_REALTIME, 0, span, left);

	return !error ? 0 : error == EINTR ? -1 : -2;
}

int usleep(useconds_t us)
{
	struct timespec span = timespec_of(us * NS_PER_US);

	return nanosleep(&span, NULL);
}

unsigned sleep(unsigned seconds)
{
	struct timespec span = { .tv_sec = seconds }, left;

	return nanosleep(&span, &left) ? (unsigned)left.tv_sec + (left.tv_nsec >= NS_PER_S / 2) : 0;
}

/* ---- descriptors ---- */

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span, const sigset_t *mask)
{
	struct timespec machine;

	return NEXT(ppoll)(fds, count, dilate_span(span, &machine), mask);
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec span = timespec_of(timeout_ms * NS_PER_MS);

	return ppoll(fds, count, timeout_ms < 0 ? NULL : &span, NULL);
}

/* what programs call that were built with _FORTIFY_SOURCE */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *span, const sigset_t *mask,
		size_t bytes);

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t bytes)
{
	if (bytes / sizeof(*fds) < count)
		abort();
	return poll(fds, count, timeout_ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *span, const sigset_t *mask,
		size_t bytes)
{
	if (bytes / sizeof(*fds) < count)
		abort();
	return ppoll(fds, count, span, mask);
}

int pselect(int end, fd_set *reading, fd_set *writing, fd_set *except, const struct timespec *span,
	    const sigset_t *mask)
{
	struct timespec machine;

	return NEXT(pselect)(end, reading, writing, except, dilate_span(span, &machine), mask);
}

/* Linux writes the rest of @span into it */
int select(int end, fd_set *reading, fd_set *writing, fd_set *except, struct timeval *span)
{
	struct timeval machine;
	int status;

	if (!span || !timeval_fine(span) || dilate_get()->times == 1)
		return NEXT(select)(end, reading, writing, except, span);
	machine = timeval_of(dilate_longer(timeval_ns(span)));
	status = NEXT(select)(end, reading, writing, except, &machine);
	*span = timeval_of(dilate_shorter(timeval_ns(&machine)));
	return status;
}

static int longer_ms(int timeout_ms)
{
	int64_t longer = dilate_longer(timeout_ms);

	return timeout_ms < 0 ? timeout_ms : longer > INT_MAX ? INT_MAX : (int)longer;
}

int epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
	return NEXT(epoll_wait)(fd, events, max, longer_ms(timeout_ms));
}

int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout_ms, const sigset_t *mask)
{
	return NEXT(epoll_pwait)(fd, events, max, longer_ms(timeout_ms), mask);
}

int epoll_pwait2(int fd, struct epoll_event *events, int max, const struct timespec *span,
		 const sigset_t *mask)
{
	struct timespec machine;

	return NEXT(epoll_pwait2)(fd, events, max, dilate_span(span, &machine), mask);
}

/* ---- signals ---- */

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *span)
{
	struct timespec machine;

	return NEXT(sigtimedwait)(set, info, dilate_span(span, &machine));
}
