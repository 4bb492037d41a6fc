/*  nicd/transport/transport: flows and ACKs without a link (RC-3, RC-4, RC-5, RC-16). */
#include "nicd/transport/transport.h"

#include <stdlib.h>

#include "nicd/transport/queue_pair.h"
#include "tests/testing.h"

#define CAPACITY_BYTES 1024 /* RC-4: a path MTU */
#define FRAME_BYTES (CAPACITY_BYTES + 58)
#define PACKET_PS ((FRAME_BYTES + 24) * 80)
#define LINE_BPS 100000000000ull /* a byte takes 80 ps */
#define TIMEOUT_PS (100 * NODE_US)

static struct node_config config;
static struct port_config port;
static struct stats_page *stats;
static struct transport transport;
static node_time_t now;

static void setup(void)
{
	config = (struct node_config){
		.kind = NODE_NIC,
		.fabric = FABRIC_ROCE,
		.class_count = 2,
		.roce = { .queue_pair = { .ack_packets = 4,
					  .timeout_ps = TIMEOUT_PS,
					  .retries = 3 } },
		.port_count = 1,
		.ports = &port,
		.nic = { .flows_max = 8192 },
	};
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	now = 0;
	ck_assert_int_eq(transport_init(&transport, &config, 8192, 100, stats), 0);
}

static void teardown(void)
{
	transport_fini(&transport);
	free(stats);
}

static void flow_open(uint32_t slot, uint32_t traffic_class)
{
	struct flow_spec spec = {
		.transport = TRANSPORT_RC,
		.destination = 1,
		.traffic_class = traffic_class,
		.shape = message_shape_of(FRAME_ROCE, FRAME_BYTES),
	};

	transport_open(&transport, slot, &spec, now);
}

static void put_packets(uint32_t slot, uint32_t packets)
{
	ck_assert(transport_put(&transport, slot, (uint64_t)packets * CAPACITY_BYTES, now, now));
}

/* Sends a packet of class 0 if one may be sent, and advances by its time on the link. */
static struct flow_packet send_one(void)
{
	struct flow_packet packet = { .flow = INDEX_NONE };

	transport_step(&transport, now);
	transport_settle(&transport, now);
	if (transport.drr.ready & 1) {
		packet = transport_next(&transport, 0);
		transport_sent(&transport, &packet, packet.frame_bytes + 24, now);
		now += PACKET_PS;
	}
	return packet;
}

static uint32_t send_all(void)
{
	uint32_t count = 0;

	while (send_one().flow != INDEX_NONE)
		count++;
	return count;
}

static const struct transport_flow *flow(uint32_t slot)
{
	return &transport.flows[slot];
}

/* ---- messages and packets ---- */

TEST_GROUP(transport, .setup = setup, .teardown = teardown);

/* RC-4: Packets have consecutive numbers. Every so many packets, and at the end of a message, one
 * requests an ACK. The ACK completes what it covers. */
TEST(transport__acks_are_requested_and_complete_messages)
{
	const bool asked[] = { false, false, true, false, false, false, true, true };

	flow_open(7, 0);
	put_packets(7, 3);
	put_packets(7, 5);
	for (uint32_t i = 0; i < 8; i++) {
		struct flow_packet packet = send_one();

		ck_assert_uint_eq(packet.flow, 7);
		ck_assert_int_eq(packet.message_first, i == 0 || i == 3);
		ck_assert_int_eq(packet.message_last, i == 2 || i == 7);
		ck_assert_int_eq(packet.ack_request, asked[i]);
	}
	ck_assert_uint_eq(send_all(), 0);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 2, NULL, now), 0);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 7, NULL, now), 1);
	ck_assert_uint_eq(transport_waiting(&transport, 7), 1);
	ck_assert_uint_ne(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 8, NULL, now), 1);
	ck_assert_uint_eq(transport.pool.count, 0);
	/* no event is due any more */
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(stats_flow_tx(stats, 7)->messages, 2);
}

