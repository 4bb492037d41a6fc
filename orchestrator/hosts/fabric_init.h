/*  fabric_init - the init process of a fabric: process 1 of the pid namespace in which those of all
 *  hosts are.
 *
 *  It makes the mount namespace of which every host has a copy, and starts the init process of each
 *  host (room_init.h) when the daemon requests it. It ends when the daemon's end of a socket
 *  closes, however the daemon ended, and all programs in hosts end with it (TB-22). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_FABRIC_INIT_H
#define HEDDLE_ORCHESTRATOR_HOSTS_FABRIC_INIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "orchestrator/hosts/room_skeleton.h"

/* its first message: the step that failed, and what it could mount */
struct fabric_init_report {
	int error; /* 0 or -errno */
	char step[64];
	bool hosts_shown;
	bool proc_mounted;
};

/* A request to it is a number, uint32_t, with the descriptors of enum room_begin_fd; the answer is
 * a struct init_answer with value 0 and a pidfd of the host's init process, or with -errno. */

/** fabric_init_fork() - fork() into a new pid and mount namespace. Later children of the caller
 *  stay in its own. */
pid_t fabric_init_fork(void);

/** fabric_init_run() - is the init process, to its end, in the child of fabric_init_fork().
 *  @socket_fd to the daemon; all other descriptors are closed.
 *  @hosts_file the /etc/hosts of the hosts.  @rootless the fabric is in a user namespace. */
_Noreturn void fabric_init_run(int socket_fd, const char *hosts_file, bool rootless,
			       const struct room_skeleton *skeleton);

#endif
