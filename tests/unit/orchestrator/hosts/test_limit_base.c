/*  orchestrator/hosts/limit_group: in which folder control groups can be made, as the files of the
 *  process and the mounts say, and what removes them (DU-3). Folders of the test stand for the
 *  kernel's: access() is that of this file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orchestrator/hosts/limit_group.h"
#include "tests/testing.h"

static char top[64];     /* the folder of the test; "": access() is the kernel's */
static char process[80]; /* in it, in the place of /proc/self */
static struct limit_groups groups;

/* ---- the kernel ---- */

static const char *place(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	return path;
}

static void text_write(const char *name, const char *text)
{
	FILE *file = fopen(place(name), "we");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* "": there is no such file */
static const char *text_of(const char *name)
{
	static char text[256];
	FILE *file = fopen(place(name), "re");

	text[file ? fread(text, 1, sizeof(text) - 1, file) : 0] = 0;
	if (file)
		fclose(file);
	return text;
}

/* File FILE of a new group in folder P is there if P has FILE.works, or if the controller was
 * switched on in P. */
int access(const char *path, int mode)
{
	char copy[512], *file, *group, works[600];

	if (!top[0] || strncmp(path, top, strlen(top)) != 0 || !strstr(path, ".probe/"))
		return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
	snprintf(copy, sizeof(copy), "%s", path + strlen(top) + 1);
	file = strrchr(copy, '/');
	*file++ = 0;
	group = strrchr(copy, '/');
	ck_assert_ptr_nonnull(group);
	*group = 0;
	snprintf(works, sizeof(works), "%s/%s.works", copy, file);
	if (!syscall(SYS_faccessat, AT_FDCWD, place(works), F_OK))
		return 0;
	snprintf(works, sizeof(works), "%s/cgroup.subtree_control", copy);
	group = strchr(file, '.');
	*group = 0;
	return text_of(works)[0] == '+' && !strcmp(text_of(works) + 1, file) ? 0 : -1;
}

static void folder_make(const char *name)
{
	ck_assert_int_eq(mkdir(place(name), 0700), 0);
}

static void setup(void)
{
	testing_input();
	snprintf(top, sizeof(top), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	folder_make("m");
	folder_make("m/a");
	folder_make("m/a/b");
	folder_make("m/b");
	folder_make("process");
	snprintf(process, sizeof(process), "%s/process", top);
	groups = (struct limit_groups){ 0 };
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	top[0] = 0;
	ck_assert_int_eq(system(command), 0);
}

TEST_GROUP(limit_base, .setup = setup, .teardown = teardown, .timeout_s = 60);

/* ---- where ---- */

#define UNIFIED "0::/a/b\n"
/* mounts at folder m */
#define MOUNT(root, kind, options) "9 1 0:5 " root " @/m rw - " kind " x " options "\n"
#define OTHER "1 0 0:1 / /proc rw - proc proc rw,pids,memory\nbad - cgroup2 x rw\n"

static const struct {
	const char *cgroup, *mounts;
	const char *works;     /* a file that is there */
	const char *processes; /* the folder that is found, below the top; "": none */
	bool unified;
} cases[] = {
	/* the own group, its parent, the top, and nothing above */
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "m/a/b/pids.max.works", "m/a/b", true },
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "m/a/pids.max.works", "m/a", true },
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "m/pids.max.works", "m", true },
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "pids.max.works", "", false },
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "m/a/b/memory.max.works", "", false },
	/* the controller is switched on, where it may be */
	{ UNIFIED, MOUNT("/", "cgroup2", "rw"), "m/a/cgroup.subtree_control", "m/a", true },
	/* of a mount of a group, and of groups beside it */
	{ UNIFIED, MOUNT("/a", "cgroup2", "rw"), "m/b/pids.max.works", "m/b", true },
	{ "0::/a\n", MOUNT("/a", "cgroup2", "rw"), "m/pids.max.works", "m", true },
	{ UNIFIED, MOUNT("/c", "cgroup2", "rw"), "m/a/b/pids.max.works", "m/a/b", true },
	{ "0::/\n", MOUNT("/", "cgroup2", "rw"), "m/pids.max.works", "m", true },
	/* version 1: the hierarchy and the group of the controller */
	{ "5:cpu,pids:/a\n0::/a/b\n", MOUNT("/", "cgroup", "rw,pids"), "m/a/pids.max.works", "m/a",
	  false },
	{ "bad\n7:bad\n6:xpids:/c\n5:pidsx,xpids,pids:/a\n4:pids:/a/b\n",
	  MOUNT("/", "cgroup", "rw,cpu,pids"), "m/a/pids.max.works", "m/a", false },
	{ "5:pids:/a\n", MOUNT("/", "cgroup", "rw,cpu"), "m/a/pids.max.works", "", false },
	{ "5:pids:/a\n", MOUNT("/", "cgroup", "rw,pidsx,xpids"), "m/a/pids.max.works", "", false },
	{ "5:cpu:/a\n", MOUNT("/", "cgroup", "rw,pids"), "m/a/pids.max.works", "", false },
	{ "5:pids:/a\n", MOUNT("/", "cgroup", "rw,pids"), "m/a/cgroup.subtree_control", "", false },
	{ "5:pids:/a\n", MOUNT("/", "cgroup2", "rw"), "m/a/pids.max.works", "", false },
	/* the first that works */
	{ "5:pids:/a\n0::/a/b\n",
	  OTHER MOUNT("/", "cgroup", "rw,cpu") MOUNT("/", "cgroup2", "rw")
		  MOUNT("/", "cgroup", "rw,pids"),
	  "m/a/pids.max.works", "m/a", true },
	{ "5:pids:/a\n0::/c\n", OTHER MOUNT("/", "cgroup2", "rw") MOUNT("/", "cgroup", "rw,pids"),
	  "m/a/pids.max.works", "m/a", false },
	{ UNIFIED, OTHER, "m/a/b/pids.max.works", "", false },
};

