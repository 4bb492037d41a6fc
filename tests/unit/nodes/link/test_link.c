/*  nodes/link/link: times, XOFF and XON, and a peer that breaks the rules (TB-2, TB-4, TB-23,
 *  FC-22). */
#include "nodes/link/link_send.h"
#include "tests/unit/nodes/link/link_ends.h"

TEST_GROUP(data, .setup = setup, .teardown = ends_close);

/* ---- set-up ---- */

TEST(link_init__rejects_a_bad_ring)
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

TEST(link_frame_bytes__adds_fcs_gap_and_headers)
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

/* FC-22: a byte takes 8 / rate; exactly if that divides, else rounded up */
TEST_RANGE(link_time_of__is_exact_or_rounded_up, 0, 7)
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

/* the first bit arrives after latency and delay; the link is busy for frame and gap */
TEST(link_send_packet__time_and_content)
{
	struct record header;
	node_time_t at;
	const uint8_t *bytes;
	uint32_t tag;

	a.link.tx.busy_until_ps = 1000;
	memcpy(link_send_packet(&a.link, 5000, 1504, 4, 1500, 1, 77), &(uint32_t){ 77 }, 4);
	ck_assert_uint_eq(a.link.tx.busy_until_ps, 5000 + (1504 + GAP_BYTES) * 40);
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

TEST(link_send_packet__is_counted)
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

/* the measured interval gets the part of a frame that is inside it */
TEST(link_send_packet__measured_interval_gets_its_part)
{
	a.link.measure_from_ps = 10000;
	a.link.measure_to_ps = 100000;
	send_frame(&a, 476, 0, 0); /* 500 bytes with FCS and gap: 0 .. 20000 */
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_measured_ps, 10000);
	link_send_packet(&a.link, 90000, 480, 4, 476, 0, 0); /* 90000 .. 110000 */
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_measured_ps, 20000);
	ck_assert_uint_eq(stats_port(a.stats, 0)->tx_busy_ps, 40000);
}

/* a full ring loses the frame; the caller knows */
TEST(link_send_packet__full_ring_loses_the_frame)
{
	const uint32_t segment_bytes = a.link.tx.ring.page->segment_bytes;
	const uint32_t fit = RING_BYTES / segment_bytes * (segment_bytes / RING_LINE - 1);
	uint32_t sent = 0;

	while (sent <= fit && send_frame(&a, 60, 0, 0))
		sent++;
	ck_assert_uint_eq(sent, fit);
	ck_assert_uint_eq(drops(&a, DROP_RING_FULL), 1);
	ck_assert_uint_eq(stats_port(a.stats, 0)->lost_packets, 1);
	ck_assert_uint_eq(stats_port(a.stats, 0)->lost_bytes, 60);
}

/* TB-4: rates of loss are as configured, and reproducible from the seed */
TEST_RANGE(link_send_packet__loses_at_the_configured_rate, 0, 2)
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

/* a frame arrives if it is not lost and none of its bits is in error: (1 - loss) (1 - p)^bits */
TEST_RANGE(link_send_packet__bits_and_loss_are_independent, 0, 3)
{
	static const struct {
		uint64_t bit_error_e15;
		uint32_t loss_ppb, frame_bytes, lost_of_10000;
	} cases[] = {
		{ 1000000000000, 0, 60, 4009 },         /* 1 - .999^512 */
		{ 1000000000000, 500000000, 60, 7004 }, /* half of the rest */
		{ 100000000000, 0, 508, 3361 },         /* 1 - .9999^4096 */
	};
	uint32_t lost = 0;

	port.bit_error_e15 = cases[_i].bit_error_e15;
	port.loss_ppb = cases[_i].loss_ppb;
	ends_reopen();
	for (uint32_t i = 0; i < 10000; i++)
		lost += !send_frame(&a, cases[_i].frame_bytes, 0, 0);
	ck_assert_uint_ge(lost, cases[_i].lost_of_10000 - 150); /* three deviations */
	ck_assert_uint_le(lost, cases[_i].lost_of_10000 + 150);
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
	ck_assert_uint_eq(a.link.tx.busy_until_ps, 700 + (13 + GAP_BYTES) * 40);
	ck_assert_uint_eq(stats_port(a.stats, 0)->ack_frames, 1);
	ck_assert_uint_eq(stats_port(b.stats, 0)->rx_packets, 0);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0); /* ACK frames need no buffer */
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

