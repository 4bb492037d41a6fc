/*  limited_flows - one_switch_expect.h with congestion control: settings, ACKs that arrive, and
 *  flows that wait for a limit or for hop credit. A test turns on the mechanisms that it is
 *  about. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_LIMITED_FLOWS_H
#define HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_LIMITED_FLOWS_H

#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define PACKET 4096u /* a frame of 16 data units */
#define UNITS 16u
#define ON_FABRIC (PACKET + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES)
#define UNIT_BYTE_TIME_PS (256u * 160u) /* of the settings with limit-after-ack: a unit's time */

static inline struct congestion_config *congestion(void)
{
	return &s.config.switch_.congestion;
}

/* a setting that limits nothing */
static inline struct congestion_setting free_setting(void)
{
	return one_switch_congestion_off().settings[0];
}

/* @setting is the last row of the table, @row; ECAs from @eca_min on select it */
static inline void setting_last(uint32_t row, uint32_t eca_min, struct congestion_setting setting)
{
	for (uint32_t i = row; i < CONGESTION_SETTINGS; i++) {
		congestion()->settings[i] = setting;
		congestion()->settings[i].eca_min = eca_min;
	}
}

/* every ACK is sent at once, in a frame of its own */
static inline void acks_at_once(void)
{
	s.config.switch_.ack_t1_ps = s.config.switch_.ack_t2_ps = s.config.switch_.ack_t3_ps = 0;
}

/* each unit above @units adds 1 to the ECA */
static inline void detect_above(uint32_t units)
{
	congestion()->eca = true;
	congestion()->lbf_thresh_units = units;
	congestion()->lpf_thresh = congestion()->dbf_thresh_units = CONGESTION_UNITS_MAX;
}

static inline const struct ifct_entry *flow_at(uint32_t port, uint32_t id)
{
	return TABLE_AT(s.dp->ifcts[port].entries, id);
}

/* an ACK arrives at @port at @at, and a microsecond passes. Return: when the ACK was handled. */
static inline node_time_t ack_arrive(uint32_t port, node_time_t at, uint32_t flow_id,
				     enum ack_type type, uint32_t value)
{
	at = switch_send_ack(&s, port, at, flow_id, type, value) +
	     ack_frame_wire_bytes(1) * BYTE_PS;
	one_switch_run(&s, at + NODE_US);
	return at;
}

static inline void no_ack_expect(uint32_t port)
{
	ck_assert(!neighbour_receive(&s, port, RECORD_ACKS, &got));
}

/* the next ACK frame out of @port has these two */
static inline void two_acks_expect(uint32_t port, enum ack_type type_0, uint32_t value_0,
				   enum ack_type type_1, uint32_t value_1)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	ck_assert_uint_eq(acks_receive(port, acks), 2);
	ck_assert_uint_eq(acks[0].type, type_0);
	ck_assert_uint_eq(acks[0].value, value_0);
	ck_assert_uint_eq(acks[1].type, type_1);
	ck_assert_uint_eq(acks[1].value, value_1);
}

/* a flow to host 2 at port 2: from host 0 (an ingress edge), or from switch 3 in channel 9 */
#define FROM (_i ? 3u : 0u)
#define FLOW (_i ? 9u : 0u)

static inline node_time_t flow_send(uint32_t from, node_time_t at, uint32_t position,
				    uint32_t frame_bytes)
{
	return from ? switch_send(&s, 3, at, 2, 9, position, frame_bytes)
		    : host_send(&s, 0, at, 2, 1, 0, frame_bytes);
}

/* the flow from host 0 has one packet of 16 units in flight, and is congested: limit-after-ack, 160
 * ps a byte. Return: its channel. */
static inline uint32_t limited_flow(void)
{
	struct congestion_setting after_ack = free_setting();
	uint32_t id;

	after_ack.flow_extent_units = 0;
	after_ack.limit_after_ack = true;
	after_ack.byte_time_ps = 40;
	after_ack.byte_time_scale = 2;
	setting_last(1, 1, after_ack);
	congestion()->limit_after_ack = true;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_arrive(2, NODE_US, id, ACK_ECA, 1);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	return id;
}

/* hop credit with levels so low that two packets are the target, and buffers that are large
 * enough */
static inline void credit_on(void)
{
	struct congestion_setting levels = free_setting();

	levels.drop_units = UNITS;
	levels.target_units = 2 * UNITS;
	levels.high_units = 4 * UNITS;
	levels.queue_extent_units = 8 * UNITS;
	setting_last(0, 0, levels);
	congestion()->headroom = true;
	for (uint32_t p = 2; p < PORTS; p++) {
		s.ports[p].buffer_units = 4096;
		s.ports[p].stop_units = 3000;
	}
}

/* packet @i of channel 9 of switch 2, for host 4 at port 3 */
static inline node_time_t through_send(node_time_t at, uint32_t i)
{
	return switch_send(&s, 2, at, 4, 9, i * UNITS, PACKET);
}

/* a flow of host @host has a packet in flight from port 2. Return: its channel. */
static inline uint32_t flow_begin(uint32_t host, uint32_t flow, node_time_t at)
{
	host_send(&s, host, at, 2, flow, 0, PACKET);
	one_switch_run(&s, at + NODE_US);
	return channel_expect(2, PACKET);
}

#endif
