/*  nodes/clock/event_loop: both loops (io_uring and its fallback) sleep and wake alike, and a
 *  sleeping process uses no CPU (TB-1, TB-5). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/clock/event_loop.h"
#include "nodes/clock/futex.h"
#include "tests/later.h"
#include "tests/testing.h"

#define SLEEPERS 150u

static _Atomic uint32_t *words; /* shared between processes */
static int sockets[2];
static struct event_loop *loop;

/* _i of each test: 0 io_uring where it works, 1 fallback */
static enum event_loop_kind kind_of(int i)
{
	return i ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO;
}

static void setup(void)
{
	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
}

static void open_loop(int i)
{
	struct why why;

	loop = event_loop_open(kind_of(i), sockets[0], &why);
	ck_assert_ptr_nonnull(loop);
}

static void teardown(void)
{
	event_loop_close(loop);
	loop = NULL;
	close(sockets[0]);
	close(sockets[1]);
}

static void wake_word(void)
{
	atomic_store(&words[0], 0);
	futex_wake(&words[0], 1);
}

static void send_message(void)
{
	send(sockets[1], "x", 1, 0);
	wake_word(); /* what clock_ring() does for the fallback */
}

static void close_socket(void)
{
	shutdown(sockets[1], SHUT_RDWR);
	wake_word();
}

TEST_GROUP(event_loop, .setup = setup, .teardown = teardown);

/* the loop names its kind */
TEST(event_loop_open__names_itself)
{
	struct why why;

	loop = event_loop_open(EVENT_LOOP_URING, -1, &why);
	ck_assert_ptr_nonnull(strstr(why.text, "io_uring"));
	event_loop_close(loop);
	loop = event_loop_open(EVENT_LOOP_FALLBACK, -1, &why);
	ck_assert_ptr_nonnull(strstr(why.text, "fallback"));
}

TEST_RANGE(event_loop_wait__word_is_not_one, 0, 2)
{
	open_loop(_i);
	ck_assert_uint_eq(event_loop_wait(loop, &words[0]), EVENT_LOOP_WOKEN);
	ck_assert_uint_eq(event_loop_wait(loop, &words[0]), EVENT_LOOP_WOKEN);
}

TEST_RANGE(event_loop_wait__ends_by_a_wake_up, 0, 2)
{
	open_loop(_i);
	for (int round = 0; round < 3; round++) {
		atomic_store(&words[0], 1);
		pid_t pid = later(wake_word);

		while (atomic_load(&words[0]))
			ck_assert_uint_eq(event_loop_wait(loop, &words[0]) & EVENT_LOOP_CONTROL, 0);
		waitpid(pid, NULL, 0);
	}
}

TEST_RANGE(event_loop_wait__ends_by_a_message, 0, 2)
{
	char byte;

	open_loop(_i);
	for (int round = 0; round < 3; round++) {
		atomic_store(&words[0], 1);
		pid_t pid = later(send_message);

		while (!(event_loop_wait(loop, &words[0]) & EVENT_LOOP_CONTROL))
			;
		ck_assert_int_eq(recv(sockets[0], &byte, 1, MSG_DONTWAIT), 1);
		waitpid(pid, NULL, 0);
	}
}

TEST_RANGE(event_loop_wait__message_was_there_before, 0, 2)
{
	open_loop(_i);
	atomic_store(&words[0], 1);
	ck_assert_int_eq(send(sockets[1], "x", 1, 0), 1);
	ck_assert_uint_ne(event_loop_wait(loop, &words[0]) & EVENT_LOOP_CONTROL, 0);
}

TEST_RANGE(event_loop_wait__peer_is_gone, 0, 2)
{
	open_loop(_i);
	atomic_store(&words[0], 1);
	pid_t pid = later(close_socket);

	while (!(event_loop_wait(loop, &words[0]) & EVENT_LOOP_CONTROL))
		;
	waitpid(pid, NULL, 0);
}

/* A sleep that a message interrupted leaves a pending wait. The next sleep must use it, and its
 * wake-up must not be lost. */
