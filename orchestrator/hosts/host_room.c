#include "orchestrator/hosts/host_room.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/monotonic.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/base/text_pack.h"

#define PATIENCE_MS 10000 /* for an init process, which may be stopped */
#define NS_PER_MS 1000000ull

/* ---- what it is to be ---- */

static void mounts_pack(FILE *out, const struct host_room_spec *spec)
{
	text_pack_number(out, spec->mount_count);
	for (size_t i = 0; i < spec->mount_count; i++) {
		text_pack_put(out, spec->mounts[i].from);
		text_pack_put(out, spec->mounts[i].to);
		text_pack_number(out, spec->mounts[i].read_only);
	}
}

static int mounts_unpack(struct host_room_spec *spec, struct text_pack *pack)
{
	size_t count = text_pack_take_number(pack);
	struct room_mount *mounts = count > ROOM_MOUNTS_MAX ? NULL : calloc(count, sizeof(*mounts));

	if (!mounts)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		mounts[i].from = text_pack_take(pack);
		mounts[i].to = text_pack_take(pack);
		mounts[i].read_only = text_pack_take_number(pack);
		if (!mounts[i].from || !mounts[i].to)
			return -EINVAL;
	}
	spec->mounts = mounts;
	spec->mount_count = count;
	return 0;
}

static int spec_pack(const struct host_room_spec *spec)
{
	FILE *out = text_pack_begin();

	if (!out)
		return -errno;
	text_pack_put(out, spec->name);
	text_pack_put(out, spec->resolver);
	text_pack_list(out, spec->kept);
	text_pack_number(out, spec->rights.full);
	text_pack_number(out, spec->rights.limits.files);
	text_pack_number(out, spec->rights.limits.processes);
	text_pack_number(out, spec->rights.limits.address_bytes);
	text_pack_put(out, spec->rootfs);
	mounts_pack(out, spec);
	return text_pack_end(out);
}

int host_room_spec_read(struct host_room_spec *spec, int fd)
{
	struct text_pack pack;
	int error = text_pack_read(&pack, fd);

	if (error)
		return error;
	*spec = (struct host_room_spec){ 0 };
	spec->name = text_pack_take(&pack);
	spec->resolver = text_pack_take(&pack);
	spec->kept = text_pack_take_list(&pack);
	spec->rights.full = text_pack_take_number(&pack);
	spec->rights.limits.files = text_pack_take_number(&pack);
	spec->rights.limits.processes = text_pack_take_number(&pack);
	spec->rights.limits.address_bytes = text_pack_take_number(&pack);
	spec->rootfs = text_pack_take(&pack);
	return spec->name && spec->resolver && spec->kept && spec->rootfs
		       ? mounts_unpack(spec, &pack)
		       : -EINVAL;
}

/* ---- the init process ---- */

static uint64_t patience_end_ns(void)
{
	return monotonic_ns() + PATIENCE_MS * NS_PER_MS;
}

/* waits until @socket_fd has @events, or is closed.  Return: 0 or -errno */
static int socket_await(int socket_fd, short events, uint64_t until_ns)
{
	struct pollfd polled = { socket_fd, events, 0 };
	uint64_t now_ns;
	int ready;

	do {
		now_ns = monotonic_ns();
		ready = now_ns < until_ns
				? poll(&polled, 1, (int)((until_ns - now_ns) / NS_PER_MS) + 1)
				: 0;
	} while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : ready ? 0 : -ETIMEDOUT;
}

/* waits for a message of an init process.  Return: its length, or -errno */
static ssize_t answer_receive(int socket_fd, void *answer, size_t length, int *fds,
			      unsigned *fd_count, uint64_t until_ns)
{
	int error = socket_await(socket_fd, POLLIN, until_ns);

	if (!error)
		return descriptor_receive(socket_fd, answer, length, fds, fd_count);
	*fd_count = 0;
	return error;
}

/* of the next request; none is like that of a request whose answer may still come */
static uint32_t request_number(void)
{
	static uint32_t last;

	return ++last;
}

/* Waits for the answer to request @number, and drops late answers to others.
 * @process_fd  NULL, or receives the descriptor that comes with it; -1: none.
 * Return: its value, or -errno */
static int answer_await(int socket_fd, uint32_t number, int *process_fd, uint64_t until_ns)
{
	struct init_answer answer = { 0 };
	int fd = -1;
	ssize_t length;

	do {
		unsigned count = 1;

		descriptor_close(&fd);
		length = answer_receive(socket_fd, &answer, sizeof(answer), &fd, &count, until_ns);
	} while (length == (ssize_t)sizeof(answer) && answer.number != number);
	if (length != (ssize_t)sizeof(answer))
		answer.value = length < 0 ? (int)length : -ECHILD;
	if (process_fd && answer.value >= 0)
		*process_fd = fd;
	else
		descriptor_close(&fd);
	return answer.value;
}

