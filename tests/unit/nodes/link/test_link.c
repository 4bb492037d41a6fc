/*  nodes/link/link: two ends of one link: times, stop and go, guard, losses, and a peer that breaks
 *  the rules (TB-2, TB-4, TB-23, FC-17, FC-22). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "tests/testing.h"

#define RING_BYTES (1u << 20)
#define LATENCY (350 * NODE_NS)
#define DELAY (15 * NODE_NS)
#define LEAD (LATENCY + DELAY)
#define GAP_BYTES 20u
#define BUFFER_UNITS 64u

/* what a listener was told */
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
	struct link link; /* last, for it ends in a record */
};

static struct port_config port;
static struct node_config config;
static struct ring_page *rings[2];
static struct end a, b; /* the tests send from a to b */

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, bytes);
}

/* ---- the listener ---- */

static void on_seen(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	(void)link, (void)entry, (void)now;
	((struct told *)owner)->seen++;
}

static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->lost++;
	told->tags |= 1ull << entry->tag % 64;
}

static void on_ack_lost(void *owner, struct link *link, const uint8_t *bytes, uint32_t length,
			node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->acks_lost++;
	told->ack_length = length;
	memcpy(told->ack_bytes, bytes, length);
}

static void on_stop(void *owner, struct link *link, uint32_t traffic_class, bool stopped,
		    node_time_t now)
{
	struct told *told = owner;

	(void)link, (void)now;
	told->stops += stopped;
	told->gos += !stopped;
	told->stopped_class = traffic_class;
}

/* ---- both ends ---- */

static void end_open(struct end *end, struct ring_page *tx, struct ring_page *rx)
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

static void ends_close(void)
{
	link_fini(&a.link);
	link_fini(&b.link);
	free(a.stats);
	free(b.stats);
	free(rings[0]);
	free(rings[1]);
}

/* opens both ends as `config` and `port` say now */
static void ends_open(void)
{
	for (int i = 0; i < 2; i++) {
		rings[i] = zeroed(ring_bytes(RING_BYTES));
		ring_init(rings[i], RING_BYTES);
	}
	end_open(&a, rings[0], rings[1]);
	end_open(&b, rings[1], rings[0]);
}

static void ends_reopen(void)
{
	ends_close();
	ends_open();
}

static void setup(void)
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

static void guard_both(void)
{
	port.guarded = true;
	ends_reopen();
}

/* everything that @from sends is lost, until set back */
static void lose_all(struct end *from, bool all)
{
	from->link.loss_ppb = all ? 1000000000 : 0;
}

/* a frame of @frame_bytes, whose captured bytes are four times its tag; false: lost on the way */
static bool send_frame(struct end *from, uint32_t frame_bytes, uint32_t traffic_class, uint32_t tag)
{
	struct link *link = &from->link;
	uint8_t *bytes = link_send_packet(link, link->busy_until_ps, frame_bytes + 4, 4,
					  frame_bytes, traffic_class, tag);

	if (bytes)
		memcpy(bytes, &tag, sizeof(tag));
	return bytes;
}

static void send_words(struct end *from, bool idle)
{
	link_send_words(&from->link, from->link.busy_until_ps, idle);
}

/* what a peer may write that does not keep the rules */
static void forge(struct end *from, const struct record *forged)
{
	struct record *record = ring_reserve(&from->link.tx, forged->captured_bytes);

	ck_assert_ptr_nonnull(record);
	memcpy(record, forged, sizeof(*record));
	memset(record_captured(record), 0, forged->captured_bytes);
	ring_commit(&from->link.tx, forged->captured_bytes);
	ring_publish(&from->link.tx);
}

static void forge_word(struct end *from, uint32_t kind, uint32_t traffic_class, uint32_t value)
{
	forge(from, &(struct record){ .kind = RECORD_WORD,
				      .wire_bytes = LINK_WORD_BYTES,
				      .traffic_class = (uint16_t)traffic_class,
				      .word = (uint64_t)kind << 32 | value });
}

/* takes one record: the frame's bytes, or NULL for a word or a bad record; @at when it was due */
static const uint8_t *receive(struct end *to, struct record *header, node_time_t *at)
{
	const uint8_t *bytes;

	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&to->link.rx);
	*at = link_next_at(&to->link);
	ck_assert_uint_ne(*at, NODE_TIME_NEVER);
	bytes = link_receive(&to->link, header, *at);
	link_done(&to->link, header);
	ring_release(&to->link.rx);
	return bytes;
}

