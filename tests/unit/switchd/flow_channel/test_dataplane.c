/*  switchd/flow_channel/dataplane: one switch whose neighbours are played by hand
 *  (tests/unit/switchd/flow_channel/one_switch.h): the legs of a packet and of an ACK, set-up and
 *  release of channels, exhaustion, losses, and what is dropped (FC-1, FC-3, FC-8..FC-15,
 *  FC-17..FC-20, FC-26, TB-7, TB-15, TB-23, TB-25). */
#include <errno.h>
#include <stdio.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"

/* ---- the way of a packet ---- */

TEST_GROUP(packet, .setup = setup, .teardown = teardown);

/* FC-10, FC-11: in at an edge, out at the right fabric port behind envelope and header; store and
 * forward */
TEST(packet__edge_to_fabric)
{
	struct fabric_header header;
	uint8_t frame[FRAME_HEADERS_MAX];
	node_time_t at;

	one_switch_open(&s);
	at = host_send(&s, 0, 1000, 3, 7, 0, 1500);
	one_switch_run(&s, FAR);
	packet_expect_at(2, 1500, at + 1504 * BYTE_PS + LEAD);
	ck_assert_uint_eq(got.header.wire_bytes, 12 + 1500 + 4);
	header = header_of_packet(2);
	ck_assert_uint_eq(header.fabric_address, 2);
	ck_assert_uint_eq(header.egress_port, 1);
	ck_assert_uint_eq(header.units, 6);
	ck_assert_uint_eq(header.hops, 1);
	ck_assert(header.ordered);
	ck_assert_uint_eq(got.header.captured_bytes,
			  FABRIC_FRONT_BYTES + frame_make(0, 3, 7, 0, 1500, frame));
	ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, frame,
			 got.header.captured_bytes - FABRIC_FRONT_BYTES);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->data_hops, 1);
}

/* FC-10: out at the egress edge nothing of the fabric is left, the frame is what went in */
TEST(packet__fabric_to_edge)
{
	uint8_t frame[FRAME_HEADERS_MAX];
	uint32_t captured = frame_make(2, 1, 5, 0, 1500, frame);
	node_time_t at;

	one_switch_open(&s);
	at = switch_send(&s, 2, 0, 1, 5, 4000, 1500);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 1500, at + 1516 * BYTE_PS + LEAD);
	ck_assert_uint_eq(got.header.wire_bytes, 1504);
	ck_assert_uint_eq(got.header.captured_bytes, captured);
	ck_assert_mem_eq(got.bytes, frame, captured);
	no_packet_expect(0);
}

/* FC-8: on the way through, the header's flow_id and position are the next link's own */
TEST(packet__fabric_to_fabric)
{
	struct fabric_header header;

	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 1, 0, 100);
	switch_send(&s, 2, NODE_US, 4, 9, 4000, 1500);
	one_switch_run(&s, FAR);
	packet_expect(3, 100);
	header = header_of_packet(3);
	packet_expect(3, 1500);
	ck_assert_uint_ne(header_of_packet(3).flow_id, header.flow_id);
	header = header_of_packet(3);
	ck_assert_uint_lt(header.flow_id, 16);
	ck_assert_uint_ne(header.data_flow, 4000);
	ck_assert_uint_eq(header.hops, 1);
	ck_assert_uint_eq(header.fabric_address, 3);
}

/* FC-1: ingress and egress on the same switch, nothing of it on any fabric link */
TEST(packet__edge_to_edge)
{
	node_time_t at;

	one_switch_open(&s);
	at = host_send(&s, 0, 0, 1, 0, 0, 70);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 70, at + 74 * BYTE_PS + LEAD);
	no_packet_expect(2);
	no_packet_expect(3);
	all_released_expect();
}

/* latency: output first bit = decision + switch + cable; the decision falls with the header's 64
 * bytes (cut through), with the last bit (store and forward), and never so early that the output
 * would run dry */
TEST(packet__cut_through_latency)
{
	node_time_t at;

	s.config.switch_.cut_through = true;
	s.ports[3].rate_bps = 400000000000;
	one_switch_open(&s);
	at = host_send(&s, 0, 1000, 2, 1, 0, 4096);
	one_switch_run(&s, FAR);
	packet_expect_at(2, 4096, at + 64 * BYTE_PS + LEAD);
	at = switch_send(&s, 2, NODE_US, 0, 1, 0, 4096);
	one_switch_run(&s, FAR);
	packet_expect_at(0, 4096, at + 64 * BYTE_PS + LEAD);
	/* twice as fast a link: starts when half is there */
	at = host_send(&s, 0, 3 * NODE_US, 4, 1, 0, 4096);
	one_switch_run(&s, FAR);
	packet_expect_at(3, 4096, at + 4100 * BYTE_PS - 4112 * BYTE_PS / 2 + LEAD);
}

/* packets of one flow follow each other at link rate, gap included */
TEST(packet__back_to_back)
{
	node_time_t first, length = (1516 + GAP_BYTES) * BYTE_PS;

	one_switch_open(&s);
	first = host_send(&s, 0, 0, 2, 1, 0, 1500);
	for (uint32_t i = 1; i < 20; i++)
		host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 20; i++) {
		packet_expect_at(2, 1500, first + 1504 * BYTE_PS + LEAD + i * length);
		ck_assert_uint_eq(header_of_packet(2).data_flow, 6 * i);
	}
}

/* FC-15: while flow_extent != 0 a flow keeps its port; when it is 0 the next packet takes the path
 * of now */
TEST(packet__keeps_its_path_while_under_way)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	s.dp->routes.routes[2].ports[0] = 3;
	host_send(&s, 0, NODE_US, 2, 1, 0, 1001);
	host_send(&s, 0, NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1001);
	packet_expect(3, 1002);
	switch_send_ack(&s, 2, 2 * NODE_US, header_of_packet(3).flow_id, ACK_DELTA, 8);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, 1003);
	one_switch_run(&s, FAR);
	no_packet_expect(2);
	packet_expect(3, 1003);
	ck_assert_uint_eq(drops_all(), 0);
}

/* FC-11: a flow whose output is stopped delays no other one of the same input by a picosecond */
TEST(packet__no_head_of_line_blocking)
{
	node_time_t at;

	s.config.switch_.output_queue_units_max = 8;
	one_switch_open(&s);
	neighbour_stop(&s, 2, 0, 1);
	one_switch_run(&s, NODE_US);
	for (uint32_t i = 0; i < 10; i++)
		host_send(&s, 0, NODE_US, 2, 1, 0, 1000);
	at = host_send(&s, 0, 0, 4, 2, 0, 1500);
	one_switch_run(&s, 10 * NODE_US);
	packet_expect_at(3, 1500, at + 1504 * BYTE_PS + LEAD);
	ck_assert_uint_eq(stats_of(0)->channel_waits, 0);
	no_packet_expect(2);
	/* the blocked one goes on when it may, in order, and its waiting was counted: from its
	 * first packet's last bit on */
	neighbour_stop(&s, 2, 20 * NODE_US, 0);
	one_switch_run(&s, 30 * NODE_US);
	for (uint32_t i = 0; i < 10; i++) {
		packet_expect(2, 1000);
		ck_assert_uint_eq(header_of_packet(2).data_flow, 4 * i);
	}
	ck_assert_uint_eq(stats_of(2)->paused_ps,
			  (20 - 1) * NODE_US - (1004 - LINK_WORD_BYTES) * BYTE_PS);
}

/* EC-4: a host may pause a class: it waits in its output queue, the other goes on, and the pause
 * was counted */
TEST(packet__edge_class_is_paused)
{
	s.config.class_count = 2;
	one_switch_open(&s);
	neighbour_stop(&s, 1, 0, 1 << 1);
	host_send(&s, 0, NODE_US, 1, 1, 1, 1000);
	host_send(&s, 0, NODE_US, 1, 1, 0, 1001);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(1, 1001);
	no_packet_expect(1);
	ck_assert_uint_eq(s.dp->ports[1].output[1].queue.units, 4);
	neighbour_stop(&s, 1, 10 * NODE_US, 0);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 1000, 10 * NODE_US + LINK_WORD_BYTES * BYTE_PS + LEAD);
	ck_assert_uint_gt(stats_of(1)->paused_ps, 8 * NODE_US);
	ck_assert_uint_lt(stats_of(1)->paused_ps, 9 * NODE_US);
}

