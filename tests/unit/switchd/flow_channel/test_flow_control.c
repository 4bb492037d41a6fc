/*  switchd: congestion control in one switch whose neighbours are played by hand
 *  (tests/unit/switchd/flow_channel/one_switch.h): what is told of an egress queue (EC-2, EC-3),
 *  what a flow then waits for at its input and what lets it go on, each to the picosecond (EC-5 ...
 *  EC-9), credit per flow and hop (EC-12 ... EC-14), and what a link that goes leaves behind:
 *  nothing. Every test turns on what it is about, no more. */
#include <stdio.h>

#include "nodes/wire/ecn_mark.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define PACKET 4096u /* a frame of 16 data units */
#define UNITS 16u
#define ON_FABRIC (PACKET + FRAME_FCS_BYTES + FABRIC_HEADER_BYTES)
#define UNIT_BYTE_TIME_PS (256u * 160u) /* of the settings with limit-after-ack: a unit's time */

static struct congestion_config *congestion(void)
{
	return &s.config.switch_.congestion;
}

/* a setting that holds nothing back */
static struct congestion_setting free_setting(void)
{
	return one_switch_congestion_off().settings[0];
}

/* @setting is row @row of the table, which ECAs from @eca_min on select, and its last */
static void setting_last(uint32_t row, uint32_t eca_min, struct congestion_setting setting)
{
	for (uint32_t i = row; i < CONGESTION_SETTINGS; i++) {
		congestion()->settings[i] = setting;
		congestion()->settings[i].eca_min = i == row ? eca_min : CONGESTION_ECA_UNUSED;
	}
}

/* every ACK goes up at once, in a frame of its own */
static void acks_at_once(void)
{
	s.config.switch_.ack_t1_ps = s.config.switch_.ack_t2_ps = s.config.switch_.ack_t3_ps = 0;
}

static const struct ifct_entry *flow_at(uint32_t port, uint32_t id)
{
	return &s.dp->ifcts[port].entries[id];
}

/* the next packet out of @port is of @frame_bytes.   Return: its channel there. */
static uint32_t channel_expect(uint32_t port, uint32_t frame_bytes)
{
	packet_expect(port, frame_bytes);
	return header_of_packet(port).flow_id;
}

/* an ACK comes in at @port at @at, and a microsecond goes by. Return: when the ACK was handled. */
static node_time_t ack_come(uint32_t port, node_time_t at, uint32_t flow_id, enum ack_type type,
			    uint32_t value)
{
	at = switch_send_ack(&s, port, at, flow_id, type, value) +
	     ack_frame_wire_bytes(1) * BYTE_PS;
	one_switch_run(&s, at + NODE_US);
	return at;
}

static void no_ack_expect(uint32_t port)
{
	ck_assert(!neighbour_receive(&s, port, RECORD_ACKS, &got));
}

/* ---- what is told of an egress queue ---- */

/* a unit above @units is an ECA of one */
static void detect_above(uint32_t units)
{
	congestion()->eca = true;
	congestion()->lbf_thresh_units = units;
	congestion()->lpf_thresh = congestion()->dbf_thresh_units = CONGESTION_UNITS_MAX;
}

TEST_GROUP(told, .setup = setup, .teardown = teardown);

/* EC-1, EC-2, EC-3, EC-4: three packets queue at a host that pauses. Each request that finds too
 * much is told at once, and acknowledges nothing; each packet that leaves says what it leaves
 * behind, itself included. On a guarded link, once it has arrived. */
