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

TEST(address_hpc__never_zero)
{
	ck_assert_uint_eq(address_hpc(0), 1);
	ck_assert_uint_eq(address_hpc(ADDRESS_HOSTS_MAX - 1), ADDRESS_HOSTS_MAX);
}