/* TB-2: a cut-through switch acts on the first 64 bytes of a packet, on all of a shorter one, and
 * on all of any other record */
TEST(link_next_at__cut_through_waits_for_64_bytes)
{
	static const uint8_t frame[60] = { 0 };
	struct record header;
	node_time_t at, start;

	config.switch_.cut_through = true;
	ends_reopen();
	send_frame(&a, 1500, 0, 0);
	start = a.link.tx.busy_until_ps;
	link_send_acks(&a.link, start, frame, sizeof(frame), 159);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, LEAD + 64 * 40);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, start + LEAD + 159 * 40);
	start = a.link.tx.busy_until_ps;
	send_frame(&a, 40, 0, 0);
	receive(&b, &header, &at);
	ck_assert_uint_eq(at, start + LEAD + 44 * 40);
}

/* TB-23: a record with an arrival before the window is due at its beginning */
TEST(link_refresh__not_before_the_window)
{
	send_frame(&a, 1500, 0, 0);
	link_flush(&a.link, &(bool){ 0 });
	link_refresh(&b.link, 5 * NODE_MS);
	ck_assert_uint_eq(link_next_at(&b.link), 5 * NODE_MS);
}

TEST(link_next_at__never_without_a_record)
{
	ring_refresh(&b.link.rx.ring);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER);
	send_frame(&a, 60, 0, 0);
	ring_refresh(&b.link.rx.ring);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER); /* not flushed */
}

/* TB-23: a peer that writes false lengths or times cannot turn time back, nor make it overflow */
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
	ring_refresh(&b.link.rx.ring);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER);
}

/* TB-23: a packet without a class, without a frame, or with more captured bytes than its length */
TEST_RANGE(link_receive__bad_records_are_dropped, 0, 7)
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
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
}

/* The sender ignores XOFF: what exceeds the buffer is dropped and counted, for each class. */
TEST(link_receive__buffer_overflow_is_dropped)
{
	for (uint32_t i = 0; i < BUFFER_UNITS + 3; i++)
		forge(&a,
		      &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = i });
	ck_assert_uint_eq(receive_all(&b), BUFFER_UNITS);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 3);
	ck_assert_uint_eq(b.link.rx.held_units[0], BUFFER_UNITS);
	forge(&a, &(struct record){ .kind = RECORD_PACKET,
				    .wire_bytes = 64,
				    .traffic_class = 1,
				    .sequence = BUFFER_UNITS + 3 });
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* A sequence that jumps on a link without losses is a fault of the peer: reported once, then
 * followed. */
TEST(link_receive__sequence_jumps_unguarded)
{
	forge(&a, &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = 5 });
	forge(&a, &(struct record){ .kind = RECORD_PACKET, .wire_bytes = 64, .sequence = 6 });
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 1);
}

/* ---- XOFF and XON ---- */

TEST_GROUP(stop_and_go, .setup = setup, .teardown = ends_close);

/* The held bytes are those that arrived and did not leave, for each class. */
TEST(link_release__frees_buffer_by_class)
{
	send_frame(&a, 4096, 1, 0);
	send_frame(&a, 4096, 1, 0);
	ck_assert_uint_eq(receive_all(&b), 2);
	ck_assert_uint_eq(b.link.rx.held_units[1], 32);
	link_release(&b.link, 1, 16);
	ck_assert_uint_eq(b.link.rx.held_units[1], 16);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
	ck_assert(!link_words_due(&b.link)); /* the owner decides */
}

/* a buffer of 0 units has no limit */
TEST(link_release__buffer_of_0_is_unlimited)
{
	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	for (uint32_t i = 0; i < 1000; i++)
		send_frame(&a, 9216, 0, 0);
	ck_assert_uint_eq(receive_all(&b), 1000);
	link_release(&b.link, 0, 36);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
}

/* XOFF reaches the sender's owner once, by class. Control words take 8 bytes of the link, without a
 * gap. */
