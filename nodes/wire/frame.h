/*  frame - reading and writing the frames that hosts send: plain Ethernet, IPv4, IPv6, RoCEv2, TCP,
 *  HPC (FC-21, RC-4, RC-6).
 *
 *  Standard headers are bit-exact standard. A generated frame carries a test payload right after
 *  its headers (frame_payload): which flow, which packet, which message, when it started; the rest
 *  of its length exists only as wire length. Layouts: docs/wire-format.md. */
#ifndef HEDDLE_NODES_WIRE_FRAME_H
#define HEDDLE_NODES_WIRE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

#define FRAME_FCS_BYTES 4u
#define ETHERTYPE_TAG 0x8100u  /* IEEE 802.1Q */
#define FRAME_BYTES_MIN 60u    /* without FCS */
#define FRAME_HEADERS_MAX 128u /* captured bytes of any generated frame, payload header included */

#define ETHERTYPE_FABRIC 0x88b5u /* fabric frames, in the envelope: local experimental 1 */
#define ETHERTYPE_HPC 0x88b6u    /* HPC frames and plain test frames: local experimental 2 */
#define ROCE_UDP_PORT 4791u

/* what classification, address translation and class mapping need of a frame; absent fields are
 * 0 */
struct frame_fields {
	uint8_t destination_mac[6], source_mac[6];
	uint16_t ethertype; /* after any 802.1Q tag */
	uint16_t vlan;      /* 12 bits */
	bool tagged;
	uint8_t priority;   /* 802.1Q priority, else IP DSCP >> 3, else the HPC header's class */
	uint8_t dscp;       /* of IP, 6 bits */
	uint8_t ip_version; /* 0, 4, 6 */
	uint8_t ip_protocol;
	uint8_t source_ip[16], destination_ip[16]; /* IPv4 in the first four bytes */
	uint16_t source_port, destination_port;
	uint32_t flow_label; /* IPv6, 20 bits */
	bool roce;
	uint8_t roce_opcode; /* RoCEv2 BTH */
	uint32_t queue_pair; /* RoCEv2 BTH destination queue pair */
	bool hpc;
	uint32_t hpc_source, hpc_destination; /* endpoints: address_hpc() */
	uint32_t hpc_process;                 /* process, thread or queue pair at the source */
	bool group;                           /* broadcast or multicast destination MAC */
	/* ARP: 4; IPv6 neighbour solicitation: 6; it asks for target_ip */
	uint8_t target_version;
	uint8_t target_ip[16]; /* IPv4 in the first four bytes */
	/* IGMP or MLD, from a listener to multicast routers */
	bool report;
};

/** frame_parse() - reads the headers of a frame of @captured_bytes captured out of @frame_bytes
 *  (without FCS). Unknown EtherTypes and protocols are fine (their fields stay 0); truncated or
 *  contradictory headers are not: a length beyond what holds it, a wrong IPv4 header checksum, a
 *  group address as source, an HPC header of another version. Fragments have no ports, the first
 *  one neither: all of a datagram is one flow (ours).
 *  ARP, IGMP and ICMPv6 are read as far as a switch needs for the receivers of a group (FC-3).
 *  Return: 0, or -EINVAL (malformed; @fields then undefined). Reads at most @captured_bytes.
 *  O(1). */
int frame_parse(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		struct frame_fields *fields);

/* ports of generated frames: UDP with or without RoCEv2, TCP */
#define FRAME_SOURCE_PORT_FIRST 0xc000u /* the dynamic ports; RoCEv2 puts its entropy there too */
#define FRAME_SOURCE_PORT_BITS 14u
#define FRAME_TEST_PORT_FIRST 0x4800u /* "H": 256 destination ports of UDP and TCP */

static inline uint16_t frame_source_port(uint32_t flow)
{
	return (uint16_t)(FRAME_SOURCE_PORT_FIRST | (flow & ((1u << FRAME_SOURCE_PORT_BITS) - 1)));
}

static inline uint16_t frame_test_port(uint32_t flow)
{
	return (uint16_t)(FRAME_TEST_PORT_FIRST | (flow >> FRAME_SOURCE_PORT_BITS & 0xff));
}

#define FRAME_FLOW_SLOTS_MAX (1u << 24)
#define FRAME_WORKLOADS_MAX (1u << 16)
#define FRAME_MESSAGE_BYTES_MAX (((uint64_t)1 << 40) - 1)
#define FRAME_PAYLOAD_BYTES_MAX ((1u << 14) - 1)

/* the test payload of generated traffic: 28 bytes in the frame, the source is read from the source
 * MAC */