TEST_RANGE(eca__at_enqueue_and_at_dequeue, 0, 2)
{
	node_time_t at[3];

	detect_above(16);
	acks_at_once();
	s.ports[0].guarded = _i;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		at[i] = switch_send(&s, 2, NODE_US, 0, 5, UNITS * i, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	ack_expect(2, 5, ACK_ECA, 16);
	ck_assert_uint_eq(got.header.at_ps, at[1] + ON_FABRIC * BYTE_PS + LEAD);
	ack_expect(2, 5, ACK_ECA, 32);
	ck_assert_uint_eq(got.header.at_ps, at[2] + ON_FABRIC * BYTE_PS + LEAD);
	no_ack_expect(2);
	ck_assert_uint_eq(ifct_total_extent(flow_at(2, 5)), 3 * UNITS);
	ck_assert_uint_eq(stats_of(0)->eca_acks, 2);
	ck_assert_uint_eq(stats_of(0)->eca_max, 32);
	ck_assert_uint_eq(stats_of(0)->eca_first_ps, at[1] + ON_FABRIC * BYTE_PS);
	neighbour_stop(&s, 0, 10 * NODE_US, 0);
	one_switch_run(&s, 20 * NODE_US);
	if (_i) {
		struct ack acks[ACK_FRAME_ACKS_MAX];

		no_ack_expect(2);
		neighbour_send_word(&s, 0, 20 * NODE_US, LINK_WORD_SEEN, 0, 3);
		one_switch_run(&s, FAR);
		ck_assert_uint_eq(acks_receive(2, acks), 2);
		ck_assert(acks[0].type == ACK_DELTA && acks[0].value == UNITS);
		ck_assert(acks[1].type == ACK_DELTA_ECA && acks[1].value == 2 * UNITS);
	} else {
		ack_expect(2, 5, ACK_DELTA_ECA, UNITS);
		ack_expect(2, 5, ACK_DELTA_ECA, UNITS);
		ack_expect(2, 5, ACK_DELTA, UNITS);
	}
	no_ack_expect(2);
	ck_assert_uint_eq(stats_of(0)->delta_eca_acks, 2);
	all_released_expect();
}

/* FC-12: ACKs that pass an input whose queue of the flow is congested go on with its congestion, if
 * that is the greater one. What this switch itself heard does not change. */
TEST(inputs__acks_rewritten)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint32_t id;

	congestion()->inputs = true;
	congestion()->inputs_thresh_units = UNITS;
	congestion()->inputs_shift = 2;
	acks_at_once();
	one_switch_open(&s);
	switch_send(&s, 2, 0, 4, 9, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(3, PACKET);
	ack_come(3, NODE_US, id, ACK_ECA, 5); /* nothing is queued: as it came */
	ack_expect(2, 9, ACK_ECA, 5);
	neighbour_stop(&s, 3, 3 * NODE_US, 1);
	for (uint32_t i = 1; i < 4; i++)
		switch_send(&s, 2, 4 * NODE_US, 4, 9, i * UNITS, PACKET);
	one_switch_run(&s, 6 * NODE_US);
	ck_assert_uint_eq(ifct_queue_extent(flow_at(2, 9)), 3 * UNITS);
	ack_come(3, 6 * NODE_US, id, ACK_ECA, 9);
	ack_expect(2, 9, ACK_ECA, 9);
	ack_come(3, 8 * NODE_US, id, ACK_ECA, 5);
	ack_expect(2, 9, ACK_ECA, 2 * UNITS / 4);
	ck_assert_uint_eq(flow_at(2, 9)->ep_congestion, 5);
	ack_come(3, 10 * NODE_US, id, ACK_DELTA, UNITS);
	ck_assert_uint_eq(acks_receive(2, acks), 2);
	ck_assert(acks[0].type == ACK_ECA && acks[0].value == 2 * UNITS / 4);
	ck_assert(acks[1].type == ACK_DELTA_ECA && acks[1].value == UNITS);
	ck_assert_uint_eq(flow_at(2, 9)->ep_congestion, 0);
	ck_assert_uint_eq(stats_of(2)->acks_rewritten, 2);
}

/* FC-24, [S2 fig. 6, 612]: a packet with CE makes its flow a source; _i: 0 if that is not asked
 * for, or (1) CE is not set */
TEST_RANGE(ecn__makes_a_source, 0, 3)
{
	struct frame_spec spec = { .kind = FRAME_IPV4,
				   .source = 0,
				   .destination = 1,
				   .frame_bytes = 1000,
				   .ecn_capable = true };
	struct frame_payload payload = { .message_bytes = 900, .message_first = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);

	congestion()->ecn_eca = _i ? 7 : 0;
	one_switch_open(&s);
	if (_i != 1)
		ck_assert(ecn_mark(bytes, captured));
	neighbour_stop(&s, 1, 0, 1);
	neighbour_send_frame(&s, 0, NODE_NS, RECORD_PACKET, 1000 + FRAME_FCS_BYTES, 0, bytes,
			     captured);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(flow_at(0, 0)->ep_congestion, _i == 2 ? 7 : 0);
	ck_assert_uint_eq(stats_of(1)->ecn_packets, _i == 2);
	neighbour_stop(&s, 1, NODE_US, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->delta_eca_acks, _i == 2);
	all_released_expect();
}

/* EC-1: what a class of a port has to send is no congestion of another one */
TEST(eca__of_each_class)
{
	detect_above(16);
	s.config.class_count = 2;
	one_switch_open(&s);
	neighbour_stop(&s, 1, 0, 3);
	for (uint32_t i = 0; i < 2; i++)
		host_send(&s, 0, NODE_US, 1, i, 0, PACKET);
	host_send(&s, 0, NODE_US, 1, 7, 1, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(stats_of(1)->eca_acks, 1);
	ck_assert_uint_eq(flow_at(0, 1)->ep_congestion, 16);
	ck_assert_uint_eq(flow_at(0, 2)->ep_congestion, 0);
}

/* ---- the reaction at an input ---- */

/* a flow to host 2, behind port 2: from host 0 (an ingress edge), or from switch 3 in channel 9 */
#define FROM (_i ? 3u : 0u)
#define FLOW (_i ? 9u : 0u)

static node_time_t flow_send(uint32_t from, node_time_t at, uint32_t position, uint32_t frame_bytes)
{
	return from ? switch_send(&s, 3, at, 2, 9, position, frame_bytes)
		    : host_send(&s, 0, at, 2, 1, 0, frame_bytes);
}

TEST_GROUP(limits, .setup = setup, .teardown = teardown);

/* EC-5: at every IFCT on the way ACK_ECA selects the last setting that it reaches, ACK_DELTA_ECA
 * keeps it, ACK_DELTA clears it */
TEST_RANGE(setting__ack_eca_selects_delta_eca_keeps_delta_clears, 0, 2)
{
	uint32_t id;

	setting_last(1, 30, free_setting());
	setting_last(2, 60, free_setting());
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		flow_send(FROM, 0, i * UNITS, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t eca = ((const uint32_t[]){ 45, 255, 29, 59 })[i];

		ack_come(2, (2 + 2 * i) * NODE_US, id, ACK_ECA, eca);
		ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, eca);
		ck_assert_uint_eq(flow_at(FROM, FLOW)->setting,
				  ((const uint32_t[]){ 1, 2, 0, 1 })[i]);
		ck_assert_uint_eq(stats_of(FROM)->limited, 1);
		if (_i)
			ack_expect(3, 9, ACK_ECA, eca);
	}
	ck_assert_uint_eq(ifct_total_extent(flow_at(FROM, FLOW)), 3 * UNITS);
	ack_come(2, 10 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, 59);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->setting, 1);
	ack_come(2, 12 * NODE_US, id, ACK_DELTA, UNITS);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->ep_congestion, 0);
	ck_assert_uint_eq(flow_at(FROM, FLOW)->setting, 0);
	ck_assert_uint_eq(stats_of(FROM)->limited, 0);
	ack_come(2, 14 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), 0);
}

