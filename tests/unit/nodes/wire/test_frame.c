/*  nodes/wire/frame: parsing of what hosts send, and the generated frames of all kinds (FC-2, FC-3,
 *  FC-21, RC-1, RC-4, TB-2, TB-23). tests/system/test_wire_tshark.sh lets an independent decoder
 *  judge the same frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define SOURCE 300u
#define DESTINATION 65535u
#define FLOW 0x2345u

static uint8_t bytes[1600];
static struct frame_fields fields;

static struct frame_spec spec_of(enum frame_kind kind)
{
	return (struct frame_spec){ .kind = kind,
				    .source = SOURCE,
				    .destination = DESTINATION,
				    .traffic_class = 5,
				    .flow = FLOW,
				    .frame_bytes = 1514 };
}

static const struct frame_payload full = {
	.source = SOURCE,
	.flow_slot = FRAME_FLOW_SLOTS_MAX - 2,
	.workload_index = FRAME_WORKLOADS_MAX - 3,
	.packet = 0xfedcba98,
	.message = 0x89abcdef,
	.message_bytes = FRAME_MESSAGE_BYTES_MAX - 4,
	.message_start_ps = 0xf123456789abcdef,
	.payload_bytes = 1400,
	.message_first = true,
};

static void setup(void)
{
	memset(bytes, 0, sizeof(bytes));
	memset(&fields, 0xee, sizeof(fields));
}

static void write_full(enum frame_kind kind)
{
	struct frame_spec spec = spec_of(kind);

	ck_assert_uint_eq(frame_write(&spec, &full, bytes), frame_headers_bytes(kind));
}

static void payload_expect(const struct frame_payload *read, const struct frame_payload *written)
{
	ck_assert_uint_eq(read->source, written->source);
	ck_assert_uint_eq(read->flow_slot, written->flow_slot);
	ck_assert_uint_eq(read->workload_index, written->workload_index);
	ck_assert_uint_eq(read->packet, written->packet);
	ck_assert_uint_eq(read->message, written->message);
	ck_assert_uint_eq(read->message_bytes, written->message_bytes);
	ck_assert_uint_eq(read->message_start_ps, written->message_start_ps);
	ck_assert_uint_eq(read->payload_bytes, written->payload_bytes);
	ck_assert(read->message_first == written->message_first);
	ck_assert(read->message_last == written->message_last);
}

TEST_GROUP(parse, .setup = setup);

/* ---- frame_parse ---- */

TEST_RANGE(frame_parse__generated, 0, FRAME_KINDS)
{
	static const uint16_t ethertypes[FRAME_KINDS] = { 0x88b6, 0x0800, 0x86dd, 0x0800,
							  0x88b6, 0x86dd, 0x0800 };
	enum frame_kind kind = (enum frame_kind)_i;
	uint8_t mac[6];

	write_full(kind);
	ck_assert_int_eq(frame_parse(bytes, frame_headers_bytes(kind), 1514, &fields), 0);
	address_mac(SOURCE, mac);
	ck_assert_mem_eq(fields.source_mac, mac, 6);
	address_mac(DESTINATION, mac);
	ck_assert_mem_eq(fields.destination_mac, mac, 6);
	ck_assert_uint_eq(fields.ethertype, ethertypes[kind]);
	ck_assert_uint_eq(fields.priority, 5);
	ck_assert_uint_eq(fields.vlan, 0);
	ck_assert(!fields.group);
	ck_assert(fields.tagged == (kind == FRAME_ETHERNET));
	ck_assert(fields.hpc == (kind == FRAME_HPC));
	ck_assert(fields.roce == (kind == FRAME_ROCE || kind == FRAME_ROCE_IPV6));
	ck_assert_uint_eq(ecn_read(bytes, frame_headers_bytes(kind)), 0);
}

