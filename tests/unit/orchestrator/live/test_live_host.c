/*  orchestrator/live/live_host: interface and addresses of the hosts of a running fabric, and the
 *  file of their names (TB-15). No host is made. */
#include <arpa/inet.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static char far_name[IFNAMSIZ];

static void planned(const char *mtu)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char text[512];

	snprintf(text, sizeof(text), THREE, mtu);
	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static void teardown(void)
{
	plan_free(&plan);
}

TEST_GROUP(live_host, .teardown = teardown);

TEST(live_host_spec__each_host_has_its_own)
{
	struct host_net_spec spec;
	uint8_t mac[ETH_ALEN];

	planned("1518");
	spec = live_host_spec(&plan, 2, far_name);
	ck_assert_str_eq(spec.name, "C");
	ck_assert_str_eq(spec.interface, "eth0");
	ck_assert_ptr_eq(spec.far_name, far_name);
	ck_assert_str_eq(far_name, "h2");
	ck_assert_uint_eq(spec.host_index, 2);
	ck_assert_uint_eq(spec.ipv4, address_ipv4(2));
	ck_assert_uint_eq(spec.ipv4_prefix_bits, 8);
	ck_assert_uint_eq(spec.ipv6_prefix_bits, 64);
	ck_assert_uint_eq(spec.rate_bps, 25000000000);
	address_mac(2, mac);
	ck_assert_mem_eq(spec.mac, mac, sizeof(mac));
	ck_assert_uint_ne(spec.ipv4, live_host_spec(&plan, 1, far_name).ipv4);
}

/* The MTU of a link counts the Ethernet header, that of an interface does not. Linux' largest is
 * 9000. */
TEST(live_host_spec__mtu)
{
	planned("1500");
	ck_assert_uint_eq(plan.nodes[plan_host_node(&plan, 0)].ports[0].mtu_bytes, 1500);
	ck_assert_uint_eq(live_host_spec(&plan, 0, far_name).mtu_bytes, 1500 - ETHER_HDR_LEN);
	plan_free(&plan);
	planned("9014");
	ck_assert_uint_eq(live_host_spec(&plan, 0, far_name).mtu_bytes, 9000);
	plan_free(&plan);
	planned("9216");
	ck_assert_uint_eq(live_host_spec(&plan, 0, far_name).mtu_bytes, 9000);
}
