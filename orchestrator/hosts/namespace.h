/*  namespace - the namespaces that the hosts of one fabric share, and the privilege to make them.
 *
 *  A daemon with CAP_SYS_ADMIN and CAP_NET_ADMIN makes them directly. Any other daemon first
 *  becomes root of a user namespace of its own (TB-16). The namespaces:
 *    net    of the fabric: the daemon moves into it. It has the NIC-side ends of all veth pairs,
 *           without IPv6.
 *    uts    a copy for the daemon, to which it can return from that of a host (it may not enter
 *           the machine's).
 *    pid    of all hosts, with an init process of ours: when it ends, all programs in the hosts
 *           end.
 *    mount  of all hosts, private: the fabric's host names over /etc/hosts, a /proc of the pid
 *           namespace, and in a rootless fabric a /run of its own.
 *  The daemon stays in its own pid and mount namespace.
 *
 *  Nothing has a name in the file system: a namespace exists while the daemon has a descriptor of
 *  it, or a process is inside. The init process ends when the daemon's end of a socket closes,
 *  however the daemon ended, so nothing remains (TB-22).
 *  Place: called by the daemon of a fabric, which has one thread (a user namespace requires that);
 *  host_net.h adds hosts. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_NAMESPACE_H
#define HEDDLE_ORCHESTRATOR_HOSTS_NAMESPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "orchestrator/hosts/netlink.h"

/* what an -EAGAIN of fork() means to a user */
#define NAMESPACE_PROCESS_LIMIT                                                              \
	"the limit of processes is reached; raise it with 'ulimit -u', in a container with " \
	"the engine's '--pids-limit'"

/* Descriptors are -1 when not open, and closed on exec. */
struct fabric_namespaces {
	bool rootless; /* a user namespace was made */
	/* why only user and group 0 exist in it; "": others do, or it is the machine's own */
	char ids_missing[256];
	/* the hosts file is mounted over /etc/hosts (false: the machine has none) */
	bool hosts_shown;
	/* /proc shows the pid namespace (false: a container forbids it, and /proc is the outer one)
	 * */
	bool proc_mounted;
	int user_fd; /* the user namespace that owns all others */
	int net_fd, uts_fd, mount_fd, pid_fd;
	/* directory /proc/sys, a writable one if there is one; shows the caller's net namespace */
	int sysctl_fd;
	int init_fd;    /* the init process ends when this closes; -1 also after it has died */
	pid_t init_pid; /* as the daemon sees it; 0: none */
	struct netlink netlink; /* into the fabric's network namespace */
};

/* none is open */
#define FABRIC_NAMESPACES_NONE                        \
	((struct fabric_namespaces){ .user_fd = -1,   \
				     .net_fd = -1,    \
				     .uts_fd = -1,    \
				     .mount_fd = -1,  \
				     .pid_fd = -1,    \
				     .sysctl_fd = -1, \
				     .init_fd = -1 })

/** namespaces_open() - makes them. Afterwards the process is in the fabric's user, network and UTS
 *  namespace.
 *  @hosts_file the /etc/hosts of all hosts; created empty if missing; changed in place later.
 *  Return: 0, or -errno with one sentence in @why: what was refused, and a remedy. The process may
 *  then be in some of the namespaces already and must end. */
int namespaces_open(struct fabric_namespaces *namespaces, const char *hosts_file, struct why *why);

/** namespaces_close() - ends all programs in the hosts and closes the namespaces. Safe when not
 *  open, or in part. */
void namespaces_close(struct fabric_namespaces *namespaces);

/** namespaces_sysctl() - writes @value to sysctl file @path ("net/ipv6/...") of the network
 *  namespace the process is in.
 *  Return: 0 or -errno. */
int namespaces_sysctl(const struct fabric_namespaces *namespaces, const char *path,
		      const char *value);

/** namespaces_refusal() - the sentence for an unprivileged user when @step failed with -errno
 *  @error. @sysctl_fd directory /proc/sys, with the settings that may be the cause. Reads only
 *  these. */
void namespaces_refusal(int sysctl_fd, const char *step, int error, struct why *why);

#endif