TEST(frame_parse__ipv4_fields)
{
	write_full(FRAME_IPV4);
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_version, 4);
	ck_assert_uint_eq(fields.ip_protocol, 17);
	ck_assert_mem_eq(fields.source_ip, ((const uint8_t[]){ 10, 0, 1, 45 }), 4);
	ck_assert_mem_eq(fields.destination_ip, ((const uint8_t[]){ 10, 1, 0, 0 }), 4);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	ck_assert_uint_eq(fields.destination_port, 0x4800);
	ck_assert_uint_eq(fields.flow_label, 0);
}

TEST(frame_parse__ipv6_fields)
{
	uint8_t ipv6[16];

	write_full(FRAME_IPV6);
	ck_assert_int_eq(frame_parse(bytes, 90, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_version, 6);
	ck_assert_uint_eq(fields.ip_protocol, 17);
	address_ipv6(SOURCE, ipv6);
	ck_assert_mem_eq(fields.source_ip, ipv6, 16);
	address_ipv6(DESTINATION, ipv6);
	ck_assert_mem_eq(fields.destination_ip, ipv6, 16);
	ck_assert_uint_eq(fields.flow_label, FLOW);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
}

TEST(frame_parse__roce_fields)
{
	write_full(FRAME_ROCE);
	ck_assert_int_eq(frame_parse(bytes, 82, 1514, &fields), 0);
	ck_assert_uint_eq(fields.destination_port, ROCE_UDP_PORT);
	ck_assert_uint_eq(fields.queue_pair, 0x800000 + FLOW);
	ck_assert_uint_eq(fields.roce_opcode, 0);
}

TEST(frame_parse__roce_ipv6_fields)
{
	write_full(FRAME_ROCE_IPV6);
	ck_assert_int_eq(frame_parse(bytes, 102, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_version, 6);
	ck_assert_uint_eq(fields.flow_label, FLOW);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	ck_assert_uint_eq(fields.destination_port, ROCE_UDP_PORT);
	ck_assert_uint_eq(fields.queue_pair, 0x800000 + FLOW);
}

TEST(frame_parse__tcp_fields)
{
	write_full(FRAME_TCP);
	ck_assert_int_eq(frame_parse(bytes, 82, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 6);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	ck_assert_uint_eq(fields.destination_port, 0x4800);
}

TEST(frame_parse__hpc_fields)
{
	write_full(FRAME_HPC);
	ck_assert_int_eq(frame_parse(bytes, 58, 1514, &fields), 0);
	ck_assert_uint_eq(fields.hpc_source, SOURCE + 1);
	ck_assert_uint_eq(fields.hpc_destination, DESTINATION + 1);
	ck_assert_uint_eq(fields.hpc_process, FLOW);
}

/* Nothing is read beyond the captured bytes (the sanitizers watch a copy of just that size), and a
 * header cut short is malformed: captured lengths in front of the test payload. */
TEST_RANGE(frame_parse__truncated, 0, FRAME_KINDS)
{
	static const uint32_t headers[FRAME_KINDS] = { 19, 42, 62, 54, 30, 74, 54 };
	enum frame_kind kind = (enum frame_kind)_i;

	write_full(kind);
	for (uint32_t captured = 0; captured <= frame_headers_bytes(kind); captured++) {
		uint8_t *copy = malloc(captured + !captured);

		memcpy(copy, bytes, captured);
		ck_assert_int_eq(frame_parse(copy, captured, 1514, &fields),
				 captured < headers[kind] ? -EINVAL : 0);
		free(copy);
	}
	ck_assert_int_eq(frame_parse(bytes, 1515, 1514, &fields), -EINVAL);
}

TEST(frame_parse__broadcast_arp)
{
	memset(bytes, 0xff, 6);
	bytes[6] = 2;
	bytes[12] = 0x08;
	bytes[13] = 0x06;
	ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), 0);
	ck_assert(fields.group);
	ck_assert_uint_eq(fields.ethertype, 0x0806);
	ck_assert_uint_eq(fields.ip_version, 0);
	ck_assert_uint_eq(fields.source_port, 0);
}

TEST(frame_parse__source_is_no_group)
{
	write_full(FRAME_HPC);
	bytes[6] |= 1;
	ck_assert_int_eq(frame_parse(bytes, 58, 1514, &fields), -EINVAL);
}

TEST(frame_parse__802_3_length)
{
	bytes[13] = 46;
	ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), 0);
	bytes[13] = 47;
	ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), -EINVAL);
}

