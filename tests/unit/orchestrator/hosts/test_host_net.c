/*  orchestrator/hosts/host_net: the namespace, interface and queues of an attached host, in a
 *  namespace of this test (TB-15, TB-22, TB-24, DU-6). */
#include "orchestrator/hosts/host_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/wire/address.h"
#include "orchestrator/operate/enter.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/hosts/one_fabric.h"

#define HOSTS_MAX 64u
#define ETHER_TYPE_TEST 0x88b5 /* IEEE: local experiments */
#define FAST_BPS 200000000000ull

static struct host_net hosts[HOSTS_MAX];
static struct host_net_spec specs[HOSTS_MAX];
static char names[HOSTS_MAX][2][8];
static struct host_address addresses[HOSTS_MAX][2];
static struct host_interface interfaces[HOSTS_MAX];

static struct host_net_spec *describe(uint32_t n)
{
	struct host_net_spec *spec = &specs[n];
	uint32_t ipv4 = htonl(address_ipv4(n));

	snprintf(names[n][0], sizeof names[n][0], "node%u", n);
	snprintf(names[n][1], sizeof names[n][1], "h%u", n);
	*spec = (struct host_net_spec){ .name = names[n][0],
					.interface = "eth0",
					.far_name = names[n][1],
					.addresses = &interfaces[n],
					.mtu_bytes = 9000,
					.queue_count = 1,
					.rate_bps = FAST_BPS };
	address_mac(n, spec->mac);
	interfaces[n] = (struct host_interface){ 2, addresses[n], 0, NULL };
	addresses[n][0].ip = (struct ip_address){ .version = 4, .bits = 8 };
	memcpy(addresses[n][0].ip.bytes, &ipv4, sizeof(ipv4));
	addresses[n][1].ip = (struct ip_address){ .version = 6, .bits = 64 };
	address_ipv6(n, addresses[n][1].ip.bytes);
	return spec;
}

static void make(uint32_t n)
{
	ck_assert_msg(host_net_make(&hosts[n], &namespaces, &specs[n], &why) == 0, "%s", why.text);
}

static void fabric_close(uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
		host_net_free(&hosts[n], &namespaces);
	namespaces_close(&namespaces);
}

static void move(int net_fd)
{
	ck_assert_int_eq(setns(net_fd, CLONE_NEWNET), 0);
}

/* Runs @command in host @n.  Return: its exit status. */
static int run_in(uint32_t n, const char *command)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct enter_fds fds = { .user_fd = namespaces.user_fd,
					 .pid_fd = namespaces.pid_fd,
					 .mount_fd = namespaces.mount_fd,
					 .net_fd = hosts[n].net_fd,
					 .uts_fd = hosts[n].uts_fd,
					 .rights.full = true,
					 .group = LIMIT_GROUP_NONE,
					 .tmp_fd = -1 };
		char *argv[] = { "sh", "-c", (char *)command, NULL };
		int result = enter_run(&fds, NULL, argv, NULL, &why);

		if (result < 0)
			fprintf(stderr, "%s\n", why.text);
		_exit(result < 0 ? 255 : result);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* ---- a host ---- */