struct frame_payload {
	uint32_t source;         /* host index, that of the frame_spec */
	uint32_t flow_slot;      /* at the source; below FRAME_FLOW_SLOTS_MAX */
	uint32_t workload_index; /* below FRAME_WORKLOADS_MAX */
	uint32_t packet;         /* number of the packet in its flow, from 0 */
	uint32_t message;        /* number of the message in its flow, from 0 */
	uint64_t message_bytes;  /* payload bytes of the message, to FRAME_MESSAGE_BYTES_MAX */
	uint64_t message_start_ps;
	uint32_t payload_bytes; /* of the message, in this packet, to FRAME_PAYLOAD_BYTES_MAX */
	bool message_first, message_last;
};

struct frame_spec {
	enum frame_kind kind;
	uint32_t source, destination; /* host indices */
	uint32_t traffic_class;       /* goes into priority / DSCP / HPC class */
	/* goes into ports, flow label, queue pair, HPC process: distinguishes flows of a host pair
	 * (its lower 22 bits for IP, 23 for RoCEv2, all for HPC, none for plain Ethernet) */
	uint32_t flow;
	uint32_t frame_bytes; /* whole frame without FCS, >= frame_bytes_min(kind) */
	bool ecn_capable;     /* IP: ECT(0) [RFC 3168] */
};

/** frame_headers_bytes() - captured length of a generated frame of @kind: headers and test payload
 *  header.
 *  48, 70, 90, 82, 58, 102, 82 in the order of enum frame_kind; with or without an 802.1Q tag. */
uint32_t frame_headers_bytes(enum frame_kind kind);

/** frame_overhead_bytes() - bytes of a generated frame that carry no message payload: headers and
 *  test payload header; of RoCEv2 headers and ICRC, for there the test payload header is the
 *  beginning of the message's bytes. */
uint32_t frame_overhead_bytes(enum frame_kind kind);

/** frame_bytes_min() - shortest generated frame of @kind, without FCS: with its headers, test
 *  payload header and ICRC, 60 at least. */
uint32_t frame_bytes_min(enum frame_kind kind);

static inline bool frame_is_roce(enum frame_kind kind)
{
	return kind == FRAME_ROCE || kind == FRAME_ROCE_IPV6;
}

/* path MTUs of InfiniBand and RoCEv2: powers of two, the payload of each packet but the last of a
 * message (RC-4) */
#define FRAME_PATH_MTU_MIN 256u
#define FRAME_PATH_MTU_MAX 4096u

/** frame_payload_max() - bytes of a message in a full packet of at most @packet_bytes (without
 *  FCS): what the headers leave; of RoCEv2 the largest path MTU that fits. Return: 0: nothing
 *  fits. */
uint32_t frame_payload_max(enum frame_kind kind, uint32_t packet_bytes);

/** frame_padding_mask() - a message's bytes in a frame of @kind are padded to a multiple of this
 *  and one: 3 for RoCEv2, else 0. */
uint32_t frame_padding_mask(enum frame_kind kind);

/** frame_bytes_of() - length of the frame of @kind, without FCS, that carries @payload_bytes of a
 *  message. */
uint32_t frame_bytes_of(enum frame_kind kind, uint32_t payload_bytes);

/** frame_write() - writes the headers and the test payload of a frame to @bytes
 *  (FRAME_HEADERS_MAX).
 *  IP lengths and the IPv4 header checksum are those of the whole frame; UDP checksum 0 (IPv4,
 *  RoCEv2); IPv6 UDP checksum 0 as RFC 6935 allows for tunnels. TCP: an ACK of nothing that begins
 *  at sequence number 0, its checksum that of the whole
 *  frame; tcp_frame.h has the rest. @payload its source must be spec->source. Return: captured
 *  bytes. */
uint32_t frame_write(const struct frame_spec *spec, const struct frame_payload *payload,
		     uint8_t *bytes);

/** frame_payload_read() - the test payload of a received generated frame; needs no frame_parse()
 *  before it.
 *  Return: 0, or -EINVAL if there is none or it contradicts @frame_bytes. */
int frame_payload_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		       struct frame_payload *payload);

/** frame_payload_spoil() - damages the test payload of a generated frame so that
 *  frame_payload_read() refuses it; any other frame is unchanged. */
void frame_payload_spoil(uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes);

/** frame_payload_write() - rewrites only the test payload (and nothing else, but for RoCEv2 the
 *  BTH's opcode, pad count and packet sequence number, which follow from it and clear the ACK
 *  request, and for TCP the checksum) in a frame made by frame_write() with the same spec: the fast
 *  path of a sender that keeps a template. @kind as written. payload->source is not looked at: the
 *  template's MAC has it. */
void frame_payload_write(enum frame_kind kind, const struct frame_payload *payload, uint8_t *bytes);

#endif