/* the pool has a limit, and one more message for every flow */
TEST(transport__full_pool_rejects)
{
	flow_open(0, 0);
	ck_assert_uint_eq(transport_rate_bps(&transport, 0, now), 0); /* without a control */
	for (uint32_t i = 0; i < 100 + 8192; i++) {
		ck_assert(!transport_full(&transport));
		put_packets(0, 1);
	}
	ck_assert(transport_full(&transport));
	send_one();
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 1, NULL, now), 1);
	ck_assert(!transport_full(&transport));
}

/* RC-4: at most the window is in flight, and the packet that fills it requests an ACK */
TEST(transport__window_limits_what_is_in_flight)
{
	transport.rules[TRANSPORT_RC].window_bytes = 3500;
	flow_open(0, 0);
	put_packets(0, 10);
	ck_assert(!send_one().ack_request);
	ck_assert(!send_one().ack_request);
	ck_assert(send_one().ack_request);
	ck_assert_uint_eq(send_all(), 0);
	transport_acknowledge(&transport, 0, 2, NULL, now);
	ck_assert_uint_eq(send_all(), 2);
}

/* ---- losses ---- */

/* RC-4: go-back-N sends the missing packet and all after it; a late ACK saves what it covers */
TEST(transport__go_back_sends_all_after_the_gap)
{
	flow_open(0, 0);
	put_packets(0, 4);
	put_packets(0, 4);
	send_all();
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 2, NULL, now), 0);
	transport_go_back(&transport, 0, now);
	ck_assert(send_one().again);
	ck_assert_uint_eq(flow(0)->next, 3);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 5, NULL, now), 1);
	ck_assert_uint_eq(flow(0)->next, 5);
	ck_assert_uint_eq(send_all(), 3);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->resent, 4);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->naks, 1);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 8, NULL, now), 1);
}

/* SE-1: of flow 0, never sent; sent and not acknowledged */
static void sample_expect(uint64_t queued_bytes, uint64_t unacked_bytes)
{
	struct transport_sample sample = transport_sample(&transport, 0, now);

	ck_assert_uint_eq(sample.queued_bytes, queued_bytes);
	ck_assert_uint_eq(sample.unacked_bytes, unacked_bytes);
}

/* RC-4: A timeout runs from the last progress. Retries are counted in a row. Then the flow is in
 * error and accepts nothing more. */
TEST(transport__timeouts_end_in_error)
{
	flow_open(0, 0);
	put_packets(0, 4);
	put_packets(0, 4);
	sample_expect(8 * CAPACITY_BYTES, 0);
	send_all();
	sample_expect(0, 8 * CAPACITY_BYTES);
	/* the fourth one requests an ACK */
	ck_assert_uint_eq(transport_next_at(&transport), 3 * PACKET_PS + TIMEOUT_PS);
	now = TIMEOUT_PS / 2;
	transport_acknowledge(&transport, 0, 1, NULL, now);
	sample_expect(0, 7 * CAPACITY_BYTES);
	now = 3 * PACKET_PS + TIMEOUT_PS;
	transport_step(&transport, now); /* too early: detected */
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->timeouts, 0);
	ck_assert_uint_eq(transport_next_at(&transport), TIMEOUT_PS / 2 + TIMEOUT_PS);
	for (uint32_t i = 0; i < 3; i++) {
		now = transport_next_at(&transport);
		ck_assert_uint_eq(send_all(), 7);
	}
	ck_assert_uint_eq(flow(0)->timeouts, 3);
	now = transport_next_at(&transport);
	ck_assert_uint_eq(send_all(), 0);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->timeouts, 4);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->in_error, 1);
	ck_assert_uint_eq(transport.pool.count, 0);
	sample_expect(0, 0);
	ck_assert(!transport_put(&transport, 0, 1, now, now));
	ck_assert_uint_eq(transport.discarded, 3);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 8, NULL, now), 0); /* too late */
}

