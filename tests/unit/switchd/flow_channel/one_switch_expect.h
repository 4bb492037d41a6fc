/*  one_switch_expect - one_switch.h for tests with Check: the one switch, and checks for it. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_ONE_SWITCH_EXPECT_H
#define HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_ONE_SWITCH_EXPECT_H

#include <check.h>

#include "nodes/stats/trace.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define T1 (30 * NODE_NS)
#define FAR (NODE_S / 2)

static struct one_switch s;
static struct received got;
static const struct channel_set none_left; /* of a failed link */

static inline void setup(void)
{
	one_switch_configure(&s);
}

static inline void setup_real(void)
{
	setup();
	s.config.clock = CLOCK_REAL;
}

static inline void teardown(void)
{
	one_switch_close(&s);
}

static inline uint64_t drops(enum drop_reason reason)
{
	return s.stats->drops[reason];
}

static inline uint64_t drops_all(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < DROP_REASONS; i++)
		sum += s.stats->drops[i];
	return sum;
}

static inline struct port_stats *stats_of(uint32_t port)
{
	return stats_port(s.stats, port);
}

/* The peer at @port sends a record of @kind that this fabric does not have: it is dropped for
 * @reason when its last bit has arrived, counted once, and traced. Nothing else happens. */
static inline void foreign_record_expect(uint32_t port, enum record_kind kind,
					 enum drop_reason reason)
{
	uint64_t before = drops_all(), of_reason = drops(reason), of_port;
	uint64_t traced = s.stats->trace.count, inside = s.stats->inside_packets;
	static const uint8_t bytes[64] = { 1, 2, 3 };
	const struct trace_entry *entry;
	node_time_t at;

	of_port = stats_of(port)->dropped_frames;
	at = neighbour_send_frame(&s, port, 10 * NODE_US, kind, sizeof(bytes), 0, bytes,
				  sizeof(bytes));
	at += sizeof(bytes) * BYTE_PS;
	one_switch_run(&s, at + NODE_US);
	ck_assert_uint_eq(drops(reason), of_reason + 1);
	ck_assert_uint_eq(drops_all(), before + 1);
	ck_assert_uint_eq(stats_of(port)->dropped_frames, of_port + 1);
	ck_assert_uint_eq(s.stats->inside_packets, inside);
	ck_assert_uint_eq(s.stats->trace.count, traced + 1);
	entry = stats_trace(s.stats, traced);
	ck_assert_uint_eq(entry->kind, TRACE_DROP);
	ck_assert_uint_eq(entry->port, port);
	ck_assert_uint_eq(entry->detail, reason);
	ck_assert_uint_eq(entry->at_ps, at);
}

/* the next packet that @port sends has @frame_bytes, and its first bit arrives at @at_ps */
static inline void packet_expect_at(uint32_t port, uint32_t frame_bytes, node_time_t at_ps)
{
	ck_assert(neighbour_receive(&s, port, RECORD_PACKET, &got));
	ck_assert_uint_eq(link_frame_bytes(&s.links[port], got.header.wire_bytes), frame_bytes);
	ck_assert_uint_eq(got.header.at_ps, at_ps);
}

/* the link at @port is busy with something else from now on */
static inline void port_block(uint32_t port)
{
	s.links[port].tx.busy_until_ps = NODE_S;
}

static inline void packet_expect(uint32_t port, uint32_t frame_bytes)
{
	ck_assert(neighbour_receive(&s, port, RECORD_PACKET, &got));
	ck_assert_uint_eq(link_frame_bytes(&s.links[port], got.header.wire_bytes), frame_bytes);
}

static inline void no_packet_expect(uint32_t port)
{
	ck_assert(!neighbour_receive(&s, port, RECORD_PACKET, &got));
}

/* the fabric header of the packet that neighbour_receive() received last */
static inline struct fabric_header header_of_packet(uint32_t port)
{
	struct fabric_header header;

	ck_assert_int_eq(fabric_header_read(got.bytes, got.header.captured_bytes,
					    link_frame_bytes(&s.links[port], got.header.wire_bytes),
					    &header),
			 0);
	return header;
}

/* The next packet that @port sends has @frame_bytes.  Return: its flow id. */
static inline uint32_t channel_expect(uint32_t port, uint32_t frame_bytes)
{
	packet_expect(port, frame_bytes);
	return header_of_packet(port).flow_id;
}

/* the ACKs of the next frame that @port sends */
static inline uint32_t acks_receive(uint32_t port, struct ack acks[ACK_FRAME_ACKS_MAX])
{
	int count;

	ck_assert(neighbour_receive(&s, port, RECORD_ACKS, &got));
	count = ack_frame_read(got.bytes, got.header.captured_bytes, acks);
	ck_assert_int_gt(count, 0);
	return (uint32_t)count;
}

/* the next ACK frame that @port sends has only this ACK */
static inline void ack_expect(uint32_t port, uint32_t flow_id, enum ack_type type, uint32_t value)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	ck_assert_uint_eq(acks_receive(port, acks), 1);
	ck_assert_uint_eq(acks[0].flow_id, flow_id);
	ck_assert_uint_eq(acks[0].type, type);
	ck_assert_uint_eq(acks[0].value, value);
}

/* the value of the next control word of @kind that @port sends */
static inline uint32_t word_expect(uint32_t port, enum link_word kind)
{
	while (neighbour_receive(&s, port, RECORD_WORD, &got))
		if (got.header.word >> 32 == kind)
			return (uint32_t)got.header.word;
	ck_abort_msg("port %u sent no word of kind %d", port, kind);
	return 0;
}

/* FC-14, TB-25: every channel is free, every buffer empty, no flow limited, metered or waiting */
static inline void all_released_expect(void)
{
	ck_assert_uint_eq(s.stats->inside_packets, 0);
	ck_assert_uint_eq(s.stats->inside_bytes, 0);
	ck_assert_uint_eq(s.dp->sw.pool.used, 0);
	ck_assert_uint_eq(s.dp->wakes.count, 0);
	for (uint32_t p = 0; p < PORTS; p++) {
		ck_assert_uint_eq(s.dp->ifcts[p].used, 0);
		ck_assert_uint_eq(s.dp->ports[p].edge.efct.used, 0);
		ck_assert_uint_eq(s.dp->ports[p].fabric.ofct.used, 0);
		ck_assert_uint_eq(s.dp->ports[p].gauge.bytes, 0);
		ck_assert_uint_eq(stats_of(p)->extent_units, 0);
		ck_assert_uint_eq(stats_of(p)->limited, 0);
		ck_assert_uint_eq(stats_of(p)->metered, 0);
		for (uint32_t c = 0; c < s.config.class_count; c++) {
			ck_assert_uint_eq(s.links[p].rx.held_units[c], 0);
			ck_assert_uint_eq(s.dp->ports[p].fabric.promised_units[c], 0);
			ck_assert_uint_eq(s.dp->ports[p].output[c].queue.units, 0);
		}
	}
}

#endif
