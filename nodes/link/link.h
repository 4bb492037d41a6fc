/*  link - one node's end of a link: serialisation, stop, loss, and reports of both (TB-2, TB-4,
 *  FC-17).
 *
 *  Virtual lanes. What this file calls a traffic class is a virtual lane: a part of a class with a
 *  buffer and a stop of its own (routing_config.h). With one lane per class they are the same.
 *
 *  Time. A node decides at `now` to send a frame. Its first bit leaves after the node's fixed
 *  latency and arrives after the propagation delay; the link is busy for (wire bytes + gap) / rate.
 *  All of a node's latency comes after its last decision, so whatever is decided now arrives no
 *  earlier than now + latency + delay: the clock's lookahead.
 *
 *  Stop. The receiver's owner sets the traffic classes that the peer must stop (link_stop_set()).
 *  The link reports them to the sender's owner (link_stopped()), which acts according to its kind
 *  of port. What is in flight until then needs buffer at the receiver beyond the level at which it
 *  sends STOP. On a guarded link every SEEN and SYNC carries the whole state again, and a receiver
 *  of a new state requests it once more: the next word corrects one that is lost or false. Under
 *  the real clock a node that waits for a word (XON, or what became of its frames) repeats its
 *  request (link_ask_at()).
 *
 *  Flight (real clock, ours). There, no bound is known on the time until a sender receives STOP. So
 *  what it has sent and the receiver has not taken is at most flight_units. What a receiver takes
 *  after it decided on a stop does not count as taken before the sender has received that word.
 *  So after the word arrive at most flight_units, and packets that had passed the sender's crossbar
 *  already. The sender of a guarded link learns what was taken from SEEN and MISSING, which follow
 *  the state. On shared memory the receiver notes beside the ring what it has taken, and how many
 *  stop words it has sent by then. Control words and ACKs have no limit but the ring's, so neither
 *  waits for data.
 *
 *  Guard. On a link that can lose frames (loss or bit errors configured) the receiver checks the
 *  sequence that every frame carries in its preamble and reports what is missing. The sender keeps
 *  a log of what it sent. It reports to its owner, in the order of sending, which frames arrived
 *  and which were lost (link_listener). The owner sends lost ACKs again, and reports losses that
 *  leave no hole for the peer to detect (FC-17). A guarded link that falls idle sends its
 *  count, so that the loss of the last frame is detected too. A lossless link pays nothing for it.
 *
 *  Credits (fabric kind port-group, PG-9; credit.h), instead of stops. They exist once the link is
 *  up, if both ends were configured with the other's buffer. A sender has credit of the peer's, per
 *  virtual lane, or waits (link_has_credit()). So what is in flight always has buffer, and no frame
 *  is dropped for lack of it. The receiver grants with control words; link_stop_set() means that it
 *  grants nothing more. On a guarded link the sender reports its totals when a frame was lost and
 *  when it falls idle, and a SYNC is answered with all limits: no loss costs credit for good. Real
 *  clock: a sender without credit repeats its request.
 *
 *  Jitter. A frame may be later than its link's delay, but never than an earlier frame: what comes
 *  after it, words too, waits (jitter.h). What arrives out of order, twice or damaged:
 *  link_impair.h.
 *
 *  Control words ({kind, class, value}, 8 bytes) are sent between frames like a PHY's ordered sets;
 *  they are not lost (ours: the PHY's own coding protects them). */
#ifndef HEDDLE_NODES_LINK_LINK_H
#define HEDDLE_NODES_LINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/random.h"
#include "nodes/base/ring.h"
#include "nodes/base/time.h"
#include "nodes/base/units.h"
#include "nodes/config/config.h"
#include "nodes/link/credit.h"
#include "nodes/link/link_impair.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/frame.h"

#define LINK_WORD_BYTES 8u /* on the link */
/* frames in flight on a guarded link: 4 kB packets at 200 Gb/s for 680 us */
#define LINK_LOG_MAX 4096u
/* and data on one with flow channels: 200 Gb/s for 330 us */
#define LINK_HOLE_UNITS_MAX ((1u << 15) - 1)
#define LINK_SEEN_FRAMES 16u    /* a guarded link confirms at least every so many frames */
#define LINK_ACK_BYTES_MAX 176u /* an ACK frame as captured */
/* what a ring captures of a frame under the virtual clock: the headers of a generated packet, or an
 * ACK frame */
#define LINK_HEADERS_MAX 224u

