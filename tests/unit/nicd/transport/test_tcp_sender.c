/*  nicd/transport/tcp_sender: TCP connections of one NIC through a queue that drops what exceeds it
 *  (RC-6):
 *
 *      tcp_sender --40 Gb/s--> [ queue of so many packets ] --10 Gb/s, 10 us--> tcp_receiver
 *           ^-------------------------- ACKs, 10 us ----------------------------------+
 *
 *  The test models the links and the queue. Frames are written and read back, so the sequence
 *  numbers in them decide. */
#include <stdlib.h>
#include <string.h>

#include "nicd/transport/tcp_receiver.h"
#include "nicd/transport/tcp_sender.h"
#include "nodes/base/random.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/tcp_frame.h"
#include "tests/testing.h"

#define FLOWS 64u
#define PACKET_BYTES 1500u
#define NIC_BPS 40000000000ull
#define LINK_BPS 10000000000ull
#define DELAY_PS (10 * NODE_US)
#define PIPE 65536u /* packets in flight, at most */

/* a segment in the queue or on the link, or an ACK that returns */
struct parcel {
	node_time_t at_ps; /* arrival */
	uint32_t slot;
	struct tcp_segment segment;
	struct tcp_fields fields;
	bool marked;
};

struct pipe {
	struct parcel *parcels;
	uint32_t first, count;
};

static struct port_config port = { .rate_bps = NIC_BPS };
static struct node_config config;
static struct stats_page *stats;
static struct transport transport;
static struct tcp_sender sender;
static struct tcp_receiver receiver;
static struct pipe forward, back;
static uint32_t queue_max, mark_from; /* packets */
static uint32_t loss_permille;
static struct random random_;
static node_time_t now, nic_free_ps, link_free_ps;
static uint32_t delivered[FLOWS], complete[FLOWS];
static uint64_t dropped;

static void start(uint32_t queue, bool ecn)
{
	config = (struct node_config){ .kind = NODE_NIC,
				       .fabric = FABRIC_ROCE,
				       .port_count = 1,
				       .ports = &port,
				       .nic = { .flows_max = FLOWS } };
	config.roce.queue_pair =
		(struct queue_pair_config){ .ack_packets = 1, .timeout_ps = NODE_MS };
	config.roce.tcp = (struct tcp_config){
		.initial_packets = 10, .window_packets_max = 1024, .ecn = ecn, .rto_min_ps = NODE_MS
	};
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	ck_assert_int_eq(transport_init(&transport, &config, FLOWS, 1024, stats), 0);
	ck_assert_int_eq(tcp_sender_init(&sender, &config, FLOWS, &transport), 0);
	ck_assert_int_eq(tcp_receiver_init(&receiver, FLOWS, 65536, 1024), 0);
	forward = (struct pipe){ .parcels = calloc(PIPE, sizeof(struct parcel)) };
	back = (struct pipe){ .parcels = calloc(PIPE, sizeof(struct parcel)) };
	queue_max = queue;
	mark_from = UINT32_MAX;
	loss_permille = 0;
	now = nic_free_ps = link_free_ps = 0;
	dropped = 0;
	memset(delivered, 0, sizeof(delivered));
	memset(complete, 0, sizeof(complete));
	random_init(&random_, 5, (uint64_t)queue);
}

static void stop(void)
{
	tcp_receiver_fini(&receiver);
	transport_fini(&transport);
	free(stats);
	free(forward.parcels);
	free(back.parcels);
}

static void open_flow(uint32_t slot)
{
	struct flow_spec spec = {
		.transport = TRANSPORT_TCP,
		.destination = 1,
		.shape = message_shape_of(FRAME_TCP, PACKET_BYTES),
	};

	transport_open(&transport, slot, &spec, now);
}

static void put(uint32_t slot, uint64_t bytes)
{
	ck_assert(transport_put(&transport, slot, bytes, now, now));
}

static struct parcel *pipe_put(struct pipe *pipe, node_time_t at)
{
	struct parcel *parcel = &pipe->parcels[(pipe->first + pipe->count++) % PIPE];

