/*  switchd/flow_channel: the path of a packet through one switch (one_switch.h): headers, latency,
 *  queues and arbitration, under both clocks (FC-1, FC-8, FC-10, FC-11, FC-15, FC-19, FC-20). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(packet, .setup = setup, .teardown = teardown);

/* FC-10, FC-11: from an edge port to the fabric port of the route, with envelope and header in
 * front; store-and-forward */
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

/* FC-10: the egress edge removes all headers of the fabric: the frame is the one that was sent */
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

/* FC-8: a transit switch writes the flow id and position of the next link */
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

/* FC-1: ingress and egress on the same switch use no fabric link */
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

/* The first bit leaves at decision + switch + cable. The decision is made when the 64 bytes of the
 * header are there (cut-through) or with the last bit (store-and-forward), and never so early that
 * the output would run out of data. */
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
	/* the output is twice as fast: it starts when half of the packet is there */
	at = host_send(&s, 0, 3 * NODE_US, 4, 1, 0, 4096);
	one_switch_run(&s, FAR);
	packet_expect_at(3, 4096, at + 4100 * BYTE_PS - 4112 * BYTE_PS / 2 + LEAD);
}

/* packets of one flow follow each other at the rate of the link, gap included */
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

/* FC-15: a flow keeps its port while its extent is not 0; after that its next packet takes the new
 * route */
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

/* FC-11: a flow whose output is stopped delays no other flow of the same input, not by a
 * picosecond */
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
	/* the stopped flow resumes, in order; its wait counts from the last bit of its first
	 * packet */
	neighbour_stop(&s, 2, 20 * NODE_US, 0);
	one_switch_run(&s, 30 * NODE_US);
	for (uint32_t i = 0; i < 10; i++) {
		packet_expect(2, 1000);
		ck_assert_uint_eq(header_of_packet(2).data_flow, 4 * i);
	}
	ck_assert_uint_eq(stats_of(2)->paused_ps,
			  (20 - 1) * NODE_US - (1004 - LINK_WORD_BYTES) * BYTE_PS);
}

/* EC-4: a host pauses one class: that class waits in its output queue, the other is sent, and the
 * pause is counted */
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

/* FC-19: a class at its maximum delays no other class, not even one that still waits for its
 * payload (cut-through) */
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

/* FC-11: the load of an output counts a packet from its request on; with cut-through that is before
 * its payload is there */
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
	/* one of them has passed the crossbar */
	ck_assert_uint_eq(s.dp->ports[2].output[0].queue.units, 16);
	ck_assert_uint_eq(s.stats->inside_bytes, 4 * 4096);
}

/* EC-1: at its ingress edge a flow requests with its first packet only: packets that its own limits
 * delay load no output */
TEST(packet__ingress_asks_one_by_one)
{
	node_time_t at = 0;

	s.config.switch_.output_queue_units_max = 16;
	one_switch_open(&s);
	port_block(2);
	for (uint32_t i = 0; i < 4; i++)
		at = host_send(&s, 0, 0, 2, 1, 0, 4096);
	one_switch_run(&s, at + 4100 * BYTE_PS + 1);
	ck_assert_uint_eq(stats_of(2)->queue_bytes,
			  2 * 4096); /* one after the crossbar, one request */
	ck_assert_uint_eq(s.stats->inside_bytes, 4 * 4096);
}

/* a full input buffer sends STOP; and XON, once, when an eighth of it has passed the crossbar */
TEST(packet__input_buffer_says_stop_and_go)
{
	node_time_t at = 0;

	one_switch_open(&s);
	neighbour_stop(&s, 2, 0, 1);
	for (uint32_t i = 0; i < 12; i++)
		at = host_send(&s, 0, NODE_US, 2, 1, 0, 4096);
	one_switch_run(&s, at + NODE_US);
	ck_assert(!neighbour_receive(&s, 0, RECORD_WORD,
				     &got)); /* 192 units: at the level, not above it */
	at = host_send(&s, 0, at + NODE_US, 2, 1, 0, 256);
	one_switch_run(&s, at + NODE_US);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_STOP), 1);
	ck_assert_uint_eq(got.header.at_ps, at + 260 * BYTE_PS + LEAD);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 193);
	ck_assert_uint_eq(stats_of(0)->input_units_max, 193);
	neighbour_stop(&s, 2, 20 * NODE_US, 0);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_STOP), 0);
	ck_assert_uint_eq(got.header.at_ps, 20 * NODE_US + LINK_WORD_BYTES * BYTE_PS + LEAD);
	ck_assert(!neighbour_receive(&s, 0, RECORD_WORD, &got));
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
}

/* FC-20: two inputs, one output: it is shared equally by flows, or by ports */
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

/* ---- the real clock: whole frames, rings that fill ---- */

TEST_GROUP(real, .setup = setup_real, .teardown = teardown);

/* FC-10, TB-15: a whole frame of 9216 bytes stays byte-identical, from an edge port and to one */
TEST(real__whole_frames)
{
	static uint8_t frame[FABRIC_FRONT_BYTES + 9216];
	uint8_t *inner = frame + FABRIC_FRONT_BYTES;
	struct fabric_header header = {
		.flow_id = 3, .fabric_address = 1, .units = 36, .egress_port = 1, .ordered = true
	};

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

/* a full ring delays the port until there is space; nothing is lost */
TEST(real__starved)
{
	uint32_t packets = 0;
	uint8_t frame[4096];

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
