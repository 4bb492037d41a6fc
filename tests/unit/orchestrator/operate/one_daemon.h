/*  one_daemon - a fabric `lab` whose daemon is a thread of the test: it answers the requests of a
 *  command one after the other, and keeps them; and what a command prints. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_OPERATE_ONE_DAEMON_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_OPERATE_ONE_DAEMON_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/live/runtime_dir.h"
#include "tests/said.h"
#include "tests/testing.h"

#define ANSWERS_MAX 4

static char root[64], run_folder[128];
static struct runtime_place place;
static int base_fd, listener = -1;
static const char *answers[ANSWERS_MAX + 1];
static char asked[1024]; /* the requests, a line each */
static pthread_t daemon_thread;
static char *printed; /* to standard output; `said`: to standard error */

static inline void daemon_setup(void)
{
	struct why why;

	snprintf(root, sizeof(root), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(run_folder, sizeof(run_folder), "%s/run", root);
	setenv("HEDDLE_RUNTIME_DIR", run_folder, 1);
	unsetenv("HEDDLE_FABRIC");
	base_fd = runtime_open(true, &why);
	ck_assert_int_ge(base_fd, 0);
}

static inline void daemon_teardown(void)
{
	free(printed);
	if (listener >= 0) {
		close(listener);
		runtime_release(&place);
	}
	close(base_fd);
	rmdir(run_folder);
	ck_assert_int_eq(rmdir(root), 0);
}

/* a connection for each command; a request for each answer. What is not asked is not answered. */
static inline void *daemon_serve(void *unused)
{
	size_t length = 0, next = 0;
	int connection = -1;

	(void)unused;
	while (answers[next]) {
		size_t begin = length;
		ssize_t got = 1;

		if (connection < 0)
			connection = accept(listener, NULL, NULL);
		if (connection < 0)
			return NULL;
		while (got > 0 && (length == begin || asked[length - 1] != '\n')) {
			got = recv(connection, asked + length, sizeof(asked) - 1 - length, 0);
			length += got > 0 ? (size_t)got : 0;
		}
		if (got <= 0) {
			close(connection);
			connection = -1;
			continue;
		}
		send(connection, answers[next], strlen(answers[next]), MSG_NOSIGNAL);
		next++;
	}
	close(connection);
	return NULL;
}

/* the fabric runs, and gives these answers, lines of JSON; NULL ends them */
static inline void daemon_runs(const char *first, const char *second)
{
	struct why why;

	ck_assert_int_eq(runtime_claim(base_fd, "lab", &place, &why), 0);
	listener = runtime_listen(&place);
	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(fcntl(listener, F_SETFL, 0), 0); /* accept() waits */
	answers[0] = first;
	answers[1] = second;
	memset(asked, 0, sizeof(asked));
	ck_assert_int_eq(pthread_create(&daemon_thread, NULL, daemon_serve, NULL), 0);
}

/* all requests have been answered: they were these lines */
static inline void daemon_was_asked(const char *lines)
{
	shutdown(listener, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	ck_assert_str_eq(asked, lines);
}

/* runs a command with words separated by '|'.  Return: its exit status */
static inline int command_run(int (*command)(int argc, char **argv), const char *line)
{
	FILE *own_stdout = stdout;
	char *copy = strdup(line), *argv[16] = { NULL };
	size_t printed_bytes;
	int argc = 0, status;

	for (char *at = copy; at; argc++)
		argv[argc] = strsep(&at, "|");
	free(printed);
	stdout = open_memstream(&printed, &printed_bytes);
	said_begin();
	status = command(argc, argv);
	fclose(stdout);
	stdout = own_stdout;
	said_end();
	free(copy);
	return status;
}

#endif