/* EC-1: a factor has 8 bits, and none is not told: what else a peer says is dropped */
TEST_RANGE(setting__ack_eca_without_a_factor_is_refused, 0, 3)
{
	static const uint32_t values[] = { 0, ECA_MAX + 1, ACK_VALUE_MAX };
	uint32_t id;

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_come(2, NODE_US, id, ACK_ECA, values[_i]);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), 1);
	ck_assert_uint_eq(stats_of(0)->limited, 0);
	ck_assert_uint_eq(flow_at(0, 0)->ep_congestion, 0);
	ack_come(2, 3 * NODE_US, id, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-6: a new flow has half the bandwidth until its first ACK_DELTA; with slow start off, the whole
 * from the first packet on */
TEST_RANGE(slow_start__until_the_first_ack_delta, 0, 2)
{
	node_time_t full = (ON_FABRIC + GAP_BYTES) * BYTE_PS, first;
	struct congestion_setting half = free_setting();
	uint32_t id;

	half.rate_bps = 100000000000;
	setting_last(1, 200, half);
	congestion()->slow_start = _i;
	congestion()->slow_start_setting = 1;
	congestion()->rate_limit = true;
	one_switch_open(&s);
	first = host_send(&s, 0, 0, 2, 1, 0, PACKET) + (PACKET + FRAME_FCS_BYTES) * BYTE_PS + LEAD;
	host_send(&s, 0, 0, 2, 1, 0, PACKET);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect_at(2, PACKET, first);
	packet_expect_at(2, PACKET, first + (_i ? PACKET * 2 * BYTE_PS : full));
	id = header_of_packet(2).flow_id;
	ack_come(2, 2 * NODE_US, id, ACK_DELTA_ECA, UNITS / 2);
	ck_assert_uint_eq(flow_at(0, 0)->setting, _i);
	ack_come(2, 4 * NODE_US, id, ACK_DELTA, UNITS / 2);
	ck_assert_uint_eq(flow_at(0, 0)->setting, 0);
	first = host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET) +
		(PACKET + FRAME_FCS_BYTES) * BYTE_PS + LEAD;
	host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET);
	switch_send(&s, 3, 6 * NODE_US, 2, 9, 0, PACKET);
	one_switch_run(&s, 6 * NODE_US + 300 * NODE_NS);
	ck_assert_uint_eq(flow_at(3, 9)->setting, 0); /* it had its slow start at its ingress */
	one_switch_run(&s, 10 * NODE_US);
	packet_expect_at(2, PACKET, first);
	packet_expect_at(2, PACKET, first + full);
}

/* EC-5: at 50 Gb/s a byte takes 160 ps: after a packet the next one waits for just its bytes,
 * however long it is itself */
TEST_RANGE(rate__gaps_between_packets, 0, 2)
{
	static const uint32_t bytes[] = { 4096, 1000, 300, 2000, 100 };
	struct congestion_setting slow = free_setting();
	uint32_t id, position = 4;
	node_time_t at, out;

	slow.rate_bps = 50000000000;
	setting_last(1, 1, slow);
	congestion()->rate_limit = true;
	one_switch_open(&s);
	flow_send(FROM, 0, 0, 1000);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, 1000);
	ack_come(2, NODE_US, id, ACK_ECA, 1);
	at = flow_send(FROM, 3 * NODE_US, position, bytes[0]);
	out = at + (bytes[0] + FRAME_FCS_BYTES + (_i ? FABRIC_HEADER_BYTES : 0)) * BYTE_PS + LEAD;
	for (uint32_t i = 1; i < 5; i++) {
		position += units_of_bytes(bytes[i - 1]);
		flow_send(FROM, 3 * NODE_US, position, bytes[i]);
	}
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 5; i++) {
		packet_expect_at(2, bytes[i], out);
		out += bytes[i] * 160;
	}
	ck_assert_uint_eq(stats_of(FROM)->blocked_rate, 4);
	ck_assert_uint_eq(s.dp->wakes.count, 0);
}

/* EC-7: above the limit nothing goes on, at the ingress and on the way; with the ACK that brings
 * the extent down to it, one packet more */
TEST_RANGE(extent__limit_holds, 0, 2)
{
	struct congestion_setting narrow = free_setting();
	uint32_t id;

	narrow.flow_extent_units = 20;
	setting_last(1, 1, narrow);
	congestion()->flow_limit = true;
	one_switch_open(&s);
	flow_send(FROM, 0, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_come(2, NODE_US, id, ACK_ECA, 1);
	for (uint32_t i = 1; i < 5; i++)
		flow_send(FROM, 3 * NODE_US, i * UNITS, PACKET - i);
	one_switch_run(&s, 5 * NODE_US);
	packet_expect(2, PACKET - 1);
	no_packet_expect(2);
	ck_assert_uint_eq(ifct_flow_extent(flow_at(FROM, FLOW)), 2 * UNITS);
	ck_assert_uint_eq(stats_of(FROM)->blocked_extent, 1);
	ack_come(2, 5 * NODE_US, id, ACK_DELTA_ECA, 11); /* 21 are left */
	no_packet_expect(2);
	ack_come(2, 7 * NODE_US, id, ACK_DELTA_ECA, 1);
	packet_expect(2, PACKET - 2);
	no_packet_expect(2);
	ack_come(2, 9 * NODE_US, id, ACK_DELTA, 1);
	packet_expect(2, PACKET - 3);
	packet_expect(2, PACKET - 4);
}

/* EC-7, ours: the last switch holds nothing back from a host, for that would only idle its link */
TEST(extent__no_limit_in_the_last_switch)
{
	struct congestion_setting narrow = free_setting();

	narrow.flow_extent_units = 0;
	setting_last(1, 1, narrow);
	detect_above(0);
	congestion()->flow_limit = true;
	s.ports[0].guarded = true; /* so that extents outlast the queue */
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		switch_send(&s, 2, 0, 0, 5, UNITS * i, PACKET);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(flow_at(2, 5)->setting, 1);
	ck_assert_uint_eq(ifct_flow_extent(flow_at(2, 5)), 3 * UNITS);
	for (uint32_t i = 0; i < 3; i++)
		packet_expect(0, PACKET);
}

/* the flow from host 0 has one packet of 16 units under way, and is congested: limit-after-ack, 160
 * ps a byte. Return: its channel. */
static uint32_t limited_flow(void)
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
	ack_come(2, NODE_US, id, ACK_ECA, 1);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	return id;
}

