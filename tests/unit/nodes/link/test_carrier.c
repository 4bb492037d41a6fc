/*  nodes/link/carrier: two ends of a link over a pair of sockets: what is sent arrives, byte by
 *  byte and in order; stop, guard and words work as over shared memory; a full socket, a full ring
 *  and bytes that make no sense (TB-3, TB-4, TB-23); RoCEv2 frames with their ICRC, PFC and PAUSE
 *  as themselves (RC-4, RC-5).
 *
 *  The sockets are local datagram sockets, which keep frames apart as packet sockets do; what only
 *  packet sockets do, an 802.1Q tag beside the frame, is tried over a real veth pair where a
 *  network namespace can be had. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/bytes.h"
#include "nodes/base/random.h"
#include "nodes/base/units.h"
#include "nodes/link/carrier.h"
#include "nodes/link/link.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "tests/testing.h"

#define RING_BYTES (1u << 17)
#define LEAD (365 * NODE_NS)
#define BUFFER_UNITS 64u
#define CLASSES 4u

struct end {
	int socket;
	struct stats_page *stats;
	uint32_t seen, lost, acks_lost;
	uint64_t lost_tags; /* bit per tag */
	struct carrier carrier;
	struct link link; /* last, for it ends in a record */
};

static struct port_config port;
static struct node_config config;
static struct end a, b; /* the tests send from a to b */
static node_time_t now_ps;
static struct record header; /* of the record last received */

/* ---- both ends ---- */

static void on_seen(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	(void)link, (void)entry, (void)now;
	((struct end *)owner)->seen++;
}

static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	struct end *end = owner;

	(void)link, (void)now;
	end->lost++;
	end->lost_tags |= 1ull << entry->tag % 64;
}

static void on_ack_lost(void *owner, struct link *link, const uint8_t *bytes, uint32_t length,
			node_time_t now)
{
	(void)link, (void)bytes, (void)length, (void)now;
	((struct end *)owner)->acks_lost++;
}

static void end_open(struct end *end, int socket)
{
	struct link_listener listener = {
		.owner = end, .on_seen = on_seen, .on_lost = on_lost, .on_ack_lost = on_ack_lost
	};

	*end = (struct end){ .socket = socket, .stats = calloc(1, stats_bytes(&config)) };
	ck_assert_ptr_nonnull(end->stats);
	stats_init(end->stats, &config);
	ck_assert_int_eq(carrier_init(&end->carrier, socket, &config, 0, end->stats->drops), 0);
	ck_assert_int_eq(link_init(&end->link, &config, 0, carrier_tx_page(&end->carrier),
				   ring_bytes(RING_BYTES), carrier_rx_page(&end->carrier),
				   ring_bytes(RING_BYTES), end->stats),
			 0);
	link_listen(&end->link, &listener);
}

static void end_close(struct end *end)
{
	link_fini(&end->link);
	carrier_fini(&end->carrier);
	free(end->stats);
	close(end->socket);
}

static void ends_close(void)
{
	end_close(&a);
	end_close(&b);
}

static void ends_open(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), 0);
	end_open(&a, pair[0]);
	end_open(&b, pair[1]);
}

static void ends_reopen(void)
{
	ends_close();
	ends_open();
}

static void setup(void)
{
	port = (struct port_config){ .kind = PORT_EDGE,
				     .medium = MEDIUM_VETH,
				     .rate_bps = 200000000000,
				     .delay_ps = 15 * NODE_NS,
				     .mtu_bytes = 9216,
				     .gap_bytes = 20,
				     .channels = 16,
				     .buffer_units = BUFFER_UNITS,
				     .stop_units = BUFFER_UNITS / 2,
				     .ring_bytes = RING_BYTES };
	config = (struct node_config){ .kind = NODE_SWITCH,
				       .clock = CLOCK_REAL,
				       .class_count = CLASSES,
				       .port_count = 1,
				       .ports = &port,
				       .measure_to_ps = NODE_TIME_NEVER,
				       .switch_.latency_ps = 350 * NODE_NS };
	now_ps = NODE_MS;
	ends_open();
}

static void be_fabric_link(void)
{
	port.kind = PORT_FABRIC;
	ends_reopen();
}

/* plain frames, at edge and fabric ports alike; _i: at a fabric port */
static void setup_roce(int fabric_port)
{
	port.kind = fabric_port ? PORT_FABRIC : PORT_EDGE;
	port.buffer_units = port.stop_units = 0;
	config.fabric = FABRIC_ROCE;
	ends_reopen();
}

