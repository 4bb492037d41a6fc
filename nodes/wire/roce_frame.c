/*  A BTH is [opcode][solicited 1, migration 1, pad 2, version 4][key 16][FECN 1, BECN 1, reserved
 *  6][queue pair 24] [ACK request 1, reserved 7][PSN 24]; an ACK's AETH is [syndrome 8][MSN 24].
 *  frame_parse() has checked every length when this file looks for the BTH; so finding it is only
 *  adding up. */
#include "nodes/wire/roce_frame.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/crc32.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/ip_header.h"

#define MAC_BYTES 6u
#define ETHERNET_BYTES 14u
#define TAG_BYTES 4u
#define BTH_BYTES 12u
#define AETH_BYTES 4u
#define CNP_RESERVED_BYTES 16u

#define LOCAL_HEADER_BYTES 8u
#define IPV4_TTL_AT 8u
#define IPV6_LIMIT_AT 7u
#define BTH_KEY 0xffffu /* the default partition */
#define BTH_BECN (1u << 30)
#define BTH_ACK_REQUEST 0x80u

/* offsets in a RoCEv2 frame */
struct places {
	uint32_t ip_at, udp_at, bth_at;
	/* after the ICRC: the end of the UDP datagram; Ethernet's padding may follow */
	uint32_t end;
};

static int places_of(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		     struct frame_fields *fields, struct places *places)
{
	uint32_t at;

	if (frame_parse(bytes, captured_bytes, frame_bytes, fields) || !fields->roce)
		return -EINVAL;
	places->ip_at = ETHERNET_BYTES + (fields->tagged ? TAG_BYTES : 0);
	if (fields->ip_version == 4) {
		at = places->ip_at + (bytes[places->ip_at] & 15u) * 4;
	} else {
		uint8_t next = bytes[places->ip_at + 6];

		/* extension headers */
		for (at = places->ip_at + IPV6_BYTES; next != PROTOCOL_UDP;) {
			next = bytes[at];
			at += (bytes[at + 1] + 1u) * 8;
		}
	}
	places->udp_at = at;
	places->bth_at = at + UDP_BYTES;
	places->end = at + bytes_get16(bytes + at + 4);
	return 0;
}

static struct roce_ends ends_of(const struct frame_fields *fields)
{
	struct roce_ends ends = { .ip_version = fields->ip_version,
				  .source_port = fields->source_port };

	memcpy(ends.source_mac, fields->source_mac, MAC_BYTES);
	memcpy(ends.destination_mac, fields->destination_mac, MAC_BYTES);
	memcpy(ends.source_ip, fields->source_ip, sizeof(ends.source_ip));
	memcpy(ends.destination_ip, fields->destination_ip, sizeof(ends.destination_ip));
	return ends;
}

/* what the frame holds in front of its ICRC, at least, by its opcode */
static uint32_t transport_bytes_min(uint8_t opcode)
{
	if (opcode == ROCE_OPCODE_ACKNOWLEDGE)
		return BTH_BYTES + AETH_BYTES;
	return opcode == ROCE_OPCODE_CNP ? BTH_BYTES + CNP_RESERVED_BYTES : BTH_BYTES;
}

int roce_frame_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		    struct roce_header *header)
{
	struct frame_fields fields;
	struct places places;
	const uint8_t *bth;
	uint32_t tos, ack, behind_bth;
	uint8_t hop_limit;

	if (places_of(bytes, captured_bytes, frame_bytes, &fields, &places))
		return -EINVAL;
	bth = bytes + places.bth_at;
	behind_bth = captured_bytes - places.bth_at - BTH_BYTES;
	ack = bth[0] == ROCE_OPCODE_ACKNOWLEDGE;
	if (places.end - places.bth_at < transport_bytes_min(bth[0]) + ROCE_ICRC_BYTES ||
	    (ack && behind_bth < AETH_BYTES))
		return -EINVAL;
	tos = bytes_get16(bytes + places.ip_at) >> (fields.ip_version == 4 ? 0 : 4) & 0xff;
	hop_limit = bytes[places.ip_at + (fields.ip_version == 4 ? IPV4_TTL_AT : IPV6_LIMIT_AT)];
	*header = (struct roce_header){
		.ends = ends_of(&fields),
		.hops = hop_limit < IP_HOPS_MAX ? (uint8_t)(IP_HOPS_MAX - hop_limit) : 0,
		.traffic_class = (uint8_t)(tos >> DSCP_CLASS_SHIFT),
		.ecn_capable = tos & ECN_MASK,
		.congested = (tos & ECN_MASK) == ECN_CONGESTED,
		.opcode = bth[0],
		.queue_pair = fields.queue_pair,
		.becn = bytes_get32(bth + 4) & BTH_BECN,
		.ack_request = bth[8] & BTH_ACK_REQUEST,
		.signal = bth[8] & (BTH_ACK_REQUEST - 1),
		.psn = bytes_get32(bth + 8) & ROCE_PSN_MASK,
		.syndrome = ack ? bth[12] : 0,
		.msn = ack ? bytes_get32(bth + 12) & ROCE_PSN_MASK : 0,
	};
	return 0;
}