/* RC-3, RC-4: Packets that requested no ACK do not time out while the next one that does is paced
 * or paused. */
TEST(transport__no_timeout_without_a_requested_ack)
{
	flow_open(0, 0);
	put_packets(0, 6);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert(!send_one().ack_request);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	now += 100 * TIMEOUT_PS;
	ck_assert(send_one().ack_request);
	ck_assert(!send_one().ack_request);
	transport_acknowledge(&transport, 0, 4, NULL, now);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert(send_one().ack_request);
	ck_assert_uint_eq(transport_next_at(&transport), now - PACKET_PS + TIMEOUT_PS);
}

/* RC-5: what waits to be sent again because its class is paused does not time out */
TEST(transport__no_timeout_while_paused)
{
	flow_open(0, 0);
	put_packets(0, 4);
	send_all();
	now = transport_next_at(&transport);
	transport_step(&transport, now);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->timeouts, 1);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	now += 100 * TIMEOUT_PS;
	ck_assert_uint_eq(send_all(), 4);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->timeouts, 1);
}

/* a flow in error is removed from its ring, and the others have their turns */
TEST(transport__flow_in_error_leaves_the_ring)
{
	flow_open(0, 0);
	flow_open(1, 0);
	put_packets(0, 100);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t k = 0; k < 4; k++)
			ck_assert_uint_eq(send_one().flow, 0);
		if (i == 3)
			put_packets(1, 2);
		now = transport_next_at(&transport);
		transport_step(&transport, now);
	}
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->in_error, 1);
	ck_assert_uint_eq(send_all(), 2);
	ck_assert_uint_eq(flow(1)->next, 2);
}

/* ---- ACKs and NAKs ---- */

static void read_is(uint64_t acknowledged, uint64_t top, uint32_t psn, uint8_t syndrome, bool valid,
		    uint64_t packet)
{
	struct queue_pair_answer answer = queue_pair_read(acknowledged, top, psn, syndrome);

	ck_assert_int_eq(answer.valid, valid);
	if (valid)
		ck_assert_uint_eq(answer.packet, packet);
}

/* RC-4: an ACK covers its PSN, a NAK does not; old and false ones have no effect */
TEST(queue_pair_read__ack_covers_its_psn)
{
	const uint64_t wraps = 5ull << 24;

	read_is(10, 20, 12, ROCE_SYNDROME_ACK, true, 13);
	read_is(10, 20, 19, ROCE_SYNDROME_ACK, true, 20);
	read_is(10, 20, 20, ROCE_SYNDROME_ACK, false, 0); /* never sent */
	read_is(10, 20, 9, ROCE_SYNDROME_ACK, true, 10);  /* known */
	read_is(10, 20, 8, ROCE_SYNDROME_ACK, false, 0);  /* old */
	read_is(10, 20, 10, ROCE_SYNDROME_NAK_PSN, true, 10);
	read_is(10, 20, 19, ROCE_SYNDROME_NAK_PSN, true, 19);
	read_is(10, 20, 20, ROCE_SYNDROME_NAK_PSN, false, 0);
	read_is(10, 20, 9, ROCE_SYNDROME_NAK_PSN, false, 0);
	read_is(10, 20, 12, 0x61, false, 0); /* another NAK */
	read_is(10, 20, 12, 0x21, false, 0); /* RNR NAK */
	read_is(wraps - 2, wraps + 9, ROCE_PSN_MASK, ROCE_SYNDROME_ACK, true, wraps);
	read_is(wraps - 2, wraps + 9, 3, ROCE_SYNDROME_ACK, true, wraps + 4);
	read_is(wraps - 2, wraps + 9, 0, ROCE_SYNDROME_NAK_PSN, true, wraps);
	read_is(wraps + 1, wraps + 9, ROCE_PSN_MASK, ROCE_SYNDROME_ACK, false, 0);
}

