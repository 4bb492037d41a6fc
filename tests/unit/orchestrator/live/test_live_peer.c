/*  orchestrator/live/live_peer: is a client of a fabric a program inside of a host? (DU-3) */
#include "orchestrator/live/live_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static int listener;
static struct sockaddr_un address;
static socklen_t address_length;

/* leaves the lowest number to what the tested code opens */
static int moved(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 20);

	close(fd);
	return high;
}

/* a socket without a file: the kernel chooses an abstract name */
static void set_up(void)
{
	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	address_length = sizeof(address);
	listener = moved(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
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
	*fd = pid > 0 ? moved(accept(listener, NULL, NULL)) : -1;
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

/* ---- users ---- */

/* the exit status of a child that is user @user, and does @action with @fd */
static int as_user(uid_t user, int (*action)(int fd), int fd)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(setuid(user) ? 77 : action(fd));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static int connects(int fd)
{
	(void)fd;
	return peer_connect() < 0;
}

static int is_allowed(int fd)
{
	return live_peer_allowed(fd);
}

/* those of the daemon's user, and root's */
TEST(live_peer_allowed__own_user_and_root)
{
	static const struct {
		uid_t daemon, peer;
		bool allowed;
	} cases[] = {
		{ 0, 0, true },    { 0, 4243, false },    { 4243, 4243, true },
		{ 4243, 0, true }, { 4243, 4244, false },
	};

	ck_assert(!live_peer_allowed(-1));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd;

		if (as_user(cases[i].peer, connects, -1)) {
			printf("skipped: needs root\n");
			return;
		}
		fd = accept(listener, NULL, NULL);
		ck_assert_int_eq(as_user(cases[i].daemon, is_allowed, fd), cases[i].allowed);
		close(fd);
	}
}

/* no socket: it might be anything */
TEST(live_peer_inside__no_socket)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert(live_peer_inside(fd));
	ck_assert_int_eq(close(fd), 0); /* it is still open, though it is the first one */
}

/* ---- a daemon inside of a container, whose /proc shows its own processes ---- */

/* Return: is the process that has connected to @fd seen as one inside? 77: no right */
static int daemon_inside(int fd)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		return 77;
	return live_peer_inside(fd);
}

/* a process outside has no number there: what it is cannot be known */
TEST(live_peer_inside__what_has_no_number_is)
{
	int fd, status;
	pid_t peer = peer_start(0, false, &fd),
	      pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);

	if (!pid)
		_exit(daemon_inside(fd));
	if (pid > 0) {
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		if (WEXITSTATUS(status) != 77)
			ck_assert_int_eq(WEXITSTATUS(status), 1);
	}
	if (pid < 0 || WEXITSTATUS(status) == 77)
		printf("skipped, needs namespaces\n");
	end(peer, fd);
}
