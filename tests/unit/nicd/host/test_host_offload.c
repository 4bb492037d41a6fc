/*  nicd/host/host_offload: cutting super-frames and merging segments (TB-15).
 *
 *  Results are compared with a plain RFC 1071 sum over whole frames, and with the original
 *  super-frame: what is cut and merged again is unchanged. */
#include "nicd/host/host_offload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "tests/testing.h"
#include "tests/unit/nicd/host/plain_sum.h"

#define GSO_UDP_L4 5
#define PAYLOAD_AT(ipv4, l4) (14u + ((ipv4) ? 20u : 40u) + (l4))
#define OPTIONS_BYTES 12u

static uint8_t super[70000], cut_frames[64][9300], merged[70000];

/* ---- frames ---- */

static uint16_t plain_pseudo(const uint8_t *ip, bool ipv4, uint32_t l4_bytes)
{
	return ipv4 ? plain_sum(ip + 12, 8, ip[9] + l4_bytes)
		    : plain_sum(ip + 8, 32, ip[6] + l4_bytes);
}

/* A frame of TCP (with a timestamp option) or UDP as a kernel sends it: only the sum of the
 * pseudo-header is in its checksum. */
static uint32_t super_write(bool ipv4, bool udp, uint32_t payload_bytes, uint32_t gso_size,
			    struct virtio_net_hdr *header)
{
	uint32_t l4_at = PAYLOAD_AT(ipv4, 0), l4_header = udp ? 8 : 20 + OPTIONS_BYTES;
	uint32_t l4_bytes = l4_header + payload_bytes;
	uint8_t *ip = super + 14, *l4 = super + l4_at;

	memset(super, 0, sizeof(super));
	memcpy(super, "\x02\x48\x00\x00\x00\x02\x02\x48\x00\x00\x00\x01", 12);
	bytes_put16(super + 12, ipv4 ? 0x0800 : 0x86dd);
	if (ipv4) {
		bytes_put32(ip, 0x45020000u | (20 + l4_bytes));
		bytes_put32(ip + 4, 0xfffe4000u); /* the identification wraps */
		bytes_put32(ip + 8, 0x40000000u | (udp ? 17u : 6u) << 16);
		bytes_put32(ip + 12, 0x0a000001);
		bytes_put32(ip + 16, 0x0a000002);
		bytes_put16(ip + 10, (uint16_t)~plain_sum(ip, 20, 0));
	} else {
		bytes_put32(ip, 0x60212345);
		bytes_put16(ip + 4, (uint16_t)l4_bytes);
		ip[6] = udp ? 17 : 6;
		ip[7] = 64;
		ip[8] = ip[24] = 0xfd;
		ip[23] = 1;
		ip[39] = 2;
	}
	bytes_put32(l4, 40000u << 16 | 5001);
	if (udp) {
		bytes_put16(l4 + 4, (uint16_t)l4_bytes);
	} else {
		bytes_put32(l4 + 4, 0xfffff000u); /* the sequence too */
		bytes_put32(l4 + 8, 77);
		bytes_put32(l4 + 12, 0x80180200u); /* 8 words, ACK and PSH */
		bytes_put32(l4 + 20, 0x0101080au);
		bytes_put32(l4 + 24, 123456);
	}
	for (uint32_t i = 0; i < payload_bytes; i++)
		l4[l4_header + i] = (uint8_t)(i * 31 + i / 251);
	bytes_put16(l4 + (udp ? 6 : 16), plain_pseudo(ip, ipv4, l4_bytes));
	*header = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = !gso_size ? VIRTIO_NET_HDR_GSO_NONE
			    : udp     ? GSO_UDP_L4
			    : ipv4    ? VIRTIO_NET_HDR_GSO_TCPV4
				      : VIRTIO_NET_HDR_GSO_TCPV6,
		.hdr_len = (uint16_t)(l4_at + l4_header),
		.gso_size = (uint16_t)gso_size,
		.csum_start = (uint16_t)l4_at,
		.csum_offset = udp ? 6 : 16,
	};
	return l4_at + l4_bytes;
}

static uint32_t ip_bytes_of(const uint8_t *frame, bool ipv4)
{
	return ipv4 ? bytes_get16(frame + 16) : 40u + bytes_get16(frame + 18);
}

static void check_sums(const uint8_t *frame, bool ipv4)
{
	uint32_t l4_at = PAYLOAD_AT(ipv4, 0), l4_bytes = 14 + ip_bytes_of(frame, ipv4) - l4_at;

	if (ipv4)
		ck_assert_uint_eq(plain_sum(frame + 14, 20, 0), 0xffff);
	ck_assert_uint_eq(
		plain_sum(frame + l4_at, l4_bytes, plain_pseudo(frame + 14, ipv4, l4_bytes)),
		0xffff);
}