/* FC-19: a class at its maximum holds up no other one, not even one that still waits for its
 * payload (cut through) */
TEST(packet__class_at_its_maximum)
{
	node_time_t at;

	s.config.switch_.cut_through = true;
	s.config.class_count = 2;
	s.config.classes[0].max_permille = 1;
	s.ports[3].rate_bps = 400000000000;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 10; i++)
		host_send(&s, 0, 0, 4, 1, 0, 4096);
	at = host_send(&s, 0, 5 * NODE_US, 4, 1, 1, 4095);
	one_switch_run(&s, 8 * NODE_US);
	do
		ck_assert(neighbour_receive(&s, 3, RECORD_PACKET, &got));
	while (got.header.traffic_class == 0);
	ck_assert_uint_eq(got.header.at_ps, at + 4099 * BYTE_PS - 4111 * BYTE_PS / 2 + LEAD);
	ck_assert_uint_gt(s.dp->ports[3].output[0].queue.units, 0);
}

/* FC-11: the output's load counts a packet from its request, which with cut through is before its
 * payload is here */
TEST(packet__load_counts_requests)
{
	node_time_t at;

	s.config.switch_.cut_through = true;
	s.config.switch_.output_queue_units_max = 16;
	one_switch_open(&s);
	port_block(2);
	for (uint32_t i = 0; i < 4; i++)
		at = switch_send(&s, 3, 0, 2, 1, 16 * i, 4096);
	one_switch_run(&s, at + 64 * BYTE_PS);
	ck_assert_uint_eq(stats_of(2)->queue_bytes, 3 * 4096);
	one_switch_run(&s, at + 64 * BYTE_PS + 1);
	ck_assert_uint_eq(stats_of(2)->queue_bytes, 4 * 4096);
	ck_assert_uint_eq(stats_of(2)->queue_bytes_max, 4 * 4096);
	/* behind the crossbar: one of them */
	ck_assert_uint_eq(s.dp->ports[2].output[0].queue.units, 16);
	ck_assert_uint_eq(s.stats->inside_bytes, 4 * 4096);
}

/* EC-1: at its ingress edge a flow asks with its first packet only: what its own limits hold back
 * loads no output */
TEST(packet__ingress_asks_one_by_one)
{
	node_time_t at = 0;

	s.config.switch_.output_queue_units_max = 16;
	one_switch_open(&s);
	port_block(2);
	for (uint32_t i = 0; i < 4; i++)
		at = host_send(&s, 0, 0, 2, 1, 0, 4096);
	one_switch_run(&s, at + 4100 * BYTE_PS + 1);
	ck_assert_uint_eq(stats_of(2)->queue_bytes, 2 * 4096); /* behind the crossbar, and asking */
	ck_assert_uint_eq(s.stats->inside_bytes, 4 * 4096);
}

/* a full input buffer says stop; and go, once, when an eighth of it has left through the
 * crossbar */
TEST(packet__input_buffer_says_stop_and_go)
{
	node_time_t at = 0;

	one_switch_open(&s);
	neighbour_stop(&s, 2, 0, 1);
	for (uint32_t i = 0; i < 12; i++)
		at = host_send(&s, 0, NODE_US, 2, 1, 0, 4096);
	one_switch_run(&s, at + NODE_US);
	ck_assert(!neighbour_receive(&s, 0, RECORD_WORD, &got)); /* 192 units: just the level */
	at = host_send(&s, 0, at + NODE_US, 2, 1, 0, 256);
	one_switch_run(&s, at + NODE_US);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_STOP), 1);
	ck_assert_uint_eq(got.header.at_ps, at + 260 * BYTE_PS + LEAD);
	ck_assert_uint_eq(s.links[0].held_units[0], 193);
	ck_assert_uint_eq(stats_of(0)->input_units_max, 193);
	neighbour_stop(&s, 2, 20 * NODE_US, 0);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_STOP), 0);
	ck_assert_uint_eq(got.header.at_ps, 20 * NODE_US + LINK_WORD_BYTES * BYTE_PS + LEAD);
	ck_assert(!neighbour_receive(&s, 0, RECORD_WORD, &got));
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
}

/* FC-20: two inputs, one output: flows share it equally, or ports do */
TEST_RANGE(packet__arbiter, 0, 2)
{
	uint32_t count[2] = { 0 };

	s.config.switch_.arbiter = _i ? ARBITER_BY_PORT : ARBITER_BY_FLOW;
	s.config.switch_.output_queue_units_max = 16;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 12; i++) {
		host_send(&s, 0, 0, 2, 1, 0, 4096);
		for (uint32_t flow = 0; i < 4 && flow < 3; flow++)
			host_send(&s, 1, 0, 2, flow, 0, 4095);
	}
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 12; i++) {
		ck_assert(neighbour_receive(&s, 2, RECORD_PACKET, &got));
		count[got.header.wire_bytes == 4111]++;
	}
	ck_assert_uint_ge(count[1], _i ? 5 : 7);
	ck_assert_uint_le(count[1], _i ? 7 : 10);
}

/* ---- ACKs ---- */

/* FC-12: the egress edge makes the ACK when the packet leaves; after T1 it goes to where the packet
 * came from */
TEST(ack__made_at_the_egress_edge)
{
	node_time_t at;

	one_switch_open(&s);
	at = switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.at_ps, at + 1516 * BYTE_PS + T1 + LEAD);
	ck_assert_uint_eq(got.header.wire_bytes, ack_frame_wire_bytes(1));
	ck_assert(!neighbour_receive(&s, 3, RECORD_ACKS, &got));
	all_released_expect();
}

/* FC-12: data that contends with an ACK for one port does not block it, be there more data than the
 * link carries (_i: 0) or be the data stopped by the peer (1): it leaves after T3 and the frame
 * that is being sent, and data follow it */
TEST_RANGE(ack__data_cannot_block_it, 0, 2)
{
	node_time_t at, due;

	one_switch_open(&s);
	if (_i)
		neighbour_stop(&s, 2, 0, 1);
	for (uint32_t i = 0; i < 12; i++)
		host_send(&s, i % 2, NODE_NS, 2, i, 0, 4000);
	at = switch_send(&s, 2, 500 * NODE_NS, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	due = at + (1500 + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES) * BYTE_PS + 3 * T1;
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_le(
		got.header.at_ps,
		due + (4000 + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES + GAP_BYTES) * BYTE_PS + LEAD);
	ck_assert(neighbour_receive(&s, 2, RECORD_PACKET, &got) == !_i);
	ck_assert_uint_eq(s.stats->inside_packets, _i ? 12 : 0);
}

/* FC-12, FC-14: at the ingress edge the ACK frees OFCT, IFCT and EFCT, and goes no further */
TEST(ack__ends_at_the_ingress_edge)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	ck_assert_uint_eq(s.dp->ports[0].efct.used, 1);
	ck_assert_uint_eq(s.dp->ports[2].ofct.used, 1);
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[0].entries[0]), 12);
	switch_send_ack(&s, 2, NODE_US, header_of_packet(2).flow_id, ACK_DELTA, 6);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[0].entries[0]), 6);
	ck_assert_uint_eq(efct_flow_extent(&s.dp->ports[0].efct.lines[0]), 6);
	switch_send_ack(&s, 2, 2 * NODE_US, header_of_packet(2).flow_id, ACK_DELTA_ECA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* FC-12: on the way through it is renamed to the channel of the link before; so is one that settles
 * nothing (FC-13) */
TEST(ack__renamed_on_the_way_up)
{
	uint32_t id;

	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 1500);
	id = header_of_packet(3).flow_id;
	switch_send_ack(&s, 3, NODE_US, id, ACK_ECA, 33);
	one_switch_run(&s, 2 * NODE_US);
	ack_expect(2, 9, ACK_ECA, 33);
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[2].entries[9]), 6);
	switch_send_ack(&s, 3, 2 * NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	ack_expect(2, 9, ACK_DELTA, 6);
	all_released_expect();
}

/* FC-14: a second packet that meets the first one's ACK here is a fresh first packet from here on,
 * and no hole */
