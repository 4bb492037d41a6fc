/*  orchestrator/hosts/netlink: interfaces as the kernel shows them, its refusals, and answers that
 *  are lost (TB-3, TB-22). In a network namespace with a loopback interface only. libnl's recvmsg()
 *  and sendmsg() are those of this file. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "orchestrator/hosts/netlink.h"
#include "tests/testing.h"

enum { MTU_BYTES = 1500, LOOPBACK = 1 };

static uint32_t calls, failing_call; /* 0: none fails */
static int failing_errno = ENOMEM;

static bool refuses(void)
{
	if (++calls != failing_call)
		return false;
	errno = failing_errno;
	return true;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return refuses() ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return refuses() ? -1 : syscall(SYS_recvmsg, fd, message, flags);
}

static struct netlink netlink;
static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 7 };
static const struct netlink_end near_end = { "near", mac, -1 }, far_end = { "far", NULL, -1 };

/* the test is skipped if this machine gives users no namespaces */
static bool in_namespace(void)
{
	failing_call = 0;
	return !unshare(CLONE_NEWUSER | CLONE_NEWNET) && !netlink_open(&netlink, -1, -1);
}

/* what the kernel knows of interface @name, by its old interface */
static struct ifreq asked(const char *name, unsigned long request)
{
	struct ifreq answer = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(answer.ifr_name, sizeof(answer.ifr_name), "%s", name);
	ck_assert_msg(!ioctl(fd, request, &answer), "%s: %s", name, strerror(errno));
	close(fd);
	return answer;
}

TEST(netlink__interfaces_as_the_kernel_shows_them)
{
	struct in_addr address;
	struct ifreq answer;
	int near, vlan;

	if (!in_namespace())
		return;
	inet_pton(AF_INET, "10.1.2.3", &address);
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES), 0);
	near = netlink_index(&netlink, "near");
	ck_assert_int_eq(near, (int)if_nametoindex("near"));
	answer = asked("near", SIOCGIFHWADDR);
	ck_assert_mem_eq(answer.ifr_hwaddr.sa_data, mac, sizeof(mac));
	ck_assert_int_eq(asked("far", SIOCGIFMTU).ifr_mtu, MTU_BYTES);
	ck_assert_int_eq(netlink_link_up(&netlink, near, true), 0);
	ck_assert((asked("near", SIOCGIFFLAGS).ifr_flags & (IFF_UP | IFF_NOARP)) ==
		  (IFF_UP | IFF_NOARP));
	ck_assert_int_eq(netlink_address_add(&netlink, near, AF_INET, &address, 20), 0);
	answer = asked("near", SIOCGIFADDR);
	ck_assert_mem_eq(&((struct sockaddr_in *)&answer.ifr_addr)->sin_addr, &address, 4);
	answer = asked("near", SIOCGIFNETMASK);
	ck_assert_uint_eq(((struct sockaddr_in *)&answer.ifr_netmask)->sin_addr.s_addr,
			  htonl(0xfffff000));
	ck_assert_int_eq(netlink_link_down(&netlink, near), 0);
	ck_assert(!(asked("near", SIOCGIFFLAGS).ifr_flags & IFF_UP));
	vlan = netlink_vlan_add(&netlink, near, 7, "near.7", MTU_BYTES);
	ck_assert(!vlan || vlan == -EOPNOTSUPP);
	ck_assert_int_eq(netlink_link_delete(&netlink, near), 0);
	ck_assert_uint_eq(if_nametoindex("far"), 0);
	netlink_close(&netlink);
}

/* the kernel's own error numbers, each once: the next request has its own */
TEST(netlink__refusals_are_the_kernels)
{
	struct in_addr address, network, nowhere;

	if (!in_namespace())
		return;
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES), 0);
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES), -EEXIST);
	ck_assert_int_gt(netlink_index(&netlink, "near"), LOOPBACK);
	ck_assert_int_eq(netlink_index(&netlink, "no-such"), -ENODEV);
	ck_assert_int_eq(netlink_link_delete(&netlink, 99), -ENODEV);
	ck_assert_int_eq(netlink_link_up(&netlink, 99, false), -ENODEV);
	inet_pton(AF_INET, "10.1.2.3", &address);
	inet_pton(AF_INET, "10.8.0.0", &network);
	inet_pton(AF_INET, "10.9.0.1", &nowhere);
	ck_assert_int_eq(netlink_address_add(&netlink, LOOPBACK, AF_INET, &address, 32), 0);
	ck_assert_int_eq(netlink_address_add(&netlink, LOOPBACK, AF_INET, &address, 32), -EEXIST);
	ck_assert_int_eq(netlink_route_add(&netlink, LOOPBACK, AF_INET, &network, 16, NULL),
			 -ENETDOWN);
	ck_assert_int_eq(netlink_link_up(&netlink, LOOPBACK, false), 0);
	ck_assert_int_eq(netlink_route_add(&netlink, LOOPBACK, AF_INET, &network, 16, &nowhere),
			 -ENETUNREACH);
	netlink_close(&netlink);
}