/* takes all that is there; how many frames among it */
static uint32_t receive_all(struct end *to)
{
	uint32_t frames = 0;
	struct record header;
	node_time_t at;

	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&to->link.rx);
	while (link_next_at(&to->link) != NODE_TIME_NEVER)
		frames += receive(to, &header, &at) != NULL;
	return frames;
}

static uint64_t drops(const struct end *end, enum drop_reason reason)
{
	return end->stats->drops[reason];
}

TEST_GROUP(data, .setup = setup, .teardown = ends_close);

/* ---- set-up ---- */

TEST(link_init__no_ring)
{
	struct link other;

	rings[0]->magic++;
	ck_assert_int_eq(link_init(&other, &config, 0, rings[0], ring_bytes(RING_BYTES), rings[1],
				   ring_bytes(RING_BYTES), a.stats),
			 -EINVAL);
	link_fini(&other);
	ck_assert_int_eq(link_init(&other, &config, 0, rings[1], ring_bytes(RING_BYTES), rings[1],
				   ring_bytes(RING_BYTES) / 2, a.stats),
			 -EINVAL);
	link_fini(&other);
}

TEST(link_frame_bytes__what_is_around_the_frame)
{
	ck_assert_uint_eq(link_frame_bytes(&a.link, 64), 60);
	ck_assert_uint_eq(link_frame_bytes(&a.link, 5), 1);
	ck_assert_uint_eq(link_frame_bytes(&a.link, 4), 0);
	ck_assert_uint_eq(link_frame_bytes(&a.link, 0), 0);
	port.kind = PORT_FABRIC;
	ends_reopen();
	ck_assert_uint_eq(link_frame_bytes(&a.link, 76), 60);
	ck_assert_uint_eq(link_frame_bytes(&a.link, 16), 0);
}

/* FC-22: a byte takes 8 / rate, exactly where that divides, else rounded up */
TEST_RANGE(link_time_of__any_rate, 0, 7)
{
	static const struct {
		uint64_t rate_bps;
		node_time_t frame_64, frame_4096; /* without gap */
	} cases[] = {
		{ 1000000, 512 * NODE_US, 32768 * NODE_US },
		{ 10000000000, 51200, 3276800 },
		{ 25000000000, 20480, 1310720 },
		{ 200000000000, 2560, 163840 },
		{ 800000000000, 640, 40960 },
		{ 3000000000, 170667, 10922667 }, /* 170666.6 and 10922666.6 */
		{ 700000000000, 732, 46812 },     /* 731.4 and 46811.4 */
	};

	port.rate_bps = cases[_i].rate_bps;
	ends_reopen();
	ck_assert_uint_eq(link_frame_time_of(&a.link, 64), cases[_i].frame_64);
	ck_assert_uint_eq(link_frame_time_of(&a.link, 4096), cases[_i].frame_4096);
	ck_assert_uint_eq(link_frame_time_of(&a.link, 4096), cases[_i].frame_4096);
}

/* ---- sending ---- */

/* decided now, the first bit is there after latency and delay; the link is taken for frame and
 * gap */
TEST(link_send_packet__time_and_content)
{
	struct record header;
	node_time_t at;
	const uint8_t *bytes;
	uint32_t tag;

	a.link.busy_until_ps = 1000;
	memcpy(link_send_packet(&a.link, 5000, 1504, 4, 1500, 1, 77), &(uint32_t){ 77 }, 4);
	ck_assert_uint_eq(a.link.busy_until_ps, 5000 + (1504 + GAP_BYTES) * 40);
	bytes = receive(&b, &header, &at);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(header.at_ps, 5000 + LEAD);
	ck_assert_uint_eq(at, 5000 + LEAD + 1504 * 40);
	ck_assert_uint_eq(header.wire_bytes, 1504);
	ck_assert_uint_eq(header.captured_bytes, 4);
	ck_assert_uint_eq(header.traffic_class, 1);
	memcpy(&tag, bytes, sizeof(tag));
	ck_assert_uint_eq(tag, 77);
}

TEST(link_send_packet__counters)
{
	struct port_stats *sent = stats_port(a.stats, 0), *received = stats_port(b.stats, 0);

	send_frame(&a, 1500, 0, 0);
	send_frame(&a, 60, 0, 0);
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert_uint_eq(sent->tx_frames, 2);
	ck_assert_uint_eq(sent->tx_packets, 2);
	ck_assert_uint_eq(sent->tx_bytes, 1504 + 64);
	ck_assert_uint_eq(sent->tx_busy_ps, (1504 + 64 + 2 * GAP_BYTES) * 40);
	ck_assert_uint_eq(received->rx_frames, 2);
	ck_assert_uint_eq(received->rx_packets, 2);
	ck_assert_uint_eq(received->rx_bytes, 1504 + 64);
}

