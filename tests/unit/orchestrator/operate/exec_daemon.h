/*  exec_daemon - a fabric `lab` whose daemon is a thread of the test, for commands that start
 *  programs in hosts. A host has the namespaces of the test: its programs run here. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_OPERATE_EXEC_DAEMON_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_OPERATE_EXEC_DAEMON_H

#include <poll.h>

#include "orchestrator/base/descriptor_message.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

#define EXEC_FDS 3
#define EXEC_CONNECTIONS 100

static const char *hosts_answer; /* to {"ask": "hosts"} */
static const char
	*exec_answer; /* to {"ask": "exec"} or "capture", with the descriptors exec_paths */
static const char *exec_paths[EXEC_FDS];
static const char *other_answer;                              /* to all else */
static void (*others_served)(const int *fds, unsigned count); /* with the descriptors of those */

static inline void exec_reply(int connection, const char *request)
{
	int fds[EXEC_FDS];
	unsigned count = 0;

	if (strstr(request, "\"exec\"") || strstr(request, "\"capture\"")) {
		while (count < EXEC_FDS && exec_paths[count]) {
			fds[count] = open(exec_paths[count], O_RDWR | O_CLOEXEC);
			if (fds[count] < 0)
				fds[count] = open(exec_paths[count], O_RDONLY | O_CLOEXEC);
			count++;
		}
		descriptor_send(connection, exec_answer, strlen(exec_answer), fds, count);
	} else {
		const char *answer = strstr(request, "\"hosts\"") ? hosts_answer : other_answer;

		descriptor_send(connection, answer, strlen(answer), NULL, 0);
	}
	while (count)
		close(fds[--count]);
}

/* handles one request of a connection.  Return: false: it is closed */
static inline bool exec_serve_one(int connection)
{
	int fds[DESCRIPTOR_MESSAGE_MAX];
	unsigned count = DESCRIPTOR_MESSAGE_MAX;
	char request[512];
	ssize_t got = descriptor_receive(connection, request, sizeof(request) - 1, fds, &count);

	if (got <= 0)
		return false;
	request[got] = 0;
	if (strlen(asked) + strlen(request) < sizeof(asked))
		strcat(asked, request);
	exec_reply(connection, request);
	if (others_served && count)
		others_served(fds, count);
	while (count)
		close(fds[--count]);
	return true;
}

/* several connections at once, until the listener is shut down */
static inline void *exec_serve(void *unused)
{
	struct pollfd polled[EXEC_CONNECTIONS + 1] = { { listener, POLLIN, 0 } };
	nfds_t count = 1;

	while (poll(polled, count, -1) > 0) {
		for (nfds_t i = count; --i;) {
			if (!polled[i].revents || exec_serve_one(polled[i].fd))
				continue;
			close(polled[i].fd);
			polled[i] = polled[--count];
		}
		if (!polled[0].revents)
			continue;
		polled[count] = (struct pollfd){ accept(listener, NULL, NULL), POLLIN, 0 };
		if (polled[count].fd < 0)
			break;
		count++;
	}
	while (--count)
		close(polled[count].fd);
	return unused;
}

/* programs can be started from now on, in hosts of the network of the test */
static inline void exec_runs(void)
{
	daemon_runs(NULL, NULL);
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	hosts_answer =
		"{\"hosts\": [{\"name\": \"A\"}, {\"name\": \"B\"}, {\"name\": \"long\"}]}\n";
	exec_answer = "{\"namespaces\": [\"net\"]}\n";
	exec_paths[0] = "/proc/self/ns/net";
	exec_paths[1] = NULL;
	other_answer = "{}\n";
	others_served = NULL;
	ck_assert_int_eq(pthread_create(&daemon_thread, NULL, exec_serve, NULL), 0);
}

static inline void exec_ends(void)
{
	shutdown(listener, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
}

#endif