/* EC-8: blocked until the last ACK is back; then RUNNING, the next packet goes when the wake-up
 * time has come, and blocks the flow again */
TEST(limit_after_ack__blocked_until_empty_then_asleep)
{
	uint32_t id = limited_flow();
	node_time_t acked;

	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->blocked_empty, 1);
	ack_come(2, 4 * NODE_US, id, ACK_DELTA_ECA, 10);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	ck_assert_uint_eq(stats_of(0)->blocked_empty, 1); /* the same packet */
	no_packet_expect(2);
	acked = ack_come(2, 6 * NODE_US, id, ACK_DELTA_ECA, 6);
	packet_expect_at(2, PACKET, acked + 6 * UNIT_BYTE_TIME_PS + LEAD);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, BLOCK_UNTIL_EMPTY);
	acked = ack_come(2, 8 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	packet_expect_at(2, PACKET, acked + UNITS * UNIT_BYTE_TIME_PS + LEAD);
	ack_come(2, 10 * NODE_US, header_of_packet(2).flow_id, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-8: ACK_DELTA frees a blocked flow at once */
TEST(limit_after_ack__ack_delta_clears)
{
	uint32_t id = limited_flow();
	node_time_t acked;

	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, PACKET);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(2);
	acked = ack_come(2, 4 * NODE_US, id, ACK_DELTA, 1);
	packet_expect_at(2, PACKET, acked + LEAD);
}

/* EC-8: line and channel outlive the flow's packets until the wake-up time: a packet that comes
 * before waits for it, and afterwards the flow is a new one */
TEST_RANGE(limit_after_ack__outlives_the_packets, 0, 2)
{
	uint32_t id = limited_flow();
	node_time_t wake_up =
		4 * NODE_US + ack_frame_wire_bytes(1) * BYTE_PS + UNITS * UNIT_BYTE_TIME_PS;

	switch_send_ack(&s, 2, 4 * NODE_US, id, ACK_DELTA_ECA, UNITS);
	one_switch_run(&s, 4 * NODE_US + 100 * NODE_NS);
	ck_assert_uint_eq(s.dp->ports[2].ofct.used, 0);
	if (_i)
		host_send(&s, 0, wake_up - 300 * NODE_NS, 2, 1, 0, PACKET);
	one_switch_run(&s, wake_up);
	ck_assert_uint_eq(s.dp->ports[0].efct.used, 1);
	ck_assert_uint_eq(s.dp->ifcts[0].used, 1);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	no_packet_expect(2);
	one_switch_run(&s, wake_up + 1);
	if (!_i) {
		all_released_expect();
		host_send(&s, 0, 6 * NODE_US, 2, 1, 0, PACKET);
		wake_up = 6 * NODE_US + (PACKET + FRAME_FCS_BYTES) * BYTE_PS;
	}
	one_switch_run(&s, 10 * NODE_US);
	packet_expect_at(2, PACKET, wake_up + LEAD);
	ck_assert_uint_eq(flow_at(0, 0)->fc_state, _i ? BLOCK_UNTIL_EMPTY : RUNNING);
}

/* A packet comes at the very moment at which its flow is to be forgotten, leaves at once, and its
 * ACK frees the flow: once. */
TEST(rate__ends_as_a_packet_comes)
{
	struct congestion_setting slow = free_setting();
	node_time_t sent;

	slow.rate_bps = 100000000000;
	slow.flow_extent_units = 0;
	setting_last(1, 1, slow);
	detect_above(UNITS - 1);
	congestion()->rate_limit = true;
	one_switch_open(&s);
	sent = host_send(&s, 0, 0, 1, 1, 0, PACKET);
	one_switch_run(&s, sent + (PACKET + FRAME_FCS_BYTES) * BYTE_PS + 1);
	ck_assert_uint_eq(flow_at(0, 0)->wake_up_ps,
			  (PACKET + FRAME_FCS_BYTES) * BYTE_PS + 2 * PACKET * BYTE_PS);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	host_send(&s, 0, flow_at(0, 0)->wake_up_ps - (1000 + FRAME_FCS_BYTES) * BYTE_PS, 1, 1, 0,
		  1000);
	one_switch_run(&s, FAR);
	packet_expect(1, PACKET);
	packet_expect(1, 1000);
	all_released_expect();
}

/* ---- the port's limit ---- */

/* EC-9: the sum is counted up when packets are injected, down when they are acknowledged or lost;
 * flows go on in the order of their coming */
TEST(port_limit__in_turn)
{
	uint32_t channels[12];
	node_time_t now = 3 * NODE_US;

	congestion()->port_limit_units = 40;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 12; i++)
		host_send(&s, 0, 0, 2, i % 4, 0, 4000 + i % 4);
	one_switch_run(&s, now);
	for (uint32_t i = 0; i < 3; i++) /* the third was injected at 32 */
		channels[i] = channel_expect(2, 4000 + i);
	ck_assert_uint_eq(stats_of(0)->blocked_port, 4);
	for (uint32_t i = 0; i < 12; i++, now += 2 * NODE_US) {
		no_packet_expect(2);
		ck_assert_uint_eq(stats_of(0)->extent_units, UNITS * (i < 9 ? 3 : 12 - i));
		ack_come(2, now, channels[i], i % 2 ? ACK_DELTA : ACK_LOSS, UNITS);
		if (i + 3 < 12)
			channels[i + 3] = channel_expect(2, 4000 + (i + 3) % 4);
	}
	ck_assert_uint_eq(stats_of(0)->extent_units_max, 3 * UNITS);
	all_released_expect();
}

