/*  nodes/link/link, the guard and the real clock: losses are detected, records in flight are
 *  counted, and lost control words are asked for again (TB-4, TB-23, FC-17). */
#include <signal.h>

#include "nodes/link/link_send.h"
#include "tests/unit/nodes/link/link_ends.h"

/* ---- guard (FC-17) ---- */

TEST_GROUP(guard, .setup = setup, .teardown = ends_close);

/* The next frame reveals a lost one. Its sender learns exactly which. */
TEST(link_guard__lost_frame_is_reported)
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
	ck_assert_uint_eq(a.link.guard.log_first, a.link.tx.sequence);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* an idle link's SYNC reveals that the last frame was lost */
TEST(link_guard__tail_loss_found_by_sync)
{
	guard_both();
	lose_all(&a, true);
	send_frame(&a, 60, 0, 9);
	ck_assert(a.link.guard.sync_due);
	send_words(&a, false); /* not idle: no SYNC */
	ck_assert(a.link.guard.sync_due);
	send_words(&a, true);
	ck_assert(!a.link.guard.sync_due);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.lost, 1);
	ck_assert_uint_eq(a.told.tags, 1 << 9);
	ck_assert_uint_eq(a.told.seen, 0);
}

/* SYNC on a link without losses confirms what arrived */
TEST(link_guard__sync_confirms)
{
	guard_both();
	send_frame(&a, 60, 0, 0);
	send_frame(&a, 60, 0, 0);
	receive_all(&b);
	ck_assert(!link_words_due(&b.link)); /* not every frame is confirmed separately */
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, 2);
	ck_assert_uint_eq(a.told.lost, 0);
}

/* frames are confirmed regularly, so that the sender's memory does not fill */
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

/* FC-17: a hole is shorter than half of what positions of 16 bits can count, however much is lost:
 * data waits on a link between switches with flow channels */
TEST(link_guard__data_in_flight_is_less_than_half_of_what_positions_count)
{
	uint32_t units = 0;

	port.kind = PORT_FABRIC;
	guard_both();
	lose_all(&a, true);
	while (link_may_send_packet(&a.link)) {
		send_frame(&a, NODE_MTU_MAX, 0, 0);
		units += units_of_bytes(NODE_MTU_MAX);
	}
	ck_assert_uint_lt(units, 1u << 15);
	ck_assert_uint_ge(units + units_of_bytes(NODE_MTU_MAX), (1u << 15) - 1);
	ck_assert(link_may_send(&a.link)); /* an ACK frame */
	lose_all(&a, false);
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert(link_may_send_packet(&a.link));
}

/* a lost ACK frame returns to its sender byte for byte */
TEST(link_guard__lost_ack_frame)
{
	static const uint8_t frame[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };

	guard_both();
	lose_all(&a, true);
	link_send_acks(&a.link, 0, frame, sizeof(frame), 20);
	lose_all(&a, false);
	link_send_acks(&a.link, a.link.tx.busy_until_ps, frame, 3, 20);
	ck_assert_uint_eq(receive_all(&b), 1);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.acks_lost, 1);
	ck_assert_uint_eq(a.told.lost + a.told.seen, 0);
	ck_assert_uint_eq(a.told.ack_length, sizeof(frame));
	ck_assert_mem_eq(a.told.ack_bytes, frame, sizeof(frame));
}

/* an ACK frame that arrived, or was lost, takes up nothing of what may be in flight */
TEST_RANGE(link_guard__ack_frames_are_no_flight, 0, 2)
{
	static const uint8_t frame[] = { 9, 8, 7 };
	uint32_t before;

	guard_both();
	before = a.link.flight.arrived_units;
	lose_all(&a, _i);
	link_send_acks(&a.link, 0, frame, sizeof(frame), 20);
	lose_all(&a, false);
	send_frame(&a, 600, 0, 0);
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, false);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, 1);
	ck_assert_uint_eq(a.told.acks_lost, _i);
	ck_assert_uint_eq(a.link.flight.arrived_units - before, 3); /* of 256 bytes */
	ck_assert_uint_eq(a.link.flight.arrived_units, a.link.flight.sent_units);
}

/* A sender without confirmations stops when its memory is full, and resumes with the next
 * confirmation. */
TEST(link_guard__full_memory_stops_the_sender)
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

