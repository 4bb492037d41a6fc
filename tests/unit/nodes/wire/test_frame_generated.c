/*  nodes/wire/frame: the generated frames of all kinds (FC-21, RC-1, RC-4, TB-2).
 *  tests/system/test_wire_tshark.sh has an independent decoder check the same frames. */
#include "tests/unit/nodes/wire/frame_fields_expect.h"

/* ---- generated frames ---- */

TEST_GROUP(generated, .setup = setup);

/* TB-2: two cache lines have 128 bytes: 26 of envelope and fabric header, 32 of record header, the
 * rest for the frame */
TEST(frame_headers_bytes__fit_their_cache_lines)
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

/* RC-4: messages of every length, at every path MTU. All packets but the last carry exactly the
 * path MTU; all are padded to multiples of four, and their headers say by how much; the lengths add
 * up. */
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

/* RC-1: only a frame with ECT may be marked */
TEST_RANGE(frame_write__only_capable_ip_frames_have_ect, 0, FRAME_KINDS)
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

/* Every byte of the headers is written, so a template needs no zeroed memory. */
TEST_RANGE(frame_write__writes_all_bytes, 0, FRAME_KINDS)
{
	struct frame_spec spec = spec_of((enum frame_kind)_i);
	uint8_t other[FRAME_HEADERS_MAX];

	memset(other, 0xff, sizeof(other));
	write_full(spec.kind);
	frame_write(&spec, &full, other);
	ck_assert_mem_eq(bytes, other, frame_headers_bytes(spec.kind));
	ck_assert_uint_eq(other[frame_headers_bytes(spec.kind)], 0xff);
}

/* Flows of a host pair differ in their headers, unless frames are plain Ethernet. */
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

TEST_RANGE(frame_payload_read__rejects, 0, FRAME_KINDS)
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
	bytes[8] ^= 0x80; /* MAC of no host */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
	bytes[8] ^= 0x80;
	memset(bytes + 9, 0, 3); /* host number 0 */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
	write_full(kind);
	bytes[13] ^= 0x40; /* EtherType or TPID */
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), -EINVAL);
}

/* real traffic of a host of the fabric is not mistaken for generated frames: each field that tells
 * them apart does so alone */
static const struct other_field {
	enum frame_kind kind;
	uint32_t at;
	uint8_t bits;
	const char *what;
} other_field[] = {
	{ FRAME_IPV4, 14, 0x01, "length of the IPv4 header" },
	{ FRAME_IPV4, 17, 0x01, "IPv4 length" },
	{ FRAME_IPV4, 20, 0x20, "fragment" },
	{ FRAME_IPV4, 23, 0x80, "protocol" },
	{ FRAME_IPV4, 36, 0x10, "destination port" },
	{ FRAME_IPV4, 39, 0x01, "UDP length" },
	{ FRAME_IPV6, 14, 0x20, "IP version" },
	{ FRAME_IPV6, 19, 0x01, "IPv6 length" },
	{ FRAME_IPV6, 20, 0x80, "next header" },
	{ FRAME_IPV6, 56, 0x10, "destination port" },
	{ FRAME_IPV6, 59, 0x01, "UDP length" },
	{ FRAME_ROCE, 37, 0x01, "destination port" },
	{ FRAME_ROCE, 47, 0x80, "queue pair" },
	{ FRAME_ROCE_IPV6, 57, 0x01, "destination port" },
	{ FRAME_ROCE_IPV6, 67, 0x80, "queue pair" },
	{ FRAME_TCP, 36, 0x10, "destination port" },
	{ FRAME_TCP, 46, 0x10, "options" },
	{ FRAME_HPC, 14, 0x01, "subtype" },
};

TEST_RANGE(frame_payload_read__rejects_other_traffic, 0, (int)COUNT_OF(other_field))
{
	const struct other_field *field = &other_field[_i];
	uint32_t captured = frame_headers_bytes(field->kind);
	struct frame_payload payload;

	write_full(field->kind);
	ck_assert_int_eq(frame_payload_read(bytes, captured, 1514, &payload), 0);
	bytes[field->at] ^= field->bits;
	ck_assert_msg(frame_payload_read(bytes, captured, 1514, &payload) == -EINVAL, "%s",
		      field->what);
	bytes[field->at] ^= field->bits;
	if (field->kind != FRAME_HPC) /* whose headers have no length */
		ck_assert_int_eq(frame_payload_read(bytes, captured, 1513, &payload), -EINVAL);
}

TEST(frame_payload_read__rejects_more_than_its_message)
{
	struct frame_payload payload = full;

	payload.message_bytes = 1399;
	write_full(FRAME_HPC);
	frame_payload_write(FRAME_HPC, &payload, bytes);
	ck_assert_int_eq(frame_payload_read(bytes, 58, 1514, &payload), -EINVAL);
}

/* a sender's fast path gives the same frame as frame_write() */
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