TEST(ack__second_packet_meets_it)
{
	uint32_t id;

	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 65530, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 1500);
	id = header_of_packet(3).flow_id;
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, NODE_US + 20 * NODE_NS);
	all_released_expect();
	/* sent before its sender can have heard of it */
	switch_send(&s, 2, NODE_US, 4, 9, 0, 1501);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(3, 1501);
	ck_assert_uint_eq(header_of_packet(3).data_flow, 6);
	switch_send_ack(&s, 3, 2 * NODE_US, header_of_packet(3).flow_id, ACK_DELTA, 6);
	ck_assert_uint_eq(stats_of(2)->hole_units, 0);
	ack_expect(2, 9, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
}

/* FC-18: ACKs that wait together go together, summed up per flow, T1 after the first */
TEST(ack__several_in_a_frame)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	node_time_t at;

	one_switch_open(&s);
	for (uint32_t i = 0; i < 9; i++)
		switch_send(&s, 2, 0, 4, i % 3, i / 3, 70);
	one_switch_run(&s, NODE_US);
	for (uint32_t i = 0; i < 9; i++) {
		packet_expect(3, 70);
		acks[i % 3] = (struct ack){ .flow_id = header_of_packet(3).flow_id,
					    .type = ACK_DELTA,
					    .value = 1 };
	}
	at = switch_send_acks(&s, 3, NODE_US, acks, 3);
	for (uint32_t i = 0; i < 3; i++)
		acks[i].value = 2;
	switch_send_acks(&s, 3, NODE_US, acks, 3);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(acks_receive(2, acks), 3);
	ck_assert_uint_eq(got.header.at_ps, at + ack_frame_wire_bytes(3) * BYTE_PS + T1 + LEAD);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(acks[i].flow_id, i);
		ck_assert_uint_eq(acks[i].value, 3);
	}
	all_released_expect();
}

/* ---- exhaustion (FC-9) ---- */

/* no free EFCT line: new flows wait, counted, in order; flows that have one go on */
TEST(exhaustion__efct)
{
	uint32_t id;

	s.ports[0].channels = 2;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	host_send(&s, 0, 0, 2, 1, 0, 1001);
	host_send(&s, 0, 0, 2, 2, 0, 1002); /* these wait */
	host_send(&s, 0, 0, 2, 3, 0, 1003);
	host_send(&s, 0, 0, 2, 2, 0, 1004);
	host_send(&s, 0, 0, 2, 0, 0, 1005); /* goes on */
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	packet_expect(2, 1001);
	id = header_of_packet(2).flow_id;
	packet_expect(2, 1005);
	no_packet_expect(2);
	ck_assert_uint_eq(stats_of(0)->channel_waits, 3);
	switch_send_ack(&s, 2, NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1002); /* the flow that waits longest has the line, with all its packets */
	packet_expect(2, 1004);
	id = header_of_packet(2).flow_id;
	no_packet_expect(2);
	host_send(&s, 0, 2 * NODE_US, 2, 3, 0, 1006); /* may not overtake 1003 */
	switch_send_ack(&s, 2, 3 * NODE_US, id, ACK_DELTA, 8);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(2, 1003);
	packet_expect(2, 1006);
	ck_assert_uint_eq(stats_of(0)->efct_used_max, 2);
	ck_assert_uint_eq(drops_all(), 0);
}

/* other match fields at run time: new flows wait until the old ones have ended, then all go, in
 * order (FC-2, FC-15) */
TEST(exhaustion__match_fields_change)
{
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	id = header_of_packet(2).flow_id;
	ck_assert_int_eq(switchd_ops.set(s.dp, "match", "8", stdout), 0); /* IP pair */
	for (uint32_t i = 1; i < 4; i++)
		host_send(&s, 0, NODE_US, 2, i, 0, 1000 + i);
	one_switch_run(&s, 2 * NODE_US);
	no_packet_expect(2);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	for (uint32_t i = 1; i < 4; i++)
		packet_expect(2, 1000 + i);
	ck_assert_uint_eq(s.dp->ports[0].efct.used, 1); /* one flow now */
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[0].entries[0]), 12);
}

/* FC-2: what a flow is at one edge port, changed at run time, says nothing of the others; a fabric
 * port has no flows of hosts */
TEST(match__of_one_port)
{
	one_switch_open(&s);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "8", stdout), 0); /* IP pair */
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p2", "8", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p4", "8", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p", "8", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "128", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "source-port&0x10000", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "ports,source-port/8", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "", stdout), -EINVAL);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match", "destination-ip/0", stdout), -EINVAL);
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t p = 0; p < 2; p++)
			host_send(&s, p, 0, 2, i, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.dp->ports[0].efct.used, 3);
	ck_assert_uint_eq(s.dp->ports[1].efct.used, 1);
}

/* FC-2: two hosts send the same eight flows to the same destinations; their ports' masks make of
 * them two, and four */
TEST(match__masks_of_two_ports)
{
	char why[200], *text;
	size_t length;
	FILE *out;

	ck_assert_int_eq(
		flow_match_parse("source-port&0xfffc", &s.ports[0].match, why, sizeof(why)), 0);
	ck_assert_int_eq(
		flow_match_parse("source-port&0xfffe", &s.ports[1].match, why, sizeof(why)), 0);
	one_switch_open(&s);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t p = 0; p < 2; p++)
			host_send(&s, p, 0, 2, i, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.dp->ports[0].efct.used, 2);
	ck_assert_uint_eq(s.dp->ports[1].efct.used, 4);
	out = open_memstream(&text, &length);
	ck_assert_int_eq(switchd_ops.set(s.dp, "match.p1", "none", stdout), 0);
	ck_assert_int_eq(switchd_ops.show(s.dp, "match", -1, 0, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "p0    source-port/14\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "p1    source-port/15; when its flows have ended: none\n"));
	free(text);
}

/* no free id on the output link: the flow waits in its own queue, first come first served; others
 * go on */
TEST(exhaustion__ofct)
{
	node_time_t now = NODE_US;

	s.ports[2].channels = 1;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 4; i++)
		host_send(&s, i % 2, 0, 2, i, 0, 1000 + i);
	host_send(&s, 0, 0, 4, 9, 0, 1009); /* to another switch */
	host_send(&s, 0, 0, 2, 0, 0, 1000); /* the flow that has the id */
	one_switch_run(&s, now);
	packet_expect(2, 1000);
	packet_expect(2, 1000);
	no_packet_expect(2);
	packet_expect(3, 1009);
	ck_assert_uint_eq(stats_of(2)->channel_waits, 3);
	for (uint32_t i = 1; i < 4; i++) {
		switch_send_ack(&s, 2, now, 0, ACK_DELTA, i == 1 ? 8 : 4);
		one_switch_run(&s, now += NODE_US);
		packet_expect(2, 1000 + i);
		no_packet_expect(2);
	}
	switch_send_ack(&s, 2, now, 0, ACK_DELTA, 4);
	switch_send_ack(&s, 3, now, 0, ACK_DELTA, 4);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(stats_of(2)->ofct_used_max, 1);
}

/* a freed id belongs to the flow that waits longest for it, not to one that was still waiting for
 * an EFCT line */
TEST(exhaustion__ofct_before_efct)
{
	s.ports[0].channels = 1;
	s.ports[2].channels = 1;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);            /* has line and id */
	host_send(&s, 0, 0, 2, 1, 0, 1001);            /* waits for the line */
	host_send(&s, 1, 50 * NODE_NS, 2, 0, 0, 1002); /* waits for the id */
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1000);
	switch_send_ack(&s, 2, 2 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(2, 1002);
	no_packet_expect(2);
	switch_send_ack(&s, 2, 3 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(2, 1001);
}

/* ---- losses (FC-17) ---- */

/* FC-17: a hole in a flow is reported upstream from here, no extent changes by it; _i: the link is
 * guarded, which changes nothing */
TEST_RANGE(loss__hole, 0, 2)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t lost = 0, delivered = 0, count;

	s.ports[2].guarded = _i;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1); /* so that the channel stays */
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	switch_send(&s, 2, 0, 0, 5, 18, 1502); /* 6 units are missing */
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(stats_of(2)->hole_units, 6);
	ck_assert_uint_eq(ifct_total_extent(&s.dp->ifcts[2].entries[5]), 18);
	no_packet_expect(0);
	neighbour_stop(&s, 0, NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		packet_expect(0, 1500 + i);
	while (neighbour_receive(&s, 2, RECORD_ACKS, &got)) {
		count = (uint32_t)ack_frame_read(got.bytes, got.header.captured_bytes, acks);
		for (uint32_t i = 0; i < count; i++)
			*(acks[i].type == ACK_LOSS ? &lost : &delivered) += acks[i].value;
	}
	ck_assert_uint_eq(lost, 6);
	ck_assert_uint_eq(delivered, 18);
	all_released_expect();
}