enum link_word {
	/* value: set of the traffic classes that must stop; all others may send */
	LINK_WORD_STOP,
	/* value: every frame before this sequence was received or reported missing */
	LINK_WORD_SEEN,
	/* value: this frame did not arrive; SEEN follows, with which it counts */
	LINK_WORD_MISSING,
	LINK_WORD_SYNC, /* value: sequence of the next frame */
	/* value: data units of this virtual lane that may be sent in all (PG-9) */
	LINK_WORD_CREDIT,
	/* value: data units of this virtual lane that were sent in all, lost ones too */
	LINK_WORD_SENT,
	LINK_WORDS
};

/* a frame in the log of a guarded sender */
struct link_log_entry {
	uint32_t tag;         /* the owner's mark of a data frame: its flow */
	uint32_t frame_bytes; /* inner frame */
	uint16_t units;       /* data frames */
	uint16_t ack_bytes;   /* ACK frames: captured length */
	uint8_t kind;         /* enum record_kind */
	uint8_t traffic_class;
	bool lost; /* as the peer reported */
};

struct link;
struct capture;

/* The owner's functions for what became of frames, if the link is guarded, and for stops. Frames
 * are reported in the order in which they were sent. Any of them may be NULL. Borrowed
 * arguments. */
struct link_listener {
	void *owner;
	/* the peer received data frame @entry */
	void (*on_seen)(void *owner, struct link *link, const struct link_log_entry *entry,
			node_time_t now);
	/* the peer did not receive data frame @entry */
	void (*on_lost)(void *owner, struct link *link, const struct link_log_entry *entry,
			node_time_t now);
	/* the peer did not receive the ACK frame @bytes */
	void (*on_ack_lost)(void *owner, struct link *link, const uint8_t *bytes, uint32_t length,
			    node_time_t now);
	/* any link: the peer stopped @traffic_class, or resumed it; with credits: a lane that
	 * lacked credit has more */
	void (*on_stop)(void *owner, struct link *link, uint32_t traffic_class, bool stopped,
			node_time_t now);
};

/* the sender of one end */
struct link_tx {
	struct ring_tx ring;
	node_time_t busy_until_ps; /* in decision time: no further frame before */
	/* earliest arrival since the last link_flush(), else NODE_TIME_NEVER */
	node_time_t first_sent_ps;
	node_time_t last_at_ps; /* arrival of the last record */
	uint32_t sequence;      /* of the next frame */
	bool packet_sent;       /* since the last link_flush(), not only ACKs and words */
	/* real clock: something could not be sent because the ring was full; link_unstarve() */
	bool starved;
};

/* the receiver of one end, and its input buffer */
struct link_rx {
	struct ring_rx ring;
	uint64_t rate_bps, ps_per_byte; /* of this direction; as of struct link */
	node_time_t head_due_ps; /* when the last record that link_next_at() looked at is due */
	const uint8_t *head_bytes;
	struct record head;                  /* that record */
	uint32_t sequence_expected;          /* of the next frame */
	uint32_t held_units[NODE_LANES_MAX]; /* in the input buffer */
	uint32_t buffer_units;               /* of each lane; 0: no limit */
};

/* data that the peer has not taken; what counts data wraps */
struct link_flight {
	uint32_t limit_units; /* 0: no limit */
	/* data ever sent; of it taken by the peer, as far as it counts */
	uint32_t sent_units, arrived_units;
	uint32_t stops_heard; /* number of stop words received */
	/* data ever taken from the ring, and as it was noted for the peer */
	uint32_t taken_units, taken_noted;
	uint32_t stops_said; /* number of stop words sent */
};

/* sets of classes that are stopped */
struct link_stop {
	uint8_t by_peer; /* not sent here */
	/* the peer must not send them: now, and as it was told */
	uint8_t wanted, told;
};

struct link_guard {
	/* what was sent and is not confirmed: LINK_LOG_MAX, index = sequence mod LINK_LOG_MAX */
	struct link_log_entry *log;
	uint8_t (*ack_log)[LINK_ACK_BYTES_MAX]; /* ACK frames among them, same index */
	node_time_t ask_at_ps; /* real clock: when a request for a reply of the peer is repeated */
	uint32_t log_first;    /* oldest remembered sequence */
	/* what was received: frames before this sequence are confirmed, or reported missing */
	uint32_t seen_told;
	/* bit per sequence mod LINK_LOG_MAX: did not arrive, to be reported */
	uint64_t *missing;
	uint32_t missing_count;
	/* since the last SYNC frames or a new STOP were sent, or a STOP was received */
	bool sync_due;
	bool seen_due; /* SEEN is due: the peer requested it, or enough frames have arrived */
};