/* the measured interval gets the part of a frame that lies in it */
TEST(link_send_packet__measured_interval)
{
	a.link.measure_from_ps = 10000;
	a.link.measure_to_ps = 100000;
	send_frame(&a, 476, 0, 0); /* 500 bytes with FCS and gap: 0 .. 20000 */
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_measured_ps, 10000);
	link_send_packet(&a.link, 90000, 480, 4, 476, 0, 0); /* 90000 .. 110000 */
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_measured_ps, 20000);
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_ps, 40000);
}

/* a full ring loses the frame and says so */
TEST(link_send_packet__ring_full)
{
	uint32_t sent = 0;

	while (sent <= RING_BYTES / RING_LINE && send_frame(&a, 60, 0, 0))
		sent++;
	ck_assert_uint_eq(sent, RING_BYTES / RING_LINE);
	ck_assert_uint_eq(drops(&a, DROP_RING_FULL), 1);
	ck_assert_uint_eq(stats_port(a.stats, 0)->lost_packets, 1);
	ck_assert_uint_eq(stats_port(a.stats, 0)->lost_bytes, 60);
}

/* TB-4: rates of loss as configured, reproducible from the seed */
TEST_RANGE(link_send_packet__loss_rate, 0, 2)
{
	uint32_t lost = 0, lost_again = 0;

	port.loss_ppb = _i ? 0 : 100000000; /* 1 in 10 */
	/* 1 in 10 frames of 1000 bytes on the link */
	port.bit_error_e15 = _i ? 1000000000000 / 80 : 0;
	for (uint32_t round = 0; round < 2; round++) {
		ends_reopen();
		for (uint32_t i = 0; i < 10000; i++)
			*(round ? &lost_again : &lost) += !send_frame(&a, 996, 0, 0);
	}
	ck_assert_uint_ge(lost, 900);
	ck_assert_uint_le(lost, 1100);
	ck_assert_uint_eq(lost, lost_again);
	ck_assert_uint_eq(drops(&a, DROP_LINK_LOSS), lost);
	ck_assert_uint_eq(stats_port(a.stats, 0)->lost_bytes, 996 * lost);
}

TEST(link_send_acks__time_and_content)
{
	static const uint8_t frame[] = { 1, 2, 3, 4, 5 };
	struct record header;
	node_time_t at;
	const uint8_t *bytes;

	link_send_acks(&a.link, 700, frame, sizeof(frame), 13);
	bytes = receive(&b, &header, &at);
	ck_assert_uint_eq(header.kind, RECORD_ACKS);
	ck_assert_uint_eq(at, 700 + LEAD + 13 * 40);
	ck_assert_mem_eq(bytes, frame, sizeof(frame));
	ck_assert_uint_eq(a.link.busy_until_ps, 700 + (13 + GAP_BYTES) * 40);
	ck_assert_uint_eq(stats_port(a.stats, 0)->ack_frames, 1);
	ck_assert_uint_eq(stats_port(b.stats, 0)->rx_packets, 0);
	ck_assert_uint_eq(b.link.held_units[0], 0); /* ACK frames need no buffer */
}

TEST(link_flush__earliest_arrival_once)
{
	ck_assert_uint_eq(link_flush(&a.link, &(bool){ 0 }), NODE_TIME_NEVER);
	send_frame(&a, 1000, 0, 0);
	send_frame(&a, 1000, 0, 0);
	ck_assert_uint_eq(link_flush(&a.link, &(bool){ 0 }), LEAD);
	ck_assert_uint_eq(link_flush(&a.link, &(bool){ 0 }), NODE_TIME_NEVER);
}

/* ---- receiving ---- */

/* TB-2: a switch that cuts through acts on 64 bytes of a packet, on all of a shorter one and of
 * everything else */
TEST(link_next_at__cut_through)
{
	static const uint8_t frame[60] = { 0 };
	struct record header;
	node_time_t at, start;

	config.switch_.cut_through = true;
	ends_reopen();
	send_frame(&a, 1500, 0, 0);
	start = a.link.busy_until_ps;
	link_send_acks(&a.link, start, frame, sizeof(frame), 159);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, LEAD + 64 * 40);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, start + LEAD + 159 * 40);
	start = a.link.busy_until_ps;
	send_frame(&a, 40, 0, 0);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, start + LEAD + 44 * 40);
}

