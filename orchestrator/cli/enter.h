/*  enter - runs a program in a host of a fabric (`heddle exec`, TB-15).
 *
 *  The caller enters the host's namespaces and forks, since only children are in the new pid
 *  namespace. Then it waits for the child. Both are in one process group, so signals of the
 *  terminal (^C, ^Z, a new window size) reach the program directly; signals that another process
 *  sends to the caller are forwarded. A namespace that the caller is in already is not entered: a
 *  program in one host (mpirun) may start others in other hosts, and the kernel forbids entering
 *  the own user namespace. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_ENTER_H
#define HEDDLE_ORCHESTRATOR_CLI_ENTER_H

#include <stddef.h>
#include <sys/types.h>

/* Borrowed; -1: that namespace stays the caller's. */
struct enter_fds {
	int user_fd;
	int pid_fd;
	int mount_fd;
	int net_fd;
	int uts_fd;
	pid_t parent; /* the program is told to end (SIGTERM) when this one, the caller's, has
		       * ended; 0: it goes on */
};

/* what a program becomes; NULL: it stays root of the host, or the caller */
struct enter_user {
	const char *name, *home;
	uid_t user;
	gid_t group;
};

/** enter_run() - runs @argv (NULL-terminated, searched in PATH) in the namespaces until it ends.
 *  @user  NULL: no change; else with its groups, HOME, USER and LOGNAME.
 *  @cwd directory to start in, if the host has it; NULL: the caller's own.
 *  Like `ip netns exec`, it has a /sys of its own with the host's interfaces (if the kernel allows
 *  it). The process stays in the namespaces and must end afterwards; it must have one thread.
 *  Return: the program's exit status, 128 + signal if one ended it; or -errno with namespace and
 *  reason in @why (-ENOENT, -EACCES: no such program; -EINVAL: the
 *  host has no such user). */
int enter_run(const struct enter_fds *fds, const struct enter_user *user, char *const argv[],
	      const char *cwd, char *why, size_t why_max);

#endif
