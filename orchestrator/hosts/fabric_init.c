#include "orchestrator/hosts/fabric_init.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/hosts/mount_step.h"
#include "orchestrator/hosts/room_init.h"

/* ---- the mounts that all hosts begin with ---- */

static void step_failed(struct fabric_init_report *report, const char *step)
{
	report->error = -errno;
	snprintf(report->step, sizeof report->step, "%s", step);
}

/* Mounts a file only if it is a regular file of ours: the path may name another one by now. Return:
 * 0 or -1 with errno */
static int hosts_file_mount(const char *hosts_file)
{
	int fd = open(hosts_file, O_PATH | O_NOFOLLOW | O_CLOEXEC), error;
	struct stat found;
	char path[64];

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &found) || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) {
		errno = EPERM;
		error = -1;
	} else {
		error = mount(path, "/etc/hosts", NULL, MS_BIND, NULL);
	}
	close(fd);
	return error;
}

/* An ordinary user may not write to the machine's /run. What runs in the fabric's own namespaces
 * (`heddle exec` of a switch) has a /run of the fabric, with the folder of the session and that of
 * the fabrics. Where it is refused, they have the machine's. */
static void run_folder_make(const char *hosts_file)
{
	const char *end = strrchr(hosts_file, '/');
	struct mount_kept session, fabrics;
	char path[PATH_MAX] = "";

	/* RUNTIME/FABRIC/hosts */
	while (end && end > hosts_file && *--end != '/')
		;
	if (end)
		snprintf(path, sizeof(path), "%.*s", (int)(end - hosts_file), hosts_file);
	mount_keep(&session, getenv("XDG_RUNTIME_DIR"), "/run");
	mount_keep(&fabrics, path, "/run");
	if (mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"))
		return;
	mount_restore(&session);
	mount_restore(&fabrics);
}

static void mounts_make(struct fabric_init_report *report, const char *hosts_file, bool rootless)
{
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		step_failed(report, "making the hosts' mounts private");
		return;
	}
	report->hosts_shown = !access("/etc/hosts", F_OK);
	if (report->hosts_shown && hosts_file_mount(hosts_file))
		step_failed(report, "mounting the host names over /etc/hosts");
	if (rootless)
		run_folder_make(hosts_file);
	report->proc_mounted = mount_proc("/proc");
}

/* ---- the init processes of hosts ---- */

pid_t fabric_init_fork(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL,
			      NULL);
}

/* Return: a pidfd of the process, or -errno */
static int room_begin(const int fds[ROOM_BEGIN_FDS], const struct room_skeleton *skeleton)
{
	pid_t pid = fabric_init_fork();
	int process_fd;

	if (!pid)
		room_init_run(fds, skeleton);
	if (pid < 0)
		return -errno;
	process_fd = pidfd_open(pid, 0);
	if (process_fd >= 0)
		return process_fd;
	process_fd = -errno;
	kill(pid, SIGKILL);
	return process_fd;
}

/* false: the daemon has ended */
static bool request_serve(int socket_fd, const struct room_skeleton *skeleton)
{
	int fds[ROOM_BEGIN_FDS], process_fd = -EINVAL;
	unsigned count = ROOM_BEGIN_FDS;
	struct init_answer answer = { 0 };
	ssize_t length =
		descriptor_receive(socket_fd, &answer.number, sizeof(answer.number), fds, &count);

	if (length <= 0)
		return false;
	if (count == ROOM_BEGIN_FDS)
		process_fd = room_begin(fds, skeleton);
	while (count)
		close(fds[--count]);
	answer.value = process_fd < 0 ? process_fd : 0;
	length = descriptor_send(socket_fd, &answer, sizeof(answer), &process_fd, !answer.value);
	if (process_fd >= 0)
		close(process_fd);
	return length == (ssize_t)sizeof(answer);
}

/* closes all descriptors but the socket, which becomes 3: a terminal or pipe of the caller must not
 * stay open */
static void descriptors_close(int socket_fd)
{
	int null_fd = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2; fd++)
		dup2(null_fd, fd);
	if (socket_fd != 3)
		dup2(socket_fd, 3);
	close_range(4, ~0u, 0);
}

/* It ignores SIGCHLD, so the kernel reaps all processes here, orphans too. */
_Noreturn void fabric_init_run(int socket_fd, const char *hosts_file, bool rootless,
			       const struct room_skeleton *skeleton)
{
	struct fabric_init_report report = { 0 };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "heddle-init");
	signal(SIGCHLD, SIG_IGN);
	umask(022);
	setsid();
	mounts_make(&report, hosts_file, rootless);
	descriptors_close(socket_fd);
	if (write(3, &report, sizeof report) != (ssize_t)sizeof report || report.error)
		_exit(1);
	while (request_serve(3, skeleton))
		;
	_exit(0);
}