/* EC-9: an ACK of many units lets as many on: short packets of many flows use the limit up */
TEST(port_limit__one_ack_for_many_flows)
{
	uint32_t id, packets = 0;

	congestion()->port_limit_units = 10;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 15, 0, PACKET);
	for (uint32_t i = 0; i < 14; i++)
		host_send(&s, 0, 0, 2, i, 0, 256);
	one_switch_run(&s, 2 * NODE_US);
	id = channel_expect(2, PACKET);
	no_packet_expect(2);
	ack_come(2, 2 * NODE_US, id, ACK_DELTA, UNITS);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got))
		packets++;
	ck_assert_uint_eq(packets, 11); /* the last one at 10 */
	ck_assert_uint_eq(stats_of(0)->extent_units, 11);
}

/* EC-9: who waits for another output does not wait for one that is stopped, once nothing is under
 * way */
TEST(port_limit__no_blocking_by_a_stopped_output)
{
	uint32_t id;

	congestion()->port_limit_units = 10;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	host_send(&s, 0, NODE_US, 2, 1, 0, PACKET);
	host_send(&s, 0, NODE_US, 4, 2, 0, PACKET);
	host_send(&s, 0, NODE_US, 2, 3, 0, PACKET);
	one_switch_run(&s, 3 * NODE_US);
	id = channel_expect(2, PACKET);
	no_packet_expect(2);
	ack_come(2, 3 * NODE_US, id, ACK_DELTA, UNITS);
	packet_expect(2, PACKET);
	no_packet_expect(3);
}

/* ---- credit that this switch gives ---- */

/* credit per flow and hop, with water levels so low that two packets are the target, and buffers in
 * which they are not short of room */
static void credit_on(void)
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

/* packet @i of channel 9 of switch 2, for host 4 behind port 3 */
static node_time_t through_send(node_time_t at, uint32_t i)
{
	return switch_send(&s, 2, at, 4, 9, i * UNITS, PACKET);
}

TEST_GROUP(credit, .setup = setup, .teardown = teardown);

/* EC-12: at the target level UM is set, and the first ACK says how much of the flow is here and
 * beyond; where it is off, nothing */
TEST_RANGE(headroom__begins_at_the_target, 0, 2)
{
	node_time_t at;

	credit_on();
	congestion()->headroom = _i;
	one_switch_open(&s);
	through_send(0, 0);
	neighbour_stop(&s, 3, NODE_US, 1);
	through_send(2 * NODE_US, 1);
	one_switch_run(&s, 3 * NODE_US);
	no_ack_expect(2);
	at = through_send(3 * NODE_US, 2);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(2, 9)->um, _i);
	ck_assert_uint_eq(stats_of(2)->metered, _i);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, _i);
	if (!_i) {
		no_ack_expect(2);
		return;
	}
	ack_expect(2, 9, ACK_HEADROOM, 3 * UNITS);
	ck_assert_uint_eq(got.header.at_ps, at + ON_FABRIC * BYTE_PS + T1 + LEAD);
	ck_assert_int_eq(flow_at(2, 9)->committed_units, 2 * UNITS);
}

/* EC-13: above high nothing, then an eighth less than the packet, from the target down an eighth
 * more, below drop the end */
TEST(headroom__credit_by_water_level)
{
	/* at 64, 48, 32, 16, 0; none at 80 */
	static const uint32_t credits[] = { 14, 14, 18, 18, ACK_VALUE_MAX };

	credit_on();
	acks_at_once();
	s.config.switch_.output_queue_units_max = UNITS;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	for (uint32_t i = 0; i < 6; i++)
		through_send(NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	ack_expect(2, 9, ACK_HEADROOM, 2 * UNITS);
	no_ack_expect(2);
	neighbour_stop(&s, 3, 5 * NODE_US, 0);
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 5; i++)
		ack_expect(2, 9, ACK_HEADROOM, credits[i]);
	no_ack_expect(2);
	ck_assert(!flow_at(2, 9)->um);
	ck_assert_uint_eq(stats_of(2)->metered, 0);
	ck_assert_uint_eq(stats_of(2)->headroom_stops, 1);
	ck_assert_uint_eq(stats_of(2)->headroom_units, 14 + 14 + 18 + 18);
	ck_assert_uint_eq(s.dp->ports[2].promised_units[0], 0);
}

/* EC-13: metering ends with the queue even where drop is 0 and no queue is below it: what is
 * promised does not outlive the flow */
TEST(headroom__ends_with_the_queue)
{
	struct congestion_setting levels;

	credit_on();
	levels = congestion()->settings[0];
	levels.drop_units = 0;
	setting_last(0, 0, levels);
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	neighbour_stop(&s, 3, 3 * NODE_US, 0);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, 1);
	ack_come(3, 5 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, 2 * UNITS);
	all_released_expect();
}

