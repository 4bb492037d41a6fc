/*  switchd/common/translate: MAC, IPv4, IPv6 and HPC destinations to fabric addresses (FC-3,
 *  FC-21). */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "switchd/common/translate.h"
#include "tests/testing.h"

#define HOSTS 2000u

static struct host_config hosts[HOSTS];
static struct translate table;

static void setup(void)
{
	for (uint32_t i = 0; i < HOSTS; i++)
		hosts[i] = (struct host_config){ .host_index = i,
						 .fabric_address = 1 + i / 32,
						 .egress_port = i % 32 };
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

/* sent to a gateway: its MAC belongs to no host */
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

TEST_GROUP(translate, .setup = setup, .teardown = teardown);

/* a table of one host, whose number may be any */
TEST_RANGE(translate_init__one_host, 0, 3)
{
	static const uint32_t indices[] = { 0, 1, 77 };
	uint32_t index = indices[_i];
	struct host_config one = { .host_index = index, .fabric_address = 9, .egress_port = 3 };
	struct translate small;

	ck_assert_int_eq(translate_init(&small, &one, 1), 0);
	for (uint32_t host = 0; host < 80; host++) {
		struct frame_fields fields = to_mac(host);
		const struct translate_entry *entry = translate_lookup(&small, &fields);

		ck_assert_int_eq(entry != NULL, host == index);
		if (entry)
			ck_assert(entry->fabric_address == 9 && entry->egress_port == 3);
	}
	translate_fini(&small);
	ck_assert_int_eq(translate_init(&small, NULL, 0), 0);
	translate_fini(&small);
}

TEST(translate_init__no_hosts)
{
	struct translate empty;
	struct frame_fields fields = to_mac(0);

	ck_assert_int_eq(translate_init(&empty, NULL, 0), 0);
	ck_assert_ptr_null(translate_lookup(&empty, &fields));
	translate_fini(&empty);
}

/* FC-3: every host by each of its four addresses */
TEST(translate_lookup__every_address_of_every_host)
{
	uint32_t wrong = 0;

	for (uint32_t host = 0; host < HOSTS; host++)
		wrong += !leads_to(to_mac(host), host) + !leads_to(to_ipv4(host), host) +
			 !leads_to(to_ipv6(host), host) + !leads_to(to_hpc(host), host);
	ck_assert_uint_eq(wrong, 0);
}

/* FC-3: an unknown destination is reported, not guessed */
TEST(translate_lookup__unknown_destination)
{
	struct frame_fields unknown[] = { to_mac(HOSTS), to_ipv4(HOSTS), to_ipv6(HOSTS),
					  to_hpc(HOSTS) };

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_ptr_null(translate_lookup(&table, &unknown[i]));
}

/* the endpoint of an HPC frame decides, whatever its MAC is */
TEST(translate_lookup__hpc_endpoint_not_mac)
{
	struct frame_fields fields = to_hpc(HOSTS);

	address_mac(3, fields.destination_mac);
	ck_assert_ptr_null(translate_lookup(&table, &fields));
	fields.hpc_destination = address_hpc(4);
	ck_assert(leads_to(fields, 4));
}

/* a known MAC overrides the IP address */
TEST(translate_lookup__mac_before_ip)
{
	struct frame_fields fields = to_ipv4(5);

	address_mac(900, fields.destination_mac);
	ck_assert(leads_to(fields, 900));
}

/* broadcast and multicast have no single host, even if the IP destination looks like one */
TEST(translate_lookup__group_addresses)
{
	struct frame_fields ipv4 = to_ipv4(5), ipv6 = to_ipv6(5);

	ipv4.group = ipv6.group = true;
	memset(ipv4.destination_mac, 0xff, sizeof(ipv4.destination_mac));
	memset(ipv6.destination_mac, 0x33, sizeof(ipv6.destination_mac));
	ck_assert_ptr_null(translate_lookup(&table, &ipv4));
	ck_assert_ptr_null(translate_lookup(&table, &ipv6));
}

/* Equal bytes of different kinds of address are different addresses: IPv4 bytes are not looked up
 * among IPv6 ones. */
TEST(translate_lookup__kinds_do_not_mix)
{
	struct frame_fields fields = to_ipv4(5);

	fields.ip_version = 6;
	ck_assert_ptr_null(translate_lookup(&table, &fields));
	fields.ip_version = 0;
	ck_assert_ptr_null(translate_lookup(&table, &fields));
}

/* a broadcast request for an address is sent to the host that has it */
TEST(translate_lookup__requests_go_to_their_target)
{
	struct frame_fields arp = { .group = true, .target_version = 4 },
			    nd = { .group = true, .target_version = 6 };
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

/* ---- networks behind hosts that route ---- */

/* whatever prefixes say, a link-local address is behind no router: 169.254/16 and fe80::/10 */
TEST(translate_lookup__link_local_is_not_routed)
{
	static const struct prefix_config all[] = { { .host_index = 1, .version = 4, .bits = 0 },
						    { .host_index = 1, .version = 6, .bits = 0 } };
	static const struct {
		uint8_t version, first, second;
		bool local;
	} cases[] = {
		{ 4, 169, 253, false },   { 4, 169, 254, true },    { 4, 169, 255, false },
		{ 4, 168, 254, false },   { 4, 170, 254, false },   { 6, 0xfe, 0x7f, false },
		{ 6, 0xfe, 0x80, true },  { 6, 0xfe, 0xbf, true },  { 6, 0xfe, 0xc0, false },
		{ 6, 0xff, 0x80, false }, { 6, 0xfd, 0x80, false },
	};

	ck_assert_int_eq(translate_prefixes_set(&table, all, 2), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame_fields fields = { .ip_version = cases[i].version,
						     .destination_mac = { 2, 9, 9, 9, 9, 9 },
						     .destination_ip = { cases[i].first,
									 cases[i].second, 1, 1 } };

		ck_assert_msg(!translate_lookup(&table, &fields) == cases[i].local, "case %zu", i);
	}
}

static void prefixes_set(void)
{
	static const struct prefix_config prefixes[] = {
		{ .host_index = 1, .version = 4, .bits = 0 },
		{ .host_index = 40, .version = 4, .bits = 16, .address = { 10, 9 } },
		{ .host_index = 41, .version = 4, .bits = 23, .address = { 10, 9, 2 } },
		{ .host_index = 42, .version = 4, .bits = 32, .address = { 10, 9, 2, 1 } },
		{ .host_index = HOSTS, .version = 4, .bits = 16, .address = { 10, 10 } },
		{ .host_index = 50, .version = 6, .bits = 32, .address = { 0xfd, 0x99 } },
		{ .host_index = 51,
		  .version = 6,
		  .bits = 128,
		  .address = { 0xfd, 0x99, [15] = 9 } },
	};

	ck_assert_int_eq(
		translate_prefixes_set(&table, prefixes, sizeof(prefixes) / sizeof(*prefixes)), 0);
}

static struct frame_fields to_ip(uint8_t version, const char *text)
{
	struct frame_fields fields = { .destination_mac = { 2, 9, 9, 9, 9, 9 },
				       .ip_version = version };

	ck_assert_int_eq(inet_pton(version == 4 ? AF_INET : AF_INET6, text, fields.destination_ip),
			 1);
	return fields;
}

/* FC-3: the longest prefix counts; a host's own address and a MAC override any prefix */
TEST(translate_lookup__longest_prefix)
{
	struct frame_fields known = to_ip(4, "10.9.1.1");

	prefixes_set();
	ck_assert(leads_to(to_ip(4, "10.9.1.255"), 40));
	ck_assert(leads_to(to_ip(4, "10.9.2.0"), 41));
	ck_assert(leads_to(to_ip(4, "10.9.2.1"), 42));
	ck_assert(leads_to(to_ip(4, "10.9.3.255"), 41));
	ck_assert(leads_to(to_ip(4, "10.9.4.0"), 40));
	ck_assert(leads_to(to_ip(4, "10.8.255.255"), 1));
	ck_assert(leads_to(to_ip(4, "255.255.255.254"), 1));
	ck_assert(leads_to(to_ip(6, "fd99:0:ffff::1"), 50));
	ck_assert(leads_to(to_ip(6, "fd99::9"), 51));
	ck_assert(leads_to(to_ipv4(7), 7));
	address_mac(900, known.destination_mac);
	ck_assert(leads_to(known, 900));
}

/* FC-3: no prefix, an unknown router, link-local and group addresses, requests: all unknown */
TEST(translate_lookup__unknown_without_a_prefix)
{
	struct frame_fields unknown[] = { to_ip(6, "fd99:1::1"), to_ip(6, "fd98:ffff::"),
					  to_ip(4, "10.10.0.1"), to_ip(4, "169.254.1.1"),
					  to_ip(4, "10.9.1.1"),  to_ip(4, "10.9.1.1") };

	unknown[4].group = true;
	unknown[5] = (struct frame_fields){ .group = true,
					    .target_version = 4,
					    .target_ip = { 10, 9, 1, 1 } };
	prefixes_set();
	for (uint32_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		ck_assert_ptr_null(translate_lookup(&table, &unknown[i]));
}

/* Prefixes are not among the tables of the fabric manager. They stay, and follow their host. */
TEST(translate_replace__keeps_prefixes)
{
	struct host_config moved = { .host_index = 40,
				     .fabric_address = 1 + 7 / 32,
				     .egress_port = 7 % 32 };
	struct frame_fields other = to_ip(4, "10.9.2.0");

	prefixes_set();
	ck_assert_int_eq(translate_replace(&table, &moved, 1), 0);
	ck_assert(leads_to(to_ip(4, "10.9.1.1"), 7));
	ck_assert_ptr_null(translate_lookup(&table, &other));
}

/* against a search of the whole list: random nested prefixes, addresses at their ends and next to
 * them */
TEST_RANGE(prefix_table_find__equals_a_search_of_all, 0, 20)
{
	static struct prefix_config list[NODE_PREFIXES_MAX];
	struct prefix_table found;
	uint32_t count = 0;

	srand((unsigned)_i + 1);
	while (count < 200) {
		struct prefix_config new = { .version = rand() % 2 ? 4 : 6, .host_index = count };
		uint8_t last[16];
		uint32_t at = 0;

		new.bits = (uint8_t)((uint32_t)rand() % (prefix_bits_max(new.version) + 1));
		for (uint32_t i = 0; i < prefix_bits_max(new.version) / 8; i++)
			new.address[i] = rand() % 4 ? 0 : (uint8_t)(rand() % 2 ? 0xff : 0x80);
		for (uint32_t bit = new.bits; bit < 128; bit++)
			new.address[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
		prefix_last(&new, last);
		ck_assert(prefix_is_clean(&new) && prefix_covers(&new, last));
		while (at < count && prefix_order(&list[at], &new) < 0)
			at++;
		if (at < count && !prefix_order(&list[at], &new))
			continue;
		memmove(&list[at + 1], &list[at], (count++ - at) * sizeof(new));
		list[at] = new;
	}
	ck_assert_int_eq(prefix_list_check(list, count, count, &(struct why){ "" }), 0);
	ck_assert_int_eq(prefix_table_init(&found, list, count), 0);
	for (uint32_t i = 0; i < 4 * count; i++) {
		const struct prefix_config *near = &list[i / 4];
		uint32_t best = PREFIX_NO_HOST, bits = 0;
		uint8_t address[16];

		memcpy(address, near->address, sizeof(address));
		if (i % 2)
			prefix_last(near, address);
		if (i % 4 > 1)
			address[prefix_bits_max(near->version) / 8 - 1] ^= 1;
		for (uint32_t p = 0; p < count; p++)
			if (list[p].version == near->version && prefix_covers(&list[p], address) &&
			    list[p].bits >= bits) {
				best = list[p].host_index;
				bits = list[p].bits;
			}
		ck_assert_uint_eq(prefix_table_find(&found, near->version, address), best);
	}
	prefix_table_fini(&found);
}

/* TB-23: a malformed list of prefixes is rejected, and the error names the entry */
TEST(prefix_list_check__rejects_mistakes)
{
	struct prefix_config list[] = { { .version = 4, .bits = 16, .address = { 10, 9 } },
					{ .version = 6, .bits = 32, .address = { 0xfd, 0x99 } } };
	const struct prefix_config wrong[] = {
		{ .version = 4, .bits = 16, .address = { 10, 9 } },
		{ .version = 4, .bits = 16, .address = { 10, 8 } },
		{ .version = 6, .bits = 32, .address = { 0xfd, [4] = 1 } },
		{ .version = 6, .bits = 129 },
		{ .version = 4, .bits = 33, .address = { 11 } },
		{ .version = 5, .bits = 8, .address = { 11 } },
		{ .version = 6, .bits = 8, .address = { 11 }, .host_index = 1 }
	};
	struct why why;

	ck_assert_int_eq(prefix_list_check(list, 2, 1, &why), 0);
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		list[1] = wrong[i];
		ck_assert_int_eq(prefix_list_check(list, 2, 1, &why), -EINVAL);
		ck_assert_ptr_nonnull(strstr(why.text, "prefixes[1] "));
	}
}

/* a flooded frame is sent to each host once */
TEST(translate_init__all_hosts)
{
	ck_assert_uint_eq(table.index_end, HOSTS);
	for (uint32_t i = 0; i < HOSTS; i++)
		ck_assert(table.hosts[i].fabric_address == 1 + i / 32 &&
			  table.hosts[i].egress_port == i % 32);
}

/* a host with addresses of its own has those instead of the ones of its number, also after tables
 * are replaced; the address may be that of another host's number */
TEST(translate_prefixes_set__own_addresses)
{
	struct prefix_config own[2] = {
		{ .host_index = 7,
		  .version = 4,
		  .bits = 32,
		  .own = true,
		  .address = { 10, 0, 0, 3 } },
		{ .host_index = 2,
		  .version = 4,
		  .bits = 32,
		  .own = true,
		  .address = { 10, 1, 0, 5 } },
	};

	for (int round = 0; round < 2; round++) {
		struct frame_fields request = { .group = true, .target_version = 4 };

		if (round)
			ck_assert_int_eq(translate_replace(&table, hosts, HOSTS), 0);
		else
			ck_assert_int_eq(translate_prefixes_set(&table, own, 2), 0);
		memset(request.destination_mac, 0xff, 6);
		memcpy(request.target_ip, own[0].address, 4);
		ck_assert(leads_to(request, 7)); /* it is 10.0.0.3, which host 2 is by number */
		memcpy(request.target_ip, own[1].address, 4);
		ck_assert(leads_to(request, 2));
		ck_assert_ptr_null((void *)translate_lookup(
			&table, &(struct frame_fields){ .destination_mac = { 2, 9, 9, 9, 9, 9 },
							.ip_version = 4,
							.destination_ip = { 10, 0, 0, 8 } }));
		ck_assert(leads_to(to_ipv4(3), 3));
		ck_assert(leads_to(to_mac(7), 7) && leads_to(to_mac(2), 2));
	}
}

/* one such address in the whole fabric */
TEST(translate_prefixes_set__a_single_own_address)
{
	struct prefix_config own = {
		.host_index = 7, .version = 4, .bits = 32, .own = true, .address = { 10, 1, 0, 5 }
	};
	struct frame_fields fields = { .destination_mac = { 2, 9, 9, 9, 9, 9 },
				       .ip_version = 4,
				       .destination_ip = { 10, 1, 0, 5 } };

	ck_assert_int_eq(translate_prefixes_set(&table, &own, 1), 0);
	ck_assert(leads_to(fields, 7));
	fields = to_ipv4(7);
	ck_assert_ptr_null(translate_lookup(&table, &fields));
}
