/*  nodes/wire/address: the number of a host gives all its addresses, none of which is all zeros
 *  (FC-3). */
#include <stdlib.h>

#include "nodes/wire/address.h"
#include "tests/testing.h"

TEST(address_mac__host_0_and_last)
{
	uint8_t mac[6];

	address_mac(0, mac);
	ck_assert_mem_eq(mac, ((const uint8_t[]){ 0x02, 0x48, 0, 0, 0, 1 }), 6);
	address_mac(ADDRESS_HOSTS_MAX - 1, mac);
	ck_assert_mem_eq(mac, ((const uint8_t[]){ 0x02, 0x48, 0, 1, 0, 0 }), 6);
}

/* PG-1: the DLID follows from it */
TEST(address_host_of_mac__reverses_address_mac)
{
	static const uint8_t nobody[][6] = {
		{ 0x02, 0x48, 0, 0, 0, 0 },
		{ 0x02, 0x48, 0, 1, 0, 1 },
		{ 0x02, 0x48, 0xff, 0, 0, 1 },
		{ 0x02, 0x49, 0, 0, 0, 1 },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	static const uint32_t hosts[] = { 0, 1, 255, ADDRESS_HOSTS_MAX - 1 };
	uint8_t mac[6];

	for (int i = 0; i < 4; i++) {
		address_mac(hosts[i], mac);
		ck_assert_uint_eq(address_host_of_mac(mac), hosts[i]);
	}
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(address_host_of_mac(nobody[i]), ADDRESS_NO_HOST);
}

TEST(address_ipv4__host_0_and_last)
{
	ck_assert_uint_eq(address_ipv4(0), 0x0a000001);
	ck_assert_uint_eq(address_ipv4(258), 0x0a000103);
	ck_assert_uint_eq(address_ipv4(ADDRESS_HOSTS_MAX - 1), 0x0a010000);
}

TEST(address_ipv6__host_0_and_last)
{
	uint8_t ipv6[16];

	address_ipv6(0, ipv6);
	ck_assert_mem_eq(
		ipv6, ((const uint8_t[]){ 0xfd, 0x48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }),
		16);
	address_ipv6(ADDRESS_HOSTS_MAX - 1, ipv6);
	ck_assert_mem_eq(
		ipv6, ((const uint8_t[]){ 0xfd, 0x48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 }),
		16);
}

/* the number of each, its neighbours, and other prefixes */
TEST(address_host_of__reverses)
{
	static const uint32_t cases[] = { 0, 1, 255, 256, ADDRESS_HOSTS_MAX - 1 };
	uint8_t ipv6[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		address_ipv6(cases[i], ipv6);
		ck_assert_uint_eq(address_host_of_ipv6(ipv6), cases[i]);
		ck_assert_uint_eq(address_host_of_ipv4(address_ipv4(cases[i])), cases[i]);
		ck_assert_uint_eq(address_host_of_hpc(address_hpc(cases[i])), cases[i]);
		for (uint32_t byte = 0; byte < 8 + 5; byte++) {
			ipv6[byte] ^= 1;
			ck_assert_uint_eq(address_host_of_ipv6(ipv6), ADDRESS_NO_HOST);
			ipv6[byte] ^= 1;
		}
	}
	ck_assert_uint_eq(address_host_of_hpc(0), ADDRESS_NO_HOST);
	ck_assert_uint_eq(address_host_of_hpc(ADDRESS_HOSTS_MAX + 1), ADDRESS_NO_HOST);
	ck_assert_uint_eq(address_host_of_ipv4(11u << 24 | 1), ADDRESS_NO_HOST);
	ck_assert_uint_eq(address_host_of_ipv4(10u << 24), ADDRESS_NO_HOST);
	ck_assert_uint_eq(address_host_of_ipv4((10u << 24) + ADDRESS_HOSTS_MAX + 1),
			  ADDRESS_NO_HOST);
	address_ipv6(0, ipv6);
	ipv6[15] = 0;
	ck_assert_uint_eq(address_host_of_ipv6(ipv6), ADDRESS_NO_HOST);
}

TEST(address_hpc__never_zero)
{
	ck_assert_uint_eq(address_hpc(0), 1);
	ck_assert_uint_eq(address_hpc(ADDRESS_HOSTS_MAX - 1), ADDRESS_HOSTS_MAX);
}
