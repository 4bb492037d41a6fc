/*  host_rights - what programs of a host may do at most (DU-3).
 *
 *  A program of root in a host keeps the capabilities that a host of a network needs: those of its
 *  interfaces, of its files and of changing to another user. It can gain no others. So it cannot
 *  mount, enter other namespaces, trace the host's init process, load modules, make devices, read
 *  disks, set the clock, or exceed limits. This is about what container engines allow [Docker,
 *  default capabilities], with NET_ADMIN and NET_BROADCAST, without MKNOD. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_RIGHTS_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* of each process, but `processes`, which counts all of the same user in the fabric; 0: none */
struct host_process_limits {
	uint64_t files, processes, address_bytes;
};

struct host_rights {
	bool full; /* root keeps all capabilities (`heddle up --full-root`) */
	struct host_process_limits limits;
};

/* what a program becomes; NULL: it stays root of the host, or the caller */
struct host_user {
	const char *name, *home;
	uid_t user;
	gid_t group;
};

/** host_rights_kept() - may a program of root in a host have @capability (CAP_NET_RAW, ...)? */
bool host_rights_kept(int capability);

/** host_rights_drop() - limits this process and those that it will start. @user NULL: it stays
 *  root; else it becomes that user, with its groups, HOME, USER and LOGNAME. Until the process
 *  executes a program, programs of the host cannot look at it: it has descriptors of the machine.
 *  Return: 0; -errno: it could not become @user (-EINVAL, -EPERM: the host has no such user). */
int host_rights_drop(const struct host_rights *rights, const struct host_user *user);

#endif
