#include "orchestrator/manager/manager_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/control/control.h"
#include "nodes/process/privilege.h"

#define EXIT_LOST 1
#define EXIT_WRONG 2

/* ---- the stream ---- */

int manager_send(int fd, const void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t sent = send(fd, (const char *)data + done, bytes - done, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN ? -ETIMEDOUT : errno == ECONNRESET ? -EPIPE : -errno;
		done += (size_t)sent;
	}
	return 0;
}

int manager_receive(int fd, void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t got = recv(fd, (char *)data + done, bytes - done, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? -ETIMEDOUT : errno == ECONNRESET ? -EPIPE : -errno;
		if (!got)
			return -EPIPE;
		done += (size_t)got;
	}
	return 0;
}

int manager_word_send(int fd, enum manager_word word, uint32_t count, const void *data, size_t bytes)
{
	struct manager_header header = { .word = word, .count = count };
	int error = manager_send(fd, &header, sizeof(header));

	return error ? error : manager_send(fd, data, bytes);
}

/* ---- asking by way of the daemon ---- */

static int word_expect(int fd, enum manager_word word, uint32_t count)
{
	struct manager_header header;
	int error = manager_receive(fd, &header, sizeof(header));

	return error ? error : header.word == word && header.count == count ? 0 : -EPROTO;
}

/* the pointers of @questions are ours, and come back as they went */
static int exchange(void *owner, struct manager_question *questions, uint32_t count)
{
	int fd = *(int *)owner, error;

	error = manager_word_send(fd, MANAGER_ASK, count, questions, count * sizeof(*questions));
	if (!error)
		error = word_expect(fd, MANAGER_ANSWERS, count);
	if (!error)
		error = manager_receive(fd, questions, count * sizeof(*questions));
	for (uint32_t i = 0; i < count && !error; i++)
		if (questions[i].ask == ASK_DISCOVER)
			error = manager_receive(fd, questions[i].identity, sizeof(*questions[i].identity));
	return error;
}

static int sweep(int fd, struct fabric_manager *manager)
{
	struct manager_outcome outcome = { 0 };

	outcome.error = fabric_manager_sweep(manager);
	outcome.report = manager->last;
	return manager_word_send(fd, MANAGER_REPORT, 1, &outcome, sizeof(outcome));
}

int manager_process_run(int argc, char **argv)
{
	int fd = CONTROL_FD, error;
	struct fabric_manager manager = { .wire = { .exchange = exchange, .owner = &fd } };
	pid_t parent = argc == 2 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	struct manager_hello hello;

	if (parent <= 0) {
		fprintf(stderr, "heddle " MANAGER_COMMAND " is started by the daemon of a fabric: 'heddle up'\n");
		return EXIT_WRONG;
	}
	/* the daemon may have died before the kernel was told to watch it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return EXIT_LOST;
	if (privilege_drop(parent))
		return EXIT_LOST;
	error = word_expect(fd, MANAGER_HELLO, 1);
	if (!error)
		error = manager_receive(fd, &hello, sizeof(hello));
	if (!error && hello.node_count > NODE_COUNT_MAX)
		error = -EPROTO;
	if (error)
		return EXIT_LOST;
	manager.node_count = hello.node_count;
	manager.request = hello.request;
	while (!word_expect(fd, MANAGER_SWEEP, 0) && !sweep(fd, &manager))
		;
	return EXIT_LOST;
}
