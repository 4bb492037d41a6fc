/*  netlink - interfaces, addresses and token buckets of network namespaces: the only user of libnl.
 *
 *  A socket stays in the network namespace in which it was made, so one process can configure many
 *  namespaces. Every call is one request and its answer. The kernel does the work within the call:
 *  a batch of requests would save a microsecond each, and hide which one failed.
 *  Place: called by namespace.c, host_net.c and veth_link.c. Errors are the kernel's own -errno. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_NETLINK_H
#define HEDDLE_ORCHESTRATOR_HOSTS_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

struct nl_sock;

struct netlink {
	struct nl_sock *socket; /* NULL: not open */
	int error;              /* -errno of the last refusal; written by the answer's reader */
};

/* One end of a veth pair. */
struct netlink_end {
	const char *name;
	const uint8_t *mac; /* 6 bytes; NULL: the kernel chooses one */
	int net_fd;         /* network namespace in which it is made; -1: that of the socket */
};

/** netlink_open() - a socket into network namespace @net_fd (-1: the process's own).
 *  @home_fd the process's own network namespace, to which it returns; unused if net_fd is -1.
 *  Return: 0, or -errno with netlink->socket NULL. */
int netlink_open(struct netlink *netlink, int net_fd, int home_fd);

/** netlink_close() - safe when not open. */
void netlink_close(struct netlink *netlink);

/** netlink_veth_add() - a veth pair; both ends are down.
 *  @mtu_bytes IP MTU of both ends.
 *  Return: 0, or -errno (-EEXIST: one of the names is taken). */
int netlink_veth_add(struct netlink *netlink, const struct netlink_end *near_end,
		     const struct netlink_end *far_end, uint32_t mtu_bytes);

/** netlink_vlan_add() - device @name for VLAN @id of interface @parent; it is down.
 *  Return: 0, or -errno (-EOPNOTSUPP: this kernel has no such devices). */
int netlink_vlan_add(struct netlink *netlink, int parent, uint32_t id, const char *name,
		     uint32_t mtu_bytes);

/** netlink_index() - the number of interface @name.  Return: > 0, or -errno. */
int netlink_index(struct netlink *netlink, const char *name);

/** netlink_link_up() - brings interface @index up; @no_arp: it only carries frames and has no
 *  addresses. */
int netlink_link_up(struct netlink *netlink, int index, bool no_arp);

/** netlink_link_down() - takes interface @index down; the other end of a veth pair has no carrier
 *  then. */
int netlink_link_down(struct netlink *netlink, int index);

/** netlink_link_delete() - deletes the interface; with one end of a veth pair the other end too. */
int netlink_link_delete(struct netlink *netlink, int index);

/** netlink_address_add() - gives interface @index an address, usable at once (no duplicate address
 *  detection).
 *  @family  AF_INET or AF_INET6.   @address  4 or 16 bytes in network order. */
int netlink_address_add(struct netlink *netlink, int index, int family, const void *address,
			uint32_t prefix_bits);

/** netlink_route_add() - a route by interface @index to the network @destination of @prefix_bits,
 *  through @gateway.
 *  @family  AF_INET or AF_INET6.   @destination, @gateway  4 or 16 bytes in network order;
 *           @gateway NULL: what is sent there is on the interface's own link.
 *  Return: 0, or -errno (-EEXIST: there is one to that network already). */
int netlink_route_add(struct netlink *netlink, int index, int family, const void *destination,
		      uint32_t prefix_bits, const void *gateway);

/** netlink_token_bucket_set() - makes (or changes) the interface's root queue a token bucket
 *  (tbf). */
int netlink_token_bucket_set(struct netlink *netlink, int index, uint32_t rate_bytes_per_second,
			     uint32_t burst_bytes, uint32_t limit_bytes);

/** netlink_queue_reset() - restores the queue that a new interface has.
 *  Return: 0, also if it has that one. */
int netlink_queue_reset(struct netlink *netlink, int index);

#endif
