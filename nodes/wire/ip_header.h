/*  ip_header - the IPv4 and IPv6 headers of frames that the fabric makes itself: without options,
 *  never a fragment. */
#ifndef HEDDLE_NODES_WIRE_IP_HEADER_H
#define HEDDLE_NODES_WIRE_IP_HEADER_H

#include <stdint.h>

#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define PROTOCOL_TCP 6u
#define PROTOCOL_UDP 17u
#define UDP_BYTES 8u
#define TCP_BYTES 20u /* without options */

#define IPV4_DO_NOT_FRAGMENT 0x4000u
#define IP_HOPS_MAX 64u /* TTL, hop limit */

#define ECN_CAPABLE 2u   /* ECT(0) [RFC 3168] */
#define ECN_CONGESTED 3u /* CE */
#define ECN_MASK 3u      /* 0: not ECN-capable */
/* of a traffic class c in the TOS byte or IPv6's traffic class: DSCP 8c */
#define DSCP_CLASS_SHIFT 5

struct ip_header {
	const uint8_t *source, *destination; /* 4 or 16 bytes; borrowed */
	uint32_t payload_bytes;              /* after the header */
	uint32_t flow_label;                 /* IPv6, 20 bits */
	uint8_t tos;                         /* DSCP and ECN; IPv6: traffic class */
	uint8_t protocol;
};

/** ipv4_header_write() - IPV4_BYTES to @bytes, checksum included. Don't Fragment and identification
 *  0: such a datagram needs none [RFC 6864]. */
void ipv4_header_write(const struct ip_header *header, uint8_t *bytes);

/** ipv6_header_write() - IPV6_BYTES to @bytes. */
void ipv6_header_write(const struct ip_header *header, uint8_t *bytes);

/** ip_checksum_fold() - the ones' complement sum of @sum and of @words 32-bit words, folded to 16
 *  bits: 0xffff for a good IPv4 header. It is of the machine's byte order, as what it is stored
 *  into and compared with [RFC 1071]. */
uint16_t ip_checksum_fold(uint64_t sum, const uint8_t *bytes, uint32_t words);

/** ipv4_checksum_after() - the header checksum @checksum, once 16 aligned bits of the header are
 *  @after in place of @before. All as bytes_get16() reads them. Pure. */
uint16_t ipv4_checksum_after(uint16_t checksum, uint16_t before, uint16_t after);

#endif
