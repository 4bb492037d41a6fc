/*  one_switch - a switch in memory, whose peers are the test: for the tests and the
 *  fuzzer of the dataplane.
 *
 *          host 0 --- p0 +----------+ p2 --- switch 2 (hosts 2 and 3 at its p0 and p1)
 *                        | switch 1 |
 *          host 1 --- p1 +----------+ p3 --- switch 3 (hosts 4 and 5 at its p0 and p1)
 *
 *  200 Gb/s (40 ps a byte), 15 ns of cable, 350 ns of switch, 20 bytes of gap. Every peer has one
 *  end of two rings, and counts its frames. A test decides what it sends and when. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_ONE_SWITCH_H
#define HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_ONE_SWITCH_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/control/config_check.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "switchd/flow_channel/dataplane.h"

#define PORTS 4u
#define HOSTS 6u
#define LATENCY (350 * NODE_NS)
#define DELAY (15 * NODE_NS)
#define LEAD (LATENCY + DELAY)
#define BYTE_PS 40u
#define GAP_BYTES 20u
#define MTU 4096u
#define RING_BYTES (1u << 16)

/* the peer's end of a port's link */
struct neighbour {
	struct ring_page *to_switch, *from_switch;
	struct ring_tx tx;
	struct ring_rx rx;
	uint32_t sequence; /* of its next frame */
	node_time_t busy_until_ps;
};

struct one_switch {
	struct node_config config;
	struct port_config ports[PORTS];
	struct route_config routes[3]; /* the last one unless a test sets another */
	struct host_config hosts[HOSTS];
	struct stats_page *stats;
	struct link links[PORTS];
	struct neighbour neighbours[PORTS];
	const struct node_ops *ops;
	union {
		struct dataplane *dp;
		struct ethernet *eth;   /* used by one_ethernet.h */
		struct lid_switch *lid; /* used by one_lid.h */
		void *dataplane;
	};
};

/* what a peer received */
struct received {
	uint8_t bytes[RING_CAPTURED_MAX];
	struct record header; /* last, because it ends in a flexible array */
};

static inline void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	assert(memory);
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

/* ---- building ---- */

/* no mechanism is on; the table has one setting, without limits */
static inline struct congestion_config one_switch_congestion_off(void)
{
	struct congestion_config congestion = { .dbf_clk_cnt = 1000,
						.fgfc_pause_ps = NODE_US,
						.ecn_eca = 1 };

	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++)
		congestion.settings[i] =
			(struct congestion_setting){ .rate_bps = 800000000000,
						     .flow_extent_units = CONGESTION_UNITS_MAX,
						     .queue_extent_units = CONGESTION_UNITS_MAX,
						     .high_units = CONGESTION_UNITS_MAX,
						     .target_units = CONGESTION_UNITS_MAX };
	return congestion;
}

/* the configuration; a test changes it before one_switch_open() */
static inline void one_switch_configure(struct one_switch *s)
{
	*s = (struct one_switch){ .ops = &flow_channel_ops,
				  .config = { .kind = NODE_SWITCH,
					      .name = "s1",
					      .node_count = 8,
					      .measure_to_ps = NODE_S,
					      .class_count = 1,
					      .lanes = 1,
					      .port_count = PORTS } };
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		s->config.classes[c] = (struct class_config){ .name = "c", .max_permille = 1000 };
	for (uint32_t p = 0; p < PORTS; p++)
		s->ports[p] = (struct port_config){ .kind = p < 2 ? PORT_EDGE : PORT_FABRIC,
						    .peer_name = "peer",
						    .peer_index = 1 + p,
						    .rate_bps = 200000000000,
						    .delay_ps = DELAY,
						    .mtu_bytes = MTU,
						    .gap_bytes = GAP_BYTES,
						    .channels = 16,
						    .buffer_units = 256,
						    .stop_units = 192,
						    .match.fields = MATCH_ALL,
						    .ring_bytes = RING_BYTES };
	for (uint32_t h = 0; h < HOSTS; h++)
		s->hosts[h] = (struct host_config){ .host_index = h,
						    .fabric_address = 1 + h / 2,
						    .egress_port = h % 2 };
	s->routes[0] = (struct route_config){ .fabric_address = 2, .ports = 1 << 2 };
	s->routes[1] = (struct route_config){ .fabric_address = 3, .ports = 1 << 3 };
	s->config.switch_ = (struct switch_config){ .fabric_address = 1,
						    .latency_ps = LATENCY,
						    .output_queue_units_max = 64,
						    .ack_t1_ps = 30 * NODE_NS,
						    .ack_t2_ps = 60 * NODE_NS,
						    .ack_t3_ps = 90 * NODE_NS,
						    .ack_collect = 16,
						    .congestion = one_switch_congestion_off(),
						    .route_count = 2,
						    .host_count = HOSTS };
}

