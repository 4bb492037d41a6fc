/*  switchd/port_group/lid_forward: the port and the lane of a packet without congestion, packets
 *  that are dropped, and flooding (PG-1, PG-2, PG-4, PG-5, TB-23). */
#include "tests/testing.h"
#include "tests/unit/switchd/port_group/one_lid.h"

TEST_GROUP(forward, .setup = lid_setup, .teardown = teardown);

/* PG-2, PG-4: without congestion packets take the static port; they leave unchanged, with the LIDs
 * of source and destination */
TEST(forward__static)
{
	uint8_t frame[FRAME_HEADERS_MAX];
	struct lid_header header;
	uint32_t captured;

	lid_open(0);
	for (uint32_t c = 0; c < 2; c++)
		lid_send(0, 2 * NODE_US, 3, c, 1500);
	lid_send(0, 2 * NODE_US, 6, UNORDERED, 300);
	lid_send(0, 2 * NODE_US, 2, UNORDERED, 100);
	one_switch_run(&s, FAR);
	for (uint32_t c = 0; c < 2; c++) {
		header = lid_expect(2, 1500);
		ck_assert_uint_eq(header.dlid, 3);
		ck_assert_uint_eq(header.slid, 1);
		ck_assert_uint_eq(header.service_level, c);
		ck_assert_uint_eq(header.level, 0);
		ck_assert(!header.fecn && !header.becn);
		captured = frame_make(0, 3, 0, c, 1500, frame);
		ck_assert_uint_eq(got.header.captured_bytes, LID_FRONT_BYTES + captured);
		ck_assert_mem_eq(got.bytes + LID_FRONT_BYTES, frame, captured);
	}
	lid_expect(3, 300);
	lid_expect(1, 100);
	ck_assert_uint_eq(stats_of(0)->choices, 3);
	ck_assert_uint_eq(stats_of(0)->choices_other, 0);
	ck_assert_uint_eq(s.stats->data_hops, 4);
	books_expect(0);
}

/* PG-1: packets to reserved LIDs, to LIDs with too many bits and to those without a route are
 * dropped; their buffer is free again */
TEST(forward__bad_lids)
{
	static const uint32_t bad[] = { 0,          0xffff, 0x10000,   0x10003,
					UINT32_MAX, 7,      LID_COUNT, 0xbfff };

	lid_open(0);
	for (uint32_t i = 0; i < 8; i++)
		lid_send(0, 2 * NODE_US, bad[i], UNORDERED, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_LID), 8);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, 800);
	books_expect(0);
}

/* PG-1: with 24 bits 0xc000 is a LID of hosts, and 0xc00000 the first group */
TEST(forward__width_of_lids)
{
	s.config.port_group.lid_bits = 24;
	lid_open(0);
	lid_send(0, 2 * NODE_US, 0xc000, ORDERED, 100);
	lid_send(0, 2 * NODE_US, 0xc00000, ORDERED, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_LID), 1);
	ck_assert_uint_eq(s.stats->flooded_packets, PORTS - 1);
}

TEST(forward__malformed)
{
	struct lid_header header = {
		.dlid = 3, .slid = 1, .frame_bytes = 100, .service_level = 0, .level = 1
	};
	uint8_t bytes[LID_FRONT_BYTES + FRAME_HEADERS_MAX] = { 0 };

	lid_open(0);
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	/* no envelope */
	neighbour_send_frame(&s, 2, 2 * NODE_US, RECORD_PACKET, 116, 1, bytes, LID_FRONT_BYTES);
	fabric_envelope_write(9, 0, 1, 0, bytes);
	/* another lane */
	neighbour_send_frame(&s, 2, 2 * NODE_US, RECORD_PACKET, 116, 0, bytes, LID_FRONT_BYTES);
	/* length */
	neighbour_send_frame(&s, 2, 2 * NODE_US, RECORD_PACKET, 117, 1, bytes, LID_FRONT_BYTES);
	neighbour_send_frame(&s, 2, 2 * NODE_US, RECORD_PACKET, 116, 1, bytes, LID_FRONT_BYTES - 1);
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	neighbour_send_frame(&s, 0, 2 * NODE_US, RECORD_PACKET, 116, 1, bytes,
			     LID_FRONT_BYTES); /* a level on an edge link */
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 5);
	books_expect(0);
}

