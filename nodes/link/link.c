#include "nodes/link/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link/capture.h"
#include "nodes/link/link_guard.h"
#include "nodes/link/link_impair.h"
#include "nodes/link/link_trace.h"
#include "nodes/link/link_word.h"

/* what every frame passes that is received: in both its callers, since calls would cost 0.5 % of a
 * switch's instructions */
#define RECEIVE_INLINE inline __attribute__((always_inline))
/* a packet is announced when so much of it has arrived (cut through) */
#define HEADER_BYTES 64u
#define JITTER_STREAM 0x6a69747465720000ull /* of random numbers, plus the port */
#define FABRIC_HEADER_ON_LINK 12u           /* a local route header too */
#define LINK_ENVELOPE_BYTES 14u             /* captured, but not on the link */

/* ---- set-up ---- */

static uint32_t front_bytes_of(const struct node_config *config, const struct port_config *port)
{
	bool has_header = config->fabric == FABRIC_PORT_GROUP ||
			  (config->fabric == FABRIC_FLOW_CHANNEL && port->kind == PORT_FABRIC);

	return has_header ? FABRIC_HEADER_ON_LINK : 0;
}

/* A link with flow channels that loses frames has less data in flight than half of what 16 bits can
 * count: a longer hole in a flow could not be told from an old position (FC-17). */
static uint32_t flight_limit(const struct node_config *config, const struct port_config *port)
{
	uint32_t units = port->flight_units;

	if (!port->guarded || config->fabric != FABRIC_FLOW_CHANNEL || port->kind != PORT_FABRIC ||
	    (units && units < LINK_HOLE_UNITS_MAX))
		return units;
	return LINK_HOLE_UNITS_MAX;
}

static void watched_update(struct link *link)
{
	link->watched = link->capture || link->packets || link->impaired;
}

int link_init(struct link *link, const struct node_config *config, uint32_t port,
	      struct ring_page *tx, size_t tx_bytes, struct ring_page *rx, size_t rx_bytes,
	      struct stats_page *stats)
{
	const struct port_config *p = &config->ports[port];
	bool is_switch = config->kind == NODE_SWITCH;

	*link = (struct link){
		.tx.first_sent_ps = NODE_TIME_NEVER,
		.lead_ps = is_switch ? config->switch_.latency_ps : config->nic.latency_ps,
		.gap_bytes = p->gap_bytes,
		.guarded = p->guarded,
		.gaps = config->fabric == FABRIC_ROCE,
		.cut_through = is_switch && config->switch_.cut_through,
		.lane_count = (uint8_t)(config->class_count * node_lanes(config, p->kind)),
		.credits = config->fabric == FABRIC_PORT_GROUP,
		.port = (uint8_t)port,
		.front_bytes = (uint8_t)front_bytes_of(config, p),
		.rx.buffer_units = p->buffer_units,
		.flight.limit_units = flight_limit(config, p),
		.measure_from_ps = config->measure_from_ps,
		.measure_to_ps = config->measure_to_ps,
		.packets = config->packets,
		.stats = stats_port(stats, port),
		.page = stats,
	};
	link->real = config->clock == CLOCK_REAL;
	link_set(link, p);
	if (link->credits)
		credit_init(&link->credit, link->lane_count, p->buffer_units,
			    units_of_bytes(p->mtu_bytes), p->peer_units);
	random_init(&link->loss.random, config->seed, port);
	random_init(&link->loss.jitter_random, config->seed, JITTER_STREAM + port);
	if (ring_tx_attach(&link->tx.ring, tx, tx_bytes) ||
	    ring_rx_attach(&link->rx.ring, rx, rx_bytes))
		return -EINVAL;
	if (link_impair_init(link, config, port))
		return -ENOMEM;
	watched_update(link);
	return p->guarded ? link_guard_init(link) : 0;
}

void link_init_vacant(struct link *link, const struct node_config *config, uint32_t port,
		      struct stats_page *stats)
{
	*link = (struct link){ .tx.first_sent_ps = NODE_TIME_NEVER,
			       .rate_bps = 1000000000,
			       .rx.rate_bps = 1000000000,
			       .lane_count = (uint8_t)config->class_count,
			       .port = (uint8_t)port,
			       .down = true,
			       .real = true,
			       .stats = stats_port(stats, port),
			       .page = stats };
}

void link_fini(struct link *link)
{
	link_guard_fini(link);
	free(link->impair);
	*link = (struct link){ 0 };
}

void link_listen(struct link *link, const struct link_listener *listener)
{
	link->listener = *listener;
}