static uint64_t drops(const struct end *end, enum drop_reason reason)
{
	return end->stats->drops[reason];
}

/* ---- frames ---- */

/* a generated frame of @kind, headers only; its packet number is @tag */
static uint32_t frame_make(enum frame_kind kind, uint32_t frame_bytes, uint32_t traffic_class,
			   uint32_t tag, uint8_t *bytes)
{
	struct frame_spec spec = { .kind = kind,
				   .source = 3,
				   .destination = 4,
				   .traffic_class = traffic_class,
				   .frame_bytes = frame_bytes };
	struct frame_payload payload = { .source = 3, .packet = tag };

	return frame_write(&spec, &payload, bytes);
}

/* the same with all that is in front of it on a fabric link */
static uint32_t fabric_frame_make(uint32_t frame_bytes, uint32_t traffic_class, uint32_t tag,
				  uint8_t *bytes)
{
	struct fabric_header fabric = { .traffic_class = (uint8_t)traffic_class,
					.units = (uint16_t)units_of_bytes(frame_bytes) };

	fabric_envelope_write(1, 2, 3, 4, bytes);
	fabric_header_write(&fabric, bytes + FABRIC_ENVELOPE_BYTES);
	return FABRIC_FRONT_BYTES +
	       frame_make(FRAME_IPV4, frame_bytes, 0, tag, bytes + FABRIC_FRONT_BYTES);
}

static bool send_bytes(struct end *from, const uint8_t *captured, uint32_t captured_bytes,
		       uint32_t frame_bytes, uint32_t traffic_class, uint32_t tag)
{
	bool plain = port.kind == PORT_EDGE || config.fabric == FABRIC_ROCE;
	uint32_t wire_bytes = frame_bytes + 4 + (plain ? 0 : FABRIC_HEADER_BYTES);
	uint8_t *bytes = link_send_packet(&from->link, now_ps - LEAD, wire_bytes, captured_bytes,
					  frame_bytes, traffic_class, tag);

	if (bytes)
		memcpy(bytes, captured, captured_bytes);
	return bytes;
}

/* a packet whose tag is its packet number; false: the link lost it */
static bool send_packet(struct end *from, uint32_t frame_bytes, uint32_t traffic_class,
			uint32_t tag)
{
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t length = port.kind == PORT_FABRIC
				  ? fabric_frame_make(frame_bytes, traffic_class, tag, bytes)
				  : frame_make(FRAME_IPV4, frame_bytes, traffic_class, tag, bytes);

	return send_bytes(from, bytes, length, frame_bytes, traffic_class, tag);
}

static uint32_t ack_frame_make(uint32_t count, uint8_t *bytes)
{
	struct ack acks[ACK_FRAME_ACKS_MAX] = { 0 };
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];

	for (uint32_t i = 0; i < count; i++)
		acks[i] = (struct ack){ .flow_id = (uint16_t)i, .value = (uint16_t)(i + 1) };
	fabric_envelope_write(1, 2, 3, 4, envelope);
	return ack_frame_write(envelope, acks, count, bytes);
}

static void send_acks(struct end *from, uint32_t count)
{
	uint8_t bytes[LINK_ACK_BYTES_MAX];
	uint32_t length = ack_frame_make(count, bytes);

	link_send_acks(&from->link, now_ps - LEAD, bytes, length, ack_frame_wire_bytes(count));
}

/* ---- moving ---- */

/* everything that both have sent is on its way and, if the rings take it, there */
static void carry(void)
{
	now_ps = node_time_max(now_ps + NODE_US,
			       node_time_max(a.link.busy_until_ps, b.link.busy_until_ps) + LEAD);
	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	for (int turn = 0; turn < 200; turn++) {
		carrier_outlet(&a.carrier, now_ps);
		carrier_outlet(&b.carrier, now_ps);
		carrier_intake(&b.carrier, now_ps);
		carrier_intake(&a.carrier, now_ps);
	}
}

/* takes one record: the frame's bytes, or NULL for a word or a bad record */
static const uint8_t *receive(struct end *to)
{
	const uint8_t *bytes;
	node_time_t at;

	link_refresh(&to->link, now_ps);
	at = link_next_at(&to->link);
	ck_assert_uint_ne(at, NODE_TIME_NEVER);
	bytes = link_receive(&to->link, &header, at);
	link_done(&to->link, &header);
	ring_release(&to->link.rx);
	return bytes;
}

static bool nothing_there(struct end *to)
{
	link_refresh(&to->link, now_ps);
	return link_next_at(&to->link) == NODE_TIME_NEVER;
}