	ck_assert_uint_le(pipe->count, PIPE);
	parcel->at_ps = at;
	return parcel;
}

static node_time_t pipe_at(const struct pipe *pipe)
{
	return pipe->count ? pipe->parcels[pipe->first].at_ps : NODE_TIME_NEVER;
}

static struct parcel pipe_take(struct pipe *pipe)
{
	struct parcel parcel = pipe->parcels[pipe->first];

	pipe->first = (pipe->first + 1) % PIPE;
	pipe->count--;
	return parcel;
}

/* packets in the queue before the link */
static uint32_t queued(void)
{
	return link_free_ps > now ? (uint32_t)((link_free_ps - now) /
					       node_time_of_bytes(PACKET_BYTES + 24, LINK_BPS))
				  : 0;
}

static void send_packet(void)
{
	struct flow_packet packet = transport_next(&transport, 0);
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t wire_bytes = packet.frame_bytes + 24;
	struct parcel *parcel;

	transport_write(&transport, &packet, bytes);
	transport_sent(&transport, &packet, wire_bytes, now);
	nic_free_ps = now + node_time_of_bytes(wire_bytes, NIC_BPS);
	if (queued() >= queue_max || random_below(&random_, 1000) < loss_permille) {
		dropped++;
		return;
	}
	if (queued() >= mark_from)
		ecn_mark(bytes, packet.captured_bytes);
	link_free_ps =
		node_time_max(link_free_ps, nic_free_ps) + node_time_of_bytes(wire_bytes, LINK_BPS);
	parcel = pipe_put(&forward, link_free_ps + DELAY_PS);
	parcel->segment = (struct tcp_segment){ .frame_bytes = packet.frame_bytes,
						.bytes = packet.frame_bytes - TCP_SEGMENT_AT };
	ck_assert_int_eq(frame_payload_read(bytes, packet.captured_bytes, packet.frame_bytes,
					    &parcel->segment.payload),
			 0);
	parcel->slot = parcel->segment.payload.flow_slot;
	parcel->fields = tcp_fields_read(bytes);
	parcel->segment.sequence = parcel->fields.sequence;
	parcel->marked = ecn_read(bytes, packet.captured_bytes) == 3;
}

static void deliver(uint32_t slot, const struct tcp_segment *segment)
{
	ck_assert_uint_eq(segment->payload.packet, delivered[slot]);
	delivered[slot]++;
}

static void arrive(void)
{
	struct parcel parcel = pipe_take(&forward), *ack;
	struct tcp_segment segment = parcel.segment;

	if (tcp_receiver_take(&receiver, parcel.slot, &segment, parcel.marked,
			      parcel.fields.flags & TCP_FLAG_CWR) == TCP_IN_ORDER) {
		deliver(parcel.slot, &segment);
		while (tcp_receiver_pop(&receiver, parcel.slot, &segment))
			deliver(parcel.slot, &segment);
	}
	if (random_below(&random_, 1000) < loss_permille)
		return;
	ack = pipe_put(&back, now + DELAY_PS);
	ack->slot = parcel.slot;
	ack->fields = (struct tcp_fields){
		.acknowledgement = tcp_receiver_expected(&receiver, parcel.slot),
		.flags = TCP_FLAG_ACK |
			 (tcp_receiver_echo(&receiver, parcel.slot) ? TCP_FLAG_ECE : 0),
	};
}

static void acknowledge(void)
{
	struct parcel parcel = pipe_take(&back);

	complete[parcel.slot] += tcp_sender_on_ack(&sender, parcel.slot, &parcel.fields, now);
}