/* A new link at @port, with a new peer. What was there must have been released. */
static inline void one_switch_plug(struct one_switch *s, uint32_t port)
{
	struct neighbour *n = &s->neighbours[port];
	size_t bytes = ring_bytes(RING_BYTES);
	int error;

	*n = (struct neighbour){ .to_switch = zeroed(bytes), .from_switch = zeroed(bytes) };
	ring_init(n->to_switch, RING_BYTES, RING_CAPTURED_MAX);
	ring_init(n->from_switch, RING_BYTES, RING_CAPTURED_MAX);
	error = ring_tx_attach(&n->tx, n->to_switch, bytes) ||
		ring_rx_attach(&n->rx, n->from_switch, bytes) ||
		link_init(&s->links[port], &s->config, port, n->from_switch, bytes, n->to_switch,
			  bytes, s->stats);
	assert(!error);
	(void)error;
}

static inline void one_switch_unplug(struct one_switch *s, uint32_t port)
{
	link_fini(&s->links[port]);
	free(s->neighbours[port].to_switch);
	free(s->neighbours[port].from_switch);
	s->neighbours[port] = (struct neighbour){ 0 };
}

static inline void one_switch_open(struct one_switch *s)
{
	struct why why;

	s->config.ports = s->ports;
	s->config.switch_.routes = s->routes;
	s->config.switch_.hosts = s->hosts;
	if (node_config_check(&s->config, &why)) {
		fprintf(stderr, "one_switch: %s\n", why.text);
		abort();
	}
	s->stats = zeroed(stats_bytes(&s->config));
	stats_init(s->stats, &s->config);
	for (uint32_t p = 0; p < PORTS; p++) {
		if (s->ports[p].vacant)
			link_init_vacant(&s->links[p], &s->config, p, s->stats);
		else
			one_switch_plug(s, p);
	}
	s->dataplane = s->ops->create(&s->config, s->links, s->stats);
	assert(s->dataplane);
}

static inline void one_switch_close(struct one_switch *s)
{
	s->ops->destroy(s->dataplane);
	for (uint32_t p = 0; p < PORTS; p++)
		one_switch_unplug(s, p);
	free(s->stats);
}

/* ---- running ---- */

/* sends what peers have written, runs up to @end, and sends what the switch has written */
static inline node_time_t one_switch_run(struct one_switch *s, node_time_t end)
{
	node_time_t next;

	for (uint32_t p = 0; p < PORTS; p++) {
		if (!s->neighbours[p].to_switch)
			continue;
		ring_publish(&s->neighbours[p].tx);
		link_refresh(&s->links[p], 0);
	}
	next = s->ops->run(s->dataplane, end);
	for (uint32_t p = 0; p < PORTS; p++) {
		if (!s->neighbours[p].to_switch)
			continue;
		link_flush(&s->links[p], &(bool){ 0 });
		ring_release(&s->links[p].rx.ring);
	}
	return next;
}

/* ---- what a peer sends ---- */

/* Sends a record as it is.  Return: false if the ring is full. */
static inline bool neighbour_send(struct one_switch *s, uint32_t port, const struct record *header,
				  const void *bytes)
{
	struct record *record = ring_reserve(&s->neighbours[port].tx, header->captured_bytes);

	if (!record)
		return false;
	memcpy(record, header, sizeof(*header));
	memcpy(record_captured(record), bytes, header->captured_bytes);
	ring_commit(&s->neighbours[port].tx, header->captured_bytes);
	return true;
}

/* Sends a frame whose first bit arrives at @at, or as soon after it as the link is free.  Return:
 * that time. */
static inline node_time_t neighbour_send_frame(struct one_switch *s, uint32_t port, node_time_t at,
					       enum record_kind kind, uint32_t wire_bytes,
					       uint32_t traffic_class, const void *bytes,
					       uint32_t captured_bytes)
{
	struct neighbour *n = &s->neighbours[port];
	struct record header = { .at_ps = node_time_max(at, n->busy_until_ps),
				 .wire_bytes = wire_bytes,
				 .captured_bytes = captured_bytes,
				 .sequence = n->sequence++,
				 .kind = (uint16_t)kind,
				 .traffic_class = (uint16_t)traffic_class };
	bool sent = neighbour_send(s, port, &header, bytes);

	assert(sent);
	(void)sent;
	n->busy_until_ps = header.at_ps + (wire_bytes + GAP_BYTES) * BYTE_PS;
	return header.at_ps;
}

static inline void neighbour_send_word(struct one_switch *s, uint32_t port, node_time_t at,
				       enum link_word kind, uint32_t traffic_class, uint32_t value)
{
	struct neighbour *n = &s->neighbours[port];
	struct record header = { .at_ps = node_time_max(at, n->busy_until_ps),
				 .wire_bytes = LINK_WORD_BYTES,
				 .kind = RECORD_WORD,
				 .traffic_class = (uint16_t)traffic_class,
				 .word = (uint64_t)kind << 32 | value };

	neighbour_send(s, port, &header, "");
	n->busy_until_ps = header.at_ps + LINK_WORD_BYTES * BYTE_PS;
}