/* The tag's priority goes before the DSCP; what is behind the tag is parsed as without. */
TEST(frame_parse__tagged_ipv4)
{
	static const uint8_t tag[] = { 0x81, 0x00, 0x6f, 0xfe };

	write_full(FRAME_IPV4);
	memmove(bytes + 16, bytes + 12, 60);
	memcpy(bytes + 12, tag, 4);
	ck_assert_int_eq(frame_parse(bytes, 74, 1518, &fields), 0);
	ck_assert(fields.tagged);
	ck_assert_uint_eq(fields.priority, 3);
	ck_assert_uint_eq(fields.vlan, 0xffe);
	ck_assert_uint_eq(fields.ethertype, 0x0800);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
}

/* puts right the header checksum of the IPv4 frame in bytes[] */
static void checksum_write(void)
{
	uint32_t header_bytes = (bytes[14] & 15u) * 4, sum = 0;

	bytes[24] = bytes[25] = 0;
	for (uint32_t i = 0; i < header_bytes; i += 2)
		sum += (uint32_t)bytes[14 + i] << 8 | bytes[15 + i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	bytes[24] = (uint8_t)(~sum >> 8);
	bytes[25] = (uint8_t)~sum;
}

TEST_RANGE(frame_parse__ipv4_contradictions, 0, 7)
{
	static const struct {
		unsigned at;
		uint8_t value;
		bool good;
	} cases[] = {
		{ 14, 0x65, false }, /* version */
		{ 14, 0x44, false }, /* header length below 20 */
		{ 14, 0x4f, false }, /* header longer than captured */
		{ 16, 0x06, false }, /* total length beyond the frame */
		{ 16, 0x00,
		  true }, /* 220 bytes of IP in a longer frame, and UDP's length fits them */
		{ 38, 0x06, false }, /* UDP length beyond the IP datagram */
		{ 23, 1, true },     /* ICMP */
	};

	write_full(FRAME_IPV4);
	bytes[38] = 0;
	bytes[39] = 200;
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
	bytes[cases[_i].at] = cases[_i].value;
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), cases[_i].good ? 0 : -EINVAL);
}

TEST(frame_parse__ipv4_checksum)
{
	write_full(FRAME_IPV4);
	for (uint32_t bit = 14 * 8; bit < 34 * 8; bit++) {
		bytes[bit / 8] ^= 1u << bit % 8;
		ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), -EINVAL);
		bytes[bit / 8] ^= 1u << bit % 8;
	}
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
}

TEST(frame_parse__ipv4_options)
{
	write_full(FRAME_IPV4);
	memmove(bytes + 38, bytes + 34, 36);
	memset(bytes + 34, 1, 4); /* four times "no operation" */
	bytes[14] = 0x46;
	bytes[43] -= 4; /* the UDP length */
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 74, 1514, &fields), 0);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	ck_assert_uint_eq(fields.destination_port, 0x4800);
}

/* FC-2: all fragments of a datagram belong to one flow */
TEST(frame_parse__ipv4_fragments)
{
	write_full(FRAME_IPV4);
	bytes[20] = 0x20;
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 17);
	ck_assert_uint_eq(fields.source_port, 0);
	bytes[20] = 0;
	bytes[21] = 1;
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
	ck_assert_uint_eq(fields.source_port, 0);
}

TEST(frame_parse__tcp)
{
	write_full(FRAME_IPV4);
	bytes[23] = 6;
	bytes[46] = 0x50;
	checksum_write();
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 6);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	ck_assert_uint_eq(fields.destination_port, 0x4800);
	ck_assert_int_eq(frame_parse(bytes, 53, 1514, &fields), -EINVAL);
	bytes[46] = 0x40;
	ck_assert_int_eq(frame_parse(bytes, 70, 1514, &fields), -EINVAL);
}

/* UDP to port 4791 without room for BTH and ICRC, or with another transport version, is just
 * UDP. */
