/*  Flows with a transport, without link or frames: the test says what was acknowledged. */
#include "nicd/transport/transport.h"

#include <stdlib.h>

#include "nicd/transport/queue_pair.h"
#include "tests/testing.h"

#define CAPACITY_BYTES 1024 /* RC-4: a path MTU */
#define FRAME_BYTES (CAPACITY_BYTES + 58)
#define PACKET_PS ((FRAME_BYTES + 24) * 80)
#define TIMEOUT_PS (100 * NODE_US)

static struct node_config config;
static struct port_config port;
static struct stats_page *stats;
static struct transport transport;
static node_time_t now;
/* the control of the tests: so many packet times from one packet to the next, by slot */
static uint32_t paced_packets[4];
static node_time_t paced_at_ps[4];
static uint32_t control_losses, control_steps;

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
	control_losses = control_steps = 0;
	ck_assert_int_eq(transport_init(&transport, &config, 8192, 100, stats), 0);
}

static void teardown(void)
{
	transport_fini(&transport);
	free(stats);
}

static void flow_open(uint32_t slot, uint32_t traffic_class)
{
	struct transport_flow_spec spec = {
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

/* a packet of class 0, and its time on the link passes; a flow of TRANSPORT_NONE_HERE: nothing may
 * be sent */
static struct transport_packet send_one(void)
{
	struct transport_packet packet = { .flow = TRANSPORT_NONE_HERE };

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

	while (send_one().flow != TRANSPORT_NONE_HERE)
		count++;
	return count;
}

static const struct transport_flow *flow(uint32_t slot)
{
	return &transport.flows[slot];
}

/* ---- messages and packets ---- */

TEST_GROUP(transport, .setup = setup, .teardown = teardown);

/* RC-4: packets are numbered through; an ACK is asked for every so many and at the end of a
 * message; it completes what it covers */
TEST(transport__messages)
{
	const bool asked[] = { false, false, true, false, false, false, true, true };

	flow_open(7, 0);
	put_packets(7, 3);
	put_packets(7, 5);
	for (uint32_t i = 0; i < 8; i++) {
		struct transport_packet packet = send_one();

		ck_assert_uint_eq(packet.flow, 7);
		ck_assert_int_eq(packet.message_first, i == 0 || i == 3);
		ck_assert_int_eq(packet.message_last, i == 2 || i == 7);
		ck_assert_int_eq(packet.ack_request, asked[i]);
	}
	ck_assert_uint_eq(send_all(), 0);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 2, now), 0);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 7, now), 1);
	ck_assert_uint_eq(transport_waiting(&transport, 7), 1);
	ck_assert_uint_ne(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(transport_acknowledge(&transport, 7, 8, now), 1);
	ck_assert_uint_eq(transport.pool.count, 0);
	/* nothing keeps the fabric awake */
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(stats_flow_tx(stats, 7)->messages, 2);
}

/* the pool has a limit, and a message beside for every flow */
TEST(transport__full)
{
	flow_open(0, 0);
	for (uint32_t i = 0; i < 100 + 8192; i++) {
		ck_assert(!transport_full(&transport));
		put_packets(0, 1);
	}
	ck_assert(transport_full(&transport));
	send_one();
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 1, now), 1);
	ck_assert(!transport_full(&transport));
}

/* RC-4: no more than the window is under way, and the packet that fills it asks for an ACK */
TEST(transport__window)
{
	transport.rules[TRANSPORT_RC].window_bytes = 3500;
	flow_open(0, 0);
	put_packets(0, 10);
	ck_assert(!send_one().ack_request);
	ck_assert(!send_one().ack_request);
	ck_assert(send_one().ack_request);
	ck_assert_uint_eq(send_all(), 0);
	transport_acknowledge(&transport, 0, 2, now);
	ck_assert_uint_eq(send_all(), 2);
}

/* ---- losses ---- */

/* RC-4: go-back-N sends the missing packet and all behind it; an ACK that comes late spares what it
 * covers */
TEST(transport__go_back)
{
	flow_open(0, 0);
	put_packets(0, 4);
	put_packets(0, 4);
	send_all();
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 2, now), 0);
	transport_go_back(&transport, 0, now);
	ck_assert(send_one().again);
	ck_assert_uint_eq(flow(0)->next, 3);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 5, now), 1);
	ck_assert_uint_eq(flow(0)->next, 5);
	ck_assert_uint_eq(send_all(), 3);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->resent, 4);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->naks, 1);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 8, now), 1);
}

/* RC-4: a timeout runs from the last progress; retries count in a row; then the flow is in error
 * and takes nothing more */
TEST(transport__timeouts)
{
	flow_open(0, 0);
	put_packets(0, 4);
	put_packets(0, 4);
	send_all();
	/* the fourth asks first */
	ck_assert_uint_eq(transport_next_at(&transport), 3 * PACKET_PS + TIMEOUT_PS);
	now = TIMEOUT_PS / 2;
	transport_acknowledge(&transport, 0, 1, now);
	now = 3 * PACKET_PS + TIMEOUT_PS;
	transport_step(&transport, now); /* too early: found out */
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
	ck_assert(!transport_put(&transport, 0, 1, now, now));
	ck_assert_uint_eq(transport.discarded, 3);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert_uint_eq(transport_acknowledge(&transport, 0, 8, now), 0); /* too late */
}