static uint32_t cut_all(const struct virtio_net_hdr *header, uint32_t super_bytes, uint32_t *bytes)
{
	struct host_cut cut;
	uint32_t count = 0;

	ck_assert_int_eq(host_cut_init(&cut, header, super, super_bytes), 0);
	while ((bytes[count] = host_cut_bytes(&cut))) {
		memset(cut_frames[count], 0xee, bytes[count] + 1);
		host_cut_write(&cut, cut_frames[count]);
		ck_assert_uint_eq(cut_frames[count][bytes[count]], 0xee);
		count++;
	}
	return count;
}

/* ---- cutting ---- */

/* TB-15: every segment is a complete, standard frame; together they are the super-frame; _i: IPv4
 * or not, 64 KiB */
TEST_RANGE(host_cut__tcp_segments_are_standard_frames, 0, 8)
{
	bool ipv4 = _i & 1;
	uint32_t gso_size = _i & 2 ? 1448 : 1001, payload_at = PAYLOAD_AT(ipv4, 20 + OPTIONS_BYTES);
	uint32_t payload_bytes = _i & 4 ? 40000 : 10 * gso_size, bytes[65], got = 0;
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(ipv4, false, payload_bytes, gso_size, &header), count;

	super[PAYLOAD_AT(ipv4, 13)] |= 0x81; /* CWR and FIN */
	header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
	count = cut_all(&header, super_bytes, bytes);
	ck_assert_uint_eq(count, (payload_bytes + gso_size - 1) / gso_size);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *tcp = cut_frames[i] + PAYLOAD_AT(ipv4, 0);
		uint32_t part = bytes[i] - payload_at;

		ck_assert_uint_eq(14 + ip_bytes_of(cut_frames[i], ipv4), bytes[i]);
		check_sums(cut_frames[i], ipv4);
		ck_assert_uint_eq(bytes_get32(tcp + 4), 0xfffff000u + got);
		ck_assert_uint_eq(tcp[13], 0x10 | (i ? 0 : 0x80) | (i == count - 1 ? 0x09 : 0));
		if (ipv4)
			ck_assert_uint_eq(bytes_get16(cut_frames[i] + 18), (0xfffe + i) & 0xffff);
		ck_assert_mem_eq(cut_frames[i] + payload_at, super + payload_at + got, part);
		got += part;
	}
	ck_assert_uint_eq(got, payload_bytes);
}

TEST_RANGE(host_cut__udp_segments_are_standard_frames, 0, 2)
{
	bool ipv4 = _i;
	uint32_t bytes[65], payload_at = PAYLOAD_AT(ipv4, 8);
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(ipv4, true, 3 * 1200 + 7, 1200, &header);

	ck_assert_uint_eq(cut_all(&header, super_bytes, bytes), 4);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t part = i < 3 ? 1200 : 7;

		check_sums(cut_frames[i], ipv4);
		ck_assert_uint_eq(bytes_get16(cut_frames[i] + payload_at - 4), 8 + part);
		ck_assert_mem_eq(cut_frames[i] + payload_at, super + payload_at + 1200 * i, part);
	}
}

/* a frame that is short enough: only its checksum is completed, and it is padded as a NIC does */
TEST(host_cut__short_frame_gets_its_checksum)
{
	uint32_t bytes[65];
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(true, true, 3, 0, &header);

	ck_assert_uint_eq(cut_all(&header, super_bytes, bytes), 1);
	ck_assert_uint_eq(bytes[0], 60);
	check_sums(cut_frames[0], true);
	for (uint32_t i = super_bytes; i < 60; i++)
		ck_assert_uint_eq(cut_frames[0][i], 0);
	header.flags = 0; /* nothing to do: every bit is unchanged */
	super_bytes = super_write(false, true, 500, 0, &header);
	header.flags = 0;
	ck_assert_uint_eq(cut_all(&header, super_bytes, bytes), 1);
	ck_assert_mem_eq(cut_frames[0], super, super_bytes);
}

/* RFC 768: a UDP checksum of 0 is written as 0xffff */
TEST(host_cut__udp_checksum_zero)
{
	uint32_t bytes[65];
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(true, true, 2, 0, &header);
	uint16_t sum;

	memset(super + 42, 0, 2);
	sum = plain_sum(super + 34, 10, 0);
	bytes_put16(super + 42, (uint16_t)~sum);
	cut_all(&header, super_bytes, bytes);
	ck_assert_uint_eq(bytes_get16(cut_frames[0] + 40), 0xffff);
}