/* RC-4: a NAK acknowledges what is before it, too */
TEST(queue_pair_on_answer__nak_acknowledges_what_is_before)
{
	flow_open(0, 0);
	put_packets(0, 3);
	put_packets(0, 5);
	send_all();
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 3, ROCE_SYNDROME_NAK_PSN, NULL, now),
			  1);
	ck_assert_uint_eq(flow(0)->acknowledged, 3);
	ck_assert_uint_eq(flow(0)->next, 3);
	ck_assert_uint_eq(send_all(), 5);
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 2, ROCE_SYNDROME_ACK, NULL, now), 0);
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 7, ROCE_SYNDROME_ACK, NULL, now), 1);
}

/* ---- which flow may send ---- */

/* thousands of flows send a frame each in turn */
TEST(transport__flows_take_turns)
{
	transport.rules[TRANSPORT_RC].timeout_ps = NODE_S;
	for (uint32_t i = 0; i < 5000; i++) {
		flow_open(i, 0);
		put_packets(i, 3);
	}
	for (uint32_t i = 0; i < 15000; i++)
		ck_assert_uint_eq(send_one().flow, i % 5000);
	ck_assert_uint_eq(send_all(), 0);
}

/* a control that only counts what the transport tells it, with limits that the test sets */
struct told {
	uint32_t opened, sent, again, acks, cnps, losses, timeouts, timers;
	struct congestion_ack ack;
};

struct told_flow {
	struct congestion_flow base;
	struct told told;
};

static struct told *told_of(uint32_t slot)
{
	return &((struct told_flow *)congestion_flow(&transport.rules[TRANSPORT_RC].congestion,
						     slot))
			->told;
}

static struct congestion_flow *limits_of(uint32_t slot)
{
	return congestion_flow(&transport.rules[TRANSPORT_RC].congestion, slot);
}

static void told_init(void *shared, const struct node_config *node, uint64_t line_bps)
{
	ck_assert_ptr_eq(node, &config);
	*(uint64_t *)shared = line_bps;
}

static void told_line(void *shared, uint64_t line_bps)
{
	*(uint64_t *)shared = line_bps;
}

static void told_open(const void *shared, struct congestion_flow *state, node_time_t at)
{
	ck_assert_uint_eq(*(const uint64_t *)shared, LINE_BPS);
	ck_assert_uint_eq(at, now);
	((struct told_flow *)state)->told = (struct told){ .opened = 1 };
}

static void told_sent(const void *shared, struct congestion_flow *state, uint32_t wire_bytes,
		      bool again, node_time_t at)
{
	struct told *told = &((struct told_flow *)state)->told;

	(void)shared;
	(void)at;
	ck_assert_uint_eq(wire_bytes, FRAME_BYTES + 24);
	told->sent++;
	told->again += again;
}

static void told_ack(const void *shared, struct congestion_flow *state,
		     const struct congestion_ack *ack, node_time_t at)
{
	(void)shared;
	(void)at;
	((struct told_flow *)state)->told.acks++;
	((struct told_flow *)state)->told.ack = *ack;
}

static void told_cnp(const void *shared, struct congestion_flow *state, node_time_t at)
{
	(void)shared;
	(void)at;
	((struct told_flow *)state)->told.cnps++;
	state->rate_bps = LINE_BPS / 5;
}

static void told_loss(const void *shared, struct congestion_flow *state, bool timeout,
		      node_time_t at)
{
	struct told *told = &((struct told_flow *)state)->told;

	(void)shared;
	(void)at;
	*(timeout ? &told->timeouts : &told->losses) += 1;
}

/* at the third call the flow may send */
static void told_timer(const void *shared, struct congestion_flow *state, node_time_t at)
{
	(void)shared;
	ck_assert_uint_ge(at, state->timer_ps);
	state->timer_ps += 10 * NODE_US;
	if (++((struct told_flow *)state)->told.timers == 3)
		state->rate_bps = 0;
}

