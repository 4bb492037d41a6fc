/*  veth_link - a link made of a veth pair: its interfaces and the packet sockets at their ends
 *  (TB-3).
 *
 *  Both ends are in the fabric's network namespace, where tcpdump shows the frames of the link
 *  (`heddle exec SWITCH`). They have no addresses, no ARP and no IPv6, so they carry the link's
 *  frames only. The pair exists as long as the namespace. Frame format: nodes/link/carrier.h.
 *  Place: called by the daemon of a fabric, which is in that namespace. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_VETH_LINK_H
#define HEDDLE_ORCHESTRATOR_HOSTS_VETH_LINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/hosts/netlink.h"

/* zeroed: not made */
struct veth_link {
	int index_a, index_b; /* interfaces */
};

/** veth_link_name() - the name of the interface of node @own towards @peer: "s1.s2". @numbered
 *  another link has that name: "s1.s2.7a", of the link's @number and its @end 'a' or 'b'. A name
 *  that is too long is numbered as well, with shortened names. Pure. */
void veth_link_name(char name[IFNAMSIZ], const char *own, const char *peer, uint32_t number,
		    char end, bool numbered);

/** veth_link_make() - the pair of link @number between nodes @a and @b, both ends up.
 *  @netlink  into the fabric's network namespace.   Return: 0, or -errno and nothing is left. */
int veth_link_make(struct veth_link *veth, struct netlink *netlink, const char *a, const char *b,
		   uint32_t number, uint32_t mtu_bytes);

/** veth_link_free() - deletes the pair. Safe when not made. */
void veth_link_free(struct veth_link *veth, struct netlink *netlink);

/** veth_link_sockets() - a packet socket at end a and one at end b, to be closed by the caller:
 *  raw, non-blocking, closed on exec. They receive frames from now on, not those that they send.
 *  Return: 0, or -errno and none is open (both -1). */
int veth_link_sockets(const struct veth_link *veth, int fds[2]);

#endif