static bool has_address(int family, const void *address)
{
	struct ifaddrs *list, *entry;
	bool found = false;

	ck_assert_int_eq(getifaddrs(&list), 0);
	for (entry = list; entry; entry = entry->ifa_next) {
		if (!entry->ifa_addr || entry->ifa_addr->sa_family != family ||
		    strcmp(entry->ifa_name, "eth0") != 0)
			continue;
		if (family == AF_INET)
			found |= !memcmp(&((struct sockaddr_in *)entry->ifa_addr)->sin_addr,
					 address, 4);
		else if (family == AF_INET6)
			found |= !memcmp(&((struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr,
					 address, 16);
		else
			found |= !memcmp(((struct sockaddr_ll *)entry->ifa_addr)->sll_addr, address,
					 6);
	}
	freeifaddrs(list);
	return found;
}

TEST_GROUP(host_net, .setup_once = hosts_file_create, .teardown_once = hosts_file_remove,
	   .timeout_s = 30);

/* TB-15 */
TEST(host_net_make__interface_is_configured)
{
	struct ifreq request = { .ifr_name = "eth0" };
	uint32_t ipv4 = htonl(address_ipv4(0));
	int fd;

	if (!fabric_open())
		return;
	describe(0);
	make(0);
	ck_assert_uint_ne(if_nametoindex("h0"), 0);
	ck_assert_uint_eq(if_nametoindex("eth0"), 0);
	move(hosts[0].net_fd);
	ck_assert(has_address(AF_PACKET, specs[0].mac));
	ck_assert(has_address(AF_INET, &ipv4));
	ck_assert(!hosts[0].ipv6 || has_address(AF_INET6, addresses[0][1].ip.bytes));
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(ioctl(fd, SIOCGIFMTU, &request), 0);
	ck_assert_int_eq(request.ifr_mtu, 9000);
	ck_assert_int_eq(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	ck_assert(request.ifr_flags & IFF_UP);
	close(fd);
	move(namespaces.net_fd);
	fabric_close(1);
}

TEST(host_net_make__rejects_a_bad_spec)
{
	struct host_net_spec *spec = describe(0);

	spec->far_name = "a-name-that-is-too-long";
	ck_assert_int_eq(host_net_make(&hosts[0], &namespaces, spec, &why), -ENAMETOOLONG);
	spec = describe(0);
	spec->queue_count = HOST_NET_QUEUES_MAX + 1;
	ck_assert_int_eq(host_net_make(&hosts[0], &namespaces, spec, &why), -ERANGE);
	spec = describe(0);
	spec->mtu_bytes = 9001;
	ck_assert_int_eq(host_net_make(&hosts[0], &namespaces, spec, &why), -ERANGE);
}

TEST(host_net_make__rejects_a_second_of_the_same_name)
{
	if (!fabric_open())
		return;
	describe(0);
	make(0);
	ck_assert_int_eq(host_net_make(&hosts[1], &namespaces, &specs[0], &why), -EEXIST);
	ck_assert_str_eq(why.text, "host node0: interfaces eth0 and h0: File exists");
	ck_assert_int_eq(hosts[1].net_fd, -1);
	fabric_close(1);
}

/* an invalid address is detected last, when the pair exists already */
TEST(host_net_make__failure_leaves_nothing)
{
	if (!fabric_open())
		return;
	describe(0);
	addresses[0][0].ip.bits = 99;
	ck_assert_int_lt(host_net_make(&hosts[0], &namespaces, &specs[0], &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "addresses of eth0"));
	ck_assert_uint_eq(if_nametoindex("h0"), 0);
	describe(0);
	make(0);
	fabric_close(1);
}

/* Names, and a ping from one host to another: the namespaces that both share do not prevent it. */
TEST(host_net_make__hosts_reach_each_other)
{
	int status;
	pid_t child;

	if (!fabric_open())
		return;
	for (uint32_t n = 0; n < 2; n++) {
		describe(n);
		make(n);
	}
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, hosts_file, specs, 2), 0);
	ck_assert_int_eq(run_in(0, "test $(uname -n) = node0 && test -e /sys/class/net/eth0"), 0);
	child = fork();
	if (child == 0) {
		struct enter_fds fds = { .user_fd = namespaces.user_fd,
					 .pid_fd = namespaces.pid_fd,
					 .mount_fd = namespaces.mount_fd,
					 .net_fd = hosts[0].net_fd,
					 .uts_fd = hosts[0].uts_fd,
					 .rights.full = true,
					 .group = LIMIT_GROUP_NONE,
					 .tmp_fd = -1 };
		char *nothing[] = { "true", NULL };

		if (enter_run(&fds, NULL, nothing, NULL, &why))
			_exit(254);
		_exit(run_in(1, "test $(uname -n) = node1 && grep -qx 02:48:00:00:00:02 "
				"/sys/class/net/eth0/address"));
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	if (namespaces.hosts_shown)
		ck_assert_int_eq(run_in(1, "grep -q node0 /etc/hosts"), 0);
	fabric_close(2);
}

/* TB-22: an interface is removed soon after its descriptors are closed */
TEST(host_net_free__nothing_left)
{
	uint64_t start;

	if (!fabric_open())
		return;
	describe(0);
	make(0);
	start = now_us();
	host_net_free(&hosts[0], &namespaces);
	while (if_nametoindex("h0") && now_us() - start < 10000000)
		usleep(1000);
	ck_assert_uint_eq(if_nametoindex("h0"), 0);
	host_net_free(&hosts[0], &namespaces);
	namespaces_close(&namespaces);
}

static struct ip_address ip_of(const char *text)
{
	struct ip_address ip;

	ck_assert(ip_address_parse(text, &ip));
	return ip;
}

/* a further interface: in the same namespace, itself only on the one Ethernet, with its routes; it
 * goes without the host */
TEST(host_net_join__second_interface)
{
	const struct host_net_route route = { ip_of("192.0.2.0/24"), ip_of("10.9.0.1"), 0 };
	struct host_net_spec *spec;

	if (!fabric_open())
		return;
	describe(0)->several = true;
	specs[0].router = true;
	make(0);
	spec = describe(1);
	spec->interface = "eth1";
	spec->several = true;
	spec->routes = &route;
	spec->route_count = 1;
	addresses[1][0].ip = ip_of("10.9.0.2/24");
	interfaces[1].address_count = 1;
	ck_assert_msg(!host_net_join(&hosts[1], &namespaces, &hosts[0], spec, &why), "%s",
		      why.text);
	ck_assert_int_eq(run_in(0, "cat /proc/sys/net/ipv4/conf/eth1/arp_ignore | grep -qx 1"), 0);
	ck_assert_int_eq(run_in(0, "cat /proc/sys/net/ipv4/conf/eth0/arp_announce | grep -qx 2"),
			 0);
	ck_assert_int_eq(run_in(0, "cat /proc/sys/net/ipv4/ip_forward | grep -qx 1"), 0);
	/* destination 192.0.2.0 through 10.9.0.1, in the kernel's order of bytes */
	ck_assert_int_eq(run_in(0, "grep -qE 'eth1[[:space:]]000200C0[[:space:]]0100090A' "
				   "/proc/net/route"),
			 0);
	host_net_free(&hosts[1], &namespaces);
	ck_assert_int_eq(run_in(0, "test -e /sys/class/net/eth0 && ! test -e /sys/class/net/eth1"),
			 0);
	fabric_close(1);
}

/* where the kernel has no such devices it says so */
TEST(host_net_make__vlan)
{
	struct host_address tagged = { .ip = ip_of("192.0.2.5/24") };
	struct host_vlan vlan = { .id = 10, .address_count = 1, .addresses = &tagged };
	int error;

	if (!fabric_open())
		return;
	describe(0);
	interfaces[0].vlans = &vlan;
	interfaces[0].vlan_count = 1;
	error = host_net_make(&hosts[0], &namespaces, &specs[0], &why);
	if (error) {
		ck_assert_int_eq(error, -EOPNOTSUPP);
		ck_assert_ptr_nonnull(strstr(why.text,
					     "host node0: VLAN 10 of eth0: this kernel has no "
					     "VLAN devices"));
		ck_assert_uint_eq(if_nametoindex("h0"), 0);
		printf("skipped the VLAN: %s\n", why.text);
	} else {
		ck_assert_int_eq(run_in(0, "test $(cat /sys/class/net/eth0.10/mtu) = 8996"), 0);
	}
	fabric_close(1);
}

static bool is_up(const char *interface)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { 0 };

	strcpy(request.ifr_name, interface);
	ck_assert_int_eq(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	close(fd);
	return request.ifr_flags & IFF_UP;
}

/* as the kernel of host @n states */
static bool has_carrier(uint32_t n)
{
	return run_in(n, "grep -q 1 /sys/class/net/eth0/carrier") == 0;
}

/* a link that is down and comes up; the address of IPv6 would not survive an eth0 that went down */
TEST(host_net_carrier__follows_the_link)
{
	if (!fabric_open())
		return;
	describe(0);
	make(0);
	ck_assert(has_carrier(0));
	ck_assert_int_eq(host_net_carrier(&hosts[0], &namespaces, false), 0);
	ck_assert(!has_carrier(0));
	move(hosts[0].net_fd);
	ck_assert(is_up("eth0"));
	ck_assert(!hosts[0].ipv6 || has_address(AF_INET6, addresses[0][1].ip.bytes));
	move(namespaces.net_fd);
	ck_assert_int_eq(host_net_carrier(&hosts[0], &namespaces, false), 0);
	ck_assert_int_eq(host_net_carrier(&hosts[0], &namespaces, true), 0);
	ck_assert(has_carrier(0));
	fabric_close(1);
}

/* A group is joined and sent to without a route of the program's own. */
TEST(host_net_make__multicast_has_a_route)
{
	struct ip_mreq group = { .imr_multiaddr.s_addr = htonl(0xef010203) };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(5007),
				  .sin_addr = group.imr_multiaddr };
	int fd;

	if (!fabric_open())
		return;
	describe(0);
	make(0);
	move(hosts[0].net_fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group), 0);
	ck_assert_int_eq(sendto(fd, "hello", 5, 0, (struct sockaddr *)&to, sizeof to), 5);
	close(fd);
	move(namespaces.net_fd);
	fabric_close(1);
}