static const struct congestion_control told_control = {
	.name = "told",
	.shared_bytes = sizeof(uint64_t),
	.flow_bytes = sizeof(struct told_flow),
	.rtt = true,
	.init = told_init,
	.line = told_line,
	.open = told_open,
	.on_sent = told_sent,
	.on_ack = told_ack,
	.on_cnp = told_cnp,
	.on_loss = told_loss,
	.on_timer = told_timer,
};

static void told_rules(void)
{
	ck_assert_int_eq(congestion_init(&transport.rules[TRANSPORT_RC].congestion, &told_control,
					 &config, LINE_BPS, 8192),
			 0);
	transport.rules[TRANSPORT_RC].timeout_ps = NODE_S;
}

/* flow i sends every i * i packet times; 0: as fast as possible */
static void paced_rules(void)
{
	told_rules();
	for (uint32_t i = 0; i < 4; i++) {
		flow_open(i, 0);
		limits_of(i)->rate_bps = i ? LINE_BPS / (i * i) : 0;
	}
}

/* RC-3: Paced flows send when they are due, the others in between. A due flow is late by one frame
 * at most. */
TEST(transport__paced_flows_send_when_due)
{
	uint32_t sent[4] = { 0 };

	paced_rules();
	for (uint32_t i = 0; i < 4; i++)
		put_packets(i, 1000);
	while (now < 900 * PACKET_PS) {
		struct flow_packet packet = send_one();

		if (packet.flow == INDEX_NONE) {
			ck_assert_uint_gt(transport_next_at(&transport), now);
			now = transport_next_at(&transport);
		} else {
			sent[packet.flow]++;
		}
	}
	ck_assert_uint_eq(sent[0] + sent[1] + sent[2] + sent[3], 900);
	ck_assert_uint_ge(sent[1], 280);
	ck_assert_uint_ge(sent[2], 900 / (4 + 3)); /* three others may be before it */
	ck_assert_uint_ge(sent[3], 900 / (9 + 3));
	ck_assert_uint_le(sent[2], 900 / 4 + 1);
	ck_assert_uint_le(sent[3], 900 / 9 + 1);
}

/* alone, a paced flow sends at exactly its times; it is told of losses */
TEST(transport__single_paced_flow_is_exact)
{
	paced_rules();
	put_packets(2, 10);
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_uint_eq(now, 4 * i * PACKET_PS);
		ck_assert_uint_eq(send_one().flow, 2);
		ck_assert_uint_eq(send_one().flow, INDEX_NONE);
		if (i < 9)
			now = transport_next_at(&transport);
	}
	ck_assert_uint_eq(told_of(2)->losses, 0);
	transport_go_back(&transport, 2, now);
	ck_assert_uint_eq(told_of(2)->losses, 1);
	ck_assert_uint_eq(send_one().flow, INDEX_NONE); /* still paced */
	now = transport_next_at(&transport);
	ck_assert_uint_eq(now, 40 * PACKET_PS);
	ck_assert_uint_eq(send_one().flow, 2);
}

/* RC-3: a control with a timer, by which the flow may send earlier; it is not called when no packet
 * waits */
TEST(transport__control_timer_is_called)
{
	paced_rules();
	limits_of(1)->rate_bps = LINE_BPS / 10000;
	limits_of(1)->timer_ps = 10 * NODE_US;
	put_packets(1, 2);
	ck_assert_uint_eq(send_one().flow, 1);
	while (send_one().flow == INDEX_NONE)
		now = transport_next_at(&transport);
	ck_assert_uint_eq(now, 30 * NODE_US + PACKET_PS);
	ck_assert_uint_eq(told_of(1)->timers, 3);
	transport_acknowledge(&transport, 1, 2, NULL, now);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
}

/* RC-3: the timer runs while packets are in flight, too */
TEST(transport__control_timer_runs_with_packets_in_flight)
{
	told_rules();
	flow_open(0, 0);
	limits_of(0)->timer_ps = 50 * NODE_US;
	put_packets(0, 1);
	send_all();
	ck_assert_uint_eq(transport_next_at(&transport), 50 * NODE_US);
	now = 50 * NODE_US;
	transport_step(&transport, now);
	ck_assert_uint_eq(told_of(0)->timers, 1);
	ck_assert_uint_eq(transport_next_at(&transport), 60 * NODE_US);
}