/* @mounts, with the folder of the test for '@' */
static void mounts_write(const char *mounts)
{
	FILE *file = fopen(place("process/mountinfo"), "we");

	ck_assert_ptr_nonnull(file);
	for (; *mounts; mounts++)
		fprintf(file, "%.*s", *mounts == '@' ? (int)sizeof(top) : 1,
			*mounts == '@' ? top : mounts);
	ck_assert_int_eq(fclose(file), 0);
}

static void nothing_left_in(const char *name)
{
	char probe[128];

	snprintf(probe, sizeof(probe), "%s/heddle.%d.probe", name, (int)getpid());
	ck_assert_int_eq(access(place(probe), F_OK), -1);
}

TEST_RANGE(limit_groups_open__nearest_folder, 0, sizeof(cases) / sizeof(cases[0]))
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s",
		 cases[_i].processes[0] ? place(cases[_i].processes) : "");
	testing_leaves(); /* the pipe that ends with the daemon */
	text_write("process/cgroup", cases[_i].cgroup);
	mounts_write(cases[_i].mounts);
	text_write(cases[_i].works, "");
	limit_groups_open(&groups, process);
	ck_assert(groups.opened);
	ck_assert_str_eq(groups.bases[LIMIT_PROCESSES], wanted);
	ck_assert_int_eq(groups.unified[LIMIT_PROCESSES], cases[_i].unified);
	ck_assert_int_eq(groups.bases[LIMIT_MEMORY][0] != 0,
			 strstr(cases[_i].works, "memory") ||
				 (cases[_i].unified && strstr(cases[_i].works, "subtree")));
	nothing_left_in("m");
	nothing_left_in("m/a");
	nothing_left_in("m/a/b");
	/* once */
	text_write("process/cgroup", "");
	limit_groups_open(&groups, process);
	ck_assert_str_eq(groups.bases[LIMIT_PROCESSES], wanted);
}

/* a controller that stays off although the file takes its name */
TEST(limit_groups_open__controller_that_stays_off)
{
	text_write("process/cgroup", UNIFIED);
	mounts_write(MOUNT("/", "cgroup2", "rw"));
	text_write("m/a/cgroup.subtree_control", "something longer");
	limit_groups_open(&groups, process);
	ck_assert_str_eq(groups.bases[LIMIT_PROCESSES], "");
	ck_assert_int_eq(strncmp(text_of("m/a/cgroup.subtree_control"), "+memory", 7), 0);
}

/* without the files of the process, too. No descriptor and no process is left */
TEST(limit_groups_open__nowhere)
{
	limit_groups_open(&groups, process);
	ck_assert(groups.opened && !groups.bases[0][0] && !groups.bases[1][0]);
}

/* ---- what is made ---- */