/* FC-17, FC-14: the loss of a flow's first packet, on a channel that is free here, leaves a hole
 * too */
TEST(loss__first_packet)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	s.ports[2].guarded = true;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, NODE_US);
	ack_expect(2, 5, ACK_DELTA, 6);
	all_released_expect();
	switch_send(&s, 2, NODE_US, 1, 5, 12, 1500); /* 6 units are missing */
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(acks_receive(2, acks), 2);
	ck_assert_uint_eq(acks[0].type, ACK_DELTA);
	ck_assert_uint_eq(acks[1].type, ACK_LOSS);
	ck_assert_uint_eq(acks[1].value, 6);
	all_released_expect();
}

/* FC-17: lost on a guarded output with another packet after it: the switch there says so, the link
 * does not. What is lost last is the link's to tell, and the next packet has the position that is
 * expected there. */
TEST(loss__hole_and_tail_on_guarded_output)
{
	uint32_t id;

	s.ports[2].guarded = true;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	id = header_of_packet(2).flow_id;
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 2);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SEEN, 0, 3);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->tail_units, 6);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 6);
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[0].entries[0]), 12);
	host_send(&s, 0, 2 * NODE_US, 2, 1, 0, 1501);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_LOSS, 6); /* the hole */
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(2, 1500);
	packet_expect(2, 1500);
	packet_expect(2, 1501);
	ck_assert_uint_eq(header_of_packet(2).data_flow, 12);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 12);
	switch_send_ack(&s, 2, 3 * NODE_US, id, ACK_DELTA, 12);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* a loss reported from downstream frees the channels like a delivery, and is counted at the
 * source's edge */
TEST(loss__reported_to_the_source)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	switch_send_ack(&s, 2, NODE_US, header_of_packet(2).flow_id, ACK_LOSS, 6);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(stats_of(0)->loss_reports, 1);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 6);
	all_released_expect();
}

/* lost on a guarded output: found by SYNC though it was the last frame, told by the peer, reported,
 * all released */
TEST(loss__last_packet_on_guarded_link)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss_ppb = 1000000000;
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SYNC), 1);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SEEN, 0, 1);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(stats_of(0)->loss_reports, 1);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 6);
	all_released_expect();
}

/* a lost ACK frame is sent again, with what it said */
TEST(loss__ack_frame_on_guarded_link)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss_ppb = 1000000000;
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SYNC), 1);
	s.links[2].loss_ppb = 0;
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_MISSING, 0, 0);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SEEN, 0, 1);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.sequence, 1);
}

/* a packet on a guarded edge link is delivered when the receiver has it: only then the ACK starts
 * back */
TEST(loss__guarded_edge_link)
{
	s.ports[0].guarded = true;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	one_switch_run(&s, NODE_US);
	packet_expect(0, 1500);
	ck_assert(!neighbour_receive(&s, 2, RECORD_ACKS, &got));
	neighbour_send_word(&s, 0, NODE_US, LINK_WORD_SEEN, 0, 1);
	one_switch_run(&s, 2 * NODE_US);
	ack_expect(2, 5, ACK_DELTA, 6);
	neighbour_send_word(&s, 0, 2 * NODE_US, LINK_WORD_MISSING, 0, 1);
	neighbour_send_word(&s, 0, 2 * NODE_US, LINK_WORD_SEEN, 0, 2);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_LOSS, 6);
	all_released_expect();
}

/* FC-17: lost on a guarded input: the link says which frames, found by the next one or by SYNC; the
 * hole is reported, what follows no packet is not */
TEST(loss__input_is_guarded)
{
	s.ports[2].guarded = true;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	switch_send(&s, 2, 0, 0, 5, 6, 1501);
	s.neighbours[2].sequence++;
	switch_send(&s, 2, 0, 0, 5, 18, 1502);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 2);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SEEN), 4);
	ack_expect(2, 5, ACK_LOSS, 6);
	neighbour_send_word(&s, 2, NODE_US, LINK_WORD_SYNC, 0, 6);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 4);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_MISSING), 5);
	ck_assert_uint_eq(word_expect(2, LINK_WORD_SEEN), 6);
	ck_assert_uint_eq(stats_of(2)->hole_units, 6);
	ck_assert(!neighbour_receive(&s, 2, RECORD_ACKS, &got));
	ck_assert_uint_eq(drops_all(), 0);
}

/* ---- networks behind hosts ---- */

/* a frame for 10.9.@third.1 with the MAC of a gateway that the fabric does not know, from the host
 * at port 0 */
static void gateway_send(node_time_t at, uint8_t third, uint32_t frame_bytes)
{
	uint8_t bytes[FRAME_HEADERS_MAX], *ip = bytes + 14;
	uint32_t captured = frame_make(0, 1, 1, 0, frame_bytes, bytes), sum = 0;

	memcpy(bytes, (const uint8_t[]){ 2, 9, 9, 9, 9, 9 }, 6);
	memcpy(ip + 16, (const uint8_t[]){ 10, 9, third, 1 }, 4);
	bytes_put16(ip + 10, 0);
	for (uint32_t i = 0; i < 20; i += 2)
		sum += bytes_get16(ip + i);
	bytes_put16(ip + 10, (uint16_t) ~(sum % 0xffff));
	neighbour_send_frame(&s, 0, at, RECORD_PACKET, frame_bytes + FRAME_FCS_BYTES, 0, bytes,
			     captured);
}

/* FC-3: what is for an address behind a router leaves at the router's port, whose place the fabric
 * manager may change */
TEST(prefix__leaves_at_the_port_of_its_router)
{
	struct prefix_config prefixes[] = {
		{ .host_index = 3, .version = 4, .bits = 16, .address = { 10, 9 } },
		{ .host_index = 1, .version = 4, .bits = 24, .address = { 10, 9, 8 } },
	};
	struct switch_config moved;
	struct host_config hosts[] = { { .host_index = 3, .fabric_address = 3, .egress_port = 1 } };

	s.config.switch_.prefixes = prefixes;
	s.config.switch_.prefix_count = 2;
	one_switch_open(&s);
	gateway_send(0, 7, 1000);
	gateway_send(0, 8, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	ck_assert_uint_eq(header_of_packet(2).fabric_address, 2);
	ck_assert_uint_eq(header_of_packet(2).egress_port, 1);
	packet_expect(1, 1001);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	moved = s.config.switch_;
	moved.hosts = hosts;
	moved.host_count = 1;
	moved.prefix_count = 0; /* the fabric manager does not know them */
	ck_assert_int_eq(switchd_ops.tables(s.dp, &moved), 0);
	gateway_send(NODE_US, 7, 1002);
	one_switch_run(&s, FAR);
	packet_expect(3, 1002);
	ck_assert_uint_eq(header_of_packet(3).egress_port, 1);
	ck_assert_uint_eq(drops_all(), 0);
}

/* ---- what is dropped is counted, its room given back ---- */

TEST(drop__unknown_destination)
{
	s.config.switch_.host_count = 1; /* there is nobody but the sender */
	one_switch_open(&s);
	host_send(&s, 0, 0, 50, 1, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
	ck_assert_uint_eq(drops_all(), 1);
	all_released_expect();
}

TEST(drop__no_route)
{
	s.config.switch_.route_count = 1;
	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 1, 0, 1500);
	switch_send(&s, 2, 0, 4, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 2);
	ack_expect(2, 5, ACK_LOSS, 6); /* its sender counts on an ACK */
	all_released_expect();
}

TEST(drop__malformed)
{
	static const uint8_t junk[100] = { 0x55 };
	uint8_t frame[FRAME_HEADERS_MAX];
	uint32_t captured = frame_make(0, 2, 0, 3, 1500, frame);

	s.config.class_count = 4;
	one_switch_open(&s);
	/* too short to be a frame */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 100, 0, junk, 10);
	/* of class 3, sent as 2 */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 1504, 2, frame, captured);
	/* more captured than there is */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 64, 3, frame, captured);
	/* ACKs from a host */
	neighbour_send_frame(&s, 0, 0, RECORD_ACKS, 20, 0, junk, 20);
	/* no fabric header */
	neighbour_send_frame(&s, 2, 0, RECORD_PACKET, 120, 0, junk, 26);
	/* not even room for one */
	neighbour_send_frame(&s, 2, 0, RECORD_PACKET, 120, 0, junk, 5);
	neighbour_send_frame(&s, 2, 0, RECORD_ACKS, 100, 0, junk, 100); /* no ACK frame */
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED) + drops(DROP_BAD_RECORD), 7);
	ck_assert_uint_eq(drops_all(), 7);
	all_released_expect();
}