TEST(host_net_attach__restores_on_leave)
{
	int net_fd;

	if (!fabric_open())
		return;
	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	move(namespaces.net_fd);
	describe(0);
	ck_assert_msg(!host_net_attach(&hosts[0], &namespaces, net_fd, &specs[0], &why), "%s",
		      why.text);
	move(net_fd);
	ck_assert_uint_ne(if_nametoindex("eth0"), 0);
	ck_assert(!is_up("lo")); /* as before */
	ck_assert(is_up("eth0"));
	move(namespaces.net_fd);
	host_net_free(&hosts[0], &namespaces);
	move(net_fd);
	ck_assert_uint_eq(if_nametoindex("eth0"), 0);
	move(namespaces.net_fd);
	close(net_fd);
	namespaces_close(&namespaces);
}

/* ---- frames ---- */

/* a packet socket on the host's own end */
static int host_socket(uint32_t n)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETHER_TYPE_TEST) };
	int fd;

	move(hosts[n].net_fd);
	address.sll_ifindex = (int)if_nametoindex("eth0");
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	move(namespaces.net_fd);
	return fd;
}

static void frame_write(uint8_t *frame, size_t length, uint8_t mark)
{
	memset(frame, mark, length);
	memset(frame, 0xff, 6);
	memcpy(frame + 6, specs[0].mac, 6);
	frame[12] = ETHER_TYPE_TEST >> 8;
	frame[13] = ETHER_TYPE_TEST & 0xff;
}

