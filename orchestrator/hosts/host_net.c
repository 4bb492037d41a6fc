#include "orchestrator/hosts/host_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/number.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/socket_buffer.h"
#include "orchestrator/hosts/host_dilation.h"
#include "orchestrator/hosts/host_features.h"

#define QUEUE_BUFFER_BYTES (4 << 20)
/* above a socket's 208 KiB, as the kernel counts them, so that senders block */
#define BUCKET_LIMIT_BYTES (1u << 20)
#define FRAME_HEADER_BYTES 14u
#define VLAN_TAG_BYTES 4u
#define WIRE_ONLY_BYTES 24u /* preamble 8, FCS 4, gap 12 */

static int namespaces_enter_new(struct host_net *host, const struct host_net_spec *spec,
				struct why *why);
static int namespaces_leave(const struct fabric_namespaces *namespaces, struct why *why);
static int wire_up(struct host_net *host, struct fabric_namespaces *namespaces,
		   const struct host_net_spec *spec, struct why *why);

/* 0; or @error, with @step and the reason in @why */
__attribute__((format(printf, 3, 4))) static int result(int error, struct why *why,
							const char *step, ...)
{
	va_list arguments;
	char text[160];

	if (!error)
		return 0;
	va_start(arguments, step);
	vsnprintf(text, sizeof text, step, arguments);
	va_end(arguments);
	return why_say(why, error, "%s: %s", text, strerror(-error));
}

static void host_reset(struct host_net *host, const struct host_net_spec *spec)
{
	*host = (struct host_net){ .net_fd = -1, .uts_fd = -1, .mtu_bytes = spec->mtu_bytes };
	host->shaped_max_bps =
		spec->dilation > 1 ? HOST_NET_SHAPED_DILATED_BPS_MAX : HOST_NET_SHAPED_RATE_BPS_MAX;
	snprintf(host->interface, sizeof host->interface, "%s", spec->interface);
	for (uint32_t i = 0; i < HOST_NET_QUEUES_MAX; i++)
		host->queue_fds[i] = -1;
}

static int spec_check(const struct host_net_spec *spec, struct why *why)
{
	if (strlen(spec->interface) >= IFNAMSIZ || strlen(spec->far_name) >= IFNAMSIZ)
		return result(-ENAMETOOLONG, why, "host %s: interface %s to %s", spec->name,
			      spec->interface, spec->far_name);
	if (!spec->queue_count || spec->queue_count > HOST_NET_QUEUES_MAX)
		return result(-ERANGE, why, "host %s: %u queues", spec->name, spec->queue_count);
	if (!spec->mtu_bytes || spec->mtu_bytes > HOST_NET_MTU_BYTES_MAX)
		return result(-ERANGE, why, "host %s: MTU of %u bytes", spec->name,
			      spec->mtu_bytes);
	return 0;
}

int host_net_make(struct host_net *host, struct fabric_namespaces *namespaces,
		  const struct host_net_spec *spec, struct why *why)
{
	struct why why_left;
	int error, error_left;

	host_reset(host, spec);
	error = spec_check(spec, why);
	if (error)
		return error;
	error = namespaces_enter_new(host, spec, why);
	error_left = namespaces_leave(namespaces, &why_left);
	if (!error && error_left)
		error = why_say(why, error_left, "%s", why_left.text);
	error = error ?: wire_up(host, namespaces, spec, why);
	if (error) {
		/* now: the name may be used again before the kernel has removed the namespace */
		if (host->far_index > 0)
			netlink_link_delete(&namespaces->netlink, host->far_index);
		host_net_free(host, namespaces);
	}
	return error;
}

/* in namespace @net_fd, which exists */
static int wire_into(struct host_net *host, struct fabric_namespaces *namespaces, int net_fd,
		     const struct host_net_spec *spec, struct why *why)
{
	int error = spec_check(spec, why);

	if (error)
		return error;
	host->net_fd = fcntl(net_fd, F_DUPFD_CLOEXEC, 0);
	if (host->net_fd < 0)
		return result(-errno, why, "host %s: its network namespace", spec->name);
	error = wire_up(host, namespaces, spec, why);
	if (error)
		host_net_free(host, namespaces);
	return error;
}

int host_net_join(struct host_net *host, struct fabric_namespaces *namespaces,
		  const struct host_net *first, const struct host_net_spec *spec, struct why *why)
{
	host_reset(host, spec);
	host->further = true;
	return wire_into(host, namespaces, first->net_fd, spec, why);
}

