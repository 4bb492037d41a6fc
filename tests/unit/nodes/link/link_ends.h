/*  link_ends - two ends of one link, `a` and `b`, each with a listener that records its
 *  callbacks. */
#ifndef TESTS_UNIT_NODES_LINK_LINK_ENDS_H
#define TESTS_UNIT_NODES_LINK_LINK_ENDS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "nodes/link/link_send.h"
#include "tests/testing.h"

#define RING_BYTES (1u << 20)
#define LATENCY (350 * NODE_NS)
#define DELAY (15 * NODE_NS)
#define LEAD (LATENCY + DELAY)
#define GAP_BYTES 20u
#define BUFFER_UNITS 64u

/* what a listener was called with */
struct told {
	uint32_t seen, lost, acks_lost;
	uint64_t tags; /* bit per tag of a lost frame */
	uint32_t stops, gos, stopped_class;
	uint8_t ack_bytes[LINK_ACK_BYTES_MAX];
	uint32_t ack_length;
};

struct end {
	struct stats_page *stats;
	struct told told;
	struct link link; /* last, because it ends in a flexible array */
};

static struct port_config port;
static struct node_config config;
static struct ring_page *rings[2];
static struct end a, b; /* the tests send from a to b */

static inline void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, bytes);
}

/* ---- the listener ---- */

static inline void on_seen(void *owner, struct link *link, const struct link_log_entry *entry,
			   node_time_t now)
{
	(void)link, (void)entry, (void)now;
	((struct told *)owner)->seen++;
}

static inline void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
			   node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->lost++;
	told->tags |= 1ull << entry->tag % 64;
}

static inline void on_ack_lost(void *owner, struct link *link, const uint8_t *bytes,
			       uint32_t length, node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->acks_lost++;
	told->ack_length = length;
	memcpy(told->ack_bytes, bytes, length);
}

static inline void on_stop(void *owner, struct link *link, uint32_t traffic_class, bool stopped,
			   node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->stops += stopped;
	told->gos += !stopped;
	told->stopped_class = traffic_class;
}

/* ---- both ends ---- */

static inline void end_open(struct end *end, struct ring_page *tx, struct ring_page *rx)
{
	struct link_listener listener = {
		.owner = &end->told,
		.on_seen = on_seen,
		.on_lost = on_lost,
		.on_ack_lost = on_ack_lost,
		.on_stop = on_stop,
	};

	*end = (struct end){ .stats = zeroed(stats_bytes(&config)) };
	stats_init(end->stats, &config);
	ck_assert_int_eq(link_init(&end->link, &config, 0, tx, ring_bytes(RING_BYTES), rx,
				   ring_bytes(RING_BYTES), end->stats),
			 0);
	link_listen(&end->link, &listener);
}

static inline void ends_close(void)
{
	link_fini(&a.link);
	link_fini(&b.link);
	free(a.stats);
	free(b.stats);
	free(rings[0]);
	free(rings[1]);
}

/* opens both ends with the present `config` and `port` */
static inline void ends_open(void)
{
	for (int i = 0; i < 2; i++) {
		rings[i] = zeroed(ring_bytes(RING_BYTES));
		ring_init(rings[i], RING_BYTES, RING_CAPTURED_MAX);
	}
	end_open(&a, rings[0], rings[1]);
	end_open(&b, rings[1], rings[0]);
}

static inline void ends_reopen(void)
{
	ends_close();
	ends_open();
}

static inline void setup(void)
{
	port = (struct port_config){ .kind = PORT_EDGE,
				     .rate_bps = 200000000000,
				     .delay_ps = DELAY,
				     .mtu_bytes = 9216,
				     .gap_bytes = GAP_BYTES,
				     .channels = 16,
				     .buffer_units = BUFFER_UNITS,
				     .stop_units = BUFFER_UNITS / 2,
				     .ring_bytes = RING_BYTES };
	config = (struct node_config){ .kind = NODE_SWITCH,
				       .class_count = 2,
				       .port_count = 1,
				       .ports = &port,
				       .measure_to_ps = NODE_TIME_NEVER,
				       .switch_.latency_ps = LATENCY };
	ends_open();
}

static inline void guard_both(void)
{
	port.guarded = true;
	ends_reopen();
}

/* everything that @from sends is lost, until this is reset */
static inline void lose_all(struct end *from, bool all)
{
	from->link.loss.ppb = all ? 1000000000 : 0;
	from->link.loss.any = all;
}

/* Sends a frame of @frame_bytes, whose captured bytes are four times its tag.  Return: false if it
 * was lost. */
static inline bool send_frame(struct end *from, uint32_t frame_bytes, uint32_t traffic_class,
			      uint32_t tag)
{
	struct link *link = &from->link;
	uint8_t *bytes = link_send_packet(link, link->tx.busy_until_ps, frame_bytes + 4, 4,
					  frame_bytes, traffic_class, tag);

	if (bytes)
		memcpy(bytes, &tag, sizeof(tag));
	return bytes;
}

static inline void send_words(struct end *from, bool idle)
{
	link_send_words(&from->link, from->link.tx.busy_until_ps, idle);
}

/* writes a record as a peer might that breaks the rules */
static inline void forge(struct end *from, const struct record *forged)
{
	struct record *record = ring_reserve(&from->link.tx.ring, forged->captured_bytes);

	ck_assert_ptr_nonnull(record);
	memcpy(record, forged, sizeof(*record));
	memset(record_captured(record), 0, forged->captured_bytes);
	ring_commit(&from->link.tx.ring, forged->captured_bytes);
	ring_publish(&from->link.tx.ring);
}

static inline void forge_word(struct end *from, uint32_t kind, uint32_t traffic_class,
			      uint32_t value)
{
	forge(from, &(struct record){ .kind = RECORD_WORD,
				      .wire_bytes = LINK_WORD_BYTES,
				      .traffic_class = (uint16_t)traffic_class,
				      .word = (uint64_t)kind << 32 | value });
}

/* Receives one record; @at is its due time.  Return: the frame's bytes, or NULL for a control word
 * or a bad record. */
static inline const uint8_t *receive(struct end *to, struct record *header, node_time_t *at)
{
	const uint8_t *bytes;

	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&to->link.rx.ring);
	*at = link_next_at(&to->link);
	ck_assert_uint_ne(*at, NODE_TIME_NEVER);
	bytes = link_receive(&to->link, header, *at);
	link_done(&to->link, header);
	ring_release(&to->link.rx.ring);
	return bytes;
}

/* Receives all records.  Return: the number of frames among them. */
static inline uint32_t receive_all(struct end *to)
{
	uint32_t frames = 0;
	struct record header;
	node_time_t at;

	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&to->link.rx.ring);
	while (link_next_at(&to->link) != NODE_TIME_NEVER)
		frames += receive(to, &header, &at) != NULL;
	return frames;
}

static inline uint64_t drops(const struct end *end, enum drop_reason reason)
{
	return end->stats->drops[reason];
}

#endif