TEST(drop__oversize)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, MTU + 1);
	host_send(&s, 0, 0, 2, 1, 0, MTU);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	packet_expect(2, MTU);
}

TEST(drop__channel_out_of_range)
{
	one_switch_open(&s);
	switch_send(&s, 2, 0, 0, 16, 0, 1500);
	switch_send(&s, 2, 0, 0, 2047, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_BAD_CHANNEL), 2);
	all_released_expect();
}

TEST(drop__ack_for_nothing)
{
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1500);
	id = header_of_packet(2).flow_id;
	switch_send_ack(&s, 2, NODE_US, id, ACK_DELTA, 7);     /* more than is under way */
	switch_send_ack(&s, 2, NODE_US, id + 1, ACK_DELTA, 1); /* another channel */
	switch_send_ack(&s, 2, NODE_US, 2047, ACK_DELTA, 1);   /* none */
	switch_send_ack(&s, 2, NODE_US, id + 1, ACK_HEADROOM, 1);
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 1); /* another link */
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 5);
	ck_assert_uint_eq(ifct_flow_extent(&s.dp->ifcts[0].entries[0]), 6);
	switch_send_ack(&s, 2, 2 * NODE_US, id, ACK_DELTA, 6);
	one_switch_run(&s, FAR);
	all_released_expect();
}

/* ---- node_ops ---- */

/* nothing due, nothing to do: and it says when it wants to be called */
TEST(run__next_event)
{
	node_time_t at;

	s.config.measure_to_ps = 0;
	one_switch_open(&s);
	ck_assert_uint_eq(one_switch_run(&s, 1), NODE_TIME_NEVER);
	at = host_send(&s, 0, 1000, 2, 1, 0, 1500);
	ck_assert_uint_eq(one_switch_run(&s, 2000), at + 1504 * BYTE_PS);
	ck_assert_uint_eq(s.stats->now_ps, 0);
	ck_assert_uint_eq(one_switch_run(&s, at + 1504 * BYTE_PS), at + 1504 * BYTE_PS);
	no_packet_expect(2);
	one_switch_run(&s, at + 1504 * BYTE_PS + 1);
	packet_expect(2, 1500);
}

/* the same traffic, run in windows of @window; fills in when packets came out of p2 and how long
 * they were */
static uint32_t run_in_windows(node_time_t window, node_time_t at_ps[40], uint32_t wire_bytes[40])
{
	uint32_t count = 0;

	setup();
	one_switch_open(&s);
	for (uint32_t i = 0; i < 20; i++) {
		host_send(&s, 0, 0, 2, i, 0, 70 + 150 * i);
		host_send(&s, 1, 0, 2, i, 0, 4000 - 150 * i);
	}
	for (node_time_t end = window; end < 5 * NODE_US + window; end += window)
		one_switch_run(&s, end);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got)) {
		at_ps[count] = got.header.at_ps;
		wire_bytes[count++] = got.header.wire_bytes;
	}
	return count;
}

/* TB-7: cut into windows of any length, the same happens */
TEST_RANGE(run__any_window, 0, 3)
{
	static const node_time_t windows[] = { 365000, 77777, 1000 };
	node_time_t at_ps[2][40] = { 0 };
	uint32_t wire_bytes[2][40] = { 0 };
	uint32_t count = run_in_windows(NODE_S, at_ps[0], wire_bytes[0]);

	one_switch_close(&s);
	ck_assert_uint_ge(count, 16);
	ck_assert_uint_eq(run_in_windows(windows[_i], at_ps[1], wire_bytes[1]), count);
	ck_assert_mem_eq(at_ps[0], at_ps[1], sizeof(at_ps[0]));
	ck_assert_mem_eq(wire_bytes[0], wire_bytes[1], sizeof(wire_bytes[0]));
}

/* samples of every port while the measured interval lasts (TB-13) */
TEST(run__samples)
{
	s.config.sample_ps = 100 * NODE_NS;
	s.config.samples_max = 100;
	s.config.measure_to_ps = NODE_US;
	one_switch_open(&s);
	port_block(2);
	host_send(&s, 0, 50 * NODE_NS, 2, 1, 0, 1000);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.stats->sample_count, 11 * PORTS);
	for (uint32_t i = 0; i < s.stats->sample_count; i++) {
		const struct sample_stats *sample = stats_sample(s.stats, i);

		ck_assert_uint_eq(sample->at_ps, i / PORTS * 100 * NODE_NS);
		ck_assert_uint_eq(sample->port, i % PORTS);
		ck_assert_uint_eq(sample->queue_bytes, i % PORTS == 2 && i / PORTS > 0 ? 1000 : 0);
	}
	/* 1000 bytes from 50 + 40.16 ns to the end of the interval */
	ck_assert_uint_eq(stats_of(2)->queue_byte_ns_sum, 1000 * (1000 - 50) - 1004 * BYTE_PS);
}

static int show(const char *table, int port)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int status = switchd_ops.show(s.dp, table, port, 0, out);

	fclose(out);
	ck_assert(status == -EINVAL || length > 0);
	free(text);
	return status;
}

TEST(dataplane_show__every_table)
{
	static const char *const tables[] = { "ports", "efct",  "ifct",   "ofct",   "queues",
					      "acks",  "fgfc",  "routes", "limits", "congestion",
					      "paths", "trees", "sources" };

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	switch_send(&s, 2, 0, 4, 5, 0, 1000);
	one_switch_run(&s, NODE_US);
	for (uint32_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (int port = -1; port < (int)PORTS; port++)
			ck_assert_int_eq(show(tables[i], port), 0);
		ck_assert_int_eq(show(tables[i], PORTS), -EINVAL);
		ck_assert_int_eq(show(tables[i], -2), -EINVAL);
	}
	ck_assert_int_eq(show("nothing", -1), -ENOENT);
}

static int set(const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int status = switchd_ops.set(s.dp, name, value, out);

	fclose(out);
	ck_assert(status != -ENOENT || length > 0);
	free(text);
	return status;
}

TEST(dataplane_set__values)
{
	static const char *const bad[][2] = {
		{ "match", "128" },      { "match", "-1" },        { "match", "" },
		{ "match", "7x" },       { "ack.t1", "-5" },       { "ack.t2", "x" },
		{ "ack.t3", "1e9" },     { "ack.collect", "0" },   { "ack.collect", "49" },
		{ "output-queue", "0" }, { "output-queue", "65" },
	};

	one_switch_open(&s);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(set(bad[i][0], bad[i][1]), -EINVAL);
	ck_assert_int_eq(set("matches", "1"), -ENOENT);
	ck_assert_int_eq(set("output-queue", "16"), 0);
	ck_assert_int_eq(set("match", "0"), 0);
	ck_assert_int_eq(set("ack.t1", "100"), 0);
	ck_assert_int_eq(set("ack.t2", "200"), 0);
	ck_assert_int_eq(set("ack.t3", "300"), 0);
	ck_assert_int_eq(set("ack.collect", "48"), 0);
	ck_assert_uint_eq(s.dp->ports[2].acks.t3_ps, 300 * NODE_NS);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.at_ps, 1516 * BYTE_PS + 100 * NODE_NS + LEAD);
}

/* ---- flooding (FC-3) ---- */

/* host 0 sends @bytes, @length of them with padding, on port 0 */
static void host_0_sends(node_time_t at, const uint8_t *bytes, uint32_t length)
{
	neighbour_send_frame(&s, 0, at, RECORD_PACKET, length + FRAME_FCS_BYTES, 0, bytes, length);
}

static void group_frame(uint8_t frame[100], uint8_t first, uint16_t ethertype)
{
	memset(frame, 0, 100);
	memset(frame, first, 6);
	address_mac(0, frame + 6);
	bytes_put16(frame + 12, ethertype);
}

/* host 0 asks who has the IPv4 address of host @target */
static void arp_request(uint8_t frame[100], uint32_t target)
{
	group_frame(frame, 0xff, 0x0806);
	bytes_put64(frame + 14, 0x0001080006040001);
	bytes_put32(frame + 28, address_ipv4(0));
	bytes_put32(frame + 38, address_ipv4(target));
}

