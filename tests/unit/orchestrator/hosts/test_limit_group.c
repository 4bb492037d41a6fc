/*  orchestrator/hosts: limit_group - control groups of hosts are made, limit, and are removed
 *  (DU-3). */
#include "orchestrator/hosts/limit_group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	limit_groups_open(&groups, "/proc/self");
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
	struct why why;
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
	ck_assert_msg(!limit_group_make(&groups, &group, 7, values, child, &why), "%s", why.text);
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
	struct why why;
	int status;
	pid_t daemon = fork();

	if (!daemon) {
		struct limit_group group;

		if (!groups_exist() || limit_group_make(&groups, &group, 7, values, getpid(), &why))
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

/* ---- what is written: the control groups are folders of the test ---- */

static char folder[64], group_folder[128];

static void file_make(const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", group_folder, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fclose(file);
}

/* it has @text, and is removed */
static void file_is(const char *name, const char *text)
{
	char path[256], found[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", group_folder, name);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	(void)!fread(found, 1, sizeof(found) - 1, file);
	fclose(file);
	unlink(path);
	ck_assert_str_eq(found, text);
}

static void folders_make(bool unified)
{
	snprintf(folder, sizeof(folder), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(group_folder, sizeof(group_folder), "%s/heddle.%d.7", folder, (int)getpid());
	groups = (struct limit_groups){ .opened = true, .unified = { unified, unified } };
	for (int kind = 0; kind < LIMIT_KINDS; kind++)
		strcpy(groups.bases[kind], folder);
}

/* the files of both versions */
TEST_RANGE(limit_group_make__files_of_the_kernel, 0, 2)
{
	const uint64_t values[LIMIT_KINDS] = { [LIMIT_PROCESSES] = 5, [LIMIT_MEMORY] = 1 << 20 };
	const char *limit = _i ? "memory.max" : "memory.limit_in_bytes",
		   *swap = _i ? "memory.swap.max" : "memory.memsw.limit_in_bytes";
	struct limit_group group;
	struct why why;

	folders_make(_i);
	ck_assert_int_eq(mkdir(group_folder, 0700), 0);
	file_make("pids.max");
	file_make("cgroup.procs");
	file_make(limit);
	file_make(swap);
	ck_assert_msg(!limit_group_make(&groups, &group, 7, values, 4711, &why), "%s", why.text);
	ck_assert_int_ge(group.fds[LIMIT_PROCESSES], 0);
	ck_assert_int_ge(group.fds[LIMIT_MEMORY], 0);
	file_is("pids.max", "5");
	file_is("cgroup.procs", "4711");
	file_is(limit, "1048576");
	file_is(swap, _i ? "0" : "1048576");
	limit_group_free(&groups, &group, 7);
	ck_assert_int_eq(group.fds[LIMIT_PROCESSES], -1);
	ck_assert_int_eq(group.fds[LIMIT_MEMORY], -1);
	ck_assert_int_eq(access(group_folder, F_OK), -1);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* what was made of the first kind is removed if the second fails */
TEST(limit_group_make__names_the_folder)
{
	const uint64_t values[LIMIT_KINDS] = { [LIMIT_PROCESSES] = 5, [LIMIT_MEMORY] = 1 << 20 };
	struct limit_group group;
	char wanted[256];
	struct why why;

	folders_make(true);
	strcat(groups.bases[LIMIT_MEMORY], "/none");
	snprintf(wanted, sizeof(wanted), "a control group in %s/none: No such file or directory",
		 folder);
	ck_assert_int_eq(mkdir(group_folder, 0700), 0);
	file_make("pids.max");
	file_make("cgroup.procs");
	ck_assert_int_eq(limit_group_make(&groups, &group, 7, values, 4711, &why), -ENOENT);
	ck_assert_str_eq(why.text, wanted);
	ck_assert_int_eq(group.fds[LIMIT_PROCESSES], -1);
	ck_assert_int_eq(group.fds[LIMIT_MEMORY], -1);
	file_is("pids.max", "5");
	file_is("cgroup.procs", "4711");
	ck_assert_int_eq(rmdir(group_folder), 0);
	/* a folder that is no group has no such files */
	ck_assert_int_eq(limit_group_make(&groups, &group, 7, values, 4711, &why), -ENOENT);
	snprintf(wanted, sizeof(wanted), "a control group in %s: No such file or directory",
		 folder);
	ck_assert_str_eq(why.text, wanted);
	rmdir(group_folder);
	ck_assert_int_eq(rmdir(folder), 0);
}
