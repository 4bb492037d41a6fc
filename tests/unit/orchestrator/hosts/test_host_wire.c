/*  orchestrator/hosts/host_net: limits of what describes a host, what the kernel is told of its
 *  interface and its packet sockets, and what is said if that fails (TB-15, DU-6). */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/hosts/host_net.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/hosts/one_fabric.h"

static struct host_address addresses[2];
static struct host_interface interface = { 2, addresses, 0, NULL };
static struct host_net host;

TEST_GROUP(host_wire, .setup_once = hosts_file_create, .teardown_once = hosts_file_remove,
	   .setup = testing_input);

static struct host_net_spec described(void)
{
	ck_assert(ip_address_parse("10.0.0.1/8", &addresses[0].ip));
	ck_assert(ip_address_parse("fd48::1/64", &addresses[1].ip));
	return (struct host_net_spec){ .name = "node",
				       .interface = "eth0",
				       .far_name = "h0",
				       .addresses = &interface,
				       .mac = { 2, 0, 0, 0, 0, 1 },
				       .mtu_bytes = 1500,
				       .queue_count = 1,
				       .rate_bps = 200000000000,
				       .dilation = 1 };
}

/* ---- limits ---- */

static void rejected(const struct host_net_spec *spec, int error, const char *sentence)
{
	ck_assert_int_eq(host_net_make(&host, &namespaces, spec, &why), error);
	ck_assert_str_eq(why.text, sentence);
	ck_assert(host.net_fd == -1 && host.uts_fd == -1 && host.queue_fds[0] == -1);
	ck_assert_int_eq(host.queue_fds[HOST_NET_QUEUES_MAX - 1], -1);
}

TEST(host_net_make__limits)
{
	struct host_net_spec spec = described();

	spec.interface = "sixteen-letters.";
	rejected(&spec, -ENAMETOOLONG,
		 "host node: interface sixteen-letters. to h0: File name too long");
	spec = described();
	spec.far_name = "sixteen-letters.";
	rejected(&spec, -ENAMETOOLONG,
		 "host node: interface eth0 to sixteen-letters.: File name too long");
	spec = described();
	spec.queue_count = 0;
	rejected(&spec, -ERANGE, "host node: 0 queues: Numerical result out of range");
	spec.queue_count = HOST_NET_QUEUES_MAX + 1;
	rejected(&spec, -ERANGE, "host node: 17 queues: Numerical result out of range");
	spec = described();
	spec.mtu_bytes = 0;
	rejected(&spec, -ERANGE, "host node: MTU of 0 bytes: Numerical result out of range");
	spec.mtu_bytes = HOST_NET_MTU_BYTES_MAX + 1;
	rejected(&spec, -ERANGE, "host node: MTU of 9001 bytes: Numerical result out of range");
}

/* the longest names, the most queues and the largest MTU */
TEST(host_net_make__at_the_limits)
{
	struct host_net_spec spec = described();

	if (!fabric_open())
		return;
	spec.interface = "fifteen-letters";
	spec.far_name = "fifteen-letterz";
	spec.queue_count = HOST_NET_QUEUES_MAX;
	spec.mtu_bytes = HOST_NET_MTU_BYTES_MAX;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	ck_assert_int_eq(host.far_index, (int)if_nametoindex("fifteen-letterz"));
	ck_assert_uint_eq(host.queue_count, HOST_NET_QUEUES_MAX);
	ck_assert(!host_net_unplugged(&host));
	host_net_free(&host, &namespaces);
	ck_assert(!host_net_unplugged(&host));
	namespaces_close(&namespaces);
}

/* ---- what the kernel is told ---- */

/* what file @name of /proc/sys begins with, as the host has it; "": there is none */
static const char *sysctl(const char *name)
{
	static char text[32];
	int fd;

	ck_assert_int_eq(setns(host.net_fd, CLONE_NEWNET), 0);
	fd = openat(namespaces.sysctl_fd, name, O_RDONLY | O_CLOEXEC);
	text[fd < 0 ? 0 : read(fd, text, sizeof(text) - 1)] = 0;
	close(fd);
	text[strcspn(text, "\n")] = 0;
	ck_assert_int_eq(setns(namespaces.net_fd, CLONE_NEWNET), 0);
	return text;
}

#define IPV6 "net/ipv6/conf/eth0/"
#define IPV4 "net/ipv4/conf/eth0/"

/* one of several interfaces is itself only; of a single one nothing is changed */
TEST_RANGE(host_net_make__settings, 0, 2)
{
	static const char *const ipv6[][2] = { { IPV6 "disable_ipv6", "0" },
					       { IPV6 "accept_dad", "0" },
					       { IPV6 "router_solicitations", "0" },
					       { IPV6 "keep_addr_on_down", "1" } };
	static const char *const ipv4[][2] = { { IPV4 "arp_ignore", "1" },
					       { IPV4 "arp_announce", "2" } };
	struct host_net_spec spec = described();

	if (!fabric_open())
		return;
	spec.several = _i;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	for (size_t i = 0; i < 4 && sysctl(ipv6[0][0])[0]; i++)
		ck_assert_str_eq(sysctl(ipv6[i][0]), ipv6[i][1]);
	for (size_t i = 0; i < 2; i++)
		ck_assert_str_eq(sysctl(ipv4[i][0]), _i ? ipv4[i][1] : "0");
	if (_i) {
		ck_assert_str_eq(sysctl(IPV4 "rp_filter"), "0");
		ck_assert_str_eq(sysctl("net/ipv4/conf/all/rp_filter"), "0");
	}
	ck_assert_str_eq(sysctl("net/ipv4/ip_forward"), "0");
	host_net_free(&host, &namespaces);
	namespaces_close(&namespaces);
}