/* takes all that is there and gives the room back; how many frames */
static uint32_t receive_all(struct end *to)
{
	uint32_t frames = 0;

	while (!nothing_there(to)) {
		if (!receive(to))
			continue;
		frames++;
		if (header.kind == RECORD_PACKET)
			link_reject(&to->link, &header);
	}
	return frames;
}

static void settle(void)
{
	for (int round = 0; round < 4; round++) {
		link_send_words(&a.link, now_ps, true);
		link_send_words(&b.link, now_ps, true);
		carry();
		receive_all(&a);
		receive_all(&b);
	}
}

static uint32_t packet_number(const uint8_t *bytes, uint32_t frame_bytes)
{
	struct frame_payload payload;

	ck_assert_int_eq(frame_payload_read(bytes, frame_bytes, frame_bytes, &payload), 0);
	return payload.packet;
}

/* ---- out ---- */

TEST_GROUP(carrier, .setup = setup, .teardown = ends_close, .timeout_s = 60);

/* a record waits until its first bit has arrived */
TEST(carrier_outlet__delay)
{
	node_time_t at = now_ps;

	ck_assert_uint_eq(carrier_outlet(&a.carrier, at), NODE_TIME_NEVER);
	send_packet(&a, 100, 0, 1);
	link_flush(&a.link, &(bool){ 0 });
	ck_assert_uint_eq(carrier_outlet(&a.carrier, at - 1), at);
	carrier_intake(&b.carrier, at);
	ck_assert(nothing_there(&b));
	ck_assert_uint_eq(carrier_outlet(&a.carrier, at), NODE_TIME_NEVER);
	carrier_intake(&b.carrier, at + 7);
	ck_assert_ptr_nonnull(receive(&b));
	ck_assert_uint_eq(header.at_ps, at + 7);
}

/* on the veth an edge frame is nothing but the frame, at its full length */
TEST(carrier_outlet__edge_frame_is_standard)
{
	uint8_t expected[1500] = { 0 }, got[2000];

	frame_make(FRAME_IPV6, 1500, 2, 9, expected);
	send_bytes(&a, expected, frame_headers_bytes(FRAME_IPV6), 1500, 2, 9);
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps);
	ck_assert_int_eq(recv(b.socket, got, sizeof(got), 0), 1500);
	ck_assert_mem_eq(got, expected, 1500);
}

/* a local socket takes a few datagrams only: the rest waits, none is lost, and the ring fills
 * behind it */
TEST(carrier_outlet__full_socket)
{
	uint32_t sent = 0, got = 0;

	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	while (link_may_send(&a.link)) {
		send_packet(&a, 256, 0, sent++);
		now_ps += (256 + 4 + 20) * 40;
	}
	link_flush(&a.link, &(bool){ 0 });
	ck_assert_uint_gt(sent, 200);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), now_ps + CARRIER_RETRY_PS);
	while (got < sent) {
		carrier_intake(&b.carrier, now_ps);
		for (; !nothing_there(&b); got++)
			ck_assert_uint_eq(packet_number(receive(&b), 256), got);
		carrier_outlet(&a.carrier, now_ps);
	}
	ck_assert(link_unstarve(&a.link));
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
}

/* the other end is gone: nothing stays in the ring for ever, and each frame is counted */
TEST(carrier_outlet__no_peer)
{
	close(b.socket);
	b.socket = -1;
	for (uint32_t i = 0; i < 3; i++)
		send_packet(&a, 100, 0, i);
	carry();
	ck_assert_uint_eq(drops(&a, DROP_LINK_DOWN), 3);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
}

/* words behind each other share a frame, and keep their place between frames */
TEST(carrier_outlet__words_together)
{
	uint8_t bytes[2000];
	struct word_frame_word words[WORD_FRAME_WORDS_MAX];

	for (uint32_t i = 0; i < 4; i++) {
		link_hold(&a.link, i % 2, i < 2);
		link_send_words(&a.link, now_ps - LEAD, false);
	}
	send_packet(&a, 100, 0, 0);
	link_hold(&a.link, 3, true);
	link_send_words(&a.link, now_ps, false);
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps + NODE_US);
	ck_assert_int_eq(
		word_frame_read(bytes, (uint32_t)recv(b.socket, bytes, sizeof(bytes), 0), words),
		4);
	ck_assert_uint_eq(words[1].kind, LINK_WORD_STOP);
	ck_assert_uint_eq(words[1].value, 3);
	ck_assert_uint_eq(words[3].value, 0);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0), 100);
	ck_assert_int_eq(
		word_frame_read(bytes, (uint32_t)recv(b.socket, bytes, sizeof(bytes), 0), words),
		1);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0), -1);
}

