/*  nodes/wire/roce_frame: the ICRC against published frames; ACK, NAK and CNP byte by byte; what is
 *  read of any RoCEv2 frame; everything else is rejected (RC-4, RC-9, TB-23).
 *  tests/system/test_wire_tshark.sh has an independent decoder check the same frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/crc32.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/roce_frame.h"
#include "tests/testing.h"

/* a CNP as a ConnectX-4 Lx sent it (published with scapy's RoCE layer) */
static const uint8_t connectx_cnp[] = {
	0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00, 0x45,
	0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01,
	0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff,
	0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

/* a SEND of the software RoCE of Linux: unreliable connection, UDP checksum, two bytes of padding
 * (from the same tests) */
static const uint8_t rxe_send[] = {
	0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22, 0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22, 0x08,
	0x00, 0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5,
	0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0x00, 0x12, 0xb7, 0x00,
	0x2c, 0xac, 0xa2, 0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf,
	0x17, 0x10, 0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95,
	0x50, 0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00, 0x78, 0xf3, 0x53, 0xf3,
};

static const struct roce_ends ends4 = {
	.source_mac = { 0x02, 0x48, 0, 0, 0, 1 },
	.destination_mac = { 0x02, 0x48, 0, 0, 0, 2 },
	.ip_version = 4,
	.source_ip = { 10, 0, 0, 1 },
	.destination_ip = { 10, 0, 0, 2 },
	.source_port = 0xc123,
};
static const struct roce_ends ends6 = {
	.source_mac = { 0x02, 0x48, 0, 0, 0, 1 },
	.destination_mac = { 0x02, 0x48, 0, 0, 0, 2 },
	.ip_version = 6,
	.source_ip = { 0xfd, 0x48, [15] = 1 },
	.destination_ip = { 0xfd, 0x48, [15] = 2 },
	.source_port = 0xc123,
};

static const int versions[] = { 4, 6 };
static uint8_t bytes[FRAME_HEADERS_MAX];
static struct roce_header header;

static struct roce_reply reply_of(int version)
{
	return (struct roce_reply){
		.ends = version == 4 ? ends4 : ends6,
		.traffic_class = 6,
		.queue_pair = 0x4000d2,
		.psn = 0xfedcba,
		.syndrome = ROCE_SYNDROME_NAK_PSN,
		.msn = 0xabcdef,
	};
}

/* Makes a generated data frame of @kind, 1514 bytes long.  Return: its captured bytes. */
static uint32_t data_write(enum frame_kind kind)
{
	struct frame_spec spec = {
		.kind = kind, .destination = 1, .traffic_class = 3, .flow = 7, .frame_bytes = 1514
	};
	struct frame_payload payload = { .packet = 0x1020304,
					 .message_first = true,
					 .message_last = true };

	return frame_write(&spec, &payload, bytes);
}

/* Fields that routers may change count as ones [IBTA vol. 1, annex 17; Linux, rxe_icrc.c]. IPv4:
 * TOS, TTL, checksum; IPv6: traffic class, flow label, hop limit; UDP: checksum; BTH: the byte
 * before the queue pair. */
static uint8_t masked(const uint8_t *frame, uint32_t captured_bytes, uint32_t at)
{
	bool ipv4 = frame[14] >> 4 == 4;
	uint32_t udp_at = ipv4 ? (frame[14] & 15u) * 4 : 40;
	uint8_t byte = 14 + at < captured_bytes ? frame[14 + at] : 0;

	if (at == udp_at + 6 || at == udp_at + 7 || at == udp_at + 12)
		return 0xff;
	if (ipv4)
		return at == 1 || at == 8 || at == 10 || at == 11 ? 0xff : byte;
	return at == 0 ? byte | 0x0f : (at >= 1 && at <= 3) || at == 7 ? 0xff : byte;
}

/* bit by bit: an independent computation */
static uint32_t icrc_slowly(const uint8_t *frame, uint32_t captured_bytes, uint32_t frame_bytes)
{
	uint32_t crc = 0xffffffff;

	for (uint32_t i = 0; i < 8 + frame_bytes - 14 - 4; i++) {
		crc ^= i < 8 ? 0xff : masked(frame, captured_bytes, i - 8);
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		if (i == 7)
			/* the value that other implementations begin with */
			ck_assert_uint_eq(crc, 0xdebb20e3);
	}
	return ~crc;
}

TEST_GROUP(reads, 0);

/* ---- roce_frame_read ---- */

TEST(roce_frame_read__connectx_cnp)
{
	ck_assert_int_eq(
		roce_frame_read(connectx_cnp, sizeof(connectx_cnp), sizeof(connectx_cnp), &header),
		0);
	ck_assert_uint_eq(header.opcode, ROCE_OPCODE_CNP);
	ck_assert_uint_eq(header.queue_pair, 0x118);
	ck_assert_uint_eq(header.traffic_class, 6);
	ck_assert(header.ecn_capable && !header.congested && !header.ack_request);
	ck_assert_uint_eq(header.signal, ROCE_SIGNAL_NONE);
	ck_assert_uint_eq(header.psn, 0);
	ck_assert_uint_eq(header.ends.ip_version, 4);
	ck_assert_uint_eq(header.ends.source_port, 0);
	ck_assert_mem_eq(header.ends.source_mac, connectx_cnp + 6, 6);
	ck_assert_mem_eq(header.ends.destination_mac, connectx_cnp, 6);
	ck_assert_mem_eq(header.ends.source_ip, connectx_cnp + 26, 4);
	ck_assert_mem_eq(header.ends.destination_ip, connectx_cnp + 30, 4);
}

TEST(roce_frame_read__rxe_send)
{
	ck_assert_int_eq(roce_frame_read(rxe_send, sizeof(rxe_send), sizeof(rxe_send), &header), 0);
	ck_assert_uint_eq(header.opcode, 0x24);
	ck_assert_uint_eq(header.psn, 13571856);
	ck_assert_uint_eq(header.queue_pair, 211);
	ck_assert(header.ecn_capable);
	ck_assert_uint_eq(header.ends.source_port, 49152);
}

TEST_RANGE(roce_frame_read__ecn, 0, 4)
{
	uint8_t frame[sizeof(connectx_cnp)];

	memcpy(frame, connectx_cnp, sizeof(frame));
	frame[15] = (uint8_t)(0xc0 | _i);
	bytes_put16(frame + 24, (uint16_t)(0x9161 + 2 - _i));
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), 0);
	ck_assert(header.ecn_capable == (_i != 0));
	ck_assert(header.congested == (_i == 3));
}