/* EC-12: a credit leaves before the delivery that frees its channel, though both arise at one
 * moment */
TEST(headroom__credit_before_delivery)
{
	static const uint32_t credits[] = { 18, ACK_VALUE_MAX };
	struct ack acks[ACK_FRAME_ACKS_MAX];

	credit_on();
	s.config.switch_.output_queue_units_max = UNITS;
	one_switch_open(&s);
	neighbour_stop(&s, 0, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		switch_send(&s, 2, NODE_US, 0, 5, i * UNITS, PACKET);
	neighbour_stop(&s, 0, 3 * NODE_US, 0);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_HEADROOM, 3 * UNITS);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(acks_receive(2, acks), 2);
		ck_assert(acks[0].type == ACK_HEADROOM && acks[0].value == credits[i]);
		ck_assert(acks[1].type == ACK_DELTA && acks[1].value == UNITS);
	}
	ack_expect(2, 5, ACK_DELTA, UNITS);
	all_released_expect();
}

/* EC-12: what a lost frame said of credit is not true any more: upstream forgets what it has, and
 * begins with what is now */
TEST_RANGE(headroom__lost_ack_is_told_anew, 0, 2)
{
	uint32_t frames;

	credit_on();
	s.ports[2].guarded = true;
	one_switch_open(&s);
	s.links[2].loss_ppb = 1000000000;
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	/* _i: metering is over before anyone has heard that it was on */
	neighbour_stop(&s, 3, 3 * NODE_US, !_i);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->headroom_starts, 1);
	ck_assert_uint_eq(stats_of(2)->headroom_stops, _i);
	frames = s.links[2].sequence;
	ck_assert_uint_gt(frames, _i);
	s.links[2].loss_ppb = 0;
	no_ack_expect(2);
	for (uint32_t i = 0; i < frames; i++)
		neighbour_send_word(&s, 2, 5 * NODE_US, LINK_WORD_MISSING, 0, i);
	neighbour_send_word(&s, 2, 5 * NODE_US, LINK_WORD_SEEN, 0, frames);
	one_switch_run(&s, 7 * NODE_US);
	if (_i) {
		ack_expect(2, 9, ACK_HEADROOM, ACK_VALUE_MAX);
	} else {
		struct ack acks[ACK_FRAME_ACKS_MAX];

		ck_assert_uint_eq(acks_receive(2, acks), 2);
		ck_assert(acks[0].type == ACK_HEADROOM && acks[0].value == ACK_VALUE_MAX);
		ck_assert(acks[1].type == ACK_HEADROOM && acks[1].value == 2 * UNITS);
		/* as if nothing had been lost */
		ck_assert_int_eq(flow_at(2, 9)->committed_units, 2 * UNITS);
	}
	no_ack_expect(2);
	ck_assert_uint_eq(s.dp->ports[2].promised_units[0], 0);
}

/* On a link that loses frames metering begins with the end of what was before: if that was lost,
 * the first credit would be added up */
TEST(headroom__begins_with_an_end_on_a_guarded_link)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	credit_on();
	s.ports[2].guarded = true;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	through_send(NODE_US, 0);
	through_send(NODE_US, 1);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(acks_receive(2, acks), 2);
	ck_assert(acks[0].type == ACK_HEADROOM && acks[0].value == ACK_VALUE_MAX);
	ck_assert(acks[1].type == ACK_HEADROOM && acks[1].value == 2 * UNITS);
}

/* ---- credit that it needs ---- */

/* EC-12, EC-13: DM. What is under way behind this switch counts against the first credit; further
 * credit adds up; above 0 a packet goes and takes its units, below 0 if need be; the greatest value
 * is the end of it */
TEST_RANGE(headroom__packets_wait_for_credit, 0, 2)
{
	uint32_t id;

	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		flow_send(FROM, 0, i * UNITS, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	ack_come(2, NODE_US, id, ACK_HEADROOM, 2 * UNITS);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -16);
	for (uint32_t i = 3; i < 8; i++)
		flow_send(FROM, 3 * NODE_US, i * UNITS, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(FROM)->blocked_headroom, 1);
	ack_come(2, 5 * NODE_US, id, ACK_HEADROOM, UNITS);
	no_packet_expect(2);
	ack_come(2, 7 * NODE_US, id, ACK_HEADROOM, 1);
	packet_expect(2, PACKET);
	no_packet_expect(2);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -15);
	ack_come(2, 9 * NODE_US, id, ACK_HEADROOM, 2 * UNITS);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	no_packet_expect(2);
	ck_assert_int_eq(flow_at(FROM, FLOW)->headroom, -15);
	ack_come(2, 11 * NODE_US, id, ACK_HEADROOM, ACK_VALUE_MAX);
	packet_expect(2, PACKET);
	packet_expect(2, PACKET);
	ck_assert(!flow_at(FROM, FLOW)->dm);
	no_ack_expect(3); /* credit goes no further up */
}

