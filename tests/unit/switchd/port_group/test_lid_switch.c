/*  switchd/port_group/lid_switch: one switch of fabric kind port-group whose neighbours are played
 *  by hand (tests/unit/switchd/port_group/one_lid.h): where packets go, what makes a static port
 *  congested, who waits for credit and who does not, what is marked, lanes, floods, links that
 *  fail, tables (PG-1 ... PG-10, TB-9, TB-10, TB-23, TB-25, FC-26). */
#include <errno.h>
#include <stdio.h>

#include "nodes/node/managed.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"
#include "tests/unit/switchd/port_group/one_lid.h"

/* ---- where packets go ---- */

TEST_GROUP(lid_switch, .setup = lid_setup, .teardown = teardown);

/* PG-2, PG-4: nothing is congested: the static port; what comes out is what went in, and who it is
 * from and for */
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

/* PG-1: reserved LIDs, LIDs of more bits than there are, and those that lead nowhere are dropped;
 * their room is given back */
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

/* PG-1: with 24 bits 0xffff is a host's LID, and 0xc00000 the first group */
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

/* On one level a packet never goes back where it came from, for that could close a circle: order
 * keeps it from other ways, and the static port is no way. */
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

/* Where levels rise it does, if tables have changed behind it: the level says that it has been
 * here; beyond the last one it does not. What may choose takes another way. A host gets nothing
 * back. */
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

/* levels rise by one per switch; on an edge link there are none; beyond the last there is no way */
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

/* ---- congestion of the static port (PG-3), and what follows (PG-5, PG-7, PG-8) ---- */

/* (a) no credit: another port of the group, for the lane without credit alone; the entry is
 * replaced; what keeps order waits */
TEST(congested__no_credit)
{
	lid_open(1 << 2);
	grant(2, NODE_US, ORDERED * LEVELS, FULL_UNITS);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(3, FULL_BYTES).dlid, 3);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 4);
	no_packet_expect(2);
	no_packet_expect(3);
	ck_assert_uint_eq(lid_of()->tables.now[3], 3);
	ck_assert_uint_eq(lid_of()->tables.home[3], 2);
	ck_assert_uint_eq(stats_of(0)->choices_other, 1);
	ck_assert_uint_eq(stats_of(2)->credit_waits, 1);
	books_expect(1);
	grant(2, FAR, ORDERED * LEVELS, 2 * FULL_UNITS);
	one_switch_run(&s, 2 * FAR);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 4);
	books_expect(0);
}

/* PG-8: the entry stays replaced when nothing is congested any more; without update it is for this
 * packet only */
TEST_RANGE(congested__update_or_not, 0, 2)
{
	s.config.port_group.update_lft = _i;
	lid_open(1 << 2);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 3 * NODE_US);
	grant(2, 3 * NODE_US, UNORDERED * LEVELS, PLENTY);
	lid_send(0, 4 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(3), 1 + (uint32_t)_i);
	ck_assert_uint_eq(packets_receive(2), 1 - (uint32_t)_i);
	ck_assert_uint_eq(lid_of()->tables.now[3], _i ? 3 : 2);
}

/* PG-5, PG-7: the group of LID 3 has a number of those for packets from edge ports, and port 2 has
 * no credit. Of three packets from a host the first waits, for nothing else does; the others take
 * port 1, each for itself. Those of a class in order (1), those under way already (2), for which no
 * lane would be left, and those for which port 2 has credit (3) do not. */