/* Return: the generated frames that arrive at @fd within @wait_ms; other frames are the
 * kernel's. */
static uint32_t frames_count(int fd, int wait_ms)
{
	struct pollfd waited = { .fd = fd, .events = POLLIN };
	uint8_t record[sizeof(struct virtio_net_hdr) + 9014];
	uint32_t count = 0;

	while (poll(&waited, 1, wait_ms) > 0) {
		ssize_t length = read(fd, record, sizeof record);
		const uint8_t *frame = record + sizeof(struct virtio_net_hdr);

		if (length > 24 && frame[12] == ETHER_TYPE_TEST >> 8 &&
		    frame[13] == (ETHER_TYPE_TEST & 0xff))
			count++;
	}
	return count;
}

TEST(host_net_queues_open__both_ways)
{
	uint8_t record[sizeof(struct virtio_net_hdr) + 9014] = { 0 };
	uint8_t *frame = record + sizeof(struct virtio_net_hdr);
	uint8_t received[9014];
	int fd;

	if (!fabric_open())
		return;
	describe(0);
	make(0);
	fd = host_socket(0);
	frame_write(frame, 9014, 1);
	ck_assert_int_eq(write(fd, frame, 9014), 9014);
	ck_assert_uint_eq(frames_count(hosts[0].queue_fds[0], 100), 1);
	memset(record, 0, sizeof(struct virtio_net_hdr));
	frame_write(frame, 9014, 2);
	ck_assert_int_eq(write(hosts[0].queue_fds[0], record, sizeof record), sizeof record);
	ck_assert_int_eq(read(fd, received, sizeof received), 9014);
	ck_assert_mem_eq(received, frame, 9014);
	/* its own frames are not received */
	ck_assert_uint_eq(frames_count(hosts[0].queue_fds[0], 100), 0);
	close(fd);
	fabric_close(1);
}

TEST(host_net_queues_open__sends_every_frame_once)
{
	uint8_t frame[100];
	uint32_t count = 0;
	int fd;

	if (!fabric_open())
		return;
	describe(0)->queue_count = 4;
	make(0);
	fd = host_socket(0);
	for (uint8_t i = 0; i < 50; i++) {
		frame_write(frame, sizeof frame, i);
		ck_assert_int_eq(write(fd, frame, sizeof frame), sizeof frame);
	}
	for (uint32_t i = 0; i < 4; i++)
		count += frames_count(hosts[0].queue_fds[i], 100);
	ck_assert_uint_eq(count, 50);
	close(fd);
	fabric_close(1);
}

/* ---- rate ---- */

TEST(host_net_bucket__wire_overhead)
{
	uint32_t rate, burst;

	host_net_bucket(1000000000, 1500, &rate, &burst);
	ck_assert_uint_eq(rate, 125000000ull * 1514 / 1538);
	ck_assert_uint_eq(burst, rate / 1000);
	host_net_bucket(1000000, 9000, &rate, &burst);
	ck_assert_uint_eq(burst, 2 * 9014);
	host_net_bucket(1, 9000, &rate, &burst);
	ck_assert_uint_eq(rate, 1);
}