/* TB-25: whatever is lost, every frame is reported as seen or lost, once */
TEST(link_guard__every_frame_is_accounted_for)
{
	uint32_t sent = 0;

	port.loss_ppb = 300000000;
	guard_both();
	a.link.tx.sequence = b.link.rx.sequence_expected = b.link.guard.seen_told =
		a.link.guard.log_first = UINT32_MAX - 500;
	for (uint32_t i = 0; i < 2000; i++) {
		if (link_may_send(&a.link)) {
			send_frame(&a, 200, 0, i);
			sent++;
		}
		if (i % 7 == 0)
			send_words(&a, true);
		receive_all(&b);
		link_release(&b.link, 0, b.link.rx.held_units[0]);
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

/* TB-23: the peer reports frames that are not in flight */
TEST(link_guard__words_about_other_frames_are_dropped)
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
	forge_word(&b, LINK_WORD_MISSING, 0, 1); /* a second report changes nothing */
	forge_word(&b, LINK_WORD_SEEN, 0, 3);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, 2);
	ck_assert_uint_eq(a.told.lost, 1);
}

/* TB-23: words of the guard have no effect on a link without one */
TEST(link_guard__words_on_unguarded_link_are_ignored)
{
	send_frame(&a, 60, 0, 0);
	forge_word(&b, LINK_WORD_SEEN, 0, 1);
	forge_word(&b, LINK_WORD_MISSING, 0, 0);
	forge_word(&b, LINK_WORD_SYNC, 0, 0);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 3);
	ck_assert(!link_words_due(&a.link));
}

/* TB-23: a sequence beyond the reach of any memory */
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

/* TB-23: other programs may inject frames on a veth, old ones too. The link continues, and the fate
 * of all its frames is known. */