/* Makes a generated frame, the first of its message.  Return: its captured bytes. */
static inline uint32_t frame_make_of(const struct frame_spec *spec,
				     uint8_t bytes[FRAME_HEADERS_MAX])
{
	struct frame_payload payload = { .source = spec->source,
					 .message_bytes = 1000,
					 .message_first = true };

	return frame_write(spec, &payload, bytes);
}

/* Makes an IPv4 frame from host @source to @destination, flow number @flow.  Return: its captured
 * bytes. */
static inline uint32_t frame_make(uint32_t source, uint32_t destination, uint32_t flow,
				  uint32_t traffic_class, uint32_t frame_bytes,
				  uint8_t bytes[FRAME_HEADERS_MAX])
{
	return frame_make_of(&(struct frame_spec){ .kind = FRAME_IPV4,
						   .source = source,
						   .destination = destination,
						   .traffic_class = traffic_class,
						   .flow = flow,
						   .frame_bytes = frame_bytes },
			     bytes);
}

/* the host at edge port @port sends it */
static inline node_time_t host_send(struct one_switch *s, uint32_t port, node_time_t at,
				    uint32_t destination, uint32_t flow, uint32_t traffic_class,
				    uint32_t frame_bytes)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_make(port, destination, flow, traffic_class, frame_bytes, bytes);

	return neighbour_send_frame(s, port, at, RECORD_PACKET, frame_bytes + FRAME_FCS_BYTES,
				    traffic_class, bytes, captured);
}

/* the switch at fabric port @port sends a frame for @destination in channel @flow_id at
 * @position */
static inline node_time_t switch_send_of(struct one_switch *s, uint32_t port, node_time_t at,
					 uint32_t destination, uint32_t flow_id, uint32_t position,
					 uint32_t frame_bytes, bool ordered)
{
	struct fabric_header header = { .flow_id = (uint16_t)flow_id,
					.data_flow = (uint16_t)position,
					.fabric_address = (uint16_t)(1 + destination / 2),
					.units = (uint16_t)units_of_bytes(frame_bytes),
					.egress_port = destination % 2,
					.ordered = ordered };
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_HEADERS_MAX];
	uint32_t captured = frame_make(2 * port - 2, destination, flow_id, 0, frame_bytes,
				       bytes + FABRIC_FRONT_BYTES);

	fabric_envelope_write((uint16_t)port, 0, 1, (uint8_t)port, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	return neighbour_send_frame(s, port, at, RECORD_PACKET,
				    FABRIC_HEADER_BYTES + frame_bytes + FRAME_FCS_BYTES, 0, bytes,
				    FABRIC_FRONT_BYTES + captured);
}

/* the same for a flow in order */
static inline node_time_t switch_send(struct one_switch *s, uint32_t port, node_time_t at,
				      uint32_t destination, uint32_t flow_id, uint32_t position,
				      uint32_t frame_bytes)
{
	return switch_send_of(s, port, at, destination, flow_id, position, frame_bytes, true);
}

static inline node_time_t switch_send_acks(struct one_switch *s, uint32_t port, node_time_t at,
					   const struct ack *acks, uint32_t count)
{
	uint8_t envelope[FABRIC_ENVELOPE_BYTES], bytes[LINK_ACK_BYTES_MAX];
	uint32_t captured;

	fabric_envelope_write((uint16_t)port, 0, 1, (uint8_t)port, envelope);
	captured = ack_frame_write(envelope, acks, count, bytes);
	return neighbour_send_frame(s, port, at, RECORD_ACKS, ack_frame_wire_bytes(count), 0, bytes,
				    captured);
}

/* one ACK in a frame of its own */
static inline node_time_t switch_send_ack(struct one_switch *s, uint32_t port, node_time_t at,
					  uint32_t flow_id, enum ack_type type, uint32_t value)
{
	struct ack ack = { .flow_id = (uint16_t)flow_id,
			   .value = (uint16_t)value,
			   .type = (uint8_t)type };

	return switch_send_acks(s, port, at, &ack, 1);
}

/* the peer pauses @classes, a set, until it changes the set */
static inline void neighbour_stop(struct one_switch *s, uint32_t port, node_time_t at,
				  uint32_t classes)
{
	neighbour_send_word(s, port, at, LINK_WORD_STOP, 0, classes);
}

/* ---- what a peer receives ---- */

/* Receives the next record of any kind.  Return: false if there is none. */
static inline bool neighbour_receive_any(struct one_switch *s, uint32_t port, struct received *got)
{
	struct ring_rx *rx = &s->neighbours[port].rx;
	const uint8_t *bytes;

	ring_refresh(rx);
	bytes = ring_peek(rx, &got->header);
	if (!bytes)
		return false;
	memcpy(got->bytes, bytes, got->header.captured_bytes);
	ring_pop(rx, &got->header);
	ring_release(rx);
	return true;
}

/* Receives the next record of @kind; records before it are skipped. */
static inline bool neighbour_receive(struct one_switch *s, uint32_t port, enum record_kind kind,
				     struct received *got)
{
	while (neighbour_receive_any(s, port, got))
		if (got->header.kind == kind)
			return true;
	return false;
}

#endif