/* EC-12: packets that wait for credit may set off the same one hop further up */
TEST(headroom__one_hop_further_up)
{
	credit_on();
	one_switch_open(&s);
	through_send(0, 0);
	one_switch_run(&s, NODE_US);
	ack_come(3, NODE_US, channel_expect(3, PACKET), ACK_HEADROOM, UNITS);
	for (uint32_t i = 1; i < 3; i++)
		through_send(3 * NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(3);
	ack_expect(2, 9, ACK_HEADROOM, 3 * UNITS);
}

/* EC-12: credit is a channel's: when that is free the flow's next packet needs none. What comes
 * late for it is a contradiction, but not where frames can be lost */
TEST_RANGE(headroom__ends_with_its_channel, 0, 2)
{
	uint32_t id;

	s.ports[2].guarded = _i;
	one_switch_open(&s);
	flow_send(3, 0, 0, PACKET);
	one_switch_run(&s, NODE_US);
	id = channel_expect(2, PACKET);
	ack_come(2, NODE_US, id, ACK_HEADROOM, 1);
	flow_send(3, 3 * NODE_US, UNITS, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(2);
	ack_come(2, 5 * NODE_US, id, ACK_DELTA, UNITS);
	id = channel_expect(2, PACKET);
	ack_come(2, 7 * NODE_US, id, ACK_DELTA, UNITS);
	all_released_expect();
	ack_come(2, 9 * NODE_US, id, ACK_HEADROOM, UNITS);
	ck_assert_uint_eq(drops(DROP_BAD_ACK), !_i);
}

/* ---- stop and go ---- */

/* a flow of host @host that goes out of port 2 has a packet under way.   Return: its channel. */
static uint32_t flow_begin(uint32_t host, uint32_t flow, node_time_t at)
{
	host_send(&s, host, at, 2, flow, 0, PACKET);
	one_switch_run(&s, at + NODE_US);
	return channel_expect(2, PACKET);
}

/* EC-14: stop holds flows without credit; one with credit goes on. Go lets them on in the order of
 * their coming. */
TEST(stop__holds_only_flows_without_credit)
{
	uint32_t with_credit;

	congestion()->headroom = true;
	one_switch_open(&s);
	with_credit = flow_begin(1, 9, 0);
	ack_come(2, 2 * NODE_US, with_credit, ACK_HEADROOM, 5 * UNITS);
	neighbour_stop(&s, 2, 4 * NODE_US, 1);
	for (uint32_t i = 0; i < 6; i++)
		host_send(&s, 0, 5 * NODE_US, 2, i % 3, 0, 1000 + i);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 1, 6 * NODE_US, 2, 9, 0, PACKET);
	one_switch_run(&s, 10 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(channel_expect(2, PACKET), with_credit);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 2)->wait, IFCT_STOPPED);
	neighbour_stop(&s, 2, 10 * NODE_US, 0);
	one_switch_run(&s, 12 * NODE_US);
	for (uint32_t i = 0; i < 6; i++)
		packet_expect(2, 1000 + i / 2 + i % 2 * 3); /* each with all that it has */
	no_packet_expect(2);
}

/* EC-14: a flow that is stopped goes on when it is given credit; the others wait on */
TEST(stop__credit_lets_go)
{
	uint32_t id;

	congestion()->headroom = true;
	one_switch_open(&s);
	id = flow_begin(0, 1, 0);
	neighbour_stop(&s, 2, NODE_US, 1);
	host_send(&s, 1, 2 * NODE_US, 2, 1, 0, 1000);
	host_send(&s, 0, 3 * NODE_US, 2, 1, 0, 1001);
	host_send(&s, 0, 3 * NODE_US, 2, 2, 0, 1002);
	one_switch_run(&s, 5 * NODE_US);
	no_packet_expect(2);
	ack_come(2, 5 * NODE_US, id, ACK_HEADROOM, UNITS);
	no_packet_expect(2); /* all of that is under way */
	/* for more credit, not for the peer's room any more */
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_BLOCKED);
	ack_come(2, 7 * NODE_US, id, ACK_HEADROOM, 1);
	packet_expect(2, 1001);
	no_packet_expect(2);
	neighbour_stop(&s, 2, 10 * NODE_US, 0);
	one_switch_run(&s, 12 * NODE_US);
	packet_expect(2, 1000);
	packet_expect(2, 1002);
}

/* EC-13, EC-14: a flow whose metering ends while the peer has no room is one like the others */
TEST(stop__holds_when_credit_ends)
{
	uint32_t id;

	congestion()->headroom = true;
	one_switch_open(&s);
	id = flow_begin(0, 1, 0);
	ack_come(2, NODE_US, id, ACK_HEADROOM, UNITS);
	neighbour_stop(&s, 2, 3 * NODE_US, 1);
	host_send(&s, 0, 4 * NODE_US, 2, 1, 0, 1000);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_BLOCKED);
	ack_come(2, 5 * NODE_US, id, ACK_HEADROOM, ACK_VALUE_MAX);
	no_packet_expect(2);
	ck_assert_uint_eq(flow_at(0, 0)->wait, IFCT_STOPPED);
	neighbour_stop(&s, 2, 8 * NODE_US, 0);
	one_switch_run(&s, 10 * NODE_US);
	packet_expect(2, 1000);
}

/* ---- links that go ---- */

static void real(void)
{
	s.config.clock = CLOCK_REAL;
}

/* one flow of each kind of waiting, all for port 2, and one for port 3 */
static void wait_in_every_way(void)
{
	static const uint32_t ecas[] = { 1, 50, 100 };
	uint32_t ids[4];

	for (uint32_t i = 0; i < 4; i++)
		ids[i] = flow_begin(0, i, 2 * i * NODE_US);
	flow_begin(1, 0, 8 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		ack_come(2, (10 + 2 * i) * NODE_US, ids[i], ACK_ECA, ecas[i]);
	ack_come(2, 16 * NODE_US, ids[3], ACK_HEADROOM, 1);
	/* the first last: it goes on, and is then over the port's limit */
	for (uint32_t i = 0; i < 4; i++)
		host_send(&s, 0, 18 * NODE_US, 2, (i + 1) % 4, 0, PACKET);
	one_switch_run(&s, 22 * NODE_US);
	host_send(&s, 0, 22 * NODE_US, 2, 0, 0, PACKET);
	neighbour_stop(&s, 2, 23 * NODE_US, 1);
	host_send(&s, 1, 24 * NODE_US, 2, 0, 0, PACKET);
	host_send(&s, 0, 24 * NODE_US, 2, 4, 0, PACKET);
	host_send(&s, 0, 24 * NODE_US, 4, 5, 0, PACKET);
	one_switch_run(&s, 30 * NODE_US);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got))
		;
}

