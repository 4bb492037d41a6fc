#include "nodes/link/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/copy.h"
#include "nodes/base/units.h"
#include "nodes/link/capture.h"
#include "nodes/link/jitter.h"
#include "nodes/link/link_guard.h"
#include "nodes/link/link_impair.h"
#include "nodes/link/link_trace.h"
#include "nodes/link/link_word.h"
#include "nodes/stats/trace.h"

/* what every frame passes that is received: in both its callers, since calls would cost 0.5 % of a
 * switch's instructions */
#define RECEIVE_INLINE inline __attribute__((always_inline))
/* a packet is announced when so much of it has arrived (cut through) */
#define HEADER_BYTES 64u
#define JITTER_STREAM 0x6a69747465720000ull /* of random numbers, plus the port */
#define FABRIC_HEADER_ON_LINK 12u /* a local route header too */
#define FCS_BYTES 4u
#define LINK_ENVELOPE_BYTES 14u /* captured, but not on the link */

/* ---- set-up ---- */

static uint32_t front_bytes_of(const struct node_config *config, const struct port_config *port)
{
	bool has_header = config->fabric == FABRIC_PORT_GROUP ||
			  (config->fabric == FABRIC_FLOW_CHANNEL && port->kind == PORT_FABRIC);

	return has_header ? FABRIC_HEADER_ON_LINK : 0;
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
		.flight.limit_units = p->flight_units,
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

/* ---- sending ---- */

bool link_ring_has_room(struct link *link)
{
	if (ring_has_room(&link->tx.ring))
		return true;
	link->tx.starved = true;
	return false;
}

/* What the peer has taken. It does not count until the stop words that it sent before have been
 * received, nor if it is more than was sent or less than before (TB-23). */
static void arrived_look(struct link_flight *flight, const struct ring_tx *ring)
{
	uint64_t note = ring_noted(ring);

	if ((int32_t)((uint32_t)(note >> 32) - flight->stops_heard) <= 0 &&
	    flight->sent_units - (uint32_t)note <= flight->sent_units - flight->arrived_units)
		flight->arrived_units = (uint32_t)note;
}

/* for the longest frame there is; one may always be in flight */
static bool flight_fits(const struct link_flight *flight)
{
	uint32_t units = flight->sent_units - flight->arrived_units;

	return !units || units + units_of_bytes(NODE_MTU_MAX) <= flight->limit_units;
}

bool link_flight_has_room(struct link *link)
{
	if (!flight_fits(&link->flight) && !link->guarded)
		arrived_look(&link->flight, &link->tx.ring);
	if (flight_fits(&link->flight))
		return true;
	link->tx.starved = true;
	return false;
}

bool link_unstarve(struct link *link)
{
	if (!link->tx.starved || !ring_has_room(&link->tx.ring))
		return false;
	link->tx.starved = false;
	return true;
}

/* the part of [from, from + length) that lies in the measured interval */
static node_time_t measured_part(const struct link *link, node_time_t from, node_time_t length)
{
	node_time_t begin = node_time_max(from, link->measure_from_ps);
	node_time_t end = node_time_min(from + length, link->measure_to_ps);

	return end > begin ? end - begin : 0;
}

/* takes the link for @wire_bytes (and @gap_bytes) from now on; returns when the first bit arrives
 * at the peer */
static node_time_t occupy(struct link *link, node_time_t now, uint32_t wire_bytes,
			  uint32_t gap_bytes)
{
	node_time_t start = node_time_max(now, link->tx.busy_until_ps);
	node_time_t length = link_frame_time_of(link, wire_bytes + gap_bytes);

	ENSURE(link->down, ==, false);
	link->tx.busy_until_ps = start + length;
	link->stats->tx_frames++;
	link->stats->tx_bytes += wire_bytes;
	link->stats->tx_busy_ps += length;
	link->stats->tx_busy_measured_ps += measured_part(link, start, length);
	return start + link->lead_ps;
}

/* a frame of @bytes, 0: not known, is dropped here */
static void drop(struct link *link, enum drop_reason reason, uint32_t bytes)
{
	trace_drop(link->page, reason, link->port, bytes, NULL, link->page->now_ps);
}

/* true if the link loses a frame of @wire_bytes. Bit errors add up linearly: exact enough below
 * 1e-6 for a bit. */
static bool frame_is_lost(struct link *link, uint32_t wire_bytes)
{
	unsigned __int128 errors_e15;

	if (!link->loss.ppb && !link->loss.bit_error_e15)
		return false;
	errors_e15 = (unsigned __int128)link->loss.bit_error_e15 * wire_bytes * 8 +
		     link->loss.ppb * 1000000ull;
	if (random_below(&link->loss.random, 1000000000000000ull) >= errors_e15)
		return false;
	drop(link, DROP_LINK_LOSS, wire_bytes);
	return true;
}

/* a link with loss or jitter: is the frame of @wire_bytes lost? If not, it is @late_ps later. Each
 * frame takes its random numbers, so that loss and jitter do not change each other. */
static bool __attribute__((noinline))
disturb(struct link *link, uint32_t wire_bytes, node_time_t *late_ps)
{
	struct link_loss *loss = &link->loss;

	if (loss->jitter_ps)
		*late_ps = jitter_draw(&loss->jitter_random, loss->jitter_shape, loss->jitter_ps);
	return frame_is_lost(link, wire_bytes);
}

/* the first bit of what arrives at @at leaves here */
static struct capture_frame captured_frame(const struct link *link, enum record_kind kind,
					   node_time_t at, uint32_t wire_bytes,
					   uint32_t captured_bytes, bool lost)
{
	return (struct capture_frame){ .at_ps = at - link->delay_ps,
				       .wire_bytes = wire_bytes,
				       .captured_bytes = captured_bytes,
				       .kind = kind,
				       .lost = lost };
}

/* a record's place in the ring with its header filled, or NULL */
static struct record *record_start(struct link *link, node_time_t at, uint32_t wire_bytes,
				   uint32_t captured_bytes)
{
	struct record *record = ring_reserve(&link->tx.ring, captured_bytes);

	if (!record) {
		drop(link, DROP_RING_FULL, wire_bytes);
		return NULL;
	}
	/* frames keep their order when the delay is shortened */
	link->tx.last_at_ps = node_time_max(at, link->tx.last_at_ps);
	record->at_ps = link->tx.last_at_ps;
	record->wire_bytes = wire_bytes;
	record->captured_bytes = captured_bytes;
	record->sequence = link->tx.sequence;
	ring_commit(&link->tx.ring, captured_bytes);
	link->tx.first_sent_ps = node_time_min(link->tx.first_sent_ps, record->at_ps);
	return record;
}

/* a frame takes the link, and the guard remembers it as @entry.  @at when its first bit arrives
 * Return: its record; NULL: it is lost, and counted */
static inline struct record *frame_start(struct link *link, node_time_t now,
					 struct link_log_entry entry, uint32_t wire_bytes,
					 uint32_t captured_bytes, node_time_t *at)
{
	struct record *record = NULL;
	node_time_t late_ps = 0;

	*at = occupy(link, now, wire_bytes, link->gap_bytes);
	if (link->guarded)
		link_guard_on_sent(link, entry);
	if (!link->loss.any || !disturb(link, wire_bytes, &late_ps))
		record = record_start(link, *at + late_ps, wire_bytes, captured_bytes);
	link->tx.sequence++;
	if (!record) {
		link->stats->lost_frames++;
		return NULL;
	}
	record->kind = entry.kind;
	record->traffic_class = entry.traffic_class;
	record->word = 0;
	return record;
}

/* a packet of @units was sent: what is in flight is at most the limit, or this packet alone */
static inline void flight_add(struct link_flight *flight, uint32_t units)
{
	flight->sent_units += units;
	if (flight->limit_units)
		ENSURE(flight->sent_units - flight->arrived_units, <=,
		       flight->limit_units > units ? flight->limit_units : units);
}

uint8_t *link_send_packet(struct link *link, node_time_t now, uint32_t wire_bytes,
			  uint32_t captured_bytes, uint32_t frame_bytes, uint32_t traffic_class,
			  uint32_t tag)
{
	uint32_t units = units_of_bytes(frame_bytes);
	struct link_log_entry entry = { .tag = tag,
					.frame_bytes = frame_bytes,
					.units = (uint16_t)units,
					.kind = RECORD_PACKET,
					.traffic_class = (uint8_t)traffic_class };
	node_time_t at;
	struct record *record = frame_start(link, now, entry, wire_bytes, captured_bytes, &at);
	uint8_t *bytes = record ? record_captured(record) : NULL;
	struct capture_frame frame;

	link->stats->tx_packets++;
	if (link->credits)
		credit_on_sent(&link->credit, traffic_class, units);
	if (record || link->guarded)
		flight_add(&link->flight, units);
	if (record) {
		link->tx.packet_sent = true;
	} else {
		link->stats->lost_packets++;
		link->stats->lost_units += units;
		link->stats->lost_bytes += frame_bytes;
	}
	if (!link->capture)
		return bytes;
	frame = captured_frame(link, RECORD_PACKET, at, wire_bytes, captured_bytes, !record);
	return capture_sending(link->capture, now, &frame, bytes);
}

/* sends a frame that is no packet; @bytes copied */
static void send_frame(struct link *link, node_time_t now, enum record_kind kind,
		       const uint8_t *bytes, uint32_t captured_bytes, uint32_t wire_bytes)
{
	struct link_log_entry entry = { .kind = (uint8_t)kind,
					.ack_bytes = (uint16_t)captured_bytes };
	node_time_t at;
	struct record *record = frame_start(link, now, entry, wire_bytes, captured_bytes, &at);
	struct capture_frame frame;

	if (link->capture) {
		frame = captured_frame(link, kind, at, wire_bytes, captured_bytes, !record);
		capture_take(link->capture, now, &frame, bytes);
	}
	if (!record)
		return;
	copy_short(record_captured(record), bytes, captured_bytes);
	/* the sooner a pause is received, the less is sent without buffer */
	link->tx.packet_sent |= kind != RECORD_ACKS;
}

void link_send_acks(struct link *link, node_time_t now, const uint8_t *bytes,
		    uint32_t captured_bytes, uint32_t wire_bytes)
{
	link->stats->ack_frames++;
	ENSURE(captured_bytes, <=, LINK_ACK_BYTES_MAX);
	if (link->guarded)
		copy_short(link->guard.ack_log[link->tx.sequence % LINK_LOG_MAX], bytes,
		       captured_bytes);
	send_frame(link, now, RECORD_ACKS, bytes, captured_bytes, wire_bytes);
}

void link_send_fgfc(struct link *link, node_time_t now, const uint8_t *bytes, uint32_t frame_bytes)
{
	send_frame(link, now, RECORD_FGFC, bytes, frame_bytes, frame_bytes + FCS_BYTES);
}

void link_send_pause(struct link *link, node_time_t now, const uint8_t *bytes, uint32_t frame_bytes)
{
	send_frame(link, now, RECORD_PAUSE, bytes, frame_bytes, frame_bytes + FCS_BYTES);
}

static void send_word(struct link *link, node_time_t now, enum link_word kind,
		      uint32_t traffic_class, uint32_t value)
{
	node_time_t at = occupy(link, now, LINK_WORD_BYTES, 0);
	struct record *record = record_start(link, at, LINK_WORD_BYTES, 0);

	link->stats->words++;
	if (!record)
		return;
	record->kind = RECORD_WORD;
	record->traffic_class = (uint16_t)traffic_class;
	record->word = (uint64_t)kind << 32 | value;
}

/* reports which frames did not arrive, then how far all are known */
static void send_guard_words(struct link *link, node_time_t now)
{
	uint32_t sequence;

	while (link_guard_next_missing(link, &sequence))
		send_word(link, now, LINK_WORD_MISSING, 0, sequence);
	send_word(link, now, LINK_WORD_SEEN, 0, link->rx.sequence_expected);
	link->guard.seen_due = false;
}

static void send_stop(struct link *link, node_time_t now)
{
	if (link->guarded && link->stop.wanted != link->stop.told)
		link->guard.sync_due = true; /* once more, when idle */
	link->stop.told = link->stop.wanted;
	link->flight.stops_said++;
	send_word(link, now, LINK_WORD_STOP, 0, link->stop.wanted);
}

/* limits of ours, totals of ours, as far as they are due */
static void send_credit_words(struct link *link, node_time_t now)
{
	struct credit *credit = &link->credit;

	for (uint32_t left = credit->grant_due; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		send_word(link, now, LINK_WORD_CREDIT, lane,
			  credit_grant(credit, lane, link->rx.held_units[lane]));
	}
	for (uint32_t left = credit->total_due; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		send_word(link, now, LINK_WORD_SENT, lane, credit_total(credit, lane));
	}
}

void link_send_words(struct link *link, node_time_t now, bool idle)
{
	bool sync = idle && (link->guard.sync_due || link_ask_at(link) <= now);

	if (sync) {
		send_word(link, now, LINK_WORD_SYNC, 0, link->tx.sequence);
		link->guard.sync_due = false;
		link->guard.ask_at_ps = now + LINK_ASK_PS;
	}
	if (link->stop.wanted != link->stop.told ||
	    (link->guarded && !link->credits && (link->guard.seen_due || sync)))
		send_stop(link, now);
	if (link->guard.seen_due)
		send_guard_words(link, now);
	if (!link->credits)
		return;
	if (sync)
		credit_say_totals(&link->credit);
	send_credit_words(link, now);
}

node_time_t link_flush(struct link *link, bool *packet)
{
	struct link_tx *tx = &link->tx;
	node_time_t first = tx->first_sent_ps;

	*packet = tx->packet_sent;
	if (link->capture)
		capture_settle(link->capture);
	if (first == NODE_TIME_NEVER)
		return first;
	tx->packet_sent = false;
	ring_publish(&tx->ring);
	tx->first_sent_ps = NODE_TIME_NEVER;
	return first;
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
	drop(link, DROP_BAD_RECORD, 0);
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

			drop(link, DROP_LINK_DOWN, frame_bytes);
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
	uint32_t c = header->traffic_class;

	if (c >= link->lane_count || !frame_bytes ||
	    header->captured_bytes > header->wire_bytes + LINK_ENVELOPE_BYTES) {
		bad_record(link);
		link->stats->dropped_bytes += frame_bytes;
		return false;
	}
	if (!link->rx.buffer_units)
		return true;
	if (link->rx.held_units[c] + units_of_bytes(frame_bytes) > link->rx.buffer_units) {
		drop(link, DROP_BUFFER_OVERFLOW, frame_bytes);
		link->stats->dropped_bytes += frame_bytes;
		return false;
	}
	link->rx.held_units[c] += units_of_bytes(frame_bytes);
	return true;
}

/* the credit that the packet had is used, whether it was admitted or not */
static void take_credit(struct link *link, const struct record *header)
{
	uint32_t lane = header->traffic_class;

	if (lane < link->lane_count)
		credit_on_frame(&link->credit, lane,
				units_of_bytes(link_frame_bytes(link, header->wire_bytes)),
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
		link->flight.taken_units +=
			units_of_bytes(link_frame_bytes(link, header->wire_bytes));
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
	link_release(link, header->traffic_class,
		     units_of_bytes(link_frame_bytes(link, header->wire_bytes)));
}
