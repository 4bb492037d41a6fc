#include "nodes/link/link_send.h"

#include "nodes/base/copy.h"
#include "nodes/base/units.h"
#include "nodes/link/capture.h"
#include "nodes/link/jitter.h"
#include "nodes/link/link_guard.h"
#include "nodes/link/link_trace.h"
#include "nodes/link/link_word.h"

#define E9 1000000000ull
#define E15 1000000000000000ull

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

/* The share of frames of @wire_bytes that the link does not lose, in 2^-64: no loss, and no bit in
 * error. In integers, by squaring, so that it is the same on every machine. */
static uint64_t share_kept(const struct link_loss *loss, uint32_t wire_bytes)
{
	uint64_t kept = UINT64_MAX;
	uint64_t bit = (uint64_t)(((unsigned __int128)(E15 - loss->bit_error_e15) << 64) / E15);

	for (uint64_t bits = loss->bit_error_e15 ? wire_bytes * 8ull : 0; bits; bits >>= 1) {
		if (bits & 1)
			kept = (uint64_t)((unsigned __int128)kept * bit >> 64);
		bit = (uint64_t)((unsigned __int128)bit * bit >> 64);
	}
	return (uint64_t)((unsigned __int128)kept * (E9 - loss->ppb) / E9);
}

/* true if the link loses a frame of @wire_bytes */
static bool frame_is_lost(struct link *link, uint32_t wire_bytes)
{
	if (!link->loss.ppb && !link->loss.bit_error_e15)
		return false;
	if (random_next(&link->loss.random) > UINT64_MAX - share_kept(&link->loss, wire_bytes))
		return false;
	link_trace_drop(link, DROP_LINK_LOSS, wire_bytes);
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
		link_trace_drop(link, DROP_RING_FULL, wire_bytes);
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
	send_frame(link, now, RECORD_FGFC, bytes, frame_bytes, frame_bytes + FRAME_FCS_BYTES);
}

void link_send_pause(struct link *link, node_time_t now, const uint8_t *bytes, uint32_t frame_bytes)
{
	send_frame(link, now, RECORD_PAUSE, bytes, frame_bytes, frame_bytes + FRAME_FCS_BYTES);
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