/* Sends a request, which an init process may leave unread, and waits for its answer.
 * Return: as answer_await() */
static int init_ask(int socket_fd, uint32_t number, const void *request, size_t length,
		    const int *fds, unsigned fd_count, int *process_fd)
{
	const uint64_t until_ns = patience_end_ns();
	int error = socket_fd < 0 ? -ECHILD : socket_await(socket_fd, POLLOUT, until_ns);
	ssize_t sent = error ? error : descriptor_send(socket_fd, request, length, fds, fd_count);

	return sent < 0 ? (int)sent : answer_await(socket_fd, number, process_fd, until_ns);
}

/* has the fabric's init process start that of the host.  Return: 0 or -errno */
static int init_begin(struct host_room *room, const struct fabric_namespaces *namespaces,
		      const int fds[ROOM_BEGIN_FDS])
{
	const uint32_t number = request_number();
	int error = init_ask(namespaces->init_fd, number, &number, sizeof(number), fds,
			     ROOM_BEGIN_FDS, &room->process_fd);

	return error ? error : room->process_fd >= 0 ? 0 : -EPROTO;
}

static int report_await(struct host_room *room, struct why *why)
{
	struct room_report report = { 0 };
	int fds[3] = { -1, -1, -1 };
	unsigned count = COUNT_OF(fds);
	ssize_t length = answer_receive(room->socket_fd, &report, sizeof(report), fds, &count,
					patience_end_ns());

	room->mount_fd = fds[0];
	room->pid_fd = fds[1];
	room->tmp_fd = fds[2];
	room->proc_mounted = report.proc_mounted;
	if (length != (ssize_t)sizeof(report))
		return why_say(why, length < 0 ? (int)length : -ECHILD, "its init process: %s",
			       length < 0 ? strerror((int)-length) : "it ended");
	return report.error ? why_say(why, report.error, "%.*s: %s", (int)sizeof(report.step),
				      report.step, strerror(-report.error))
			    : 0;
}

static int room_begin(struct host_room *room, const struct fabric_namespaces *namespaces,
		      int spec_fd, int net_fd, int uts_fd, struct why *why)
{
	int pair[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return why_say(why, -errno, "a socket to its init process: %s", strerror(errno));
	room->socket_fd = pair[0];
	error = init_begin(room, namespaces,
			   (const int[ROOM_BEGIN_FDS]){ [ROOM_BEGIN_SPEC] = spec_fd,
							[ROOM_BEGIN_SOCKET] = pair[1],
							[ROOM_BEGIN_NET] = net_fd,
							[ROOM_BEGIN_UTS] = uts_fd });
	close(pair[1]);
	if (error)
		return why_say(why, error, "its pid and mount namespace: %s%s", strerror(-error),
			       error == -EAGAIN ? ": " NAMESPACE_PROCESS_LIMIT : "");
	return report_await(room, why);
}

int host_room_make(struct host_room *room, const struct fabric_namespaces *namespaces, int net_fd,
		   int uts_fd, const struct host_room_spec *spec, struct why *why)
{
	struct why reason = { "not enough memory" };
	int spec_fd = spec_pack(spec);
	int error = spec_fd < 0 ? spec_fd : 0;

	*room = HOST_ROOM_NONE;
	if (!error)
		error = room_begin(room, namespaces, spec_fd, net_fd, uts_fd, &reason);
	descriptor_close(&spec_fd);
	if (error) {
		why_say(why, 0, "host %s: %s", spec->name, reason.text);
		host_room_free(room);
	}
	return error;
}

pid_t host_room_pid(const struct host_room *room)
{
	char path[64], line[128];
	long pid = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", room->process_fd);
	file = fopen(path, "re");
	while (file && pid < 0 && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "Pid: %ld", &pid);
	if (file)
		fclose(file);
	return (pid_t)pid;
}

bool host_room_alive(const struct host_room *room)
{
	struct pollfd polled = { room->process_fd, POLLIN, 0 };

	return room->process_fd >= 0 && !poll(&polled, 1, 0);
}

/* The init process ends after all others of its namespace. */
void host_room_free(struct host_room *room)
{
	struct pollfd polled = { room->process_fd, POLLIN, 0 };

	descriptor_close(&room->socket_fd);
	if (room->process_fd >= 0 &&
	    !syscall(SYS_pidfd_send_signal, room->process_fd, SIGKILL, NULL, 0))
		while (poll(&polled, 1, PATIENCE_MS) < 0 && errno == EINTR)
			;
	descriptor_close(&room->process_fd);
	descriptor_close(&room->tmp_fd);
	descriptor_close(&room->mount_fd);
	descriptor_close(&room->pid_fd);
}

int host_room_start(const struct host_room *room, const int *fds, unsigned fd_count,
		    uint64_t output_bytes_max)
{
	const struct room_start start = { request_number(), output_bytes_max };

	return init_ask(room->socket_fd, start.number, &start, sizeof(start), fds, fd_count, NULL);
}
