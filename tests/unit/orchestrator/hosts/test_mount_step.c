/*  orchestrator/hosts/mount_step: what programs of root can write in the /proc and /sys of a host,
 *  and what is mounted read-only (DU-3). A child of the test has namespaces of its own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/hosts/mount_step.h"
#include "tests/testing.h"

#define NO_RIGHT 77
#define HARMLESS (ST_NOSUID | ST_NODEV | ST_NOEXEC)

/* ends the child unless @holds */
#define MUST(holds)                                                                       \
	do {                                                                              \
		if (!(holds)) {                                                           \
			fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #holds); \
			_exit(1);                                                         \
		}                                                                         \
	} while (0)

/* flags of the mount that @path is in; all ones: there is no such path */
static unsigned long flags_of(const char *path)
{
	struct statvfs found;

	return statvfs(path, &found) ? ~0ul : found.f_flag & (HARMLESS | ST_RDONLY);
}

static bool there(const char *path)
{
	struct stat found;

	return !lstat(path, &found);
}

/* 0, or why no file can be made at @path */
static int make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool line_write(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool fine = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);

	if (fd >= 0)
		close(fd);
	return fine;
}

/* this process is root of namespaces of its own; any user may be that */
static bool namespaces_make(void)
{
	char user[32], group[32];

	snprintf(user, sizeof(user), "0 %u 1", (unsigned)geteuid());
	snprintf(group, sizeof(group), "0 %u 1", (unsigned)getegid());
	if (geteuid() &&
	    (unshare(CLONE_NEWUSER) || !line_write("/proc/self/setgroups", "deny") ||
	     !line_write("/proc/self/uid_map", user) || !line_write("/proc/self/gid_map", group)))
		return false;
	return !unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET);
}

/* runs @check as the first process of its pid namespace, with a tmpfs of its own at /tmp */
static void in_namespaces(void (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!namespaces_make() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
			_exit(NO_RIGHT);
		pid = fork();
		if (!pid) {
			check();
			_exit(0);
		}
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_RIGHT)
		printf("skipped: mounts are forbidden\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* ---- single mounts ---- */

/* Only the mount at the path changes: the file system below stays writable. */
static void guards(void)
{
	MUST(!mkdir("/tmp/a", 0755) && !mkdir("/tmp/b", 0755) && !make("/tmp/a/file"));
	mount_guard("/tmp/a", true);
	mount_guard("/tmp/b", false);
	mount_guard("/tmp/none", true);
	MUST(flags_of("/tmp/a") == (HARMLESS | ST_RDONLY));
	MUST(flags_of("/tmp/b") == HARMLESS);
	MUST(flags_of("/tmp") == 0);
	MUST(there("/tmp/a/file") && make("/tmp/a/new") == EROFS);
	MUST(!make("/tmp/b/new") && !make("/tmp/new"));
	MUST(!there("/tmp/none"));
}

TEST(mount_guard__read_only_or_not)
{
	in_namespaces(guards);
}

/* The mounts in a folder are shown with it, and are as read-only. */
static void binds(void)
{
	MUST(!mkdir("/tmp/from", 0755) && !mkdir("/tmp/from/in", 0755));
	MUST(!mount("tmpfs", "/tmp/from/in", "tmpfs", 0, NULL) && !make("/tmp/from/in/file"));
	MUST(!mkdir("/tmp/to", 0755) && !mkdir("/tmp/other", 0755));
	MUST(mount_bind("/tmp/from", "/tmp/to", true) == 0);
	MUST(there("/tmp/to/in/file"));
	MUST(make("/tmp/to/new") == EROFS && make("/tmp/to/in/new") == EROFS);
	MUST(mount_bind("/tmp/from", "/tmp/other", false) == 0);
	MUST(there("/tmp/other/in/file"));
	MUST(!make("/tmp/other/new") && !make("/tmp/other/in/new") && there("/tmp/from/in/new"));
	MUST(mount_bind("/tmp/none", "/tmp/to", false) == -ENOENT);
	MUST(mount_read_only("/tmp/other/in") == 0 && make("/tmp/other/in/new2") == EROFS);
	MUST(!make("/tmp/other/new2"));
	MUST(!mkdir("/tmp/plain", 0755) && mount_read_only("/tmp/plain") == -EINVAL);
	MUST(!make("/tmp/plain/new"));
	MUST(mount_read_only("/tmp/none") == -ENOENT);
}

TEST(mount_bind__with_the_mounts_inside)
{
	in_namespaces(binds);
}

/* Linux before 5.12 has no mount_setattr(): what cannot be read-only is not shown at all. */
static void refused(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount_setattr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = COUNT_OF(steps), .filter = steps };

	MUST(!mkdir("/tmp/from", 0755) && !mkdir("/tmp/to", 0755) && !make("/tmp/from/file"));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(NO_RIGHT);
	MUST(mount_bind("/tmp/from", "/tmp/to", true) == -ENOSYS);
	MUST(!there("/tmp/to/file"));
	MUST(mount_bind("/tmp/from", "/tmp/to", false) == 0 && there("/tmp/to/file"));
}

TEST(mount_bind__read_only_is_refused)
{
	in_namespaces(refused);
}

/* ---- /proc and /sys ---- */

static void proc(void)
{
	static const char *const guarded[] = { "/tmp/proc/sys", "/tmp/proc/sysrq-trigger",
					       "/tmp/proc/irq", "/tmp/proc/bus", "/tmp/proc/fs" };
	char self[16] = "";

	MUST(!mkdir("/tmp/proc", 0755));
	MUST(!mount_proc("/tmp/none"));
	if (!mount_proc("/tmp/proc"))
		_exit(there("/tmp/proc/self") ? 1 : NO_RIGHT);
	/* of this pid namespace, where this process is the first one */
	MUST(readlink("/tmp/proc/self", self, sizeof(self) - 1) == 1 && !strcmp(self, "1"));
	MUST(flags_of("/tmp/proc") == HARMLESS);
	for (size_t i = 0; i < COUNT_OF(guarded); i++)
		if (there(guarded[i]))
			MUST(flags_of(guarded[i]) == (HARMLESS | ST_RDONLY));
	MUST(flags_of("/tmp/proc/sys/net") == HARMLESS);
	/* any other parameter is the machine's */
	MUST(make("/tmp/proc/sys/kernel/hostname") != 0);
	MUST(make("/tmp/proc/sys/net/ipv4/ip_forward") == 0);
	MUST(make("/tmp/proc/1/comm") == 0);
}

TEST(mount_proc__network_parameters_can_be_written)
{
	in_namespaces(proc);
}

static void sys(void)
{
	MUST(!mkdir("/tmp/sys", 0755));
	MUST(!mount_sys("/tmp/none"));
	if (!mount_sys("/tmp/sys"))
		_exit(there("/tmp/sys/devices") ? 1 : NO_RIGHT);
	MUST(there("/tmp/sys/class/net/lo"));
	MUST(flags_of("/tmp/sys") == (HARMLESS | ST_RDONLY));
	MUST(flags_of("/tmp/sys/devices") == (HARMLESS | ST_RDONLY));
	MUST(flags_of("/tmp/sys/devices/virtual/net") == HARMLESS);
	MUST(make("/tmp/sys/devices/virtual/net/lo/mtu") == 0);
}

TEST(mount_sys__interfaces_can_be_written)
{
	in_namespaces(sys);
}