TEST_RANGE(roce_frame_read__data, 0, 2)
{
	uint32_t captured = data_write(_i ? FRAME_ROCE_IPV6 : FRAME_ROCE);

	ck_assert_int_eq(roce_frame_read(bytes, captured, 1514, &header), 0);
	ck_assert_uint_eq(header.opcode, ROCE_OPCODE_SEND_ONLY);
	ck_assert_uint_eq(header.psn, 0x020304);
	ck_assert_uint_eq(header.traffic_class, 3);
	ck_assert(!header.ack_request);
	ck_assert_uint_eq(header.ends.ip_version, _i ? 6 : 4);
	roce_ack_request(bytes, true);
	ck_assert_int_eq(roce_frame_read(bytes, captured, 1514, &header), 0);
	ck_assert(header.ack_request);
	ck_assert_uint_eq(header.psn, 0x020304);
	roce_ack_request(bytes, false);
	ck_assert_int_eq(roce_frame_read(bytes, captured, 1514, &header), 0);
	ck_assert(!header.ack_request);
}

/* The BTH is found after a tag, IPv4 options and IPv6 extension headers; the ICRC covers them. */
TEST(roce_frame_read__after_tag_and_options)
{
	uint8_t frame[sizeof(connectx_cnp) + 4];
	uint32_t icrc;

	memcpy(frame, connectx_cnp, 12);
	bytes_put32(frame + 12, 0x8100a005);
	memcpy(frame + 16, connectx_cnp + 12, sizeof(connectx_cnp) - 12);
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), 0);
	ck_assert_uint_eq(header.queue_pair, 0x118);
	ck_assert(roce_icrc_holds(frame, sizeof(frame), sizeof(frame)));

	memcpy(frame, connectx_cnp, sizeof(connectx_cnp)); /* four bytes of options */
	memmove(frame + 38, frame + 34, sizeof(connectx_cnp) - 34);
	frame[14] = 0x46;
	bytes_put32(frame + 34, 0x01010101);
	bytes_put16(frame + 16, 64);
	bytes_put16(frame + 24, 0x9161 - 0x0100 - 4 - 2 * 0x0101);
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), 0);
	ck_assert_uint_eq(header.queue_pair, 0x118);
	ck_assert(!roce_icrc_holds(frame, sizeof(frame), sizeof(frame)));
	ck_assert_int_eq(roce_icrc(frame, sizeof(frame), sizeof(frame), &icrc), 0);
	ck_assert_uint_eq(icrc, icrc_slowly(frame, sizeof(frame), sizeof(frame)));
}

