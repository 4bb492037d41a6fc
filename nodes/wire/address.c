#include "nodes/wire/address.h"

#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"

/* the number h of the header: never 0 */
static uint32_t host_number(uint32_t host_index)
{
	ENSURE(host_index, <, ADDRESS_HOSTS_MAX);
	return host_index + 1;
}

void address_mac(uint32_t host_index, uint8_t mac[6])
{
	bytes_put16(mac, ADDRESS_MAC_PREFIX >> 8);
	bytes_put32(mac + 2, (ADDRESS_MAC_PREFIX & 0xff) << 24 | host_number(host_index));
}

uint32_t address_ipv4(uint32_t host_index)
{
	return 10u << 24 | host_number(host_index);
}

void address_ipv6(uint32_t host_index, uint8_t ipv6[16])
{
	bytes_put64(ipv6, (uint64_t)0xfd48 << 48);
	bytes_put64(ipv6 + 8, host_number(host_index));
}

uint32_t address_host_of_hpc(uint32_t hpc)
{
	return hpc && hpc <= ADDRESS_HOSTS_MAX ? hpc - 1 : ADDRESS_NO_HOST;
}

uint32_t address_host_of_mac(const uint8_t mac[6])
{
	uint64_t value = (uint64_t)bytes_get16(mac) << 32 | bytes_get32(mac + 2);

	return value >> 24 == ADDRESS_MAC_PREFIX ? address_host_of_hpc(value & 0xffffff)
						 : ADDRESS_NO_HOST;
}

uint32_t address_host_of_ipv4(uint32_t ipv4)
{
	return ipv4 >> 24 == 10 ? address_host_of_hpc(ipv4 & 0xffffff) : ADDRESS_NO_HOST;
}

uint32_t address_host_of_ipv6(const uint8_t ipv6[16])
{
	uint64_t low = bytes_get64(ipv6 + 8);

	return bytes_get64(ipv6) == (uint64_t)0xfd48 << 48 && low <= ADDRESS_HOSTS_MAX
		       ? address_host_of_hpc((uint32_t)low)
		       : ADDRESS_NO_HOST;
}