TEST_RANGE(non_minimal__from_hosts_alone, 0, 4)
{
	static uint64_t masks[PORT_GROUP_EDGE_FROM + 1][PORT_GROUP_WORDS];
	struct lid_header header = { .dlid = 3,
				     .slid = 6,
				     .frame_bytes = FULL_BYTES,
				     .service_level = _i == 1 ? ORDERED : UNORDERED };
	uint32_t aside = _i == 0 ? 2 : 0;

	masks[PORT_GROUP_EDGE_FROM][0] = 1 << 1 | 1 << 2;
	s.config.port_group.non_minimal = true;
	s.config.switch_.lids.group_count = PORT_GROUP_EDGE_FROM + 1;
	s.config.switch_.lids.pgt = masks;
	lid_pgft[3] = PORT_GROUP_EDGE_FROM;
	lid_open(_i == 3 ? 0 : 1 << 2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send_header(_i == 2 ? 3 : 0, (2 + i) * NODE_US, &header);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(1), aside);
	ck_assert_uint_eq(packets_receive(2), _i == 3 ? 3 : 0);
	books_expect(_i == 3 ? 0 : 3 - aside);
	ck_assert_uint_eq(lid_of()->tables.now[3], 2); /* the entry stays */
	ck_assert_uint_eq(stats_of(0)->choices_other, aside);
	lid_pgft[3] = 1;
}

/* PG-5: group 0 is a single way, however congested; so is a DLID of a fabric that does not adapt */
TEST_RANGE(congested__no_group, 0, 2)
{
	lid_pgft[3] = 0;
	s.config.port_group.adaptive = _i;
	lid_open(1 << 2);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	if (!_i)
		lid_send(0, 2 * NODE_US, 4, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	no_packet_expect(3);
	books_expect(2 - (uint32_t)_i);
	ck_assert_uint_eq(stats_of(0)->choices_other, 0);
	lid_pgft[3] = 1;
}

/* (a) what is pending has reached the threshold and rises: the fifth packet, behind four that wait,
 * is the first to go elsewhere. What only stands does not count: the next one is back if its entry
 * was not replaced and less waits than before. */
TEST(congested__pending_rises)
{
	s.config.port_group.pending_units = 3 * FULL_UNITS + 1;
	s.config.port_group.update_lft = false;
	lid_open(0);
	port_block(2);
	for (uint32_t i = 0; i < 6; i++)
		lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_of()->ports[2].units, 5 * FULL_UNITS);
	ck_assert_uint_eq(packets_receive(3), 1);
	books_expect(5);
}

/* (b) packets that leave a long queue are marked, and the log decides while the window lasts; their
 * sources need not hear of it */
TEST(congested__detected)
{
	s.config.port_group.fecn = true;
	s.config.port_group.queue_units = 2 * FULL_UNITS;
	s.config.port_group.log_marks = 1;
	s.config.port_group.log_window_ps = 10 * NODE_US;
	s.config.port_group.update_lft = false;
	lid_open(0);
	port_block(2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	books_expect(3); /* nothing has left: nothing is marked yet, and credit there is */
	s.links[2].busy_until_ps = 0;
	switch_touch(&lid_of()->sw, 2);
	grant(2, 4 * NODE_US, UNORDERED * LEVELS, PLENTY);
	one_switch_run(&s, 6 * NODE_US);
	for (uint32_t i = 0; i < 3; i++) {
		struct lid_header header = lid_expect(2, FULL_BYTES);

		ck_assert_int_eq(header.fecn, i < 2);
		ck_assert(!header.lasting);
	}
	lid_send(0, 7 * NODE_US, 3, UNORDERED, FULL_BYTES); /* the queue is gone, the log is not */
	one_switch_run(&s, 9 * NODE_US);
	lid_expect(3, FULL_BYTES);
	lid_send(0, 30 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	books_expect(0);
}

/* (b) the log has so many marks within the window: of this lane, not of another */
TEST(congested__log)
{
	s.config.port_group.fecn = true;
	s.config.port_group.fecn_units = 1; /* every packet */
	s.config.port_group.log_marks = 2;
	s.config.port_group.log_window_ps = 10 * NODE_US;
	s.config.port_group.update_lft = false;
	lid_open(0);
	s.links[2].buffer_units = 1; /* three of them are less than a packet */
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, (2 + i) * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 6 * NODE_US);
	ck_assert(lid_expect(2, FULL_BYTES).fecn);
	ck_assert(lid_expect(2, FULL_BYTES).fecn);
	no_packet_expect(2);
	lid_expect(3, FULL_BYTES);
	lid_send(0, 30 * NODE_US, 3, UNORDERED, FULL_BYTES); /* the window is over */
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	ck_assert_uint_eq(stats_of(2)->fecn_marked, 3);
}

/* an entry that was replaced stays for so long */
TEST(congested__hold)
{
	s.config.port_group.hold_ps = 10 * NODE_US;
	lid_open(1 << 2 | 1 << 3);
	grant(3, NODE_US, UNORDERED * LEVELS, FULL_UNITS);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	lid_send(0, 3 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 1);
	ck_assert_uint_eq(lid_of()->ports[3].units, FULL_UNITS);
	lid_send(0, 20 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_of()->ports[2].units, FULL_UNITS);
	books_expect(2);
}

/* ---- credits, lanes, turns (PG-9) ---- */

/* what waits for credit of one output or lane is in nobody's way */
TEST(credit__no_head_of_line_blocking)
{
	lid_open(1 << 2);
	grant(2, NODE_US, UNORDERED * LEVELS, PLENTY);
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 3, UNORDERED, 200);
	lid_send(0, 2 * NODE_US, 2, ORDERED, 300);
	one_switch_run(&s, FAR);
	lid_expect(2, 200);
	lid_expect(1, 300);
	books_expect(3);
	ck_assert_uint_gt(stats_of(2)->credit_waits, 0);
}