TEST(link_guard__frames_of_others)
{
	uint32_t sent = 0;

	guard_both();
	for (uint32_t round = 0; round < 400; round++) {
		send_frame(&a, 1000, 0, sent++);
		if (round % 3 == 0) /* as if it were the next one */
			forge(&a, &(struct record){ .kind = RECORD_PACKET,
						    .at_ps = a.link.tx.last_at_ps,
						    .wire_bytes = 600,
						    .captured_bytes = 4,
						    .sequence = a.link.tx.sequence + round % 7 });
		if (round % 5 == 0) /* an old one */
			forge(&a,
			      &(struct record){ .kind = RECORD_PACKET,
						.at_ps = a.link.tx.last_at_ps,
						.wire_bytes = 600,
						.captured_bytes = 4,
						.sequence = a.link.tx.sequence - 1 - round % 11 });
		if (round % 50 == 49)
			forge(&b, &(struct record){ .kind = RECORD_WORD,
						    .at_ps = b.link.tx.last_at_ps,
						    .wire_bytes = LINK_WORD_BYTES,
						    .word = (uint64_t)LINK_WORD_STOP << 32 |
							    round % 4 });
		receive_all(&b);
		link_release(&b.link, 0, b.link.rx.held_units[0]);
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
		ck_assert(link_may_send(&a.link));
	}
	ck_assert_uint_gt(drops(&b, DROP_BAD_RECORD), 0);
	/* without more injected frames it works as before */
	for (uint32_t round = 0; round < 100; round++) {
		send_frame(&a, 1000, 0, sent++);
		ck_assert_uint_le(receive_all(&b), 1);
		link_release(&b.link, 0, b.link.rx.held_units[0]);
		send_words(&a, true);
		receive_all(&b);
		send_words(&b, true);
		receive_all(&a);
	}
	ck_assert_uint_eq(a.told.seen + a.told.lost, sent);
	ck_assert_uint_eq(a.link.guard.log_first, a.link.tx.sequence);
	ck_assert(!link_stopped(&a.link, 0) && !link_stopped(&a.link, 1));
	send_frame(&a, 1000, 0, sent);
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* ---- records in flight and lost words: the real clock ---- */

#define FLIGHT_UNITS 256u

static void setup_real(void)
{
	setup();
	config.clock = CLOCK_REAL;
	port.buffer_units = port.stop_units = 0;
	port.flight_units = FLIGHT_UNITS;
	ends_reopen();
}

/* Sends packets of 16 units until the limit is reached.  Return: their number. */
static uint32_t send_all(struct end *from)
{
	uint32_t packets = 0;

	for (; link_may_send_packet(&from->link); packets++)
		send_frame(from, 4096, 0, packets);
	return packets;
}

/* a turn of the receiver: it receives everything and reports it */
static void take_all(struct end *to)
{
	receive_all(to);
	link_note_taken(&to->link);
}

TEST_GROUP(flight, .setup = setup_real, .teardown = ends_close);

TEST(link_flight__received_is_no_longer_in_flight)
{
	uint32_t packets = send_all(&a);

	ck_assert_uint_gt(packets * 16, FLIGHT_UNITS / 2);
	ck_assert_uint_le(packets * 16, FLIGHT_UNITS);
	ck_assert(link_may_send(&a.link)); /* ACKs are not limited */
	receive_all(&b);
	ck_assert_uint_eq(send_all(&a), 0);
	link_note_taken(&b.link);
	ck_assert_uint_eq(send_all(&a), packets);
}

/* However often the receiver empties the ring, at most one flight of data follows its XOFF. */
TEST(link_flight__one_flight_after_xoff)
{
	uint32_t packets = send_all(&a), after = 0;

	take_all(&b);
	link_stop_set(&b.link, 0, true);
	for (uint32_t turn = 0; turn < 10; turn++) {
		after += send_all(&a);
		take_all(&b);
		if (turn == 5)
			send_words(&b, false);
	}
	ck_assert_uint_eq(after, packets);
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_eq(send_all(&a), packets); /* of other classes, or with credit */
}

/* an XOFF that ends before it was sent has no effect */
TEST(link_flight__unsent_xoff_has_no_effect)
{
	uint32_t packets = send_all(&a);

	link_stop_set(&b.link, 0, true);
	take_all(&b);
	ck_assert_uint_eq(send_all(&a), 0);
	link_stop_set(&b.link, 0, false);
	link_note_taken(&b.link);
	ck_assert_uint_eq(send_all(&a), packets);
}

/* counters wrap; one packet may always be sent, however small the flight is */
TEST(link_flight__wraps_and_allows_one_packet)
{
	a.link.flight.sent_units = a.link.flight.arrived_units = b.link.flight.taken_units =
		b.link.flight.taken_noted = UINT32_MAX - 100;
	for (uint32_t round = 0; round < 3; round++) {
		ck_assert_uint_gt(send_all(&a), 0);
		take_all(&b);
	}
	a.link.flight.limit_units = 1;
	ck_assert_uint_eq(send_all(&a), 1);
}

/* TB-23: a peer that reports more received than was sent, or less than before, changes nothing */
TEST(link_flight__false_claims_change_nothing)
{
	uint32_t packets = send_all(&a);

	for (uint32_t round = 0; round < 2; round++) {
		ring_note(&b.link.rx.ring, a.link.flight.sent_units + 30);
		ck_assert_uint_eq(send_all(&a), 0);
		ring_note(&b.link.rx.ring, a.link.flight.arrived_units - 16);
		ck_assert_uint_eq(send_all(&a), 0);
		take_all(&b);
		ck_assert_uint_eq(send_all(&a), packets);
	}
}

/* TB-25: data sent beyond the limit is a mistake of this node, so the process ends */
TEST_SIGNAL(link_flight__sending_beyond_the_limit_aborts, SIGABRT)
{
	uint32_t packets = send_all(&a);

	while (packets++ * 16 <= FLIGHT_UNITS)
		send_frame(&a, 4096, 0, packets);
}

static void exchange(void)
{
	send_words(&a, true);
	receive_all(&b);
	send_words(&b, true);
	receive_all(&a);
}

/* on a guarded link SEEN and MISSING report what has arrived */
TEST(link_flight__guarded_link_counts_seen_and_missing)
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

/* loses the words that were sent to @to */
static void lose_words(struct end *from, struct end *to)
{
	link_flush(&from->link, &(bool){ 0 });
	ring_refresh(&to->link.rx.ring);
	while (link_next_at(&to->link) != NODE_TIME_NEVER)
		link_done(&to->link, &to->link.rx.head);
}

/* FC-17: XON is lost, and no more words follow */
TEST(link_ask__lost_xon_is_repeated)
{
	uint64_t words;

	guard_both();
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
	link_stop_set(&b.link, 0, true);
	for (uint32_t i = 0; i < 3; i++)
		exchange();
	ck_assert(link_stopped(&a.link, 0));
	link_stop_set(&b.link, 0, false);
	send_words(&b, false);
	lose_words(&b, &a);
	b.link.guard.sync_due = false; /* the sender may have asked, also in vain */
	words = stats_port(a.stats, 0)->words;
	exchange();
	ck_assert_uint_eq(stats_port(a.stats, 0)->words, words);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_lt(link_ask_at(&a.link), NODE_TIME_NEVER);
	a.link.tx.busy_until_ps = link_ask_at(&a.link);
	exchange();
	ck_assert(!link_stopped(&a.link, 0));
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
}

/* FC-17: the word that reports arrivals is lost, and nothing more may be sent until it is
 * repeated */
TEST(link_ask__lost_seen_is_repeated)
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
	a.link.tx.busy_until_ps = link_ask_at(&a.link);
	exchange();
	ck_assert_uint_eq(link_ask_at(&a.link), NODE_TIME_NEVER);
	ck_assert_uint_eq(send_all(&a), packets);
}
