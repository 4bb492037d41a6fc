/*  host_room - the sandbox of a host: what makes it a machine of its own beside its network (DU-3).
 *
 *  It has PID, mount, UTS and IPC namespaces, an init process, a file system with folders of its
 *  own, and rights.
 *
 *     machine:  heddle daemon
 *     fabric's pid namespace:  init process (fabric_init.h), which starts one for each host:
 *        host's pid namespace:  init process (room_init.h) --- programs
 *
 *  The pid namespace of a host is inside of that of the fabric: when the fabric ends, all ends. The
 *  daemon has the fabric's init process make a sandbox, since that one is in the fabric's mount
 *  namespace, of which a host has a copy, and holds nothing of the daemon's memory: a program of
 *  the host that would break its init process finds nothing of the fabric in it.
 *  Cost: 2.3 ms of CPU and 0.1 MB for each host, and what the kernel needs for 80 mounts.
 *  Place: called by the daemon (live_room.h). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_ROOM_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/why.h"
#include "orchestrator/hosts/host_rights.h"
#include "orchestrator/hosts/limit_group.h"
#include "orchestrator/hosts/namespace.h"
#include "orchestrator/hosts/room_init.h"
#include "orchestrator/hosts/room_mounts.h"
#include "orchestrator/hosts/room_program.h"

struct host_room_spec {
	const char *name;     /* of the host */
	const char *resolver; /* text of its /etc/resolv.conf */
	/* folders below /run or /tmp that stay visible, NULL-terminated; NULL: none. Programs
	 * cannot write to the first one, wherever it is */
	char *const *kept;
	const char *rootfs;              /* a folder; NULL or "": the machine's files */
	const struct room_mount *mounts; /* in this order */
	size_t mount_count;              /* at most ROOM_MOUNTS_MAX */
	struct host_rights rights;
};

/* Descriptors are -1 when not open, and closed on exec. */
struct host_room {
	int pid_fd, mount_fd;
	int tmp_fd;     /* of the machine's /tmp: room_files_show(); -1: /tmp is not private */
	int socket_fd;  /* to the init process; closed when it has ended */
	int process_fd; /* pidfd of it */
	bool proc_mounted;
	struct limit_group group;
};

#define HOST_ROOM_NONE ((struct host_room){ -1, -1, -1, -1, -1, false, LIMIT_GROUP_NONE })

/** host_room_make() - makes it, and waits until it is ready. @net_fd, @uts_fd  namespaces of the
 *  host; borrowed.
 *  Return: 0, or -errno with the step and the reason in @why; then nothing of it remains. */
int host_room_make(struct host_room *room, const struct fabric_namespaces *namespaces, int net_fd,
		   int uts_fd, const struct host_room_spec *spec, struct why *why);

/** host_room_pid() - its init process, as this process sees it; -1: it has ended. */
pid_t host_room_pid(const struct host_room *room);

/** host_room_alive() - does its init process run? One system call. */
bool host_room_alive(const struct host_room *room);

/** host_room_free() - ends all programs of the host, and waits for their end. Safe if not made. */
void host_room_free(struct host_room *room);

/** host_room_start() - starts a program in the host, in a session of its own, as root of the host
 *  or as another user. If the init process is stopped, the caller waits for 10 s at most.
 *  @fds  of enum room_start_fd: its words (room_program_pack()), standard input, output and error,
 *  and if @fd_count is ROOM_START_FDS a pipe that receives its end as a struct room_status. All are
 *  borrowed.
 *  @output_bytes_max  0: no limit; else output and error are the same file: room_log.h.
 *  The program is killed, with its process group, when the pipe's last reader closes.
 *  Return: its pid as the host sees it; -errno: the host has ended, or it has too many programs;
 *  -ETIMEDOUT: no answer in time; the caller then closes the pipe, so that no program runs that was
 *  refused. An error of exec comes by the pipe. */
int host_room_start(const struct host_room *room, const int *fds, unsigned fd_count,
		    uint64_t output_bytes_max);

/** host_room_spec_read() - reads a spec that host_room_make() has written to memory file @fd, into
 *  memory that is not freed.   Return: 0 or -errno. */
int host_room_spec_read(struct host_room_spec *spec, int fd);

#endif