/* never more than was granted, in whatever parts */
TEST(credit__never_beyond)
{
	lid_open(1 << 2);
	for (uint32_t i = 0; i < 20; i++)
		lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES);
	for (uint32_t units = 1; units <= 20 * FULL_UNITS; units += 3) {
		grant(2, (2 + units) * NODE_US, ORDERED * LEVELS, units);
		one_switch_run(&s, (3 + units) * NODE_US);
		ck_assert_uint_eq(stats_of(2)->tx_packets, units / FULL_UNITS);
		books_expect(20 - units / FULL_UNITS);
	}
}

/* two inputs share an output by bytes, whatever their packets' length */
TEST(turns__inputs_share)
{
	uint32_t sent[2] = { 0 };

	lid_open(0);
	port_block(2);
	for (uint32_t i = 0; i < 40; i++)
		lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES);
	for (uint32_t i = 0; i < 10; i++)
		lid_send(1, 2 * NODE_US, 3, ORDERED, 4096);
	one_switch_run(&s, 20 * NODE_US);
	books_expect(50);
	s.links[2].busy_until_ps = 20 * NODE_US;
	switch_touch(&lid_of()->sw, 2);
	grant(2, 20 * NODE_US, ORDERED * LEVELS, PLENTY);
	one_switch_run(&s, FAR);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got)) {
		uint32_t frame_bytes = link_frame_bytes(&s.links[2], got.header.wire_bytes);

		sent[frame_bytes == FULL_BYTES ? 0 : 1] += frame_bytes;
		ck_assert_int_le(abs((int)(sent[0] - sent[1])), 2 * NODE_MTU_MAX);
	}
	ck_assert_uint_eq(sent[0] + sent[1], 40 * FULL_BYTES + 10 * 4096);
	books_expect(0);
}

/* ---- FECN (PG-10) ---- */

/* from the threshold on; not where packets wait for credit, for that comes from behind; at a host
 * that does not take them, it is here; not where other ports come first, until three buffers
 * wait */