/* Ethernet, IP and UDP in front of @transport_bytes.  Return: where the BTH belongs. */
static uint8_t *front_write(const struct roce_reply *reply, uint32_t transport_bytes,
			    uint8_t *bytes)
{
	const struct roce_ends *ends = &reply->ends;
	struct ip_header ip = {
		.source = ends->source_ip,
		.destination = ends->destination_ip,
		.payload_bytes = UDP_BYTES + transport_bytes,
		.flow_label = ends->source_port,
		.tos = (uint8_t)(reply->traffic_class << DSCP_CLASS_SHIFT),
		.protocol = PROTOCOL_UDP,
	};
	uint8_t *udp;

	memcpy(bytes, ends->destination_mac, MAC_BYTES);
	memcpy(bytes + MAC_BYTES, ends->source_mac, MAC_BYTES);
	if (ends->ip_version == 4) {
		bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_IPV4);
		ipv4_header_write(&ip, bytes + ETHERNET_BYTES);
		udp = bytes + ETHERNET_BYTES + IPV4_BYTES;
	} else {
		bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_IPV6);
		ipv6_header_write(&ip, bytes + ETHERNET_BYTES);
		udp = bytes + ETHERNET_BYTES + IPV6_BYTES;
	}
	bytes_put16(udp, ends->source_port);
	bytes_put16(udp + 2, ROCE_UDP_PORT);
	bytes_put32(udp + 4, ip.payload_bytes << 16); /* no checksum: the ICRC covers it all */
	return udp + UDP_BYTES;
}

static void icrc_put(uint32_t icrc, uint8_t *at)
{
	icrc = htole32(icrc);
	memcpy(at, &icrc, sizeof(icrc));
}

/* Closes the frame whose ICRC belongs at @at.  Return: its length. */
static uint32_t icrc_write(uint8_t *bytes, uint8_t *at)
{
	uint32_t length = (uint32_t)(at - bytes) + ROCE_ICRC_BYTES, icrc = 0;

	roce_icrc(bytes, length, length, &icrc);
	icrc_put(icrc, at);
	return length;
}

uint32_t roce_ack_write(const struct roce_reply *reply, uint8_t *bytes)
{
	uint8_t *bth = front_write(reply, BTH_BYTES + AETH_BYTES + ROCE_ICRC_BYTES, bytes);

	bytes_put32(bth, ROCE_OPCODE_ACKNOWLEDGE << 24 | BTH_KEY);
	bytes_put32(bth + 4, (reply->becn ? BTH_BECN : 0) | reply->queue_pair);
	bytes_put32(bth + 8, reply->psn & ROCE_PSN_MASK);
	bytes_put32(bth + 12, (uint32_t)reply->syndrome << 24 | (reply->msn & ROCE_PSN_MASK));
	return icrc_write(bytes, bth + BTH_BYTES + AETH_BYTES);
}

uint32_t roce_cnp_write(const struct roce_reply *reply, uint8_t *bytes)
{
	uint8_t *bth = front_write(reply, BTH_BYTES + CNP_RESERVED_BYTES + ROCE_ICRC_BYTES, bytes);

	bytes_put32(bth, ROCE_OPCODE_CNP << 24 | BTH_KEY);
	bytes_put32(bth + 4, BTH_BECN | reply->queue_pair);
	bytes_put32(bth + 8, (uint32_t)reply->signal << 24);
	memset(bth + BTH_BYTES, 0, CNP_RESERVED_BYTES);
	return icrc_write(bytes, bth + BTH_BYTES + CNP_RESERVED_BYTES);
}

struct roce_ends roce_ends_reversed(const struct roce_ends *ends)
{
	struct roce_ends reversed = *ends;

	memcpy(reversed.source_mac, ends->destination_mac, MAC_BYTES);
	memcpy(reversed.destination_mac, ends->source_mac, MAC_BYTES);
	memcpy(reversed.source_ip, ends->destination_ip, sizeof(reversed.source_ip));
	memcpy(reversed.destination_ip, ends->source_ip, sizeof(reversed.destination_ip));
	return reversed;
}