/* buffers are for dilated time only: the default is another one */
TEST_RANGE(host_net_make__dilated_time, 1, 3)
{
	struct host_net_spec spec = described();

	if (!fabric_open())
		return;
	spec.dilation = (uint32_t)_i;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	ck_assert_int_eq(strcmp(sysctl("net/ipv4/tcp_rmem"), "4096\t131072\t134217728") == 0,
			 _i > 1);
	ck_assert_uint_eq(host.shaped_max_bps,
			  _i > 1 ? HOST_NET_SHAPED_DILATED_BPS_MAX : HOST_NET_SHAPED_RATE_BPS_MAX);
	host_net_free(&host, &namespaces);
	namespaces_close(&namespaces);
}

static int option_of(int fd, int level, int name)
{
	socklen_t length = sizeof(int);
	int value = -1;

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &length), 0);
	return value;
}

/* several sockets share the frames; a single one has no group */
TEST_RANGE(host_net_queues_open__options, 1, 3)
{
	struct host_net_spec spec = described();

	if (!fabric_open())
		return;
	spec.queue_count = (uint32_t)_i;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	for (int i = 0; i < _i; i++) {
		int fd = host.queue_fds[i];

		ck_assert_int_eq(option_of(fd, SOL_PACKET, PACKET_VNET_HDR), 1);
		ck_assert_int_eq(option_of(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING), 1);
		ck_assert_int_eq(option_of(fd, SOL_PACKET, PACKET_QDISC_BYPASS), 1);
		ck_assert_int_eq(option_of(fd, SOL_PACKET, PACKET_FANOUT),
				 _i == 1 ? 0 : host.far_index | PACKET_FANOUT_HASH << 16);
		ck_assert_int_gt(option_of(fd, SOL_SOCKET, SO_RCVBUF), 212992);
		ck_assert_int_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
		ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	host_net_free(&host, &namespaces);
	namespaces_close(&namespaces);
}

/* those that were opened before one that fails are closed */
TEST(host_net_queues_open__all_or_none)
{
	int fds[2] = { 7, 8 };

	if (!fabric_open())
		return;
	ck_assert_int_eq(host_net_queues_open(99, 2, fds), -ENODEV);
	ck_assert_int_eq(fds[0], -1);
	ck_assert_int_eq(host_net_queues_open(99, 0, fds), 0);
	namespaces_close(&namespaces);
}

/* ---- IPv6 ---- */

/* a smaller MTU than IPv6 needs: the host has IPv4 only, in its file of names too */
TEST_RANGE(host_net_make__least_mtu_of_ipv6, 0, 2)
{
	struct host_net_spec spec = described();
	char text[512] = "";
	int fd;

	spec.mtu_bytes = HOST_NET_IPV6_MTU_BYTES_MIN - 1 + (uint32_t)_i;
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, hosts_file, &spec, 1), 0);
	fd = open(hosts_file, O_RDONLY | O_CLOEXEC);
	ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	ck_assert_int_eq(strstr(text, "fd48::1\tnode\n") != NULL, _i);
	ck_assert_ptr_nonnull(strstr(text, "10.0.0.1\tnode\n"));
	if (!fabric_open())
		return;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	if (!_i)
		ck_assert(!host.ipv6);
	else if (sysctl(IPV6 "disable_ipv6")[0])
		ck_assert(host.ipv6);
	host_net_free(&host, &namespaces);
	namespaces_close(&namespaces);
}

/* ---- a pair that is deleted ---- */

/* the kernel deletes it with the namespace, in which a program may still be */
TEST(host_net_free__not_before_the_namespace)
{
	struct host_net_spec spec = described();
	int held;

	if (!fabric_open())
		return;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	held = fcntl(host.net_fd, F_DUPFD_CLOEXEC, 0);
	host_net_free(&host, &namespaces);
	ck_assert_uint_ne(if_nametoindex("h0"), 0);
	close(held);
	namespaces_close(&namespaces);
}

TEST(host_net_unplugged__deleted_from_inside)
{
	struct host_net_spec spec = described();
	struct netlink netlink;

	if (!fabric_open())
		return;
	ck_assert_msg(!host_net_make(&host, &namespaces, &spec, &why), "%s", why.text);
	ck_assert(!host_net_unplugged(&host));
	ck_assert_int_eq(netlink_open(&netlink, host.net_fd, namespaces.net_fd), 0);
	ck_assert_int_eq(netlink_link_delete(&netlink, host.index), 0);
	netlink_close(&netlink);
	ck_assert(host_net_unplugged(&host));
	ck_assert_int_eq(host_net_carrier(&host, &namespaces, false), -ENODEV);
	ck_assert_int_eq(host_net_rate(&host, &namespaces, 1000000), -ENODEV);
	host_net_free(&host, &namespaces);
	ck_assert_int_lt(host_net_rate(&host, &namespaces, 1000000), 0);
	namespaces_close(&namespaces);
}
