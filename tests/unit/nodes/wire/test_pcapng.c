/*  nodes/wire/pcapng: the blocks byte by byte (TB-19). */
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/pcapng.h"
#include "tests/testing.h"

static uint8_t bytes[PCAPNG_HEADER_BYTES_MAX];

TEST(header__byte_by_byte)
{
	static const uint8_t expected[] = {
		/* section header: magic, version 1.0, length unknown */
		0x0a, 0x0d, 0x0d, 0x0a, 56, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		/* application, comment, end */
		4, 0, 6, 0, 'h', 'e', 'd', 'd', 'l', 'e', 0, 0, 1, 0, 8, 0, 's', 'e', 'e', 'd', ' ',
		'1', '2', '3', 0, 0, 0, 0, 56, 0, 0, 0,
		/* interface: Ethernet, 128 bytes of each packet */
		1, 0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0, 128, 0, 0, 0,
		/* name, description, 200 Gb/s, nanoseconds, no FCS,
					     * end */
		2, 0, 5, 0, 's', '1', ':', 'h', '3', 0, 0, 0, 3, 0, 2, 0, 'p', '2', 0, 0, 8, 0, 8,
		0, 0x00, 0xd0, 0xed, 0x90, 0x2e, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 13, 0, 1, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 72, 0, 0, 0
	};
	const struct pcapng_header header = { .comment = "seed 123",
					      .name = "s1:h3",
					      .description = "p2",
					      .rate_bps = 200000000000,
					      .snap_bytes = 128 };

	ck_assert_uint_eq(pcapng_header_write(&header, bytes), sizeof(expected));
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
}

TEST(header__long_texts_are_cut)
{
	char text[3 * PCAPNG_TEXT_MAX];
	const struct pcapng_header header = { .comment = text, .name = text, .description = text };
	uint32_t length;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	length = pcapng_header_write(&header, bytes);
	ck_assert_uint_le(length, PCAPNG_HEADER_BYTES_MAX);
	ck_assert_uint_eq(pcapng_block_before(bytes + length),
			  length - pcapng_block_before(bytes + 24 + 12 + 516 + 8));
}

TEST(packet__byte_by_byte)
{
	static const uint8_t expected[] = {
		6,    0,    0,    0,    48,   0,    0,    0,    0,   0,   0,   0, /* interface 0 */
		0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, /* high half first */
		3,    0,    0,    0,    0xe8, 3,    0,    0,    'a', 'b', 'c', 0, /* padded */
		2,    0,    4,    0,    1,    0,    0,    0,    0,   0,   0,   0, /* inbound; end */
		48,   0,    0,    0
	};
	const struct pcapng_packet packet = { .stamp_ns = 0x1122334455667788,
					      .kept_bytes = 3,
					      .frame_bytes = 1000,
					      .inbound = true };

	memset(bytes, 0xee, sizeof(bytes));
	ck_assert_uint_eq(pcapng_packet_bytes(&packet), sizeof(expected));
	memcpy(pcapng_packet_write(&packet, bytes), "abc", 3);
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
	ck_assert_uint_eq(bytes[sizeof(expected)], 0xee);
	ck_assert_uint_eq(pcapng_packet_stamp(bytes), packet.stamp_ns);
	ck_assert_uint_eq(pcapng_block_before(bytes + sizeof(expected)), sizeof(expected));
}

TEST(packet__comment)
{
	static const uint8_t options[] = { 1, 0, 4, 0, 'l', 'o', 's', 't', 2,  0, 4, 0,
					   2, 0, 0, 0, 0,   0,   0,   0,   56, 0, 0, 0 };
	const struct pcapng_packet packet = { .kept_bytes = 4,
					      .frame_bytes = 4,
					      .comment = "lost" };

	ck_assert_uint_eq(pcapng_packet_bytes(&packet), 56);
	memcpy(pcapng_packet_write(&packet, bytes), "abcd", 4);
	ck_assert_mem_eq(bytes + 28, "abcd", 4);
	ck_assert_mem_eq(bytes + 32, options, sizeof(options));
}

TEST(interface__is_that_of_the_header)
{
	const struct pcapng_header header = { .name = "s1:h3", .rate_bps = 1000 };
	uint8_t both[PCAPNG_HEADER_BYTES_MAX];
	uint32_t length = pcapng_header_write(&header, both);
	uint32_t alone = pcapng_interface_write(&header, bytes);

	ck_assert_uint_eq(alone, pcapng_block_before(both + length));
	ck_assert_mem_eq(bytes, both + length - alone, alone);
}

TEST(packet_length__trusts_nothing)
{
	const struct pcapng_packet packet = { .interface = 7, .kept_bytes = 5, .frame_bytes = 5 };
	uint32_t length = pcapng_packet_bytes(&packet);

	memset(pcapng_packet_write(&packet, bytes), 1, 5);
	ck_assert_uint_eq(pcapng_packet_interface(bytes), 7);
	pcapng_packet_interface_set(bytes, 300);
	ck_assert_uint_eq(pcapng_packet_interface(bytes), 300);
	ck_assert_uint_eq(pcapng_packet_length(bytes, length), length);
	ck_assert_uint_eq(pcapng_packet_length(bytes, length + 100), length);
	for (uint32_t left = 0; left < length; left++)
		ck_assert_uint_eq(pcapng_packet_length(bytes, left), 0);
	bytes[0] = 5; /* another kind of block */
	ck_assert_uint_eq(pcapng_packet_length(bytes, length), 0);
	bytes[0] = 6;
	bytes[4]++; /* a length that is no multiple of 4 */
	ck_assert_uint_eq(pcapng_packet_length(bytes, length + 8), 0);
	bytes[4]--;
	bytes[length - 4]++; /* two lengths */
	ck_assert_uint_eq(pcapng_packet_length(bytes, length), 0);
	bytes[length - 4]--;
	bytes[20] = (uint8_t)length; /* more of the frame than the block holds */
	ck_assert_uint_eq(pcapng_packet_length(bytes, length), 0);
}
