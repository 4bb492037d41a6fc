/*  Two halves: parsing what any host may send, and the generated frames of workloads.
 *
 *  A parser is given what is left of the frame as a `span`: the captured bytes and the length they
 *  stand for. Every length that a header states is checked against the span that holds it, every
 *  byte against what was captured, before it is used; so no parser needs to know what lies around
 *  it.
 *
 *  A generated frame is recognised by its addresses and by numbers that real traffic does not use:
 *  source MAC of a host of the fabric, EtherType 0x88b6 subtype 0 or 1, UDP or TCP destination port
 *  0x48__, RoCEv2 queue pair with the top bit set. */
#include "nodes/wire/frame.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/wire/address.h"
#include "nodes/wire/ip_header.h"
#include "nodes/wire/tcp_frame.h"

#define MAC_BYTES 6u
#define ETHERNET_BYTES 14u
#define TAG_BYTES 4u
#define BTH_BYTES 12u
#define ARP_BYTES 28u /* for IPv4 over Ethernet */
#define IGMP_BYTES 8u
#define ICMP_BYTES 4u /* type, code, checksum */
#define SOLICITATION_BYTES 24u
#define ICRC_BYTES 4u
#define HPC_BYTES 16u
#define PAYLOAD_BYTES 28u

#define ETHERTYPE_ARP 0x0806u
#define ETHERTYPE_MIN 0x0600u /* below: an 802.3 length */

#define PROTOCOL_HOP_BY_HOP 0u
#define PROTOCOL_IGMP 2u
#define PROTOCOL_ROUTING 43u
#define PROTOCOL_FRAGMENT 44u
#define PROTOCOL_ICMPV6 58u
#define PROTOCOL_DESTINATION 60u
#define IPV6_EXTENSIONS_MAX 4u /* ours: more, and the frame is one of an unknown protocol */

/* real queue pairs are numbered from below; 0 and 1 mean management */
#define TEST_QUEUE_PAIR 0x800000u

/* hardware and protocol, their address lengths */
#define ARP_IPV4_OVER_ETHERNET 0x0001080006040000u

#define IGMP_REPORT_V1 0x12u
#define IGMP_REPORT_V2 0x16u
#define IGMP_LEAVE 0x17u
#define IGMP_REPORT_V3 0x22u

#define ICMPV6_MLD_REPORT 131u
#define ICMPV6_MLD_DONE 132u
#define ICMPV6_SOLICITATION 135u
#define ICMPV6_MLD_REPORT_V2 143u

#define HPC_SUBTYPE_TEST 0u
#define HPC_SUBTYPE_HPC 1u

#define BTH_KEY 0xffffu /* the default partition */
#define BTH_PAD_SHIFT 4 /* in its second byte: [solicited 1, migration 1, pad count 2, version 4] */
/* of the first word: what is the same in all generated frames, all but opcode and pad count */
#define BTH_PLAIN_MASK 0xcfffffu
#define ROCE_PADDING_MASK 3u /* a payload is padded to a multiple of four bytes */

/* What a generated frame of each kind has in front of its test payload, and at the end. The
 * test payload of a plain Ethernet frame is where it would be after a tag, so that it does not
 * move with the traffic class.
 * In a RoCEv2 frame the test payload is the beginning of the message's bytes, else it stands in
 * front of them: a packet inside a message then carries one path MTU exactly, and nothing else, as
 * the InfiniBand transport demands (RC-4). */
struct layout {
	uint8_t payload_at;
	uint8_t trailer_bytes;
	bool roce;
};

static const struct layout layouts[] = {
	[FRAME_ETHERNET] = { ETHERNET_BYTES + TAG_BYTES + 2, 0, false },
	[FRAME_IPV4] = { ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES, 0, false },
	[FRAME_IPV6] = { ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES, 0, false },
	[FRAME_ROCE] = { ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + BTH_BYTES, ICRC_BYTES, true },
	[FRAME_HPC] = { ETHERNET_BYTES + HPC_BYTES, 0, false },
	[FRAME_ROCE_IPV6] = { ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES, ICRC_BYTES,
			      true },
	[FRAME_TCP] = { ETHERNET_BYTES + IPV4_BYTES + TCP_BYTES, 0, false },
};
static_assert(COUNT_OF(layouts) == FRAME_KINDS, "one layout per kind");
static_assert(ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES + PAYLOAD_BYTES <=
		      FRAME_HEADERS_MAX,
	      "the longest");

