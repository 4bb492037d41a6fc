/*  nodes/link/link_trace: what an arriving frame or credit word leaves in the trace, when its first
 *  bit left, and that nothing does without `packets` (SE-5). */
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/stats/trace.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/address.h"
#include "nodes/wire/becn_frame.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/roce_frame.h"
#include "tests/unit/nodes/link/link_ends.h"

#define SOURCE 3u
#define DESTINATION 5u
#define FRAME 1000u /* bytes without FCS */

static int file;

static void traced(enum fabric_kind fabric, bool packets)
{
	config.fabric = fabric;
	config.packets = packets;
	ends_reopen();
	trace_file(b.stats, file);
}

static void trace_setup(void)
{
	setup();
	file = memfd_create("events", 0);
	traced(FABRIC_ROCE, true);
}

static void trace_teardown(void)
{
	ends_close();
	close(file);
}

/* @bytes, all that is captured of a frame of @kind, arrive at b at @at */
static void frame_arrives(enum record_kind kind, const uint8_t *bytes, uint32_t captured_bytes,
			  uint32_t wire_bytes, node_time_t *at)
{
	struct record *record = ring_reserve(&a.link.tx.ring, captured_bytes), header;

	ck_assert_ptr_nonnull(record);
	*record = (struct record){ .at_ps = *at = a.link.tx.last_at_ps += NODE_US,
				   .wire_bytes = wire_bytes,
				   .captured_bytes = captured_bytes,
				   .sequence = a.link.tx.sequence++,
				   .kind = kind };
	memcpy(record_captured(record), bytes, captured_bytes);
	ring_commit(&a.link.tx.ring, captured_bytes);
	ring_publish(&a.link.tx.ring);
	receive(&b, &header, at);
}

static void packet_arrives(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
			   node_time_t *at)
{
	frame_arrives(RECORD_PACKET, bytes, captured_bytes,
		      frame_bytes + b.link.front_bytes + FRAME_FCS_BYTES, at);
}

/* a generated frame of @kind, packet 17 of its flow.  Return: captured bytes */
static uint32_t generated(enum frame_kind kind, uint8_t *bytes)
{
	const struct frame_spec spec = {
		.kind = kind, .source = SOURCE, .destination = DESTINATION, .frame_bytes = FRAME
	};
	const struct frame_payload payload = {
		.source = SOURCE, .packet = 17, .message_bytes = 100, .payload_bytes = 100
	};

	return frame_write(&spec, &payload, bytes);
}

static const struct trace_entry *last(uint64_t count)
{
	ck_assert_uint_eq(b.stats->trace.count, count);
	return stats_trace(b.stats, count - 1);
}

static void check_entry(const struct trace_entry *entry, enum trace_kind kind, uint32_t detail,
			node_time_t at)
{
	ck_assert_uint_eq(entry->kind, kind);
	ck_assert_uint_eq(entry->detail, detail);
	ck_assert_uint_eq(entry->at_ps, at);
	ck_assert_uint_eq(entry->port, 0);
}

TEST_GROUP(trace, .setup = trace_setup, .teardown = trace_teardown);

TEST(link_trace_frame__every_generated_kind)
{
	uint8_t bytes[RING_CAPTURED_MAX];
	uint64_t count = 0;
	node_time_t at;

	for (enum frame_kind kind = 0; kind < FRAME_KINDS; kind++) {
		packet_arrives(bytes, generated(kind, bytes), FRAME, &at);
		check_entry(last(++count), TRACE_PACKET, 17, at);
		ck_assert_uint_eq(last(count)->source, SOURCE + 1);
		ck_assert_uint_eq(last(count)->destination, DESTINATION + 1);
	}
}

/* the whole frame has arrived: the delay, and 1004 bytes at 200 Gb/s */
TEST(link_trace_frame__how_long_ago_it_left)
{
	uint8_t bytes[RING_CAPTURED_MAX];
	node_time_t at;

	packet_arrives(bytes, generated(FRAME_ROCE, bytes), FRAME, &at);
	ck_assert_uint_eq(last(1)->value, DELAY + 1004 * 40);
}

/* only its header has: 64 bytes */
TEST(link_trace_frame__cut_through)
{
	uint8_t bytes[RING_CAPTURED_MAX];
	node_time_t at;

	config.switch_.cut_through = true;
	traced(FABRIC_ROCE, true);
	packet_arrives(bytes, generated(FRAME_ROCE, bytes), FRAME, &at);
	ck_assert_uint_eq(last(1)->value, DELAY + 64 * 40);
}