TEST(roce_frame_read__extension_headers)
{
	struct roce_reply reply = reply_of(6);
	uint32_t length = roce_ack_write(&reply, bytes);

	memmove(bytes + 62, bytes + 54, length - 54); /* destination options of eight bytes */
	memset(bytes + 54, 0, 8);
	bytes[54] = 17;
	bytes[20] = 60;
	bytes_put16(bytes + 18, (uint16_t)(length + 8 - 54));
	ck_assert_int_eq(roce_frame_read(bytes, length + 8, length + 8, &header), 0);
	ck_assert_uint_eq(header.psn, 0xfedcba);
	ck_assert(!roce_icrc_holds(bytes, length + 8, length + 8));
}

/* nothing is read beyond the captured bytes, and a frame that is cut short is rejected */
TEST(roce_frame_read__rejects_what_is_cut_short)
{
	for (uint32_t captured = 0; captured <= sizeof(connectx_cnp); captured++) {
		uint8_t *copy = malloc(captured + !captured);

		memcpy(copy, connectx_cnp, captured);
		ck_assert_int_eq(roce_frame_read(copy, captured, sizeof(connectx_cnp), &header),
				 captured < 54 ? -EINVAL : 0);
		ck_assert(roce_icrc_holds(copy, captured, sizeof(connectx_cnp)) ==
			  (captured >= 54));
		free(copy);
	}
}

/* an ACK is read with its AETH, or rejected */
TEST_RANGE(roce_frame_read__rejects_an_ack_without_aeth, 0, 2)
{
	struct roce_reply reply = reply_of(versions[_i]);
	uint32_t length = roce_ack_write(&reply, bytes);

	for (uint32_t captured = 0; captured <= length; captured++) {
		uint8_t *copy = malloc(captured + !captured);

		memcpy(copy, bytes, captured);
		ck_assert_int_eq(roce_frame_read(copy, captured, length, &header),
				 captured < length - 4 ? -EINVAL : 0);
		free(copy);
	}
}

TEST(roce_frame_read__too_short_for_its_opcode)
{
	uint8_t frame[sizeof(connectx_cnp)];

	for (uint32_t cut = 1; cut <= 16; cut++) { /* without the reserved bytes of the CNP */
		memcpy(frame, connectx_cnp, sizeof(frame));
		bytes_put16(frame + 16, (uint16_t)(60 - cut));
		bytes_put16(frame + 24, (uint16_t)(0x9161 + cut));
		bytes_put16(frame + 38, (uint16_t)(40 - cut));
		ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header),
				 -EINVAL);
		frame[42] = 4;
		ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), 0);
		frame[42] = 0x11;
		ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header),
				 cut > 12 ? -EINVAL : 0);
	}
}

TEST(roce_frame_read__rejects_other_frames)
{
	uint8_t frame[sizeof(connectx_cnp)];

	memcpy(frame, connectx_cnp, sizeof(frame));
	frame[37] ^= 1; /* UDP port */
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), -EINVAL);
	ck_assert(!roce_icrc_holds(frame, sizeof(frame), sizeof(frame)));
	memcpy(frame, connectx_cnp, sizeof(frame));
	frame[43] = 1; /* version */
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), -EINVAL);
	memcpy(frame, connectx_cnp, sizeof(frame));
	frame[24] ^= 1; /* IPv4 checksum */
	ck_assert_int_eq(roce_frame_read(frame, sizeof(frame), sizeof(frame), &header), -EINVAL);
	ck_assert_int_eq(roce_icrc(frame, sizeof(frame), sizeof(frame), &(uint32_t){ 0 }), -EINVAL);
}

