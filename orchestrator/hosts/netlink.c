#include "orchestrator/hosts/netlink.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/addr.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/link/vlan.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/qdisc/tbf.h>
#include <netlink/route/route.h>
#include <netlink/route/tc.h>
#include <sched.h>
#include <sys/socket.h>

/* libnl has fewer error numbers than the kernel: keep the kernel's */
static int on_refusal(struct sockaddr_nl *from, struct nlmsgerr *answer, void *arg)
{
	struct netlink *netlink = arg;

	(void)from;
	netlink->error = answer->error;
	return NL_STOP;
}

/* the result of a libnl call that returned @result, as 0 or -errno */
static int outcome(struct netlink *netlink, int result)
{
	int error = netlink->error;

	netlink->error = 0;
	if (error) /* libnl may have returned 0 */
		return error;
	if (result >= 0)
		return 0;
	return result == -NLE_NOMEM ? -ENOMEM : result == -NLE_NODEV ? -ENODEV : -EIO;
}

static int socket_make(struct netlink *netlink)
{
	int result;

	netlink->socket = nl_socket_alloc();
	if (!netlink->socket)
		return -ENOMEM;
	nl_socket_modify_err_cb(netlink->socket, NL_CB_CUSTOM, on_refusal, netlink);
	errno = 0;
	result = nl_connect(netlink->socket, NETLINK_ROUTE);
	if (result < 0) {
		result = errno ? -errno : -EIO;
		netlink_close(netlink);
		return result;
	}
	return 0;
}

int netlink_open(struct netlink *netlink, int net_fd, int home_fd)
{
	int error;

	*netlink = (struct netlink){ 0 };
	if (net_fd < 0)
		return socket_make(netlink);
	if (setns(net_fd, CLONE_NEWNET))
		return -errno;
	error = socket_make(netlink);
	if (setns(home_fd, CLONE_NEWNET) && !error) {
		error = -errno;
		netlink_close(netlink);
	}
	return error;
}

void netlink_close(struct netlink *netlink)
{
	if (netlink->socket)
		nl_socket_free(netlink->socket);
	netlink->socket = NULL;
}

static void mac_set(struct rtnl_link *link, const uint8_t *mac)
{
	struct nl_addr *address = mac ? nl_addr_build(AF_LLC, mac, 6) : NULL;

	if (!address)
		return;
	rtnl_link_set_addr(link, address);
	nl_addr_put(address);
}

/* one queue for each direction: else the kernel makes one for every possible core */
static void end_describe(struct rtnl_link *link, const struct netlink_end *end, uint32_t mtu_bytes)
{
	rtnl_link_set_name(link, end->name);
	rtnl_link_set_mtu(link, mtu_bytes);
	rtnl_link_set_num_tx_queues(link, 1);
	rtnl_link_set_num_rx_queues(link, 1);
	mac_set(link, end->mac);
	if (end->net_fd >= 0)
		rtnl_link_set_ns_fd(link, end->net_fd);
}

int netlink_veth_add(struct netlink *netlink, const struct netlink_end *near_end,
		     const struct netlink_end *far_end, uint32_t mtu_bytes)
{
	struct rtnl_link *link = rtnl_link_veth_alloc();
	struct rtnl_link *peer;
	int result;

	if (!link)
		return -ENOMEM;
	peer = rtnl_link_veth_get_peer(link);
	end_describe(link, near_end, mtu_bytes);
	end_describe(peer, far_end, mtu_bytes);
	rtnl_link_put(peer);
	result = rtnl_link_add(netlink->socket, link, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_put(link);
	return outcome(netlink, result);
}

int netlink_vlan_add(struct netlink *netlink, int parent, uint32_t id, const char *name,
		     uint32_t mtu_bytes)
{
	struct rtnl_link *link = rtnl_link_vlan_alloc();
	int result = -NLE_NOMEM;

	if (link) {
		rtnl_link_set_link(link, parent);
		rtnl_link_set_name(link, name);
		rtnl_link_set_mtu(link, mtu_bytes);
		rtnl_link_vlan_set_id(link, (uint16_t)id);
		result = rtnl_link_add(netlink->socket, link, NLM_F_CREATE | NLM_F_EXCL);
	}
	rtnl_link_put(link);
	return outcome(netlink, result);
}

int netlink_index(struct netlink *netlink, const char *name)
{
	struct rtnl_link *link = NULL;
	int error = outcome(netlink, rtnl_link_get_kernel(netlink->socket, 0, name, &link));
	int index;

	if (error)
		return error;
	if (!link) /* libnl took the late answer to an earlier request for this one's */
		return -EIO;
	index = rtnl_link_get_ifindex(link);
	rtnl_link_put(link);
	return index;
}

/* sets @flags of interface @index, and clears @unset */
static int flags_change(struct netlink *netlink, int index, unsigned flags, unsigned unset)
{
	struct rtnl_link *which = rtnl_link_alloc();
	struct rtnl_link *change = rtnl_link_alloc();
	int result = -NLE_NOMEM;

	if (which && change) {
		rtnl_link_set_ifindex(which, index);
		rtnl_link_set_flags(change, flags);
		rtnl_link_unset_flags(change, unset);
		result = rtnl_link_change(netlink->socket, which, change, 0);
	}
	rtnl_link_put(change);
	rtnl_link_put(which);
	return outcome(netlink, result);
}

int netlink_link_up(struct netlink *netlink, int index, bool no_arp)
{
	return flags_change(netlink, index, IFF_UP | (no_arp ? IFF_NOARP : 0u), 0);
}

int netlink_link_down(struct netlink *netlink, int index)
{
	return flags_change(netlink, index, 0, IFF_UP);
}

int netlink_link_delete(struct netlink *netlink, int index)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int result = -NLE_NOMEM;

	if (link) {
		rtnl_link_set_ifindex(link, index);
		result = rtnl_link_delete(netlink->socket, link);
	}
	rtnl_link_put(link);
	return outcome(netlink, result);
}