TEST_RANGE(fecn__where_congestion_begins, 0, 5)
{
	static const uint32_t dlids[] = { 3, 3, 2, 3, 3 }, stingy[] = { 0, 1 << 2, 1 << 1, 0, 0 },
			      marked[] = { 3, 0, 3, 0, 2 };
	static const uint32_t classes[] = { ORDERED, ORDERED, ORDERED, UNORDERED, UNORDERED };
	uint32_t out = dlids[_i] == 3 ? 2 : 1, fecns = 0;

	s.config.port_group.fecn = true;
	s.config.port_group.fecn_units = 2 * FULL_UNITS;
	lid_open(stingy[_i]);
	if (!stingy[_i])
		port_block(out);
	if (_i == 4)
		s.links[out].buffer_units = FULL_UNITS;
	for (uint32_t i = 0; i < 4; i++)
		lid_send(0, 2 * NODE_US, dlids[_i], classes[_i], FULL_BYTES);
	one_switch_run(&s, 10 * NODE_US);
	books_expect(4);
	for (uint32_t i = 0; i < 4; i++) {
		s.links[out].busy_until_ps = 0;
		switch_touch(&lid_of()->sw, out);
		grant(out, (20 + i) * NODE_US, classes[_i] * LEVELS,
		      stingy[_i] ? (i + 1) * FULL_UNITS : PLENTY);
		one_switch_run(&s, (21 + i) * NODE_US);
	}
	while (neighbour_receive(&s, out, RECORD_PACKET, &got))
		fecns += got.bytes[FABRIC_ENVELOPE_BYTES + 2] >> 7;
	ck_assert_uint_eq(fecns, marked[_i]);
	ck_assert_uint_eq(stats_of(out)->fecn_marked, marked[_i]);
	books_expect(0);
}

/* a mark stays */
TEST(fecn__kept)
{
	struct lid_header header = {
		.dlid = 1, .slid = 3, .frame_bytes = 100, .fecn = true, .lasting = true
	};

	lid_open(0);
	lid_send_header(2, 2 * NODE_US, &header);
	header.fecn = header.lasting = false;
	header.becn = true;
	lid_send_header(2, 2 * NODE_US, &header);
	one_switch_run(&s, FAR);
	header = lid_expect(0, 100);
	ck_assert(header.fecn && header.lasting);
	header = lid_expect(0, 100);
	ck_assert(header.becn && !header.fecn && !header.lasting);
}

/* ---- floods ---- */

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

/* copies that wait keep no room of the input; beyond the reserve they are dropped and counted */
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
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
	books_expect(inside);
}

/* ---- links that fail and return (FC-26) ---- */

/* what waits takes another way of its group; nothing chooses the port, whatever its class; it
 * returns empty */