/* a record that is said to have arrived before the window began is due at its beginning (TB-23) */
TEST(link_refresh__not_before_the_window)
{
	send_frame(&a, 1500, 0, 0);
	link_flush(&a.link, &(bool){ 0 });
	link_refresh(&b.link, 5 * NODE_MS);
	ck_assert_uint_eq(link_next_at(&b.link), 5 * NODE_MS);
}

TEST(link_next_at__nothing_there)
{
	ring_refresh(&b.link.rx);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER);
	send_frame(&a, 60, 0, 0);
	ring_refresh(&b.link.rx);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER); /* not flushed */
}

/* TB-23: a peer that lies about lengths or times cannot turn time back, nor over */
TEST(link_next_at__time_never_goes_back)
{
	struct record header;
	node_time_t first, second;

	forge(&a, &(struct record){ .kind = RECORD_ACKS, .wire_bytes = 9000, .at_ps = 100 });
	forge(&a, &(struct record){ .kind = RECORD_WORD, .wire_bytes = 8, .at_ps = 100 });
	forge(&a, &(struct record){
			  .kind = RECORD_WORD, .wire_bytes = 8, .at_ps = NODE_TIME_NEVER - 5 });
	receive(&b, &header, &first);
	ck_assert_uint_eq(first, 100 + 9000 * 40);
	receive(&b, &header, &second);
	ck_assert_uint_eq(second, first);
	ring_refresh(&b.link.rx);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER);
}

/* TB-23: a packet without a class, without a frame, or with more bytes than it has length */
TEST_RANGE(link_receive__bad_records, 0, 7)
{
	static const struct record bad[] = {
		{ .kind = RECORD_PACKET, .wire_bytes = 100, .traffic_class = 2 },
		{ .kind = RECORD_PACKET, .wire_bytes = 100, .traffic_class = 65535 },
		{ .kind = RECORD_PACKET, .wire_bytes = 4 },
		{ .kind = RECORD_PACKET, .wire_bytes = 0 },
		{ .kind = RECORD_PACKET, .wire_bytes = 100, .captured_bytes = 200 },
		{ .kind = RECORD_WORD, .word = (uint64_t)LINK_WORDS << 32 },
		{ .kind = RECORD_WORD, .word = UINT64_MAX },
	};
	struct record header;
	node_time_t at;

	forge(&a, &bad[_i]);
	ck_assert_ptr_null(receive(&b, &header, &at));
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 1);
	ck_assert_uint_eq(b.link.held_units[0], 0);
}

/* a sender that does not stop: what does not fit is dropped and counted, class by class */
TEST(link_receive__buffer_overflow)
{
	for (uint32_t i = 0; i < BUFFER_UNITS + 3; i++)
		forge(&a,
		      &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = i });
	ck_assert_uint_eq(receive_all(&b), BUFFER_UNITS);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 3);
	ck_assert_uint_eq(b.link.held_units[0], BUFFER_UNITS);
	forge(&a, &(struct record){ .kind = RECORD_PACKET,
				    .wire_bytes = 64,
				    .traffic_class = 1,
				    .sequence = BUFFER_UNITS + 3 });
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* a sequence that jumps on a link that cannot lose anything is a peer that cannot count: told once,
 * then followed */
TEST(link_receive__sequence_jumps_unguarded)
{
	forge(&a, &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = 5 });
	forge(&a, &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = 6 });
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 1);
}

/* ---- stop and go ---- */

TEST_GROUP(stop_and_go, .setup = setup, .teardown = ends_close);

/* what is held is what came and did not leave, class by class */
TEST(link_release__room_is_given_back)
{
	send_frame(&a, 4096, 1, 0);
	send_frame(&a, 4096, 1, 0);
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert_uint_eq(b.link.held_units[1], 32);
	link_release(&b.link, 1, 16);
	ck_assert_uint_eq(b.link.held_units[1], 16);
	ck_assert_uint_eq(b.link.held_units[0], 0);
	ck_assert(!link_words_due(&b.link)); /* that is the owner's to say */
}

/* buffers of 0 units take everything */
TEST(link_release__no_limit)
{
	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	for (uint32_t i = 0; i < 1000; i++)
		send_frame(&a, 9216, 0, 0);
	ck_assert_uint_eq(receive_all(&b), 1000);
	link_release(&b.link, 0, 36);
	ck_assert_uint_eq(b.link.held_units[0], 0);
}

