/*  orchestrator/live/live_host: interface and addresses of the hosts of a running fabric, and the
 *  file of their names (TB-15). No host is made. */
#include <fcntl.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/wire/address.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/plan/plan_real.h"
#include "tests/testing.h"

#define THREE                                                                            \
	"name: t\nrun: {duration: 100us, warmup: 10us}\n"                                \
	"topology: {switches: [s1], hosts: {A: s1, B: s1, C: s1}}\nlinks: {rate: 25Gb/s" \
	", mtu: %s}\n"

static struct plan plan;
static struct live_host_names names;

static void plan_text(const char *text)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static void planned(const char *mtu)
{
	char text[512];

	snprintf(text, sizeof(text), THREE, mtu);
	plan_text(text);
}

static void teardown(void)
{
	plan_free(&plan);
}

TEST_GROUP(live_host, .teardown = teardown);

TEST(live_host_spec__each_host_has_its_own)
{
	char text[IP_ADDRESS_TEXT_MAX];
	struct host_net_spec spec;
	uint8_t mac[ETH_ALEN];

	planned("1518");
	spec = live_host_spec(&plan, 2, &names);
	ck_assert_str_eq(spec.name, "C");
	ck_assert_str_eq(spec.interface, "eth0");
	ck_assert_str_eq(spec.far_name, "h2");
	ck_assert_uint_eq(spec.addresses->address_count, 2);
	ck_assert_str_eq(ip_address_subnet_text(&spec.addresses->addresses[0].ip, text),
			 "10.0.0.3/8");
	ck_assert(!spec.router && !spec.several);
	ck_assert_uint_eq(spec.rate_bps, 25000000000);
	address_mac(2, mac);
	ck_assert_mem_eq(spec.mac, mac, sizeof(mac));
}

/* The MTU of a link counts the Ethernet header, that of an interface does not. Linux' largest is
 * 9000. */
TEST(live_host_spec__mtu)
{
	planned("1500");
	ck_assert_uint_eq(plan.nodes[plan_host_node(&plan, 0)].ports[0].mtu_bytes, 1500);
	ck_assert_uint_eq(live_host_spec(&plan, 0, &names).mtu_bytes, 1500 - ETHER_HDR_LEN);
	plan_free(&plan);
	planned("9014");
	ck_assert_uint_eq(live_host_spec(&plan, 0, &names).mtu_bytes, 9000);
	plan_free(&plan);
	planned("9216");
	ck_assert_uint_eq(live_host_spec(&plan, 0, &names).mtu_bytes, 9000);
}

/* programs of a dilated fabric see its rates: so the machine has to carry less */
TEST(live_host_spec__of_dilated_time)
{
	struct host_net_spec spec;

	planned("1518");
	plan.dilation = 4;
	spec = live_host_spec(&plan, 1, &names);
	ck_assert_uint_eq(spec.rate_bps, 25000000000 / 4);
	ck_assert_uint_eq(spec.dilation, 4);
}

/* one that was not made is left as it is */
TEST(live_host_end__no_host)
{
	struct host_net hosts[3] = { { .net_fd = -1, .far_index = 7 } };
	static struct live live;

	planned("1518");
	live.plan = &plan;
	live.hosts = hosts;
	live_host_end(&live, 0);
	ck_assert_uint_eq(hosts[0].far_index, 7);
}

/* DU-3: a further interface of a router */
TEST(live_host_spec__interfaces)
{
	struct host_net_spec spec;

	plan_text("name: t\nrun: {duration: 100us}\ntopology:\n  switches: [s1]\n  hosts:\n"
		  "    R: {switch: s1, router: yes, interfaces: [{switch: s1, addresses: "
		  "192.0.2.1/24}]}\n    B: s1\n");
	spec = live_host_spec(&plan, 2, &names);
	ck_assert_str_eq(spec.name, "R.eth1");
	ck_assert_str_eq(spec.interface, "eth1");
	ck_assert_str_eq(spec.far_name, "h2");
	ck_assert(spec.router && spec.several);
	ck_assert_uint_eq(spec.addresses->address_count, 1);
	spec = live_host_spec(&plan, 1, &names);
	ck_assert(!spec.router && !spec.several);
}

/* every host that is there, with each of its addresses */
TEST(live_hosts_write__names_of_all_hosts)
{
	static struct live live;
	char folder[] = "/tmp/heddle-test-XXXXXX", path[128], text[1024];
	FILE *file;
	size_t length;

	planned("1500");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	live.plan = &plan;
	snprintf(live.place.path, sizeof(live.place.path), "%s", folder);
	live.place.dir_fd = open(folder, O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(live_hosts_write(&live, path, sizeof(path)), 0);
	ck_assert(!strncmp(path, folder, strlen(folder)));
	ck_assert_str_eq(path + strlen(folder), "/hosts");
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = 0;
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "10.0.0.1"));
	ck_assert_ptr_nonnull(strstr(text, "10.0.0.2"));
	ck_assert_ptr_nonnull(strstr(text, "10.0.0.3"));
	unlink(path);
	close(live.place.dir_fd);
	rmdir(folder);
}
