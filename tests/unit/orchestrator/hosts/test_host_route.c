/*  orchestrator/hosts/host_net: routes of hosts, by an interface of a VLAN, and in a network that
 *  exists (FC-3, DU-3). The interface of the VLAN is one of the test, since a kernel may have none.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/hosts/host_net.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/hosts/one_fabric.h"

static struct host_address address;
static struct host_interface interface = { 1, &address, 0, NULL };

TEST_GROUP(host_route, .setup_once = hosts_file_create, .teardown_once = hosts_file_remove);

/* @text as the address of an interface */
static struct host_net_spec described(const char *name, const char *far_name, const char *text)
{
	ck_assert(ip_address_parse(text, &address.ip));
	return (struct host_net_spec){ .name = "node",
				       .interface = name,
				       .far_name = far_name,
				       .addresses = &interface,
				       .mac = { 2, 0, 0, 0, 0, (uint8_t)far_name[1] },
				       .mtu_bytes = 1500,
				       .queue_count = 1,
				       .rate_bps = 200000000000 };
}

static struct host_net_route route_of(const char *to, const char *via, uint32_t vlan)
{
	struct host_net_route route = { .vlan = vlan };

	ck_assert(ip_address_parse(to, &route.to) && ip_address_parse(via, &route.via));
	return route;
}

/* has the host a route @line, as /proc/net/route has it? */
static bool has_route(const struct host_net *host, const char *interface_name, const char *to,
		      const char *via)
{
	char line[512], wanted[64];
	bool found = false;
	FILE *file;

	snprintf(wanted, sizeof(wanted), "%s\t%s\t%s\t", interface_name, to, via);
	ck_assert_int_eq(setns(host->net_fd, CLONE_NEWNET), 0);
	file = fopen("/proc/thread-self/net/route", "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		found |= !strncmp(line, wanted, strlen(wanted));
	fclose(file);
	ck_assert_int_eq(setns(namespaces.net_fd, CLONE_NEWNET), 0);
	return found;
}

/* to a network that a router at the interface of VLAN 5 has */
TEST(host_net_join__route_of_a_vlan)
{
	struct host_net_spec spec;
	struct host_net_route route;
	struct host_net hosts[3];

	if (!fabric_open())
		return;
	spec = described("eth0", "h0", "10.0.0.1/8");
	ck_assert_msg(!host_net_make(&hosts[0], &namespaces, &spec, &why), "%s", why.text);
	spec = described("eth1.5", "h1", "172.16.0.2/24");
	ck_assert_msg(!host_net_join(&hosts[1], &namespaces, &hosts[0], &spec, &why), "%s",
		      why.text);
	spec = described("eth1", "h2", "172.17.0.2/24");
	route = route_of("198.51.100.0/24", "172.16.0.1", 6);
	spec.routes = &route;
	spec.route_count = 1;
	ck_assert_int_eq(host_net_join(&hosts[2], &namespaces, &hosts[0], &spec, &why), -ENODEV);
	ck_assert_msg(!strncmp(why.text, "host node: ", 11) && strstr(why.text, "eth1"), "%s",
		      why.text);
	route.vlan = 5;
	ck_assert_msg(!host_net_join(&hosts[2], &namespaces, &hosts[0], &spec, &why), "%s",
		      why.text);
	ck_assert(has_route(&hosts[0], "eth1.5", "006433C6", "010010AC"));
	for (unsigned i = 3; i-- > 0;)
		host_net_free(&hosts[i], &namespaces);
	namespaces_close(&namespaces);
}

/* a host has one route to a network: a second one is an error, but not of a further interface */
TEST(host_net_make__two_routes_to_a_network)
{
	struct host_net_route routes[2];
	struct host_net_spec spec;
	struct host_net hosts[2];

	if (!fabric_open())
		return;
	routes[0] = routes[1] = route_of("198.51.100.0/24", "10.0.0.2", 0);
	spec = described("eth0", "h0", "10.0.0.1/8");
	spec.routes = routes;
	spec.route_count = 2;
	ck_assert_int_eq(host_net_make(&hosts[0], &namespaces, &spec, &why), -EEXIST);
	ck_assert_msg(!strncmp(why.text, "host node: ", 11) && strstr(why.text, "eth0"), "%s",
		      why.text);
	spec.route_count = 1;
	ck_assert_msg(!host_net_make(&hosts[0], &namespaces, &spec, &why), "%s", why.text);
	ck_assert(has_route(&hosts[0], "eth0", "006433C6", "0200000A"));
	spec = described("eth1", "h1", "172.17.0.2/24");
	routes[1] = route_of("198.51.100.0/24", "172.17.0.1", 0);
	spec.routes = &routes[1];
	spec.route_count = 1;
	ck_assert_msg(!host_net_join(&hosts[1], &namespaces, &hosts[0], &spec, &why), "%s",
		      why.text);
	/* the first one stays */
	ck_assert(has_route(&hosts[0], "eth0", "006433C6", "0200000A"));
	ck_assert(!has_route(&hosts[0], "eth1", "006433C6", "010011AC"));
	host_net_free(&hosts[1], &namespaces);
	host_net_free(&hosts[0], &namespaces);
	namespaces_close(&namespaces);
}