TEST(frame_parse__udp_to_roce_port)
{
	write_full(FRAME_ROCE);
	bytes[43] = 1;
	ck_assert_int_eq(frame_parse(bytes, 82, 1514, &fields), 0);
	ck_assert(!fields.roce);
	ck_assert_uint_eq(fields.queue_pair, 0);
	bytes[43] = 0;
	bytes[38] = 0;
	bytes[39] = 23;
	ck_assert_int_eq(frame_parse(bytes, 82, 1514, &fields), 0);
	ck_assert(!fields.roce);
	bytes[39] = 24;
	ck_assert_int_eq(frame_parse(bytes, 82, 1514, &fields), 0);
	ck_assert(fields.roce);
}

TEST(frame_parse__ipv6_contradictions)
{
	write_full(FRAME_IPV6);
	bytes[14] = 0x40;
	ck_assert_int_eq(frame_parse(bytes, 90, 1514, &fields), -EINVAL);
	write_full(FRAME_IPV6);
	ck_assert_int_eq(frame_parse(bytes, 90, 1513, &fields), -EINVAL);
	bytes[18] = 0;
	bytes[19] = 7;
	ck_assert_int_eq(frame_parse(bytes, 90, 1514, &fields), -EINVAL);
}

/* in front of the UDP header of the IPv6 frame in bytes[]: an extension header of 8 bytes */
static void extension_insert(uint8_t type)
{
	memmove(bytes + 62, bytes + 54, 200);
	memset(bytes + 54, 0, 8);
	bytes[54] = bytes[20];
	bytes[20] = type;
	bytes[18] = (uint8_t)(((bytes[18] << 8 | bytes[19]) + 8) >> 8);
	bytes[19] = (uint8_t)(bytes[19] + 8);
}

TEST(frame_parse__ipv6_extensions)
{
	write_full(FRAME_IPV6);
	extension_insert(60);
	extension_insert(43);
	extension_insert(0);
	ck_assert_int_eq(frame_parse(bytes, 114, 1538, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 17);
	ck_assert_uint_eq(fields.source_port, 0xc000 + FLOW);
	bytes[55] = 200; /* longer than the datagram */
	ck_assert_int_eq(frame_parse(bytes, 114, 1538, &fields), -EINVAL);
}

TEST(frame_parse__ipv6_fragment)
{
	write_full(FRAME_IPV6);
	extension_insert(44);
	ck_assert_int_eq(frame_parse(bytes, 98, 1522, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 17);
	ck_assert_uint_eq(fields.source_port, 0);
}

TEST(frame_parse__ipv6_too_many_extensions)
{
	write_full(FRAME_IPV6);
	for (int i = 0; i < 5; i++)
		extension_insert(60);
	ck_assert_int_eq(frame_parse(bytes, 130, 1554, &fields), 0);
	ck_assert_uint_eq(fields.ip_protocol, 60);
	ck_assert_uint_eq(fields.source_port, 0);
}

TEST_RANGE(frame_parse__hpc_contradictions, 0, 4)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} cases[] = { { 15, 0x15 }, { 15, 0x08 }, { 16, 1 }, { 17, 1 } };

	write_full(FRAME_HPC);
	bytes[cases[_i].at] = cases[_i].value;
	ck_assert_int_eq(frame_parse(bytes, 58, 1514, &fields), -EINVAL);
}

/* ARP as far as whom it asks for; another kind of ARP is just a frame, a truncated one is malformed
 * (FC-3, TB-23) */
TEST(frame_parse__arp_target)
{
	static const uint8_t target[4] = { 10, 0, 0, 9 };

	memset(bytes, 0xff, 6);
	bytes[6] = 2;
	bytes_put16(bytes + 12, 0x0806);
	bytes_put64(bytes + 14, 0x0001080006040001);
	memcpy(bytes + 38, target, sizeof(target));
	ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), 0);
	ck_assert(fields.group && !fields.report);
	ck_assert_uint_eq(fields.target_version, 4);
	ck_assert_mem_eq(fields.target_ip, target, sizeof(target));
	for (uint32_t captured = 14; captured < 42; captured++)
		ck_assert_int_eq(frame_parse(bytes, captured, 60, &fields), -EINVAL);
	bytes[18] = 8; /* longer hardware addresses */
	ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), 0);
	ck_assert_uint_eq(fields.target_version, 0);
}

