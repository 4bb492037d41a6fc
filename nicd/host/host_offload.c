#include "nicd/host/host_offload.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/frame.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5 /* the kernel's headers have it since 6.2 */
#endif

#define ETHERNET_BYTES 14u
#define ETHERTYPE_AT 12u
#define TAG_BYTES 4u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define TCP_BYTES 20u
#define UDP_BYTES 8u

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu
#define ETHERTYPE_SERVICE_TAG 0x88a8u              /* 802.1ad, outside of one of 802.1Q */
#define TAGS_END (ETHERNET_BYTES + 2u * TAG_BYTES) /* of at most two */

#define PROTOCOL_TCP 6u
#define PROTOCOL_UDP 17u
#define PROTOCOL_ICMPV6 58u

#define TCP_CHECKSUM_AT 16u
#define UDP_CHECKSUM_AT 6u
#define SCTP_CHECKSUM_AT 8u
#define SCTP_CHECKSUM_BYTES 4u

#define TCP_FIN 0x01u
#define TCP_PSH 0x08u
#define TCP_ACK 0x10u
#define TCP_CWR 0x80u

/* ---- checksums ---- */

/* The sum in the machine's byte order, folded to 16 bits. The ones' complement sum does not depend
 * on the order [RFC 1071]. */
static uint32_t sum_of(const uint8_t *bytes, uint32_t count, uint32_t begun)
{
	unsigned __int128 wide = begun;
	uint64_t word, sum;

	for (; count >= sizeof(word); bytes += sizeof(word), count -= (uint32_t)sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		wide += word;
	}
	word = 0;
	memcpy(&word, bytes, count);
	wide += word;
	sum = (uint64_t)(wide >> 64) + ((uint64_t)wide >> 32) + ((uint64_t)wide & 0xffffffff);
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint32_t)((sum >> 16) + (sum & 0xffff));
}

static uint32_t fold(uint32_t sum)
{
	sum = (sum >> 16) + (sum & 0xffff);
	return (sum >> 16) + (sum & 0xffff);
}

/* the pseudo-header before TCP and UDP: addresses, protocol, length */
static uint32_t pseudo_sum(const uint8_t *ip, bool ipv4, uint32_t protocol, uint32_t l4_bytes)
{
	uint32_t begun = htobe16((uint16_t)protocol) + (uint32_t)htobe16((uint16_t)l4_bytes);

	return ipv4 ? sum_of(ip + 12, 8, begun) : sum_of(ip + 8, 32, begun);
}