/* What is left of a frame: the first captured_bytes of its length_bytes. captured_bytes <=
 * length_bytes. */
struct span {
	const uint8_t *bytes;
	uint32_t captured_bytes;
	uint32_t length_bytes;
};

/* @bytes are captured. */
static inline struct span span_behind(struct span span, uint32_t bytes)
{
	return (struct span){ span.bytes + bytes, span.captured_bytes - bytes,
			      span.length_bytes - bytes };
}

/* Cuts off what follows @bytes: Ethernet's padding, for one. */
static inline struct span span_until(struct span span, uint32_t bytes)
{
	return (struct span){ span.bytes, span.captured_bytes < bytes ? span.captured_bytes : bytes,
			      bytes };
}

static int parse_ethertype(struct span span, struct frame_fields *fields);
static int parse_arp(struct span span, struct frame_fields *fields);
static int parse_hpc(struct span span, struct frame_fields *fields);
static int parse_ipv4(struct span span, struct frame_fields *fields);
static int parse_ipv6(struct span span, struct frame_fields *fields);
static int parse_transport(struct span span, struct frame_fields *fields);
static int parse_udp(struct span span, struct frame_fields *fields);
static int parse_igmp(struct span span, struct frame_fields *fields);
static int parse_icmpv6(struct span span, struct frame_fields *fields);

int frame_parse(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		struct frame_fields *fields)
{
	struct span span = { bytes, captured_bytes, frame_bytes };

	if (captured_bytes < ETHERNET_BYTES || captured_bytes > frame_bytes || bytes[MAC_BYTES] & 1)
		return -EINVAL;
	memset(fields, 0, sizeof(*fields));
	memcpy(fields->destination_mac, bytes, MAC_BYTES);
	memcpy(fields->source_mac, bytes + MAC_BYTES, MAC_BYTES);
	fields->group = bytes[0] & 1;
	fields->ethertype = bytes_get16(bytes + 2 * MAC_BYTES);
	span = span_behind(span, ETHERNET_BYTES);
	if (fields->ethertype == ETHERTYPE_TAG) {
		if (span.captured_bytes < TAG_BYTES)
			return -EINVAL;
		fields->tagged = true;
		fields->priority = span.bytes[0] >> 5;
		fields->vlan = bytes_get16(span.bytes) & 0xfff;
		fields->ethertype = bytes_get16(span.bytes + 2);
		span = span_behind(span, TAG_BYTES);
	}
	return parse_ethertype(span, fields);
}

static int parse_ethertype(struct span span, struct frame_fields *fields)
{
	switch (fields->ethertype) {
	case ETHERTYPE_IPV4:
		return parse_ipv4(span, fields);
	case ETHERTYPE_IPV6:
		return parse_ipv6(span, fields);
	case ETHERTYPE_ARP:
		return parse_arp(span, fields);
	case ETHERTYPE_HPC:
		return parse_hpc(span, fields);
	default:
		return fields->ethertype < ETHERTYPE_MIN && fields->ethertype > span.length_bytes
			       ? -EINVAL
			       : 0;
	}
}

/* Other kinds of ARP than IPv4 over Ethernet are just frames. */
static int parse_arp(struct span span, struct frame_fields *fields)
{
	if (span.captured_bytes < 8)
		return -EINVAL;
	if ((bytes_get64(span.bytes) & ~0xffffull) != ARP_IPV4_OVER_ETHERNET)
		return 0;
	if (span.captured_bytes < ARP_BYTES)
		return -EINVAL;
	fields->target_version = 4;
	memcpy(fields->target_ip, span.bytes + 24, 4);
	return 0;
}

/* After EtherType 0x88b6; subtypes other than HPC have nothing to classify by. */
static int parse_hpc(struct span span, struct frame_fields *fields)
{
	if (span.captured_bytes < 1)
		return -EINVAL;
	if (span.bytes[0] != HPC_SUBTYPE_HPC)
		return 0;
	if (span.captured_bytes < HPC_BYTES || span.bytes[1] >= NODE_CLASSES_MAX ||
	    bytes_get16(span.bytes + 2))
		return -EINVAL;
	fields->hpc = true;
	if (!fields->tagged)
		fields->priority = span.bytes[1];
	fields->hpc_source = bytes_get32(span.bytes + 4);
	fields->hpc_destination = bytes_get32(span.bytes + 8);
	fields->hpc_process = bytes_get32(span.bytes + 12);
	return 0;
}