/* TB-25: what was injected on port 0 is delivered or counted; no copy is inside any more */
static void books_expect(uint64_t injected_bytes)
{
	uint64_t out = 0, dropped = 0;

	for (uint32_t p = 0; p < PORTS; p++) {
		dropped += stats_of(p)->dropped_bytes;
		while (neighbour_receive(&s, p, RECORD_PACKET, &got))
			out += link_frame_bytes(&s.links[p], got.header.wire_bytes);
	}
	ck_assert_uint_eq(injected_bytes + s.stats->flooded_bytes - s.stats->flood_originals_bytes,
			  out + dropped + s.stats->inside_bytes);
	ck_assert_uint_eq(s.dp->sw.flood_packets, 0);
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
}

/* a broadcast goes to every host but its sender, each copy in a channel of its own */
TEST(flood__broadcast)
{
	uint8_t frame[100];
	bool hosts[HOSTS] = { false };

	one_switch_open(&s);
	group_frame(frame, 0xff, 0x9000);
	host_0_sends(0, frame, 100);
	one_switch_run(&s, NODE_US);
	packet_expect(1, 100);
	ck_assert_mem_eq(got.bytes, frame, 100);
	for (uint32_t i = 0; i < 4; i++) {
		struct fabric_header header;

		packet_expect(2 + i / 2, 100);
		header = header_of_packet(2 + i / 2);
		ck_assert_uint_eq(header.flow_id, i % 2);
		hosts[2 * (header.fabric_address - 1) + header.egress_port] = true;
		ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, frame, 100);
		switch_send_ack(&s, 2 + i / 2, NODE_US, header.flow_id, ACK_DELTA, 1);
	}
	for (uint32_t h = 2; h < HOSTS; h++)
		ck_assert(hosts[h]);
	no_packet_expect(0);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.stats->flooded_packets, 5);
	ck_assert_uint_eq(s.stats->flooded_bytes, 500);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, 100);
	ck_assert_uint_eq(drops_all(), 0);
	all_released_expect();
}

TEST(flood__unknown_unicast)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 50, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 5);
	ck_assert_uint_eq(drops_all(), 0);
	books_expect(1500);
}

/* a question for a known address goes to the host that has it, alone; one for the asker's own, or
 * an unknown one, to all */
TEST(flood__arp)
{
	uint8_t frame[100];

	one_switch_open(&s);
	arp_request(frame, 5);
	host_0_sends(0, frame, 60);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 60);
	ck_assert_uint_eq(header_of_packet(3).egress_port, 1);
	ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, frame, 60);
	no_packet_expect(1);
	no_packet_expect(2);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	arp_request(frame, 0);
	host_0_sends(NODE_US, frame, 60);
	arp_request(frame, 60);
	host_0_sends(NODE_US, frame, 60);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 10);
	no_packet_expect(0);
	ck_assert_uint_eq(drops_all(), 0);
}

TEST(flood__reports_have_no_listener)
{
	uint8_t frame[100];

	one_switch_open(&s);
	group_frame(frame, 0x33, 0x86dd);
	bytes_put32(frame + 14, 0x60000000);
	bytes_put16(frame + 18, 16);
	frame[20] = 58;
	frame[54] = 143;
	host_0_sends(0, frame, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_LISTENER), 1);
	ck_assert_uint_eq(drops_all(), 1);
	books_expect(100);
	all_released_expect();
}

static const struct channel_set nothing;

/* copies beyond the limit are dropped and counted; input room is never held by them, other traffic
 * goes on */
TEST(flood__limit)
{
	uint8_t frame[100];

	one_switch_open(&s);
	port_block(2);
	port_block(3);
	group_frame(frame, 0xff, 0x9000);
	for (uint32_t i = 0; i < 100; i++)
		host_0_sends(0, frame, 100);
	one_switch_run(&s, 20 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 500);
	/* the last one for p1 has left */
	ck_assert_uint_eq(s.dp->sw.flood_packets + 1, s.dp->sw.flood_packets_max);
	ck_assert_uint_gt(drops(DROP_FLOOD_LIMIT), 0);
	ck_assert_uint_eq(drops(DROP_FLOOD_LIMIT), drops_all());
	ck_assert_uint_eq(s.links[0].held_units[0], 0);
	while (neighbour_receive(&s, 1, RECORD_PACKET, &got))
		;
	host_send(&s, 0, 30 * NODE_US, 1, 1, 0, 1500);
	one_switch_run(&s, 40 * NODE_US);
	packet_expect(1, 1500);
	switchd_ops.link_down(s.dp, 2, 40 * NODE_US);
	switchd_ops.link_down(s.dp, 3, 40 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 500);
	/* nothing of what had passed is anywhere */
	switchd_ops.link_settle(s.dp, 2, &nothing, 40 * NODE_US);
	switchd_ops.link_settle(s.dp, 3, &nothing, 40 * NODE_US);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.dp->sw.flood_packets, 0);
	all_released_expect();
}

/* copies wait for EFCT lines like any packet, and keep their destinations */
TEST(flood__waits_for_lines)
{
	uint8_t frame[100];
	uint32_t packets[2] = { 0 };

	s.ports[0].channels = 1;
	one_switch_open(&s);
	group_frame(frame, 0xff, 0x9000);
	host_0_sends(0, frame, 100);
	for (uint32_t i = 1; i < 10; i++) {
		one_switch_run(&s, i * NODE_US);
		for (uint32_t p = 2; p < 4; p++)
			while (neighbour_receive(&s, p, RECORD_PACKET, &got)) {
				ck_assert_uint_eq(header_of_packet(p).fabric_address, p);
				packets[p - 2]++;
				switch_send_ack(&s, p, i * NODE_US, header_of_packet(p).flow_id,
						ACK_DELTA, 1);
			}
	}
	ck_assert_uint_eq(packets[0], 2);
	ck_assert_uint_eq(packets[1], 2);
	packet_expect(1, 100);
	all_released_expect();
}

/* ---- the virtual clock: flows whose link fails (FC-15, FC-26) ---- */

/* the channel of the packet of @frame_bytes that has come out of @port */
static uint32_t channel_expect(uint32_t port, uint32_t frame_bytes)
{
	packet_expect(port, frame_bytes);
	return header_of_packet(port).flow_id;
}

/* a flow that has something behind the link waits for that alone, not for what another one has
 * there */
TEST(link_settle__each_flow_waits_for_its_own)
{
	struct channel_set left = { 0 };

	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	host_send(&s, 1, NODE_US, 2, 2, 0, 1001);
	one_switch_run(&s, 2 * NODE_US);
	channel_set_add(&left, channel_expect(2, 1000));
	packet_expect(2, 1001);
	switchd_ops.link_down(s.dp, 2, 2 * NODE_US);
	host_send(&s, 0, 2 * NODE_US, 2, 1, 0, 1002);
	host_send(&s, 1, 2 * NODE_US, 2, 2, 0, 1003);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(3);
	switchd_ops.link_settle(s.dp, 2, &left, 4 * NODE_US);
	one_switch_run(&s, 6 * NODE_US);
	packet_expect(3, 1003);
	no_packet_expect(3);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 0);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 4);
	switchd_ops.link_settle(s.dp, 2, &left, 6 * NODE_US);
	one_switch_run(&s, 8 * NODE_US);
	no_packet_expect(3);
	switchd_ops.link_settle(s.dp, 2, &nothing, 8 * NODE_US);
	one_switch_run(&s, 10 * NODE_US);
	packet_expect(3, 1002);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 4);
	ck_assert_uint_eq(drops_all(), 0);
}

/* port_stats.left: what came in over the link has something here or downstream, until it is
 * acknowledged */
TEST(link_down__what_is_left)
{
	const struct channel_set *left;
	uint32_t id;

	one_switch_open(&s);
	left = &stats_of(2)->left;
	switch_send(&s, 2, 0, 4, 7, 0, 1000);
	switch_send(&s, 2, 0, 0, 9, 0, 1001);
	switch_send(&s, 2, 0, 4, 8, 0, 1002);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, 1000);
	packet_expect(0, 1001);
	ck_assert_uint_eq(channel_set_count(left), 0);
	switchd_ops.link_down(s.dp, 2, NODE_US);
	ck_assert(channel_set_has(left, 7) && channel_set_has(left, 8) &&
		  channel_set_count(left) == 2);
	switch_send_ack(&s, 3, NODE_US, id, ACK_DELTA, 4);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert(channel_set_has(left, 8) && channel_set_count(left) == 1);
	switch_send_ack(&s, 3, 2 * NODE_US, channel_expect(3, 1002), ACK_DELTA, 4);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(channel_set_count(left), 0);
	all_released_expect();
}