TEST(link_trace_frame__replies_of_roce)
{
	const struct roce_reply reply = { .ends = { .ip_version = 4, .source_port = 0xc001 },
					  .queue_pair = 1,
					  .psn = 99,
					  .syndrome = ROCE_SYNDROME_ACK };
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	node_time_t at;
	uint32_t length = roce_ack_write(&reply, bytes);

	packet_arrives(bytes, length, length, &at);
	check_entry(last(1), TRACE_ACK, 99, at);
	length = roce_cnp_write(&reply, bytes);
	packet_arrives(bytes, length, length, &at);
	check_entry(last(2), TRACE_CNP_PACKET, 0, at);
}

/* a frame of a program: it has hosts, if it is of the fabric, and no number */
TEST(link_trace_frame__other_frames)
{
	uint8_t bytes[FRAME_BYTES_MIN] = { 0 };
	node_time_t at;

	address_mac(DESTINATION, bytes);
	bytes[6] = 0x66;
	packet_arrives(bytes, sizeof(bytes), sizeof(bytes), &at);
	check_entry(last(1), TRACE_PACKET, 0, at);
	ck_assert_uint_eq(last(1)->source, 0);
	ck_assert_uint_eq(last(1)->destination, DESTINATION + 1);
}

/* a frame of which not even its addresses were captured is none */
TEST(link_trace_frame__too_short)
{
	uint8_t bytes[4] = { 0 };
	node_time_t at;

	packet_arrives(bytes, sizeof(bytes), FRAME, &at);
	ck_assert_uint_eq(b.stats->trace.count, 0);
}

/* on a link between switches the inner frame stands after envelope and fabric header */
TEST(link_trace_frame__fabric_links)
{
	uint8_t bytes[RING_CAPTURED_MAX] = { 0 };
	struct ack acks[3] = { { .flow_id = 1, .value = 2 } };
	uint32_t length;
	node_time_t at;

	port.kind = PORT_FABRIC;
	traced(FABRIC_FLOW_CHANNEL, true);
	length = FABRIC_FRONT_BYTES + generated(FRAME_ROCE, bytes + FABRIC_FRONT_BYTES);
	packet_arrives(bytes, length, FRAME, &at);
	check_entry(last(1), TRACE_PACKET, 17, at);
	ck_assert_uint_eq(last(1)->source, SOURCE + 1);

	fabric_envelope_write(1, 0, 2, 0, bytes);
	length = ack_frame_write(bytes, acks, 3, bytes);
	frame_arrives(RECORD_ACKS, bytes, length, ack_frame_wire_bytes(3), &at);
	check_entry(last(2), TRACE_LINK_ACKS, 3, at);
	ck_assert_uint_eq(last(2)->value, DELAY + ack_frame_wire_bytes(3) * 40);
}

TEST(link_trace_frame__becn_and_credit_of_port_groups)
{
	uint8_t bytes[FABRIC_FRONT_BYTES + BECN_FRAME_BYTES] = { 0 };
	struct record header;
	node_time_t at;

	traced(FABRIC_PORT_GROUP, true);
	forge_word(&a, LINK_WORD_CREDIT, 1, 64);
	receive(&b, &header, &at);
	check_entry(last(1), TRACE_CREDIT, 1, at);
	forge_word(&a, LINK_WORD_SENT, 1, 0); /* no limit */
	receive(&b, &header, &at);
	ck_assert_uint_eq(b.stats->trace.count, 1);

	becn_frame_write(SOURCE, DESTINATION, bytes + FABRIC_FRONT_BYTES);
	packet_arrives(bytes, sizeof(bytes), BECN_FRAME_BYTES, &at);
	check_entry(last(2), TRACE_CNP_PACKET, 0, at);
	ck_assert_uint_eq(last(2)->destination, DESTINATION + 1);
}

TEST(link_trace_frame__only_with_packets_and_a_file)
{
	uint8_t bytes[RING_CAPTURED_MAX];
	uint32_t length = generated(FRAME_ROCE, bytes);
	node_time_t at;

	traced(FABRIC_ROCE, false);
	packet_arrives(bytes, length, FRAME, &at);
	ck_assert_uint_eq(b.stats->trace.count, 0);
	config.packets = true;
	ends_reopen();
	packet_arrives(bytes, length, FRAME, &at);
	ck_assert_uint_eq(b.stats->trace.count, 0);
}

/* the end of a capture is not that of the events */
TEST(link_capture__leaves_events)
{
	uint8_t bytes[RING_CAPTURED_MAX];
	node_time_t at;

	link_capture(&b.link, NULL);
	packet_arrives(bytes, generated(FRAME_ROCE, bytes), FRAME, &at);
	ck_assert_uint_eq(b.stats->trace.count, 1);
}
