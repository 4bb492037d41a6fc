/*  redirected_flows - one_switch_expect.h with redirects: flows whose REROUTE ACKs a test sends and
 *  receives. Switch 2 is reached over p2 or p3, if a test says so, else over p2; switch 3 over
 *  p3. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_REDIRECTED_FLOWS_H
#define HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_REDIRECTED_FLOWS_H

#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define PAUSE (20 * NODE_US)

/* fields of the value of a REROUTE ACK: reroute.c */
#define CHOICE 1u
#define FAR_AWAY 2u
#define JOIN 4u
#define HINT 32u
#define FLOWS 32u /* in groups, in place of HINT */

/* p1 is a fabric port, too. @two_paths: switch 2 is reached over p2 and p3. Each header that finds
 * a queue requests a redirect. */
static inline void open_switch(bool two_paths, bool anywhere)
{
	setup();
	s.ports[1].kind = PORT_FABRIC;
	s.routes[0].ports = two_paths ? 1 << 2 | 1 << 3 : 1 << 2;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE,
							    .detour_draws = 1,
							    .hold_ps = NODE_S,
							    .redirect = true,
							    .redirect_anywhere = anywhere,
							    .redirect_full_units = 1,
							    .redirect_interval_ps = NODE_NS,
							    .redirect_pause_ps = PAUSE,
							    .seed = 7 };
	one_switch_open(&s);
}

static uint32_t rerouted; /* flow id of the last REROUTE ACK that was received */

/* number of REROUTE ACKs out of fabric port @port; the value of the last one in *@value */
static inline uint32_t reroutes(uint32_t port, uint32_t *value)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t found = 0;

	while (neighbour_receive(&s, port, RECORD_ACKS, &got)) {
		int count = ack_frame_read(got.bytes, got.header.captured_bytes, acks);

		for (int i = 0; i < count; i++) {
			if (acks[i].type != ACK_REROUTE)
				continue;
			found++;
			*value = acks[i].value;
			rerouted = acks[i].flow_id;
		}
	}
	return found;
}

/* a packet leaves by one of @ports, a set. Return: which. */
static inline uint32_t packet_expect_of(uint32_t ports, uint32_t frame_bytes)
{
	uint32_t port = 0;

	while (port < PORTS &&
	       !(ports >> port & 1 && neighbour_receive(&s, port, RECORD_PACKET, &got)))
		port++;
	ck_assert_uint_lt(port, PORTS);
	ck_assert_uint_eq(link_frame_bytes(&s.links[port], got.header.wire_bytes), frame_bytes);
	return port;
}

/* a REROUTE ACK with @value arrives at @at for channel @flow_id of @port */
static inline void reroute_arrive(uint32_t port, uint32_t flow_id, node_time_t at, uint32_t value)
{
	switch_send_ack(&s, port, at, flow_id, ACK_REROUTE, value);
	one_switch_run(&s, at + NODE_US);
}

/* a flow of host 0 has a packet downstream. Return: its port. */
static inline uint32_t flow_begin(uint32_t *flow_id)
{
	uint32_t port;

	open_switch(true, false);
	host_send(&s, 0, 0, 2, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	port = packet_expect_of(0xc, 1000);
	*flow_id = header_of_packet(port).flow_id;
	return port;
}

/* ---- in a tree (ours) ---- */

#define TREE_INTERVAL (16 * NODE_US)
#define TREE_PAUSE (20 * NODE_US)
#define SETTLED (25 * NODE_US) /* flows that began at 0 may move */

/* @fabric: set of fabric ports. @candidates: those to switch 2. @full_units: 0: no output requests
 * redirects */
static inline void open_tree(uint32_t fabric, uint32_t candidates, uint32_t upward,
			     uint32_t full_units)
{
	setup();
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].kind = fabric >> p & 1 ? PORT_FABRIC : PORT_EDGE;
	s.routes[0].ports = candidates;
	s.routes[2] = (struct route_config){ .fabric_address = ROUTE_UPWARD, .ports = upward };
	s.config.switch_.route_count = 3;
	s.config.switch_.routing = (struct routing_config){ .choice = ROUTING_ADAPTIVE,
							    .detour_draws = 1,
							    .redirect = true,
							    .redirect_anywhere = true,
							    .redirect_inputs = true,
							    .redirect_full_units = full_units,
							    .redirect_interval_ps = TREE_INTERVAL,
							    .redirect_pause_ps = TREE_PAUSE,
							    .seed = 7 };
	one_switch_open(&s);
}

#endif