/* On one level a packet is never sent back to its input, because that could close a cycle. Order
 * excludes other ports, so an ordered packet has no route. */
TEST(forward__not_back)
{
	s.config.switch_.routing.lane_rule = LANES_KEEP;
	lid_open(0);
	lid_send(2, 2 * NODE_US, 3, ORDERED, 100);
	lid_send(2, 2 * NODE_US, 3, UNORDERED, 100);
	one_switch_run(&s, FAR);
	no_packet_expect(2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	lid_expect(3, 100);
	books_expect(0);
}

/* Where levels rise it may be sent back, after tables have changed: on the next level, but not
 * beyond the last one. An unordered packet takes another port. A host is sent nothing back. */
TEST(forward__back_one_level_higher)
{
	struct lid_header header = {
		.dlid = 3, .slid = 3, .frame_bytes = 100, .level = LEVELS - 1
	};

	lid_open(0);
	lid_send(2, 2 * NODE_US, 3, ORDERED, 100);
	lid_send(2, 2 * NODE_US, 3, UNORDERED, 200);
	lid_send_header(2, 2 * NODE_US, &header);
	lid_send(0, 2 * NODE_US, 1, ORDERED, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(2, 100).level, 1);
	no_packet_expect(2);
	lid_expect(3, 200);
	no_packet_expect(0);
	ck_assert_uint_eq(drops(DROP_NO_LANE), 1);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	books_expect(0);
}

/* levels rise by one at each switch; an edge link has none; beyond the last level there is no
 * lane */
TEST(forward__levels_by_hop)
{
	struct lid_header header = { .dlid = 5, .slid = 3, .frame_bytes = 100 };

	lid_open(0);
	lid_send_header(2, 2 * NODE_US, &header);
	header.level = 1;
	lid_send_header(2, 2 * NODE_US, &header);
	header.dlid = 1;
	lid_send_header(2, 2 * NODE_US, &header);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(3, 100).level, 1);
	no_packet_expect(3);
	ck_assert_uint_eq(lid_expect(0, 100).level, 0);
	ck_assert_uint_eq(drops(DROP_NO_LANE), 1);
	books_expect(0);
}

TEST(forward__levels_kept)
{
	struct lid_header header = { .dlid = 5, .slid = 3, .frame_bytes = 100, .level = 1 };

	s.config.switch_.routing.lane_rule = LANES_KEEP;
	lid_open(0);
	lid_send_header(2, 2 * NODE_US, &header);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(3, 100).level, 1);
}

/* ---- flooding ---- */

TEST(flood__along_the_tree)
{
	s.config.switch_.flood_ports = 1 << 0 | 1 << 1 | 1 << 3;
	lid_open(0);
	lid_send(0, 2 * NODE_US, 0xc000, ORDERED, 300);
	lid_send(2, 2 * NODE_US, 0xc000, ORDERED, 500); /* not of the tree */
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(1, 300).dlid, 0xc000);
	ck_assert_uint_eq(lid_expect(3, 300).slid, 1);
	no_packet_expect(0);
	no_packet_expect(2);
	ck_assert_uint_eq(s.stats->flooded_packets, 2);
	ck_assert_uint_eq(s.stats->flooded_bytes, 600);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, 300);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
	ck_assert_uint_eq(lid_of()->sw.flood_packets, 0);
	books_expect(0);
}

/* copies that wait use no buffer of the input; beyond the reserve they are dropped and counted */
TEST(flood__reserve)
{
	uint32_t inside;

	lid_open(0xe);
	for (uint32_t i = 0; i < 200; i++)
		lid_send(0, 2 * NODE_US, 0xc000, ORDERED, 300);
	one_switch_run(&s, FAR);
	inside = lid_of()->sw.flood_packets_max;
	ck_assert_uint_eq(lid_of()->sw.flood_packets, inside);
	ck_assert_uint_eq(drops(DROP_FLOOD_LIMIT), 600 - inside);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
	books_expect(inside);
}
