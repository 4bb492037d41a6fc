/*  orchestrator/live, orchestrator/hosts: running fabrics with links of veth pairs, packed nodes,
 *  routers, and a connection to the machine's network (DU-3, SC-7). */
#include "tests/unit/orchestrator/whole_fabric.h"

static void setup(void)
{
	fabric_setup();
	file_write("u.yaml", "name: u\ntopology:\n  switches: [s1, s2]\n"
			     "  hosts: {A: s1, B: s2}\n  links: [[s1, s2]]\n"
			     "links: {rate: 100Mb/s, delay: 1ms}\n");
}

TEST_GROUP(whole_media, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* the ends of a veth link are in the namespace of its switch, and carry what crosses it */
TEST(up__veth_links)
{
	if (!up("up|u.yaml|--set|links.medium=veth"))
		return;
	ASSERT_STATUS("exec|s1|--|ls|/sys/class/net", 0);
	ASSERT_HAS(printed, "s1.s2");
	ASSERT_HAS(printed, "s1.A");
	ASSERT_STATUS("exec|s2|--|ls|/sys/class/net", 0);
	ASSERT_HAS(printed, "s2.s1");
	until("exec|A|--|ping|-c|1|-W|1|B", "1 received");
	ASSERT_STATUS(
		"exec|s1|--|sh|-c|read n </sys/class/net/s1.s2/statistics/tx_packets; test $n "
		"-gt 0",
		0);
	ASSERT_STATUS("link|s1:s2|down", 0);
	ASSERT_STATUS("exec|A|--|ping|-c|1|-W|1|B", 1);
	ASSERT_STATUS("link|s1:s2|up", 0);
	until("exec|A|--|ping|-c|1|-W|1|B", "1 received");
	ASSERT_STATUS("add|host|C|s1|medium=veth", 0);
	until("exec|C|--|ping|-c|1|-W|1|B", "1 received");
	ASSERT_STATUS("exec|s1|--|ls|/sys/class/net", 0);
	ASSERT_HAS(printed, "s1.C");
	ASSERT_STATUS("remove|C", 0);
	ASSERT_STATUS("exec|s1|--|ls|/sys/class/net", 0);
	ASSERT_LACKS(printed, "s1.C");
	ASSERT_STATUS("save|-", 0);
	ASSERT_HAS(printed, "medium: veth");
	down();
}

TEST(up__packed_nodes)
{
	const char *at;
	int pid;

	if (!up("up|u.yaml|--pack=1"))
		return;
	until("exec|A|--|ping|-c|1|-W|1|B", "1 received");
	ASSERT_STATUS("ps|u", 0);
	/* one process runs all of them */
	at = strstr(printed, "\nswitch  s1 ");
	ck_assert_ptr_nonnull(at);
	pid = atoi(at + strlen("\nswitch  s1 "));
	at = strstr(printed, "\nnic     B ");
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(atoi(at + strlen("\nnic     B ")), pid);
	/* what joins is a process beside the worker */
	ASSERT_STATUS("add|host|C|s2", 0);
	until("exec|C|--|ping|-c|1|-W|1|A", "1 received");
	ASSERT_STATUS("remove|C", 0);
	/* with the worker all of its nodes are dead, and each can be started as a process */
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	until("ps|u", " dead ");
	ck_assert_uint_ge(times(printed, " dead "), 4);
	ASSERT_STATUS("start|s1", 0);
	ASSERT_STATUS("start|s2", 0);
	ASSERT_STATUS("start|A", 0);
	ASSERT_STATUS("start|B", 0);
	until("exec|A|--|ping|-c|1|-W|1|B", "1 received");
	down();
	ASSERT_STATUS("up|u.yaml|--pack=x", 2);
}

/* A - R - B: two subnets, and a router with an interface in each */
TEST(up__router)
{
	file_write(
		"r.yaml",
		"name: u\ntopology:\n  switches: [s1, s2]\n  hosts:\n"
		"    A: {switch: s1, addresses: 192.0.2.2/24, gateway: 192.0.2.1}\n"
		"    B: {switch: s2, addresses: 198.51.100.2/24, routes: [{to: 192.0.2.0/24, via: "
		"198.51.100.1}]}\n"
		"    R: {switch: s1, addresses: 192.0.2.1/24, router: yes, interfaces: [{switch: "
		"s2, addresses: 198.51.100.1/24}]}\n"
		"links: {rate: 100Mb/s, delay: 1ms}\n");
	if (!up("up|r.yaml"))
		return;
	ASSERT_HAS(printed, "  A            192.0.2.2");
	until("exec|A|--|ping|-c|1|-W|1|198.51.100.2", "1 received");
	ASSERT_HAS(printed, "ttl=63");
	ASSERT_STATUS("exec|A|--|ip|route", 0);
	ASSERT_HAS(printed, "default via 192.0.2.1 dev eth0");
	ASSERT_STATUS("exec|B|--|ip|route", 0);
	ASSERT_HAS(printed, "192.0.2.0/24 via 198.51.100.1 dev eth0");
	ASSERT_STATUS("exec|R|--|ip|-4|-o|address|show|dev|eth1", 0);
	ASSERT_HAS(printed, "198.51.100.1/24");
	/* the interfaces of a host go with it */
	ASSERT_STATUS("remove|R", 0);
	ASSERT_STATUS("ps|u", 0);
	ASSERT_LACKS(printed, "R.eth1");
	ASSERT_STATUS("exec|A|--|ping|-c|1|-W|1|198.51.100.2", 1);
	down();
}

TEST(outside__on_and_off)
{
	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("outside", 0);
	ck_assert_str_eq(printed,
			 "no host of u reaches the machine's network; 'heddle outside HOST "
			 "on' connects one\n");
	if (heddle("outside|A|on")) {
		printf("skipped, needs slirp4netns: %s\n", said);
		ASSERT_HAS(said, "heddle outside: ");
	} else {
		ASSERT_STATUS("outside|A|on", 1);
		ck_assert_str_eq(said, "heddle outside: host A: it is connected already\n");
		ASSERT_STATUS("outside", 0);
		ASSERT_HAS(printed, "A");
		ASSERT_STATUS("exec|A|--|ip|-o|link", 0);
		ASSERT_HAS(printed, "outside0");
		ASSERT_STATUS("exec|A|--|ip|route", 0);
		ASSERT_HAS(printed, "default via ");
		ASSERT_HAS(printed, " dev outside0");
		ASSERT_STATUS("exec|A|--|cat|/etc/resolv.conf", 0);
		ASSERT_HAS(printed, "nameserver 198.19.255.3");
		ASSERT_STATUS("outside|A|off", 0);
		ASSERT_STATUS("exec|A|--|ip|-o|link", 0);
		ASSERT_LACKS(printed, "outside0");
		ASSERT_STATUS("exec|A|--|cat|/etc/resolv.conf", 0);
		ASSERT_LACKS(printed, "198.19.255.3");
	}
	ASSERT_STATUS("outside|s1|on", 1);
	ASSERT_HAS(said, "s1");
	ASSERT_STATUS("outside|Z|on", 1);
	ASSERT_STATUS("outside|A|maybe", 2);
	down();
}