/* ---- roce_ack_write, roce_cnp_write ---- */

/* field by field: a copy of a structure need not have the same padding */
static void check_ends(const struct roce_ends *ends, const struct roce_ends *expected)
{
	ck_assert_mem_eq(ends->source_mac, expected->source_mac, sizeof(ends->source_mac));
	ck_assert_mem_eq(ends->destination_mac, expected->destination_mac,
			 sizeof(ends->destination_mac));
	ck_assert_uint_eq(ends->ip_version, expected->ip_version);
	ck_assert_mem_eq(ends->source_ip, expected->source_ip, sizeof(ends->source_ip));
	ck_assert_mem_eq(ends->destination_ip, expected->destination_ip,
			 sizeof(ends->destination_ip));
	ck_assert_uint_eq(ends->source_port, expected->source_port);
}

TEST_GROUP(writes, 0);

TEST_RANGE(roce_ack_write__reads_back, 0, 2)
{
	struct roce_reply reply = reply_of(versions[_i]);
	uint32_t length;

	memset(bytes, 0xee, sizeof(bytes));
	length = roce_ack_write(&reply, bytes);
	ck_assert_uint_eq(length, versions[_i] == 4 ? 62 : 82);
	ck_assert_uint_eq(bytes[length], 0xee);
	ck_assert_uint_ge(length, FRAME_BYTES_MIN);
	ck_assert_int_eq(roce_frame_read(bytes, length, length, &header), 0);
	check_ends(&header.ends, &reply.ends);
	ck_assert_uint_eq(header.opcode, ROCE_OPCODE_ACKNOWLEDGE);
	ck_assert_uint_eq(header.traffic_class, 6);
	ck_assert(!header.ecn_capable && !header.congested);
	ck_assert_uint_eq(header.queue_pair, 0x4000d2);
	ck_assert_uint_eq(header.psn, 0xfedcba);
	ck_assert_uint_eq(header.syndrome, ROCE_SYNDROME_NAK_PSN);
	ck_assert_uint_eq(header.msn, 0xabcdef);
	ck_assert(roce_icrc_holds(bytes, length, length));
}

TEST(roce_ack_write__golden_bytes)
{
	static const uint8_t golden[] = { 0x11, 0x00, 0xff, 0xff, 0x00, 0x40, 0x00, 0xd2,
					  0x00, 0xfe, 0xdc, 0xba, 0x1f, 0xab, 0xcd, 0xef };
	struct roce_reply reply = reply_of(4);

	reply.syndrome = ROCE_SYNDROME_ACK;
	roce_ack_write(&reply, bytes);
	ck_assert_mem_eq(bytes + 42, golden, sizeof(golden));
}

TEST_RANGE(roce_cnp_write__golden_bytes, 0, 2)
{
	static const uint8_t golden[28] = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0xd2 };
	struct roce_reply reply = reply_of(versions[_i]);
	uint32_t length;

	memset(bytes, 0xee, sizeof(bytes));
	reply.queue_pair = 0xd2;
	length = roce_cnp_write(&reply, bytes);
	ck_assert_uint_eq(length, versions[_i] == 4 ? 74 : 94);
	ck_assert_uint_le(length, ROCE_REPLY_BYTES_MAX);
	ck_assert_mem_eq(bytes + length - 32, golden, sizeof(golden));
	ck_assert_uint_eq(bytes[length], 0xee);
	ck_assert(roce_icrc_holds(bytes, length, length));
}

/* RC-9: a signal is in seven bits, which the ICRC covers */
TEST_RANGE(roce_cnp_write__signal_is_under_the_icrc, 0, 2)
{
	struct roce_reply reply = reply_of(versions[_i]);
	uint32_t length, icrc[3];

	for (uint8_t signal = 0; signal < 3; signal++) {
		reply.signal = signal;
		length = roce_cnp_write(&reply, bytes);
		ck_assert_uint_eq(bytes[length - 32 + 8], signal);
		ck_assert_int_eq(roce_frame_read(bytes, length, length, &header), 0);
		ck_assert_uint_eq(header.opcode, ROCE_OPCODE_CNP);
		ck_assert_uint_eq(header.signal, signal);
		ck_assert_uint_eq(header.psn, 0);
		ck_assert(roce_icrc_holds(bytes, length, length));
		icrc[signal] = bytes_get32(bytes + length - 4);
	}
	ck_assert(icrc[0] != icrc[1] && icrc[1] != icrc[2] && icrc[0] != icrc[2]);
}

