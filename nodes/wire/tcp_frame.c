#include "nodes/wire/tcp_frame.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/ip_header.h"

#define MAC_BYTES 6u
#define ETHERNET_BYTES 14u
#define IP_AT ETHERNET_BYTES
#define TCP_AT (IP_AT + IPV4_BYTES)
#define OFFSET_FLAGS (TCP_BYTES / 4 << 12) /* data offset, then flags */
#define WINDOW_MAX 65535u
#define ACK_IP_BYTES (IPV4_BYTES + TCP_BYTES)

/* over pseudo-header, TCP header and @payload_bytes of payload, a multiple of 4; zeros after it
 * add nothing */
static void checksum_write(uint8_t *bytes, uint32_t payload_bytes)
{
	uint32_t tcp_bytes = bytes_get16(bytes + IP_AT + 2) - IPV4_BYTES;
	uint64_t pseudo = (uint64_t)htobe32(PROTOCOL_TCP << 16 | tcp_bytes);
	uint8_t *tcp = bytes + TCP_AT;
	uint16_t checksum;

	memset(tcp + 16, 0, 2);
	checksum = (uint16_t)~ip_checksum_fold(pseudo, bytes + IP_AT + 12,
					       2 + (TCP_BYTES + payload_bytes) / 4);
	memcpy(tcp + 16, &checksum, sizeof(checksum));
}

static void fields_put(const struct tcp_fields *fields, uint8_t *tcp)
{
	bytes_put32(tcp + 4, fields->sequence);
	bytes_put32(tcp + 8, fields->acknowledgement);
	bytes_put16(tcp + 12, (uint16_t)(OFFSET_FLAGS | fields->flags));
	bytes_put16(tcp + 14, fields->window);
}

void tcp_fields_write(const struct tcp_fields *fields, uint8_t *bytes)
{
	fields_put(fields, bytes + TCP_AT);
	tcp_checksum_write(bytes);
}

struct tcp_fields tcp_fields_read(const uint8_t *bytes)
{
	const uint8_t *tcp = bytes + TCP_AT;

	return (struct tcp_fields){
		.sequence = bytes_get32(tcp + 4),
		.acknowledgement = bytes_get32(tcp + 8),
		.window = bytes_get16(tcp + 14),
		.flags = tcp[13],
	};
}

uint32_t tcp_ack_write(const struct tcp_ack *ack, uint8_t *bytes)
{
	uint32_t source = htobe32(address_ipv4(ack->source)),
		 destination = htobe32(address_ipv4(ack->destination));
	struct ip_header ip = {
		.source = (const uint8_t *)&source,
		.destination = (const uint8_t *)&destination,
		.payload_bytes = TCP_BYTES,
		.tos = (uint8_t)(ack->traffic_class << DSCP_CLASS_SHIFT),
		.protocol = PROTOCOL_TCP,
	};

	memset(bytes, 0, FRAME_BYTES_MIN);
	address_mac(ack->destination, bytes);
	address_mac(ack->source, bytes + MAC_BYTES);
	bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_IPV4);
	ipv4_header_write(&ip, bytes + IP_AT);
	bytes_put16(bytes + TCP_AT, frame_test_port(ack->flow));
	bytes_put16(bytes + TCP_AT + 2, frame_source_port(ack->flow));
	fields_put(&ack->fields, bytes + TCP_AT);
	checksum_write(bytes, 0);
	return FRAME_BYTES_MIN;
}

/* the host index in a MAC; ADDRESS_HOSTS_MAX or more if it is no host's */
static uint32_t host_of(const uint8_t *mac)
{
	uint64_t value = bytes_get64(mac) >> 16;

	return value >> 24 == ADDRESS_MAC_PREFIX ? (uint32_t)(value & 0xffffff) - 1 : UINT32_MAX;
}

int tcp_ack_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		 struct tcp_ack *ack)
{
	const uint8_t *ip = bytes + IP_AT, *tcp = bytes + TCP_AT;
	uint32_t data_port, ack_port;

	if (captured_bytes < IP_AT + ACK_IP_BYTES || captured_bytes > frame_bytes ||
	    frame_bytes != FRAME_BYTES_MIN ||
	    bytes_get16(bytes + 2 * MAC_BYTES) != ETHERTYPE_IPV4 || ip[0] != 0x45 ||
	    bytes_get16(ip + 2) != ACK_IP_BYTES || bytes_get16(ip + 6) != IPV4_DO_NOT_FRAGMENT ||
	    ip[9] != PROTOCOL_TCP || tcp[12] != OFFSET_FLAGS >> 8 || !(tcp[13] & TCP_FLAG_ACK))
		return -EINVAL;
	ack_port = bytes_get16(tcp);
	data_port = bytes_get16(tcp + 2);
	*ack = (struct tcp_ack){
		.source = host_of(bytes + MAC_BYTES),
		.destination = host_of(bytes),
		.flow = (ack_port & 0xff) << FRAME_SOURCE_PORT_BITS |
			(data_port & ~FRAME_SOURCE_PORT_FIRST),
		.traffic_class = ip[1] >> DSCP_CLASS_SHIFT,
		.fields = tcp_fields_read(bytes),
	};
	return ack_port >> 8 == FRAME_TEST_PORT_FIRST >> 8 &&
			       data_port >= FRAME_SOURCE_PORT_FIRST &&
			       ack->source < ADDRESS_HOSTS_MAX &&
			       ack->destination < ADDRESS_HOSTS_MAX
		       ? 0
		       : -EINVAL;
}

void tcp_header_write(uint32_t flow, uint8_t *bytes)
{
	static const struct tcp_fields none = { .flags = TCP_FLAG_ACK, .window = WINDOW_MAX };
	uint8_t *tcp = bytes + TCP_AT;

	bytes_put16(tcp, frame_source_port(flow));
	bytes_put16(tcp + 2, frame_test_port(flow));
	fields_put(&none, tcp);
	bytes_put32(tcp + 16, 0);
}

void tcp_checksum_write(uint8_t *bytes)
{
	checksum_write(bytes, frame_headers_bytes(FRAME_TCP) - TCP_AT - TCP_BYTES);
}

bool tcp_header_generated(const uint8_t *tcp)
{
	return tcp[2] == FRAME_TEST_PORT_FIRST >> 8 && tcp[12] == OFFSET_FLAGS >> 8;
}