/* Return: false when both ends are idle */
static bool run(node_time_t until)
{
	for (;;) {
		node_time_t next, send_at;

		transport_settle(&transport, now);
		send_at = transport.drr.ready ? node_time_max(nic_free_ps, now) : NODE_TIME_NEVER;
		next = node_time_min(node_time_min(pipe_at(&forward), pipe_at(&back)),
				     node_time_min(send_at, transport_next_at(&transport)));
		if (next >= until)
			return next != NODE_TIME_NEVER;
		now = node_time_max(now, next);
		if (pipe_at(&forward) <= now)
			arrive();
		else if (pipe_at(&back) <= now)
			acknowledge();
		else if (transport_next_at(&transport) <= now)
			transport_step(&transport, now);
		else
			send_packet();
	}
}

/* share of the link that arrived between two moments, in permille */
static uint64_t share_permille(uint32_t packets, node_time_t over_ps)
{
	return packets * node_time_of_bytes(PACKET_BYTES + 24, LINK_BPS) * 1000 / over_ps;
}

/* ---- one connection ---- */

TEST_GROUP(tcp_sender, .timeout_s = 60);

/* messages of all lengths: sequence numbers and ends of messages agree */
TEST(tcp_sender__message_ends_match_sequence_numbers)
{
	uint64_t packets = 0;

	start(1000, false);
	open_flow(0);
	for (uint32_t i = 0; i < 200; i++) {
		uint64_t bytes = 1 + random_below(&random_, 10000);

		packets += message_packets(&transport.specs[0].shape, bytes);
		put(0, bytes);
	}
	ck_assert(!run(NODE_S));
	ck_assert_uint_eq(complete[0], 200);
	ck_assert_uint_eq(delivered[0], packets);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->resent, 0);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->timeouts, 0);
	ck_assert_uint_eq(transport_waiting(&transport, 0), 0);
	stop();
}

/* RC-6: a stream beyond 2^32 bytes */
TEST(tcp_sender__sequence_wraps)
{
	start(1000, false);
	loss_permille = 5;
	open_flow(0);
	transport.flows[0].stream_end = receiver.streams[0].expected = UINT32_MAX - 1000000;
	put(0, 1500000);
	put(0, 1);
	ck_assert(!run(NODE_TIME_NEVER));
	ck_assert_uint_eq(complete[0], 2);
	ck_assert_uint_lt(receiver.streams[0].expected, 1000000);
	stop();
}

/* RC-6: a queue of one round trip, and of a quarter of it: slow start exceeds it, then the sawtooth
 * keeps the link full */
TEST_RANGE(tcp_sender__fills_the_link, 0, 2)
{
	uint32_t before;

	start(_i ? 20 : 80, false);
	config.roce.tcp.window_packets_max = 4096;
	open_flow(0);
	put(0, 1ull << 39);
	run(20 * NODE_MS);
	before = delivered[0];
	ck_assert_uint_gt(dropped, 0);
	run(80 * NODE_MS);
	ck_assert_uint_ge(share_permille(delivered[0] - before, 60 * NODE_MS), _i ? 800 : 950);
	ck_assert_uint_gt(stats_flow_tx(stats, 0)->naks, 5);
	ck_assert_uint_le(stats_flow_tx(stats, 0)->timeouts, 2);
	stop();
}

/* RC-6: what exceeds the pipe waits in the queue, which is not full: nothing is lost, and the link
 * is full */
TEST(tcp_sender__window_max_fills_the_link_without_loss)
{
	start(1024, false);
	config.roce.tcp.window_packets_max = 100;
	open_flow(0);
	put(0, 1ull << 39);
	run(20 * NODE_MS);
	ck_assert_uint_ge(share_permille(delivered[0], 20 * NODE_MS), 980);
	ck_assert_uint_eq(dropped, 0);
	ck_assert_uint_eq(stats_flow_tx(stats, 0)->window_bytes_max, 100 * (PACKET_BYTES - 82));
	stop();
}

/* ---- several ---- */

