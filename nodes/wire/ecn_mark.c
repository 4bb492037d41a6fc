#include "nodes/wire/ecn_mark.h"

#include "nodes/wire/bytes.h"
#include "nodes/wire/frame.h"

#define TYPE_AT 12u
#define ETHERNET_BYTES 14u
#define TAG_BYTES 4u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define CE 3u

/* HC' = ~(~HC + ~m + m') for the 16 bits that change [RFC 1624, eqn. 3] */
static uint16_t checksum_after(uint16_t checksum, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint16_t)~checksum + (uint32_t)(uint16_t)~before + after;

	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static bool mark_ipv4(uint8_t *ip, uint32_t bytes)
{
	uint16_t before;

	if (bytes < IPV4_BYTES || ip[0] >> 4 != 4 || !(ip[1] & CE))
		return false;
	before = bytes_get16(ip);
	ip[1] |= CE;
	bytes_put16(ip + 10, checksum_after(bytes_get16(ip + 10), before, bytes_get16(ip)));
	return true;
}

/* version 4 bits, traffic class 8, of which the last two are ECN, flow label 20 */
static bool mark_ipv6(uint8_t *ip, uint32_t bytes)
{
	if (bytes < IPV6_BYTES || ip[0] >> 4 != 6 || !(ip[1] >> 4 & CE))
		return false;
	ip[1] |= CE << 4;
	return true;
}

bool ecn_mark(uint8_t *bytes, uint32_t captured_bytes)
{
	uint32_t ip_at = ETHERNET_BYTES, type;

	if (captured_bytes < ETHERNET_BYTES + TAG_BYTES)
		return false;
	type = bytes_get16(bytes + TYPE_AT);
	if (type == ETHERTYPE_TAG) {
		type = bytes_get16(bytes + TYPE_AT + TAG_BYTES);
		ip_at += TAG_BYTES;
	}
	if (type == ETHERTYPE_IPV4)
		return mark_ipv4(bytes + ip_at, captured_bytes - ip_at);
	return type == ETHERTYPE_IPV6 && mark_ipv6(bytes + ip_at, captured_bytes - ip_at);
}