TEST_RANGE(event_loop_wait__woken_after_a_message, 0, 2)
{
	char byte;

	open_loop(_i);
	for (int round = 0; round < 5; round++) {
		atomic_store(&words[0], 1);
		ck_assert_int_eq(send(sockets[1], "x", 1, 0), 1);
		while (!(event_loop_wait(loop, &words[0]) & EVENT_LOOP_CONTROL))
			;
		ck_assert_int_eq(recv(sockets[0], &byte, 1, MSG_DONTWAIT), 1);
		atomic_store(&words[0], 1);
		pid_t pid = later(wake_word);

		while (atomic_load(&words[0]))
			event_loop_wait(loop, &words[0]);
		waitpid(pid, NULL, 0);
	}
}

/* More sleepers than one submission holds: every one of them must wake. */
TEST_RANGE(event_loop_wake__many_at_once, 0, 2)
{
	uint32_t nodes[SLEEPERS];
	pid_t pids[SLEEPERS];
	int status;

	for (uint32_t i = 0; i < SLEEPERS; i++) {
		nodes[i] = SLEEPERS - 1 - i;
		atomic_store(&words[i], 1);
		pids[i] = fork();
		if (!pids[i]) {
			while (atomic_load(&words[i]))
				futex_wait(&words[i], 1, NULL);
			_exit(7);
		}
	}
	open_loop(_i);
	usleep(30000);
	for (uint32_t i = 0; i < SLEEPERS; i++)
		atomic_store(&words[i], 0);
	event_loop_wake(loop, words, nodes, SLEEPERS);
	for (uint32_t i = 0; i < SLEEPERS; i++) {
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(WEXITSTATUS(status), 7);
	}
}

static double cpu_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
}

/* TB-1: 200 ms of sleep cost less than 1 % of a core */
TEST_RANGE(event_loop_wait__sleep_uses_no_cpu, 0, 2)
{
	struct timespec sleep = { .tv_nsec = 180000000 };
	double before;

	open_loop(_i);
	atomic_store(&words[0], 1);
	pid_t pid = fork();
	if (!pid) {
		nanosleep(&sleep, NULL);
		wake_word();
		_exit(0);
	}
	before = cpu_ms();
	while (atomic_load(&words[0]))
		event_loop_wait(loop, &words[0]);
	ck_assert_double_lt(cpu_ms() - before, 2);
	waitpid(pid, NULL, 0);
}

static void ring(int fd)
{
	uint64_t one = 1;

	ck_assert_int_eq(write(fd, &one, sizeof(one)), sizeof(one));
}

/* Does a poll find input under @number? */
static bool found_until(uint32_t number, uint64_t deadline_ns)
{
	struct event_loop_ready ready;

	event_loop_sleep(loop, deadline_ns, &ready);
	for (uint32_t i = 0; i < ready.count; i++)
		if (ready.numbers[i] == number)
			return true;
	return false;
}

static bool found(uint32_t number)
{
	return found_until(number, 0);
}

TEST_RANGE(event_loop_sleep__an_eventfd_that_is_not_read, 0, 2)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	open_loop(_i);
	ck_assert_int_eq(event_loop_watch(loop, 7, fd), 0);
	ck_assert(!found(7));
	for (int i = 0; i < 1000; i++) {
		ring(fd);
		ck_assert(found(7));
		ck_assert_int_eq(found(7), !event_loop_tells_news_only(loop));
	}
	event_loop_unwatch(loop, 7);
	close(fd);
}

/* after a look that found nothing the next ones are spared for a while, but not for ever */
TEST_RANGE(event_loop_has_news__rests_after_a_look_in_vain, 0, 2)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	uint32_t spared = 0;

	open_loop(_i);
	ck_assert_int_eq(event_loop_watch(loop, 7, fd), 0);
	ck_assert(!found(7));
	ring(fd);
	while (!event_loop_has_news(loop) && spared < 1000)
		spared++;
	if (event_loop_tells_news_only(loop)) {
		ck_assert_uint_gt(spared, 0);
		ck_assert_uint_lt(spared, 1000);
		ck_assert(found(7));
		ring(fd);
		ck_assert(event_loop_has_news(loop)); /* the last look was not in vain */
	}
	ck_assert(found(7));
	event_loop_unwatch(loop, 7);
	close(fd);
}

