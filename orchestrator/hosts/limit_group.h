/*  limit_group - limits of the processes and the memory of a host, by control groups of the kernel
 *  (DU-3).
 *
 *  A host with such limits has a control group of its own, of version 2 or 1, where the fabric's
 *  user may make one: below the group of the daemon, or of the nearest group above that lets it.
 *  Its folders are called heddle.PID.HOST, PID of the daemon. A small process outside of the fabric
 *  removes them when the daemon has ended, however it ended.
 *  Sources: cgroups(7), the kernel's cgroup-v2 and cgroup-v1 pids and memory.
 *  Place: called by the daemon (live_room.h). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_LIMIT_GROUP_H
#define HEDDLE_ORCHESTRATOR_HOSTS_LIMIT_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/base/why.h"

enum limit_kind { LIMIT_PROCESSES, LIMIT_MEMORY, LIMIT_KINDS };

struct limit_groups {
	bool opened;
	/* folders in which groups of that kind can be made; "": none */
	char bases[LIMIT_KINDS][PATH_MAX];
	bool unified[LIMIT_KINDS]; /* of version 2 */
};

/* descriptors of the files by which a process joins; -1: not limited by a group */
struct limit_group {
	int fds[LIMIT_KINDS];
};
#define LIMIT_GROUP_NONE ((struct limit_group){ { -1, -1 } })

/** limit_groups_open() - finds the folders, once, and starts the process that removes the groups.
 *  Without a folder nothing is started.
 *  @process  the folder with the files cgroup and mountinfo of this process: "/proc/self" */
void limit_groups_open(struct limit_groups *groups, const char *process);

/** limit_group_make() - a group for host number @host, with process @pid in it.
 *  @values  of enum limit_kind, in processes and bytes; 0: no limit.
 *  Return: 0, or -errno with the reason in @why. A kind without a folder is left out. */
int limit_group_make(const struct limit_groups *groups, struct limit_group *group, uint32_t host,
		     const uint64_t values[LIMIT_KINDS], pid_t pid, struct why *why);

/** limit_group_free() - removes it. Its processes must have ended. */
void limit_group_free(const struct limit_groups *groups, struct limit_group *group, uint32_t host);

#endif
