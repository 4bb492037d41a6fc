#include "nodes/wire/hop_limit.h"

#include "nodes/base/bytes.h"
#include "nodes/wire/ip_header.h"

#define ETHERNET_BYTES 14u
#define TAG_BYTES 4u

#define IPV4_TTL_AT 8u /* followed by the protocol in the same 16 bits */
#define IPV4_CHECKSUM_AT 10u
#define IPV6_NEXT_AT 6u
#define IPV6_HOP_LIMIT_AT 7u

#define PROTOCOL_ICMPV6 58u
#define ICMPV6_DISCOVERY_FIRST 133u /* router solicitation ... redirect [RFC 4861] */
#define ICMPV6_DISCOVERY_LAST 137u

static bool is_link_local(const uint8_t *address, uint8_t version)
{
	uint32_t prefix = bytes_get16(address);

	return version == 4 ? prefix == 0xa9fe : (prefix & 0xffc0) == 0xfe80;
}

/* @ip, of which @captured_bytes are captured, is a whole IPv6 header at least */
static bool is_neighbour_discovery(const uint8_t *ip, uint32_t captured_bytes)
{
	return ip[IPV6_NEXT_AT] == PROTOCOL_ICMPV6 && captured_bytes > IPV6_BYTES &&
	       ip[IPV6_BYTES] >= ICMPV6_DISCOVERY_FIRST && ip[IPV6_BYTES] <= ICMPV6_DISCOVERY_LAST;
}

static bool take_ipv4(uint8_t *ip)
{
	uint16_t before = bytes_get16(ip + IPV4_TTL_AT);

	if (ip[IPV4_TTL_AT] <= 1)
		return false;
	ip[IPV4_TTL_AT]--;
	bytes_put16(ip + IPV4_CHECKSUM_AT,
		    ipv4_checksum_after(bytes_get16(ip + IPV4_CHECKSUM_AT), before,
					bytes_get16(ip + IPV4_TTL_AT)));
	return true;
}

static bool take_ipv6(uint8_t *ip)
{
	if (ip[IPV6_HOP_LIMIT_AT] <= 1)
		return false;
	ip[IPV6_HOP_LIMIT_AT]--;
	return true;
}

bool hop_limit_take(uint8_t *bytes, uint32_t captured_bytes, const struct frame_fields *fields)
{
	uint32_t at = ETHERNET_BYTES + (fields->tagged ? TAG_BYTES : 0);
	uint8_t *ip = bytes + at;

	if (!fields->ip_version || fields->group ||
	    is_link_local(fields->source_ip, fields->ip_version) ||
	    is_link_local(fields->destination_ip, fields->ip_version))
		return true;
	if (fields->ip_version == 4)
		return take_ipv4(ip);
	return is_neighbour_discovery(ip, captured_bytes - at) || take_ipv6(ip);
}