/* RC-3, RC-4: packets that asked for no ACK do not time out while the next one that does is paced
 * or held */
TEST(transport__not_asked_does_not_time_out)
{
	flow_open(0, 0);
	put_packets(0, 6);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert(!send_one().ack_request);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	now += 100 * TIMEOUT_PS;
	ck_assert(send_one().ack_request);
	ck_assert(!send_one().ack_request);
	transport_acknowledge(&transport, 0, 4, now);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
	ck_assert(send_one().ack_request);
	ck_assert_uint_eq(transport_next_at(&transport), now - PACKET_PS + TIMEOUT_PS);
}

/* RC-5: what waits to be sent again, because its class is held, does not time out */
TEST(transport__held_does_not_time_out)
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

/* a flow in error that stands in its ring leaves it, and the others have their turns */
TEST(transport__error_in_the_ring)
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

/* RC-4: an ACK covers its PSN, a NAK does not; old ones and false ones say nothing */
TEST(queue_pair_read__psn)
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
TEST(queue_pair_on_answer__nak)
{
	flow_open(0, 0);
	put_packets(0, 3);
	put_packets(0, 5);
	send_all();
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 3, ROCE_SYNDROME_NAK_PSN, now), 1);
	ck_assert_uint_eq(flow(0)->acknowledged, 3);
	ck_assert_uint_eq(flow(0)->next, 3);
	ck_assert_uint_eq(send_all(), 5);
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 2, ROCE_SYNDROME_ACK, now), 0);
	ck_assert_uint_eq(queue_pair_on_answer(&transport, 0, 7, ROCE_SYNDROME_ACK, now), 1);
}

/* ---- who may send ---- */

/* thousands of flows take turns, a frame each */
TEST(transport__fair)
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

static void paced_sent(void *state, uint32_t slot, uint32_t wire_bytes, bool again, node_time_t at)
{
	(void)state;
	(void)again;
	ck_assert_uint_eq(wire_bytes, FRAME_BYTES + 24);
	paced_at_ps[slot] = at + paced_packets[slot] * PACKET_PS;
}

static node_time_t paced_ready_at(void *state, uint32_t slot)
{
	(void)state;
	return paced_at_ps[slot];
}

static void paced_lost(void *state, uint32_t slot, bool timeout, node_time_t at)
{
	(void)state;
	(void)slot;
	(void)timeout;
	(void)at;
	control_losses++;
}

static void paced_rules(void)
{
	transport.rules[TRANSPORT_RC].control = (struct transport_control){
		.sent = paced_sent,
		.lost = paced_lost,
		.ready_at = paced_ready_at,
	};
	transport.rules[TRANSPORT_RC].timeout_ps = NODE_S;
	for (uint32_t i = 0; i < 4; i++) {
		paced_packets[i] = i * i;
		paced_at_ps[i] = 0;
		flow_open(i, 0);
	}
}

/* RC-3: paced flows send when their time has come, the others in between; nothing is late but for a
 * frame under way */
TEST(transport__paced)
{
	uint32_t sent[4] = { 0 };

	paced_rules();
	for (uint32_t i = 0; i < 4; i++)
		put_packets(i, 1000);
	while (now < 900 * PACKET_PS) {
		struct transport_packet packet = send_one();

		if (packet.flow == TRANSPORT_NONE_HERE) {
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

/* alone, a paced flow sends exactly at its times; it is told of losses */
TEST(transport__paced_exactly)
{
	paced_rules();
	put_packets(2, 10);
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_uint_eq(now, 4 * i * PACKET_PS);
		ck_assert_uint_eq(send_one().flow, 2);
		ck_assert_uint_eq(send_one().flow, TRANSPORT_NONE_HERE);
		if (i < 9)
			now = transport_next_at(&transport);
	}
	ck_assert_uint_eq(control_losses, 0);
	transport_go_back(&transport, 2, now);
	ck_assert_uint_eq(control_losses, 1);
	ck_assert_uint_eq(send_one().flow, TRANSPORT_NONE_HERE); /* still paced */
	now = transport_next_at(&transport);
	ck_assert_uint_eq(now, 40 * PACKET_PS);
	ck_assert_uint_eq(send_one().flow, 2);
}

static node_time_t stepping_next_at(void *state, uint32_t slot)
{
	(void)state;
	(void)slot;
	return (control_steps + 1) * 10 * NODE_US;
}

static void stepping_step(void *state, uint32_t slot, node_time_t at)
{
	(void)state;
	(void)at;
	if (++control_steps == 3)
		paced_at_ps[slot] = 0;
}

/* RC-3: a control with a time of its own, which lets the flow go earlier; it is not asked when
 * nothing waits */
TEST(transport__control_step)
{
	paced_rules();
	transport.rules[TRANSPORT_RC].control.next_at = stepping_next_at;
	transport.rules[TRANSPORT_RC].control.step = stepping_step;
	paced_packets[1] = 10000;
	put_packets(1, 2);
	ck_assert_uint_eq(send_one().flow, 1);
	while (send_one().flow == TRANSPORT_NONE_HERE)
		now = transport_next_at(&transport);
	ck_assert_uint_eq(now, 30 * NODE_US + PACKET_PS);
	transport_acknowledge(&transport, 1, 2, now);
	ck_assert_uint_eq(transport_next_at(&transport), NODE_TIME_NEVER);
}
