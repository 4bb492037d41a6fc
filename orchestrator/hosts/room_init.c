#include "orchestrator/hosts/room_init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/hosts/host_room.h"
#include "orchestrator/hosts/room_files.h"
#include "orchestrator/hosts/room_log.h"
#include "orchestrator/hosts/room_program.h"
#include "orchestrator/hosts/room_root.h"

#define POLLED_MAX (1 + 2 * ROOM_PROGRAMS_MAX)

/* a program whose end is to be told */
struct awaited {
	pid_t pid;
	int status_fd;
};

/* what a program prints; its children may print on when it has ended */
struct printed {
	pid_t pid;
	struct room_log log;
};

struct room {
	struct host_rights rights;
	int socket_fd, tmp_fd;
	int descriptors_fd;       /* /proc/self/fd of a /proc that the host may lack */
	struct awaited *programs; /* [ROOM_PROGRAMS_MAX] */
	struct printed *logs;     /* [ROOM_PROGRAMS_MAX] */
	struct pollfd *polled;    /* [POLLED_MAX]: the socket, programs, logs */
	unsigned count, log_count;
};

static void report_failed(struct room_report *report, const char *step)
{
	report->error = -errno;
	snprintf(report->step, sizeof(report->step), "%s", step);
}

/* ---- making the sandbox ---- */

static void namespaces_enter(const int fds[ROOM_BEGIN_FDS], struct room_report *report)
{
	if (setns(fds[ROOM_BEGIN_NET], CLONE_NEWNET))
		report_failed(report, "entering the network namespace");
	else if (setns(fds[ROOM_BEGIN_UTS], CLONE_NEWUTS))
		report_failed(report, "entering the UTS namespace");
	/* shared memory and message queues of the machine; a container may forbid it */
	else
		(void)unshare(CLONE_NEWIPC);
}

/* Return: the number of descriptors at @fds, or -errno */
static int own_namespaces(int fds[3], int tmp_fd)
{
	unsigned count = 2;

	fds[0] = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	fds[1] = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (fds[0] < 0 || fds[1] < 0)
		return -errno;
	if (tmp_fd >= 0)
		fds[count++] = tmp_fd;
	return (int)count;
}

static void files_make(struct room *room, const struct host_room_spec *spec,
		       const struct room_skeleton *skeleton, struct room_report *report)
{
	const bool own_root = *spec->rootfs;
	const struct room_files_spec files = { spec->name, spec->resolver, spec->kept,
					       own_root ? NULL : skeleton };
	struct room_mounts mounts;

	report->error = room_mounts_open(&mounts, spec->mounts, spec->mount_count, report->step,
					 sizeof(report->step));
	if (!report->error && own_root)
		report->error = room_root_enter(spec->rootfs, report->step, sizeof(report->step));
	if (report->error)
		return;
	room->tmp_fd = room_files_make(&files, &report->proc_mounted);
	report->tmp_private = room->tmp_fd >= 0;
	report->error = room_mounts_make(
		&mounts,
		(const char *const[]){ report->tmp_private ? "/tmp" : NULL, own_root ? "/" : NULL },
		report->step, sizeof(report->step));
	if (own_root)
		room_root_leave();
}

static bool room_make(struct room *room, const int fds[ROOM_BEGIN_FDS],
		      const struct room_skeleton *skeleton)
{
	struct room_report report = { 0 };
	struct host_room_spec spec;
	int own[3], count = 0;
	bool sent;

	namespaces_enter(fds, &report);
	if (!report.error) {
		report.error = host_room_spec_read(&spec, fds[ROOM_BEGIN_SPEC]);
		snprintf(report.step, sizeof(report.step), "reading what it is to be");
	}
	if (!report.error) {
		room->rights = spec.rights;
		files_make(room, &spec, skeleton, &report);
	}
	if (!report.error) {
		count = own_namespaces(own, room->tmp_fd);
		if (count < 0)
			report_failed(&report, "its namespaces");
	}
	sent = descriptor_send(room->socket_fd, &report, sizeof(report), own,
			       count > 0 ? (unsigned)count : 0) == (ssize_t)sizeof(report);
	if (count > 0) { /* the third one is tmp_fd, which stays */
		close(own[0]);
		close(own[1]);
	}
	return sent && !report.error;
}

/* ---- programs ---- */

