/*  dilated_times - how long sleeps and time-outs of the C library take: by the machine's clock,
 *  which is asked by a system call of its own, and by the program's.
 *  usage: dilated_times MILLISECONDS
 *  Prints a line for each: name, milliseconds of the machine, of the program. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long long span_ns; /* of each */

static long long ns_of(struct timespec time)
{
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static struct timespec time_of(long long ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

/* not by a function that can be replaced */
static long long machine_ns(void)
{
	struct timespec now;
#ifdef __x86_64__
	long result = SYS_clock_gettime;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"((long)CLOCK_MONOTONIC), "S"(&now)
			 : "rcx", "r11", "memory");
#else
	register long number __asm__("x8") = SYS_clock_gettime;
	register long id __asm__("x0") = CLOCK_MONOTONIC;
	register void *at __asm__("x1") = &now;

	__asm__ volatile("svc 0" : "+r"(id) : "r"(number), "r"(at) : "memory");
#endif
	return ns_of(now);
}

static long long now_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return ns_of(now);
}

/* ---- each waits for span_ns ---- */

static void by_nanosleep(void)
{
	struct timespec span = time_of(span_ns);

	nanosleep(&span, NULL);
}

static void by_usleep(void)
{
	usleep((useconds_t)(span_ns / 1000));
}

static void by_clock_nanosleep(void)
{
	struct timespec until = time_of(now_ns(CLOCK_MONOTONIC) + span_ns);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void by_poll(void)
{
	poll(NULL, 0, (int)(span_ns / 1000000));
}

static void by_select(void)
{
	struct timeval span = { .tv_usec = span_ns / 1000 };

	select(0, NULL, NULL, NULL, &span);
}

static void by_pselect(void)
{
	struct timespec span = time_of(span_ns);

	pselect(0, NULL, NULL, NULL, &span, NULL);
}

static void by_epoll_wait(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	epoll_wait(fd, &event, 1, (int)(span_ns / 1000000));
	close(fd);
}

static void by_condition_of(clockid_t id)
{
	struct timespec until = time_of(now_ns(id) + span_ns);
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_condattr_t attributes;
	pthread_cond_t condition;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, id);
	pthread_cond_init(&condition, &attributes);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
}

static void by_condition(void)
{
	by_condition_of(CLOCK_REALTIME);
}

static void by_monotonic_condition(void)
{
	by_condition_of(CLOCK_MONOTONIC);
}

static void by_sem_timedwait(void)
{
	struct timespec until = time_of(now_ns(CLOCK_REALTIME) + span_ns);
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	sem_timedwait(&semaphore, &until);
}

static void by_futex(void)
{
	struct timespec until = time_of(now_ns(CLOCK_MONOTONIC) + span_ns);
	uint32_t word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void by_timerfd_at(int flags, long long ns)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec timer = { .it_value = time_of(ns) };
	uint64_t count;

	timerfd_settime(fd, flags, &timer, NULL);
	(void)!read(fd, &count, sizeof(count));
	close(fd);
}

static void by_timerfd(void)
{
	by_timerfd_at(0, span_ns);
}

static void by_absolute_timerfd(void)
{
	by_timerfd_at(TFD_TIMER_ABSTIME, now_ns(CLOCK_MONOTONIC) + span_ns);
}

static void ignore(int number)
{
	(void)number;
}

static void signal_await(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigwait(&set, &number);
}

static void by_setitimer(void)
{
	struct itimerval timer = { .it_value.tv_usec = span_ns / 1000 };

	setitimer(ITIMER_REAL, &timer, NULL);
	signal_await();
}

static void by_timer_settime(void)
{
	struct itimerspec timer = { .it_value = time_of(span_ns) };
	timer_t id;

	timer_create(CLOCK_MONOTONIC, NULL, &id);
	timer_settime(id, 0, &timer, NULL);
	signal_await();
	timer_delete(id);
}

static void by_receive(void)
{
	struct timeval span = { .tv_usec = span_ns / 1000 };
	int pair[2];
	char byte;

	(void)!socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span));
	(void)!recv(pair[0], &byte, 1, 0);
	close(pair[0]);
	close(pair[1]);
}

static const struct {
	const char *name;
	void (*wait)(void);
} waits[] = {
	{ "nanosleep", by_nanosleep },
	{ "usleep", by_usleep },
	{ "clock_nanosleep", by_clock_nanosleep },
	{ "poll", by_poll },
	{ "select", by_select },
	{ "pselect", by_pselect },
	{ "epoll_wait", by_epoll_wait },
	{ "pthread_cond_timedwait", by_condition },
	{ "pthread_cond_timedwait, monotonic", by_monotonic_condition },
	{ "sem_timedwait", by_sem_timedwait },
	{ "futex", by_futex },
	{ "timerfd_settime", by_timerfd },
	{ "timerfd_settime, absolute", by_absolute_timerfd },
	{ "setitimer", by_setitimer },
	{ "timer_settime", by_timer_settime },
	{ "SO_RCVTIMEO", by_receive },
};

int main(int argc, char **argv)
{
	sigset_t alarms;

	span_ns = argc > 1 ? strtoll(argv[1], NULL, 10) * 1000000 : 0;
	signal(SIGALRM, ignore);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarms, NULL);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		long long machine = machine_ns(), own = now_ns(CLOCK_MONOTONIC);

		waits[i].wait();
		own = now_ns(CLOCK_MONOTONIC) - own;
		machine = machine_ns() - machine;
		printf("%s\t%.3f\t%.3f\n", waits[i].name, (double)machine / 1e6, (double)own / 1e6);
	}
	return 0;
}