/* told once, by class, to the sender's owner; words take 8 bytes of the link, without a gap */
TEST(link_hold__told_and_heard)
{
	struct record header;
	node_time_t at;

	link_hold(&b.link, 1, true);
	ck_assert(link_words_due(&b.link));
	send_words(&b, false);
	ck_assert(!link_words_due(&b.link));
	ck_assert_uint_eq(b.link.busy_until_ps, LINK_WORD_BYTES * 40);
	receive(&a, &header, &at);
	ck_assert_uint_eq(header.word, (uint64_t)LINK_WORD_STOP << 32 | 1 << 1);
	ck_assert(link_stopped(&a.link, 1) && !link_stopped(&a.link, 0));
	ck_assert(a.told.stops == 1 && a.told.gos == 0 && a.told.stopped_class == 1);
	ck_assert(link_may_send(&a.link)); /* whom it holds is the owner's to say */
	link_hold(&b.link, 1, false);
	send_words(&b, false);
	receive_all(&a);
	ck_assert(!link_stopped(&a.link, 1));
	ck_assert(a.told.stops == 1 && a.told.gos == 1);
	ck_assert(!link_words_due(&a.link));
}

/* what was said already is no news, and what was taken back in time was never said */
TEST(link_hold__no_news)
{
	link_hold(&b.link, 0, false);
	ck_assert(!link_words_due(&b.link));
	link_hold(&b.link, 0, true);
	link_hold(&b.link, 0, false);
	ck_assert(!link_words_due(&b.link));
	link_hold(&b.link, 0, true);
	send_words(&b, false);
	link_hold(&b.link, 0, true);
	ck_assert(!link_words_due(&b.link));
	receive_all(&a);
	forge_word(&b, LINK_WORD_STOP, 0, 1); /* told again */
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_eq(a.told.stops, 1);
}

/* a link that is gone holds nobody, and says nothing of it */
TEST(link_hold__ends_with_the_link)
{
	link_hold(&b.link, 0, true);
	send_words(&b, false);
	receive_all(&a);
	link_down(&a.link, 0);
	link_hold(&b.link, 1, true);
	link_down(&b.link, 0);
	ck_assert(!link_stopped(&a.link, 0));
	ck_assert(!link_words_due(&b.link));
}

/* TB-23: classes that there are not */
TEST(link_hold__classes_unknown)
{
	forge_word(&b, LINK_WORD_STOP, 0, 4);
	forge_word(&b, LINK_WORD_STOP, 0, UINT32_MAX);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 2);
	ck_assert_uint_eq(a.told.stops, 0);
}

/* on a guarded link a word that is lost is said again: with the next SEEN, or when the link falls
 * idle */
TEST_RANGE(link_hold__lost_word, 0, 2)
{
	port.guarded = true;
	ends_reopen();
	link_hold(&b.link, 0, true);
	b.link.stop_told = 1; /* as if it had been sent */
	if (_i) {
		for (uint32_t i = 0; i < LINK_SEEN_FRAMES; i++)
			send_frame(&a, 60, 0, 0);
		receive_all(&b);
		send_words(&b, false);
	} else {
		send_frame(&b, 60, 0, 0);
		send_words(&b, true);
	}
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
}

/* ... and one that somebody else has put there is taken back; then all is quiet (TB-23) */
TEST(link_hold__false_word)
{
	uint64_t words;

	port.guarded = true;
	ends_reopen();
	forge_word(&b, LINK_WORD_STOP, 0, 3);
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
	for (uint32_t round = 0; round < 4; round++) {
		words = stats_port(a.stats, 0)->words + stats_port(b.stats, 0)->words;
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
	}
	ck_assert(!link_stopped(&a.link, 0) && !link_stopped(&a.link, 1));
	ck_assert_uint_eq(stats_port(a.stats, 0)->words + stats_port(b.stats, 0)->words, words);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD), 0);
}

TEST(link_reject__gives_the_room_back)
{
	struct record header;
	node_time_t at;

	send_frame(&a, 4096, 1, 0);
	receive(&b, &header, &at);
	link_reject(&b.link, &header);
	ck_assert_uint_eq(b.link.held_units[1], 0);
}

/* ---- guard (FC-17) ---- */

TEST_GROUP(guard, .setup = setup, .teardown = ends_close);

/* a lost frame is found by the next one, told to its sender exactly */
TEST(link_guard__lost_frame_is_told)
{
	guard_both();
	send_frame(&a, 4096, 0, 1);
	lose_all(&a, true);
	ck_assert(!send_frame(&a, 4096, 0, 2));
	lose_all(&a, false);
	send_frame(&a, 4096, 0, 3);
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert(link_words_due(&b.link));
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.lost, 1);
	ck_assert_uint_eq(a.told.tags, 1 << 2);
	ck_assert_uint_eq(a.told.seen, 2);
	ck_assert_uint_eq(a.link.log_first, a.link.sequence);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* the last frame's loss is found by the SYNC of an idle link */
