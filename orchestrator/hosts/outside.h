/*  outside - connects single hosts to the network of the machine, with slirp4netns (DU-3).
 *
 *  A fabric's daemon lives in a network namespace with hosts only. Before it enters that, it
 *  leaves a process in the machine's network, the connector, which starts one slirp4netns for
 *  each host that is to reach the outside. That program makes a tap device in the host and
 *  carries its TCP, UDP and ICMP over ordinary sockets of the user: no privilege and no route
 *  of the machine is needed, and nothing outside can open a connection to the host.
 *
 *     host's namespace                   machine's network
 *   program - TCP/IP - outside0 ======== slirp4netns - sockets of the user
 *             198.19.255.100 (tap)       198.19.255.2, resolver 198.19.255.3
 *
 *  The addresses are of the range for benchmarks (RFC 2544), which neither the fabric (10/8,
 *  fd48::) nor the Internet uses. The machine's loopback is not reachable (ours): its servers
 *  trust what comes from there.
 *
 *  A connection ends with the host, the daemon or the connector, however those end: slirp4netns
 *  ends when a pipe of the connector closes, and by signal when the connector dies; the connector
 *  ends with the daemon. Programs in hosts see none of them, since they are in another pid
 *  namespace. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_OUTSIDE_H
#define HEDDLE_ORCHESTRATOR_HOSTS_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/base/why.h"

#define OUTSIDE_HOSTS_MAX 64u /* connections at once: one process each */
#define OUTSIDE_INTERFACE "outside0"
#define OUTSIDE_ADDRESS "198.19.255.100"
#define OUTSIDE_GATEWAY "198.19.255.2"
#define OUTSIDE_RESOLVER "198.19.255.3"
#define OUTSIDE_WHY_MAX 256u

/* texts of /etc/resolv.conf: of a host that is connected, and of one that is not */
#define OUTSIDE_RESOLVER_LINE "nameserver " OUTSIDE_RESOLVER "\n"
#define OUTSIDE_NO_RESOLVER_LINE \
	"# this host has no name server; /etc/hosts has the hosts of the fabric\n"

struct outside_connector {
	pid_t pid;     /* 0: none */
	int fd;        /* requests and answers; -1: none, or lost */
	int deaths_fd; /* struct outside_death; readable when a program has died; -1: none */
};

#define OUTSIDE_CONNECTOR_NONE ((struct outside_connector){ .fd = -1, .deaths_fd = -1 })

/* a connection that ended though no one had asked for it */
struct outside_death {
	uint32_t host;
	pid_t pid;
	char fate[OUTSIDE_WHY_MAX]; /* "killed by signal 9": last line that it wrote */
};

/** outside_open() - starts the connector in the network namespace of the caller, which has one
 *  thread.
 *  Return: 0 or -errno. */
int outside_open(struct outside_connector *connector);

/** outside_close() - ends the connector and all connections. Safe when not open. */
void outside_close(struct outside_connector *connector);

/** outside_connect() - starts the program for host @host, a number of the caller's choice, and
 *  waits until its interface exists.
 *  @net_fd   of the host.   @user_fd  the user namespace that owns it; -1: the machine's.
 *  @pid      of the program.
 *  Return: 0; -EEXIST: it is connected; -ENOSPC; -ENOENT: the program is not installed; other
 *  -errno; with a sentence in @why. At most some seconds. */
int outside_connect(struct outside_connector *connector, uint32_t host, int net_fd, int user_fd,
		    pid_t *pid, struct why *why);

/** outside_disconnect() - ends the connection of @host; its interface is then gone.
 *  Return: 0; -ENOENT: it has none; -errno. */
int outside_disconnect(struct outside_connector *connector, uint32_t host);

/** outside_death_next() - the next program that has died without a request. Never waits.
 *  Return: false if there is none. */
bool outside_death_next(struct outside_connector *connector, struct outside_death *death);

/** outside_configure() - address of the interface and a default route by it.
 *  @net_fd of the host.  @home_fd the caller's own network namespace.
 *  @routed  false afterwards: the host has another default route, which stays.
 *  Return: 0 or -errno. */
int outside_configure(int net_fd, int home_fd, bool *routed);

#endif