/* ---- there and back ---- */

/* every kind of host frame, each class; classes beyond the configured ones are the last one */
TEST(carrier_intake__edge_frames)
{
	for (uint32_t kind = 0; kind < FRAME_KINDS; kind++) {
		for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
			uint32_t clamped = c < CLASSES ? c : CLASSES - 1, captured;
			uint8_t sent[1000] = { 0 };
			const uint8_t *got;

			captured = frame_make(kind, 1000, c, 7, sent);
			send_bytes(&a, sent, captured, 1000, clamped, 7);
			roce_complete(sent, captured, 1000);
			carry();
			got = receive(&b);
			ck_assert_ptr_nonnull(got);
			ck_assert_uint_eq(header.kind, RECORD_PACKET);
			ck_assert_uint_eq(header.traffic_class, clamped);
			ck_assert_uint_eq(header.captured_bytes, 1000);
			ck_assert_uint_eq(link_frame_bytes(&b.link, header.wire_bytes), 1000);
			ck_assert_mem_eq(got, sent, 1000);
			ck_assert_uint_eq(packet_number(got, 1000), 7);
			link_reject(&b.link, &header);
			settle();
		}
	}
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD), 0);
}

TEST(carrier_intake__shortest_and_longest)
{
	static const uint32_t lengths[] = { 14, 42, 60, 9216 };
	static uint8_t sent[9216];

	memcpy(sent, (uint8_t[]){ 2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x90, 0 }, 14);
	memset(sent + 14, 0xa5, sizeof(sent) - 14);
	for (uint32_t i = 0; i < 4; i++) {
		send_bytes(&a, sent, lengths[i], lengths[i], 0, i);
		carry();
		ck_assert_mem_eq(receive(&b), sent, lengths[i]);
		ck_assert_uint_eq(header.wire_bytes, lengths[i] + 4);
		ck_assert_uint_eq(header.captured_bytes, lengths[i]);
		link_reject(&b.link, &header);
	}
}

/* a host's own frames of the link's EtherType are delivered like any other, and are no control
 * words */
TEST(carrier_intake__host_speaks_of_words)
{
	uint8_t bytes[100] = { 0 };
	struct word_frame_word word = { .kind = LINK_WORD_STOP, .value = 5 };

	for (uint32_t guarded = 0; guarded < 2; guarded++) {
		port.guarded = guarded;
		ends_reopen();
		word_frame_start(a.carrier.envelope, bytes);
		word_frame_add(bytes, &word);
		send_bytes(&a, bytes, 26, 26, 0, 0);
		bytes[14] = 4 << 4;
		send_bytes(&a, bytes, 100, 100, 0, 0);
		carry();
		ck_assert_ptr_nonnull(receive(&b));
		ck_assert_uint_eq(header.captured_bytes, 26);
		ck_assert_mem_eq(receive(&b), bytes, 100);
		ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
		link_reject(&b.link, &header);
	}
}

TEST(carrier_intake__fabric_frames)
{
	uint8_t expected[FABRIC_FRONT_BYTES + 1000] = { 0 };
	const uint8_t *got;

	be_fabric_link();
	fabric_frame_make(1000, 3, 5, expected);
	send_packet(&a, 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_uint_eq(header.traffic_class, 3);
	ck_assert_uint_eq(header.wire_bytes, 1016);
	ck_assert_uint_eq(header.captured_bytes, sizeof(expected));
	ck_assert_mem_eq(got, expected, sizeof(expected));
}

TEST(carrier_intake__ack_frames)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	be_fabric_link();
	for (uint32_t count = 1; count <= ACK_FRAME_ACKS_MAX; count++) {
		const uint8_t *got;

		send_acks(&a, count);
		carry();
		got = receive(&b);
		ck_assert_uint_eq(header.kind, RECORD_ACKS);
		ck_assert_uint_eq(header.wire_bytes, ack_frame_wire_bytes(count));
		ck_assert_int_eq(ack_frame_read(got, header.captured_bytes, acks), (int)count);
	}
}

