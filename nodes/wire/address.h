/*  address - the addresses of host number n, so that tables and frames agree without being
 *  configured twice.
 *
 *  MAC 02:48:00:hh:hh:hh (locally administered), IPv4 10.h.h.h, IPv6 fd48::h, HPC endpoint h; host
 *  0 has number 1 in each, so that no address is all zeros (h = host index + 1, 24 bits). */
#ifndef HEDDLE_NODES_WIRE_ADDRESS_H
#define HEDDLE_NODES_WIRE_ADDRESS_H

#include <stdint.h>

#define ADDRESS_HOSTS_MAX 65536u
#define ADDRESS_MAC_PREFIX 0x024800u /* upper 24 bits of every host's MAC, then h */

/* Host indices are below ADDRESS_HOSTS_MAX: asserted. */
void address_mac(uint32_t host_index, uint8_t mac[6]);
uint32_t address_ipv4(uint32_t host_index); /* host byte order */
void address_ipv6(uint32_t host_index, uint8_t ipv6[16]);
static inline uint32_t address_hpc(uint32_t host_index)
{
	return host_index + 1;
}

#define ADDRESS_NO_HOST UINT32_MAX

/** address_host_of_mac() and the others - the host index whose address it is, or ADDRESS_NO_HOST if
 *  it is no host's. IPv4 and HPC in host byte order. Pure. */
uint32_t address_host_of_mac(const uint8_t mac[6]);
uint32_t address_host_of_ipv4(uint32_t ipv4);
uint32_t address_host_of_ipv6(const uint8_t ipv6[16]);
uint32_t address_host_of_hpc(uint32_t hpc);

#endif
