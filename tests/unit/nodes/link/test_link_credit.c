/*  nodes/link/link with credit instead of XOFF: two ends of a link of kind port-group (PG-9,
 *  TB-23). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "nodes/link/link_send.h"
#include "tests/testing.h"

#define RING_BYTES (1u << 20)
#define BUFFER_UNITS 96u
#define LANES 4u /* two classes of two */
#define ROUNDS 4000u

struct end {
	struct stats_page *stats;
	uint32_t told; /* how often a lane that lacked credit received more ... */
	uint32_t told_lane;
	uint32_t lost; /* packets */
	struct link link;
};

static struct port_config port;
static struct node_config config;
static struct ring_page *rings[2];
static struct end a, b; /* packets are sent from a to b */
static struct random draws;

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, bytes);
}

static void on_stop(void *owner, struct link *link, uint32_t lane, bool stopped, node_time_t now)
{
	struct end *end = owner;

	(void)link, (void)now;
	ck_assert(!stopped);
	end->told++;
	end->told_lane = lane;
}

static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry,
		    node_time_t now)
{
	(void)link, (void)entry, (void)now;
	((struct end *)owner)->lost++;
}

static void end_open(struct end *end, struct ring_page *tx, struct ring_page *rx)
{
	struct link_listener listener = { .owner = end, .on_lost = on_lost, .on_stop = on_stop };

	*end = (struct end){ .stats = zeroed(stats_bytes(&config)) };
	stats_init(end->stats, &config);
	ck_assert(!link_init(&end->link, &config, 0, tx, ring_bytes(RING_BYTES), rx,
			     ring_bytes(RING_BYTES), end->stats));
	link_listen(&end->link, &listener);
}

static void ends_open(void)
{
	for (int i = 0; i < 2; i++) {
		rings[i] = zeroed(ring_bytes(RING_BYTES));
		ring_init(rings[i], RING_BYTES, RING_CAPTURED_MAX);
	}
	end_open(&a, rings[0], rings[1]);
	end_open(&b, rings[1], rings[0]);
	random_init(&draws, 1, 2);
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

static void setup(void)
{
	port = (struct port_config){ .kind = PORT_FABRIC,
				     .rate_bps = 200000000000,
				     .mtu_bytes = 4096,
				     .buffer_units = BUFFER_UNITS,
				     .ring_bytes = RING_BYTES };
	config = (struct node_config){ .kind = NODE_SWITCH,
				       .fabric = FABRIC_PORT_GROUP,
				       .class_count = 2,
				       .lanes = 2,
				       .port_count = 1,
				       .ports = &port,
				       .measure_to_ps = NODE_TIME_NEVER };
	ends_open();
}

static void guard_both(void)
{
	ends_close();
	port.guarded = true;
	ends_open();
}

/* receives all records; the packets stay in the buffer */
static void receive_all(struct end *to)
{
	struct record header;
	node_time_t at;

	link_flush(&a.link, &(bool){ 0 });
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&to->link.rx.ring);
	while ((at = link_next_at(&to->link)) != NODE_TIME_NEVER) {
		link_receive(&to->link, &header, at);
		link_done(&to->link, &header);
	}
	ring_release(&to->link.rx.ring);
}

static void send_words(struct end *from, bool idle)
{
	link_send_words(&from->link, from->link.tx.busy_until_ps, idle);
}

/* exchanges control words until none is due */
static void settle(void)
{
	for (int i = 0; i < 4; i++) {
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
	}
}

/* false: no credit */
static bool send_frame(uint32_t frame_bytes, uint32_t lane)
{
	struct link *link = &a.link;

	if (!link_has_credit(link, lane, units_of_bytes(frame_bytes), link->tx.busy_until_ps))
		return false;
	link_send_packet(link, link->tx.busy_until_ps, frame_bytes + 16, 0, frame_bytes, lane, 0);
	return true;
}

