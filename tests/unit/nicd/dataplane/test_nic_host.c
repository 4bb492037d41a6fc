/*  nicd/dataplane: attached hosts under the real clock: TCP between two network namespaces
 *  (TB-15). */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/link/link_send.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/nic_pair.h"

#define HOST_BYTES (64u << 20)
#define HOST_QUEUES 2u

static node_time_t real_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec) * NODE_NS;
}

/* one turn of both NICs, as in pace.c */
static void real_turn(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		node_time_t now = real_now();

		nicd_ops.host_receive(ends[i].nic, &(uint32_t){ (1u << HOST_QUEUES) - 1 }, now);
		link_refresh(&ends[i].link, 0);
		nicd_ops.run(ends[i].nic, now + 1);
		link_flush(&ends[i].link, &(bool){ 0 });
		if (!ends[i].link.down)
			ring_release(&ends[i].link.rx.ring);
		nicd_ops.host_deliver(ends[i].nic, now);
	}
}

static void real_setup(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		ends[i].config.clock = CLOCK_REAL;
		ends[i].config.nic.host_queues = HOST_QUEUES;
		ends[i].port.rate_bps = 10000000000ull;
		ends[i].port.mtu_bytes = 1514;
	}
	ends[0].config.nic.workload_count = 0;
	fabric_build();
}

static uint8_t pattern(uint64_t i)
{
	return (uint8_t)(i * 7 + i / 4093);
}

/* Host 0 sends, host 1 compares. Return: exit status. */
static int host_talk(uint32_t host)
{
	static uint8_t bytes[1 << 16];
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(5001) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	uint64_t at = 0;

	inet_pton(AF_INET, "10.9.0.2", &address.sin_addr);
	if (host) {
		if (bind(fd, (void *)&address, sizeof(address)) || listen(fd, 1) ||
		    (fd = accept(fd, NULL, NULL)) < 0)
			return 1;
		for (ssize_t got; (got = read(fd, bytes, sizeof(bytes))) > 0;)
			for (ssize_t i = 0; i < got; i++)
				if (bytes[i] != pattern(at++))
					return 2;
		return at == HOST_BYTES ? 0 : 3;
	}
	for (int tries = 0; connect(fd, (void *)&address, sizeof(address)); tries++) {
		if (tries == 50)
			return 4;
		usleep(100000);
	}
	while (at < HOST_BYTES) {
		for (uint32_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = pattern(at + i);
		for (size_t sent = 0; sent < sizeof(bytes);) {
			ssize_t more = write(fd, bytes + sent, sizeof(bytes) - sent);

			if (more < 0)
				return 5;
			sent += (size_t)more;
		}
		at += sizeof(bytes);
	}
	return 0;
}

/* a process in a network namespace of its own with interface h0 or h1 */
static pid_t host_start(uint32_t host)
{
	char command[128], byte;
	int ready[2], go[2];
	pid_t pid;

	ck_assert(!pipe(ready) && !pipe(go));
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNET) || write(ready[1], "r", 1) != 1 ||
		    read(go[0], &byte, 1) != 1)
			_exit(9);
		snprintf(command, sizeof(command),
			 "ip addr add 10.9.0.%u/24 dev h%u && ip link set h%u up", host + 1, host,
			 host);
		_exit(system(command) ? 9 : host_talk(host));
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	snprintf(command, sizeof(command), "ip link set h%u netns %d", host, (int)pid);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(write(go[1], "g", 1), 1);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	return pid;
}

static int packet_socket(uint32_t host)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL)), on = 1;
	int fanout = (int)(host + 1) | PACKET_FANOUT_HASH << 16;
	char name[16];

	snprintf(name, sizeof(name), "f%u", host);
	address.sll_ifindex = (int)if_nametoindex(name);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &(int){ 8 << 20 }, sizeof(int));
	ck_assert_int_eq(bind(fd, (void *)&address, sizeof(address)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof(fanout)), 0);
	return fd;
}

/* the link is down for a thousand turns, then there is a new one */
static void link_pull(void)
{
	for (uint32_t i = 0; i < 2; i++)
		nicd_ops.link_down(ends[i].nic, 0, real_now());
	for (uint32_t i = 0; i < 1000; i++)
		real_turn();
	rings_clear();
	for (uint32_t i = 0; i < 2; i++) {
		link_fini(&ends[i].link);
		link_open(i);
		nicd_ops.link_up(ends[i].nic, 0, real_now());
	}
}

/* two namespaces, and packet sockets of both NICs at their interfaces.
 * Return: false without root and iproute2. */
static bool hosts_open(pid_t pids[2])
{
	int fds[HOST_QUEUES];

	if (geteuid() || unshare(CLONE_NEWNET) ||
	    system("ip link add f0 type veth peer name h0 2>/dev/null"))
		return false;
	ck_assert_int_eq(system("ip link add f1 type veth peer name h1; ip link set f0 up; ip link "
				"set f1 up"),
			 0);
	real_setup();
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t q = 0; q < HOST_QUEUES; q++)
			fds[q] = packet_socket(i);
		ck_assert_int_eq(nicd_ops.host_open(ends[i].nic, fds, HOST_QUEUES), 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		pids[i] = host_start(!i);
	return true;
}

TEST_GROUP(nic_host, .setup = setup, .teardown = fabric_free, .timeout_s = 90);

/* TB-15: TCP between two namespaces over two NICs, 64 MiB, every byte compared; after two thirds
 * the link is down for a moment */
TEST(nic_host__tcp_over_veth)
{
	pid_t pids[2];
	int status;
	uint32_t left = 2;
	bool pulled = false;
	node_time_t until = real_now() + 60 * NODE_S;

	if (!hosts_open(pids))
		return;
	while (left && real_now() < until) {
		for (uint32_t i = 0; i < 1000; i++)
			real_turn();
		if (!pulled && ends[1].stats->delivered_bytes > HOST_BYTES / 3 * 2) {
			pulled = true;
			link_pull();
		}
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			ck_assert_int_eq(status, 0);
			left--;
		}
	}
	for (uint32_t i = 0; left && i < 2; i++)
		kill(pids[i], SIGKILL);
	ck_assert_uint_eq(left, 0);
	ck_assert(pulled);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(ends[i].stats->injected_packets, ends[i].stats->host_tx_packets);
		ck_assert_uint_eq(ends[i].stats->delivered_packets, ends[i].stats->host_rx_packets);
		ck_assert_uint_eq(ends[i].stats->drops[DROP_MALFORMED] +
					  ends[i].stats->drops[DROP_OVERSIZE],
				  0);
		ck_assert_uint_eq(ends[i].stats->drops[DROP_BUFFER_OVERFLOW] +
					  ends[i].stats->drops[DROP_RING_FULL],
				  0);
	}
}