TEST(link_guard__tail_loss_found_by_sync)
{
	guard_both();
	lose_all(&a, true);
	send_frame(&a, 60, 0, 9);
	ck_assert(a.link.sync_due);
	send_words(&a, false); /* not idle: no SYNC */
	ck_assert(a.link.sync_due);
	send_words(&a, true);
	ck_assert(!a.link.sync_due);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.lost, 1);
	ck_assert_uint_eq(a.told.tags, 1 << 9);
	ck_assert_uint_eq(a.told.seen, 0);
}

/* SYNC on a link that lost nothing confirms what arrived */
TEST(link_guard__sync_confirms)
{
	guard_both();
	send_frame(&a, 60, 0, 0);
	send_frame(&a, 60, 0, 0);
	receive_all(&b);
	ck_assert(!link_words_due(&b.link)); /* not every frame is confirmed by itself */
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, 2);
	ck_assert_uint_eq(a.told.lost, 0);
}

/* confirmed every so many frames, so that the sender's memory does not fill */
TEST(link_guard__confirms_regularly)
{
	guard_both();
	for (uint32_t i = 0; i < LINK_SEEN_FRAMES; i++) {
		ck_assert(!link_words_due(&b.link));
		send_frame(&a, 60, 0, 0);
		receive_all(&b);
	}
	ck_assert(link_words_due(&b.link));
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, LINK_SEEN_FRAMES);
}

/* a lost ACK frame comes back to its sender byte for byte */
TEST(link_guard__lost_ack_frame)
{
	static const uint8_t frame[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };

	guard_both();
	lose_all(&a, true);
	link_send_acks(&a.link, 0, frame, sizeof(frame), 20);
	lose_all(&a, false);
	link_send_acks(&a.link, a.link.busy_until_ps, frame, 3, 20);
	ck_assert_uint_eq(receive_all(&b), 1);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.acks_lost, 1);
	ck_assert_uint_eq(a.told.lost + a.told.seen, 0);
	ck_assert_uint_eq(a.told.ack_length, sizeof(frame));
	ck_assert_mem_eq(a.told.ack_bytes, frame, sizeof(frame));
}

/* a sender that hears nothing stops when its memory is full, and goes on when it is told */
TEST(link_guard__memory_full)
{
	port.buffer_units = port.stop_units = 0;
	guard_both();
	for (uint32_t i = 0; i < LINK_LOG_MAX; i++) {
		ck_assert(link_may_send(&a.link));
		send_frame(&a, 60, 0, 0);
	}
	ck_assert(!link_may_send(&a.link));
	ck_assert_uint_eq(receive_all(&b), LINK_LOG_MAX);
	send_words(&b, false);
	receive_all(&a);
	ck_assert(link_may_send(&a.link));
	ck_assert_uint_eq(a.told.seen, LINK_LOG_MAX);
}

/* TB-25: whatever is lost, every frame is told seen or lost once */
TEST(link_guard__every_frame_is_accounted_for)
{
	uint32_t sent = 0;

	port.loss_ppb = 300000000;
	guard_both();
	a.link.sequence = b.link.sequence_expected = b.link.seen_told = a.link.log_first =
		UINT32_MAX - 500;
	for (uint32_t i = 0; i < 2000; i++) {
		if (link_may_send(&a.link)) {
			send_frame(&a, 200, 0, i);
			sent++;
		}
		if (i % 7 == 0)
			send_words(&a, true);
		receive_all(&b);
		link_release(&b.link, 0, b.link.held_units[0]);
		send_words(&b, true);
		receive_all(&a);
	}
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, true);
	receive_all(&a);
	ck_assert_uint_ge(sent, 1500);
	ck_assert_uint_eq(a.told.seen + a.told.lost, sent);
	ck_assert_uint_eq(a.told.lost, stats_port(a.stats, 0)->lost_packets);
	ck_assert_uint_eq(a.told.seen, stats_port(b.stats, 0)->rx_packets);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD), 0);
}