static void forge_word(struct end *from, uint32_t kind, uint32_t lane, uint32_t value)
{
	struct record *record = ring_reserve(&from->link.tx.ring, 0);

	ck_assert_ptr_nonnull(record);
	*record = (struct record){ .at_ps = from->link.tx.last_at_ps,
				   .kind = RECORD_WORD,
				   .wire_bytes = LINK_WORD_BYTES,
				   .traffic_class = (uint16_t)lane,
				   .word = (uint64_t)kind << 32 | value };
	ring_commit(&from->link.tx.ring, 0);
	ring_publish(&from->link.tx.ring);
}

static int32_t available(const struct end *end, uint32_t lane)
{
	return credit_available(&end->link.credit, lane);
}

static uint64_t drops(const struct end *end, enum drop_reason reason)
{
	return end->stats->drops[reason];
}

TEST_GROUP(link_credit, .setup = setup, .teardown = ends_close);

/* PG-9: nothing is sent before the receiver has granted credit */
TEST(link_credit__granted_first)
{
	ck_assert(!send_frame(256, 3));
	ck_assert(!send_frame(256, 3));
	ck_assert_uint_eq(stats_port(a.stats, 0)->credit_waits, 1);
	ck_assert_uint_gt(stats_port(a.stats, 0)->credit_since_ps, 0); /* and continues */
	ck_assert(link_words_due(&b.link));
	send_words(&b, false);
	ck_assert(!link_words_due(&b.link));
	receive_all(&a);
	ck_assert_uint_eq(a.told, 1);
	ck_assert_uint_eq(a.told_lane, 3);
	for (uint32_t lane = 0; lane < LANES; lane++)
		ck_assert_int_eq(available(&a, lane), BUFFER_UNITS);
	ck_assert(send_frame(4096, 3));
	ck_assert_int_eq(available(&a, 3), BUFFER_UNITS - 16);
	ck_assert_int_eq(available(&a, 2), BUFFER_UNITS);
}

/* PG-9: a lane without credit does not delay the others */
TEST(link_credit__lanes_do_not_block_each_other)
{
	settle();
	for (uint32_t i = 0; i < BUFFER_UNITS / 16; i++)
		ck_assert(send_frame(4096, 1));
	ck_assert(!send_frame(1, 1));
	ck_assert(send_frame(4096, 0));
	settle();
	ck_assert(!send_frame(1, 1)); /* all of it is still there */
	ck_assert_uint_eq(a.told, 0);
	link_release(&b.link, 1, 16);
	settle();
	ck_assert_uint_eq(a.told, 1);
	ck_assert(send_frame(4096, 1));
	ck_assert(!send_frame(1, 1));
}

/* PG-9: lossless without pause frames, in whatever order packets leave */
TEST(link_credit__never_overflows)
{
	uint64_t sent = 0;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t lane = (uint32_t)random_below(&draws, LANES);
		uint32_t *held = &b.link.rx.held_units[lane];

		sent += send_frame(1 + (uint32_t)random_below(&draws, 4096), lane);
		if (random_below(&draws, 4))
			receive_all(&b);
		if (*held)
			link_release(&b.link, lane, (uint32_t)random_below(&draws, *held) + 1);
		if (link_words_due(&b.link))
			send_words(&b, false);
		if (random_below(&draws, 4))
			receive_all(&a);
	}
	ck_assert_uint_gt(sent, ROUNDS / 4);
	ck_assert_uint_gt(stats_port(a.stats, 0)->credit_waits, 0);
	receive_all(&b);
	ck_assert_uint_eq(stats_port(b.stats, 0)->rx_packets, sent);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 0);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* PG-9, FC-17: half of all frames are lost, but no credit */
TEST(link_credit__losses_do_not_leak)
{
	guard_both();
	settle();
	a.link.loss.any = true;
	a.link.loss.ppb = 500000000;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t lane = (uint32_t)random_below(&draws, LANES);

		while (send_frame(1 + (uint32_t)random_below(&draws, 4096), lane))
			;
		receive_all(&b);
		if (b.link.rx.held_units[lane])
			link_release(&b.link, lane, b.link.rx.held_units[lane]);
		settle();
	}
	ck_assert_uint_gt(a.lost, ROUNDS);
	ck_assert_uint_eq(a.lost, stats_port(a.stats, 0)->lost_packets);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		if (b.link.rx.held_units[lane])
			link_release(&b.link, lane, b.link.rx.held_units[lane]);
		settle();
		ck_assert_int_gt(available(&a, lane), BUFFER_UNITS - BUFFER_UNITS / CREDIT_PARTS);
	}
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 0);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* Under the real clock a control word on a veth may be lost. A sender without credit asks for
 * it. */
