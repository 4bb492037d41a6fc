/*  switchd/flow_channel/choose: which next hop a flow uses, on which virtual lane (FC-15, FC-23).
 *  Switch 2 is reached over p2 or p3, switch 3 over p3. */
#include <stdlib.h>

#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

static uint16_t vias[] = { 3 };

static void many_paths(enum routing_choice choice, uint32_t lanes, enum lane_rule rule)
{
	s.routes[0].ports = 1 << 2 | 1 << 3;
	s.config.lanes = lanes;
	s.config.switch_.routing = (struct routing_config){ .choice = choice,
							    .lane_rule = rule,
							    .detour_weight_permille = 2000,
							    .detour_draws = 1,
							    .seed = 7 };
}

static void detours(enum routing_detour detour)
{
	s.config.switch_.routing.detour = detour;
	s.config.switch_.vias = vias;
	s.config.switch_.via_count = 1;
}

/* A packet of 1000 bytes for host @destination arrives at fabric port @port at @level, by @via, as
 * the @packet-th of channel @flow_id. */
static void transit_send(uint32_t port, uint32_t destination, uint32_t level, uint32_t via,
			 uint32_t flow_id, uint32_t packet)
{
	struct fabric_header header = { .flow_id = (uint16_t)flow_id,
					.data_flow = (uint16_t)(packet * units_of_bytes(1000)),
					.fabric_address = (uint16_t)(1 + destination / 2),
					.units = (uint16_t)units_of_bytes(1000),
					.via = (uint16_t)via,
					.egress_port = destination % 2,
					.level = (uint8_t)level,
					.ordered = true };
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t captured =
		frame_make(2 * port - 2, destination, 1, 0, 1000, bytes + FABRIC_FRONT_BYTES);

	fabric_envelope_write((uint16_t)port, 0, 1, (uint8_t)port, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	neighbour_send_frame(&s, port, 0, RECORD_PACKET,
			     FABRIC_HEADER_BYTES + 1000 + FRAME_FCS_BYTES, level, bytes,
			     FABRIC_FRONT_BYTES + captured);
}

/* its only packet */
static void transit(uint32_t port, uint32_t destination, uint32_t level, uint32_t via)
{
	transit_send(port, destination, level, via, 1, 0);
	one_switch_run(&s, FAR);
}

TEST_GROUP(choose, .setup = setup, .teardown = teardown);

/* FC-23: the queue of p3 is longer, because p3 cannot send */
TEST(choose__selects_the_least_loaded)
{
	many_paths(ROUTING_ADAPTIVE, 1, LANES_KEEP);
	one_switch_open(&s);
	port_block(3);
	host_send(&s, 0, 0, 4, 0, 0, 4000); /* only p3 is a next hop to its destination */
	one_switch_run(&s, NODE_US);
	for (uint32_t flow = 1; flow < 8; flow++)
		host_send(&s, 0, NODE_US, 2, flow, 0, 100 + flow);
	one_switch_run(&s, FAR);
	for (uint32_t flow = 1; flow < 8; flow++)
		packet_expect(2, 100 + flow);
	ck_assert_uint_eq(stats_of(0)->choices, 7);
}

/* FC-23: packets in flight that are not acknowledged count as load (ours); the load of [S2] is the
 * queue only */
TEST(choose__load_may_be_the_queue_only)
{
	uint32_t over_p2 = 0;

	for (uint32_t queue = 0; queue < 2; queue++) {
		if (queue)
			one_switch_close(&s);
		over_p2 = 0;
		many_paths(ROUTING_ADAPTIVE, 1, LANES_KEEP);
		for (uint32_t p = 0; p < PORTS; p++)
			s.ports[p].channels = 64;
		s.config.switch_.routing.load_queue = queue;
		one_switch_open(&s);
		/* each has left the queue before the next one arrives */
		for (uint32_t flow = 0; flow < 40; flow++) {
			host_send(&s, 0, flow * NODE_US, 2, flow, 0, 128);
			one_switch_run(&s, (flow + 1) * NODE_US);
			over_p2 += neighbour_receive(&s, 2, RECORD_PACKET, &got);
		}
		if (queue) { /* drawn, because the queues are equal */
			ck_assert_uint_ne(over_p2, 20);
			ck_assert_uint_gt(over_p2, 8);
			ck_assert_uint_lt(over_p2, 32);
		} else {
			ck_assert_uint_eq(over_p2, 20); /* alternately: no packet is acknowledged */
		}
	}
}

/* FC-23: equal loads are spread by the switch's own random numbers, the same in every run */
TEST(choose__ties_are_drawn)
{
	uint32_t over_p2 = 0;

	many_paths(ROUTING_ADAPTIVE, 1, LANES_KEEP);
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].channels = 64;
	one_switch_open(&s);
	for (uint32_t flow = 0; flow < 40; flow++) { /* each has left before the next one arrives */
		host_send(&s, 0, flow * NODE_US, 2, flow, 0, 128);
		one_switch_run(&s, (flow + 1) * NODE_US);
		over_p2 += neighbour_receive(&s, 2, RECORD_PACKET, &got);
	}
	ck_assert_uint_gt(over_p2, 8);
	ck_assert_uint_lt(over_p2, 32);
	ck_assert_uint_eq(stats_of(0)->choices, 40);
}

