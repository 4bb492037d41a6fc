/*  enter - runs a program in a host of a fabric (`heddle exec`, TB-15).
 *
 *  The caller moves into the host's namespaces and forks: only children are born in another pid
 *  namespace. It then waits in its child's place. Both stay in one process group, so what the
 *  terminal sends (^C, ^Z, a new window size) reaches the program directly; what another process
 *  sends to the caller is passed on.
 *  A namespace that the caller is in already is left alone: a program in one host (mpirun) may
 *  start others in other hosts, and one may not enter one's own user namespace again. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_ENTER_H
#define HEDDLE_ORCHESTRATOR_CLI_ENTER_H

#include <stddef.h>

/* Borrowed; -1: that namespace stays the caller's. */
struct enter_fds {
	int user_fd;
	int pid_fd;
	int mount_fd;
	int net_fd;
	int uts_fd;
};

/** enter_run() - runs @argv (NULL-terminated, looked for in PATH) there until it ends.
 *  @cwd directory to start in, if the host has it; NULL: the caller's own.
 *  Like `ip netns exec`, it gets a /sys of its own that shows the host's interfaces (if the kernel
 *  allows it). The process stays in the namespaces and is to end afterwards; it must have one
 *  thread.
 *  Return: the program's exit status, 128 + signal if one ended it; or -errno with namespace and
 *  reason in @why (-ENOENT, -EACCES: no such program). */
int enter_run(const struct enter_fds *fds, char *const argv[], const char *cwd, char *why,
	      size_t why_max);

#endif