TEST(link_credit__lost_word_is_asked_for)
{
	config.clock = CLOCK_REAL;
	guard_both();
	send_words(&b, false);
	link_flush(&b.link, &(bool){ 0 });
	ring_refresh(&a.link.rx.ring);
	while (link_next_at(&a.link) != NODE_TIME_NEVER)
		link_done(&a.link, &a.link.rx.head);
	ck_assert(!send_frame(256, 0));
	ck_assert_uint_lt(link_ask_at(&a.link), NODE_TIME_NEVER);
	a.link.tx.busy_until_ps = link_ask_at(&a.link);
	settle();
	ck_assert_uint_eq(a.told, 1);
	ck_assert(send_frame(256, 0));
}

/* EC-4, in this kind of fabric: a receiver that is full grants no more, and receives what was
 * granted */
TEST(link_stop_set__grants_nothing)
{
	settle();
	link_stop_set(&b.link, 0, true);
	ck_assert(!link_words_due(&b.link));
	while (send_frame(4096, 0))
		receive_all(&b);
	link_release(&b.link, 0, BUFFER_UNITS);
	settle();
	ck_assert(!send_frame(4096, 0));
	link_stop_set(&b.link, 0, false);
	settle();
	ck_assert_uint_eq(a.told, 1);
	ck_assert(send_frame(4096, 0));
	ck_assert(!link_stopped(&a.link, 0));
}

TEST(link_down__credit_ends)
{
	settle();
	send_frame(4096, 0);
	receive_all(&b);
	link_down(&a.link, 1);
	link_down(&b.link, 1);
	ck_assert(!link_words_due(&a.link) && !link_words_due(&b.link));
	ck_assert(!link_has_credit(&a.link, 0, 1, 0));
}

/* TB-23: words of other kinds of link, or of lanes that do not exist */
TEST_RANGE(link_credit__false_words_are_dropped, 0, 6)
{
	static const struct {
		uint32_t kind, lane;
	} cases[] = { { LINK_WORD_STOP, 0 },     { LINK_WORD_CREDIT, LANES },
		      { LINK_WORD_SENT, LANES }, { LINK_WORD_CREDIT, 65535 },
		      { LINK_WORDS, 0 },         { LINK_WORD_SENT, 0 } };

	settle();
	forge_word(&b, cases[_i].kind, cases[_i].lane, BUFFER_UNITS + 1);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 1);
	ck_assert_uint_eq(a.told, 0);
	ck_assert_uint_eq(a.link.stop.by_peer, 0);
}

TEST(link_credit__other_kinds_have_none)
{
	ends_close();
	config.fabric = FABRIC_FLOW_CHANNEL;
	ends_open();
	ck_assert(!link_words_due(&b.link));
	ck_assert(link_has_credit(&a.link, 0, 1000, 0));
	forge_word(&b, LINK_WORD_CREDIT, 0, 1);
	forge_word(&b, LINK_WORD_SENT, 0, 1);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 2);
}

/* TB-23: a peer that sends without credit */
TEST(link_credit__packets_without_credit_are_dropped)
{
	guard_both();
	settle();
	a.link.credit.lanes[0].limit_units += 1000;
	for (uint32_t i = 0; i < 10; i++)
		send_frame(4096, 0);
	receive_all(&b);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 10 - BUFFER_UNITS / 16);
	ck_assert_uint_le(b.link.rx.held_units[0], BUFFER_UNITS);
	link_release(&b.link, 0, b.link.rx.held_units[0]);
	settle();
	ck_assert_uint_eq(a.lost, 10 - BUFFER_UNITS / 16);
	ck_assert_int_eq(available(&a, 0), BUFFER_UNITS); /* the limit was sent again */
}