/* an ICMPv6 message of @type behind an MLD router alert, to a group; returns its frame's length */
static uint32_t icmpv6_write(uint8_t type, uint32_t message_bytes)
{
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 0x33;
	bytes[6] = 2;
	bytes_put16(bytes + 12, 0x86dd);
	bytes[14] = 0x60;
	bytes_put16(bytes + 18, (uint16_t)(8 + message_bytes));
	bytes[54] = 58;
	bytes[62] = type;
	return 62 + message_bytes;
}

TEST(frame_parse__neighbour_solicitation)
{
	uint32_t length = icmpv6_write(135, 24);

	memset(bytes + 70, 0xab, 16);
	ck_assert_int_eq(frame_parse(bytes, length, length, &fields), 0);
	ck_assert_uint_eq(fields.target_version, 6);
	ck_assert_mem_eq(fields.target_ip, bytes + 70, 16);
	for (uint32_t captured = 14; captured < length; captured++)
		ck_assert_int_eq(frame_parse(bytes, captured, length, &fields), -EINVAL);
	length = icmpv6_write(135, 23);
	ck_assert_int_eq(frame_parse(bytes, length, length, &fields), -EINVAL);
}

TEST(frame_parse__mld_reports)
{
	for (uint32_t type = 0; type < 256; type++) {
		uint32_t length = icmpv6_write((uint8_t)type, 24);

		ck_assert_int_eq(frame_parse(bytes, length, length, &fields), 0);
		ck_assert_int_eq(fields.report, type == 131 || type == 132 || type == 143);
		ck_assert_int_eq(fields.target_version, type == 135 ? 6 : 0);
	}
}

TEST(frame_parse__igmp_reports)
{
	for (uint32_t type = 0; type < 256; type++) {
		memset(bytes, 0, 60);
		bytes[0] = 1;
		bytes[6] = 2;
		bytes_put16(bytes + 12, 0x0800);
		bytes[14] = 0x45;
		bytes_put16(bytes + 16, 28);
		bytes[23] = 2;
		bytes_put16(bytes + 24, (uint16_t) ~(0x4500 + 28 + 2));
		bytes[34] = (uint8_t)type;
		ck_assert_int_eq(frame_parse(bytes, 60, 60, &fields), 0);
		ck_assert_int_eq(fields.report,
				 type == 0x12 || type == 0x16 || type == 0x17 || type == 0x22);
		ck_assert_int_eq(frame_parse(bytes, 41, 60, &fields), -EINVAL);
	}
}

/* ---- generated frames ---- */

TEST_GROUP(generated, .setup = setup);

/* TB-2: with the 26 bytes of envelope and fabric header and the 32 of the record header two cache
 * lines are 128 */
TEST(frame_headers_bytes__cache_lines)
{
	ck_assert_uint_eq(frame_headers_bytes(FRAME_ETHERNET), 48);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_IPV4), 70);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_IPV6), 90);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_ROCE), 82);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_HPC), 58);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_ROCE_IPV6), 102);
	ck_assert_uint_eq(frame_headers_bytes(FRAME_TCP), 82);
	ck_assert_uint_eq(frame_overhead_bytes(FRAME_ROCE_IPV6), 78);
	ck_assert_uint_eq(frame_overhead_bytes(FRAME_TCP), 82);
	ck_assert_uint_eq(frame_overhead_bytes(FRAME_IPV4), 70);
	ck_assert_uint_eq(frame_overhead_bytes(FRAME_ROCE), 58);
	ck_assert_uint_eq(frame_bytes_min(FRAME_ETHERNET), 60);
	ck_assert_uint_eq(frame_bytes_min(FRAME_IPV6), 90);
}

