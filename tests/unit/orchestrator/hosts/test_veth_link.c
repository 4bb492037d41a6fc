/*  orchestrator/hosts/veth_link: the names of the interfaces of veth links, and their sockets
 *  (TB-3). system/test_veth.sh creates them. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
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