TEST(link_stop_set__xoff_reaches_the_peer_once)
{
	struct record header;
	node_time_t at;

	link_stop_set(&b.link, 1, true);
	ck_assert(link_words_due(&b.link));
	send_words(&b, false);
	ck_assert(!link_words_due(&b.link));
	ck_assert_uint_eq(b.link.tx.busy_until_ps, LINK_WORD_BYTES * 40);
	receive(&a, &header, &at);
	ck_assert_uint_eq(header.word, (uint64_t)LINK_WORD_STOP << 32 | 1 << 1);
	ck_assert(link_stopped(&a.link, 1) && !link_stopped(&a.link, 0));
	ck_assert(a.told.stops == 1 && a.told.gos == 0 && a.told.stopped_class == 1);
	ck_assert(link_may_send(&a.link)); /* the owner decides which flows it pauses */
	link_stop_set(&b.link, 1, false);
	send_words(&b, false);
	receive_all(&a);
	ck_assert(!link_stopped(&a.link, 1));
	ck_assert(a.told.stops == 1 && a.told.gos == 1);
	ck_assert(!link_words_due(&a.link));
}

/* XOFF is not sent twice, and not at all if it was withdrawn in time */
TEST(link_stop_set__nothing_is_sent_twice)
{
	link_stop_set(&b.link, 0, false);
	ck_assert(!link_words_due(&b.link));
	link_stop_set(&b.link, 0, true);
	link_stop_set(&b.link, 0, false);
	ck_assert(!link_words_due(&b.link));
	link_stop_set(&b.link, 0, true);
	send_words(&b, false);
	link_stop_set(&b.link, 0, true);
	ck_assert(!link_words_due(&b.link));
	receive_all(&a);
	forge_word(&b, LINK_WORD_STOP, 0, 1); /* sent again */
	receive_all(&a);
	ck_assert(link_stopped(&a.link, 0));
	ck_assert_uint_eq(a.told.stops, 1);
}

/* a failed link pauses no class and reports nothing */
TEST(link_stop_set__ends_with_the_link)
{
	link_stop_set(&b.link, 0, true);
	send_words(&b, false);
	receive_all(&a);
	link_down(&a.link, 0);
	link_stop_set(&b.link, 1, true);
	link_down(&b.link, 0);
	ck_assert(!link_stopped(&a.link, 0));
	ck_assert(!link_words_due(&b.link));
}

/* What is in the ring is lost with the link: packets are counted with their bytes, control words
 * are not. */
TEST(link_down__what_has_arrived_is_lost)
{
	send_frame(&a, 1000, 0, 1);
	link_stop_set(&a.link, 0, true);
	send_words(&a, false);
	send_frame(&a, 300, 1, 2);
	link_flush(&a.link, &(bool){ 0 });
	link_down(&b.link, 0);
	ck_assert_uint_eq(b.stats->drops[DROP_LINK_DOWN], 2);
	ck_assert_uint_eq(stats_port(b.stats, 0)->dropped_frames, 2);
	ck_assert_uint_eq(stats_port(b.stats, 0)->dropped_bytes, 1300);
	ck_assert(!link_stopped(&b.link, 0));
	link_up(&b.link, 0);
	ring_refresh(&b.link.rx.ring);
	ck_assert_uint_eq(link_next_at(&b.link), NODE_TIME_NEVER);
}

/* each class is stopped in both directions, and no other one */
TEST(link_up_stopped__all_classes)
{
	link_up(&b.link, 0);
	link_up_stopped(&b.link);
	ck_assert_uint_eq(b.link.stop.by_peer, 3);
	ck_assert_uint_eq(b.link.stop.wanted, 3);
	ck_assert_uint_eq(b.link.stop.told, 3);
	ck_assert(!link_words_due(&b.link));
}

/* TB-23: classes that do not exist */
TEST(link_stop_set__unknown_classes_are_ignored)
{
	forge_word(&b, LINK_WORD_STOP, 0, 4);
	forge_word(&b, LINK_WORD_STOP, 0, UINT32_MAX);
	receive_all(&a);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD), 2);
	ck_assert_uint_eq(a.told.stops, 0);
}

/* A guarded link sends a lost word again: with the next SEEN, or when the link becomes idle. */
TEST_RANGE(link_stop_set__lost_word_is_sent_again, 0, 2)
{
	port.guarded = true;
	ends_reopen();
	link_stop_set(&b.link, 0, true);
	b.link.stop.told = 1; /* as if it had been sent */
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

/* TB-23: a word that another program has injected is corrected; then no more words are sent */
TEST(link_stop_set__false_word_is_corrected)
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

TEST(link_reject__frees_the_buffer)
{
	struct record header;
	node_time_t at;

	send_frame(&a, 4096, 1, 0);
	receive(&b, &header, &at);
	link_reject(&b.link, &header);
	ck_assert_uint_eq(b.link.rx.held_units[1], 0);
}