/* _i + 1 tags: one of 802.1Q, and outside of it one of 802.1ad */
TEST_RANGE(host_cut__keeps_the_tags, 0, 2)
{
	static const uint32_t tags[] = { 0x8100a007u, 0x88a80064u };
	uint32_t bytes[65], tags_bytes = 4 * ((uint32_t)_i + 1);
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(true, false, 5000, 1400, &header) + tags_bytes;

	memmove(super + 12 + tags_bytes, super + 12, super_bytes - 12 - tags_bytes);
	for (uint32_t i = 0; i < tags_bytes; i += 4)
		bytes_put32(super + 8 + tags_bytes - i, tags[i / 4]);
	header.csum_start = (uint16_t)(header.csum_start + tags_bytes);
	ck_assert_uint_eq(cut_all(&header, super_bytes, bytes), 4);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_mem_eq(cut_frames[i] + 12, super + 12, tags_bytes);
		memmove(cut_frames[i] + 12, cut_frames[i] + 12 + tags_bytes,
			bytes[i] - 12 - tags_bytes);
		check_sums(cut_frames[i], true);
	}
}

static int cut_error(const struct virtio_net_hdr *header, uint32_t super_bytes)
{
	struct host_cut cut;

	return host_cut_init(&cut, header, super, super_bytes);
}

/* The IP header must be what the virtio header says of it: version, length, next header. After
 * extension headers of IPv6, which are not read, TCP may follow. */
TEST(host_cut__ip_header_agrees)
{
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(true, false, 5000, 1400, &header);

	super[14] = 0x55; /* version 5 */
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	super[14] = 0x46; /* with an option, which is not there */
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	super[14] = 0x45;
	ck_assert_int_eq(cut_error(&header, super_bytes), 0);
	super[23] = 17;
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	super_bytes = super_write(false, false, 5000, 1400, &header);
	ck_assert_int_eq(cut_error(&header, super_bytes), 0);
	super[14] = 0x50;
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	super[14] = 0x60;
	super[20] = 0; /* hop-by-hop options, but TCP begins where they would */
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	memmove(super + 62, super + 54, super_bytes - 54);
	memset(super + 54, 0, 8);
	super[54] = 6;
	header.csum_start += 8;
	ck_assert_int_eq(cut_error(&header, super_bytes + 8), 0);
	super_bytes = super_write(false, false, 5000, 1400, &header);
	super[14 + 39 - 8 + 12] = super[66]; /* the data offset, if TCP began 8 bytes before */
	header.csum_start -= 8;
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
}

/* the header of TCP or UDP: its length says at least what is always there, and it is in the frame
 */
TEST(host_cut__l4_header_fits)
{
	struct virtio_net_hdr header;
	uint32_t super_bytes = super_write(true, false, 5000, 1400, &header);
	struct host_cut cut;

	super[46] = 0x40; /* 16 bytes */
	ck_assert_int_eq(cut_error(&header, super_bytes), -EINVAL);
	super[46] = 0x50;
	ck_assert_int_eq(host_cut_init(&cut, &header, super, super_bytes), 0);
	ck_assert_uint_eq(cut.headers_bytes, 54);
	ck_assert_uint_eq(cut.segment_bytes, 1400);
	ck_assert_int_eq(cut_error(&header, 54), 0); /* and no payload */
	ck_assert_int_eq(cut_error(&header, 53), -EINVAL);
	super[46] = 0x60;
	ck_assert_int_eq(cut_error(&header, 57), -EINVAL);
	ck_assert_int_eq(cut_error(&header, 58), 0);
	super_bytes = super_write(true, true, 5000, 1400, &header);
	ck_assert_int_eq(cut_error(&header, 42), 0);
	ck_assert_int_eq(cut_error(&header, 41), -EINVAL);
	/* a UDP or TCP packet has a length of 16 bits */
	header.csum_start = 34;
	ck_assert_int_eq(cut_error(&header, 34 + 65535), 0);
	ck_assert_int_eq(cut_error(&header, 34 + 65536), -EINVAL);
}