static int parse_ipv4(struct span span, struct frame_fields *fields)
{
	uint32_t header_bytes, total_bytes;

	if (span.captured_bytes < IPV4_BYTES || span.bytes[0] >> 4 != 4)
		return -EINVAL;
	header_bytes = (span.bytes[0] & 15u) * 4;
	total_bytes = bytes_get16(span.bytes + 2);
	if (header_bytes < IPV4_BYTES || header_bytes > span.captured_bytes ||
	    total_bytes < header_bytes || total_bytes > span.length_bytes ||
	    ip_checksum_fold(0, span.bytes, header_bytes / 4) != 0xffff)
		return -EINVAL;
	fields->ip_version = 4;
	fields->ip_protocol = span.bytes[9];
	fields->dscp = span.bytes[1] >> 2;
	if (!fields->tagged)
		fields->priority = span.bytes[1] >> 5;
	memcpy(fields->source_ip, span.bytes + 12, 4);
	memcpy(fields->destination_ip, span.bytes + 16, 4);
	if (bytes_get16(span.bytes + 6) & 0x3fff) /* more fragments, or an offset */
		return 0;
	return parse_transport(span_behind(span_until(span, total_bytes), header_bytes), fields);
}

/* Walks over extension headers to the transport header. */
static int parse_ipv6_next(struct span span, uint8_t protocol, struct frame_fields *fields)
{
	for (uint32_t i = 0; i < IPV6_EXTENSIONS_MAX; i++) {
		uint32_t header_bytes;

		if (protocol == PROTOCOL_FRAGMENT) {
			if (span.captured_bytes < 8)
				return -EINVAL;
			fields->ip_protocol = span.bytes[0];
			return 0;
		}
		if (protocol != PROTOCOL_HOP_BY_HOP && protocol != PROTOCOL_ROUTING &&
		    protocol != PROTOCOL_DESTINATION)
			break;
		if (span.captured_bytes < 8)
			return -EINVAL;
		header_bytes = (span.bytes[1] + 1u) * 8;
		if (span.captured_bytes < header_bytes)
			return -EINVAL;
		protocol = span.bytes[0];
		span = span_behind(span, header_bytes);
	}
	fields->ip_protocol = protocol;
	return parse_transport(span, fields);
}

static int parse_ipv6(struct span span, struct frame_fields *fields)
{
	uint32_t first, payload_bytes;

	if (span.captured_bytes < IPV6_BYTES || span.bytes[0] >> 4 != 6)
		return -EINVAL;
	first = bytes_get32(span.bytes);
	payload_bytes = bytes_get16(span.bytes + 4);
	if (payload_bytes > span.length_bytes - IPV6_BYTES)
		return -EINVAL;
	fields->ip_version = 6;
	fields->flow_label = first & 0xfffff;
	fields->dscp = first >> 22 & 63;
	if (!fields->tagged)
		fields->priority = first >> 25 & 7;
	memcpy(fields->source_ip, span.bytes + 8, 16);
	memcpy(fields->destination_ip, span.bytes + 24, 16);
	return parse_ipv6_next(
		span_behind(span_until(span, IPV6_BYTES + payload_bytes), IPV6_BYTES),
		span.bytes[6], fields);
}

static int parse_transport(struct span span, struct frame_fields *fields)
{
	if (fields->ip_protocol == PROTOCOL_UDP)
		return parse_udp(span, fields);
	if (fields->ip_protocol == PROTOCOL_IGMP && fields->ip_version == 4)
		return parse_igmp(span, fields);
	if (fields->ip_protocol == PROTOCOL_ICMPV6 && fields->ip_version == 6)
		return parse_icmpv6(span, fields);
	if (fields->ip_protocol != PROTOCOL_TCP)
		return 0;
	if (span.captured_bytes < TCP_BYTES || span.bytes[12] >> 4 < 5 ||
	    (span.bytes[12] >> 4) * 4u > span.length_bytes)
		return -EINVAL;
	fields->source_port = bytes_get16(span.bytes);
	fields->destination_port = bytes_get16(span.bytes + 2);
	return 0;
}

