/*  nodes/wire/ip_header: the headers byte by byte, and published examples of checksums (RC-4). */
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/ip_header.h"
#include "tests/testing.h"

static const uint8_t source4[4] = { 10, 0, 1, 45 }, destination4[4] = { 10, 1, 0, 0 };
static const uint8_t source6[16] = { 0xfd, 0x48, [15] = 1 },
		     destination6[16] = { 0xfd, 0x48, [15] = 2 };

TEST(ip_checksum_fold__rfc_1071)
{
	/* section 3 */
	static const uint8_t numbers[8] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
	uint16_t sum = ip_checksum_fold(0, numbers, 2);

	ck_assert_mem_eq(&sum, ((const uint8_t[]){ 0xdd, 0xf2 }), 2);
}

TEST(ip_checksum_fold__carries)
{
	static const uint8_t ones[60] = { [0 ... 59] = 0xff };

	for (uint32_t words = 1; words <= 15; words++)
		ck_assert_uint_eq(ip_checksum_fold(0, ones, words), 0xffff);
	ck_assert_uint_eq(ip_checksum_fold(0xffffffff, ones, 15), 0xffff);
	ck_assert_uint_eq(ip_checksum_fold(0, ones, 0), 0);
}

TEST(ipv4_header_write__golden_bytes)
{
	static const uint8_t golden[IPV4_BYTES] = { 0x45, 0xa2, 0x05, 0xdc, 0x00, 0x00, 0x40,
						    0x00, 0x40, 0x11, 0x1f, 0x42, 10,   0,
						    1,    45,   10,   1,    0,    0 };
	struct ip_header header = { .source = source4,
				    .destination = destination4,
				    .payload_bytes = 1480,
				    .tos = 5 << DSCP_CLASS_SHIFT | ECN_CAPABLE,
				    .protocol = PROTOCOL_UDP };
	uint8_t bytes[IPV4_BYTES + 1];

	memset(bytes, 0xee, sizeof(bytes));
	ipv4_header_write(&header, bytes);
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
	ck_assert_uint_eq(bytes[IPV4_BYTES], 0xee);
	ck_assert_uint_eq(ip_checksum_fold(0, bytes, IPV4_BYTES / 4), 0xffff);
}

TEST(ipv6_header_write__golden_bytes)
{
	static const uint8_t golden[8] = { 0x6a, 0x2f, 0xed, 0xcb, 0x05, 0xc8, 0x11, 0x40 };
	struct ip_header header = { .source = source6,
				    .destination = destination6,
				    .payload_bytes = 1480,
				    .flow_label = 0xfedcb,
				    .tos = 5 << DSCP_CLASS_SHIFT | ECN_CAPABLE,
				    .protocol = PROTOCOL_UDP };
	uint8_t bytes[IPV6_BYTES + 1];

	memset(bytes, 0xee, sizeof(bytes));
	ipv6_header_write(&header, bytes);
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
	ck_assert_mem_eq(bytes + 8, source6, 16);
	ck_assert_mem_eq(bytes + 24, destination6, 16);
	ck_assert_uint_eq(bytes[IPV6_BYTES], 0xee);
}