/* the place of a checksum is in the frame, after the addresses */
TEST(host_cut__checksum_is_in_the_frame)
{
	struct virtio_net_hdr header;

	super_write(true, true, 500, 0, &header);
	ck_assert_int_eq(cut_error(&header, 13), -EINVAL);
	ck_assert_int_eq(cut_error(&header, 42), 0);
	ck_assert_int_eq(cut_error(&header, 41), -EINVAL);
	header.csum_start = 14;
	ck_assert_int_eq(cut_error(&header, 42), 0);
	header.csum_start = 13;
	ck_assert_int_eq(cut_error(&header, 42), -EINVAL);
	header.flags = 0;
	ck_assert_int_eq(cut_error(&header, 14), 0);
}

/* SCTP: a CRC32c over the packet with 0 in the field, the lowest byte first [RFC 9260, 6.8]; the
 * value is that of another implementation, which gives e3069283 for "123456789" */
TEST(host_cut__crc_of_sctp)
{
	uint8_t frame[14 + 20 + 16] = { 0 }, out[200];
	struct virtio_net_hdr header = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
					 .csum_start = 14 + 20,
					 .csum_offset = 8 };
	struct host_cut cut;
	uint8_t *sctp = frame + 14 + 20;

	frame[12] = 8;
	frame[14] = 0x45;
	frame[14 + 9] = 132;
	for (uint8_t i = 0; i < 16; i++)
		sctp[i] = i; /* what stands in the field does not count */
	ck_assert_int_eq(host_cut_init(&cut, &header, frame, sizeof(frame)), 0);
	ck_assert_uint_eq(host_cut_bytes(&cut), 60);
	host_cut_write(&cut, out);
	ck_assert_uint_eq(host_cut_bytes(&cut), 0);
	ck_assert_mem_eq(out, frame, 14 + 20 + 8);
	ck_assert_mem_eq(out + 14 + 20 + 8, ((uint8_t[]){ 0x13, 0xde, 0x02, 0x8b }), 4);
	ck_assert_mem_eq(out + 14 + 20 + 12, sctp + 12, 4);
}

/* TB-23: whatever the header says of a frame, nothing outside it is read or written */
TEST(host_cut__malformed_is_rejected)
{
	struct virtio_net_hdr header, good;
	uint32_t super_bytes = super_write(true, false, 5000, 1400, &good), refused = 0;
	struct host_cut cut;

	header = good;
	header.gso_size = 0;
	ck_assert_int_eq(host_cut_init(&cut, &header, super, super_bytes), -EINVAL);
	header = good;
	header.flags = 0;
	ck_assert_int_eq(host_cut_init(&cut, &header, super, super_bytes), -EINVAL);
	header = good;
	header.gso_type = VIRTIO_NET_HDR_GSO_TCPV6;
	ck_assert_int_eq(host_cut_init(&cut, &header, super, super_bytes), -EINVAL);
	header = good;
	header.csum_start = (uint16_t)(super_bytes - 10);
	header.csum_offset = 8; /* SCTP, whose checksum has four bytes */
	header.gso_type = VIRTIO_NET_HDR_GSO_NONE;
	ck_assert_int_eq(host_cut_init(&cut, &header, super, super_bytes), -EINVAL);
	srand(1);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t length = (uint32_t)rand() % 80, frame_bytes;
		uint8_t *exact = malloc(length + 1), out[200];

		memcpy(exact, super, length);
		header = good;
		header.gso_size = 30;
		((uint8_t *)&header)[(uint32_t)rand() % sizeof(header)] = (uint8_t)rand();
		if (length)
			exact[(uint32_t)rand() % length] = (uint8_t)rand();
		exact = realloc(exact, length ? length : 1);
		if (host_cut_init(&cut, &header, exact, length))
			refused++;
		else
			while ((frame_bytes = host_cut_bytes(&cut))) {
				ck_assert_uint_le(frame_bytes, sizeof(out));
				host_cut_write(&cut, out);
			}
		free(exact);
	}
	ck_assert_uint_gt(refused, 5000);
	ck_assert_uint_lt(refused, 20000);
}

/* ---- merging ---- */

static uint32_t merge_all(uint32_t count, const uint32_t *bytes, struct host_merge *merge,
			  uint8_t *first)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct host_segment segment;

		ck_assert_int_eq(host_segment_read(cut_frames[i], bytes[i], &segment),
				 HOST_SEGMENT_TCP);
		if (!i) {
			host_merge_start(merge, &segment);
			memcpy(first, cut_frames[0], bytes[0]);
			at = bytes[0];
			continue;
		}
		if (!host_merge_add(merge, first, cut_frames[i], &segment))
			return at;
		memcpy(first + at, cut_frames[i] + segment.headers_bytes, segment.payload_bytes);
		at += segment.payload_bytes;
	}
	return at;
}