TEST(link__down_and_up)
{
	lid_open(0);
	port_block(2);
	for (uint32_t c = 0; c < 2; c++)
		for (uint32_t i = 0; i < 3; i++)
			lid_send(0, 2 * NODE_US, 3, c, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	books_expect(6);
	s.ops->link_down(s.dataplane, 2, 4 * NODE_US);
	lid_send(0, 5 * NODE_US, 4, ORDERED, FULL_BYTES);
	lid_send(0, 5 * NODE_US, 4, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 8);
	no_packet_expect(2);
	books_expect(0);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	s.ops->link_up(s.dataplane, 2, 10 * NODE_US);
	for (uint32_t l = 0; l < LANES; l++)
		grant(2, 10 * NODE_US, l, PLENTY);
	lid_send(0, 12 * NODE_US, 3, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	books_expect(0);
	ck_assert_uint_eq(drops_all(), 0);
}

/* no other way: lost, and counted; the room of their input is free */
TEST(link__down_without_another_way)
{
	lid_open(0);
	port_block(1);
	lid_send(0, 2 * NODE_US, 2, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 0xc000, ORDERED, 100);
	one_switch_run(&s, 4 * NODE_US);
	s.ops->link_down(s.dataplane, 1, 4 * NODE_US);
	lid_send(0, 5 * NODE_US, 2, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(lid_of()->sw.flood_packets, 0);
	books_expect(0);
}

/* port 0 fails while a packet of FULL_UNITS that it brought waits for port 3, and returns; its peer
 * is told of the whole buffer beforehand if @peer_units is not 0 */
static void returns_with_one_left(uint32_t peer_units)
{
	lid_open(1 << 3);
	lid_send(0, 2 * NODE_US, 5, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	s.ops->link_down(s.dataplane, 0, 4 * NODE_US);
	one_switch_unplug(&s, 0);
	s.config.ports[0].peer_units = peer_units;
	one_switch_plug(&s, 0);
	s.ops->link_up(s.dataplane, 0, 5 * NODE_US);
	lid_send(0, 6 * NODE_US, 2, ORDERED, 100);
	one_switch_run(&s, 8 * NODE_US);
	ck_assert_uint_eq(lid_of()->sw.pool.used, 1);
}

/* PG-9: the link returns while what the former one brought still waits: the port is up at once, and
 * credit is given for the rest of its buffer. */
TEST(link__up_beside_what_is_left)
{
	returns_with_one_left(0);
	ck_assert(lid_port_up(lid_of(), 0));
	ck_assert(!lid_of()->sw.ports_coming);
	lid_expect(1, 100);
	books_expect(1);
	ck_assert_uint_eq(s.links[0].held_units[0], FULL_UNITS);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_CREDIT), s.links[0].buffer_units - FULL_UNITS);
	ck_assert_uint_eq(got.header.traffic_class, 0);
	grant(3, 8 * NODE_US, ORDERED * LEVELS, PLENTY);
	one_switch_run(&s, FAR);
	lid_expect(3, FULL_BYTES);
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
	books_expect(0);
}

/* Its peer may fill the whole buffer already: the port is up when what is left is gone, and its
 * buffer as empty as the peer believes. */
TEST(link__up_waits_for_room)
{
	returns_with_one_left(PLENTY);
	ck_assert(!lid_port_up(lid_of(), 0));
	no_packet_expect(1);
	grant(3, 8 * NODE_US, ORDERED * LEVELS, PLENTY);
	one_switch_run(&s, FAR);
	ck_assert(lid_port_up(lid_of(), 0));
	lid_expect(3, FULL_BYTES);
	lid_expect(1, 100);
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
	books_expect(0);
}

/* ---- tables a block at a time (PG-11), show and set ---- */

/* @block takes effect at once, as nothing was begun */
static int block_write(const struct table_block *block)
{
	struct managed managed;
	char why[256];

	managed_init(&managed, &s.config, NULL, s.ops, s.dataplane);
	return managed_write(&managed, block, why, sizeof(why));
}

TEST(tables__blocks)
{
	struct table_block block = { .table = TABLE_LFT };
	uint64_t mask[PORT_GROUP_WORDS];

	lid_open(0);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_LFT), 1);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_ROUTES), 0);
	memset(block.bytes, LFT_NO_PORT, sizeof(block.bytes));
	s.ops->table_read(s.dataplane, &block);
	ck_assert_mem_eq(block.bytes, lid_lft, LID_COUNT);
	ck_assert_uint_eq(block.bytes[LID_COUNT], LFT_NO_PORT);
	block.bytes[3] = 3;
	block.number = 1; /* DLIDs that the table did not have */
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->tables.home[table_entries(TABLE_LFT) + 3], 3);
	ck_assert_uint_eq(lid_of()->tables.home[3], 2);
	block = (struct table_block){ .table = TABLE_PGT };
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_PGT) * table_entries(TABLE_PGT),
			  PORT_GROUPS_MAX);
	s.ops->table_read(s.dataplane, &block);
	table_get_mask(block.bytes, 1, mask);
	ck_assert_uint_eq(mask[0], 0xc);
	table_put_mask(block.bytes, 2, (uint64_t[PORT_GROUP_WORDS]){ UINT64_MAX, 1, 1, 1 });
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->tables.mask[2], 0xf);
	block = (struct table_block){ .table = TABLE_PGFT };
	s.ops->table_read(s.dataplane, &block);
	ck_assert_mem_eq(block.bytes, lid_pgft, LID_COUNT);
	block = (struct table_block){ .table = TABLE_FLOOD, .bytes = { 3 } };
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->sw.flood_ports, 3);
	lid_of()->sw.stats->tables_taken = 0;
	ck_assert_int_eq(s.ops->tables(s.dataplane, &s.config.switch_), 0);
	ck_assert_uint_eq(lid_of()->sw.stats->tables_taken, 1);
	ck_assert_uint_eq(lid_of()->sw.flood_ports, 0xf);
	ck_assert_uint_eq(lid_of()->tables.home[table_entries(TABLE_LFT) + 3], LFT_NO_PORT);
	ck_assert_uint_eq(lid_of()->tables.home[3], 2);
	ck_assert_uint_eq(lid_of()->tables.mask[2], 0);
}