/* many frames both ways at once, stopped in time: nothing is lost, order is kept */
TEST_RANGE(carrier_intake__stop_and_go, 0, 2)
{
	uint32_t sent = 0, got = 0, stopped_rounds = 0;

	if (_i)
		be_fabric_link();
	for (uint32_t round = 0; got < 2000; round++) {
		for (uint32_t i = 0; i < 16 && !link_stopped(&a.link, sent % CLASSES); i++, sent++)
			send_packet(&a, 700, sent % CLASSES, sent);
		stopped_rounds += sent == got;
		link_hold(&b.link, round % CLASSES, round % (2 * CLASSES) < CLASSES);
		send_packet(&b, 700, 0, 1);
		carry();
		receive_all(&a);
		while (!nothing_there(&b)) {
			const uint8_t *bytes = receive(&b);

			if (!bytes)
				continue;
			ck_assert_uint_eq(
				packet_number(
					bytes + (port.kind == PORT_FABRIC ? FABRIC_FRONT_BYTES : 0),
					700),
				got++);
			link_reject(&b.link, &header);
		}
		link_send_words(&a.link, now_ps, true);
		link_send_words(&b.link, now_ps, true);
		carry();
	}
	settle();
	ck_assert_uint_gt(stopped_rounds, 10);
	for (uint32_t r = 0; r < DROP_REASONS; r++)
		ck_assert_msg(!drops(&a, r) && !drops(&b, r), "%s", stats_drop_name[r]);
}

/* the ring is full: what it does not take waits, and comes when there is room */
TEST(carrier_intake__full_ring)
{
	uint32_t sent = 0, got = 0;

	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	for (; sent < 60; sent++)
		send_packet(&a, 9000, 0, sent);
	carry();
	ck_assert(carrier_intake(&b.carrier, now_ps)); /* 60 times 9 kB do not fit into 128 kB */
	ck_assert(!ring_has_room(&b.carrier.rx, 9000));
	while (got < sent) {
		while (!nothing_there(&b))
			ck_assert_uint_eq(packet_number(receive(&b), 9000), got++);
		carry();
	}
	ck_assert(!carrier_intake(&b.carrier, now_ps));
}

/* ---- guard ---- */

/* what the link loses, and what is taken off the veth, is found and told (TB-4) */
TEST_RANGE(carrier_guard__losses, 0, 2)
{
	uint8_t bytes[2000];

	if (_i)
		be_fabric_link();
	port.guarded = true;
	ends_reopen();
	send_packet(&a, 300, 0, 1);
	a.link.loss_ppb = 1000000000;
	ck_assert(!send_packet(&a, 300, 0, 2));
	a.link.loss_ppb = 0;
	send_packet(&a, 300, 0, 3);
	carry();
	ck_assert_uint_eq(receive_all(&b), 2);
	send_packet(&a, 300, 0, 4);
	link_flush(&a.link, &(bool){ 0 });
	now_ps += NODE_US;
	carrier_outlet(&a.carrier, now_ps);
	ck_assert_int_gt(recv(b.socket, bytes, sizeof(bytes), 0), 300); /* somebody takes it away */
	settle();
	ck_assert_uint_eq(a.lost, 2);
	ck_assert_uint_eq(a.lost_tags, 1 << 2 | 1 << 4);
	ck_assert_uint_eq(a.seen, 2);
}

TEST(carrier_guard__ack_frame)
{
	uint8_t bytes[2000];

	be_fabric_link();
	port.guarded = true;
	ends_reopen();
	send_acks(&a, 3);
	link_flush(&a.link, &(bool){ 0 });
	now_ps += NODE_US;
	carrier_outlet(&a.carrier, now_ps);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0),
			 FABRIC_ENVELOPE_BYTES + (int)ack_frame_wire_bytes(3) + 4);
	send_acks(&a, 5);
	carry();
	ck_assert_ptr_nonnull(receive(&b));
	ck_assert_uint_eq(header.wire_bytes, ack_frame_wire_bytes(5));
	ck_assert_uint_eq(header.sequence, 1);
	settle();
	ck_assert_uint_eq(a.acks_lost, 1);
}