TEST(frame_write__ethernet_layout)
{
	static const uint8_t untagged[] = { 0x02, 0x48, 0,    1,    0, 0, 0x02, 0x48, 0, 0,
					    1,    45,   0x88, 0xb6, 0, 0, 0,    0,    0, 0 };
	static const uint8_t tagged[] = { 0x02, 0x48, 0,    1,    0,    0, 0x02, 0x48, 0, 0,
					  1,    45,   0x81, 0x00, 0xa0, 0, 0x88, 0xb6, 0, 0 };
	struct frame_spec spec = spec_of(FRAME_ETHERNET);

	memset(bytes, 0xff, sizeof(bytes));
	frame_write(&spec, &full, bytes);
	ck_assert_mem_eq(bytes, tagged, sizeof(tagged));
	memset(bytes, 0xff, sizeof(bytes));
	spec.traffic_class = 0;
	frame_write(&spec, &full, bytes);
	ck_assert_mem_eq(bytes, untagged, sizeof(untagged));
}

TEST(frame_write__payload_layout)
{
	static const uint8_t golden[] = { 0xf1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
					  0xef, 0xfe, 0xdc, 0xba, 0x98, 0x89, 0xab,
					  0xcd, 0xef, 0xff, 0xff, 0xff, 0xff, 0xfb,
					  0xff, 0xff, 0xfe, 0x85, 0x78, 0xff, 0xfd };

	write_full(FRAME_HPC);
	ck_assert_mem_eq(bytes + 30, golden, sizeof(golden));
}

/* RC-4, over IPv4 and IPv6 */
TEST(frame_write__roce_bth)
{
	static const uint8_t bth[] = { 0x00, 0x00, 0xff, 0xff, 0x00, 0x80,
				       0x23, 0x45, 0x00, 0xdc, 0xba, 0x98 };

	write_full(FRAME_ROCE);
	ck_assert_mem_eq(bytes + 42, bth, sizeof(bth));
	write_full(FRAME_ROCE_IPV6);
	ck_assert_mem_eq(bytes + 62, bth, sizeof(bth));
}

/* RC-4: every length of a message, cut at every path MTU: all packets but the last carry the path
 * MTU exactly, all are padded to multiples of four and say by how much, and nothing is lost between
 * the lengths */
TEST_RANGE(frame_bytes_of__path_mtu_and_padding, 0, 2)
{
	enum frame_kind kind = _i ? FRAME_ROCE_IPV6 : FRAME_ROCE;
	const uint32_t headers = _i ? 14 + 40 + 8 + 12 : 14 + 20 + 8 + 12, bth_at = headers - 12;

	for (uint32_t path_mtu = 256; path_mtu <= 4096; path_mtu *= 2) {
		ck_assert_uint_eq(frame_bytes_of(kind, path_mtu), headers + path_mtu + 4);
		ck_assert_uint_eq(frame_payload_max(kind, headers + path_mtu + 4), path_mtu);
		ck_assert_uint_eq(frame_payload_max(kind, headers + path_mtu + 3),
				  path_mtu == 256 ? 0 : path_mtu / 2);
	}
	ck_assert_uint_eq(frame_payload_max(kind, 9216), 4096);
	for (uint32_t length = 1; length <= 4096; length++) {
		struct frame_payload payload = { .source = SOURCE,
						 .message_bytes = length,
						 .payload_bytes = length };
		struct frame_spec spec = spec_of(kind);
		/* the test payload header has 28 */
		uint32_t pad, on_the_wire = length > 28 ? length : 28;

		spec.frame_bytes = frame_bytes_of(kind, length);
		frame_write(&spec, &payload, bytes);
		pad = bytes[bth_at + 1] >> 4 & 3;
		ck_assert_uint_eq(bytes[bth_at + 1] & 0xcf, 0); /* SE, M, version */
		ck_assert_uint_eq(spec.frame_bytes, headers + on_the_wire + pad + 4);
		ck_assert_uint_eq((on_the_wire + pad) % 4, 0);
		ck_assert_int_eq(frame_payload_read(bytes, frame_headers_bytes(kind),
						    spec.frame_bytes, &payload),
				 0);
		ck_assert_uint_eq(payload.payload_bytes, length);
	}
}