/* UDP to the RoCEv2 port is RoCEv2 if a BTH of version 0 and an ICRC fit in; else it is just
 * UDP. */
static int parse_udp(struct span span, struct frame_fields *fields)
{
	uint32_t length;

	if (span.captured_bytes < UDP_BYTES)
		return -EINVAL;
	length = bytes_get16(span.bytes + 4);
	if (length < UDP_BYTES || length > span.length_bytes)
		return -EINVAL;
	fields->source_port = bytes_get16(span.bytes);
	fields->destination_port = bytes_get16(span.bytes + 2);
	if (fields->destination_port != ROCE_UDP_PORT ||
	    length < UDP_BYTES + BTH_BYTES + ICRC_BYTES)
		return 0;
	if (span.captured_bytes < UDP_BYTES + BTH_BYTES)
		return -EINVAL;
	fields->roce = !(span.bytes[UDP_BYTES + 1] & 15);
	if (!fields->roce)
		return 0;
	fields->roce_opcode = span.bytes[UDP_BYTES];
	fields->queue_pair = bytes_get32(span.bytes + UDP_BYTES + 4) & 0xffffff;
	return 0;
}

static int parse_igmp(struct span span, struct frame_fields *fields)
{
	if (span.captured_bytes < IGMP_BYTES)
		return -EINVAL;
	fields->report = span.bytes[0] == IGMP_REPORT_V1 || span.bytes[0] == IGMP_REPORT_V2 ||
			 span.bytes[0] == IGMP_REPORT_V3 || span.bytes[0] == IGMP_LEAVE;
	return 0;
}

static int parse_icmpv6(struct span span, struct frame_fields *fields)
{
	uint8_t type;

	if (span.captured_bytes < ICMP_BYTES)
		return -EINVAL;
	type = span.bytes[0];
	fields->report = type == ICMPV6_MLD_REPORT || type == ICMPV6_MLD_DONE ||
			 type == ICMPV6_MLD_REPORT_V2;
	if (type != ICMPV6_SOLICITATION)
		return 0;
	if (span.captured_bytes < SOLICITATION_BYTES)
		return -EINVAL;
	fields->target_version = 6;
	memcpy(fields->target_ip, span.bytes + 8, 16);
	return 0;
}

uint32_t frame_headers_bytes(enum frame_kind kind)
{
	return layouts[kind].payload_at + PAYLOAD_BYTES;
}

uint32_t frame_overhead_bytes(enum frame_kind kind)
{
	return (layouts[kind].roce ? layouts[kind].payload_at : frame_headers_bytes(kind)) +
	       layouts[kind].trailer_bytes;
}

uint32_t frame_bytes_min(enum frame_kind kind)
{
	uint32_t shortest_bytes = frame_headers_bytes(kind) + layouts[kind].trailer_bytes;

	return shortest_bytes > FRAME_BYTES_MIN ? shortest_bytes : FRAME_BYTES_MIN;
}

uint32_t frame_payload_max(enum frame_kind kind, uint32_t packet_bytes)
{
	uint32_t overhead_bytes = frame_overhead_bytes(kind), path_mtu = FRAME_PATH_MTU_MAX;
	uint32_t room_bytes = packet_bytes > overhead_bytes ? packet_bytes - overhead_bytes : 0;

	if (!layouts[kind].roce)
		return room_bytes < FRAME_PAYLOAD_BYTES_MAX ? room_bytes : FRAME_PAYLOAD_BYTES_MAX;
	while (path_mtu > room_bytes)
		path_mtu /= 2;
	return path_mtu < FRAME_PATH_MTU_MIN ? 0 : path_mtu;
}

uint32_t frame_padding_mask(enum frame_kind kind)
{
	return layouts[kind].roce ? ROCE_PADDING_MASK : 0;
}

uint32_t frame_bytes_of(enum frame_kind kind, uint32_t payload_bytes)
{
	uint32_t mask = frame_padding_mask(kind), shortest_bytes = frame_bytes_min(kind);
	uint32_t bytes = frame_overhead_bytes(kind) + ((payload_bytes + mask) & ~mask);

	return bytes > shortest_bytes ? bytes : shortest_bytes;
}

