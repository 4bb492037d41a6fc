/*  nodes/wire/tcp_frame: the fields that change from segment to segment, ACKs, and their checksums
 *  (RC-6, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/tcp_frame.h"
#include "tests/testing.h"

static const struct frame_spec spec = { .kind = FRAME_TCP,
					.source = 300,
					.destination = 65535,
					.traffic_class = 5,
					.flow = 0x3fffff,
					.frame_bytes = 1513,
					.ecn_capable = true };
static const struct frame_payload payload = {
	.source = 300, .flow_slot = 7, .packet = 0xfedcba98, .message_start_ps = 0xf123456789abcdef
};
static const struct tcp_fields fields = { .sequence = 0x01020304,
					  .acknowledgement = 0xfffefdfc,
					  .window = 0xabcd,
					  .flags = TCP_FLAG_ACK | TCP_FLAG_CWR };
static const struct tcp_ack example = { .source = 65535,
					.destination = 300,
					.flow = 0x3fffff,
					.traffic_class = 5,
					.fields = { .sequence = 1,
						    .acknowledgement = 0x80000000,
						    .window = 64,
						    .flags = TCP_FLAG_ACK | TCP_FLAG_ECE } };

static uint8_t bytes[FRAME_HEADERS_MAX];

/* The sum of the pseudo-header and the segment, 16 bits at a time: 0xffff if the checksum is right
 * [RFC 9293, 3.1]. */