/* one in five is lost: every frame is either delivered or reported, none both */
TEST(carrier_guard__every_frame_is_accounted_for)
{
	uint32_t got = 0;

	port.guarded = true;
	port.loss_ppb = 200000000;
	ends_reopen();
	for (uint32_t i = 0; i < 500; i++) {
		send_packet(&a, 200, 0, i);
		if (i % 8)
			continue;
		carry();
		got += receive_all(&b);
		settle();
	}
	carry();
	got += receive_all(&b);
	settle();
	ck_assert_uint_eq(a.seen, got);
	ck_assert_uint_eq(a.lost, 500 - got);
	ck_assert_uint_gt(a.lost, 50);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* ---- FGFC ---- */

static void fgfc_make(uint8_t *bytes)
{
	static const uint8_t mac[6] = { 2, 0x48, 0xff, 0, 1, 2 };
	struct fgfc_frame frame = {
		.name = { .fields = MATCH_PORTS, .source_port = 7, .kind = FLOW_IPV4 },
		.pause_ps = NODE_US
	};

	fgfc_frame_write(&frame, mac, bytes);
}

/* EC-16: a plain Ethernet frame on the veth, and no packet behind it; _i: guarded */
TEST_RANGE(carrier_intake__fgfc, 0, 2)
{
	uint8_t bytes[FGFC_FRAME_BYTES], seen[FGFC_FRAME_BYTES + 8];
	const uint8_t *got;

	port.guarded = _i;
	ends_reopen();
	fgfc_make(bytes);
	link_send_fgfc(&a.link, now_ps - LEAD, bytes, sizeof(bytes));
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps + NODE_US);
	ck_assert_int_eq(recv(b.socket, seen, sizeof(seen), MSG_PEEK), (int)sizeof(bytes) + 4 * _i);
	ck_assert_mem_eq(seen, bytes, sizeof(bytes));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_FGFC);
	ck_assert_uint_eq(header.wire_bytes, sizeof(bytes) + FRAME_FCS_BYTES);
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	settle();
	ck_assert_uint_eq(a.seen + a.lost, 0);
	ck_assert_uint_eq(b.stats->drops[DROP_BAD_RECORD] + b.stats->drops[DROP_MALFORMED], 0);
}

/* a host's frame that looks like one stays the host's: it cannot hold another host's flow; _i:
 * guarded */
TEST_RANGE(carrier_intake__fgfc_of_a_host, 0, 2)
{
	uint8_t bytes[FGFC_FRAME_BYTES];
	const uint8_t *got;

	port.guarded = _i;
	ends_reopen();
	fgfc_make(bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	link_reject(&b.link, &header);
	settle();
	ck_assert_uint_eq(a.seen, _i);
}

/* ---- PFC and PAUSE, ICRC ---- */

static const uint8_t port_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x01, 0x02 };

static void pause_expect(struct end *from, struct end *to, const struct pause_frame *pause)
{
	uint8_t bytes[PAUSE_FRAME_BYTES], seen[PAUSE_FRAME_BYTES + 8];
	struct pause_frame got_frame;
	const uint8_t *got;

	pause_frame_write(pause, port_mac, bytes);
	link_send_pause(&from->link, now_ps - LEAD, bytes, sizeof(bytes));
	link_flush(&from->link, &(bool){ 0 });
	carrier_outlet(&from->carrier, now_ps + NODE_US);
	ck_assert_int_eq(recv(to->socket, seen, sizeof(seen), MSG_PEEK), (int)sizeof(bytes));
	ck_assert_mem_eq(seen, bytes, sizeof(bytes));
	carry();
	got = receive(to);
	ck_assert_uint_eq(header.kind, RECORD_PAUSE);
	ck_assert_uint_eq(header.wire_bytes, sizeof(bytes) + FRAME_FCS_BYTES);
	ck_assert_int_eq(pause_frame_read(got, header.captured_bytes, &got_frame), 0);
	ck_assert_mem_eq(&got_frame, pause, sizeof(*pause));
	ck_assert(nothing_there(to));
}

/* RC-5: standard frames on the veth, both ways; _i: at a fabric port */
TEST_RANGE(carrier_intake__pause, 0, 2)
{
	static const struct pause_frame pfc = { .enabled = 8, .quanta = { [3] = 65535 } };
	static const struct pause_frame pause = { .port = true, .quanta = { 100 } };

	setup_roce(_i);
	pause_expect(&a, &b, &pfc);
	pause_expect(&b, &a, &pfc);
	pause_expect(&a, &b, &pause);
	pause_expect(&b, &a, &pause);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD) +
				  drops(&b, DROP_MALFORMED),
			  0);
}

/* What a program of a host says to its own port is no word of the link's: it stays a packet. In a
 * fabric without PFC no frame holds anybody; _i: there. */