TEST_RANGE(roce_ends_reversed__twice_is_the_same, 0, 2)
{
	struct roce_ends there = versions[_i] == 4 ? ends4 : ends6,
			 back = roce_ends_reversed(&there), again;

	ck_assert_mem_eq(back.source_ip, there.destination_ip, 16);
	ck_assert_mem_eq(back.destination_ip, there.source_ip, 16);
	ck_assert_mem_eq(back.source_mac, there.destination_mac, 6);
	ck_assert_mem_eq(back.destination_mac, there.source_mac, 6);
	ck_assert_uint_eq(back.source_port, there.source_port);
	ck_assert_uint_eq(back.ip_version, there.ip_version);
	again = roce_ends_reversed(&back);
	check_ends(&again, &there);
}

TEST_GROUP(icrc, 0);

/* ---- roce_icrc ---- */

TEST(roce_icrc__holds_for_published_frames)
{
	uint32_t icrc;

	ck_assert(roce_icrc_holds(connectx_cnp, sizeof(connectx_cnp), sizeof(connectx_cnp)));
	ck_assert_int_eq(roce_icrc(connectx_cnp, sizeof(connectx_cnp), sizeof(connectx_cnp), &icrc),
			 0);
	ck_assert_uint_eq(icrc, 0x2a00fd82);
	ck_assert(roce_icrc_holds(rxe_send, sizeof(rxe_send), sizeof(rxe_send)));
	ck_assert_int_eq(roce_icrc(rxe_send, sizeof(rxe_send), sizeof(rxe_send), &icrc), 0);
	ck_assert_uint_eq(icrc, 0xf353f378);
	ck_assert_uint_eq(icrc, icrc_slowly(rxe_send, sizeof(rxe_send), sizeof(rxe_send)));
}

/* bytes that a router may change are not covered; all others are */
TEST_RANGE(roce_icrc__excludes_variant_bytes, 0, 2)
{
	static const uint8_t variant4[] = { 15, 15, 22, 24, 25, 40, 41, 46 };
	static const uint8_t variant6[] = { 14, 15, 16, 17, 21, 60, 61, 66 };
	const uint8_t *variant = versions[_i] == 4 ? variant4 : variant6;
	struct roce_reply reply = reply_of(versions[_i]);
	uint32_t length = roce_cnp_write(&reply, bytes);

	for (uint32_t at = 14; at < length; at++) {
		bool free_to_change = false, holds;

		/* the header checksum is wrong first */
		if (versions[_i] == 4 && at < 34 && at != 15 && at != 22)
			continue;
		for (uint32_t i = 0; i < sizeof(variant4); i++)
			free_to_change |= at == variant[i];
		bytes[at] ^= 0x04;
		if (versions[_i] == 4 &&
		    (at == 15 ||
		     at == 22)) /* with a checksum that fits: byte 22 counts 256 times as much */
			bytes_put16(bytes + 24,
				    (uint16_t)(bytes_get16(bytes + 24) +
					       (bytes[at] & 4 ? -4 : 4) * (at == 22 ? 256 : 1)));
		holds = roce_icrc_holds(bytes, length, length);
		ck_assert_msg(holds == free_to_change, "byte %u", at);
		length = roce_cnp_write(&reply, bytes);
	}
}

/* uncaptured payload is zeros */
TEST_RANGE(roce_icrc__uncaptured_payload_is_zeros, 0, 2)
{
	enum frame_kind kind = _i ? FRAME_ROCE_IPV6 : FRAME_ROCE;
	static const uint32_t lengths[] = { 110, 111, 1514, 4182, 9018, 16000 };

	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct frame_spec spec = {
			.kind = kind, .destination = 1, .flow = 7, .frame_bytes = lengths[i]
		};
		struct frame_payload payload = { .message_start_ps = 0x0102030405060708 };
		uint32_t captured = frame_write(&spec, &payload, bytes), shortly, whole;
		uint8_t *full = calloc(1, lengths[i]);

		memcpy(full, bytes, captured);
		ck_assert_int_eq(roce_icrc(bytes, captured, lengths[i], &shortly), 0);
		ck_assert_int_eq(roce_icrc(full, lengths[i], lengths[i], &whole), 0);
		ck_assert_uint_eq(shortly, whole);
		ck_assert_uint_eq(whole, icrc_slowly(bytes, captured, lengths[i]));
		ck_assert(roce_icrc_holds(bytes, captured, lengths[i]));
		ck_assert(!roce_icrc_holds(full, lengths[i], lengths[i]));
		whole = htole32(whole);
		memcpy(full + lengths[i] - 4, &whole, 4);
		ck_assert(roce_icrc_holds(full, lengths[i], lengths[i]));
		free(full);
	}
}