/* PG-8, FC-26: tables that say the same leave choices alone; a choice that the new ones do not
 * allow counts no more. As blocks, and as a whole. */
TEST_RANGE(tables__choices_since, 0, 2)
{
	struct table_block lft = { .table = TABLE_LFT }, pgt = { .table = TABLE_PGT };
	uint64_t masks[2][PORT_GROUP_WORDS] = { { 0 }, { 1 << 2 } };
	struct switch_config changed;

	lid_open(1 << 2);
	changed = s.config.switch_;
	changed.lids.pgt = masks;
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 1);
	memset(lft.bytes, LFT_NO_PORT, sizeof(lft.bytes));
	s.ops->table_read(s.dataplane, &lft);
	s.ops->table_read(s.dataplane, &pgt);
	ck_assert_int_eq(_i ? s.ops->tables(s.dataplane, &s.config.switch_) : block_write(&lft), 0);
	ck_assert_uint_eq(lid_of()->tables.now[3], 3);
	table_put_mask(pgt.bytes, 1, masks[1]);
	ck_assert_int_eq(_i ? s.ops->tables(s.dataplane, &changed) : block_write(&pgt), 0);
	grant(2, 3 * NODE_US, UNORDERED * LEVELS, PLENTY);
	lid_send(0, 4 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(2), 1);
	ck_assert_uint_eq(packets_receive(3), 0);
}

/* FC-26, PG-11: new tables move what waits, and nothing of the DLID passes it; others stay; what
 * leads nowhere now stays, too */
TEST(tables__what_waits_follows)
{
	struct table_block lft = { .table = TABLE_LFT };

	lid_open(1 << 2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES - 100 * i);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(3);
	memset(lft.bytes, LFT_NO_PORT, sizeof(lft.bytes));
	s.ops->table_read(s.dataplane, &lft);
	lft.bytes[3] = 3;
	lft.bytes[4] = LFT_NO_PORT;
	ck_assert_int_eq(block_write(&lft), 0);
	lid_send(0, 5 * NODE_US, 3, ORDERED, FULL_BYTES - 300);
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(lid_expect(3, FULL_BYTES - 100 * i).dlid, 3);
	no_packet_expect(2);
	books_expect(1);
	ck_assert_uint_eq(drops_all(), 0);
}

/* The same when the static port returns, whose packets have gone to another one since. */
TEST(link__up_what_waits_follows)
{
	lid_open(0);
	s.ops->link_down(s.dataplane, 2, 2 * NODE_US);
	port_block(3);
	lid_send(0, 3 * NODE_US, 3, ORDERED, FULL_BYTES);
	lid_send(0, 3 * NODE_US, 5, ORDERED, FULL_BYTES);
	one_switch_run(&s, 5 * NODE_US);
	books_expect(2);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	s.ops->link_up(s.dataplane, 2, 6 * NODE_US);
	for (uint32_t l = 0; l < LANES; l++)
		grant(2, 6 * NODE_US, l, PLENTY);
	lid_send(0, 8 * NODE_US, 3, ORDERED, FULL_BYTES - 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 3);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES - 100).dlid, 3);
	books_expect(1);
}