/* ---- the real clock: whole frames, links that go and come ---- */

static void real(void)
{
	s.config.clock = CLOCK_REAL;
}

/* FC-10, TB-15: a frame of 9216 bytes passes byte-identical, in from an edge and out at one */
TEST(real__whole_frames)
{
	static uint8_t frame[FABRIC_FRONT_BYTES + 9216];
	uint8_t *inner = frame + FABRIC_FRONT_BYTES;
	struct fabric_header header = {
		.flow_id = 3, .fabric_address = 1, .units = 36, .egress_port = 1, .ordered = true
	};

	real();
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].mtu_bytes = 9216;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 9216; i++)
		inner[i] = (uint8_t)(i * 7 + i / 256);
	frame_make(0, 2, 1, 0, 9216, inner);
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 9220, 0, inner, 9216);
	fabric_envelope_write(2, 0, 1, 2, frame);
	fabric_header_write(&header, frame + FABRIC_ENVELOPE_BYTES);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(2, 9216);
	ck_assert_uint_eq(got.header.captured_bytes, FABRIC_FRONT_BYTES + 9216);
	ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, inner, 9216);
	neighbour_send_frame(&s, 2, 5 * NODE_US, RECORD_PACKET, 12 + 9220, 0, frame, sizeof(frame));
	one_switch_run(&s, 10 * NODE_US);
	packet_expect(1, 9216);
	ck_assert_mem_eq(got.bytes, inner, 9216);
	ck_assert_uint_eq(drops_all(), 0);
}

/* every unit that flows had queued for, granted to, or under way on the dead link is reported lost,
 * once (FC-17) */
TEST_RANGE(link_down__fabric, 0, 2)
{
	real();
	s.ports[2].channels = 2;
	s.ports[2].guarded = _i;
	s.config.switch_.output_queue_units_max = 8;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 6; i++) {
		host_send(&s, 0, 0, 2, 1, 0, 1000); /* 4 units */
		host_send(&s, 1, 0, 2, i, 0, 1000); /* most of them wait for a channel */
		switch_send(&s, 3, 0, 2, 7, 4 * i, 1000);
	}
	one_switch_run(&s, 200 * NODE_NS);
	port_block(2);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_gt(stats_of(2)->tx_packets, 1);
	ck_assert_uint_gt(stats_of(2)->channel_waits, 0);
	ck_assert_uint_gt(s.stats->inside_packets, 0);
	switchd_ops.link_down(s.dp, 2, 5 * NODE_US);
	switchd_ops.link_down(s.dp, 2, 5 * NODE_US);
	switchd_ops.link_settle(s.dp, 2, &nothing, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 24);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 24);
	all_released_expect();
	one_switch_run(&s, 6 * NODE_US);
	ack_expect(3, 7, ACK_LOSS, 24);
	/* committed to the link; the others have no other way */
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 16 - stats_of(2)->tx_packets);
	ck_assert_uint_eq(drops_all(), drops(DROP_LINK_DOWN) + drops(DROP_NO_ROUTE));
	host_send(&s, 0, 7 * NODE_US, 2, 1, 0, 1000);
	host_send(&s, 0, 7 * NODE_US, 4, 1, 0, 1000);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 17 - stats_of(2)->tx_packets);
	packet_expect(3, 1000);
}

TEST_RANGE(link_down__edge, 0, 2)
{
	real();
	s.ports[1].guarded = _i;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 6; i++)
		switch_send(&s, 2, 0, 1, 7, 4 * i, 1000);
	one_switch_run(&s, 100 * NODE_NS);
	port_block(1);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(1, 1000);
	packet_expect(1, 1000);
	no_packet_expect(1);
	while (neighbour_receive(&s, 2, RECORD_ACKS, &got))
		;
	switchd_ops.link_down(s.dp, 1, 5 * NODE_US);
	one_switch_run(&s, FAR);
	ack_expect(2, 7, ACK_LOSS, _i ? 24 : 16);
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 4);
	ck_assert_uint_eq(s.stats->inside_bytes, 0);
	all_released_expect();
}

/* another path is taken at once, and the former one again when it is there (FC-26) */
TEST(link_down__other_path)
{
	real();
	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	switchd_ops.link_down(s.dp, 2, 0);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	host_send(&s, 0, 0, 3, 1, 0, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 1000);
	packet_expect(3, 1001);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	switchd_ops.link_up(s.dp, 2, NODE_US);
	host_send(&s, 0, NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, 1002);
	ck_assert_uint_eq(drops_all(), 0);
}

/* what came over the former link goes on; until it is gone the new one's records wait */
TEST(link_up__waits_for_the_former_link)
{
	uint32_t id;

	real();
	s.config.switch_.output_queue_units_max = 4;
	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 7, 0, 1000);
	switch_send(&s, 2, 0, 4, 7, 4, 1001);
	neighbour_stop(&s, 3, 1500 * BYTE_PS, 1); /* the first has passed the crossbar by then */
	one_switch_run(&s, NODE_US);
	switchd_ops.link_down(s.dp, 2, NODE_US);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	switchd_ops.link_up(s.dp, 2, NODE_US);
	switch_send(&s, 2, NODE_US, 0, 7, 0, 1002); /* counted from 0 again: no hole (FC-17) */
	one_switch_run(&s, 2 * NODE_US);
	no_packet_expect(0);
	packet_expect(3, 1000);
	id = header_of_packet(3).flow_id;
	no_packet_expect(3);
	neighbour_stop(&s, 3, 2 * NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(3, 1001);
	no_packet_expect(0);
	switch_send_ack(&s, 3, 3 * NODE_US, id, ACK_DELTA, 8);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(0, 1002);
	ack_expect(2, 7, ACK_DELTA, 4);
	ck_assert_uint_eq(drops_all(), 0);
	all_released_expect();
}

/* a vacant port costs nothing and may become a port of either kind */
TEST(link_up__vacant)
{
	struct port_config port;

	real();
	port = s.ports[3];
	s.ports[3] =
		(struct port_config){ .vacant = true, .channels = port.channels, .mtu_bytes = MTU };
	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 1, 0, 1000);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	s.ports[3] = port;
	one_switch_plug(&s, 3);
	switchd_ops.link_up(s.dp, 3, NODE_US);
	host_send(&s, 0, NODE_US, 4, 1, 0, 1000);
	switch_send(&s, 3, NODE_US, 0, 7, 0, 1001);
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(3, 1000);
	packet_expect(0, 1001);
	ack_expect(3, 7, ACK_DELTA, 4);
	ck_assert_uint_eq(drops_all(), 1);
}

TEST(tables__replaced)
{
	struct host_config hosts[] = { { .host_index = 1, .fabric_address = 3, .egress_port = 5 } };
	struct route_config routes[] = { { .fabric_address = 3, .ports = 1 << 2 | 1 << 3 } };
	struct switch_config new_tables = { .fabric_address = 1,
					    .route_count = 1,
					    .routes = routes,
					    .host_count = 1,
					    .hosts = hosts };
	uint64_t before;

	real();
	one_switch_open(&s);
	switchd_ops.link_down(s.dp, 2, 0);
	before = s.dp->sw.stats->tables_taken;
	ck_assert_int_eq(switchd_ops.tables(s.dp, &new_tables), 0);
	ck_assert_uint_eq(s.dp->sw.stats->tables_taken, before + 1);
	host_send(&s, 0, 0, 1, 1, 0, 1000);
	one_switch_run(&s, FAR);
	packet_expect(3, 1000); /* p2 is still down */
	ck_assert_uint_eq(header_of_packet(3).egress_port, 5);
}

/* FC-26: a flow that waits for something else than its turn (a channel, here) at a port that
 * leads to its destination no more goes elsewhere; one with packets downstream waits until those
 * are acknowledged. _i: the port, p2, or p0 as a fabric port: none is special. */
