/*  orchestrator/hosts/veth_link: the names of the interfaces of veth links, the pairs, and their
 *  sockets (TB-3). */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/hosts/veth_link.h"
#include "tests/testing.h"

static char name[IFNAMSIZ];

static const char *named(const char *own, const char *peer, uint32_t number, char end,
			 bool numbered)
{
	memset(name, 'x', sizeof(name));
	veth_link_name(name, own, peer, number, end, numbered);
	ck_assert_ptr_nonnull(memchr(name, 0, sizeof(name)));
	return name;
}

TEST(veth_link_name__has_both_ends)
{
	ck_assert_str_eq(named("s1", "s2", 7, 'a', false), "s1.s2");
	ck_assert_str_eq(named("s2", "s1", 7, 'b', false), "s2.s1");
}

TEST(veth_link_name__second_link_between_two_switches)
{
	ck_assert_str_eq(named("s1", "s2", 7, 'a', true), "s1.s2.7a");
	ck_assert_str_eq(named("s2", "s1", 7, 'b', true), "s2.s1.7b");
}

TEST(veth_link_name__exactly_as_long_as_allowed)
{
	/* 15 characters */
	ck_assert_str_eq(named("spine-1", "leaf-11", 1, 'a', false), "spine-1.leaf-11");
	ck_assert_str_eq(named("spine-1", "leaf-111", 1, 'a', false), "spine.leaf-.1a");
}

TEST(veth_link_name__number_keeps_long_names_unique)
{
	char other[IFNAMSIZ];
	static const char long_name[] = "a-switch-with-a-name-that-is-far-too-long";

	strcpy(other, named(long_name, long_name, 4294967295u, 'a', true));
	ck_assert_str_eq(other, "a.a.4294967295a");
	ck_assert_str_ne(other, named(long_name, long_name, 4294967294u, 'a', true));
	ck_assert_str_ne(other, named(long_name, long_name, 4294967295u, 'b', true));
}

/* both sockets or none; in a network namespace with a loopback interface only */
TEST(veth_link_sockets__both_or_none)
{
	const struct veth_link good = { 1, 1 }, no_b = { 1, 99 }, no_a = { 99, 1 };
	int fds[2], next = dup(0);

	close(next);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return; /* this machine gives users no namespaces */
	ck_assert_int_eq(veth_link_sockets(&good, fds), 0);
	ck_assert_int_ge(fds[0], 0);
	ck_assert_int_ge(fds[1], 0);
	close(fds[0]);
	close(fds[1]);
	ck_assert_int_eq(veth_link_sockets(&no_b, fds), -ENODEV);
	ck_assert(fds[0] == -1 && fds[1] == -1);
	ck_assert_int_eq(veth_link_sockets(&no_a, fds), -ENODEV);
	ck_assert(fds[0] == -1 && fds[1] == -1);
	ck_assert_int_eq(dup(0), next); /* nothing is left open */
	close(next);
}

/* ---- the pair ---- */

/* the flags of interface @interface; -1: there is none */
static int flags_of(const char *interface)
{
	struct ifreq asked = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), flags;

	snprintf(asked.ifr_name, sizeof(asked.ifr_name), "%s", interface);
	flags = ioctl(fd, SIOCGIFFLAGS, &asked) ? -1 : asked.ifr_flags;
	close(fd);
	return flags;
}

/* ends of a link are up, without ARP */
static void pair_is(const struct veth_link *veth, const char *name_a, const char *name_b)
{
	const int wanted = IFF_UP | IFF_NOARP;

	ck_assert_int_eq(veth->index_a, (int)if_nametoindex(name_a));
	ck_assert_int_eq(veth->index_b, (int)if_nametoindex(name_b));
	ck_assert_int_eq(flags_of(name_a) & wanted, wanted);
	ck_assert_int_eq(flags_of(name_b) & wanted, wanted);
}

TEST(veth_link_make__names_that_are_free)
{
	struct veth_link first, second, third;
	struct netlink netlink;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || netlink_open(&netlink, -1, -1))
		return; /* this machine gives users no namespaces */
	ck_assert_int_eq(veth_link_make(&first, &netlink, "s1", "s2", 7, 1500), 0);
	pair_is(&first, "s1.s2", "s2.s1");
	ck_assert_int_eq(veth_link_make(&second, &netlink, "s1", "s2", 8, 1500), 0);
	pair_is(&second, "s1.s2.8a", "s2.s1.8b");
	/* both names are in use: the other links stay */
	ck_assert_int_eq(veth_link_make(&third, &netlink, "s1", "s2", 8, 1500), -EEXIST);
	ck_assert(!third.index_a && !third.index_b);
	pair_is(&second, "s1.s2.8a", "s2.s1.8b");
	veth_link_free(&third, &netlink);
	veth_link_free(&first, &netlink);
	ck_assert(!first.index_a && !first.index_b);
	ck_assert_int_eq(flags_of("s1.s2"), -1);
	ck_assert_int_eq(flags_of("s2.s1"), -1);
	veth_link_free(&first, &netlink);
	pair_is(&second, "s1.s2.8a", "s2.s1.8b");
	/* what the kernel refuses for another reason is not tried again */
	ck_assert_int_eq(veth_link_make(&third, &netlink, "s1", "s/2", 9, 1500), -EINVAL);
	ck_assert(!third.index_a && !third.index_b);
	netlink_close(&netlink);
}

/* how many frames with mark @mark come at @fd; others are the kernel's */
static unsigned marked(int fd, uint8_t mark, int wait_ms)
{
	struct pollfd polled = { fd, POLLIN, 0 };
	uint8_t got[100];
	unsigned count = 0;

	while (poll(&polled, 1, count ? 0 : wait_ms) > 0)
		count += read(fd, got, sizeof(got)) == 60 && got[12] == 0x88 && got[13] == 0xb5 &&
			 got[14] == mark;
	return count;
}

/* each end receives what the other one sends, not what it sends itself */
TEST(veth_link_sockets__frames_of_the_other_end)
{
	uint8_t sent[60] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5 };
	struct veth_link veth;
	struct netlink netlink;
	int fds[2], bytes;
	socklen_t length = sizeof(bytes);

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || netlink_open(&netlink, -1, -1))
		return;
	ck_assert_int_eq(veth_link_make(&veth, &netlink, "s1", "s2", 7, 1500), 0);
	ck_assert_int_eq(veth_link_sockets(&veth, fds), 0);
	for (int from = 0; from < 2; from++) {
		sent[14] = (uint8_t)(from + 1);
		/* the kernel drops what is sent before it has seen the carrier */
		do
			ck_assert_int_eq(write(fds[from], sent, sizeof(sent)), sizeof(sent));
		while (!marked(fds[1 - from], sent[14], 100));
		ck_assert_uint_eq(marked(fds[from], sent[14], 0), 0);
		/* the kernel doubles what is asked for, if it grants it */
		ck_assert_int_eq(getsockopt(fds[from], SOL_SOCKET, SO_RCVBUF, &bytes, &length), 0);
		ck_assert_int_gt(bytes, 212992);
		ck_assert_int_eq(fcntl(fds[from], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
		ck_assert_int_eq(fcntl(fds[from], F_GETFD), FD_CLOEXEC);
	}
	close(fds[0]);
	close(fds[1]);
	netlink_close(&netlink);
}