/* what a socket may hold, with what the kernel adds to each packet, and a bucket of tokens */
#define HELD_BYTES 1000000

/* Sends @bytes. Return: those that were sent before the socket's buffer was full */
static uint64_t udp_send(int fd, uint64_t bytes, int flags)
{
	static char payload[1400];
	uint64_t sent_bytes = 0;

	while (sent_bytes < bytes) {
		ssize_t sent = send(fd, payload, sizeof payload, flags);

		if (sent < 0 && errno == EAGAIN)
			break;
		ck_assert_int_eq(sent, sizeof payload);
		sent_bytes += sizeof payload;
	}
	return sent_bytes;
}

/* A sender waits, and loses nothing; it can only take longer than by the rate. */
TEST(host_net_rate__blocks_senders)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd, broadcast = 1, error_reports = 1;
	const uint64_t bytes = 5000000;
	uint64_t start_us;

	if (!fabric_open())
		return;
	describe(0)->rate_bps = 8000;
	make(0);
	move(hosts[0].net_fd);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	move(namespaces.net_fd);
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &broadcast, sizeof broadcast);
	/* a drop is ENOBUFS */
	setsockopt(fd, IPPROTO_IP, IP_RECVERR, &error_reports, sizeof error_reports);
	address.sin_addr.s_addr = htonl(0x0affffff);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	ck_assert_uint_lt(udp_send(fd, bytes, MSG_DONTWAIT), HELD_BYTES);
	/* by the first rate this took more than an hour */
	ck_assert_int_eq(host_net_rate(&hosts[0], &namespaces, 200000000), 0);
	start_us = now_us();
	ck_assert_uint_ge(udp_send(fd, bytes, 0), bytes);
	ck_assert_uint_gt(now_us() - start_us, (bytes - HELD_BYTES) / 25);
	ck_assert_int_eq(host_net_rate(&hosts[0], &namespaces, FAST_BPS), 0);
	ck_assert_int_eq(host_net_rate(&hosts[0], &namespaces, FAST_BPS), 0);
	close(fd);
	fabric_close(1);
}

/* ---- names and numbers ---- */

TEST(host_net_hosts_file__is_changed_in_place)
{
	struct stat before, after;
	char text[512] = "";
	FILE *file;

	describe(0);
	describe(1);
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, hosts_file, specs, 2), 0);
	ck_assert_int_eq(stat(hosts_file, &before), 0);
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, hosts_file, specs, 1), 0);
	ck_assert_int_eq(stat(hosts_file, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	file = fopen(hosts_file, "r");
	ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
	fclose(file);
	ck_assert_str_eq(text, "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
			       "10.0.0.1\tnode0\nfd48::1\tnode0\n");
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, "/nowhere/hosts", specs, 1), -ENOENT);
}

/* every address of a NIC, and those of its VLANs under names of their own */
TEST(host_net_hosts_file__all_addresses)
{
	struct host_address tagged = { .ip = ip_of("192.0.2.5/24") };
	struct host_vlan vlan = { .id = 10, .address_count = 1, .addresses = &tagged };
	char text[512] = "";
	FILE *file;

	describe(0);
	addresses[0][0].ip = ip_of("10.1.0.5/24");
	interfaces[0].vlans = &vlan;
	interfaces[0].vlan_count = 1;
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, hosts_file, specs, 1), 0);
	file = fopen(hosts_file, "r");
	ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
	fclose(file);
	ck_assert_ptr_nonnull(
		strstr(text, "10.1.0.5\tnode0\nfd48::1\tnode0\n192.0.2.5\tnode0.10\n"));
}

/* TB-24: a symlink does not decide which file is written */
TEST(host_net_hosts_file__follows_no_symlink)
{
	char link[256];

	snprintf(link, sizeof(link), "%s.link", hosts_file);
	ck_assert_int_eq(symlink(hosts_file, link), 0);
	describe(0);
	ck_assert_int_eq(host_net_hosts_file(AT_FDCWD, link, specs, 1), -ELOOP);
	unlink(link);
}

TEST(host_net_make__sixty_four_hosts)
{
	uint64_t start;

	if (!fabric_open())
		return;
	start = now_us();
	for (uint32_t n = 0; n < HOSTS_MAX; n++) {
		describe(n);
		make(n);
	}
	printf("%u hosts made in %u ms\n", HOSTS_MAX, (unsigned)((now_us() - start) / 1000));
	start = now_us();
	fabric_close(HOSTS_MAX);
	printf("%u hosts removed in %u ms\n", HOSTS_MAX, (unsigned)((now_us() - start) / 1000));
}