/* FC-15: while packets of the flow are downstream, it keeps its port, whatever waits there */
TEST(choose__keeps_port_while_downstream)
{
	many_paths(ROUTING_ADAPTIVE, 1, LANES_KEEP);
	one_switch_open(&s);
	for (uint32_t i = 0; i < 10; i++)
		host_send(&s, 0, 0, 2, 0, 0, 1500);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(stats_of(0)->choices, 1);
	ck_assert(stats_of(2)->tx_packets == 10 || stats_of(3)->tx_packets == 10);
}

/* FC-15: a flow with nothing in flight waits for the port's limit. It then selects the best port at
 * that time, not the best one when its packet arrived. */
TEST(choose__selects_again_after_waiting)
{
	uint32_t first, other;

	many_paths(ROUTING_ADAPTIVE, 1, LANES_KEEP);
	s.config.switch_.congestion.port_limit_units = 3;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000); /* over the limit */
	one_switch_run(&s, NODE_US);
	first = stats_of(2)->tx_packets ? 2 : 3;
	other = 5 - first;
	host_send(&s, 0, NODE_US, 2, 1, 0, 1000); /* would use the other port */
	host_send(&s, 1, 2 * NODE_US, 2, 2, 0, 2000);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(stats_of(other)->tx_packets, 1);
	ck_assert_uint_eq(stats_of(0)->blocked_port, 1);
	switch_send_ack(&s, first, 3 * NODE_US, 0, ACK_DELTA, 4);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(stats_of(first)->tx_packets, 2);
	ck_assert_uint_eq(stats_of(0)->choices, 3);
}

/* ECMP: a flow always has the same port; several flows use both */
TEST(choose__ecmp_keeps_the_port)
{
	many_paths(ROUTING_HASH, 1, LANES_KEEP);
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].channels = 64;
	one_switch_open(&s);
	for (uint32_t flow = 0; flow < 40; flow++)
		host_send(&s, 0, flow * NODE_US, 2, flow, 0, 128);
	one_switch_run(&s, FAR);
	ck_assert_uint_gt(stats_of(2)->tx_packets, 8);
	ck_assert_uint_gt(stats_of(3)->tx_packets, 8);
}

/* a packet starts on the first level, and each switch raises it by one */
TEST(choose__level_rises_with_each_hop)
{
	many_paths(ROUTING_STATIC, 3, LANES_BY_HOP);
	one_switch_open(&s);
	host_send(&s, 0, 0, 4, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).level, 0);
	ck_assert_uint_eq(got.header.traffic_class, 0);
	transit(2, 4, 1, 0);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).level, 2);
	ck_assert_uint_eq(got.header.traffic_class, 2);
}

/* beyond the last level there is no next hop: the path is too long, or a loop */
TEST(choose__no_next_hop_beyond_the_last_lane)
{
	many_paths(ROUTING_STATIC, 2, LANES_BY_HOP);
	one_switch_open(&s);
	transit(2, 4, 1, 0);
	no_packet_expect(3);
	ck_assert_uint_eq(drops(DROP_NO_LANE), 1);
	ack_expect(2, 1, ACK_LOSS, 4);
	all_released_expect();
}

TEST(choose__level_is_kept)
{
	many_paths(ROUTING_STATIC, 2, LANES_KEEP);
	one_switch_open(&s);
	transit(2, 4, 1, 0);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).level, 1);
}

/* Valiant: over switch 3 to switch 2. The header has the intermediate switch. */
TEST(choose__valiant_always_detours)
{
	many_paths(ROUTING_ADAPTIVE, 2, LANES_BY_HOP);
	detours(DETOUR_ALWAYS);
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, FAR);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).via, 3);
	ck_assert_uint_eq(header_of_packet(3).fabric_address, 2);
	ck_assert_uint_eq(stats_of(0)->choices_detour, 1);
}

