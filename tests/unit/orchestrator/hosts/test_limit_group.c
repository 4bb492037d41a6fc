/*  orchestrator/hosts: limit_group - control groups of hosts are made, limit, and are removed
 *  (DU-3). */
#include "orchestrator/hosts/limit_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

TEST_GROUP(limit_group, .setup = testing_input, .timeout_s = 60);

static struct limit_groups groups;

/* Return: is there a folder of host 7 of daemon @daemon? */
static bool folder_exists(pid_t daemon)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/heddle.%d.7", groups.bases[LIMIT_PROCESSES], (int)daemon);
	return !access(path, F_OK);
}

static bool groups_exist(void)
{
	testing_leaves(); /* the pipe that ends with the daemon */
	limit_groups_open(&groups);
	if (!*groups.bases[LIMIT_PROCESSES])
		printf("skipped: no control group can be made\n");
	return *groups.bases[LIMIT_PROCESSES];
}

/* in a child, which is limited: two processes beside itself, so a third one is refused */
static int third_fork(int stop_fd)
{
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		char byte;

		if (pid < 0)
			return i;
		if (!pid)
			_exit((int)read(stop_fd, &byte, 1));
	}
	return 3;
}

TEST(limit_group__refuses_a_process_too_many)
{
	const uint64_t values[LIMIT_KINDS] = { [LIMIT_PROCESSES] = 3 };
	struct limit_group group;
	char why[256];
	int go[2], stop[2], status;
	pid_t child;

	if (!groups_exist())
		return;
	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(stop), 0);
	child = fork();
	if (!child) {
		char byte;

		close(stop[1]);
		(void)!read(go[0], &byte, 1);
		_exit(third_fork(stop[0]));
	}
	ck_assert_msg(!limit_group_make(&groups, &group, 7, values, child, why, sizeof(why)), "%s",
		      why);
	ck_assert_int_ge(group.fds[LIMIT_PROCESSES], 0);
	ck_assert_int_eq(group.fds[LIMIT_MEMORY], -1);
	ck_assert(folder_exists(getpid()));
	ck_assert_int_eq(write(go[1], "g", 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(WEXITSTATUS(status), 2);
	close(stop[0]);
	close(stop[1]);
	close(go[0]);
	close(go[1]);
	/* the folder can be removed once all processes have ended */
	for (int i = 0; i < 1000 && folder_exists(getpid()); i++) {
		struct limit_group again = { { dup(0), -1 } };

		limit_group_free(&groups, &again, 7);
		usleep(1000);
	}
	ck_assert(!folder_exists(getpid()));
	limit_group_free(&groups, &group, 7);
}

/* also if it is killed */
TEST(limit_group__is_removed_after_its_daemon)
{
	const uint64_t values[LIMIT_KINDS] = { [LIMIT_PROCESSES] = 3 };
	char why[256];
	int status;
	pid_t daemon = fork();

	if (!daemon) {
		struct limit_group group;

		if (!groups_exist() ||
		    limit_group_make(&groups, &group, 7, values, getpid(), why, sizeof(why)))
			_exit(1);
		_exit(folder_exists(getpid()) ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(daemon, &status, 0), daemon);
	if (WEXITSTATUS(status) == 1 || !groups_exist())
		return;
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	for (int i = 0; i < 10000 && folder_exists(daemon); i++)
		usleep(1000);
	ck_assert(!folder_exists(daemon));
}