TEST(limit_group_make__kinds_that_are_left_out)
{
	const uint64_t both[LIMIT_KINDS] = { 5, 6 }, second[LIMIT_KINDS] = { [LIMIT_MEMORY] = 6 };
	struct limit_group group;
	char folder[64], wanted[512];
	struct why why;

	groups.opened = true;
	ck_assert_int_eq(limit_group_make(&groups, &group, 7, both, 4711, &why), 0);
	ck_assert(group.fds[0] == -1 && group.fds[1] == -1);
	strcpy(groups.bases[LIMIT_PROCESSES], place("m"));
	ck_assert_int_eq(limit_group_make(&groups, &group, 7, second, 4711, &why), 0);
	snprintf(folder, sizeof(folder), "m/heddle.%d.7", (int)getpid());
	ck_assert_int_eq(access(place(folder), F_OK), -1);
	/* a file is no folder */
	text_write("file", "");
	strcpy(groups.bases[LIMIT_PROCESSES], place("file"));
	ck_assert_int_eq(limit_group_make(&groups, &group, 7, both, 4711, &why), -ENOTDIR);
	snprintf(wanted, sizeof(wanted), "a control group in %s: Not a directory", place("file"));
	ck_assert_str_eq(why.text, wanted);
}

/* ---- what is removed ---- */

/* the child of this process called @name, once there is one; @daemon goes on meanwhile */
static pid_t child_called(const char *name, pid_t daemon)
{
	char path[300], line[512], found[64];
	struct dirent *entry;
	int pid, parent;

	for (;;) {
		DIR *all = opendir("/proc");

		while ((entry = readdir(all))) {
			FILE *file;

			snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
			file = fopen(path, "re");
			if (!file)
				continue;
			if (fgets(line, sizeof(line), file) &&
			    sscanf(line, "%d (%63[^)]) %*c %d", &pid, found, &parent) == 3 &&
			    parent == getpid() && !strcmp(found, name)) {
				fclose(file);
				closedir(all);
				return pid;
			}
			fclose(file);
		}
		closedir(all);
		ck_assert_int_eq(waitpid(daemon, NULL, WNOHANG), 0);
		usleep(1000);
	}
}

static unsigned entries_of(const char *path)
{
	DIR *all = opendir(path);
	unsigned count = 0;

	while (all && readdir(all))
		count++;
	if (all)
		closedir(all);
	return count;
}

/* @pid has standard input, output and error, and the pipe */
static void descriptors_await(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	while (entries_of(path) != 2 + 4)
		usleep(1000);
}

/* @daemon is this process */
static void group_name(char name[64], pid_t daemon, const char *host)
{
	snprintf(name, 64, "m/a/heddle.%d%s", (int)daemon, host);
}

/* Opens the groups, and keeps one descriptor more, no child. Return: exit status */
static int daemon_run(int go_fd)
{
	unsigned before = entries_of("/proc/self/fd");
	char byte;

	limit_groups_open(&groups, process);
	if (entries_of("/proc/self/fd") != before + 1)
		return 2;
	if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
		return 3;
	return read(go_fd, &byte, 1) == 1 ? 0 : 4;
}

/* Folders that cannot be removed yet are removed later; those of other daemons stay. No signal that
 * ends the daemon ends the process. */
TEST(limit_groups_open__groups_end_with_the_daemon)
{
	char first[64], second[64], inner[80], other[64];
	pid_t daemon, sweeper;
	int go[2], status;
	time_t since;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe2(go, O_CLOEXEC), 0);
	text_write("process/cgroup", UNIFIED);
	mounts_write(MOUNT("/", "cgroup2", "rw"));
	text_write("m/a/pids.max.works", "");
	daemon = fork();
	if (!daemon) {
		testing_leaves();
		_exit(daemon_run(go[0]));
	}
	group_name(first, daemon, ".7");
	group_name(second, daemon, ".8");
	group_name(other, daemon, "5.7");
	folder_make(first);
	folder_make(second);
	folder_make(other);
	snprintf(inner, sizeof(inner), "%s/in", second);
	folder_make(inner);
	sweeper = child_called("heddle-sweep", daemon);
	descriptors_await(sweeper);
	ck_assert_int_eq(getsid(sweeper) == getsid(0), 0);
	usleep(20000);
	ck_assert_int_eq(access(place(first), F_OK), 0);
	ck_assert_int_eq(kill(sweeper, SIGTERM) | kill(sweeper, SIGINT), 0);
	since = time(NULL);
	ck_assert_int_eq(write(go[1], "g", 1), 1);
	close(go[0]);
	close(go[1]);
	ck_assert_int_eq(waitpid(daemon, &status, 0), daemon);
	ck_assert_int_eq(status, 0);
	while (!access(place(first), F_OK))
		usleep(1000);
	usleep(60000); /* it tries again, and again */
	if (waitpid(sweeper, NULL, WNOHANG) == sweeper) {
		ck_assert_int_gt(time(NULL) - since, 8); /* it has tried for ten seconds */
		return;
	}
	ck_assert_int_eq(rmdir(place(inner)), 0);
	ck_assert_int_eq(waitpid(sweeper, &status, 0), sweeper);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(access(place(second), F_OK), -1);
	ck_assert_int_eq(access(place(other), F_OK), 0);
}
