/*  orchestrator/manager/manager_process: it serves only the process that started it, and ends with
 *  it (PG-11, TB-23). A child of the test is the manager; the test is the daemon. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/control/control.h"
#include "orchestrator/manager/manager_message.h"
#include "orchestrator/manager/manager_process.h"
#include "tests/testing.h"

#define LOST 1 /* exit statuses */
#define WRONG 2

static int sockets[2];
static char said[256];

/* starts it with these words, NULL: none.   Return: its pid */
static pid_t start(const char *parent, const char *more)
{
	char *argv[] = { strdup(MANAGER_COMMAND), parent ? strdup(parent) : NULL,
			 more ? strdup(more) : NULL, NULL };
	int errors = memfd_create("errors", 0);
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	pid = fork();
	if (!pid) {
		dup2(errors, STDERR_FILENO);
		dup2(sockets[1], CONTROL_FD);
		close(sockets[0]);
		if (sockets[1] != CONTROL_FD)
			close(sockets[1]);
		_exit(manager_process_run(parent ? more ? 3 : 2 : 1, argv));
	}
	close(sockets[1]);
	sockets[1] = errors;
	for (int i = 0; i < 3; i++)
		free(argv[i]);
	return pid;
}

static int await(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	memset(said, 0, sizeof(said));
	ck_assert_int_ge(pread(sockets[1], said, sizeof(said) - 1, 0), 0);
	close(sockets[0]);
	close(sockets[1]);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(manager_process_run__is_no_command_of_users)
{
	static const char *const wrong[] = { NULL, "0", "-1", "x", "" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(await(start(wrong[i], NULL)), WRONG);
		ck_assert_str_eq(said, "heddle " MANAGER_COMMAND
				       " is started by the daemon of a fabric: 'heddle up'\n");
	}
}

TEST(manager_process_run__another_process_is_not_its_parent)
{
	ck_assert_int_eq(await(start("1", NULL)), LOST);
	ck_assert_str_eq(said, "");
}

/* it does nothing before the first message, which must be that of a daemon */
TEST_RANGE(manager_process_run__begins_with_hello, 0, 3)
{
	const struct manager_message hello = { .kind = MANAGER_HELLO, .node_count = 0 },
				     sweep = { .kind = MANAGER_SWEEP };
	struct manager_message report;
	char parent[16];
	struct why why;
	pid_t pid;

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	pid = start(parent, _i == 2 ? "--keep-user" : NULL);
	if (_i) {
		ck_assert_int_eq(manager_send(sockets[0], &hello), 0);
		for (int sweeps = 0; sweeps < 2; sweeps++) {
			ck_assert_int_eq(manager_send(sockets[0], &sweep), 0);
			ck_assert_int_eq(manager_receive(sockets[0], &report, &why), 0);
			ck_assert_int_eq(report.kind, MANAGER_REPORT);
			manager_message_free(&report);
		}
	} else {
		ck_assert_int_eq(manager_send(sockets[0], &sweep), 0);
	}
	shutdown(sockets[0], SHUT_RDWR);
	ck_assert_int_eq(await(pid), LOST);
	ck_assert_str_eq(said, "");
}

/* starts one of a fabric of three nodes, and has it sweep */
static pid_t start_sweep(void)
{
	const struct manager_message hello = { .kind = MANAGER_HELLO, .node_count = 3 },
				     sweep = { .kind = MANAGER_SWEEP };
	char parent[16];
	pid_t pid;

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	pid = start(parent, NULL);
	ck_assert_int_eq(manager_send(sockets[0], &hello), 0);
	ck_assert_int_eq(manager_send(sockets[0], &sweep), 0);
	return pid;
}

/* It discovers each node, which does not answer in time: each question has its answer, and the
 * report follows. */
TEST(manager_process_run__asks_the_nodes)
{
	struct manager_message message;
	uint32_t asked = 0;
	struct why why;
	pid_t pid = start_sweep();

	for (;;) {
		ck_assert_int_eq(manager_receive(sockets[0], &message, &why), 0);
		if (message.kind == MANAGER_REPORT)
			break;
		ck_assert_int_eq(message.kind, MANAGER_QUESTION);
		ck_assert_int_eq(message.question.ask, ASK_DISCOVER);
		ck_assert_uint_eq(message.count, 3);
		ck_assert_uint_eq(message.index, asked);
		ck_assert_uint_eq(message.question.node, asked++);
		message.kind = MANAGER_ANSWER;
		message.question.status = -ETIMEDOUT;
		ck_assert_int_eq(manager_send(sockets[0], &message), 0);
	}
	ck_assert_uint_eq(asked, 3);
	manager_message_free(&message);
	shutdown(sockets[0], SHUT_RDWR);
	ck_assert_int_eq(await(pid), LOST);
	ck_assert_str_eq(said, "");
}

/* _i: 0 an answer to another question, 1 no answer at all, but a message of another kind */
TEST_RANGE(manager_process_run__no_answer_to_its_question, 0, 2)
{
	struct manager_message message;
	struct why why;
	pid_t pid = start_sweep();

	ck_assert_int_eq(manager_receive(sockets[0], &message, &why), 0);
	message.kind = _i ? MANAGER_SWEEP : MANAGER_ANSWER;
	message.index = 1;
	message.question.status = -ETIMEDOUT;
	ck_assert_int_eq(manager_send(sockets[0], &message), 0);
	ck_assert_int_eq(await(pid), LOST);
	ck_assert_msg(strstr(said, "heddle " MANAGER_COMMAND
				   ": the daemon has sent an invalid message: ") == said,
		      "%s", said);
}

TEST(manager_process_run__tells_of_an_invalid_message)
{
	char parent[16];
	pid_t pid;

	snprintf(parent, sizeof(parent), "%d", (int)getpid());
	pid = start(parent, NULL);
	ck_assert_int_eq(send(sockets[0], "nonsense", 8, 0), 8);
	ck_assert_int_eq(await(pid), LOST);
	ck_assert_msg(strstr(said, "heddle " MANAGER_COMMAND
				   ": the daemon has sent an invalid message: ") == said,
		      "%s", said);
}
