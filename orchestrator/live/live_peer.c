#include "orchestrator/live/live_peer.h"

#include <errno.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* In a rootless fabric uid 0 is our own user, and the machine's root is the overflow uid. */
bool live_peer_allowed(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) &&
	       (peer.uid == getuid() || peer.uid == 0);
}

/* a pidfd of the process that has connected, or -1 */
static int peer_pidfd(int fd)
{
	struct ucred peer;
	int pidfd = -1;
	socklen_t length = sizeof(pidfd);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length))
		return pidfd;
	length = sizeof(peer);
	if (errno != ENOPROTOOPT || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return -1;
	return pidfd_open(peer.pid, 0);
}

bool live_peer_inside(int fd)
{
	int pidfd = peer_pidfd(fd), numbers = 0, outer = -1, inner;
	char path[64], line[256];
	FILE *info;

	if (pidfd < 0)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	info = fopen(path, "re");
	/* one number for each pid namespace from ours on; -1: it has ended */
	while (info && numbers < 1 && fgets(line, sizeof(line), info))
		numbers = sscanf(line, "NSpid: %d %d", &outer, &inner);
	if (info)
		fclose(info);
	close(pidfd);
	return numbers != 1 || outer <= 0;
}