static uint32_t native_get16(const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static void native_put16(uint8_t *bytes, uint32_t value)
{
	uint16_t narrow = (uint16_t)value;

	memcpy(bytes, &narrow, sizeof(narrow));
}

static void ipv4_checksum(uint8_t *ip)
{
	bytes_put16(ip + 10, 0);
	native_put16(ip + 10, ~sum_of(ip, (ip[0] & 15u) * 4, 0));
}

/* ---- cutting ---- */

/* where the IP header begins; 0: the frame is no IP */
static uint32_t ip_at_of(const uint8_t *frame, uint32_t frame_bytes, bool *ipv4)
{
	uint32_t at = ETHERNET_BYTES;
	uint32_t type = bytes_get16(frame + ETHERTYPE_AT);

	while ((type == ETHERTYPE_TAG || type == ETHERTYPE_SERVICE_TAG) && at < TAGS_END &&
	       frame_bytes >= at + TAG_BYTES) {
		at += TAG_BYTES;
		type = bytes_get16(frame + at - 2);
	}
	*ipv4 = type == ETHERTYPE_IPV4;
	return type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6 ? at : 0;
}

/* does the IP header agree with what the virtio header says of the next header? */
static bool ip_agrees(const struct host_cut *cut, uint32_t protocol)
{
	const uint8_t *ip = cut->frame + cut->ip_at;
	uint32_t header_bytes = cut->l4_at - cut->ip_at;

	if (cut->ipv4)
		return header_bytes >= IPV4_BYTES && ip[0] >> 4 == 4 &&
		       (ip[0] & 15u) * 4 == header_bytes && ip[9] == protocol;
	return header_bytes >= IPV6_BYTES && ip[0] >> 4 == 6 &&
	       (header_bytes > IPV6_BYTES || ip[6] == protocol);
}

/* length of the TCP or UDP header; 0 if it does not fit in */
static uint32_t l4_header_bytes(const struct host_cut *cut)
{
	uint32_t room = cut->frame_bytes - cut->l4_at, bytes = UDP_BYTES;

	if (!cut->udp) {
		if (room < TCP_BYTES)
			return 0;
		bytes = (cut->frame[cut->l4_at + 12] >> 4) * 4u;
		if (bytes < TCP_BYTES)
			return 0;
	}
	return bytes <= room ? bytes : 0;
}

static int segmentation_init(struct host_cut *cut, const struct virtio_net_hdr *header)
{
	uint32_t type = header->gso_type & ~(uint32_t)VIRTIO_NET_HDR_GSO_ECN, header_bytes;

	cut->ip_at = ip_at_of(cut->frame, cut->frame_bytes, &cut->ipv4);
	cut->l4_at = header->csum_start;
	cut->udp = type == VIRTIO_NET_HDR_GSO_UDP_L4;
	if (type != (cut->ipv4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6) && !cut->udp)
		return -EINVAL;
	if (!cut->checksum_from || !header->gso_size || !cut->ip_at || cut->l4_at <= cut->ip_at ||
	    cut->frame_bytes - cut->l4_at > UINT16_MAX ||
	    !ip_agrees(cut, cut->udp ? PROTOCOL_UDP : PROTOCOL_TCP) ||
	    header->csum_offset != (cut->udp ? UDP_CHECKSUM_AT : TCP_CHECKSUM_AT))
		return -EINVAL;
	header_bytes = l4_header_bytes(cut);
	if (!header_bytes)
		return -EINVAL;
	cut->headers_bytes = cut->l4_at + header_bytes;
	cut->segment_bytes = header->gso_size;
	return 0;
}

int host_cut_init(struct host_cut *cut, const struct virtio_net_hdr *header, const uint8_t *frame,
		  uint32_t frame_bytes)
{
	*cut = (struct host_cut){ .frame = frame,
				  .frame_bytes = frame_bytes,
				  .headers_bytes = frame_bytes };
	if (frame_bytes < ETHERNET_BYTES)
		return -EINVAL;
	if (header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) {
		cut->checksum_from = header->csum_start;
		cut->checksum_at = (uint32_t)header->csum_start + header->csum_offset;
		cut->crc = header->csum_offset == SCTP_CHECKSUM_AT;
		if (cut->checksum_from < ETHERNET_BYTES ||
		    cut->checksum_at + (cut->crc ? SCTP_CHECKSUM_BYTES : 2) > frame_bytes)
			return -EINVAL;
	}
	return header->gso_type == VIRTIO_NET_HDR_GSO_NONE ? 0 : segmentation_init(cut, header);
}

/* payload of the next segment */
static uint32_t cut_payload_bytes(const struct host_cut *cut)
{
	uint32_t left = cut->frame_bytes - cut->headers_bytes - cut->done_bytes;

	return left < cut->segment_bytes ? left : cut->segment_bytes;
}

uint32_t host_cut_bytes(const struct host_cut *cut)
{
	uint32_t bytes = cut->headers_bytes + cut_payload_bytes(cut);

	if (cut->index && cut->headers_bytes + cut->done_bytes == cut->frame_bytes)
		return 0;
	return bytes > FRAME_BYTES_MIN ? bytes : FRAME_BYTES_MIN;
}

void host_cut_skip(struct host_cut *cut)
{
	cut->done_bytes += cut_payload_bytes(cut);
	cut->index++;
}

static void cut_ip_header(const struct host_cut *cut, uint8_t *ip, uint32_t ip_bytes)
{
	if (!cut->ipv4) {
		bytes_put16(ip + 4, (uint16_t)(ip_bytes - IPV6_BYTES));
		return;
	}
	bytes_put16(ip + 2, (uint16_t)ip_bytes);
	bytes_put16(ip + 4, (uint16_t)(bytes_get16(ip + 4) + cut->index));
	ipv4_checksum(ip);
}

static void cut_tcp_header(const struct host_cut *cut, uint8_t *tcp, bool last)
{
	bytes_put32(tcp + 4, bytes_get32(tcp + 4) + cut->done_bytes);
	if (cut->index)
		tcp[13] &= (uint8_t)~TCP_CWR;
	if (!last)
		tcp[13] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
}

/* the segment of @payload_bytes at @bytes, still with the headers of the super-frame */
static void cut_headers(const struct host_cut *cut, uint8_t *bytes, uint32_t payload_bytes)
{
	uint32_t l4_bytes = cut->headers_bytes + payload_bytes - cut->l4_at;
	uint32_t whole_bytes = cut->frame_bytes - cut->l4_at;
	uint8_t *checksum = bytes + cut->checksum_at;
	uint32_t seed = native_get16(checksum);

	cut_ip_header(cut, bytes + cut->ip_at, cut->headers_bytes + payload_bytes - cut->ip_at);
	if (cut->udp)
		bytes_put16(bytes + cut->l4_at + 4, (uint16_t)l4_bytes);
	else
		cut_tcp_header(cut, bytes + cut->l4_at,
			       cut->headers_bytes + cut->done_bytes + payload_bytes ==
				       cut->frame_bytes);
	seed += (uint16_t)~htobe16((uint16_t)whole_bytes) + (uint32_t)htobe16((uint16_t)l4_bytes);
	native_put16(checksum, fold(seed));
}

/* CRC32c of @length bytes at @bytes [RFC 9260, appendix A], four bits at a time */
static uint32_t crc32c(const uint8_t *bytes, uint32_t length)
{
	static const uint32_t table[16] = { 0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u,
					    0x417b1dbcu, 0x5125dad3u, 0x61c69362u, 0x7198540du,
					    0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u,
					    0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u };
	uint32_t crc = ~0u;

	for (uint32_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

/* SCTP: over the whole packet with 0 in the field, the lowest byte first */
static void complete_crc(const struct host_cut *cut, uint8_t *bytes, uint32_t frame_bytes)
{
	uint8_t *field = bytes + cut->checksum_at;
	uint32_t crc;

	memset(field, 0, SCTP_CHECKSUM_BYTES);
	crc = crc32c(bytes + cut->checksum_from, frame_bytes - cut->checksum_from);
	for (uint32_t i = 0; i < SCTP_CHECKSUM_BYTES; i++)
		field[i] = (uint8_t)(crc >> 8 * i);
}

/* the field holds the sum over the pseudo-header already, so it is simply summed with the rest */
static void complete_checksum(const struct host_cut *cut, uint8_t *bytes, uint32_t frame_bytes)
{
	uint32_t checksum =
		~sum_of(bytes + cut->checksum_from, frame_bytes - cut->checksum_from, 0) & 0xffff;

	if (!checksum && cut->checksum_at - cut->checksum_from == UDP_CHECKSUM_AT)
		checksum = 0xffff; /* 0 means that there is none [RFC 768] */
	native_put16(bytes + cut->checksum_at, checksum);
}

void host_cut_write(struct host_cut *cut, uint8_t *bytes)
{
	uint32_t payload_bytes = cut_payload_bytes(cut),
		 frame_bytes = cut->headers_bytes + payload_bytes;

	memcpy(bytes, cut->frame, cut->headers_bytes);
	memcpy(bytes + cut->headers_bytes, cut->frame + cut->headers_bytes + cut->done_bytes,
	       payload_bytes);
	if (cut->segment_bytes)
		cut_headers(cut, bytes, payload_bytes);
	if (cut->checksum_from && cut->crc)
		complete_crc(cut, bytes, frame_bytes);
	else if (cut->checksum_from)
		complete_checksum(cut, bytes, frame_bytes);
	if (frame_bytes < FRAME_BYTES_MIN)
		memset(bytes + frame_bytes, 0, FRAME_BYTES_MIN - frame_bytes);
	host_cut_skip(cut);
}

/* ---- merging ---- */

static uint32_t ip_bytes_of(bool ipv4)
{
	return ipv4 ? IPV4_BYTES : IPV6_BYTES;
}

static uint32_t flow_hash(const uint8_t *ip, bool ipv4, const uint8_t *tcp)
{
	const uint8_t *addresses = ipv4 ? ip + 12 : ip + 8;
	uint64_t hash = bytes_get32(tcp);

	for (uint32_t i = 0; i < (ipv4 ? 8u : 32u); i += 4)
		hash = (hash ^ bytes_get32(addresses + i)) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(hash >> 32);
}

/* does TCP directly follow an IP header without options? @ip_bytes of the packet, as its header
 * says */
static enum host_segment_kind kind_of(const uint8_t *frame, uint32_t frame_bytes, bool *ipv4,
				      uint32_t *ip_bytes)
{
	const uint8_t *ip = frame + ETHERNET_BYTES;
	uint32_t type = frame_bytes < ETHERNET_BYTES ? 0 : bytes_get16(frame + ETHERTYPE_AT);

	*ipv4 = type == ETHERTYPE_IPV4;
	/* a tagged frame is of another flow and never merged: ours */
	if (type != ETHERTYPE_IPV4 && type != ETHERTYPE_IPV6)
		return HOST_SEGMENT_OTHER;
	if (frame_bytes < ETHERNET_BYTES + ip_bytes_of(*ipv4))
		return HOST_SEGMENT_OTHER;
	if (*ipv4) {
		*ip_bytes = bytes_get16(ip + 2);
		if (ip[9] != PROTOCOL_TCP)
			return HOST_SEGMENT_OTHER;
		return ip[0] == 0x45 && !(bytes_get16(ip + 6) & 0x3fff) ? HOST_SEGMENT_TCP
									: HOST_SEGMENT_ODD;
	}
	*ip_bytes = IPV6_BYTES + bytes_get16(ip + 4);
	if (ip[6] == PROTOCOL_UDP || ip[6] == PROTOCOL_ICMPV6)
		return HOST_SEGMENT_OTHER;
	return ip[0] >> 4 == 6 && ip[6] == PROTOCOL_TCP ? HOST_SEGMENT_TCP : HOST_SEGMENT_ODD;
}

static bool checksums_good(const uint8_t *ip, bool ipv4, uint32_t l4_bytes)
{
	const uint8_t *tcp = ip + ip_bytes_of(ipv4);

	if (ipv4 && sum_of(ip, IPV4_BYTES, 0) != 0xffff)
		return false;
	return sum_of(tcp, l4_bytes, pseudo_sum(ip, ipv4, PROTOCOL_TCP, l4_bytes)) == 0xffff;
}

enum host_segment_kind host_segment_read(const uint8_t *frame, uint32_t frame_bytes,
					 struct host_segment *segment)
{
	const uint8_t *ip = frame + ETHERNET_BYTES, *tcp;
	uint32_t ip_bytes, tcp_bytes, before, flags;
	bool ipv4;
	enum host_segment_kind kind = kind_of(frame, frame_bytes, &ipv4, &ip_bytes);

	if (kind != HOST_SEGMENT_TCP)
		return kind;
	before = ip_bytes_of(ipv4);
	if (ip_bytes > frame_bytes - ETHERNET_BYTES || ip_bytes < before + TCP_BYTES)
		return HOST_SEGMENT_ODD;
	tcp = ip + before;
	tcp_bytes = (tcp[12] >> 4) * 4u;
	if (tcp_bytes < TCP_BYTES || before + tcp_bytes > ip_bytes)
		return HOST_SEGMENT_ODD;
	flags = bytes_get16(tcp + 12) & 0xfffu;
	*segment = (struct host_segment){
		.headers_bytes = ETHERNET_BYTES + before + tcp_bytes,
		.payload_bytes = ip_bytes - before - tcp_bytes,
		.sequence = bytes_get32(tcp + 4),
		.hash = flow_hash(ip, ipv4, tcp),
		.ipv4 = ipv4,
		.push = flags & TCP_PSH,
	};
	segment->mergeable = segment->payload_bytes && (flags & ~TCP_PSH) == TCP_ACK &&
			     ip_bytes == frame_bytes - ETHERNET_BYTES &&
			     checksums_good(ip, ipv4, ip_bytes - before);
	return HOST_SEGMENT_TCP;
}

void host_merge_start(struct host_merge *merge, const struct host_segment *segment)
{
	*merge = (struct host_merge){
		.first = *segment,
		.payload_bytes = segment->payload_bytes,
		.segments = 1,
		.push = segment->push,
		.open = segment->mergeable && !segment->push,
	};
}

static bool ip_headers_continue(const uint8_t *first, const uint8_t *ip, bool ipv4, uint32_t index)
{
	if (!ipv4) /* all but the length */
		return !memcmp(first, ip, 4) && !memcmp(first + 6, ip + 6, IPV6_BYTES - 6);
	return !memcmp(first, ip, 2) &&
	       bytes_get16(ip + 4) == (uint16_t)(bytes_get16(first + 4) + index) &&
	       !memcmp(first + 6, ip + 6, 4) && !memcmp(first + 12, ip + 12, 8);
}

/* same ports, acknowledgement, window, urgent pointer and options; flags and sequence were checked
 * before */
static bool tcp_headers_continue(const uint8_t *first, const uint8_t *tcp, uint32_t header_bytes)
{
	return !memcmp(first, tcp, 4) && !memcmp(first + 8, tcp + 8, 5) &&
	       !memcmp(first + 14, tcp + 14, 2) && !memcmp(first + 18, tcp + 18, header_bytes - 18);
}

bool host_merge_add(struct host_merge *merge, const uint8_t *first, const uint8_t *frame,
		    const struct host_segment *segment)
{
	uint32_t tcp_at = ETHERNET_BYTES + ip_bytes_of(segment->ipv4);

	if (!merge->open || !segment->mergeable || segment->ipv4 != merge->first.ipv4 ||
	    segment->headers_bytes != merge->first.headers_bytes ||
	    segment->payload_bytes > merge->first.payload_bytes ||
	    segment->sequence != merge->first.sequence + merge->payload_bytes ||
	    segment->headers_bytes + merge->payload_bytes + segment->payload_bytes >
		    HOST_SUPER_BYTES_MAX)
		return false;
	if (memcmp(first, frame, ETHERNET_BYTES) != 0 ||
	    !ip_headers_continue(first + ETHERNET_BYTES, frame + ETHERNET_BYTES, segment->ipv4,
				 merge->segments) ||
	    !tcp_headers_continue(first + tcp_at, frame + tcp_at, segment->headers_bytes - tcp_at))
		return false;
	merge->payload_bytes += segment->payload_bytes;
	merge->segments++;
	merge->push = segment->push;
	merge->open = !segment->push && segment->payload_bytes == merge->first.payload_bytes &&
		      merge->segments < HOST_SUPER_SEGMENTS_MAX;
	return true;
}

void host_merge_finish(const struct host_merge *merge, uint8_t *first,
		       struct virtio_net_hdr *header)
{
	bool ipv4 = merge->first.ipv4;
	uint8_t *ip = first + ETHERNET_BYTES, *tcp = ip + ip_bytes_of(ipv4);
	uint32_t tcp_at = (uint32_t)(tcp - first);
	uint32_t l4_bytes = merge->first.headers_bytes - tcp_at + merge->payload_bytes;

	*header = (struct virtio_net_hdr){ .gso_type = VIRTIO_NET_HDR_GSO_NONE };
	if (merge->segments < 2)
		return;
	*header = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = ipv4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
		.hdr_len = (uint16_t)merge->first.headers_bytes,
		.gso_size = (uint16_t)merge->first.payload_bytes,
		.csum_start = (uint16_t)tcp_at,
		.csum_offset = TCP_CHECKSUM_AT,
	};
	if (ipv4) {
		bytes_put16(ip + 2, (uint16_t)(IPV4_BYTES + l4_bytes));
		ipv4_checksum(ip);
	} else {
		bytes_put16(ip + 4, (uint16_t)l4_bytes);
	}
	if (merge->push)
		tcp[13] |= TCP_PSH;
	native_put16(tcp + TCP_CHECKSUM_AT, pseudo_sum(ip, ipv4, PROTOCOL_TCP, l4_bytes));
}
