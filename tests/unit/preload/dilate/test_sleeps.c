/*  preload/dilate/sleeps: how long the C library sleeps and waits for what a program asks, and what
 *  is left of it after a signal (SC-8). */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <unistd.h>

#include "tests/unit/preload/dilate/ten_times.h"

TEST_GROUP(sleeps, .setup = ten_times);

/* what the C library was called with, and what it answers */
static struct timespec asked, left;
static struct timeval asked_tv;
static bool asked_none;
static clockid_t asked_id;
static int asked_fd, asked_flags, asked_ms, status, error;
static const void *asked_at, *asked_mask;

static int answer(const struct timespec *span)
{
	asked_none = !span;
	if (span)
		asked = *span;
	errno = error;
	return status;
}

static int next_nanosleep(const struct timespec *span, struct timespec *rest)
{
	*rest = left;
	return answer(span);
}

static int next_clock_nanosleep(clockid_t id, int flags, const struct timespec *span,
				struct timespec *rest)
{
	asked_id = id;
	asked_flags = flags;
	if (rest)
		*rest = left;
	asked_at = rest;
	return answer(span);
}

/* ---- sleep ---- */

TEST(nanosleep__ten_times_as_long)
{
	struct timespec span = ts(1, 500000000), rest = ts(8, 8);

	NEXT_IS(nanosleep, next_nanosleep);
	ck_assert_int_eq(nanosleep(&span, &rest), 0);
	CK_TS(asked, 15, 0);
	CK_TS(rest, 8, 8);
	CK_TS(span, 1, 500000000);
}

TEST(nanosleep__a_tenth_is_left)
{
	struct timespec span = ts(1, 0), rest = ts(8, 8);

	NEXT_IS(nanosleep, next_nanosleep);
	status = -1;
	error = EINTR;
	left = ts(5, 0);
	ck_assert_int_eq(nanosleep(&span, &rest), -1);
	ck_assert_int_eq(errno, EINTR);
	CK_TS(rest, 0, 500000000);
	ck_assert_int_eq(nanosleep(&span, NULL), -1);
	rest = ts(8, 8);
	error = EINVAL;
	ck_assert_int_eq(nanosleep(&span, &rest), -1);
	CK_TS(rest, 8, 8);
}

/* the kernel refuses it */
TEST(nanosleep__what_is_wrong)
{
	struct timespec span = ts(1, NS_PER_S);

	ck_assert_int_eq(nanosleep(&span, NULL), -1);
	ck_assert_int_eq(errno, EINVAL);
}

TEST(clock_nanosleep__a_span)
{
	struct timespec span = ts(1, 1), rest = ts(8, 8);

	NEXT_IS(clock_nanosleep, next_clock_nanosleep);
	ck_assert_int_eq(clock_nanosleep(CLOCK_BOOTTIME, 0, &span, &rest), 0);
	CK_TS(asked, 10, 10);
	CK_TS(rest, 8, 8);
	ck_assert_int_eq(asked_id, CLOCK_BOOTTIME);
	ck_assert_int_eq(asked_flags, 0);
	left = ts(2, 0);
	status = EINTR;
	ck_assert_int_eq(clock_nanosleep(CLOCK_BOOTTIME, 0, &span, &rest), EINTR);
	CK_TS(rest, 0, 200000000);
	ck_assert_int_eq(clock_nanosleep(CLOCK_BOOTTIME, 0, &span, NULL), EINTR);
	rest = ts(8, 8);
	status = EINVAL;
	ck_assert_int_eq(clock_nanosleep(CLOCK_BOOTTIME, 0, &span, &rest), EINVAL);
	CK_TS(rest, 8, 8);
}

TEST(clock_nanosleep__a_deadline)
{
	int64_t at_ns = epoch_ns + 3600 * NS_PER_S, began_ns = dilate_machine_ns(CLOCK_MONOTONIC);
	struct timespec until = timespec_of(at_ns), rest = ts(8, 8);

	NEXT_IS(clock_nanosleep, next_clock_nanosleep);
	status = EINTR;
	ck_assert_int_eq(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &rest), EINTR);
	is_deadline(timespec_ns(&asked), at_ns, began_ns);
	ck_assert_int_eq(asked_flags, TIMER_ABSTIME);
	ck_assert_int_eq(asked_id, CLOCK_MONOTONIC);
	CK_TS(rest, 8, 8);
	ck_assert_ptr_null(asked_at);
}

TEST(clock_nanosleep__no_such_clock)
{
	struct timespec until = ts(5, 0);

	ck_assert_int_eq(clock_nanosleep(77, TIMER_ABSTIME, &until, NULL), EINVAL);
}

