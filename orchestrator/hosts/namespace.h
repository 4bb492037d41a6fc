/*  namespace - the namespaces that the hosts of one fabric share, and how the daemon comes by the
 *  right to make them.
 *
 *  Who has CAP_SYS_ADMIN and CAP_NET_ADMIN makes them directly; anybody else first becomes root of
 *  a user namespace of its own (TB-16). Then there are
 *    net of the fabric: the daemon moves into it; the NIC-side ends of all veth pairs live there,
 *    without IPv6;
 *    uts a copy for the daemon, so that it can come back from a host's (without the right to enter
 *    the machine's);
 *    pid of all hosts, with an init process of ours: when it ends, everything in the hosts ends
 *    with it;
 *    mount of all hosts, private: the fabric's host names over /etc/hosts, and a /proc of the pid
 *    namespace.
 *  The daemon stays in its own pid and mount namespace.
 *
 *  Nothing has a name in the file system: namespaces live as long as descriptors of the daemon and
 *  processes inside. The init process ends when the daemon's end of a socket closes, however the
 *  daemon ended, so nothing is left (TB-22). Place: called by the daemon of a fabric, which has one
 *  thread (a user namespace demands it); host_net.h adds hosts. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_NAMESPACE_H
#define HEDDLE_ORCHESTRATOR_HOSTS_NAMESPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "orchestrator/hosts/netlink.h"

/* Descriptors are -1 when not open, and closed on exec. */
struct fabric_namespaces {
	bool rootless; /* a user namespace was made */
	/* the hosts file is on /etc/hosts (false: there is no /etc/hosts to cover) */
	bool hosts_shown;
	/* /proc shows the pid namespace (false: a container forbids it; programs see the outer one)
	 * */
	bool proc_mounted;
	int user_fd; /* the user namespace that owns all others */
	int net_fd, uts_fd, mount_fd, pid_fd;
	/* directory /proc/sys, writable if there is a writable one; shows the caller's net
	 * namespace */
	int sysctl_fd;
	int init_fd;    /* the init process ends when this closes; -1 too once it has died */
	pid_t init_pid; /* as the daemon sees it; 0: none */
	struct netlink netlink; /* into the fabric's network namespace */
};

/** namespaces_open() - makes them; the process ends up in the fabric's user, network and UTS
 *  namespace.
 *  @hosts_file what hosts see as /etc/hosts; made empty if it is not there; changed in place later.
 *  Return: 0, or -errno with one sentence in @why: what refused, and the way round it. The process
 *  may then be in some of the namespaces already: it is to end. */
int namespaces_open(struct fabric_namespaces *namespaces, const char *hosts_file, char *why,
		    size_t why_max);

/** namespaces_close() - ends everything in the hosts, and lets go of the namespaces. Safe when not
 *  or half open. */
void namespaces_close(struct fabric_namespaces *namespaces);

/** namespaces_sysctl() - writes @value to sysctl file @path ("net/ipv6/...") of the network
 *  namespace the process is in.
 *  Return: 0 or -errno. */
int namespaces_sysctl(const struct fabric_namespaces *namespaces, const char *path,
		      const char *value);

/** namespaces_refusal() - the sentence for a user without privileges whom @step was refused with
 *  -errno @error.
 *  @sysctl_fd directory /proc/sys: the settings which may be the cause. Pure but for reading
 *  them. */
void namespaces_refusal(int sysctl_fd, const char *step, int error, char *why, size_t why_max);

#endif