/* TB-23: what a peer says about frames that are not under way */
TEST(link_guard__words_about_other_frames)
{
	guard_both();
	for (uint32_t i = 0; i < 3; i++)
		send_frame(&a, 60, 0, i);
	forge_word(&b, LINK_WORD_SEEN, 0, 4);
	forge_word(&b, LINK_WORD_SEEN, 0, UINT32_MAX);
	forge_word(&b, LINK_WORD_MISSING, 0, 3);
	forge_word(&b, LINK_WORD_MISSING, 0, UINT32_MAX);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 4);
	ck_assert_uint_eq(a.told.seen + a.told.lost, 0);
	forge_word(&b, LINK_WORD_MISSING, 0, 1);
	forge_word(&b, LINK_WORD_MISSING, 0, 1); /* twice: once is enough */
	forge_word(&b, LINK_WORD_SEEN, 0, 3);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, 2);
	ck_assert_uint_eq(a.told.lost, 1);
}

/* TB-23: a guard's words mean nothing on a link without one */
TEST(link_guard__words_on_unguarded_link)
{
	send_frame(&a, 60, 0, 0);
	forge_word(&b, LINK_WORD_SEEN, 0, 1);
	forge_word(&b, LINK_WORD_MISSING, 0, 0);
	forge_word(&b, LINK_WORD_SYNC, 0, 0);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 3);
	ck_assert(!link_words_due(&a.link));
}

/* TB-23: a sequence further on than any memory reaches */
TEST(link_guard__sequence_out_of_reach)
{
	guard_both();
	forge(&a, &(struct record){
			  .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = LINK_LOG_MAX + 1 });
	forge_word(&a, LINK_WORD_SYNC, 0, 1u << 31);
	ck_assert_uint_eq(receive_all(&b), 0);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 2);
	send_words(&b, false);
	ck_assert_uint_le(stats_port(b.stats, 0)->words, 2);
}

/* TB-23: on a veth link anybody may put frames, and old ones again: the link goes on, all frames
 * are settled */
TEST(link_guard__frames_of_others)
{
	uint32_t sent = 0;

	guard_both();
	for (uint32_t round = 0; round < 400; round++) {
		send_frame(&a, 1000, 0, sent++);
		if (round % 3 == 0) /* as if it were the next one */
			forge(&a, &(struct record){ .kind = RECORD_PACKET,
						    .at_ps = a.link.last_at_ps,
						    .wire_bytes = 600,
						    .captured_bytes = 4,
						    .sequence = a.link.sequence + round % 7 });
		if (round % 5 == 0) /* an old one */
			forge(&a, &(struct record){ .kind = RECORD_PACKET,
						    .at_ps = a.link.last_at_ps,
						    .wire_bytes = 600,
						    .captured_bytes = 4,
						    .sequence = a.link.sequence - 1 - round % 11 });
		if (round % 50 == 49)
			forge(&b, &(struct record){ .kind = RECORD_WORD,
						    .at_ps = b.link.last_at_ps,
						    .wire_bytes = LINK_WORD_BYTES,
						    .word = (uint64_t)LINK_WORD_STOP << 32 |
							    round % 4 });
		receive_all(&b);
		link_release(&b.link, 0, b.link.held_units[0]);
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
		ck_assert(link_may_send(&a.link));
	}
	ck_assert_uint_gt(drops(&b, DROP_BAD_RECORD), 0);
	/* left alone it is as good as new */
	for (uint32_t round = 0; round < 100; round++) {
		send_frame(&a, 1000, 0, sent++);
		ck_assert_uint_le(receive_all(&b), 1);
		link_release(&b.link, 0, b.link.held_units[0]);
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
	}
	ck_assert_uint_eq(a.told.seen + a.told.lost, sent);
	ck_assert_uint_eq(a.link.log_first, a.link.sequence);
	ck_assert(!link_stopped(&a.link, 0) && !link_stopped(&a.link, 1));
	send_frame(&a, 1000, 0, sent);
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* ---- flight, and what is asked again: the real clock ---- */

#define FLIGHT_UNITS 256u

static void setup_real(void)
{
	setup();
	config.clock = CLOCK_REAL;
	port.buffer_units = port.stop_units = 0;
	port.flight_units = FLIGHT_UNITS;
	ends_reopen();
}

/* packets of 16 units until no more may go; how many */
static uint32_t send_all(struct end *from)
{
	uint32_t packets = 0;

	for (; link_may_send_packet(&from->link); packets++)
		send_frame(from, 4096, 0, packets);
	return packets;
}

/* a turn of the receiver: takes all that is there, and says so */
static void take_all(struct end *to)
{
	receive_all(to);
	link_note_taken(&to->link);
}

TEST_GROUP(flight, .setup = setup_real, .teardown = ends_close);

TEST(link_flight__taken_is_no_longer_under_way)
{
	uint32_t packets = send_all(&a);

	ck_assert_uint_gt(packets * 16, FLIGHT_UNITS / 2);
	ck_assert_uint_le(packets * 16, FLIGHT_UNITS);
	ck_assert(link_may_send(&a.link)); /* ACKs are not held up */
	receive_all(&b);
	ck_assert_uint_eq(send_all(&a), 0);
	link_note_taken(&b.link);
	ck_assert_uint_eq(send_all(&a), packets);
}

/* However often the receiver takes what is there, after its stop comes at most one flight before
 * the word is heard. */
TEST(link_flight__one_after_a_stop)
{
	uint32_t packets = send_all(&a), after = 0;

	take_all(&b);
	link_hold(&b.link, 0, true);
	for (uint32_t turn = 0; turn < 10; turn++) {
		after += send_all(&a);
		take_all(&b);
		if (turn == 5)
			send_words(&b, false);
	}
	ck_assert_uint_eq(after, packets);
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_eq(send_all(&a), packets); /* of other classes, or what has credit */
}

/* a stop that ends before it could be said holds nothing up */
TEST(link_flight__stop_never_said)
{
	uint32_t packets = send_all(&a);

	link_hold(&b.link, 0, true);
	take_all(&b);
	ck_assert_uint_eq(send_all(&a), 0);
	link_hold(&b.link, 0, false);
	link_note_taken(&b.link);
	ck_assert_uint_eq(send_all(&a), packets);
}

/* counters wrap; one packet may always go, however small the flight is */
TEST(link_flight__limits)
{
	a.link.sent_units = a.link.arrived_units = b.link.taken_units = b.link.taken_noted =
		UINT32_MAX - 100;
	for (uint32_t round = 0; round < 3; round++) {
		ck_assert_uint_gt(send_all(&a), 0);
		take_all(&b);
	}
	a.link.flight_units = 1;
	ck_assert_uint_eq(send_all(&a), 1);
}

static void exchange(void)
{
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, true);
	receive_all(&a);
}