int host_net_attach(struct host_net *host, struct fabric_namespaces *namespaces, int net_fd,
		    const struct host_net_spec *spec, struct why *why)
{
	host_reset(host, spec);
	host->attached = true;
	return wire_into(host, namespaces, net_fd, spec, why);
}

void host_net_free(struct host_net *host, struct fabric_namespaces *namespaces)
{
	for (uint32_t i = 0; i < host->queue_count; i++)
		descriptor_close(&host->queue_fds[i]);
	host->queue_count = 0;
	if ((host->attached || host->further) && host->far_index > 0)
		netlink_link_delete(&namespaces->netlink, host->far_index);
	host->far_index = 0;
	descriptor_close(&host->uts_fd);
	descriptor_close(&host->net_fd);
}

/* ---- namespaces ---- */

static int self_fd(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int namespaces_enter_new(struct host_net *host, const struct host_net_spec *spec,
				struct why *why)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWUTS))
		return result(-errno, why,
			      "host %s: its namespaces (see sysctl user.max_net_namespaces)",
			      spec->name);
	if (sethostname(spec->name, strlen(spec->name)))
		return result(-errno, why, "host %s: its name", spec->name);
	host->net_fd = self_fd("/proc/self/ns/net");
	if (host->net_fd < 0)
		return result(host->net_fd, why, "host %s: its network namespace", spec->name);
	host->uts_fd = self_fd("/proc/self/ns/uts");
	if (host->uts_fd < 0)
		return result(host->uts_fd, why, "host %s: its UTS namespace", spec->name);
	return 0;
}

static int namespaces_leave(const struct fabric_namespaces *namespaces, struct why *why)
{
	if (setns(namespaces->net_fd, CLONE_NEWNET))
		return result(-errno, why, "back to the network namespace of the fabric");
	if (setns(namespaces->uts_fd, CLONE_NEWUTS))
		return result(-errno, why, "back to the UTS namespace of the fabric");
	return 0;
}

/* ---- the veth pair ---- */

struct setting {
	const char *name, *value;
};

/* writes @settings of the interface, in its network namespace. Best effort */
static void settings_write(const struct fabric_namespaces *namespaces, const struct host_net *host,
			   const char *family, const struct setting *settings, size_t count)
{
	char path[80];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "net/%s/conf/%s/%s", family, host->interface,
			 settings[i].name);
		namespaces_sysctl(namespaces, path, settings[i].value);
	}
}

/* Addresses are unique, so neither they nor routers are searched for: that only saves frames. All
 * interfaces are on one Ethernet: one must not answer for another one of its host, or speak with
 * its address.
 *
 * Sysctls are best effort. Return: 0; -errno of entering the namespace or of the features. */
static int interface_settings(const struct fabric_namespaces *namespaces,
			      const struct host_net *host, const struct host_net_spec *spec)
{
	static const struct setting ipv6[] = {
		{ "disable_ipv6", "0" },
		{ "accept_dad", "0" },
		{ "router_solicitations", "0" },
		/* else Linux removes the IPv6 addresses of an interface that goes down */
		{ "keep_addr_on_down", "1" },
	};
	static const struct setting several[] = {
		{ "arp_ignore", "1" },
		{ "arp_announce", "2" },
		{ "rp_filter", "0" }, /* answers may come by another interface */
	};
	int error;

	if (setns(host->net_fd, CLONE_NEWNET))
		return -errno;
	settings_write(namespaces, host, "ipv6", ipv6, COUNT_OF(ipv6));
	error = host_features_limit(host->interface);
	if (spec->dilation > 1)
		host_dilation_sysctls(namespaces, spec->dilation);
	if (spec->several) {
		settings_write(namespaces, host, "ipv4", several, COUNT_OF(several));
		namespaces_sysctl(namespaces, "net/ipv4/conf/all/rp_filter", "0");
	}
	/* returning to the own namespace cannot fail; if it does, the next step reports it */
	(void)!setns(namespaces->net_fd, CLONE_NEWNET);
	return error;
}

static int pair_make(struct host_net *host, struct fabric_namespaces *namespaces,
		     struct netlink *netlink, const struct host_net_spec *spec)
{
	struct netlink_end near_end = { spec->interface, spec->mac, -1 };
	struct netlink_end far_end = { spec->far_name, NULL, namespaces->net_fd };
	int error = netlink_veth_add(netlink, &near_end, &far_end, spec->mtu_bytes);