/* RC-6: connections that start together or later share a queue that drops what exceeds it */
TEST_RANGE(tcp_sender__connections_share_the_link, 1, 2)
{
	const uint32_t flows = 2 * (uint32_t)_i;
	uint32_t before[FLOWS], total = 0, least = UINT32_MAX, most = 0;

	start(100, false);
	for (uint32_t i = 0; i < flows; i++) {
		open_flow(i);
		put(i, 1ull << 39);
		run((i + 1) * NODE_MS);
	}
	run(20 * NODE_MS);
	memcpy(before, delivered, sizeof(before));
	run(60 * NODE_MS);
	for (uint32_t i = 0; i < flows; i++) {
		uint32_t packets = delivered[i] - before[i];

		total += packets;
		least = packets < least ? packets : least;
		most = packets > most ? packets : most;
	}
	ck_assert_uint_ge(share_permille(total, 40 * NODE_MS), 950);
	ck_assert_uint_le(most, 3 * least);
	stop();
}

/* RC-6: everything arrives once and in order, whatever is lost, data or ACKs */
TEST_RANGE(tcp_sender__losses_are_repaired, 0, 5)
{
	static const uint32_t permille[] = { 1, 2, 3, 100, 101 };

	start(50, false);
	loss_permille = permille[_i];
	for (uint32_t i = 0; i < 8; i++) {
		open_flow(i);
		for (uint32_t m = 0; m < 20; m++)
			put(i, 1 + random_below(&random_, 100000));
	}
	ck_assert(!run(NODE_TIME_NEVER));
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(complete[i], 20);
	ck_assert_uint_eq(receiver.pool.count, 0);
	ck_assert_uint_gt(dropped, 0);
	stop();
}

/* RC-6, RFC 3168: marks keep the queue at their threshold, without a loss */
TEST(tcp_sender__ecn_limits_the_queue_without_loss)
{
	start(1000, true);
	mark_from = 50;
	for (uint32_t i = 0; i < 4; i++) {
		open_flow(i);
		put(i, 1ull << 39);
	}
	run(20 * NODE_MS);
	for (uint32_t i = 0; i < 200; i++) {
		run(now + 100 * NODE_US);
		ck_assert_uint_le(queued(), 120);
	}
	ck_assert_uint_eq(dropped, 0);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_gt(stats_flow_tx(stats, i)->cnps, 3);
		ck_assert_uint_eq(stats_flow_tx(stats, i)->resent, 0);
	}
	stop();
}

/* ACKs that no receiver sends change nothing */
static bool says_cwr(const struct flow_packet *packet)
{
	uint8_t bytes[FRAME_HEADERS_MAX];

	transport_write(&transport, packet, bytes);
	return tcp_fields_read(bytes).flags & TCP_FLAG_CWR;
}

/* The first new packet after a cut carries CWR. A packet that is lost is written only for a
 * capture; it counts, too. */
TEST_RANGE(tcp_sender__cwr_once, 0, 2)
{
	struct flow_packet packet;

	start(100, true);
	open_flow(0);
	put(0, 10 * PACKET_BYTES);
	now = NODE_MS;
	transport_step(&transport, now);
	tcp_sender_window(&sender, 0)->reduced = true;
	packet = transport_next(&transport, 0);
	if (_i) {
		ck_assert(says_cwr(&packet));
		ck_assert(says_cwr(&packet));
	}
	transport_sent(&transport, &packet, packet.frame_bytes + 24, now);
	packet = transport_next(&transport, 0);
	ck_assert(!says_cwr(&packet));
	stop();
}

/* RC-6: What an ACK permits is sent after a delay of the host, random and below two packets' time.
 * Without it, connections whose packets meet in a queue would always meet in the same order. */