/* RC-3: a packet that is late by less than its gap does not delay the next one; a later one does. A
 * rate equal to the link's does not pace. */
TEST(congestion_pace__late_packet_delays_the_next_one)
{
	struct congestion_flow *limits;
	const struct congestion *congestion = &transport.rules[TRANSPORT_RC].congestion;

	told_rules();
	flow_open(0, 0);
	limits = limits_of(0);
	limits->rate_bps = 5000000000ull; /* 1000 bytes take 1600 ns */
	congestion_pace(congestion, limits, 1000, 0);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 1600 * NODE_NS);
	congestion_pace(congestion, limits, 1000, 1600 * NODE_NS);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 3200 * NODE_NS);
	congestion_pace(congestion, limits, 1000, 4700 * NODE_NS);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 4800 * NODE_NS);
	congestion_pace(congestion, limits, 1000, 6400 * NODE_NS);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 8000 * NODE_NS);
	limits->not_before_ps = 9 * NODE_US;
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 9 * NODE_US);
	limits->not_before_ps = 0;
	limits->rate_bps = LINE_BPS;
	congestion_pace(congestion, limits, 1000, 100 * NODE_US);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 0);
	limits->rate_bps = LINE_BPS - 1;
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 8000 * NODE_NS);
	congestion_line(&transport.rules[TRANSPORT_RC].congestion, LINE_BPS - 1);
	ck_assert_uint_eq(congestion_ready_at(congestion, limits), 0);
}

/* the smaller window counts: that of the control or that of the queue pair */
TEST(transport__control_window_limits)
{
	transport.rules[TRANSPORT_RC].window_bytes = 5 * FRAME_BYTES;
	told_rules();
	flow_open(0, 0);
	ck_assert_uint_eq(limits_of(0)->window_packets, 5);
	put_packets(0, 100);
	limits_of(0)->window_packets = 2;
	transport_obey(&transport, 0, now);
	ck_assert_uint_eq(send_all(), 2);
	limits_of(0)->window_packets = 50;
	transport_acknowledge(&transport, 0, 2, NULL, now);
	ck_assert_uint_eq(send_all(), 5);
}

/* RC-3: The window falls below what is in flight, and no ACK is requested. One more packet requests
 * one, else the flow would wait forever. */
TEST(transport__shrunk_window_still_gets_an_ack)
{
	struct flow_packet packet;

	told_rules();
	flow_open(0, 0);
	put_packets(0, 100);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_int_eq(send_one().ack_request, i == 3);
	limits_of(0)->window_packets = 2;
	transport_acknowledge(&transport, 0, 4, NULL, now);
	packet = send_one();
	ck_assert_uint_eq(packet.flow, 0);
	ck_assert(packet.ack_request);
	ck_assert_uint_eq(send_all(), 0);
	ck_assert_uint_ne(flow(0)->timeout_at_ps, NODE_TIME_NEVER);
	transport_acknowledge(&transport, 0, 8, NULL, now);
	ck_assert_uint_eq(send_all(), 2);
}