TEST(thrd_sleep__statuses)
{
	struct timespec span = ts(1, 0), rest;

	NEXT_IS(clock_nanosleep, next_clock_nanosleep);
	ck_assert_int_eq(thrd_sleep(&span, &rest), 0);
	CK_TS(asked, 10, 0);
	ck_assert_int_eq(asked_id, CLOCK_REALTIME);
	status = EINTR;
	left = ts(10, 0);
	ck_assert_int_eq(thrd_sleep(&span, &rest), -1);
	CK_TS(rest, 1, 0);
	status = EINVAL;
	ck_assert_int_eq(thrd_sleep(&span, &rest), -2);
}

TEST(usleep__up_to_an_hour)
{
	NEXT_IS(nanosleep, next_nanosleep);
	ck_assert_int_eq(usleep(7), 0);
	CK_TS(asked, 0, 70000);
	ck_assert_int_eq(usleep(UINT_MAX), 0);
	CK_TS(asked, 42949, 672950000);
	status = -1;
	error = EINTR;
	ck_assert_int_eq(usleep(1), -1);
}

/* what is left is rounded to seconds */
TEST(sleep__what_is_left)
{
	NEXT_IS(nanosleep, next_nanosleep);
	ck_assert_uint_eq(sleep(3), 0);
	CK_TS(asked, 30, 0);
	status = -1;
	error = EINTR;
	left = ts(14, 999999999);
	ck_assert_uint_eq(sleep(3), 1);
	left = ts(15, 0);
	ck_assert_uint_eq(sleep(3), 2);
}

/* ---- descriptors ---- */

static int next_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
		      const sigset_t *mask)
{
	asked_at = fds;
	asked_fd = (int)count;
	asked_mask = mask;
	return answer(span);
}

TEST(poll__and_ppoll)
{
	struct pollfd fds[3];
	struct timespec span = ts(1, 0);
	sigset_t mask;

	NEXT_IS(ppoll, next_ppoll);
	status = 2;
	ck_assert_int_eq(ppoll(fds, 3, &span, &mask), 2);
	CK_TS(asked, 10, 0);
	ck_assert_ptr_eq(asked_at, fds);
	ck_assert_ptr_eq(asked_mask, &mask);
	ck_assert_int_eq(asked_fd, 3);
	ck_assert_int_eq(ppoll(fds, 3, NULL, NULL), 2);
	ck_assert(asked_none);
	ck_assert_int_eq(poll(fds, 2, 150), 2);
	CK_TS(asked, 1, 500000000);
	ck_assert_ptr_null(asked_mask);
	ck_assert_int_eq(poll(fds, 2, 0), 2);
	ck_assert(!asked_none);
	CK_TS(asked, 0, 0);
	ck_assert_int_eq(poll(fds, 2, -1), 2);
	ck_assert(asked_none);
	ck_assert_int_eq(poll(fds, 2, INT_MAX), 2);
	CK_TS(asked, 21474836, 470000000);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *span, const sigset_t *mask,
		size_t bytes);

TEST(poll_chk__as_long_as_it_fits)
{
	struct timespec span = ts(0, 5);
	struct pollfd fds[2];

	NEXT_IS(ppoll, next_ppoll);
	status = 1;
	ck_assert_int_eq(__poll_chk(fds, 2, 100, sizeof(fds)), 1);
	CK_TS(asked, 1, 0);
	ck_assert_int_eq(__ppoll_chk(fds, 2, &span, NULL, sizeof(fds)), 1);
	CK_TS(asked, 0, 50);
}

TEST_SIGNAL(poll_chk__too_many, SIGABRT)
{
	struct pollfd fds[2];

	NEXT_IS(ppoll, next_ppoll);
	__poll_chk(fds, 2, 100, sizeof(fds) - 1);
}

TEST_SIGNAL(ppoll_chk__too_many, SIGABRT)
{
	struct pollfd fds[2];

	NEXT_IS(ppoll, next_ppoll);
	__ppoll_chk(fds, 3, NULL, NULL, sizeof(fds));
}

static int next_pselect(int end, fd_set *reading, fd_set *writing, fd_set *except,
			const struct timespec *span, const sigset_t *mask)
{
	asked_fd = end;
	asked_at = reading;
	asked_mask = mask;
	(void)writing, (void)except;
	return answer(span);
}

TEST(pselect__ten_times_as_long)
{
	struct timespec span = ts(0, 3);
	sigset_t mask;
	fd_set fds;

	NEXT_IS(pselect, next_pselect);
	status = 4;
	ck_assert_int_eq(pselect(9, &fds, NULL, NULL, &span, &mask), 4);
	CK_TS(asked, 0, 30);
	ck_assert_int_eq(asked_fd, 9);
	ck_assert_ptr_eq(asked_at, &fds);
	ck_assert_ptr_eq(asked_mask, &mask);
	ck_assert_int_eq(pselect(9, &fds, NULL, NULL, NULL, &mask), 4);
	ck_assert(asked_none);
}

