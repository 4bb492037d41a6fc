/*  nodes/process/child: a process that is controlled over a socket. */
#include "nodes/process/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static int ends[2];

static void setup(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void teardown(void)
{
	close(ends[0]);
	close(ends[1]);
}

static pid_t shell(const char *script, pid_t group, bool silent)
{
	char name[] = "sh", option[] = "-c";
	char *arguments[] = { name, option, (char *)script, NULL };
	pid_t pid = child_start("/bin/sh", arguments, ends[1], group, silent);

	ck_assert_int_gt(pid, 0);
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

TEST_GROUP(child, .setup = setup, .teardown = teardown);

TEST(child_start__the_socket_is_descriptor_3)
{
	char text[16] = "";
	pid_t pid = shell("printf hello >&3", CHILD_GROUP_OWN, false);

	ck_assert_int_eq(recv(ends[0], text, sizeof(text), 0), 5);
	ck_assert_str_eq(text, "hello");
	ck_assert_int_eq(status_of(pid), 0);
}

TEST(child_start__its_group)
{
	pid_t first = shell("read line <&3", CHILD_GROUP_OWN, false),
	      second = shell("read line <&3", first, false),
	      third = shell("read line <&3", CHILD_GROUP_SAME, false);

	ck_assert_int_eq(getpgid(first), first);
	ck_assert_int_eq(getpgid(second), first);
	ck_assert_int_eq(getpgid(third), getpgrp());
	for (int i = 0; i < 3; i++)
		kill((pid_t[]){ first, second, third }[i], SIGKILL);
	status_of(first);
	status_of(second);
	status_of(third);
}

/* what the caller blocks or ignores is no matter of the child's */
TEST(child_start__signals_are_as_in_a_new_process)
{
	sigset_t blocked;
	int status;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	signal(SIGINT, SIG_IGN);
	status = status_of(shell("kill -TERM $$; exit 5", CHILD_GROUP_OWN, false));
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = status_of(shell("kill -INT $$; exit 5", CHILD_GROUP_OWN, false));
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST(child_start__silent)
{
	const char *script =
		"[ /proc/self/fd/0 -ef /dev/null ] && [ /proc/self/fd/1 -ef /dev/null ]";
	int pipes[2], output;

	/* what the caller has is something else */
	fflush(stdout);
	output = dup(STDOUT_FILENO);
	ck_assert(!pipe(pipes) && dup2(pipes[0], STDIN_FILENO) == STDIN_FILENO &&
		  dup2(pipes[1], STDOUT_FILENO) == STDOUT_FILENO);
	ck_assert_int_eq(status_of(shell(script, CHILD_GROUP_OWN, true)), 0);
	ck_assert_int_ne(status_of(shell(script, CHILD_GROUP_OWN, false)), 0);
	dup2(output, STDOUT_FILENO);
	close(output);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(child_start__no_such_program)
{
	char name[] = "none";
	char *arguments[] = { name, NULL };

	ck_assert_int_eq(
		child_start("/no/such/program", arguments, ends[1], CHILD_GROUP_OWN, false),
		-ENOENT);
}