/* RC-1: only who says so may be marked */
TEST_RANGE(frame_write__ecn_capable, 0, FRAME_KINDS)
{
	enum frame_kind kind = (enum frame_kind)_i;
	bool ip = kind != FRAME_ETHERNET && kind != FRAME_HPC;
	struct frame_spec spec = spec_of(kind);
	uint32_t captured = frame_headers_bytes(kind);

	frame_write(&spec, &full, bytes);
	ck_assert(!ecn_mark(bytes, captured));
	ck_assert_uint_eq(ecn_read(bytes, captured), 0);
	spec.ecn_capable = true;
	frame_write(&spec, &full, bytes);
	ck_assert_uint_eq(ecn_read(bytes, captured), ip ? 2 : 0);
	ck_assert_int_eq(frame_parse(bytes, captured, 1514, &fields), 0);
	ck_assert_uint_eq(fields.priority, 5);
	ck_assert(ecn_mark(bytes, captured) == ip);
	ck_assert_uint_eq(ecn_read(bytes, captured), ip ? 3 : 0);
	ck_assert_int_eq(frame_parse(bytes, captured, 1514, &fields), 0);
	ck_assert_uint_eq(fields.priority, 5);
}

/* Every byte of the headers is written: a template needs no zeroed memory. */
TEST_RANGE(frame_write__all_bytes, 0, FRAME_KINDS)
{
	struct frame_spec spec = spec_of((enum frame_kind)_i);
	uint8_t other[FRAME_HEADERS_MAX];

	memset(other, 0xff, sizeof(other));
	write_full(spec.kind);
	frame_write(&spec, &full, other);
	ck_assert_mem_eq(bytes, other, frame_headers_bytes(spec.kind));
	ck_assert_uint_eq(other[frame_headers_bytes(spec.kind)], 0xff);
}

/* Flows of a host pair differ in the headers, unless frames are plain Ethernet. */
TEST_RANGE(frame_write__flows_differ, 0, FRAME_KINDS)
{
	static const uint32_t flows[] = { 0, 1, 0x3fff, 0x4000, 0x3fffff };
	enum frame_kind kind = (enum frame_kind)_i;
	uint8_t frames[5][FRAME_HEADERS_MAX];

	for (uint32_t i = 0; i < 5; i++) {
		struct frame_spec spec = spec_of(kind);

		spec.flow = flows[i];
		frame_write(&spec, &full, frames[i]);
		for (uint32_t j = 0; j < i; j++)
			ck_assert((memcmp(frames[i], frames[j], frame_headers_bytes(kind)) == 0) ==
				  (kind == FRAME_ETHERNET));
	}
}

TEST_RANGE(frame_payload_read__reads_what_was_written, 0, FRAME_KINDS)
{
	static const struct frame_payload small = { .source = SOURCE, .message_last = true };
	enum frame_kind kind = (enum frame_kind)_i;
	struct frame_spec spec = spec_of(kind);
	struct frame_payload payload;

	for (uint32_t traffic_class = 0; traffic_class < 8; traffic_class++) {
		spec.traffic_class = traffic_class;
		spec.frame_bytes = 1514;
		frame_write(&spec, &full, bytes);
		ck_assert_int_eq(
			frame_payload_read(bytes, frame_headers_bytes(kind), 1514, &payload), 0);
		payload_expect(&payload, &full);
		spec.frame_bytes = frame_bytes_min(kind);
		frame_write(&spec, &small, bytes);
		ck_assert_int_eq(frame_payload_read(bytes, frame_headers_bytes(kind),
						    spec.frame_bytes, &payload),
				 0);
		payload_expect(&payload, &small);
		ck_assert_int_eq(
			frame_parse(bytes, frame_headers_bytes(kind), spec.frame_bytes, &fields),
			0);
	}
}