static int next_select(int end, fd_set *reading, fd_set *writing, fd_set *except,
		       struct timeval *span)
{
	(void)end, (void)reading, (void)writing, (void)except;
	asked_none = !span;
	asked_at = span;
	if (span) {
		asked_tv = *span;
		*span = (struct timeval){ 4, 1 };
	}
	return status;
}

/* the rest of the span, rounded up */
TEST(select__the_rest)
{
	struct timeval span = { 2, 500000 };

	NEXT_IS(select, next_select);
	status = 3;
	ck_assert_int_eq(select(1, NULL, NULL, NULL, &span), 3);
	CK_TV(asked_tv, 25, 0);
	CK_TV(span, 0, 400001);
	ck_assert_int_eq(select(1, NULL, NULL, NULL, NULL), 3);
	ck_assert(asked_none);
	span = (struct timeval){ 0, 1000000 }; /* wrong: as it is */
	select(1, NULL, NULL, NULL, &span);
	ck_assert_ptr_eq(asked_at, &span);
	CK_TV(asked_tv, 0, 1000000);
	CK_TV(span, 4, 1);
	next_dilates(1, 1, 1);
	span = (struct timeval){ 2, 0 };
	select(1, NULL, NULL, NULL, &span);
	ck_assert_ptr_eq(asked_at, &span);
	CK_TV(span, 4, 1);
}

static int next_epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
	asked_fd = fd;
	asked_at = events;
	asked_flags = max;
	asked_ms = timeout_ms;
	return status;
}

static int next_epoll_pwait(int fd, struct epoll_event *events, int max, int timeout_ms,
			    const sigset_t *mask)
{
	asked_mask = mask;
	return next_epoll_wait(fd, events, max, timeout_ms);
}

TEST(epoll_wait__ten_times_as_long)
{
	struct epoll_event events[2];
	sigset_t mask;

	NEXT_IS(epoll_wait, next_epoll_wait);
	NEXT_IS(epoll_pwait, next_epoll_pwait);
	status = 1;
	ck_assert_int_eq(epoll_wait(5, events, 2, 30), 1);
	ck_assert_int_eq(asked_ms, 300);
	ck_assert_int_eq(asked_fd, 5);
	ck_assert_int_eq(asked_flags, 2);
	ck_assert_ptr_eq(asked_at, events);
	epoll_wait(5, events, 2, 0);
	ck_assert_int_eq(asked_ms, 0);
	epoll_wait(5, events, 2, -1);
	ck_assert_int_eq(asked_ms, -1);
	epoll_wait(5, events, 2, INT_MAX / 10);
	ck_assert_int_eq(asked_ms, INT_MAX / 10 * 10);
	epoll_wait(5, events, 2, INT_MAX / 10 + 1);
	ck_assert_int_eq(asked_ms, INT_MAX);
	ck_assert_int_eq(epoll_pwait(6, events, 1, 20, &mask), 1);
	ck_assert_int_eq(asked_ms, 200);
	ck_assert_int_eq(asked_fd, 6);
	ck_assert_ptr_eq(asked_mask, &mask);
}

static int next_epoll_pwait2(int fd, struct epoll_event *events, int max,
			     const struct timespec *span, const sigset_t *mask)
{
	next_epoll_pwait(fd, events, max, 0, mask);
	return answer(span);
}

TEST(epoll_pwait2__ten_times_as_long)
{
	struct timespec span = ts(0, 7);
	struct epoll_event event;

	NEXT_IS(epoll_pwait2, next_epoll_pwait2);
	status = 1;
	ck_assert_int_eq(epoll_pwait2(6, &event, 1, &span, NULL), 1);
	CK_TS(asked, 0, 70);
	ck_assert_int_eq(asked_fd, 6);
	epoll_pwait2(6, &event, 1, NULL, NULL);
	ck_assert(asked_none);
}

/* ---- signals ---- */

static int next_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *span)
{
	asked_mask = set;
	asked_at = info;
	return answer(span);
}

TEST(sigtimedwait__ten_times_as_long)
{
	struct timespec span = ts(0, 7);
	siginfo_t info;
	sigset_t set;

	NEXT_IS(sigtimedwait, next_sigtimedwait);
	status = SIGUSR1;
	ck_assert_int_eq(sigtimedwait(&set, &info, &span), SIGUSR1);
	CK_TS(asked, 0, 70);
	ck_assert_ptr_eq(asked_mask, &set);
	ck_assert_ptr_eq(asked_at, &info);
	sigtimedwait(&set, &info, NULL);
	ck_assert(asked_none);
}
