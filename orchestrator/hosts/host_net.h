/*  host_net - one attached host: a network namespace with an ordinary interface, whose other end a
 *  NIC process reads (TB-15).
 *
 *     host's net + UTS namespace          fabric's net namespace              nicd
 *   program - TCP/IP - eth0 ============== h12 --- packet socket(s) ------ NIC model
 *                      MAC, IPv4, IPv6,    no addresses, no ARP,
 *                      MTU, token bucket   no IPv6
 *
 *  A veth pair needs no device file and no privilege in a user namespace. eth0 keeps its
 *  segmentation and checksum offload, so the sockets carry up to 64 KiB at once, after a
 *  virtio_net_hdr. The NIC side is up and its sockets are bound before eth0 comes up: no frame is
 *  lost or received twice at the start.
 *
 *  Token bucket: on slow links (below HOST_NET_SHAPED_RATE_BPS_MAX), and in dilated time, the host
 *  the link's rate, or a UDP sender would overflow the NIC. eth0 then has a tbf at the link's rate
 *  less the 24 bytes per frame that only a wire has (preamble, FCS, gap). Its queue is larger than
 *  a socket's default send buffer, so a sender blocks before a frame is dropped (ours).
 *
 *  Carrier: while the host's link is down, so is the NIC side of the pair. Then the kernel of the
 *  host says NO-CARRIER for eth0, and programs that watch it (bonding, routing daemons) learn it.
 *  eth0 itself stays up, so addresses and routes survive.
 *
 *  Multicast: a host of the fabric's own has a route of 224.0.0.0/4 by eth0, without which a socket
 *  can neither join a group nor send to one. IPv6 has such a route on every interface.
 *
 *  Closing a packet socket takes the kernel about 10 ms (a grace period). So the daemon passes them
 *  to the NIC processes and closes its own: 256 hosts whose NICs end at the same time are closed in
 *  0.2 s, one after the other in 3 s. Nothing has a name in the file system. When the descriptors
 *  are closed and no process is left inside, the kernel removes the namespace and the pair
 *  (namespace.h). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_NET_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_NET_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/why.h"
#include "orchestrator/hosts/namespace.h"
#include "orchestrator/scenario/scenario_host.h"

#define HOST_NET_QUEUES_MAX 16u
#define HOST_NET_MTU_BYTES_MAX 9000u
#define HOST_NET_IPV6_MTU_BYTES_MIN 1280u /* RFC 8200; a host with less has IPv4 only */
/* faster links are not shaped: ours, tbf costs more than it helps */
#define HOST_NET_SHAPED_RATE_BPS_MAX 2000000000ull
/* the same if time is dilated, in the machine's time: there the machine has time for it, and TCP
 * with the large windows of fast links overflows an unshaped NIC */
#define HOST_NET_SHAPED_DILATED_BPS_MAX 20000000000ull

/* a route by one of the interfaces of a host */
struct host_net_route {
	struct ip_address to, via;
	uint32_t vlan; /* by this VLAN of the interface; 0: by the interface itself */
};

struct host_net_spec {
	const char *name;      /* host name, at most 63 characters */
	const char *interface; /* in the host, as "eth0"; shorter than IFNAMSIZ */
	const char *far_name;  /* in the fabric, as "h12"; unique; shorter than IFNAMSIZ */
	uint8_t mac[6];
	const struct host_interface *addresses; /* and VLANs */
	uint32_t mtu_bytes; /* IP MTU: bytes of a frame after its 14 byte header */
	/* packet sockets, 1..HOST_NET_QUEUES_MAX; flows are spread over them by hash */
	uint32_t queue_count;
	uint64_t rate_bps; /* of the machine's time */
	uint32_t dilation; /* of the fabric's; 1: none */
	bool router;       /* forwards packets between its interfaces */
	bool several;      /* the host has several interfaces, each of which is itself only */
	uint32_t route_count;
	const struct host_net_route *routes;
};

struct host_net {
	int net_fd; /* -1: not made */
	int uts_fd; /* -1: an attached namespace keeps its host name */
	int index;  /* of the interface, in the host */
	int far_index;
	char interface[IFNAMSIZ];
	uint32_t mtu_bytes;
	uint64_t shaped_max_bps; /* below it the host is limited to the link's rate */
	bool attached;           /* the namespace is not ours: host_net_attach() */
	bool further;            /* eth1 and so on: host_net_join() */
	bool ipv6;               /* false: this kernel has none */
	bool unlinked;           /* no carrier: host_net_carrier() */
	uint32_t queue_count;
	/* as host_net_queues_open(); may be passed on, and set to -1 */
	int queue_fds[HOST_NET_QUEUES_MAX];
};

/** host_net_make() - makes a host with namespaces of its own. About 1 ms. Return: 0, or -errno with
 *  the step and the reason in @why; then nothing of it remains. */
int host_net_make(struct host_net *host, struct fabric_namespaces *namespaces,
		  const struct host_net_spec *spec, struct why *why);

/** host_net_join() - makes a further interface of host @first, which host_net_make() made.  Return:
 *  as above. */
int host_net_join(struct host_net *host, struct fabric_namespaces *namespaces,
		  const struct host_net *first, const struct host_net_spec *spec, struct why *why);

/** host_net_attach() - gives an existing network namespace (a container) an interface into the
 *  fabric.
 *  @net_fd borrowed. Its other interfaces, settings and routes stay as they are. Return: as
 *  above. */
int host_net_attach(struct host_net *host, struct fabric_namespaces *namespaces, int net_fd,
		    const struct host_net_spec *spec, struct why *why);

/** host_net_free() - closes the descriptors; an attached namespace, or a host that goes on, loses
 *  the interface. Safe when not made. */
void host_net_free(struct host_net *host, struct fabric_namespaces *namespaces);

/** host_net_unplugged() - was the interface deleted from inside the host? The other end of the pair
 *  is then gone too. Called in the fabric's network namespace. One to three system calls; false if
 *  unknown. */
bool host_net_unplugged(const struct host_net *host);

/** host_net_rate() - the link's rate changed.  Return: 0 or -errno. */
int host_net_rate(struct host_net *host, struct fabric_namespaces *namespaces, uint64_t rate_bps);

/** host_net_carrier() - the host's link is @up, or down: so is the carrier of its interface.
 *  Nothing is done if it is so already, or if that failed before.
 *  Return: 0 or -errno. */
int host_net_carrier(struct host_net *host, struct fabric_namespaces *namespaces, bool up);

/** host_net_queues_open() - packet sockets that together receive every frame at interface @index of
 *  this namespace, which is up. Raw, non-blocking, closed on exec. Each frame has a virtio_net_hdr
 *  before it, in both directions. Frames that the interface sends are not received.
 *  @fds  @count of them, the caller's.   Return: 0, or -errno and none is open. */
int host_net_queues_open(int index, uint32_t count, int *fds);

/** host_net_hosts_file() - writes names and addresses of all NICs as /etc/hosts text, in place, so
 *  that mounts of the file show it. VLAN 10 of NIC web is web.10. @name in the folder @folder_fd,
 *  or a path with AT_FDCWD; no symlink is followed at its end.
 *  Return: 0; -ELOOP: it is a symlink; -errno. */
int host_net_hosts_file(int folder_fd, const char *name, const struct host_net_spec *specs,
			size_t count);

/** host_net_bucket() - the token bucket for a link of @rate_bps: what eth0 may send in bytes per
 *  second, and at once. */
void host_net_bucket(uint64_t rate_bps, uint32_t mtu_bytes, uint32_t *rate_bytes_per_second,
		     uint32_t *burst_bytes);

#endif