TEST_RANGE(frame_payload_read__refuses, 0, FRAME_KINDS)
{
	enum frame_kind kind = (enum frame_kind)_i;
	uint32_t captured = frame_headers_bytes(kind);
	struct frame_payload payload;

	write_full(kind);
	for (uint32_t length = 0; length < captured; length++)
		ck_assert_int_eq(frame_payload_read(bytes, length, 1514, &payload), -EINVAL);
	ck_assert_int_eq(frame_payload_read(bytes, captured, captured - 1, &payload), -EINVAL);
	ck_assert_int_eq(
		frame_payload_read(bytes, captured, frame_overhead_bytes(kind) + 1399, &payload),
		-EINVAL);
	bytes[8] ^= 0x80; /* not a host's MAC */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
	bytes[8] ^= 0x80;
	memset(bytes + 9, 0, 3); /* host number 0 */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
	write_full(kind);
	bytes[13] ^= 0x40; /* EtherType or TPID */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
}

/* real traffic of a host of the fabric is not taken for generated frames */
TEST(frame_payload_read__other_traffic)
{
	struct frame_payload payload;

	write_full(FRAME_IPV4);
	bytes[36] = 0x50; /* destination port */
	ck_assert_int_eq(frame_payload_read(bytes, 70, 1514, &payload), -EINVAL);
	write_full(FRAME_IPV6);
	bytes[56] = 0x50;
	ck_assert_int_eq(frame_payload_read(bytes, 90, 1514, &payload), -EINVAL);
	write_full(FRAME_ROCE);
	bytes[47] = 0; /* queue pair */
	ck_assert_int_eq(frame_payload_read(bytes, 82, 1514, &payload), -EINVAL);
	write_full(FRAME_ROCE_IPV6);
	bytes[67] = 0; /* queue pair */
	ck_assert_int_eq(frame_payload_read(bytes, 102, 1514, &payload), -EINVAL);
	write_full(FRAME_ROCE_IPV6);
	bytes[57] ^= 1; /* destination port */
	ck_assert_int_eq(frame_payload_read(bytes, 102, 1514, &payload), -EINVAL);
	write_full(FRAME_TCP);
	bytes[36] = 0x50; /* destination port */
	ck_assert_int_eq(frame_payload_read(bytes, 82, 1514, &payload), -EINVAL);
	write_full(FRAME_TCP);
	bytes[46] = 0x60; /* options */
	ck_assert_int_eq(frame_payload_read(bytes, 82, 1514, &payload), -EINVAL);
	write_full(FRAME_HPC);
	bytes[14] = 2; /* subtype */
	ck_assert_int_eq(frame_payload_read(bytes, 58, 1514, &payload), -EINVAL);
	write_full(FRAME_IPV4);
	ck_assert_int_eq(frame_payload_read(bytes, 70, 1513, &payload), -EINVAL);
}

TEST(frame_payload_read__more_than_its_message)
{
	struct frame_payload payload = full;

	payload.message_bytes = 1399;
	write_full(FRAME_HPC);
	frame_payload_write(FRAME_HPC, &payload, bytes);
	ck_assert_int_eq(frame_payload_read(bytes, 58, 1514, &payload), -EINVAL);
}

/* a sender's fast path gives the frame that frame_write() gives */
TEST_RANGE(frame_payload_write__same_as_frame_write, 0, FRAME_KINDS)
{
	enum frame_kind kind = (enum frame_kind)_i;
	struct frame_spec spec = spec_of(kind);
	struct frame_payload payload = full;
	uint8_t whole[FRAME_HEADERS_MAX];

	write_full(kind);
	for (uint32_t i = 0; i < 4; i++) {
		payload.packet++;
		payload.message_first = i & 1;
		payload.message_last = i & 2;
		frame_payload_write(kind, &payload, bytes);
		frame_write(&spec, &payload, whole);
		ck_assert_mem_eq(bytes, whole, frame_headers_bytes(kind));
		if (kind == FRAME_ROCE || kind == FRAME_ROCE_IPV6)
			ck_assert_uint_eq(bytes[kind == FRAME_ROCE ? 42 : 62],
					  ((const uint8_t[]){ 1, 0, 2, 4 })[i]);
	}
}