	if (error)
		return error;
	host->far_index = netlink_index(&namespaces->netlink, spec->far_name);
	if (host->far_index < 0) {
		error = netlink_index(netlink, spec->interface);
		if (error > 0) /* an attached namespace would keep it */
			netlink_link_delete(netlink, error);
		return host->far_index;
	}
	host->index = netlink_index(netlink, spec->interface);
	if (host->index < 0)
		return host->index;
	return netlink_link_up(&namespaces->netlink, host->far_index, true);
}

static int queues_open(struct host_net *host, const struct host_net_spec *spec)
{
	int error = host_net_queues_open(host->far_index, spec->queue_count, host->queue_fds);

	host->queue_count = error ? 0 : spec->queue_count;
	return error;
}

/* the loopback of an attached namespace is not ours */
static int interfaces_up(const struct host_net *host, struct netlink *netlink)
{
	return (host->attached || host->further ? 0 : netlink_link_up(netlink, 1, false))
		       ?: netlink_link_up(netlink, host->index, false);
}

static int rate_set(struct host_net *host, struct netlink *netlink, uint64_t rate_bps)
{
	uint32_t rate_bytes_per_second, burst_bytes;

	if (rate_bps >= host->shaped_max_bps)
		return netlink_queue_reset(netlink, host->index);
	host_net_bucket(rate_bps, host->mtu_bytes, &rate_bytes_per_second, &burst_bytes);
	return netlink_token_bucket_set(netlink, host->index, rate_bytes_per_second, burst_bytes,
					BUCKET_LIMIT_BYTES);
}

/* to interface @index */
static int addresses_add(struct host_net *host, struct netlink *netlink, int index,
			 uint32_t mtu_bytes, const struct host_address *addresses, uint32_t count)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++) {
		const struct ip_address *ip = &addresses[i].ip;

		if (ip->version == 6 && mtu_bytes < HOST_NET_IPV6_MTU_BYTES_MIN)
			continue;
		error = netlink_address_add(netlink, index, ip_address_family(ip), ip->bytes,
					    ip->bits);
		if (ip->version == 4)
			continue;
		host->ipv6 |= !error;
		if (error == -EOPNOTSUPP || error == -EAFNOSUPPORT)
			error = 0;
	}
	return error;
}

static void vlan_name(const struct host_net_spec *spec, uint32_t id, char name[IFNAMSIZ])
{
	snprintf(name, IFNAMSIZ, "%.9s.%hu", spec->interface, (uint16_t)id);
}

static int vlan_make(struct host_net *host, struct netlink *netlink,
		     const struct host_net_spec *spec, const struct host_vlan *vlan)
{
	const uint32_t mtu_bytes = spec->mtu_bytes - VLAN_TAG_BYTES;
	char name[IFNAMSIZ];
	int error, index;

	vlan_name(spec, vlan->id, name);
	error = netlink_vlan_add(netlink, host->index, vlan->id, name, mtu_bytes);
	index = error ? error : netlink_index(netlink, name);
	if (index < 0)
		return index;
	return netlink_link_up(netlink, index, false)
		       ?: addresses_add(host, netlink, index, mtu_bytes, vlan->addresses,
					vlan->address_count);
}

static int vlans_make(struct host_net *host, struct netlink *netlink,
		      const struct host_net_spec *spec, struct why *why)
{
	int error = 0;

	for (uint32_t i = 0; i < spec->addresses->vlan_count && !error; i++) {
		const struct host_vlan *vlan = &spec->addresses->vlans[i];

		error = vlan_make(host, netlink, spec, vlan);
		if (error == -EOPNOTSUPP)
			why_say(why, 0,
				"host %s: VLAN %u of %s: this kernel has no VLAN devices (its "
				"module 8021q); as root: modprobe 8021q, or leave 'vlans' out",
				spec->name, vlan->id, spec->interface);
		else if (error)
			result(error, why, "host %s: VLAN %u of %s", spec->name, vlan->id,
			       spec->interface);
	}
	return error;
}

/* FC-3: such a host forwards packets. Best effort: it may be a router that does not need the kernel
 * for it. */