/* EtherType 0x88b6, subtype 0; zeros up to the test payload. */
static void write_test(const struct frame_spec *spec, uint8_t *bytes)
{
	uint8_t *type = bytes + 2 * MAC_BYTES;

	memset(type, 0, ETHERNET_BYTES + TAG_BYTES + 2 - 2 * MAC_BYTES);
	if (spec->traffic_class) {
		bytes_put32(type, ETHERTYPE_TAG << 16 | spec->traffic_class << 13);
		type += TAG_BYTES;
	}
	bytes_put16(type, ETHERTYPE_HPC);
	type[2] = HPC_SUBTYPE_TEST;
}

static void write_hpc(const struct frame_spec *spec, uint8_t *bytes)
{
	uint8_t *header = bytes + ETHERNET_BYTES;

	bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_HPC);
	bytes_put32(header, HPC_SUBTYPE_HPC << 24 | spec->traffic_class << 16);
	bytes_put32(header + 4, address_hpc(spec->source));
	bytes_put32(header + 8, address_hpc(spec->destination));
	bytes_put32(header + 12, spec->flow);
}

static uint8_t tos_of(const struct frame_spec *spec)
{
	return (uint8_t)(spec->traffic_class << DSCP_CLASS_SHIFT |
			 (spec->ecn_capable ? ECN_CAPABLE : 0));
}

/* Return: the place after the IP header. */
static uint8_t *write_ipv4(const struct frame_spec *spec, uint8_t protocol, uint8_t *bytes)
{
	uint32_t source = htobe32(address_ipv4(spec->source)),
		 destination = htobe32(address_ipv4(spec->destination));
	struct ip_header header = {
		.source = (const uint8_t *)&source,
		.destination = (const uint8_t *)&destination,
		.payload_bytes = spec->frame_bytes - ETHERNET_BYTES - IPV4_BYTES,
		.tos = tos_of(spec),
		.protocol = protocol,
	};

	bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_IPV4);
	ipv4_header_write(&header, bytes + ETHERNET_BYTES);
	return bytes + ETHERNET_BYTES + IPV4_BYTES;
}

static uint8_t *write_ipv6(const struct frame_spec *spec, uint8_t *bytes)
{
	uint8_t source[16], destination[16];
	struct ip_header header = {
		.source = source,
		.destination = destination,
		.payload_bytes = spec->frame_bytes - ETHERNET_BYTES - IPV6_BYTES,
		.flow_label = spec->flow & 0xfffff,
		.tos = tos_of(spec),
		.protocol = PROTOCOL_UDP,
	};

	address_ipv6(spec->source, source);
	address_ipv6(spec->destination, destination);
	bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_IPV6);
	ipv6_header_write(&header, bytes + ETHERNET_BYTES);
	return bytes + ETHERNET_BYTES + IPV6_BYTES;
}

static void write_udp(const struct frame_spec *spec, uint16_t destination_port,
		      const uint8_t *frame, uint8_t *header)
{
	bytes_put16(header, frame_source_port(spec->flow));
	bytes_put16(header + 2, destination_port);
	bytes_put32(header + 4, (spec->frame_bytes - (uint32_t)(header - frame)) << 16);
}

/* Opcode, pad count and packet sequence number follow with the test payload. */
static void write_roce(const struct frame_spec *spec, const uint8_t *frame, uint8_t *udp)
{
	uint8_t *bth = udp + UDP_BYTES;

	write_udp(spec, ROCE_UDP_PORT, frame, udp);
	bytes_put32(bth, BTH_KEY);
	bytes_put32(bth + 4, TEST_QUEUE_PAIR | (spec->flow & (TEST_QUEUE_PAIR - 1)));
	bth[8] = 0;
}