void link_capture(struct link *link, struct capture *capture)
{
	link->capture = capture;
	watched_update(link);
}

/* 0: it does not divide */
static uint64_t ps_per_byte(uint64_t rate_bps)
{
	return 8 * NODE_S % rate_bps ? 0 : 8 * NODE_S / rate_bps;
}

void link_set(struct link *link, const struct port_config *port)
{
	link->lead_ps += port->delay_ps - link->delay_ps;
	link->delay_ps = port->delay_ps;
	link->rate_bps = port->rate_bps;
	link->ps_per_byte = ps_per_byte(port->rate_bps);
	link->rx.rate_bps = port->in_rate_bps ? port->in_rate_bps : port->rate_bps;
	link->rx.ps_per_byte = ps_per_byte(link->rx.rate_bps);
	link->loss.ppb = port->loss_ppb;
	link->loss.bit_error_e15 = port->bit_error_e15;
	link->loss.jitter_ps = port->jitter_ps;
	link->loss.jitter_shape = port->jitter_shape;
	link->loss.any = port->loss_ppb || port->bit_error_e15 || port->jitter_ps;
	link_impair_set(link, port);
	watched_update(link);
}

/* ---- receiving ---- */

/* when the next record of the ring is due */
static inline node_time_t ring_next_at(struct link *link)
{
	struct link_rx *rx = &link->rx;
	uint32_t wire_bytes;
	node_time_t due;

	rx->head_bytes = ring_peek(&rx->ring, &rx->head);
	if (!rx->head_bytes)
		return NODE_TIME_NEVER;
	wire_bytes = rx->head.wire_bytes;
	if (rx->head.kind == RECORD_PACKET && link->cut_through && wire_bytes > HEADER_BYTES)
		wire_bytes = HEADER_BYTES;
	due = rx->head.at_ps + link_arrival_time_of(link, wire_bytes);
	rx->head_due_ps = node_time_max(rx->head_due_ps, due);
	return rx->head_due_ps;
}

static node_time_t __attribute__((noinline)) unusual_next_at(struct link *link)
{
	return link->down || link->held ? NODE_TIME_NEVER
					: link_impair_next_at(link, ring_next_at(link));
}

/* Records come in the order of their first bits, so a record can be due before the one in front of
 * it only with a false length. It is then due with that one: time never goes back. */
node_time_t link_next_at(struct link *link)
{
	return link->unusual ? unusual_next_at(link) : ring_next_at(link);
}

static void bad_record(struct link *link)
{
	link_trace_drop(link, DROP_BAD_RECORD, 0);
}

/* What the peer has sent and is not received yet is lost. The peer finds its ring empty, and the
 * buffer is emptied with the link. */
void link_lose(struct link *link)
{
	struct record record;

	if (!link->rx.ring.page)
		return; /* nothing was ever plugged in */
	ring_refresh(&link->rx.ring);
	while (ring_peek(&link->rx.ring, &record)) {
		if (record.kind == RECORD_PACKET) {
			uint32_t frame_bytes = link_frame_bytes(link, record.wire_bytes);

			link_trace_drop(link, DROP_LINK_DOWN, frame_bytes);
			link->stats->dropped_bytes += frame_bytes;
		}
		ring_pop(&link->rx.ring, &record);
	}
	ring_release(&link->rx.ring);
	if (link->impair)
		link_impair_lose(link);
	if (!link->real)
		memset(link->rx.held_units, 0, sizeof(link->rx.held_units));
}

/* no class is stopped, and no words are due */
static void words_clear(struct link *link)
{
	link->stop = (struct link_stop){ 0 };
	link->guard.seen_due = link->guard.sync_due = false;
}

void link_down(struct link *link, node_time_t now)
{
	link->down = true;
	if (link->guarded)
		link_guard_down(link, now);
	words_clear(link);
	credit_close(&link->credit);
	link_word_wait_end(link, now);
	link_lose(link);
}

void link_up(struct link *link, node_time_t now)
{
	link->down = link->held = false;
	link->tx.sequence = link->rx.sequence_expected = link->guard.seen_told =
		link->guard.log_first = 0;
	words_clear(link);
	link->tx.busy_until_ps = now;
	link->rx.head_due_ps = node_time_max(link->rx.head_due_ps, now);
	link->flight = (struct link_flight){ .limit_units = link->flight.limit_units };
	if (link->guarded)
		link_guard_up(link);
	if (link->credits)
		credit_open(&link->credit);
}

void link_up_stopped(struct link *link)
{
	uint8_t all = (uint8_t)((1u << link->lane_count) - 1);

	link->stop = (struct link_stop){ all, all, all };
}