/* what a control is told: openings, packets, CNPs, losses; the statistics have its rate */
TEST(transport__control_is_told_of_events)
{
	told_rules();
	flow_open(3, 0);
	put_packets(3, 8);
	send_all();
	ck_assert_uint_eq(told_of(3)->opened, 1);
	ck_assert_uint_eq(told_of(3)->sent, 8);
	ck_assert_uint_eq(stats_flow_tx(stats, 3)->rate_bps, 0);
	transport_congested(&transport, 3, now);
	ck_assert_uint_eq(told_of(3)->cnps, 1);
	ck_assert_uint_eq(stats_flow_tx(stats, 3)->rate_bps, LINE_BPS / 5);
	ck_assert_uint_eq(stats_flow_tx(stats, 3)->rate_min_bps, LINE_BPS / 5);
	ck_assert_uint_eq(transport_rate_bps(&transport, 3, now), LINE_BPS / 5);
	limits_of(3)->rate_bps = 0;
	transport_go_back(&transport, 3, now);
	ck_assert_uint_eq(told_of(3)->losses, 1);
	ck_assert_uint_eq(told_of(3)->timeouts, 0);
	ck_assert_uint_eq(send_all(), 8);
	ck_assert_uint_eq(told_of(3)->again, 8);
	now = transport_next_at(&transport);
	transport_step(&transport, now);
	ck_assert_uint_eq(told_of(3)->timeouts, 1);
	ck_assert_uint_eq(told_of(3)->losses, 1);
}

static void ack_is(uint32_t packets, uint64_t bytes, uint32_t in_flight, node_time_t rtt_ps)
{
	const struct congestion_ack *ack = &told_of(0)->ack;

	ck_assert_uint_eq(ack->packets, packets);
	ck_assert_uint_eq(ack->bytes, bytes);
	ck_assert_uint_eq(ack->in_flight, in_flight);
	ck_assert_uint_eq(ack->rtt_ps, rtt_ps);
}

/* An ACK tells packets, payload, what is in flight, and the round trip of the last covered packet
 * that requested an ACK; of others it tells none. */
TEST(transport__control_is_told_of_acks)
{
	const struct transport_signs signs = { .hops = 3, .echo = true };

	told_rules();
	flow_open(0, 0);
	put_packets(0, 3);
	ck_assert(transport_put(&transport, 0, 2 * CAPACITY_BYTES + 100, now, now));
	put_packets(0, 4);
	for (uint32_t i = 0; i < 8; i++) {
		transport_settle(&transport, now);
		transport_sent(&transport,
			       &(struct flow_packet){ .flow = 0,
						      .message_last = i == 2 || i == 5,
						      .ack_request = i == 2 || i == 5 },
			       FRAME_BYTES + 24, now);
		now += PACKET_PS;
	}
	now = 100 * NODE_US;
	transport_acknowledge(&transport, 0, 2, &signs, now);
	ack_is(2, 2 * CAPACITY_BYTES, 6, 0);
	ck_assert_uint_eq(told_of(0)->ack.hops, 3);
	ck_assert(told_of(0)->ack.echo);
	transport_acknowledge(&transport, 0, 4, NULL, now);
	ack_is(2, 2 * CAPACITY_BYTES, 4, now - 2 * PACKET_PS);
	ck_assert_uint_eq(told_of(0)->ack.hops, 0);
	ck_assert(!told_of(0)->ack.echo);
	transport_acknowledge(&transport, 0, 4, NULL, now); /* nothing new: not told */
	transport_acknowledge(&transport, 0, 7, NULL, now);
	ack_is(3, CAPACITY_BYTES + 100 + CAPACITY_BYTES, 1, now - 5 * PACKET_PS);
	ck_assert_uint_eq(told_of(0)->acks, 3);
}

/* Karn: no round trip is measured of a packet that is sent again, or that was in flight when the
 * loss was detected */
TEST(transport__no_round_trip_after_a_loss)
{
	told_rules();
	flow_open(0, 0);
	put_packets(0, 4);
	send_all();
	transport_go_back(&transport, 0, now);
	transport_acknowledge(&transport, 0, 1, NULL, now);
	ack_is(1, CAPACITY_BYTES, 3, 0);
	ck_assert_uint_eq(send_all(), 3);
	transport_acknowledge(&transport, 0, 4, NULL, now);
	ack_is(3, 3 * CAPACITY_BYTES, 0, 0);
	put_packets(0, 1);
	send_all();
	now += NODE_US;
	transport_acknowledge(&transport, 0, 5, NULL, now);
	ack_is(1, CAPACITY_BYTES, 0, PACKET_PS + NODE_US);
}