int netlink_address_add(struct netlink *netlink, int index, int family, const void *address,
			uint32_t prefix_bits)
{
	struct rtnl_addr *entry = rtnl_addr_alloc();
	struct nl_addr *local = nl_addr_build(family, address, family == AF_INET ? 4 : 16);
	int result = -NLE_NOMEM;

	if (entry && local) {
		nl_addr_set_prefixlen(local, (int)prefix_bits);
		rtnl_addr_set_ifindex(entry, index);
		rtnl_addr_set_local(entry, local);
		if (family == AF_INET6)
			rtnl_addr_set_flags(entry, IFA_F_NODAD);
		result = rtnl_addr_add(netlink->socket, entry, NLM_F_CREATE | NLM_F_EXCL);
	}
	nl_addr_put(local);
	rtnl_addr_put(entry);
	return outcome(netlink, result);
}

int netlink_route_add(struct netlink *netlink, int index, int family, const void *destination,
		      uint32_t prefix_bits, const void *gateway)
{
	size_t bytes = family == AF_INET ? 4 : 16;
	struct rtnl_route *route = rtnl_route_alloc();
	struct rtnl_nexthop *next = rtnl_route_nh_alloc();
	struct nl_addr *network = nl_addr_build(family, destination, bytes);
	struct nl_addr *through = gateway ? nl_addr_build(family, gateway, bytes) : NULL;
	int result = -NLE_NOMEM;

	if (route && next && network && (through || !gateway)) {
		nl_addr_set_prefixlen(network, (int)prefix_bits);
		rtnl_route_nh_set_ifindex(next, index);
		if (through)
			rtnl_route_nh_set_gateway(next, through);
		rtnl_route_add_nexthop(route, next); /* takes it */
		next = NULL;
		rtnl_route_set_family(route, (uint8_t)family);
		rtnl_route_set_scope(route, gateway ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK);
		rtnl_route_set_protocol(route, RTPROT_STATIC);
		result = rtnl_route_set_dst(route, network);
		if (result >= 0)
			result = rtnl_route_add(netlink->socket, route, NLM_F_CREATE | NLM_F_EXCL);
	}
	nl_addr_put(network);
	nl_addr_put(through);
	if (next)
		rtnl_route_nh_free(next);
	rtnl_route_put(route);
	return outcome(netlink, result);
}

static struct rtnl_qdisc *root_queue(int index)
{
	struct rtnl_qdisc *queue = rtnl_qdisc_alloc();

	if (!queue)
		return NULL;
	rtnl_tc_set_ifindex(TC_CAST(queue), index);
	rtnl_tc_set_parent(TC_CAST(queue), TC_H_ROOT);
	return queue;
}

int netlink_token_bucket_set(struct netlink *netlink, int index, uint32_t rate_bytes_per_second,
			     uint32_t burst_bytes, uint32_t limit_bytes)
{
	struct rtnl_qdisc *queue = root_queue(index);
	int result;

	if (!queue)
		return -ENOMEM;
	result = rtnl_tc_set_kind(TC_CAST(queue), "tbf");
	if (!result) {
		rtnl_qdisc_tbf_set_rate(queue, (int)rate_bytes_per_second, (int)burst_bytes, 0);
		rtnl_qdisc_tbf_set_limit(queue, (int)limit_bytes);
		result = rtnl_qdisc_add(netlink->socket, queue, NLM_F_CREATE | NLM_F_REPLACE);
	}
	rtnl_qdisc_put(queue);
	return outcome(netlink, result);
}

int netlink_queue_reset(struct netlink *netlink, int index)
{
	struct rtnl_qdisc *queue = root_queue(index);
	int error;

	if (!queue)
		return -ENOMEM;
	error = outcome(netlink, rtnl_qdisc_delete(netlink->socket, queue));
	rtnl_qdisc_put(queue);
	/* the default queue cannot be deleted: it is the one in use */
	return error == -ENOENT || error == -EINVAL ? 0 : error;
}