TEST_RANGE(host_merge__restores_what_was_cut, 0, 4)
{
	bool ipv4 = _i & 1;
	uint32_t bytes[65], super_bytes, count;
	struct virtio_net_hdr header, again;
	struct host_merge merge;

	super_bytes = super_write(ipv4, false, _i & 2 ? 45 * 1448 : 20000, 1448, &header);
	if (super_bytes > HOST_SUPER_BYTES_MAX)
		super_bytes = super_write(ipv4, false, 45 * 1448 - 100, 1448, &header);
	count = cut_all(&header, super_bytes, bytes);
	ck_assert_uint_eq(merge_all(count, bytes, &merge, merged), super_bytes);
	ck_assert(!merge.open); /* PSH */
	for (uint32_t twice = 0; twice < 2; twice++) {
		host_merge_finish(&merge, merged, &again);
		ck_assert_mem_eq(&again, &header, sizeof(header));
		ck_assert_mem_eq(merged, super, super_bytes);
	}
}

static void resum(uint8_t *frame)
{
	uint32_t l4_bytes = bytes_get16(frame + 16) - 20u;

	bytes_put16(frame + 24, 0);
	bytes_put16(frame + 24, (uint16_t)~plain_sum(frame + 14, 20, 0));
	bytes_put16(frame + 50, 0);
	bytes_put16(frame + 50, (uint16_t)~plain_sum(frame + 34, l4_bytes,
						     plain_pseudo(frame + 14, true, l4_bytes)));
}

/* A segment that differs from the previous one in anything but the sequence is not merged. Nor is
 * one with a wrong checksum. */
TEST(host_merge__rejects_what_differs)
{
	/* MAC, TOS, identification, DF, TTL, address, port, sequence, acknowledgement, RST, CWR,
	 * window, urgent, option */
	static const uint8_t at[] = { 5, 15, 19, 20, 22, 29, 35, 41, 45, 47, 47, 49, 53, 58 };
	static const uint8_t change[] = { 1, 1, 1, 0x40, 1, 1, 1, 1, 1, 0x04, 0x80, 1, 1, 1 };
	uint32_t bytes[65];
	struct virtio_net_hdr header;
	struct host_merge merge;

	for (uint32_t i = 0; i <= sizeof(at) + 1; i++) {
		uint32_t super_bytes = super_write(true, false, 3000, 1400, &header), good;

		cut_all(&header, super_bytes, bytes);
		good = merge_all(2, bytes, &merge, merged);
		ck_assert_uint_gt(good, bytes[0]);
		if (i < sizeof(at)) {
			cut_frames[1][at[i]] ^= change[i];
			resum(cut_frames[1]);
		} else {
			/* a wrong checksum: of TCP, then of the IPv4 header only */
			cut_frames[1][i == sizeof(at) ? 900 : 24] ^= 1;
		}
		ck_assert_uint_eq(merge_all(2, bytes, &merge, merged), bytes[0]);
		host_merge_finish(&merge, merged, &header);
		ck_assert_uint_eq(header.gso_type, VIRTIO_NET_HDR_GSO_NONE);
		ck_assert_uint_eq(header.flags, 0);
		ck_assert_mem_eq(merged, cut_frames[0], bytes[0]);
	}
}

TEST_RANGE(host_segment_read__kinds, 0, 2)
{
	struct virtio_net_hdr header;
	struct host_segment segment;
	uint32_t super_bytes = super_write(true, false, 100, 0, &header);

	ck_assert_int_eq(host_segment_read(super, super_bytes, &segment), HOST_SEGMENT_TCP);
	ck_assert(!segment.mergeable); /* only the sum of the pseudo-header is in the checksum */
	super[20] |= 0x20;             /* more fragments */
	ck_assert_int_eq(host_segment_read(super, super_bytes, &segment), HOST_SEGMENT_ODD);
	super_bytes = super_write(true, true, 100, 0, &header);
	ck_assert_int_eq(host_segment_read(super, super_bytes, &segment), HOST_SEGMENT_OTHER);
	super_bytes = super_write(false, false, 100, 0, &header);
	super[20] = 44; /* a fragment header: the rest is unknown */
	ck_assert_int_eq(host_segment_read(super, super_bytes, &segment), HOST_SEGMENT_ODD);
	for (uint32_t length = 0; length < 90; length++) {
		uint8_t *exact = malloc(length ? length : 1);

		super_write(_i, false, 1000, 0, &header);
		memcpy(exact, super, length);
		host_segment_read(exact, length, &segment);
		free(exact);
	}
}