TEST(tcp_sender__delay_after_a_full_window)
{
	const node_time_t most = node_time_of_bytes(2 * PACKET_BYTES, NIC_BPS);
	node_time_t least_seen = NODE_TIME_NEVER, most_seen = 0;
	uint32_t bytes = 0;

	start(1000, false);
	config.roce.tcp.window_packets_max = 10;
	open_flow(0);
	put(0, 1ull << 39);
	run(5 * NODE_US); /* the whole window is sent; no ACK has arrived */
	ck_assert_uint_eq(transport.flows[0].next, 10);
	for (uint32_t i = 1; i <= 100; i++) {
		struct tcp_fields ack = { .flags = TCP_FLAG_ACK };
		node_time_t delay_ps;

		now += NODE_US;
		bytes += PACKET_BYTES - TCP_SEGMENT_AT;
		ack.acknowledgement = bytes;
		tcp_sender_on_ack(&sender, 0, &ack, now);
		transport_settle(&transport, now);
		ck_assert(!transport.drr.ready || transport.flows[0].pace_at_ps <= now);
		ck_assert_uint_ge(transport.flows[0].pace_at_ps, now);
		delay_ps = transport.flows[0].pace_at_ps - now;
		ck_assert_uint_lt(delay_ps, most);
		least_seen = node_time_min(least_seen, delay_ps);
		most_seen = node_time_max(most_seen, delay_ps);
		now += most;
		transport_settle(&transport, now);
		transport_step(&transport, now);
		transport_settle(&transport, now);
		ck_assert(transport.drr.ready);
		while (transport.drr.ready) {
			struct flow_packet packet = transport_next(&transport, 0);

			transport_sent(&transport, &packet, packet.frame_bytes + 24, now);
			transport_settle(&transport, now);
		}
	}
	/* of 100 draws, all are in the middle half with a probability below 1 in 10^29 */
	ck_assert_uint_lt(least_seen, most / 4);
	ck_assert_uint_gt(most_seen, most / 4 * 3);
	stop();
}

TEST(tcp_sender_on_ack__false_acks_change_nothing)
{
	struct transport_flow before;

	start(1000, false);
	open_flow(0);
	put(0, 100000);
	run(5 * NODE_US);
	before = transport.flows[0];
	for (uint32_t i = 0; i < 100000; i++) {
		struct tcp_fields ack = { .acknowledgement = (uint32_t)random_next(&random_),
					  .flags = TCP_FLAG_ACK };

		if (ack.acknowledgement % (PACKET_BYTES - TCP_SEGMENT_AT))
			ck_assert_uint_eq(tcp_sender_on_ack(&sender, 0, &ack, now), 0);
	}
	ck_assert_uint_eq(transport.flows[0].acknowledged, before.acknowledged);
	ck_assert_uint_eq(transport.flows[0].next, before.next);
	ck_assert(!run(NODE_S));
	ck_assert_uint_eq(complete[0], 1);
	stop();
}

/* an ACK of the first @packet packets of connection 0 */
static void ack_packets(uint32_t packet)
{
	struct tcp_fields ack = { .acknowledgement = packet * (PACKET_BYTES - TCP_SEGMENT_AT),
				  .flags = TCP_FLAG_ACK };

	tcp_sender_on_ack(&sender, 0, &ack, now);
}

/* RFC 6582, impatient: the first partial ACK restarts the timer, further ones do not, although each
 * has a packet sent again */
TEST(tcp_sender__only_the_first_partial_ack_restarts_the_timer)
{
	node_time_t first_ps;

	start(100, false);
	open_flow(0);
	put(0, 10 * (PACKET_BYTES - TCP_SEGMENT_AT));
	now = NODE_MS;
	transport_step(&transport, now);
	for (uint32_t i = 0; i < 10; i++) {
		struct flow_packet packet = transport_next(&transport, 0);

		transport_sent(&transport, &packet, packet.frame_bytes + 24, now);
	}
	for (uint32_t i = 0; i < 4; i++)
		ack_packets(1);
	ck_assert(tcp_sender_window(&sender, 0)->recovering);
	now += 20 * NODE_US;
	ack_packets(3);
	first_ps = transport.flows[0].timeout_at_ps;
	now += 20 * NODE_US;
	ack_packets(5);
	ck_assert(tcp_sender_window(&sender, 0)->recovering);
	ck_assert_uint_eq(transport.flows[0].timeout_at_ps, first_ps);
	now += 20 * NODE_US;
	ack_packets(7);
	ck_assert_uint_eq(transport.flows[0].timeout_at_ps, first_ps);
	stop();
}