static void router_settings(const struct fabric_namespaces *namespaces, const struct host_net *host,
			    const struct host_net_spec *spec)
{
	if (!spec->router || host->attached || setns(host->net_fd, CLONE_NEWNET))
		return;
	namespaces_sysctl(namespaces, "net/ipv4/ip_forward", "1");
	namespaces_sysctl(namespaces, "net/ipv6/conf/all/forwarding", "1");
	(void)!setns(namespaces->net_fd, CLONE_NEWNET); /* as in interface_settings() */
}

static int route_add(const struct host_net *host, struct netlink *netlink,
		     const struct host_net_spec *spec, const struct host_net_route *route)
{
	char name[IFNAMSIZ];
	int index = host->index;

	if (route->to.version == 6 && !host->ipv6)
		return 0;
	if (route->vlan) {
		vlan_name(spec, route->vlan, name);
		index = netlink_index(netlink, name);
	}
	return index < 0 ? index
			 : netlink_route_add(netlink, index, ip_address_family(&route->to),
					     route->to.bytes, route->to.bits, route->via.bytes);
}

/* programs join groups and send to them without naming an interface */
static int multicast_route_add(const struct host_net *host, struct netlink *netlink)
{
	static const uint8_t groups[4] = { 224, 0, 0, 0 };
	int error = netlink_route_add(netlink, host->index, AF_INET, groups, 4, NULL);

	return error == -EEXIST ? 0 : error; /* by an interface that the host got earlier */
}

static int routes_add(const struct host_net *host, struct netlink *netlink,
		      const struct host_net_spec *spec)
{
	/* the routes of an attached namespace are its own */
	int error = host->attached ? 0 : multicast_route_add(host, netlink);

	for (uint32_t i = 0; i < spec->route_count && !error; i++) {
		error = route_add(host, netlink, spec, &spec->routes[i]);
		/* an attached namespace keeps its own; a host, the one by an earlier interface */
		if (error == -EEXIST && (host->attached || host->further))
			error = 0;
	}
	return error;
}

static int wire_up_over(struct host_net *host, struct fabric_namespaces *namespaces,
			struct netlink *netlink, const struct host_net_spec *spec, struct why *why)
{
	const char *name = spec->name, *interface = spec->interface;
	const struct host_interface *addresses = spec->addresses;
	int error = result(pair_make(host, namespaces, netlink, spec), why,
			   "host %s: interfaces %s and %s", name, interface, spec->far_name)
		    ?: result(queues_open(host, spec), why, "host %s: packet sockets on %s", name,
			      spec->far_name)
		    ?: result(interface_settings(namespaces, host, spec), why,
			      "host %s: settings of %s", name, interface)
		    ?: result(spec->rate_bps < host->shaped_max_bps
				      ? rate_set(host, netlink, spec->rate_bps)
				      : 0,
			      why, "host %s: token bucket (tbf) of %s", name, interface)
		    ?: result(interfaces_up(host, netlink), why, "host %s: bringing %s up", name,
			      interface)
		    ?: result(addresses_add(host, netlink, host->index, spec->mtu_bytes,
					    addresses->addresses, addresses->address_count),
			      why, "host %s: addresses of %s", name, interface)
		    ?: vlans_make(host, netlink, spec, why);

	if (error)
		return error;
	router_settings(namespaces, host, spec);
	return result(routes_add(host, netlink, spec), why, "host %s: routes by %s", name,
		      interface);
}

static int wire_up(struct host_net *host, struct fabric_namespaces *namespaces,
		   const struct host_net_spec *spec, struct why *why)
{
	struct netlink netlink;
	int error = result(netlink_open(&netlink, host->net_fd, namespaces->net_fd), why,
			   "host %s: entering its network namespace", spec->name);

	if (error)
		return error;
	error = wire_up_over(host, namespaces, &netlink, spec, why);
	netlink_close(&netlink);
	return error;
}

bool host_net_unplugged(const struct host_net *host)
{
	char name[IF_NAMESIZE];

	return host->far_index > 0 && !if_indextoname((unsigned)host->far_index, name) &&
	       errno == ENXIO;
}

int host_net_rate(struct host_net *host, struct fabric_namespaces *namespaces, uint64_t rate_bps)
{
	struct netlink netlink;
	int error = netlink_open(&netlink, host->net_fd, namespaces->net_fd);

	if (error)
		return error;
	error = rate_set(host, &netlink, rate_bps);
	netlink_close(&netlink);
	return error;
}