/* FC-23: minimal paths first; a detour if the minimal path has that much more load */
TEST(choose__detour_when_loaded)
{
	many_paths(ROUTING_ADAPTIVE, 2, LANES_BY_HOP);
	detours(DETOUR_ADAPTIVE);
	s.routes[0].ports = 1 << 2;
	s.config.switch_.routing.detour_bias_units = 32;
	one_switch_open(&s);
	port_block(2);
	/* waits, and is not acknowledged: twice 16 units, not more than the bias */
	host_send(&s, 0, 0, 2, 0, 0, 4096);
	host_send(&s, 0, 0, 2, 1, 0, 1001);
	one_switch_run(&s, NODE_US);
	no_packet_expect(3);
	host_send(&s, 0, NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, FAR);
	packet_expect(3, 1002);
	ck_assert_uint_eq(header_of_packet(3).via, 3);
	ck_assert_uint_eq(stats_of(0)->choices_detour, 1);
}

/* The packet follows the path to its intermediate switch. After it, and in another group, the path
 * is minimal. */
TEST(choose__follows_the_path_to_the_via)
{
	many_paths(ROUTING_STATIC, 4, LANES_BY_HOP);
	one_switch_open(&s);
	transit(2, 2, 0, 3);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).via, 3);
}

TEST(choose__via_is_this_switch)
{
	many_paths(ROUTING_STATIC, 4, LANES_BY_HOP);
	one_switch_open(&s);
	transit(2, 4, 0, 1);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).via, 0);
}

TEST(choose__via_ends_in_another_group)
{
	many_paths(ROUTING_STATIC, 4, LANES_BY_HOP);
	s.ports[2].tier = TIER_GLOBAL;
	one_switch_open(&s);
	transit(2, 4, 0, 2);
	packet_expect(3, 1000);
	ck_assert_uint_eq(header_of_packet(3).via, 0);
}

/* XOFF of one lane pauses no other lane of the same class */
TEST(choose__lanes_are_paused_separately)
{
	many_paths(ROUTING_STATIC, 2, LANES_BY_HOP);
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1 << 1);
	one_switch_run(&s, NODE_US);
	transit(2, 4, 0, 0);
	no_packet_expect(3);
	host_send(&s, 0, NODE_US, 4, 0, 0, 1001);
	one_switch_run(&s, FAR);
	packet_expect(3, 1001);
	neighbour_stop(&s, 3, 2 * NODE_US, 0);
	one_switch_run(&s, 2 * FAR);
	packet_expect(3, 1000);
}

/* FC-19: the flows of a class share a link equally, whatever their level: one flow on one lane and
 * three on another get a fourth each. _i: the lane with the three; 2 is added: counts wrap in
 * between, as after a very long run */
TEST_RANGE(transmit__flows_of_all_lanes_share, 0, 4)
{
	const uint32_t packets = 14; /* of each flow */
	uint32_t counts[4] = { 0 };

	many_paths(ROUTING_STATIC, 2, LANES_KEEP);
	s.config.switch_.output_queue_units_max = 8;
	s.ports[2].buffer_units = 1024;
	s.ports[2].stop_units = 768;
	s.ports[3].rate_bps = 20000000000; /* a tenth of what arrives */
	one_switch_open(&s);
	for (uint32_t lane = 0; _i & 2 && lane < 2; lane++)
		s.dp->ports[3].output[lane].served =
			-(uint64_t)(packets / 2) * 1000 * NODE_CHANNELS_MAX;
	for (uint32_t packet = 0; packet < packets; packet++)
		for (uint32_t flow = 0; flow < 4; flow++)
			transit_send(2, 4, (flow == 3) ^ (_i & 1u), 0, 1 + flow, packet);
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 4 * packets; i++) {
		uint32_t flow;

		packet_expect(3, 1000);
		flow = header_of_packet(3).flow_id;
		ck_assert_uint_lt(flow, 4);
		counts[flow]++;
		if (i + 1 != 2 * packets)
			continue;
		/* half of each flow, except for the initial credit */
		for (uint32_t f = 0; f < 4; f++) {
			ck_assert_uint_ge(counts[f], packets / 2 - 2);
			ck_assert_uint_le(counts[f], packets / 2 + 2);
		}
	}
	no_packet_expect(3);
}