/* The captured front becomes a complete frame. The ICRC is last, at every length; a frame without
 * one is unchanged. */
TEST_RANGE(roce_complete__adds_the_icrc, 0, FRAME_KINDS)
{
	enum frame_kind kind = (enum frame_kind)_i;
	bool roce = kind == FRAME_ROCE || kind == FRAME_ROCE_IPV6;

	for (uint32_t length = frame_bytes_min(kind); length < 300; length++) {
		struct frame_spec spec = {
			.kind = kind, .destination = 1, .flow = 7, .frame_bytes = length
		};
		struct frame_payload payload = { .message_start_ps = 0x0102030405060708 };
		uint32_t captured = frame_write(&spec, &payload, bytes), behind = length;
		uint8_t *whole = malloc(length), icrc[ROCE_ICRC_BYTES];

		memset(whole, 0xee, length);
		memcpy(whole, bytes, captured);
		roce_complete(whole, captured, length);
		ck_assert_mem_eq(whole, bytes, captured);
		ck_assert(roce_icrc_holds(whole, length, length) == roce);
		ck_assert(roce_trailer(bytes, captured, length, icrc) == roce);
		if (roce) {
			behind = length - ROCE_ICRC_BYTES;
			ck_assert_mem_eq(whole + behind, icrc, sizeof(icrc));
			/* it is already there */
			ck_assert(!roce_trailer(whole, length, length, icrc));
			ck_assert(!roce_trailer(whole, behind + 1, length, icrc));
			ck_assert(roce_trailer(whole, behind, length, icrc));
		}
		for (uint32_t at = captured; at < behind; at++)
			ck_assert_uint_eq(whole[at], 0);
		free(whole);
	}
}

/* Ethernet padding follows the ICRC */
TEST(roce_icrc__ignores_padding)
{
	struct roce_reply reply = reply_of(4);
	uint32_t length = roce_ack_write(&reply, bytes);

	memset(bytes + length, 0xaa, 20);
	ck_assert(roce_icrc_holds(bytes, length + 20, length + 20));
	ck_assert(roce_icrc_holds(bytes, length, length + 20));
	bytes[length - 1] ^= 1;
	ck_assert(!roce_icrc_holds(bytes, length, length + 20));
}

/* An ACK repeats an ECN mark in the BECN bit of its BTH. Its TTL tells how many routers it has
 * passed. The ICRC covers neither. */
TEST_RANGE(roce_ack_write__becn_and_hops, 0, 2)
{
	struct roce_reply reply = { .ends = { .ip_version = _i ? 6 : 4 },
				    .syndrome = ROCE_SYNDROME_ACK,
				    .queue_pair = 0x400007 };
	uint32_t length = roce_ack_write(&reply, bytes);

	ck_assert_int_eq(roce_frame_read(bytes, length, length, &header), 0);
	ck_assert(!header.becn);
	ck_assert_uint_eq(header.hops, 0);
	reply.becn = true;
	ck_assert_uint_eq(roce_ack_write(&reply, bytes), length);
	bytes[_i ? 14 + 7 : 14 + 8] -= 3;
	if (!_i) /* the header checksum for it */
		bytes_put16(bytes + 24, (uint16_t)(bytes_get16(bytes + 24) + (3 << 8)));
	ck_assert_int_eq(roce_frame_read(bytes, length, length, &header), 0);
	ck_assert(header.becn);
	ck_assert_uint_eq(header.hops, 3);
	ck_assert_uint_eq(header.queue_pair, 0x400007);
	ck_assert(roce_icrc_holds(bytes, length, length));
}
