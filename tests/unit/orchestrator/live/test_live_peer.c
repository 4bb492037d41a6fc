/*  orchestrator/live/live_peer: is a client of a fabric a program inside of a host? (DU-3) */
#include "orchestrator/live/live_peer.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static int listener;
static struct sockaddr_un address;
static socklen_t address_length;

/* a socket without a file: the kernel chooses an abstract name */
static void set_up(void)
{
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	address_length = sizeof(address);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(listen(listener, 4), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &address_length), 0);
}

static void tear_down(void)
{
	close(listener);
}

TEST_GROUP(live_peer, .setup = set_up, .teardown = tear_down);

static int peer_connect(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return connect(fd, (struct sockaddr *)&address, address_length) ? -1 : fd;
}

/* A process that connects, then ends if it @ends. @flags  of clone(): its namespaces.
 * Return: its pid, or -1. @fd  the accepted connection */
static pid_t peer_start(unsigned long flags, bool ends, int *fd)
{
	pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);

	if (!pid) {
		if (peer_connect() < 0 || ends)
			_exit(0);
		for (;;)
			pause();
	}
	if (pid > 0 && ends)
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	*fd = pid > 0 ? accept(listener, NULL, NULL) : -1;
	return pid;
}

static void end(pid_t pid, int fd)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

TEST(live_peer_inside__processes_beside_us_are_not)
{
	int fd;
	pid_t pid = peer_start(0, false, &fd);

	ck_assert(live_peer_allowed(fd));
	ck_assert(!live_peer_inside(fd));
	end(pid, fd);
}

TEST(live_peer_inside__processes_of_an_inner_namespace_are)
{
	int fd;
	pid_t pid = peer_start(CLONE_NEWPID, false, &fd);

	if (pid < 0) {
		printf("skipped, needs namespaces: %s\n", strerror(errno));
		return;
	}
	ck_assert(live_peer_inside(fd));
	end(pid, fd);
}

TEST(live_peer_inside__what_has_ended_is)
{
	int fd;

	ck_assert_int_gt(peer_start(0, true, &fd), 0);
	ck_assert(live_peer_inside(fd));
	close(fd);
}

/* its pid is that of another process now, which is not inside */
TEST(live_peer_inside__a_pid_that_is_assigned_again_is_no_proof)
{
	int fd;
	pid_t first = peer_start(0, true, &fd), second;
	struct clone_args again = { .exit_signal = SIGCHLD,
				    .set_tid = (uint64_t)(uintptr_t)&first,
				    .set_tid_size = 1 };

	second = (pid_t)syscall(SYS_clone3, &again, sizeof(again));
	if (!second)
		for (;;)
			pause();
	if (second < 0) {
		printf("skipped, a pid cannot be chosen: %s\n", strerror(errno));
		close(fd);
		return;
	}
	ck_assert_int_eq(second, first);
	ck_assert(live_peer_inside(fd));
	end(second, fd);
}
