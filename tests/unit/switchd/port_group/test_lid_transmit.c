/*  switchd/port_group/lid_transmit: credit of lanes, shares of inputs, and FECN (PG-9, PG-10). */
#include "tests/testing.h"
#include "tests/unit/switchd/port_group/one_lid.h"

TEST_GROUP(transmit, .setup = lid_setup, .teardown = teardown);

/* packets that wait for credit of one output or lane delay no packet of another one */
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

/* never more is sent than was granted, in parts of any size */
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

/* two inputs share an output by bytes, at any lengths of packets */
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
	port_unblock(2, 20 * NODE_US, ORDERED, PLENTY);
	one_switch_run(&s, FAR);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got)) {
		uint32_t frame_bytes = link_frame_bytes(&s.links[2], got.header.wire_bytes);

		sent[frame_bytes == FULL_BYTES ? 0 : 1] += frame_bytes;
		ck_assert_int_le(abs((int)(sent[0] - sent[1])), 2 * NODE_MTU_MAX);
	}
	ck_assert_uint_eq(sent[0] + sent[1], 40 * FULL_BYTES + 10 * 4096);
	books_expect(0);
}

/* Marks begin at the threshold (0), not where packets wait for credit, because that congestion is
 * downstream (1), but if a host grants none (2); not where unordered packets have other ports (3),
 * until three buffers wait (4). */
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
		s.links[out].rx.buffer_units = FULL_UNITS;
	for (uint32_t i = 0; i < 4; i++)
		lid_send(0, 2 * NODE_US, dlids[_i], classes[_i], FULL_BYTES);
	one_switch_run(&s, 10 * NODE_US);
	books_expect(4);
	for (uint32_t i = 0; i < 4; i++) {
		port_unblock(out, (20 + i) * NODE_US, classes[_i],
			     stingy[_i] ? (i + 1) * FULL_UNITS : PLENTY);
		one_switch_run(&s, (21 + i) * NODE_US);
	}
	while (neighbour_receive(&s, out, RECORD_PACKET, &got))
		fecns += got.bytes[FABRIC_ENVELOPE_BYTES + 2] >> 7;
	ck_assert_uint_eq(fecns, marked[_i]);
	ck_assert_uint_eq(stats_of(out)->fecn_marked, marked[_i]);
	books_expect(0);
}

/* marks of other switches stay */
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