static uint32_t sum_slowly(uint32_t captured_bytes)
{
	uint32_t tcp_bytes = bytes_get16(bytes + 16) - 20u, sum = 6 + tcp_bytes;

	for (uint32_t at = 26; at < 34 + tcp_bytes; at += 2)
		sum += at < captured_bytes ? bytes_get16(bytes + at) : 0;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void fields_expect(const struct tcp_fields *got, const struct tcp_fields *expected)
{
	ck_assert_uint_eq(got->sequence, expected->sequence);
	ck_assert_uint_eq(got->acknowledgement, expected->acknowledgement);
	ck_assert_uint_eq(got->window, expected->window);
	ck_assert_uint_eq(got->flags, expected->flags);
}

TEST(tcp_fields_write__layout)
{
	static const uint8_t golden[] = { 0xff, 0xff, 0x48, 0xff, 0x01, 0x02, 0x03, 0x04,
					  0xff, 0xfe, 0xfd, 0xfc, 0x50, 0x90, 0xab, 0xcd };
	struct tcp_fields got;

	frame_write(&spec, &payload, bytes);
	tcp_fields_write(&fields, bytes);
	ck_assert_mem_eq(bytes + 34, golden, sizeof(golden));
	ck_assert_mem_eq(bytes + 52, ((const uint8_t[]){ 0, 0 }), 2);
	got = tcp_fields_read(bytes);
	fields_expect(&got, &fields);
}

/* after every function that writes, for every length */
TEST(tcp_checksum_write__is_right_for_every_length)
{
	struct frame_payload other = payload;
	struct frame_spec changed = spec;

	for (uint32_t i = 0; i < 300; i++) {
		changed.frame_bytes = frame_bytes_min(FRAME_TCP) + i * 5;
		frame_write(&changed, &other, bytes);
		ck_assert_uint_eq(sum_slowly(82), 0xffff);
		other.packet += 0x1234567;
		frame_payload_write(FRAME_TCP, &other, bytes);
		ck_assert_uint_eq(sum_slowly(82), 0xffff);
		tcp_fields_write(&(struct tcp_fields){ i * 0x01fedcba, i * 0x10101, (uint16_t)i,
						       (uint8_t)i },
				 bytes);
		ck_assert_uint_eq(sum_slowly(82), 0xffff);
		ck_assert(ecn_mark(bytes, 82));
		ck_assert_uint_eq(sum_slowly(82), 0xffff);
	}
}

/* the transport's fields stay when the payload changes */
TEST(tcp_fields_read__survive_a_new_payload)
{
	struct frame_payload read;
	struct tcp_fields got;

	frame_write(&spec, &payload, bytes);
	got = tcp_fields_read(bytes);
	fields_expect(&got, &(struct tcp_fields){ 0, 0, 65535, TCP_FLAG_ACK });
	tcp_fields_write(&fields, bytes);
	frame_payload_write(FRAME_TCP, &payload, bytes);
	got = tcp_fields_read(bytes);
	fields_expect(&got, &fields);
	ck_assert_int_eq(frame_payload_read(bytes, 82, 1513, &read), 0);
	ck_assert_uint_eq(read.packet, payload.packet);
}

TEST(tcp_ack_read__reads_what_was_written)
{
	static const uint32_t flows[] = { 0, 1, 0x3fff, 0x4000, 0x3fffff };
	struct tcp_ack ack = example, got;
	struct frame_fields parsed;

	for (uint32_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		ack.flow = flows[i];
		memset(bytes, 0xee, sizeof(bytes));
		ck_assert_uint_eq(tcp_ack_write(&ack, bytes), FRAME_BYTES_MIN);
		ck_assert_uint_eq(bytes[FRAME_BYTES_MIN], 0xee);
		ck_assert_uint_eq(sum_slowly(54), 0xffff);
		ck_assert_int_eq(frame_parse(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN, &parsed), 0);
		ck_assert_uint_eq(parsed.priority, 5);
		ck_assert_uint_eq(ecn_read(bytes, FRAME_BYTES_MIN), 0);
		ck_assert_int_eq(tcp_ack_read(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN, &got), 0);
		ck_assert_uint_eq(got.source, ack.source);
		ck_assert_uint_eq(got.destination, ack.destination);
		ck_assert_uint_eq(got.flow, ack.flow);
		ck_assert_uint_eq(got.traffic_class, 5);
		fields_expect(&got.fields, &ack.fields);
	}
}

/* the addresses and ports of an ACK are those of its data, reversed */
TEST(tcp_ack_write__answers_data)
{
	struct frame_fields data, answer;

	frame_write(&spec, &payload, bytes);
	ck_assert_int_eq(frame_parse(bytes, 82, 1513, &data), 0);
	tcp_ack_write(&example, bytes);
	ck_assert_int_eq(frame_parse(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN, &answer), 0);
	ck_assert_mem_eq(data.source_mac, answer.destination_mac, 6);
	ck_assert_mem_eq(data.destination_mac, answer.source_mac, 6);
	ck_assert_mem_eq(data.source_ip, answer.destination_ip, 4);
	ck_assert_mem_eq(data.destination_ip, answer.source_ip, 4);
	ck_assert_uint_eq(data.source_port, answer.destination_port);
	ck_assert_uint_eq(data.destination_port, answer.source_port);
}

TEST(tcp_ack_read__rejects_what_is_cut_short)
{
	struct tcp_ack got;

	tcp_ack_write(&example, bytes);
	for (uint32_t captured = 0; captured <= FRAME_BYTES_MIN; captured++) {
		uint8_t *copy = malloc(captured + !captured);

		memcpy(copy, bytes, captured);
		ck_assert_int_eq(tcp_ack_read(copy, captured, FRAME_BYTES_MIN, &got),
				 captured < 54 ? -EINVAL : 0);
		free(copy);
	}
	ck_assert_int_eq(tcp_ack_read(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN - 1, &got), -EINVAL);
	ck_assert_int_eq(tcp_ack_read(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN + 1, &got), -EINVAL);
}

/* one wrong byte each: MACs of no host, EtherType, IP header, ports, options, no ACK flag */
TEST_RANGE(tcp_ack_read__rejects, 0, 13)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} cases[] = { { 0, 0x03 },  { 3, 0x02 },  { 6, 0x03 },  { 9, 0x02 },  { 12, 0x86 },
		      { 14, 0x46 }, { 17, 41 },   { 20, 0x20 }, { 23, 0x11 }, { 34, 0x49 },
		      { 36, 0xbf }, { 46, 0x60 }, { 47, 0x40 } };
	struct tcp_ack got;

	tcp_ack_write(&example, bytes);
	bytes[cases[_i].at] = cases[_i].value;
	ck_assert_int_eq(tcp_ack_read(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN, &got), -EINVAL);
}

/* data is no ACK, and an ACK is no data */
TEST(tcp_ack_read__rejects_data)
{
	struct frame_payload read;
	struct frame_spec shortest = spec;
	struct tcp_ack got;

	shortest.frame_bytes = frame_bytes_min(FRAME_TCP);
	frame_write(&shortest, &payload, bytes);
	ck_assert_int_eq(tcp_ack_read(bytes, 82, 82, &got), -EINVAL);
	tcp_ack_write(&example, bytes);
	ck_assert_int_eq(frame_payload_read(bytes, FRAME_BYTES_MIN, FRAME_BYTES_MIN, &read),
			 -EINVAL);
}
