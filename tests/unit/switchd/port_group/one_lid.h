/*  one_lid - the switch of one_lid_config.h for tests with Check: its frames, and checks for it.
 *
 *  Peers grant everything unless a test limits them. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_PORT_GROUP_ONE_LID_H
#define HEDDLE_TESTS_UNIT_SWITCHD_PORT_GROUP_ONE_LID_H

#include "nodes/wire/lid_header.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"
#include "tests/unit/switchd/port_group/one_lid_config.h"

#define PLENTY 100000u /* units of credit */
#define FULL_BYTES 1024u
#define FULL_UNITS 4u

static inline void lid_setup(void)
{
	lid_configure(&s);
}

static inline struct lid_switch *lid_of(void)
{
	return s.lid;
}

/* the peer at @port grants @units of @lane, in total */
static inline void grant(uint32_t port, node_time_t at, uint32_t lane, uint32_t units)
{
	neighbour_send_word(&s, port, at, LINK_WORD_CREDIT, lane, units);
}

/* The link at @port, which port_block() has blocked, becomes free at @at, with @units of credit for
 * a class. */
static inline void port_unblock(uint32_t port, node_time_t at, uint32_t traffic_class,
				uint32_t units)
{
	s.links[port].tx.busy_until_ps = at;
	switch_touch(&lid_of()->sw, port);
	grant(port, at, traffic_class * LEVELS, units);
}

/* opens the switch; its peers grant everything, except those in the set @stingy */
static inline void lid_open(uint32_t stingy)
{
	one_switch_open(&s);
	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t l = 0; l < LANES && !(stingy >> p & 1); l++)
			grant(p, 0, l, PLENTY);
	one_switch_run(&s, NODE_US);
}

/* the peer at @port sends a frame with @header; its lane is that of the header */
static inline node_time_t lid_send_header(uint32_t port, node_time_t at,
					  const struct lid_header *header)
{
	uint8_t bytes[LID_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t captured =
		frame_make(header->slid - 1, header->dlid % LID_COUNT, 0, header->service_level,
			   header->frame_bytes, bytes + LID_FRONT_BYTES);

	fabric_envelope_write(9, 0, 1, 0, bytes);
	lid_header_write(header, bytes + FABRIC_ENVELOPE_BYTES);
	return neighbour_send_frame(&s, port, at, RECORD_PACKET,
				    LID_HEADER_BYTES + header->frame_bytes + FRAME_FCS_BYTES,
				    header->service_level * LEVELS + header->level, bytes,
				    LID_FRONT_BYTES + captured);
}

static inline node_time_t lid_send(uint32_t port, node_time_t at, uint32_t dlid,
				   uint32_t traffic_class, uint32_t frame_bytes)
{
	struct lid_header header = { .dlid = dlid,
				     .slid = 1 + port,
				     .frame_bytes = (uint16_t)frame_bytes,
				     .service_level = (uint8_t)traffic_class };

	return lid_send_header(port, at, &header);
}

/* the header of the next packet that @port sends */
static inline struct lid_header lid_expect(uint32_t port, uint32_t frame_bytes)
{
	struct lid_header header;

	packet_expect(port, frame_bytes);
	ck_assert_int_eq(
		lid_header_read(got.bytes, got.header.captured_bytes, frame_bytes, &header), 0);
	ck_assert_uint_eq(got.header.traffic_class, header.service_level * LEVELS + header.level);
	return header;
}

static inline uint32_t packets_receive(uint32_t port)
{
	uint32_t count = 0;

	while (neighbour_receive(&s, port, RECORD_PACKET, &got))
		count++;
	return count;
}

/* the packets in the turns of a lane */
struct waiting {
	uint32_t packets, units;
	uint64_t bytes;
};

static inline struct waiting lane_waiting(const struct lid_lane *lane)
{
	struct waiting waiting = { 0 };

	for (uint32_t in = 0; in < PORTS; in++)
		for (const struct packet *i = lane->turns.inputs[in].queue.head; i; i = i->next) {
			waiting.packets++;
			waiting.units += i->units;
			waiting.bytes += i->frame_bytes;
		}
	return waiting;
}

/* TB-25: @packets are inside, by every account. If none is, every buffer is empty and every grant
 * is complete. */
static inline void books_expect(uint32_t packets)
{
	struct lid_switch *lid = lid_of();
	struct waiting all = { 0 };
	uint32_t held_units = 0;

	for (uint32_t p = 0; p < PORTS; p++) {
		uint64_t bytes = 0;

		for (uint32_t l = 0; l < LANES; l++) {
			struct waiting waiting = lane_waiting(&lid->ports[p].lanes[l]);

			ck_assert_uint_eq(waiting.units, lid->ports[p].lanes[l].units);
			ck_assert_uint_eq(!waiting.packets, !(lid->ports[p].backlog >> l & 1));
			all.packets += waiting.packets;
			all.units += waiting.units;
			bytes += waiting.bytes;
			held_units += s.links[p].rx.held_units[l];
		}
		ck_assert_uint_eq(bytes, lid->ports[p].gauge.bytes);
		ck_assert_uint_eq(bytes, stats_of(p)->queue_bytes);
		all.bytes += bytes;
	}
	ck_assert_uint_eq(all.packets, packets);
	ck_assert_uint_eq(lid->sw.pool.used, packets);
	ck_assert_uint_eq(s.stats->inside_packets, packets);
	ck_assert_uint_eq(s.stats->inside_bytes, all.bytes);
	if (!lid->sw.flood_packets)
		ck_assert_uint_eq(held_units, all.units);
}

#endif