TEST(show__tables)
{
	static const char *const names[] = { "ports", "lanes", "lft", "groups", "log", "settings" };
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	lid_open(0);
	for (uint32_t i = 0; i < 6; i++)
		for (int port = -1; port < (int)PORTS; port++) {
			out = open_memstream(&text, &length);
			ck_assert_int_eq(s.ops->show(s.dataplane, names[i], port, 0, out), 0);
			fclose(out);
			ck_assert_uint_gt(length, 0);
			free(text);
		}
	out = open_memstream(&text, &length);
	ck_assert_int_eq(s.ops->show(s.dataplane, "ports", PORTS, 0, out), -EINVAL);
	ck_assert_int_eq(s.ops->show(s.dataplane, "routes", -1, 0, out), -ENOENT);
	fclose(out);
	free(text);
}

TEST(set__or_nothing)
{
	static const struct {
		const char *name, *value;
		int error;
	} cases[] = { { "policy", "greedy", 0 },        { "policy", "best", -EINVAL },
		      { "pending", "0", -EINVAL },      { "pending", "7", 0 },
		      { "queue", "1k", -EINVAL },       { "marks", "65", -EINVAL },
		      { "window", "2000", 0 },          { "adaptive", "no", 0 },
		      { "adaptive", "false", -EINVAL }, { "lid-bits", "24", -ENOENT },
		      { "hold", "-1", -EINVAL },        { "fecn", "yes", 0 },
		      { "fecn-at", "1048577", -EINVAL } };
	char *text = NULL;
	size_t length = 0;
	FILE *out;

	lid_open(0);
	out = open_memstream(&text, &length);
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(s.ops->set(s.dataplane, cases[i].name, cases[i].value, out) ==
				      cases[i].error,
			      "%s %s", cases[i].name, cases[i].value);
	fclose(out);
	free(text);
	ck_assert_int_eq(lid_of()->settings.policy, POLICY_GREEDY);
	ck_assert_uint_eq(lid_of()->settings.pending_units, 7);
	ck_assert_uint_eq(lid_of()->settings.log_window_ps, 2 * NODE_US);
	ck_assert(lid_of()->settings.fecn && !lid_of()->settings.adaptive);
}

/* ---- memory ---- */

TEST_GROUP(memory, .setup = lid_setup, .teardown = teardown);

#define FLOOD_UNITS 1024u /* of buffer */

static bool flood_has_buffer(uint32_t frame_bytes)
{
	return s.links[0].held_units[0] + units_of_bytes(frame_bytes) <= s.ports[0].buffer_units;
}

static void flood_front(uint32_t frame_bytes, uint8_t *bytes)
{
	struct lid_header header = { .dlid = 2, .slid = 1, .frame_bytes = (uint16_t)frame_bytes };

	fabric_envelope_write(9, 0, 1, 0, bytes);
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
}

/* TB-26: floods of every length fill the buffer of a lane, not the pool, which is one and a half
 * times the buffers, the greatest frame, and the reserve of copies */
TEST(pool_init__floods)
{
	struct flood *flood = zeroed(sizeof(*flood));
	size_t lane_bytes = FLOOD_UNITS * UNIT_BYTES, most_bytes;

	flood_configure();
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].buffer_units = FLOOD_UNITS;
	lid_open(0);
	*flood = (struct flood){ .pool = &lid_of()->sw.pool,
				 .front_bytes = LID_FRONT_BYTES,
				 .front = flood_front,
				 .has_buffer = flood_has_buffer };
	ck_assert_uint_le(packet_pool_bytes(flood->pool),
			  PORTS * LANES * lane_bytes * 3 / 2 +
				  (2 + lid_of()->sw.flood_packets_max) * FLOOD_GREATEST_BYTES);
	ck_assert_uint_ge(packet_pool_bytes(flood->pool),
			  PORTS * LANES * lane_bytes * 3 / 2 +
				  lid_of()->sw.flood_packets_max * FLOOD_GREATEST_BYTES);
	most_bytes = flood_all(flood, (uint32_t)(lane_bytes * 3 / 2 / PACKET_CELL_BYTES));
	ck_assert_uint_gt(most_bytes, lane_bytes * 14 / 10);
	books_expect(0);
	free(flood);
}
