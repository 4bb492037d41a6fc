/*  carrier_ends - two ends of a link, `a` and `b`, over a pair of sockets.
 *
 *  The sockets are local datagram sockets, which keep frames separate as packet sockets do. */
#ifndef TESTS_UNIT_NODES_LINK_CARRIER_ENDS_H
#define TESTS_UNIT_NODES_LINK_CARRIER_ENDS_H

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
#include "nodes/link/link_send.h"
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
	struct link link; /* last, because it ends in a flexible array */
};

static struct port_config port;
static struct node_config config;
static struct end a, b; /* the tests send from a to b */
static node_time_t now_ps;
static struct record header; /* of the record last received */

/* ---- both ends ---- */

static inline void on_seen(void *owner, struct link *link, const struct link_log_entry *entry,
			   node_time_t now)
{
	(void)link, (void)entry, (void)now;
	((struct end *)owner)->seen++;
}

static inline void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
			   node_time_t now)
{
	struct end *end = owner;

	(void)link, (void)now;
	end->lost++;
	end->lost_tags |= 1ull << entry->tag % 64;
}

static inline void on_ack_lost(void *owner, struct link *link, const uint8_t *bytes,
			       uint32_t length, node_time_t now)
{
	(void)link, (void)bytes, (void)length, (void)now;
	((struct end *)owner)->acks_lost++;
}

static inline void end_open(struct end *end, int socket)
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

static inline void end_close(struct end *end)
{
	link_fini(&end->link);
	carrier_fini(&end->carrier);
	free(end->stats);
	close(end->socket);
}

static inline void ends_close(void)
{
	end_close(&a);
	end_close(&b);
}

static inline void ends_open(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), 0);
	end_open(&a, pair[0]);
	end_open(&b, pair[1]);
}

static inline void ends_reopen(void)
{
	ends_close();
	ends_open();
}

static inline void setup(void)
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

static inline void be_fabric_link(void)
{
	port.kind = PORT_FABRIC;
	ends_reopen();
}

/* plain frames, at edge and fabric ports; _i: at a fabric port */
static inline void setup_roce(int fabric_port)
{
	port.kind = fabric_port ? PORT_FABRIC : PORT_EDGE;
	port.buffer_units = port.stop_units = 0;
	config.fabric = FABRIC_ROCE;
	ends_reopen();
}

static inline uint64_t drops(const struct end *end, enum drop_reason reason)
{
	return end->stats->drops[reason];
}

/* ---- frames ---- */

/* Makes a generated frame of @kind, headers only; its packet number is @tag. */
static inline uint32_t frame_make(enum frame_kind kind, uint32_t frame_bytes,
				  uint32_t traffic_class, uint32_t tag, uint8_t *bytes)
{
	struct frame_spec spec = { .kind = kind,
				   .source = 3,
				   .destination = 4,
				   .traffic_class = traffic_class,
				   .frame_bytes = frame_bytes };
	struct frame_payload payload = { .source = 3, .packet = tag };

	return frame_write(&spec, &payload, bytes);
}

/* the same, with the headers in front of it on a fabric link */
static inline uint32_t fabric_frame_make(uint32_t frame_bytes, uint32_t traffic_class, uint32_t tag,
					 uint8_t *bytes)
{
	struct fabric_header fabric = { .traffic_class = (uint8_t)traffic_class,
					.units = (uint16_t)units_of_bytes(frame_bytes) };

	fabric_envelope_write(1, 2, 3, 4, bytes);
	fabric_header_write(&fabric, bytes + FABRIC_ENVELOPE_BYTES);
	return FABRIC_FRONT_BYTES +
	       frame_make(FRAME_IPV4, frame_bytes, 0, tag, bytes + FABRIC_FRONT_BYTES);
}

static inline bool send_bytes(struct end *from, const uint8_t *captured, uint32_t captured_bytes,
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

/* Sends a packet whose tag is its packet number.  Return: false if the link lost it. */
static inline bool send_packet(struct end *from, uint32_t frame_bytes, uint32_t traffic_class,
			       uint32_t tag)
{
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t length = port.kind == PORT_FABRIC
				  ? fabric_frame_make(frame_bytes, traffic_class, tag, bytes)
				  : frame_make(FRAME_IPV4, frame_bytes, traffic_class, tag, bytes);

	return send_bytes(from, bytes, length, frame_bytes, traffic_class, tag);
}

static inline uint32_t ack_frame_make(uint32_t count, uint8_t *bytes)
{
	struct ack acks[ACK_FRAME_ACKS_MAX] = { 0 };
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];

	for (uint32_t i = 0; i < count; i++)
		acks[i] = (struct ack){ .flow_id = (uint16_t)i, .value = (uint16_t)(i + 1) };
	fabric_envelope_write(1, 2, 3, 4, envelope);
	return ack_frame_write(envelope, acks, count, bytes);
}

static inline void send_acks(struct end *from, uint32_t count)
{
	uint8_t bytes[LINK_ACK_BYTES_MAX];
	uint32_t length = ack_frame_make(count, bytes);

	link_send_acks(&from->link, now_ps - LEAD, bytes, length, ack_frame_wire_bytes(count));
}

/* ---- from one end to the other ---- */

/* Moves everything that both ends have sent to the other end, as far as the rings have space. */
static inline void carry(void)
{
	now_ps = node_time_max(now_ps + NODE_US,
			       node_time_max(a.link.tx.busy_until_ps, b.link.tx.busy_until_ps) +
				       LEAD);
	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	for (int turn = 0; turn < 200; turn++) {
		carrier_outlet(&a.carrier, now_ps);
		carrier_outlet(&b.carrier, now_ps);
		carrier_intake(&b.carrier, now_ps);
		carrier_intake(&a.carrier, now_ps);
	}
}

/* Receives one record.  Return: the frame's bytes, or NULL for a control word or a bad record. */
static inline const uint8_t *receive(struct end *to)
{
	const uint8_t *bytes;
	node_time_t at;

	link_refresh(&to->link, now_ps);
	at = link_next_at(&to->link);
	ck_assert_uint_ne(at, NODE_TIME_NEVER);
	bytes = link_receive(&to->link, &header, at);
	link_done(&to->link, &header);
	ring_release(&to->link.rx.ring);
	return bytes;
}

static inline bool nothing_there(struct end *to)
{
	link_refresh(&to->link, now_ps);
	return link_next_at(&to->link) == NODE_TIME_NEVER;
}

/* Receives all records and releases their buffer.  Return: the number of frames. */
static inline uint32_t receive_all(struct end *to)
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

static inline void settle(void)
{
	for (int round = 0; round < 4; round++) {
		link_send_words(&a.link, now_ps, true);
		link_send_words(&b.link, now_ps, true);
		carry();
		receive_all(&a);
		receive_all(&b);
	}
}

static inline uint32_t packet_number(const uint8_t *bytes, uint32_t frame_bytes)
{
	struct frame_payload payload;

	ck_assert_int_eq(frame_payload_read(bytes, frame_bytes, frame_bytes, &payload), 0);
	return payload.packet;
}

#endif