/* a frame arrived at a link that is captured, or where packets are events */
static void __attribute__((noinline))
watch_received(struct link *link, const struct record *header, node_time_t now)
{
	struct capture_frame frame = { .at_ps = header->at_ps,
				       .wire_bytes = header->wire_bytes,
				       .captured_bytes = header->captured_bytes,
				       .kind = header->kind,
				       .inbound = true };

	if (link->capture)
		capture_take(link->capture, now, &frame, link->rx.head_bytes);
	if (link->packets)
		link_trace_frame(link, header, now);
}

/* true if the packet fits into the buffer and its record is valid. Charges the buffer. */
static RECEIVE_INLINE bool admit(struct link *link, const struct record *header)
{
	uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes);
	uint32_t units = units_of_bytes(frame_bytes), c = header->traffic_class;

	if (c >= link->lane_count || !frame_bytes ||
	    header->captured_bytes > header->wire_bytes + LINK_ENVELOPE_BYTES) {
		bad_record(link);
		link->stats->dropped_bytes += frame_bytes;
		return false;
	}
	if (!link->rx.buffer_units)
		return true;
	if (link->rx.held_units[c] + units > link->rx.buffer_units) {
		link_trace_drop(link, DROP_BUFFER_OVERFLOW, frame_bytes);
		link->stats->dropped_bytes += frame_bytes;
		return false;
	}
	link->rx.held_units[c] += units;
	return true;
}

/* the credit that the packet had is used, whether it was admitted or not */
static void take_credit(struct link *link, const struct record *header)
{
	uint32_t lane = header->traffic_class;

	if (lane < link->lane_count)
		credit_on_frame(&link->credit, lane, link_units(link, header),
				link->rx.held_units[lane]);
}

/* true if @sequence can be that of the next frame of a link that is not guarded */
static bool counts_on(const struct link *link, uint32_t sequence)
{
	uint32_t ahead = sequence - link->rx.sequence_expected;

	return link->gaps ? ahead <= INT32_MAX : !ahead;
}

/* The record of the ring: all that the link itself does with it. @header is filled. */
static RECEIVE_INLINE const uint8_t *receive_record(struct link *link, struct record *header,
						    node_time_t now)
{
	bool admitted;

	if (header->kind == RECORD_WORD) {
		if (!link_word_on_received(link, header, now))
			bad_record(link);
		return NULL;
	}
	link->stats->rx_frames++;
	link->stats->rx_bytes += header->wire_bytes;
	if (link->guarded && !link_guard_in_sequence(link, header->sequence))
		return NULL;
	if (!link->guarded && !counts_on(link, header->sequence))
		bad_record(link); /* the peer miscounts */
	link->rx.sequence_expected = header->sequence + 1;
	if (link->guarded && link->rx.sequence_expected - link->guard.seen_told >= LINK_SEEN_FRAMES)
		link->guard.seen_due = true;
	if (header->kind == RECORD_PACKET) {
		link->stats->rx_packets++;
		link->flight.taken_units += link_units(link, header);
		admitted = admit(link, header);
		if (link->credits)
			take_credit(link, header);
		if (!admitted && link->guarded)
			link_guard_mark_missing(link, header->sequence);
		if (!admitted)
			return NULL;
	}
	return link->rx.head_bytes;
}

/* the same at a link that is captured, where packets are events, or that is impaired */
static const uint8_t *__attribute__((noinline))
receive_watched(struct link *link, struct record *header, node_time_t now)
{
	const uint8_t *bytes = link->impaired ? link_impair_waiting(link, header) : NULL;

	if (bytes)
		return bytes;
	if (header->kind != RECORD_WORD)
		watch_received(link, header, now);
	bytes = receive_record(link, header, now);
	return bytes && link->impaired && header->kind == RECORD_PACKET
		       ? link_impair_packet(link, header, bytes, now)
		       : bytes;
}

const uint8_t *link_receive(struct link *link, struct record *header, node_time_t now)
{
	*header = link->rx.head;
	return link->watched ? receive_watched(link, header, now)
			     : receive_record(link, header, now);
}

void link_note_taken(struct link *link)
{
	struct link_flight *flight = &link->flight;

	if (link->guarded || link->stop.wanted != link->stop.told ||
	    flight->taken_noted == flight->taken_units)
		return;
	flight->taken_noted = flight->taken_units;
	ring_note(&link->rx.ring, (uint64_t)flight->stops_said << 32 | flight->taken_units);
}

void link_reject(struct link *link, const struct record *header)
{
	link_release(link, header->traffic_class, link_units(link, header));
}
