#include "nodes/wire/ip_header.h"

#include <stddef.h>
#include <string.h>

#include "nodes/base/bytes.h"

void ipv4_header_write(const struct ip_header *header, uint8_t *bytes)
{
	uint16_t checksum;

	bytes_put32(bytes, 0x45000000u | (uint32_t)header->tos << 16 |
				   (IPV4_BYTES + header->payload_bytes));
	bytes_put32(bytes + 4, IPV4_DO_NOT_FRAGMENT);
	bytes_put32(bytes + 8, IP_HOPS_MAX << 24 | (uint32_t)header->protocol << 16);
	memcpy(bytes + 12, header->source, 4);
	memcpy(bytes + 16, header->destination, 4);
	checksum = (uint16_t)~ip_checksum_fold(0, bytes, IPV4_BYTES / 4);
	memcpy(bytes + 10, &checksum, sizeof(checksum));
}

void ipv6_header_write(const struct ip_header *header, uint8_t *bytes)
{
	bytes_put32(bytes, 0x60000000u | (uint32_t)header->tos << 20 | header->flow_label);
	bytes_put16(bytes + 4, (uint16_t)header->payload_bytes);
	bytes[6] = header->protocol;
	bytes[7] = IP_HOPS_MAX;
	memcpy(bytes + 8, header->source, 16);
	memcpy(bytes + 24, header->destination, 16);
}

/* HC' = ~(~HC + ~m + m') [RFC 1624, eqn. 3] */
uint16_t ipv4_checksum_after(uint16_t checksum, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint16_t)~checksum + (uint32_t)(uint16_t)~before + after;

	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

uint16_t ip_checksum_fold(uint64_t sum, const uint8_t *bytes, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++) {
		uint32_t word;

		memcpy(&word, bytes + (size_t)4 * i, sizeof(word));
		sum += word;
	}
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}