/* a guarded link counts what SEEN and MISSING tell */
TEST(link_flight__guarded)
{
	uint32_t packets;

	guard_both();
	lose_all(&a, true);
	packets = send_all(&a);
	ck_assert_uint_le(packets * 16, FLIGHT_UNITS);
	lose_all(&a, false);
	exchange();
	ck_assert_uint_eq(a.told.lost, packets);
	ck_assert_uint_eq(send_all(&a), packets);
	ck_assert_uint_eq(receive_all(&b), packets);
	ck_assert_uint_eq(send_all(&a), 0);
	exchange();
	ck_assert_uint_eq(send_all(&a), packets);
}

/* what has been said to @to is lost */
static void lose_words(struct end *from, struct end *to)
{
	link_flush(&from->link, &(bool){ 0 });
	ring_refresh(&to->link.rx);
	while (link_next_at(&to->link) != NODE_TIME_NEVER)
		link_done(&to->link, &to->link.head);
}

/* FC-17: the word of go is lost, and nobody says anything any more */
TEST(link_ask__lost_go)
{
	uint64_t words;

	guard_both();
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
	link_hold(&b.link, 0, true);
	for (uint32_t i = 0; i < 3; i++)
		exchange();
	ck_assert(link_stopped(&a.link, 0));
	link_hold(&b.link, 0, false);
	send_words(&b, false);
	lose_words(&b, &a);
	b.link.sync_due = false; /* it may have been asked, in vain too */
	words = stats_port(a.stats, 0)->words;
	exchange();
	ck_assert_uint_eq(stats_port(a.stats, 0)->words, words);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_lt(link_ask_at(&a.link), NODE_TIME_NEVER);
	a.link.busy_until_ps = link_ask_at(&a.link);
	exchange();
	ck_assert(!link_stopped(&a.link, 0));
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
}

/* FC-17: the word that says what has arrived is lost, and there is no room for more until it is
 * said again */
TEST(link_ask__lost_seen)
{
	uint32_t packets;

	guard_both();
	packets = send_all(&a);
	ck_assert_uint_eq(receive_all(&b), packets);
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, false);
	lose_words(&b, &a);
	exchange();
	ck_assert_uint_eq(send_all(&a), 0);
	ck_assert_uint_lt(link_ask_at(&a.link), NODE_TIME_NEVER);
	a.link.busy_until_ps = link_ask_at(&a.link);
	exchange();
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
	ck_assert_uint_eq(send_all(&a), packets);
}
