/*  switchd/translate: MAC, IPv4, IPv6 and HPC destinations to fabric addresses (FC-3, FC-21).                        */
#include <check.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "switchd/translate.h"

#define HOSTS 2000u

static struct host_config hosts[HOSTS];
static struct translate table;

static void setup(void)
{
	for (uint32_t i = 0; i < HOSTS; i++)
		hosts[i] = (struct host_config){ .host_index = i, .fabric_address = 1 + i / 32, .egress_port = i % 32 };
	ck_assert_int_eq(translate_init(&table, hosts, HOSTS), 0);
}

static void teardown(void)
{
	translate_fini(&table);
}

static struct frame_fields to_mac(uint32_t host)
{
	struct frame_fields fields = { 0 };

	address_mac(host, fields.destination_mac);
	return fields;
}

/* handed to a gateway: the MAC is nobody's */
static struct frame_fields to_ipv4(uint32_t host)
{
	struct frame_fields fields = { .destination_mac = { 2, 9, 9, 9, 9, 9 }, .ip_version = 4 };
	uint32_t address = htobe32(address_ipv4(host));

	memcpy(fields.destination_ip, &address, sizeof(address));
	return fields;
}

static struct frame_fields to_ipv6(uint32_t host)
{
	struct frame_fields fields = { .destination_mac = { 2, 9, 9, 9, 9, 9 }, .ip_version = 6 };

	address_ipv6(host, fields.destination_ip);
	return fields;
}

static struct frame_fields to_hpc(uint32_t host)
{
	return (struct frame_fields){ .hpc = true, .hpc_destination = address_hpc(host) };
}

static bool leads_to(struct frame_fields fields, uint32_t host)
{
	const struct translate_entry *entry = translate_lookup(&table, &fields);

	return entry && entry->fabric_address == 1 + host / 32 && entry->egress_port == host % 32;
}

START_TEST(translate_init__no_hosts)
{
	struct translate empty;
	struct frame_fields fields = to_mac(0);

	ck_assert_int_eq(translate_init(&empty, NULL, 0), 0);
	ck_assert_ptr_null(translate_lookup(&empty, &fields));
	translate_fini(&empty);
}
END_TEST

/* FC-3: every host by each of its four addresses */
START_TEST(translate_lookup__every_address_of_every_host)
{
	uint32_t wrong = 0;

	for (uint32_t host = 0; host < HOSTS; host++)
		wrong += !leads_to(to_mac(host), host) + !leads_to(to_ipv4(host), host) +
			 !leads_to(to_ipv6(host), host) + !leads_to(to_hpc(host), host);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* FC-3: a destination that nobody has is told, not guessed */
START_TEST(translate_lookup__unknown_destination)
{
	struct frame_fields unknown[] = { to_mac(HOSTS), to_ipv4(HOSTS), to_ipv6(HOSTS), to_hpc(HOSTS) };

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_ptr_null(translate_lookup(&table, &unknown[i]));
}
END_TEST

/* an HPC frame goes by its endpoint alone, whatever its MAC says */
START_TEST(translate_lookup__hpc_endpoint_not_mac)
{
	struct frame_fields fields = to_hpc(HOSTS);

	address_mac(3, fields.destination_mac);
	ck_assert_ptr_null(translate_lookup(&table, &fields));
	fields.hpc_destination = address_hpc(4);
	ck_assert(leads_to(fields, 4));
}
END_TEST

/* a known MAC goes before the IP address behind it */
START_TEST(translate_lookup__mac_before_ip)
{
	struct frame_fields fields = to_ipv4(5);

	address_mac(900, fields.destination_mac);
	ck_assert(leads_to(fields, 900));
}
END_TEST

/* broadcast and multicast are nobody's, though the IP destination may look like a host's */
START_TEST(translate_lookup__group_addresses)
{
	struct frame_fields ipv4 = to_ipv4(5), ipv6 = to_ipv6(5);

	ipv4.group = ipv6.group = true;
	memset(ipv4.destination_mac, 0xff, sizeof(ipv4.destination_mac));
	memset(ipv6.destination_mac, 0x33, sizeof(ipv6.destination_mac));
	ck_assert_ptr_null(translate_lookup(&table, &ipv4));
	ck_assert_ptr_null(translate_lookup(&table, &ipv6));
}
END_TEST

/* the same bytes as another kind of address are another address: IPv4 bytes are not looked up among IPv6 ones */
START_TEST(translate_lookup__kinds_do_not_mix)
{
	struct frame_fields fields = to_ipv4(5);

	fields.ip_version = 6;
	ck_assert_ptr_null(translate_lookup(&table, &fields));
	fields.ip_version = 0;
	ck_assert_ptr_null(translate_lookup(&table, &fields));
}
END_TEST

/* a question for an address goes to who has it, if it is asked of everybody */
START_TEST(translate_lookup__questions)
{
	struct frame_fields arp = { .group = true, .target_version = 4 }, nd = { .group = true, .target_version = 6 };
	uint32_t ipv4 = htobe32(address_ipv4(7));

	memset(arp.destination_mac, 0xff, sizeof(arp.destination_mac));
	memset(nd.destination_mac, 0x33, sizeof(nd.destination_mac));
	memcpy(arp.target_ip, &ipv4, sizeof(ipv4));
	address_ipv6(8, nd.target_ip);
	ck_assert(leads_to(arp, 7));
	ck_assert(leads_to(nd, 8));
	arp.group = nd.group = false;
	ck_assert_ptr_null(translate_lookup(&table, &arp));
	ck_assert_ptr_null(translate_lookup(&table, &nd));
}
END_TEST

/* where a flooded frame goes: each host once */
START_TEST(translate_init__all_hosts)
{
	ck_assert_uint_eq(table.host_count, HOSTS);
	for (uint32_t i = 0; i < HOSTS; i++)
		ck_assert(table.hosts[i].fabric_address == 1 + i / 32 && table.hosts[i].egress_port == i % 32);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("translate");
	TCase *tcase = tcase_create("translate");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, translate_init__no_hosts);
	tcase_add_test(tcase, translate_lookup__every_address_of_every_host);
	tcase_add_test(tcase, translate_lookup__unknown_destination);
	tcase_add_test(tcase, translate_lookup__hpc_endpoint_not_mac);
	tcase_add_test(tcase, translate_lookup__mac_before_ip);
	tcase_add_test(tcase, translate_lookup__group_addresses);
	tcase_add_test(tcase, translate_lookup__kinds_do_not_mix);
	tcase_add_test(tcase, translate_lookup__questions);
	tcase_add_test(tcase, translate_init__all_hosts);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