TEST_RANGE(tables__misled, 0, 2)
{
	const uint32_t from = _i ? 0 : 2;
	struct route_config routes[] = { { .fabric_address = 2, .ports = 1 << 3 },
					 { .fabric_address = 3, .ports = 1 << 3 } };
	struct switch_config new_tables = { .fabric_address = 1,
					    .route_count = 2,
					    .routes = routes };

	real();
	if (_i) {
		s.ports[0].kind = PORT_FABRIC;
		s.hosts[0].egress_port = 1;
	}
	new_tables.hosts = s.hosts;
	new_tables.host_count = HOSTS;
	s.ports[from].channels = 1;
	s.routes[0].ports = 1ull << from;
	one_switch_open(&s);
	host_send(&s, 1, 0, 2, 1, 0, 1000);
	host_send(&s, 1, 0, 2, 2, 0, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(from, 1000);
	no_packet_expect(from); /* the channel is taken */
	ck_assert_int_eq(switchd_ops.tables(s.dp, &new_tables), 0);
	host_send(&s, 1, NODE_US, 2, 1, 0, 1002);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(3, 1001);
	no_packet_expect(3);
	no_packet_expect(from);
	switch_send_ack(&s, from, 2 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 4 * NODE_US);
	packet_expect(3, 1002);
	no_packet_expect(from);
	ck_assert_uint_eq(drops_all(), 0);
}

/* A channel that was reserved for a flow that has sent nothing is free when the flow moves: the next
 * flow that waits for one gets it, at a port where nothing else happens. */
TEST(tables__channel_of_a_flow_that_moves)
{
	struct route_config routes[] = { { .fabric_address = 2, .ports = 1 << 3 },
					 { .fabric_address = 3, .ports = 1 << 2 } };
	struct switch_config new_tables = { .fabric_address = 1,
					    .route_count = 2,
					    .routes = routes,
					    .hosts = s.hosts,
					    .host_count = HOSTS };

	real();
	s.ports[2].channels = 1;
	s.routes[0].ports = s.routes[1].ports = 1 << 2;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	host_send(&s, 1, NODE_US, 2, 2, 0, 1001);     /* waits for the channel, */
	host_send(&s, 0, 2 * NODE_US, 4, 1, 0, 1002); /* and after it this one */
	one_switch_run(&s, 3 * NODE_US);
	neighbour_stop(&s, 2, 3 * NODE_US, 1);
	one_switch_run(&s, 4 * NODE_US);
	switch_send_ack(&s, 2, 4 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_int_eq(switchd_ops.tables(s.dp, &new_tables), 0);
	neighbour_stop(&s, 2, 5 * NODE_US, 0);
	one_switch_run(&s, 7 * NODE_US);
	packet_expect(3, 1001);
	packet_expect(2, 1002);
	ck_assert_uint_eq(drops_all(), 0);
}

/* ROUTE_UPWARD stands where a fabric address does: nobody goes there (TB-23) */
TEST(tables__upward_is_no_destination)
{
	struct route_config routes[] = { { .fabric_address = ROUTE_UPWARD, .ports = 1 << 2 } };
	struct switch_config new_tables = { .fabric_address = 1,
					    .route_count = 1,
					    .routes = routes };
	struct fabric_header header = { .flow_id = 1,
					.units = (uint16_t)units_of_bytes(1000),
					.ordered = true };
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t captured;

	real();
	one_switch_open(&s);
	ck_assert_int_eq(switchd_ops.tables(s.dp, &new_tables), 0);
	captured = frame_make(4, 2, 1, 0, 1000, bytes + FABRIC_FRONT_BYTES);
	fabric_envelope_write(3, 0, 1, 3, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	neighbour_send_frame(&s, 3, 0, RECORD_PACKET, FABRIC_HEADER_BYTES + 1000 + FRAME_FCS_BYTES,
			     0, bytes, FABRIC_FRONT_BYTES + captured);
	one_switch_run(&s, FAR);
	no_packet_expect(2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
}

/* what a fabric manager reads is what it wrote: nothing it wants is missing, or lost when another
 * block is written */
TEST(tables__read_back)
{
	struct route_config routes[] = { { .fabric_address = 3, .ports = 1 << 2 | 1 << 3 },
					 { .fabric_address = ROUTE_UPWARD, .ports = 1 << 3 } };
	struct switch_config new_tables = { .fabric_address = 1,
					    .route_count = 2,
					    .routes = routes };
	struct table_block block = { .table = TABLE_ROUTES };

	real();
	one_switch_open(&s);
	ck_assert_int_eq(switchd_ops.tables(s.dp, &new_tables), 0);
	switchd_ops.table_read(s.dp, &block);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, 3), 1 << 2 | 1 << 3);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, block.bytes, ROUTE_UPWARD), 1 << 3);
}

/* a full ring is waited for: nothing is lost, the port goes on when there is room */
TEST(real__starved)
{
	uint32_t packets = 0;
	uint8_t frame[4096];

	real();
	s.ports[0].buffer_units = 1024;
	one_switch_open(&s);
	memset(frame, 0, sizeof(frame));
	frame_make(0, 2, 1, 0, 4096, frame);
	for (uint32_t i = 1; i <= 40; i++) {
		neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 4100, 0, frame, 4096);
		one_switch_run(&s, i * NODE_US);
	}
	ck_assert_uint_gt(s.stats->inside_packets, 20);
	for (uint32_t i = 41; i < 60; i++) {
		while (neighbour_receive(&s, 2, RECORD_PACKET, &got))
			packets++;
		one_switch_run(&s, i * NODE_US);
	}
	ck_assert_uint_eq(packets, 40);
	ck_assert_uint_eq(drops_all(), 0);
}

/* a packet that is too long to be held, its header good: the sender's extent is settled, and no
 * hole is seen behind it */
TEST(drop__oversize_on_fabric)
{
	one_switch_open(&s);
	neighbour_stop(&s, 0, 1500 * BYTE_PS, 1);
	switch_send(&s, 2, 0, 0, 7, 0, 1000);
	switch_send(&s, 2, 0, 0, 7, 4, 1001); /* waits, so that the channel stays */
	switch_send(&s, 2, 0, 0, 7, 8, MTU + 1);
	switch_send(&s, 2, 0, 0, 7, 25, 1002);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	ck_assert_uint_eq(stats_of(2)->hole_units, 0);
	ck_assert_uint_eq(ifct_total_extent(&s.dp->ifcts[2].entries[7]), 8);
	ack_expect(2, 7, ACK_DELTA, 4);
	ack_expect(2, 7, ACK_LOSS, 17);
}

/* ---- memory ---- */

TEST_GROUP(memory, .setup = setup, .teardown = teardown);

#define FLOOD_UNITS 1024u /* of buffer */

static bool flood_has_buffer(uint32_t frame_bytes)
{
	return s.links[0].held_units[0] + units_of_bytes(frame_bytes) <= s.ports[0].buffer_units;
}

/* TB-26: floods of every length fill the buffer of an input, not the pool, which is one and a half
 * times the input buffers, those of the outputs once more, and the output queues, with the greatest
 * frame for each queue and the reserve of copies */
TEST(pool_init__floods)
{
	struct flood *flood = zeroed(sizeof(*flood));
	size_t queue_bytes = s.config.switch_.output_queue_units_max * UNIT_BYTES,
	       input_bytes = FLOOD_UNITS * UNIT_BYTES;
	size_t own_bytes = (input_bytes + queue_bytes) * 3 / 2 + FLOOD_GREATEST_BYTES, most_bytes,
	       copies_bytes;

	flood_configure();
	for (uint32_t p = 0; p < PORTS; p++) {
		s.ports[p].buffer_units = FLOOD_UNITS;
		s.ports[p].stop_units = FLOOD_UNITS * 3 / 4;
	}
	one_switch_open(&s);
	*flood = (struct flood){ .pool = &s.dp->sw.pool, .has_buffer = flood_has_buffer };
	copies_bytes = s.dp->sw.flood_packets_max * FLOOD_GREATEST_BYTES;
	ck_assert_uint_le(packet_pool_bytes(flood->pool),
			  PORTS * (own_bytes + queue_bytes * 3 / 2) + FLOOD_GREATEST_BYTES +
				  copies_bytes);
	ck_assert_uint_ge(packet_pool_bytes(flood->pool), PORTS * own_bytes + copies_bytes);
	most_bytes = flood_all(flood, (uint32_t)(own_bytes / PACKET_CELL_BYTES));
	ck_assert_uint_gt(most_bytes, input_bytes * 14 / 10);
	free(flood);
}