TEST_RANGE(carrier_intake__pause_of_a_host, 0, 2)
{
	static const struct pause_frame pfc = { .enabled = 8, .quanta = { [3] = 65535 } };
	uint8_t bytes[PAUSE_FRAME_BYTES];
	const uint8_t *got;

	if (!_i)
		setup_roce(0);
	pause_frame_write(&pfc, port_mac, bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
}

/* in a roce fabric nobody hears FGFC: a frame of that look is a packet */
TEST(carrier_intake__fgfc_in_roce)
{
	uint8_t bytes[FGFC_FRAME_BYTES];

	setup_roce(0);
	fgfc_make(bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	ck_assert_mem_eq(receive(&b), bytes, sizeof(bytes));
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
}

/* RC-4: what was a number only has the ICRC of what is on the wire now; _i: kind, port, guard */
TEST_RANGE(carrier_outlet__icrc, 0, 8)
{
	enum frame_kind kind = _i & 1 ? FRAME_ROCE_IPV6 : FRAME_ROCE;
	uint8_t sent[FRAME_HEADERS_MAX], whole[1000];
	uint32_t captured;
	const uint8_t *got;

	if (_i & 2)
		setup_roce(1);
	port.guarded = _i & 4;
	ends_reopen();
	captured = frame_make(kind, 1000, 1, 7, sent);
	send_bytes(&a, sent, captured, 1000, 1, 7);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.captured_bytes, 1000);
	ck_assert_mem_eq(got, sent, captured);
	ck_assert(roce_icrc_holds(got, 1000, 1000));
	memcpy(whole, sent, captured);
	roce_complete(whole, captured, 1000);
	ck_assert_mem_eq(got, whole, 1000);
}

/* behind a fabric header too, and what is captured whole goes as it is */
TEST(carrier_outlet__icrc_in_fabric)
{
	uint8_t sent[FABRIC_FRONT_BYTES + 1000];
	uint32_t captured;
	const uint8_t *got;

	be_fabric_link();
	fabric_frame_make(1000, 3, 5, sent);
	captured =
		FABRIC_FRONT_BYTES + frame_make(FRAME_ROCE, 1000, 3, 5, sent + FABRIC_FRONT_BYTES);
	send_bytes(&a, sent, captured, 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.captured_bytes, sizeof(sent));
	ck_assert_mem_eq(got, sent, captured);
	ck_assert(roce_icrc_holds(got + FABRIC_FRONT_BYTES, 1000, 1000));
	link_reject(&b.link, &header);
	memset(sent + captured, 0, sizeof(sent) - captured);
	send_bytes(&a, sent, sizeof(sent), 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_mem_eq(got, sent, sizeof(sent));
	ck_assert(!roce_icrc_holds(got + FABRIC_FRONT_BYTES, 1000, 1000));
}

/* lost, and that is that: its fate concerns nobody, and those around it are as right as ever */
TEST(carrier_guard__fgfc_lost)
{
	uint8_t bytes[FGFC_FRAME_BYTES];
	uint32_t got = 0, fgfc = 0;

	port.guarded = true;
	port.loss_ppb = 300000000;
	ends_reopen();
	fgfc_make(bytes);
	for (uint32_t i = 0; i < 200; i++) {
		send_packet(&a, 200, 0, i);
		link_send_fgfc(&a.link, now_ps - LEAD, bytes, sizeof(bytes));
		carry();
		while (!nothing_there(&b)) {
			if (!receive(&b))
				continue;
			got += header.kind == RECORD_PACKET;
			fgfc += header.kind == RECORD_FGFC;
			if (header.kind == RECORD_PACKET)
				link_reject(&b.link, &header);
		}
		settle();
	}
	ck_assert_uint_eq(a.seen, got);
	ck_assert_uint_eq(a.lost, 200 - got);
	ck_assert(fgfc > 100 && fgfc < 180);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* ---- what makes no sense ---- */

static void inject(const void *bytes, uint32_t length)
{
	ck_assert_int_eq(send(a.socket, bytes, length, 0), length);
	carrier_intake(&b.carrier, now_ps);
}

TEST_RANGE(carrier_intake__malformed, 0, 2)
{
	uint8_t bytes[9700] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5 };
	uint32_t count = 0;

	if (_i)
		be_fabric_link();
	inject(bytes, 5);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	for (uint32_t type = 0; type < 16; type++) {
		if (type == 4 || (port.kind == PORT_FABRIC && type == FABRIC_TYPE_DATA))
			continue;
		bytes[14] = (uint8_t)(type << 4);
		inject(bytes, 20); /* types that are none here, or are cut short */
		ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	}
	bytes[14] = 4 << 4 | 1; /* a quote of another version */
	inject(bytes, 60);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	/* a class that is none; on an edge link no type */
	bytes[14] = FABRIC_TYPE_DATA << 4 | CLASSES;
	inject(bytes, 60);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	bytes[14] = FABRIC_TYPE_DATA << 4; /* no frame in it */
	inject(bytes, FABRIC_FRONT_BYTES);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	inject(bytes, sizeof(bytes));
	ck_assert_uint_eq(drops(&b, DROP_OVERSIZE), 1);
	ck_assert(nothing_there(&b));
	ck_assert(!b.link.rx.broken);
}

TEST(carrier_intake__longest_that_the_ring_takes)
{
	static uint8_t bytes[RING_CAPTURED_MAX + 8] = {
		2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, 0
	};

	inject(bytes, RING_CAPTURED_MAX - 4);
	ck_assert_ptr_nonnull(receive(&b));
	for (uint32_t length = RING_CAPTURED_MAX - 3; length < sizeof(bytes); length++)
		inject(bytes, length);
	ck_assert_uint_eq(drops(&b, DROP_OVERSIZE), 11);
	ck_assert(nothing_there(&b));
	ck_assert(!b.link.rx.broken);
}

/* frames of random length and bytes, and real ones with some bytes changed: the ring never breaks,
 * and a frame after them passes */
TEST_RANGE(carrier_intake__random_bytes, 0, 4)
{
	struct random random;

	port.guarded = _i & 1;
	port.kind = _i & 2 ? PORT_FABRIC : PORT_EDGE;
	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	random_init(&random, 11, (uint64_t)_i);
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t length = 1 + (uint32_t)random_below(&random, 400), changes = 0;
		uint8_t bytes[400 + LINK_ACK_BYTES_MAX] = { 0 };

		switch (random_below(&random, 4)) {
		case 0:
			changes = length;
			break;
		case 1:
			fabric_frame_make(300, 0, 0, bytes);
			break;
		case 2:
			ack_frame_make(1 + (uint32_t)random_below(&random, 48), bytes);
			break;
		default:
			word_frame_start(a.carrier.envelope, bytes);
			bytes[15] = (uint8_t)random_below(&random, 40);
			length = WORD_FRAME_FRONT_BYTES + 8u * bytes[15];
		}
		changes += (uint32_t)random_below(&random, 8);
		for (uint32_t i = 0; i < changes; i++)
			bytes[random_below(&random, length)] = (uint8_t)random_next(&random);
		inject(bytes, length);
		receive_all(&b);
		ck_assert(!b.link.rx.broken);
	}
	ck_assert_uint_gt(drops(&b, DROP_MALFORMED), 1000);
	b.link.sequence_expected = b.link.seen_told = a.link.sequence;
	send_packet(&a, 100, 0, 1);
	carry();
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* ---- a real veth ---- */

static int packet_socket(const char *device)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(0x0003 /* all */) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);

	address.sll_ifindex = (int)if_nametoindex(device);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* both ends anew over a veth pair in a namespace of the test's own process; false if there can be
 * none */
static bool ends_reopen_veth(void)
{
	if ((unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET)) ||
	    system("ip link add v0 mtu 9300 type veth peer name v1 mtu 9300 && "
		   "ip link set v0 addrgenmode none up && ip link set v1 addrgenmode none up"))
		return false;
	ends_close();
	end_open(&a, packet_socket("v0"));
	end_open(&b, packet_socket("v1"));
	return true;
}