TEST_RANGE(event_loop_mute__known_input_does_not_wake, 0, 2)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	open_loop(_i);
	ck_assert_int_eq(event_loop_watch(loop, 7, fd), 0);
	event_loop_mute(loop, 7, true);
	ring(fd);
	if (!event_loop_tells_news_only(loop)) {
		ck_assert(!found_until(7, 1)); /* long over, but not a look */
		/* the owner may have read it since, and this be new */
		ck_assert(found(7));
	}
	event_loop_mute(loop, 7, false);
	ck_assert(event_loop_tells_news_only(loop) ? found(7) : found_until(7, 1));
	close(fd);
}

/* more than fit into one submission, one of them closed already; others stay open */
TEST_RANGE(event_loop_close_all__closes_each, 0, 2)
{
	int fds[150], other;

	open_loop(_i);
	for (uint32_t i = 0; i < COUNT_OF(fds); i++)
		ck_assert_int_ge(fds[i] = eventfd(0, 0), 0);
	other = eventfd(0, 0);
	close(fds[7]);
	event_loop_close_all(loop, fds, COUNT_OF(fds));
	event_loop_close_all(loop, NULL, 0);
	for (uint32_t i = 0; i < COUNT_OF(fds); i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD), -1);
	ck_assert_int_ge(fcntl(other, F_GETFD), 0);
	close(other);
}

/* all numbers are in use, and the control socket */
TEST_RANGE(event_loop_numbers__each_is_watched, 0, 2)
{
	int fds[3];

	open_loop(_i);
	ck_assert_int_eq(event_loop_numbers(loop, COUNT_OF(fds)), 0);
	for (uint32_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = eventfd(0, EFD_NONBLOCK);
		ck_assert_int_eq(event_loop_watch(loop, i, fds[i]), 0);
	}
	ring(fds[2]);
	ck_assert(found(2));
	for (uint32_t i = 0; i < COUNT_OF(fds); i++)
		close(fds[i]);
}

/* a worker watches the descriptors of many nodes; a sleep reports so many of them, then the rest */
TEST_RANGE(event_loop_numbers__all_of_many_are_reported, 0, 2)
{
	enum { MANY = 3 * EVENT_LOOP_FDS_MAX + 7 };
	static int fds[MANY];
	static uint32_t seen[7 * MANY];
	struct event_loop_ready ready;
	uint32_t reported = 0;

	open_loop(_i);
	ck_assert_int_eq(event_loop_watch(loop, EVENT_LOOP_FDS_MAX, 0), -EINVAL);
	ck_assert_int_eq(event_loop_numbers(loop, 7 * MANY), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		fds[i] = eventfd(0, EFD_NONBLOCK);
		ck_assert_int_eq(event_loop_watch(loop, 7 * i, fds[i]), 0);
	}
	/* the hole of one that left is filled by another one */
	event_loop_unwatch(loop, 7 * 5);
	for (uint32_t i = 0; i < MANY; i++)
		ring(fds[i]);
	while (reported < MANY - 1) {
		event_loop_sleep(loop, UINT64_MAX, &ready); /* does not sleep: more are ready */
		ck_assert_uint_le(ready.count, EVENT_LOOP_FDS_MAX);
		for (uint32_t i = 0; i < ready.count; i++)
			reported += !seen[ready.numbers[i]]++;
	}
	ck_assert_uint_eq(reported, MANY - 1);
	ck_assert_uint_eq(seen[7 * 5], 0);
	for (uint32_t i = 0; i < MANY; i++)
		event_loop_unwatch(loop, 7 * i);
	ck_assert_int_eq(event_loop_watch(loop, 7 * 5, fds[5]), 0);
	ck_assert(found(7 * 5));
	for (uint32_t i = 0; i < MANY; i++)
		close(fds[i]);
}