/* what the link loses of what is sent, and delays beyond its delay */
struct link_loss {
	bool any; /* one of the following is not 0 */
	uint32_t ppb;
	uint64_t bit_error_e15;
	node_time_t jitter_ps;
	enum jitter_shape jitter_shape;
	struct random random, jitter_random;
};

/* what each frame that is sent needs comes first */
struct link {
	struct link_tx tx;
	/* the cable */
	uint64_t rate_bps;
	uint64_t ps_per_byte; /* 0: the rate does not divide; then node_time_of_bytes() */
	node_time_t lead_ps;  /* latency + propagation */
	node_time_t delay_ps; /* the propagation in it */
	uint32_t gap_bytes;
	/* what kind of link it is */
	bool guarded, cut_through;
	/* frames may be missing although it is not guarded (roce): the transport retransmits
	 * them */
	bool gaps;
	bool real;           /* real clock: a full ring is waited for */
	bool credits;        /* instead of STOP and XON */
	uint8_t lane_count;  /* virtual lanes: classes * node_lanes() */
	uint8_t front_bytes; /* on the link in front of the inner frame: the fabric header */
	uint8_t port;
	union {
		struct {
			bool down; /* nothing is sent or received: vacant, or link_down() */
			/* new: records wait until the dataplane is ready; set and cleared by the
			 * dataplane */
			bool held;
			bool impaired; /* what arrives is impaired: link_impair.h */
			bool unused;
		};
		uint32_t unusual; /* not 0: at least one of them is true */
	};
	struct link_stop stop;
	struct link_flight flight;
	/* statistics */
	struct port_stats *stats;
	struct stats_page *page; /* of the node: drops, events */
	node_time_t measure_from_ps, measure_to_ps;
	/* records what passes: link_capture(), borrowed; NULL: none */
	struct capture *capture;
	bool packets; /* what arrives is an event: link_trace.h */
	/* a frame that arrives goes to the capture, is an event, or is impaired */
	bool watched;
	struct link_impair *impair; /* NULL: it cannot be impaired */
	struct link_rx rx;
	struct link_loss loss;
	struct link_guard guard; /* NULL and 0 when not guarded */
	struct credit credit;    /* both directions */
	struct link_listener listener;
};

/** link_captured_max() - the most that a record of the links of @config captures. */
static inline uint32_t link_captured_max(const struct node_config *config)
{
	return config->clock == CLOCK_REAL ? RING_CAPTURED_MAX : LINK_HEADERS_MAX;
}

/** link_init() - node @config's end of the link at @port.
 *  @tx, @rx  rings to send on and to receive from, mapped by the caller, @tx_bytes and @rx_bytes
 *  long; borrowed.   @stats  the node's statistics page, laid out; borrowed.
 *  Return: 0; -EINVAL: @tx or @rx is not a valid ring; -ENOMEM. */
int link_init(struct link *link, const struct node_config *config, uint32_t port,
	      struct ring_page *tx, size_t tx_bytes, struct ring_page *rx, size_t rx_bytes,
	      struct stats_page *stats);
void link_fini(struct link *link);

/** link_init_vacant() - the same for a port with nothing plugged in: down. */
void link_init_vacant(struct link *link, const struct node_config *config, uint32_t port,
		      struct stats_page *stats);

/** link_down() - the link failed: from now on nothing is sent (link_may_send() is false) or
 *  received (link_next_at(): never). What a guarded link still remembers is lost: it is reported to
 *  the listener, frame by frame. Under either clock what is in the receive ring is lost and
 *  counted: link_lose(). */
void link_down(struct link *link, node_time_t now);

/** link_lose() - what is in the receive ring of a link that is down is lost. Under the real clock
 *  the peer may not know yet, so once more before the ring is unmapped. */
void link_lose(struct link *link);

/** link_up() - (virtual clock) the link returns over the same rings, which are empty, as a new
 *  link. */
void link_up(struct link *link, node_time_t now);

/** link_up_stopped() - the link has just returned, and both ends still have state of the former
 *  one: nothing is sent until the peer resumes, and link_stop_set(.., false) of all classes resumes
 *  the peer. */
void link_up_stopped(struct link *link);

/** link_set() - what can change of a link (the rows of link.def with .live) is as in @port from the
 *  next frame on. No frame overtakes an earlier one, except where reordering is asked for. */
void link_set(struct link *link, const struct port_config *port);

/** link_listen() - sets the listener, copied; without one losses are only counted. */
void link_listen(struct link *link, const struct link_listener *listener);

/** link_capture() - what passes is recorded by @capture, borrowed until the next call; NULL: by
 *  none. After link_init(). */