int host_net_carrier(struct host_net *host, struct fabric_namespaces *namespaces, bool up)
{
	if (host->unlinked == !up)
		return 0;
	host->unlinked = !up;
	return up ? netlink_link_up(&namespaces->netlink, host->far_index, true)
		  : netlink_link_down(&namespaces->netlink, host->far_index);
}

void host_net_bucket(uint64_t rate_bps, uint32_t mtu_bytes, uint32_t *rate_bytes_per_second,
		     uint32_t *burst_bytes)
{
	const uint64_t frame_bytes = mtu_bytes + FRAME_HEADER_BYTES;
	const uint64_t rate = rate_bps / 8 * frame_bytes / (frame_bytes + WIRE_ONLY_BYTES);

	*rate_bytes_per_second = (uint32_t)number_max(rate, 1);
	*burst_bytes = (uint32_t)number_max(2 * frame_bytes, rate / 1000);
}

/* ---- packet sockets ---- */

static int option_set(int fd, int option, int value)
{
	return setsockopt(fd, SOL_PACKET, option, &value, sizeof value) ? -errno : 0;
}

/* one fanout group for each interface, with the interface's number */
static int fanout_join(int fd, int index)
{
	return option_set(fd, PACKET_FANOUT, (index & 0xffff) | PACKET_FANOUT_HASH << 16);
}

static int queue_prepare(int fd, int index, bool shared)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = index };
	int error = option_set(fd, PACKET_VNET_HDR, 1)
		    ?: option_set(fd, PACKET_IGNORE_OUTGOING, 1)
		    ?: option_set(fd, PACKET_QDISC_BYPASS, 1);

	if (error)
		return error;
	socket_buffers_set(fd, QUEUE_BUFFER_BYTES);
	if (bind(fd, (struct sockaddr *)&address, sizeof address))
		return -errno;
	return shared ? fanout_join(fd, index) : 0;
}

/* protocol 0: nothing is received before bind() */
static int queue_open(int index, bool shared)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = queue_prepare(fd, index, shared);
	if (error)
		close(fd);
	return error ? error : fd;
}

int host_net_queues_open(int index, uint32_t count, int *fds)
{
	for (uint32_t i = 0; i < count; i++) {
		fds[i] = queue_open(index, count > 1);
		if (fds[i] < 0) {
			int error = fds[i];

			fds[i] = -1;
			while (i-- > 0)
				descriptor_close(&fds[i]);
			return error;
		}
	}
	return 0;
}

/* ---- names ---- */

static void names_print(FILE *stream, const struct host_address *addresses, uint32_t count,
			uint32_t mtu_bytes, const char *name)
{
	char text[IP_ADDRESS_TEXT_MAX];

	for (uint32_t i = 0; i < count; i++)
		if (addresses[i].ip.version == 4 || mtu_bytes >= HOST_NET_IPV6_MTU_BYTES_MIN)
			fprintf(stream, "%s\t%s\n", ip_address_text(&addresses[i].ip, text), name);
}

static void hosts_print(FILE *stream, const struct host_net_spec *specs, size_t count)
{
	fputs("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n", stream);
	for (size_t i = 0; i < count; i++) {
		const struct host_net_spec *spec = &specs[i];

		names_print(stream, spec->addresses->addresses, spec->addresses->address_count,
			    spec->mtu_bytes, spec->name);
		for (uint32_t v = 0; v < spec->addresses->vlan_count; v++) {
			const struct host_vlan *vlan = &spec->addresses->vlans[v];
			char name[80];

			snprintf(name, sizeof name, "%s.%u", spec->name, vlan->id);
			names_print(stream, vlan->addresses, vlan->address_count,
				    spec->mtu_bytes - VLAN_TAG_BYTES, name);
		}
	}
}

/* written, then truncated: a reader sees old lines or new ones, never an empty file */
static int text_replace(int folder_fd, const char *name, const char *text, size_t length)
{
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	ssize_t written;
	int error = 0;

	if (fd < 0)
		return -errno;
	written = pwrite(fd, text, length, 0);
	if (written != (ssize_t)length)
		error = written < 0 ? -errno : -ENOSPC;
	else if (ftruncate(fd, (off_t)length))
		error = -errno;
	close(fd);
	return error;
}

int host_net_hosts_file(int folder_fd, const char *name, const struct host_net_spec *specs,
			size_t count)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	int error;

	if (!stream)
		return -errno;
	hosts_print(stream, specs, count);
	error = fclose(stream) ? -ENOMEM : text_replace(folder_fd, name, text, length);
	free(text);
	return error;
}
