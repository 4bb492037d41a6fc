#include "nodes/wire/ecn_mark.h"

#include "nodes/base/bytes.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/ip_header.h"

#define TYPE_AT 12u
#define ETHERNET_BYTES 14u
#define TAG_BYTES 4u

static bool mark_ipv4(uint8_t *ip)
{
	uint16_t before;

	if (!(ip[1] & ECN_MASK))
		return false;
	before = bytes_get16(ip);
	ip[1] |= ECN_CONGESTED;
	bytes_put16(ip + 10, ipv4_checksum_after(bytes_get16(ip + 10), before, bytes_get16(ip)));
	return true;
}

/* version 4 bits, traffic class 8, of which the last two are ECN, flow label 20 */
static bool mark_ipv6(uint8_t *ip)
{
	if (!(ip[1] >> 4 & ECN_MASK))
		return false;
	ip[1] |= ECN_CONGESTED << 4;
	return true;
}

/* where the IP header begins that the frame has, and its version in @version; 0: there is none, or
 * not all of it */
static uint32_t ip_at(const uint8_t *bytes, uint32_t captured_bytes, uint32_t *version)
{
	uint32_t at = ETHERNET_BYTES, type;

	if (captured_bytes < ETHERNET_BYTES + TAG_BYTES)
		return 0;
	type = bytes_get16(bytes + TYPE_AT);
	if (type == ETHERTYPE_TAG) {
		type = bytes_get16(bytes + TYPE_AT + TAG_BYTES);
		at += TAG_BYTES;
	}
	*version = type == ETHERTYPE_IPV4 ? 4 : 6;
	if (type != ETHERTYPE_IPV4 && type != ETHERTYPE_IPV6)
		return 0;
	if (captured_bytes - at < (*version == 4 ? IPV4_BYTES : IPV6_BYTES))
		return 0;
	return bytes[at] >> 4 == *version ? at : 0;
}

bool ecn_mark(uint8_t *bytes, uint32_t captured_bytes)
{
	uint32_t version, at = ip_at(bytes, captured_bytes, &version);

	if (!at)
		return false;
	return version == 4 ? mark_ipv4(bytes + at) : mark_ipv6(bytes + at);
}

uint32_t ecn_read(const uint8_t *bytes, uint32_t captured_bytes)
{
	uint32_t version, at = ip_at(bytes, captured_bytes, &version);

	if (!at)
		return 0;
	return (version == 4 ? bytes[at + 1] : bytes[at + 1] >> 4) & ECN_MASK;
}