void link_capture(struct link *link, struct capture *capture);

/** link_frame_bytes() - the inner frame (without FCS) of a packet of @wire_bytes; 0 if it is too
 *  short for one. */
static inline uint32_t link_frame_bytes(const struct link *link, uint32_t wire_bytes)
{
	uint32_t around = link->front_bytes + FRAME_FCS_BYTES;

	return wire_bytes > around ? wire_bytes - around : 0;
}

/** link_units() - data units of the packet of @header. */
static inline uint32_t link_units(const struct link *link, const struct record *header)
{
	return units_of_bytes(link_frame_bytes(link, header->wire_bytes));
}

/** link_frame_time_of() - how long @wire_bytes take the link, without gap: from the first bit to
 *  the last. */
static inline node_time_t link_frame_time_of(const struct link *link, uint32_t wire_bytes)
{
	return link->ps_per_byte ? wire_bytes * link->ps_per_byte
				 : node_time_of_bytes(wire_bytes, link->rate_bps);
}

/** link_arrival_time_of() - the same of a frame that arrives: a link may have two rates. */
static inline node_time_t link_arrival_time_of(const struct link *link, uint32_t wire_bytes)
{
	return link->rx.ps_per_byte ? wire_bytes * link->rx.ps_per_byte
				    : node_time_of_bytes(wire_bytes, link->rx.rate_bps);
}

/* ---- receiving ---- */

/** link_refresh() - reads how much the peer has sent. Records count as due at @start, the beginning
 *  of the window, or later, so that a peer with wrong times cannot make time go back. */
static inline void link_refresh(struct link *link, node_time_t start)
{
	if (link->down)
		return;
	ring_refresh(&link->rx.ring);
	link->rx.head_due_ps = node_time_max(link->rx.head_due_ps, start);
}

/** link_next_at() - (after link_refresh()) when the next record is to be handled: a packet at its
 *  header if the node cuts through, everything else at its last bit. NODE_TIME_NEVER: nothing
 *  there. */
node_time_t link_next_at(struct link *link);

/** link_receive() - takes the record that link_next_at() announced.
 *  Control words are handled inside. Return: the captured bytes (shared memory: copy, then
 *  parse) with @header filled, for packets, ACK, FGFC and PAUSE frames; NULL for words and for
 *  records that broke the rules. link_done() after each. A packet's units are charged to the input
 *  buffer; if they do not fit, it is dropped and counted (the peer does not stop). */
const uint8_t *link_receive(struct link *link, struct record *header, node_time_t now);
static inline void link_done(struct link *link, const struct record *header)
{
	if (!link->impaired || !link_impair_done(link))
		ring_pop(&link->rx.ring, header);
}

/** link_note_taken() - (real clock) what was received no longer counts as in flight, except what
 *  came after a stop that has not been sent yet. Once a turn, before ring_release(). */
void link_note_taken(struct link *link);

/** link_release() - @units of @traffic_class have left the input buffer. */
static inline void link_release(struct link *link, uint32_t traffic_class, uint32_t units)
{
	if (link->rx.buffer_units) {
		ENSURE(link->rx.held_units[traffic_class], >=, units);
		link->rx.held_units[traffic_class] -= units;
	}
	if (link->credits)
		credit_look(&link->credit, traffic_class, link->rx.held_units[traffic_class]);
}

/** link_stop_set() - from now on the peer must stop @traffic_class (@stop), or may send again. The
 *  next words carry a change: link_words_due(). */
static inline void link_stop_set(struct link *link, uint32_t traffic_class, bool stop)
{
	uint8_t bit = (uint8_t)(1u << traffic_class);

	if (link->credits)
		credit_withhold(&link->credit, traffic_class, stop,
				link->rx.held_units[traffic_class]);
	else
		link->stop.wanted =
			stop ? link->stop.wanted | bit : link->stop.wanted & (uint8_t)~bit;
}

/** link_stops() - the set of lanes that link_stop_set() has stopped. */
static inline uint8_t link_stops(const struct link *link)
{
	return link->credits ? link->credit.withheld : link->stop.wanted;
}

/** link_held_units() - what all lanes have in the input buffer. O(lanes). */
static inline uint32_t link_held_units(const struct link *link)
{
	uint32_t units = 0;

	for (uint32_t lane = 0; lane < link->lane_count; lane++)
		units += link->rx.held_units[lane];
	return units;
}

/** link_reject() - a packet that was received cannot be used (malformed, no route ...): its buffer
 *  is released. The caller counts the reason. */
void link_reject(struct link *link, const struct record *header);

#endif