uint32_t frame_write(const struct frame_spec *spec, const struct frame_payload *payload,
		     uint8_t *bytes)
{
	ENSURE(spec->frame_bytes, >=, frame_bytes_min(spec->kind));
	ENSURE(spec->frame_bytes, <=, (uint32_t)UINT16_MAX);
	ENSURE(spec->traffic_class, <, NODE_CLASSES_MAX);
	ENSURE(payload->source, ==, spec->source);
	ENSURE(payload->payload_bytes, <=, spec->frame_bytes - frame_overhead_bytes(spec->kind));
	address_mac(spec->destination, bytes);
	address_mac(spec->source, bytes + MAC_BYTES);
	switch (spec->kind) {
	case FRAME_IPV4:
		write_udp(spec, frame_test_port(spec->flow), bytes,
			  write_ipv4(spec, PROTOCOL_UDP, bytes));
		break;
	case FRAME_IPV6:
		write_udp(spec, frame_test_port(spec->flow), bytes, write_ipv6(spec, bytes));
		break;
	case FRAME_ROCE:
		write_roce(spec, bytes, write_ipv4(spec, PROTOCOL_UDP, bytes));
		break;
	case FRAME_ROCE_IPV6:
		write_roce(spec, bytes, write_ipv6(spec, bytes));
		break;
	case FRAME_TCP:
		write_ipv4(spec, PROTOCOL_TCP, bytes);
		tcp_header_write(spec->flow, bytes);
		break;
	case FRAME_HPC:
		write_hpc(spec, bytes);
		break;
	default:
		write_test(spec, bytes);
	}
	frame_payload_write(spec->kind, payload, bytes);
	return frame_headers_bytes(spec->kind);
}

/* RC SEND only, first, last, middle */
static uint8_t roce_opcode(bool first, bool last)
{
	return first ? (last ? 4 : 0) : (last ? 2 : 1);
}

/* what depends on the packet in the BTH at @bth. A payload shorter than the test payload header
 * ends with that, which needs no padding. */
static void roce_payload_write(const struct frame_payload *payload, uint8_t *bth)
{
	uint32_t pad = payload->payload_bytes > PAYLOAD_BYTES
			       ? -payload->payload_bytes & ROCE_PADDING_MASK
			       : 0;

	bth[0] = roce_opcode(payload->message_first, payload->message_last);
	bth[1] = (uint8_t)(pad << BTH_PAD_SHIFT);
	bytes_put32(bth + 8, payload->packet & 0xffffff);
}

void frame_payload_write(enum frame_kind kind, const struct frame_payload *payload, uint8_t *bytes)
{
	uint8_t *at = bytes + layouts[kind].payload_at;

	ENSURE(payload->message_bytes, <, 1ull << 40);
	ENSURE(payload->flow_slot, <, 1u << 24);
	ENSURE(payload->payload_bytes, <, 1u << 14);
	ENSURE(payload->workload_index, <, 1u << 16);
	bytes_put64(at, payload->message_start_ps);
	bytes_put64(at + 8, (uint64_t)payload->packet << 32 | payload->message);
	bytes_put64(at + 16, payload->message_bytes << 24 | payload->flow_slot);
	bytes_put32(at + 24, (uint32_t)payload->message_first << 31 |
				     (uint32_t)payload->message_last << 30 |
				     payload->payload_bytes << 16 | payload->workload_index);
	if (layouts[kind].roce)
		roce_payload_write(payload, at - BTH_BYTES);
	else if (kind == FRAME_TCP)
		tcp_checksum_write(bytes);
}

/* With the first bytes after it, where a BTH would be. */
static enum frame_kind udp_kind(const uint8_t *udp, uint32_t udp_bytes, enum frame_kind test,
				enum frame_kind roce)
{
	uint16_t port = bytes_get16(udp + 2);
	const uint8_t *bth = udp + UDP_BYTES;

	if (bytes_get16(udp + 4) != udp_bytes)
		return FRAME_KINDS;
	if (port >> 8 == FRAME_TEST_PORT_FIRST >> 8)
		return test;
	return port == ROCE_UDP_PORT && (bytes_get32(bth) & BTH_PLAIN_MASK) == BTH_KEY &&
			       bth[5] & TEST_QUEUE_PAIR >> 16
		       ? roce
		       : FRAME_KINDS;
}

/* IP frames are generated ones if their headers are those of frame_write() and their lengths fill
 * the frame; FRAME_BYTES_MIN bytes are captured. Return: the kind, FRAME_KINDS if it is none. */
static enum frame_kind ipv4_kind(const uint8_t *bytes, uint32_t frame_bytes)
{
	const uint8_t *ip = bytes + ETHERNET_BYTES;
	uint32_t ip_bytes = frame_bytes - ETHERNET_BYTES;

	if (ip[0] != 0x45 || bytes_get16(ip + 2) != ip_bytes ||
	    bytes_get16(ip + 6) != IPV4_DO_NOT_FRAGMENT)
		return FRAME_KINDS;
	if (ip[9] == PROTOCOL_TCP)
		return tcp_header_generated(ip + IPV4_BYTES) ? FRAME_TCP : FRAME_KINDS;
	if (ip[9] != PROTOCOL_UDP)
		return FRAME_KINDS;
	return udp_kind(ip + IPV4_BYTES, ip_bytes - IPV4_BYTES, FRAME_IPV4, FRAME_ROCE);
}

