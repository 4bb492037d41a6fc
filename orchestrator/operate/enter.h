/*  enter - runs a program in a host of a fabric (`heddle exec`, TB-15).
 *
 *  The caller enters the host's namespaces and forks, since only children are in the new pid
 *  namespace. Then it waits for the child. Both are in one process group, so signals of the
 *  terminal (^C, ^Z, a new window size) reach the program directly; signals that another process
 *  sends to the caller are forwarded. A namespace that the caller is in already is not entered: a
 *  program in one host (mpirun) may start others in other hosts, and the kernel forbids entering
 *  the own user namespace. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_ENTER_H
#define HEDDLE_ORCHESTRATOR_OPERATE_ENTER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "orchestrator/hosts/host_rights.h"
#include "orchestrator/hosts/limit_group.h"

/* Borrowed; -1: that namespace stays the caller's. */
struct enter_fds {
	int user_fd;
	int pid_fd;
	int mount_fd;
	int net_fd;
	int uts_fd;
	pid_t parent; /* the caller's parent: when it has ended, the program gets SIGTERM; 0: the
		       * program continues */
	struct host_rights rights;
	bool room;  /* the host has a sandbox of its own: host_room.h */
	int tmp_fd; /* of a sandbox; room_files_show(); -1: none */
	/* origin of its time, and the library for it (host_dilation.h); "": it is not dilated */
	char dilation[96], preload[PATH_MAX];
	char rootfs[PATH_MAX];    /* its root file system: host_user.h; "": the machine's */
	struct limit_group group; /* that the program joins */
};

/* all namespaces stay the caller's, and no group is joined */
#define ENTER_FDS_NONE                       \
	((struct enter_fds){ .user_fd = -1,  \
			     .pid_fd = -1,   \
			     .mount_fd = -1, \
			     .net_fd = -1,   \
			     .uts_fd = -1,   \
			     .tmp_fd = -1,   \
			     .group = LIMIT_GROUP_NONE })

/** enter_run() - runs @argv (NULL-terminated, searched in PATH) in the namespaces until it ends.
 *  @user  NULL: no change; else with its groups, HOME, USER and LOGNAME.
 *  @cwd directory to start in, if the host has it; NULL: the caller's own.
 *  A switch or an attached host has no sandbox: like `ip netns exec`, the program then has a /sys
 *  of its own with the interfaces there (if the kernel allows it). In a sandbox it sees what of the
 *  machine's /tmp its words, its environment and @cwd name. The process stays in the namespaces and
 *  must end afterwards; it must have one thread.
 *  Return: the program's exit status, 128 + signal if one ended it; or -errno with namespace and
 *  reason in @why (-ENOENT, -EACCES: no such program; -EINVAL: the
 *  host has no such user). */
int enter_run(const struct enter_fds *fds, const struct host_user *user, char *const argv[],
	      const char *cwd, struct why *why);

/** enter_failure_text() - the sentence about @program, which could not be started as @user, because
 *  of -errno @error.  @no_user  it could not become that user. */
void enter_failure_text(const char *program, const struct host_user *user, int error, bool no_user,
			struct why *why);

#endif