TEST_GROUP(links, .setup = setup, .teardown = teardown);

/* FC-17: whatever a flow waits for when its link goes, its packets are lost, each once, and nothing
 * of it is left; who waited for the same limit and goes elsewhere goes on */
TEST(link_down__flows_that_wait)
{
	static const struct channel_set nothing;
	static const enum ifct_wait waits[] = { IFCT_ASLEEP,  IFCT_BLOCKED,    IFCT_BLOCKED,
						IFCT_BLOCKED, IFCT_PORT_LIMIT, IFCT_PORT_LIMIT };
	struct congestion_setting setting = free_setting();

	real();
	setting.rate_bps = 100000000;
	setting_last(1, 1, setting);
	setting.flow_extent_units = 0;
	setting_last(2, 50, setting);
	setting.limit_after_ack = true;
	setting.byte_time_ps = 40;
	setting_last(3, 100, setting);
	congestion()->rate_limit = congestion()->flow_limit = congestion()->limit_after_ack = true;
	congestion()->headroom = true;
	congestion()->port_limit_units = 5 * UNITS - 1;
	one_switch_open(&s);
	wait_in_every_way();
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(flow_at(0, i)->wait, waits[i]);
	ck_assert_uint_eq(flow_at(1, 0)->wait, IFCT_STOPPED);
	switchd_ops.link_down(s.dp, 2, 30 * NODE_US);
	switchd_ops.link_settle(s.dp, 2, &nothing, 30 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->loss_report_units, (3 + 2 + 2 + 2 + 1) * UNITS);
	ck_assert_uint_eq(stats_of(1)->loss_report_units, 2 * UNITS);
	one_switch_run(&s, 32 * NODE_US);
	ack_come(3, 32 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, UNITS);
	one_switch_run(&s, FAR);
	all_released_expect();
	ck_assert_uint_eq(drops_all(), drops(DROP_NO_ROUTE)); /* none was on the link */
}

/* FC-17, EC-9: its losses let on who waits for the port's limit - but not to itself */
TEST_RANGE(link_down__its_losses_let_nobody_onto_it, 0, 2)
{
	real();
	congestion()->port_limit_units = 40;
	s.config.class_count = 2;
	s.config.switch_.output_queue_units_max = 48;
	one_switch_open(&s);
	neighbour_stop(&s, 1, 0, 3);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 0, NODE_US, 1, 1, 1, PACKET);
	for (uint32_t i = 0; i < 5; i++)
		host_send(&s, 0, NODE_US, 1, 2, _i, PACKET);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(flow_at(0, 1)->wait, IFCT_PORT_LIMIT);
	switchd_ops.link_down(s.dp, 1, 5 * NODE_US);
	all_released_expect();
	ck_assert_uint_eq(stats_of(0)->loss_report_units, 8 * UNITS);
	one_switch_unplug(&s, 1);
	one_switch_plug(&s, 1);
	switchd_ops.link_up(s.dp, 1, 6 * NODE_US);
	host_send(&s, 0, 7 * NODE_US, 1, 3, _i, 1000);
	one_switch_run(&s, FAR);
	packet_expect(1, 1000);
	no_packet_expect(1);
	all_released_expect();
}

/* A flow is only remembered for its wake-up time when its next packet finds no way: nobody is
 * limited any more */
TEST(link_down__flow_that_is_remembered)
{
	uint32_t id;

	real();
	id = limited_flow();
	ack_come(2, 4 * NODE_US, id, ACK_DELTA_ECA, 1);
	switch_send_ack(&s, 2, 6 * NODE_US, id, ACK_DELTA_ECA, UNITS - 1);
	one_switch_run(&s, 6 * NODE_US + 100 * NODE_NS);
	ck_assert_uint_eq(stats_of(0)->limited, 1);
	switchd_ops.link_down(s.dp, 2, 6 * NODE_US + 100 * NODE_NS);
	host_send(&s, 0, 6 * NODE_US + 100 * NODE_NS, 2, 1, 0, PACKET);
	one_switch_run(&s, 6 * NODE_US + 400 * NODE_NS);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	all_released_expect();
}

/* EC-12: the link over which a metered flow came goes; the flow goes on without, and a new link
 * starts with nothing metered, nothing stopped */
TEST(link_down__over_which_a_metered_flow_came)
{
	real();
	credit_on();
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		through_send(NODE_US, i);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(stats_of(2)->metered, 1);
	switchd_ops.link_down(s.dp, 2, 5 * NODE_US);
	neighbour_stop(&s, 3, 6 * NODE_US, 0);
	one_switch_run(&s, 8 * NODE_US);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	switchd_ops.link_up(s.dp, 2, 8 * NODE_US);
	ack_come(3, 8 * NODE_US, channel_expect(3, PACKET), ACK_DELTA, 3 * UNITS);
	all_released_expect();
	through_send(11 * NODE_US, 0); /* a new link counts from 0 (FC-17) */
	one_switch_run(&s, 12 * NODE_US);
	no_ack_expect(2);
	ck_assert(!flow_at(2, 9)->um);
	ck_assert(!s.links[2].stop);
}