/* in the child */
static _Noreturn void program_run(const struct room *room, int fds[ROOM_START_FDS], int status_fd,
				  const sigset_t *mask)
{
	struct room_status failed;

	setsid();
	/* what heddle ignores, and what it was started to ignore, the program must not */
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	for (int i = 0; i < 3; i++)
		if (dup2(fds[ROOM_START_INPUT + i], i) < 0)
			_exit(127);
	failed = room_program_run(fds[ROOM_START_WORDS], room->tmp_fd, &room->rights);
	if (status_fd >= 0)
		(void)!write(status_fd, &failed, sizeof(failed));
	_exit(127);
}

/* The end of a pipe as a file description of our own that does not block. With that of @fd others
 * could fill the pipe, clear the flag, and so stop this process in its next write. What does not
 * fit is lost: the reader of a full pipe does not read.
 * Return: -errno; -EINVAL: it is no pipe, -ECANCELED: no one reads it. */
static int status_open(const struct room *room, int fd)
{
	struct pollfd polled = { fd, 0, 0 };
	struct stat found;
	char name[16];
	int own;

	if (fstat(fd, &found) || !S_ISFIFO(found.st_mode))
		return -EINVAL;
	if (poll(&polled, 1, 0))
		return -ECANCELED;
	snprintf(name, sizeof(name), "%d", fd);
	own = openat(room->descriptors_fd, name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return own < 0 ? -errno : own;
}

/* Puts a log between the program and its file. If the program is not started, nothing can print any
 * more, which ends the log.   Return: 0 or -errno */
static int log_begin(struct room *room, int fds[ROOM_START_FDS], uint64_t bytes_max)
{
	struct room_log *log = &room->logs[room->log_count].log;
	int pipe_fd = room->log_count == ROOM_PROGRAMS_MAX
			      ? -EAGAIN
			      : room_log_open(log, fds[ROOM_START_OUTPUT], bytes_max);

	if (pipe_fd < 0)
		return pipe_fd;
	dup3(pipe_fd, fds[ROOM_START_OUTPUT], O_CLOEXEC);
	dup3(pipe_fd, fds[ROOM_START_ERROR], O_CLOEXEC);
	close(pipe_fd);
	room->log_count++;
	return 0;
}

/* Return: the pid, or -errno. @status_fd  -1: its end is not awaited. */
static int program_fork(struct room *room, int fds[ROOM_START_FDS], int status_fd,
			const sigset_t *mask)
{
	pid_t pid = fork();

	if (!pid)
		program_run(room, fds, status_fd, mask);
	if (pid > 0 && status_fd >= 0)
		room->programs[room->count++] = (struct awaited){ pid, status_fd };
	return pid < 0 ? -errno : pid;
}

/* Return: the pid, or -errno. Takes the descriptors. */
static int program_start(struct room *room, const struct room_start *start, int fds[ROOM_START_FDS],
			 unsigned count, const sigset_t *mask)
{
	int status_fd = -1, pid = count < ROOM_START_STATUS ? -EINVAL : 0;

	if (count > ROOM_START_STATUS) {
		status_fd = room->count == ROOM_PROGRAMS_MAX
				    ? -EAGAIN
				    : status_open(room, fds[ROOM_START_STATUS]);
		pid = status_fd < 0 ? status_fd : 0;
	}
	if (!pid && start->output_bytes_max)
		pid = log_begin(room, fds, start->output_bytes_max);
	if (!pid)
		pid = program_fork(room, fds, status_fd, mask);
	if (pid < 0)
		descriptor_close(&status_fd);
	else if (start->output_bytes_max)
		room->logs[room->log_count - 1].pid = pid;
	while (count)
		close(fds[--count]);
	return pid;
}

static void program_forget(struct room *room, unsigned at)
{
	close(room->programs[at].status_fd);
	room->programs[at] = room->programs[--room->count];
}

/* what an ended program has printed is in its log before its end is told */
static void printed_drain(struct room *room, pid_t pid)
{
	for (unsigned i = 0; i < room->log_count; i++)
		if (room->logs[i].pid == pid)
			room_log_drain(&room->logs[i].log);
}

static void ended_reap(struct room *room)
{
	struct room_status ended = { .kind = ROOM_ENDED };
	pid_t pid;

	while ((pid = waitpid(-1, &ended.value, WNOHANG)) > 0) {
		printed_drain(room, pid);
		for (unsigned i = 0; i < room->count; i++) {
			if (room->programs[i].pid != pid)
				continue;
			(void)!write(room->programs[i].status_fd, &ended, sizeof(ended));
			program_forget(room, i);
			break;
		}
	}
}

/* programs whose readers have ended are killed, with their group */
static void unread_kill(struct room *room)
{
	for (unsigned i = room->count; i-- > 0;) {
		if (!(room->polled[1 + i].revents & (POLLERR | POLLNVAL)))
			continue;
		/* it has no group of its own if it has just been started */
		kill(room->programs[i].pid, SIGKILL);
		kill(-room->programs[i].pid, SIGKILL);
		program_forget(room, i);
	}
}

/* @polled  those of the logs */
static void logs_pass(struct room *room, const struct pollfd *polled)
{
	for (unsigned i = room->log_count; i-- > 0;) {
		if (!polled[i].revents || room_log_pass(&room->logs[i].log) >= 0)
			continue;
		room_log_close(&room->logs[i].log);
		room->logs[i] = room->logs[--room->log_count];
	}
}

/* ---- the loop ---- */

/* false: the daemon has ended, or the host */
static bool request_serve(struct room *room, const sigset_t *mask)
{
	struct room_start start = { 0 };
	struct init_answer answer;
	int fds[ROOM_START_FDS];
	unsigned count = COUNT_OF(fds);
	ssize_t length = descriptor_receive(room->socket_fd, &start, sizeof(start), fds, &count);

	if (length <= 0)
		return false;
	answer =
		(struct init_answer){ start.number, program_start(room, &start, fds, count, mask) };
	return descriptor_send(room->socket_fd, &answer, sizeof(answer), NULL, 0) ==
	       (ssize_t)sizeof(answer);
}

/* Return: their number */
static unsigned polled_fill(struct room *room)
{
	unsigned count = 0;

	room->polled[count++] = (struct pollfd){ room->socket_fd, POLLIN, 0 };
	for (unsigned i = 0; i < room->count; i++)
		room->polled[count++] = (struct pollfd){ room->programs[i].status_fd, 0, 0 };
	for (unsigned i = 0; i < room->log_count; i++)
		room->polled[count++] = (struct pollfd){ room->logs[i].log.from_fd, POLLIN, 0 };
	return count;
}

static void serve(struct room *room, const sigset_t *mask)
{
	for (;;) {
		if (ppoll(room->polled, polled_fill(room), NULL, mask) > 0) {
			logs_pass(room, room->polled + 1 + room->count);
			unread_kill(room);
			if (room->polled[0].revents && !request_serve(room, mask))
				return;
		}
		ended_reap(room);
	}
}

static void woken(int signal_number)
{
	(void)signal_number;
}

/* Their numbers become 3 and up; nothing else stays open. */
static void descriptors_close(int fds[ROOM_BEGIN_FDS])
{
	for (int i = 0; i < ROOM_BEGIN_FDS; i++)
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3 + 2 * ROOM_BEGIN_FDS);
	for (int i = 0; i < ROOM_BEGIN_FDS; i++)
		fds[i] = dup3(fds[i], 3 + i, O_CLOEXEC);
	close_range(3 + ROOM_BEGIN_FDS, ~0u, 0);
}

_Noreturn void room_init_run(const int begin_fds[ROOM_BEGIN_FDS],
			     const struct room_skeleton *skeleton)
{
	const struct sigaction wake = { .sa_handler = woken, .sa_flags = SA_NOCLDSTOP };
	struct room room = { .tmp_fd = -1 };
	int fds[ROOM_BEGIN_FDS];
	sigset_t none, child;

	memcpy(fds, begin_fds, sizeof(fds));
	descriptors_close(fds);
	room.socket_fd = fds[ROOM_BEGIN_SOCKET];
	room.descriptors_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sigemptyset(&none);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	sigaction(SIGCHLD, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
	setsid();
	room.programs = calloc(ROOM_PROGRAMS_MAX, sizeof(*room.programs));
	room.logs = calloc(ROOM_PROGRAMS_MAX, sizeof(*room.logs));
	room.polled = calloc(POLLED_MAX, sizeof(*room.polled));
	if (!room.programs || !room.logs || !room.polled || !room_make(&room, fds, skeleton))
		_exit(1);
	close(fds[ROOM_BEGIN_SPEC]);
	close(fds[ROOM_BEGIN_NET]);
	close(fds[ROOM_BEGIN_UTS]);
	serve(&room, &none);
	_exit(0);
}