/* tagged and untagged frames pass as they are, none comes back to its sender (TB-3) */
TEST_RANGE(carrier__over_a_veth, 0, 2)
{
	port.guarded = _i & 1;
	if (!ends_reopen_veth()) {
		fputs("carrier__over_a_veth: skipped, no network namespace or no ip\n", stderr);
		return;
	}
	ck_assert_uint_le(carrier_device_mtu(&port), 9300);
	for (uint32_t c = 0; c < CLASSES; c++) {
		uint8_t sent[9216] = { 0 };

		send_bytes(&a, sent, frame_make(FRAME_ETHERNET, 9216, c, c, sent), 9216, c, c);
		do /* the kernel delivers when it gets to run; a hang is ended by the time limit */
			carry();
		while (nothing_there(&b));
		ck_assert_mem_eq(receive(&b), sent, sizeof(sent));
		ck_assert_uint_eq(header.traffic_class, c);
		ck_assert_uint_eq(header.captured_bytes, sizeof(sent));
		ck_assert(nothing_there(&a));
		link_reject(&b.link, &header);
	}
	do
		settle();
	while (port.guarded && a.seen < CLASSES);
	ck_assert_uint_eq(b.link.held_units[1], 0);
	ck_assert_uint_eq(a.seen, port.guarded ? CLASSES : 0);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD) + drops(&b, DROP_MALFORMED), 0);
}