static enum frame_kind ipv6_kind(const uint8_t *bytes, uint32_t captured_bytes,
				 uint32_t frame_bytes)
{
	const uint8_t *ip = bytes + ETHERNET_BYTES;
	uint32_t udp_bytes = frame_bytes - ETHERNET_BYTES - IPV6_BYTES;

	if (captured_bytes < ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES ||
	    ip[0] >> 4 != 6 || bytes_get16(ip + 4) != udp_bytes || ip[6] != PROTOCOL_UDP)
		return FRAME_KINDS;
	return udp_kind(ip + IPV6_BYTES, udp_bytes, FRAME_IPV6, FRAME_ROCE_IPV6);
}

/* Which kind of generated frame is this? At least the 48 captured bytes of the shortest are
 * there. */
static enum frame_kind generated_kind(const uint8_t *bytes, uint32_t captured_bytes,
				      uint32_t frame_bytes)
{
	uint16_t ethertype = bytes_get16(bytes + 2 * MAC_BYTES);

	switch (ethertype) {
	case ETHERTYPE_HPC:
		if (bytes[ETHERNET_BYTES] == HPC_SUBTYPE_HPC)
			return FRAME_HPC;
		return bytes[ETHERNET_BYTES] == HPC_SUBTYPE_TEST ? FRAME_ETHERNET : FRAME_KINDS;
	case ETHERTYPE_TAG:
		return bytes_get16(bytes + ETHERNET_BYTES + 2) == ETHERTYPE_HPC &&
				       bytes[ETHERNET_BYTES + TAG_BYTES] == HPC_SUBTYPE_TEST
			       ? FRAME_ETHERNET
			       : FRAME_KINDS;
	case ETHERTYPE_IPV4:
		return captured_bytes >= FRAME_BYTES_MIN ? ipv4_kind(bytes, frame_bytes)
							 : FRAME_KINDS;
	case ETHERTYPE_IPV6:
		return ipv6_kind(bytes, captured_bytes, frame_bytes);
	default:
		return FRAME_KINDS;
	}
}

int frame_payload_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		       struct frame_payload *payload)
{
	enum frame_kind kind;
	const uint8_t *at;
	uint64_t source, bytes_and_slot;
	uint32_t last;

	if (captured_bytes < frame_headers_bytes(FRAME_ETHERNET) || captured_bytes > frame_bytes)
		return -EINVAL;
	kind = generated_kind(bytes, captured_bytes, frame_bytes);
	if (kind == FRAME_KINDS || captured_bytes < frame_headers_bytes(kind) ||
	    frame_bytes < frame_bytes_min(kind))
		return -EINVAL;
	source = bytes_get64(bytes + MAC_BYTES) >> 16;
	at = bytes + layouts[kind].payload_at;
	bytes_and_slot = bytes_get64(at + 16);
	last = bytes_get32(at + 24);
	*payload = (struct frame_payload){
		.source = (uint32_t)(source & 0xffffff) - 1,
		.flow_slot = bytes_and_slot & 0xffffff,
		.workload_index = last & 0xffff,
		.packet = bytes_get32(at + 8),
		.message = bytes_get32(at + 12),
		.message_bytes = bytes_and_slot >> 24,
		.message_start_ps = bytes_get64(at),
		.payload_bytes = last >> 16 & 0x3fff,
		.message_first = last >> 31,
		.message_last = last >> 30 & 1,
	};
	if (source >> 24 != ADDRESS_MAC_PREFIX || payload->source >= ADDRESS_HOSTS_MAX ||
	    payload->payload_bytes > frame_bytes - frame_overhead_bytes(kind) ||
	    payload->payload_bytes > payload->message_bytes)
		return -EINVAL;
	return 0;
}

/* the test payload is the end of what is captured; no frame holds so many bytes of a message */
void frame_payload_spoil(uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	struct frame_payload payload;

	if (frame_payload_read(bytes, captured_bytes, frame_bytes, &payload))
		return;
	bytes[captured_bytes - 4] |= 0x3f;
	bytes[captured_bytes - 3] = 0xff;
}
