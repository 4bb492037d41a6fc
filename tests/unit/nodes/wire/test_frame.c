/*  nodes/wire/frame: the parser of frames that hosts send (FC-2, FC-3, FC-21, RC-1, RC-4,
 *  TB-23). */
#include "tests/unit/nodes/wire/frame_fields_expect.h"

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

/* Nothing is read beyond the captured bytes: the sanitizers watch a copy of exactly that size. A
 * header that is cut short is malformed. All captured lengths up to the test payload. */
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

TEST(frame_parse__rejects_a_group_as_source)
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

/* The priority of the tag overrides the DSCP. What follows the tag is parsed as without one. */
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

/* recomputes the header checksum of the IPv4 frame in bytes[] */
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

/* A datagram to UDP port 4791 that is too short for BTH and ICRC, or of another transport version,
 * is just UDP. */
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

/* inserts an extension header of 8 bytes before the UDP header of the IPv6 frame in bytes[] */
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

/* FC-3, TB-23: of an ARP request the target is parsed. Other kinds of ARP are plain frames; a
 * truncated one is malformed. */
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

/* Makes an ICMPv6 message of @type to a group, after an MLD router alert.  Return: the frame's
 * length. */
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