void roce_ack_request(uint8_t *bytes, bool request)
{
	bool ipv4 = bytes_get16(bytes + 2 * MAC_BYTES) == ETHERTYPE_IPV4;
	uint8_t *at = bytes + ETHERNET_BYTES + (ipv4 ? IPV4_BYTES : IPV6_BYTES) + UDP_BYTES + 8;

	*at = request ? BTH_ACK_REQUEST : 0;
}

/* Eight bytes of ones stand for InfiniBand's local header; what routers may change is ones in the
 * copy. */
static uint32_t icrc_of_headers(const uint8_t *bytes, uint8_t ip_version,
				const struct places *places)
{
	uint32_t ip_bytes = ip_version == 4 ? IPV4_BYTES : IPV6_BYTES,
		 options_at = places->ip_at + ip_bytes, crc;
	uint8_t copy[LOCAL_HEADER_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES];
	uint8_t *ip = copy + LOCAL_HEADER_BYTES, *udp = ip + ip_bytes;

	memset(copy, 0xff, LOCAL_HEADER_BYTES);
	memcpy(ip, bytes + places->ip_at, ip_bytes);
	if (ip_version == 4) {
		ip[1] = ip[8] = ip[10] = ip[11] = 0xff; /* TOS, TTL, checksum */
	} else {
		bytes_put32(ip, 0x6fffffff); /* traffic class, flow label */
		ip[7] = 0xff;                /* hop limit */
	}
	memcpy(udp, bytes + places->udp_at, UDP_BYTES + BTH_BYTES);
	udp[6] = udp[7] = udp[UDP_BYTES + 4] = 0xff; /* checksum; FECN, BECN and reserved */
	if (places->udp_at == options_at)
		return crc32_add(0, copy, LOCAL_HEADER_BYTES + ip_bytes + UDP_BYTES + BTH_BYTES);
	crc = crc32_add(0, copy, LOCAL_HEADER_BYTES + ip_bytes);
	crc = crc32_add(crc, bytes + options_at, places->udp_at - options_at);
	return crc32_add(crc, udp, UDP_BYTES + BTH_BYTES);
}

static uint32_t icrc_of(const uint8_t *bytes, uint32_t captured_bytes, uint8_t ip_version,
			const struct places *places)
{
	uint32_t payload_at = places->bth_at + BTH_BYTES;
	uint32_t payload_bytes = places->end - ROCE_ICRC_BYTES - payload_at;
	uint32_t captured = captured_bytes - payload_at < payload_bytes
				    ? captured_bytes - payload_at
				    : payload_bytes;
	uint32_t crc =
		crc32_add(icrc_of_headers(bytes, ip_version, places), bytes + payload_at, captured);

	return crc32_add_zeros(crc, payload_bytes - captured);
}

int roce_icrc(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes, uint32_t *icrc)
{
	struct frame_fields fields;
	struct places places;

	if (places_of(bytes, captured_bytes, frame_bytes, &fields, &places))
		return -EINVAL;
	*icrc = icrc_of(bytes, captured_bytes, fields.ip_version, &places);
	return 0;
}

bool roce_trailer(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		  uint8_t icrc[ROCE_ICRC_BYTES])
{
	struct frame_fields fields;
	struct places places;

	if (places_of(bytes, captured_bytes, frame_bytes, &fields, &places) ||
	    places.end != frame_bytes || captured_bytes > frame_bytes - ROCE_ICRC_BYTES)
		return false;
	icrc_put(icrc_of(bytes, captured_bytes, fields.ip_version, &places), icrc);
	return true;
}

void roce_complete(uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	uint8_t icrc[ROCE_ICRC_BYTES];

	memset(bytes + captured_bytes, 0, frame_bytes - captured_bytes);
	if (roce_trailer(bytes, captured_bytes, frame_bytes, icrc))
		memcpy(bytes + frame_bytes - ROCE_ICRC_BYTES, icrc, sizeof(icrc));
}

bool roce_icrc_holds(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	struct frame_fields fields;
	struct places places;
	uint32_t written;

	if (places_of(bytes, captured_bytes, frame_bytes, &fields, &places))
		return false;
	if (captured_bytes < places.end)
		return true;
	memcpy(&written, bytes + places.end - ROCE_ICRC_BYTES, sizeof(written));
	return icrc_of(bytes, captured_bytes, fields.ip_version, &places) == le32toh(written);
}
