/*  orchestrator/hosts/fabric_init: the /run and the host names of what runs in the fabric's own
 *  namespaces (TB-16, TB-24). A mount namespace of the test stands for the machine. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/hosts/namespace.h"
#include "tests/testing.h"

#define NO_RIGHT 77
#define HOSTS "/run/fabrics/one/hosts"

/* ends the child unless @holds */
#define MUST(holds)                                                                       \
	do {                                                                              \
		if (!(holds)) {                                                           \
			fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #holds); \
			_exit(1);                                                         \
		}                                                                         \
	} while (0)

static struct why why;

TEST_GROUP(fabric_init, .setup = testing_input, .timeout_s = 60);

static bool text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return fine;
}

/* a machine with a /run of its own: a fabric, a folder of the session, and other things */
static void machine_make(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/run", "tmpfs", 0, "mode=755"))
		_exit(NO_RIGHT);
	MUST(!mkdir("/run/fabrics", 0755) && !mkdir("/run/fabrics/one", 0755));
	MUST(!mkdir("/run/fabrics/two", 0755) && !mkdir("/run/user", 0755));
	MUST(!mkdir("/run/user/7", 0700) && !mkdir("/run/other", 0755));
	MUST(text_write("/run/user/7/bus", "x") && text_write(HOSTS, "10.0.0.1\tone\n"));
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
}

/* without this capability a user namespace is needed */
static void root_lose(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { 0 };

	MUST(!syscall(SYS_capget, &header, sets));
	sets[CAP_TO_INDEX(CAP_NET_RAW)].effective &= ~CAP_TO_MASK(CAP_NET_RAW);
	MUST(!syscall(SYS_capset, &header, sets));
}

/* what the init process of the fabric has at @path */
static bool there(const struct fabric_namespaces *namespaces, const char *path)
{
	char whole[256];
	struct stat found;

	snprintf(whole, sizeof(whole), "/proc/%d/root%s", (int)namespaces->init_pid, path);
	return !lstat(whole, &found);
}

static bool text_is(const struct fabric_namespaces *namespaces, const char *path, const char *text)
{
	char whole[256], found[64] = "";
	int fd;

	snprintf(whole, sizeof(whole), "/proc/%d/root%s", (int)namespaces->init_pid, path);
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	(void)!read(fd, found, sizeof(found) - 1);
	close(fd);
	return !strcmp(found, text);
}

/* how many descriptors @pid has */
static unsigned descriptors_of(pid_t pid)
{
	char path[64];
	unsigned count = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count - 2; /* . and .. */
}

/* has /proc/@pid/status this line? */
static bool has_line(pid_t pid, const char *wanted)
{
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		found |= !strcmp(line, wanted);
	if (file)
		fclose(file);
	return found;
}

static void child_is_fine(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_RIGHT)
		printf("skipped: mounts or namespaces are forbidden\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* A rootless fabric has a /run of its own, with the folders of the session and of all fabrics; one
 * of root has the machine's. */
TEST_RANGE(namespaces_open__run, 0, 2)
{
	struct fabric_namespaces namespaces;
	pid_t pid = fork();

	if (!pid) {
		machine_make();
		if (_i)
			root_lose();
		if (namespaces_open(&namespaces, HOSTS, &why))
			_exit(NO_RIGHT);
		MUST(namespaces.rootless == (_i == 1));
		MUST(there(&namespaces, "/run/user/7/bus") && there(&namespaces, HOSTS));
		MUST(there(&namespaces, "/run/fabrics/two"));
		MUST(there(&namespaces, "/run/other") == !_i);
		MUST(text_is(&namespaces, "/etc/hosts", "10.0.0.1\tone\n") ||
		     access("/etc/hosts", F_OK));
		MUST(namespaces.hosts_shown == !access("/etc/hosts", F_OK));
		namespaces_close(&namespaces);
		_exit(0);
	}
	child_is_fine(pid);
}

/* nothing of the caller is kept: no descriptor, blocked signal, umask or session */
TEST(namespaces_open__init_process)
{
	struct fabric_namespaces namespaces;
	sigset_t all;
	pid_t pid = fork();

	if (!pid) {
		machine_make();
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		umask(077);
		MUST(dup2(STDERR_FILENO, 200) == 200);
		if (namespaces_open(&namespaces, HOSTS, &why))
			_exit(NO_RIGHT);
		MUST(descriptors_of(namespaces.init_pid) == 4);
		MUST(has_line(namespaces.init_pid, "SigBlk:\t0000000000000000\n"));
		MUST(has_line(namespaces.init_pid, "Umask:\t0022\n"));
		MUST(has_line(namespaces.init_pid, "Name:\theddle-init\n"));
		MUST(getsid(namespaces.init_pid) == namespaces.init_pid);
		namespaces_close(&namespaces);
		_exit(0);
	}
	child_is_fine(pid);
}

/* a file of another user might be any */
TEST(namespaces_open__hosts_file_of_another_user)
{
	struct fabric_namespaces namespaces;
	pid_t pid = fork();

	if (!pid) {
		machine_make();
		if (namespaces_open(&namespaces, HOSTS, &why))
			_exit(NO_RIGHT);
		namespaces_close(&namespaces);
		if (access("/etc/hosts", F_OK) || chown(HOSTS, 4243, 4243))
			_exit(NO_RIGHT);
		MUST(namespaces_open(&namespaces, HOSTS, &why) == -EPERM);
		MUST(strstr(why.text,
			    "mounting the host names over /etc/hosts is refused (Operation not "
			    "permitted)") == why.text);
		MUST(namespaces.init_fd == -1 && !namespaces.init_pid);
		_exit(0);
	}
	child_is_fine(pid);
}