/* Request or answer number @failing_call is lost. Return: did every request succeed? */
static bool all_succeed(void)
{
	int index, results[4];

	calls = 0;
	results[0] = netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES);
	index = netlink_index(&netlink, "near");
	ck_assert(index > LOOPBACK || index < 0);
	results[1] = netlink_link_up(&netlink, index, false);
	results[2] = netlink_index(&netlink, "far");
	ck_assert(results[2] > LOOPBACK || results[2] < 0);
	results[3] = netlink_link_delete(&netlink, index);
	return index > 0 && !results[0] && !results[1] && results[2] > 0 && !results[3];
}

/* a late answer to one request is not taken for the answer to the next */
TEST(netlink__answers_that_are_lost)
{
	uint32_t call_count;

	if (!in_namespace())
		return;
	ck_assert(all_succeed());
	call_count = calls;
	netlink_close(&netlink);
	ck_assert_uint_ge(call_count, 10);
	for (uint32_t call = 1; call <= call_count; call++) {
		failing_call = 0;
		ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
		ck_assert_int_eq(netlink_open(&netlink, -1, -1), 0);
		failing_call = call;
		(void)all_succeed();
		netlink_close(&netlink);
	}
}

/* of a request that is not sent: libnl has fewer numbers than the kernel */
TEST(netlink__errors_of_the_library)
{
	static const int errors[][2] = { { ENOMEM, -ENOMEM }, { ENODEV, -ENODEV }, { EIO, -EIO } };

	for (unsigned i = 0; i < 3; i++) {
		if (!in_namespace())
			return;
		calls = 0;
		failing_call = 1;
		failing_errno = errors[i][0];
		ck_assert_int_eq(netlink_link_up(&netlink, LOOPBACK, false), errors[i][1]);
		netlink_close(&netlink);
	}
}

/* of an interface that is there or not; the default queue needs no reset */
TEST(netlink__token_bucket)
{
	int near;

	if (!in_namespace())
		return;
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES), 0);
	near = netlink_index(&netlink, "near");
	ck_assert_int_eq(netlink_queue_reset(&netlink, near), 0);
	ck_assert_int_eq(netlink_queue_reset(&netlink, 99), -ENODEV);
	ck_assert_int_eq(netlink_token_bucket_set(&netlink, 99, 125000, 4000, 1 << 20), -ENODEV);
	ck_assert_int_eq(netlink_token_bucket_set(&netlink, near, 125000, 4000, 1 << 20), 0);
	ck_assert_int_eq(netlink_token_bucket_set(&netlink, near, 250000, 4000, 1 << 20), 0);
	ck_assert_int_eq(netlink_queue_reset(&netlink, near), 0);
	ck_assert_int_eq(netlink_queue_reset(&netlink, near), 0);
	netlink_close(&netlink);
}

/* the socket works in the namespace in which it was made, and the process is back in its own */
TEST(netlink_open__other_namespace)
{
	int home_fd, other_fd, no_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (!in_namespace())
		return;
	home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(netlink_veth_add(&netlink, &near_end, &far_end, MTU_BYTES), 0);
	netlink_close(&netlink);
	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	other_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(netlink_open(&netlink, home_fd, other_fd), 0);
	ck_assert_int_gt(netlink_index(&netlink, "near"), LOOPBACK);
	ck_assert_uint_eq(if_nametoindex("near"), 0);
	netlink_close(&netlink);
	ck_assert_ptr_null(netlink.socket);
	ck_assert_int_eq(netlink_open(&netlink, no_fd, other_fd), -EINVAL);
	ck_assert_ptr_null(netlink.socket);
	close(home_fd);
	close(other_fd);
	close(no_fd);
}
