/*  nodes/link/link_impair: packets that are overtaken, arrive twice or arrive damaged, jitter that
 *  keeps order, and what the link's own protocols see of it (DU-6, TB-4). */
#include "nodes/link/link_impair.h"
#include "nodes/link/link_send.h"

#include "nodes/wire/address.h"
#include "nodes/wire/frame.h"
#include "tests/unit/nodes/link/link_ends.h"

TEST_GROUP(impair, .setup = setup, .teardown = ends_close);

#define FRAMES 64u
#define ONE 1000000000u /* in ppb */

static struct port_stats *counted(void)
{
	return stats_port(b.stats, 0);
}

/* sends frames with the tags 0.. and receives all: their tags in the order of arrival */
static uint32_t arrivals(uint32_t count, uint32_t *tags, node_time_t *times)
{
	uint32_t got = 0;
	struct record header;
	node_time_t at, before = 0;

	for (uint32_t tag = 0; tag < count; tag++)
		ck_assert(send_frame(&a, 996, 0, tag));
	link_flush(&a.link, &(bool){ 0 });
	ring_refresh(&b.link.rx.ring);
	while (link_next_at(&b.link) != NODE_TIME_NEVER) {
		const uint8_t *bytes;

		at = link_next_at(&b.link);
		bytes = link_receive(&b.link, &header, at);
		ck_assert_uint_ge(at, before); /* time never goes back */
		before = at;
		if (bytes) {
			ck_assert_uint_lt(got, 2 * FRAMES);
			memcpy(&tags[got], bytes, 4);
			if (times)
				times[got] = at;
			got++;
			link_release(&b.link, 0, units_of_bytes(996));
		}
		link_done(&b.link, &header);
	}
	ring_release(&b.link.rx.ring);
	return got;
}

/* ---- off ---- */

TEST(link_init__without_impairment_has_no_memory_for_it)
{
	ck_assert_ptr_null(b.link.impair);
	ck_assert_uint_eq(b.link.unusual, 0);
	config.clock = CLOCK_REAL; /* it may be switched on */
	ends_reopen();
	ck_assert_ptr_nonnull(b.link.impair);
	ck_assert_uint_eq(b.link.unusual, 0);
}

/* ---- jitter ---- */

/* frames are late by 0 to twice the jitter, and never overtake one another */
TEST(link_send_packet__jitter_keeps_order)
{
	uint32_t tags[2 * FRAMES];
	node_time_t times[2 * FRAMES],
		frame_ps = node_time_of_bytes(1000 + GAP_BYTES, 200000000000);
	bool late = false;

	port.jitter_ps = NODE_US;
	ends_reopen();
	ck_assert_uint_eq(arrivals(FRAMES, tags, times), FRAMES);
	for (uint32_t i = 0; i < FRAMES; i++) {
		node_time_t in_time = LEAD + i * frame_ps + node_time_of_bytes(1000, 200000000000);

		ck_assert_uint_eq(tags[i], i);
		ck_assert_uint_ge(times[i], in_time);
		ck_assert_uint_le(times[i], in_time + 2 * NODE_US);
		late |= times[i] > in_time + NODE_US;
	}
	ck_assert(late);
}

/* another seed has other times; loss is not changed by jitter */
TEST(link_send_packet__jitter_is_of_the_seed)
{
	node_time_t at[3];
	struct record header;

	port.jitter_ps = NODE_US;
	for (uint32_t round = 0; round < 3; round++) {
		config.seed = round / 2;
		ends_reopen();
		send_frame(&a, 996, 0, 0);
		receive(&b, &header, &at[round]);
	}
	ck_assert_uint_eq(at[0], at[1]);
	ck_assert_uint_ne(at[0], at[2]);
}

/* a word that follows a late frame is as late: STOP never overtakes data, or data XON */
TEST(link_send_words__words_keep_order_with_late_frames)
{
	struct record header;
	node_time_t frame_at, word_at;

	port.jitter_ps = 10 * NODE_US;
	ends_reopen();
	send_frame(&a, 996, 0, 0);
	link_stop_set(&a.link, 0, true);
	send_words(&a, false);
	receive(&b, &header, &frame_at);
	frame_at = header.at_ps;
	receive(&b, &header, &word_at);
	ck_assert_uint_ge(header.at_ps, frame_at);
	ck_assert_uint_eq(b.told.stops, 1);
}

/* ---- reorder ---- */

/* every packet is delayed until two others have passed it, of which none exists that is not held
 * back as well: all leave when they have waited long enough */
TEST(link_receive__delayed_for_a_time_at_most)
{
	uint32_t tags[2 * FRAMES];
	node_time_t times[2 * FRAMES];

	port.reorder_ppb = ONE;
	port.reorder_frames = 2;
	port.reorder_wait_ps = NODE_MS;
	ends_reopen();
	ck_assert_uint_eq(arrivals(4, tags, times), 4);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(tags[i], i);
		ck_assert_uint_ge(times[i], NODE_MS);
	}
	ck_assert_uint_eq(counted()->reordered, 0); /* no packet has passed another one */
}

/* the first is delayed, three pass it, then it comes; none is lost */
TEST(link_receive__so_many_packets_pass)
{
	uint32_t tags[2 * FRAMES];
	static const uint32_t expected[] = { 1, 2, 3, 0, 4, 5 };

	port.reorder_frames = 3;
	port.reorder_wait_ps = NODE_S;
	port.reorder_ppb = ONE;
	ends_reopen();
	ck_assert(send_frame(&a, 996, 0, 0));
	ck_assert_uint_eq(receive_all(&b), 1); /* it had to wait */
	link_release(&b.link, 0, units_of_bytes(996));
	ends_reopen();
	link_flush(&a.link, &(bool){ 0 });
	send_frame(&a, 996, 0, 0);
	link_flush(&a.link, &(bool){ 0 });
	ring_refresh(&b.link.rx.ring);
	{
		struct record header;
		node_time_t at = link_next_at(&b.link);

		ck_assert_ptr_null(link_receive(&b.link, &header, at));
		link_done(&b.link, &header);
	}
	port.reorder_ppb = 0; /* now the others, which are not delayed */
	link_set(&b.link, &port);
	ck_assert(b.link.impaired);
	for (uint32_t tag = 1; tag < 6; tag++)
		send_frame(&a, 996, 0, tag);
	ck_assert_uint_eq(arrivals(0, tags, NULL), 6);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(tags[i], expected[i]);
	ck_assert_uint_eq(counted()->reordered, 1);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
}

/* the share, every packet once, the same from the same seed */
TEST(link_receive__share_of_reordered_packets)
{
	uint32_t tags[2][2 * FRAMES], moved = 0;

	port.reorder_ppb = ONE / 4;
	port.reorder_frames = 1;
	port.reorder_wait_ps = NODE_MS;
	port.buffer_units = 0;
	for (uint32_t round = 0; round < 2; round++) {
		uint64_t seen = 0;

		ends_reopen();
		ck_assert_uint_eq(arrivals(FRAMES, tags[round], NULL), FRAMES);
		for (uint32_t i = 0; i < FRAMES; i++)
			seen |= 1ull << tags[round][i];
		ck_assert_uint_eq(seen, UINT64_MAX);
	}
	ck_assert_mem_eq(tags[0], tags[1], FRAMES * sizeof(tags[0][0]));
	for (uint32_t i = 1; i < FRAMES; i++)
		moved += tags[0][i] < tags[0][i - 1];
	ck_assert_uint_ge(moved, 5);
	ck_assert_uint_ge(counted()->reordered, moved);
	ck_assert_uint_le(counted()->reordered, FRAMES / 2);
}

/* the guard sees every frame in order: none is reported as missing */
TEST(link_receive__guard_sees_order)
{
	uint32_t tags[2 * FRAMES];

	port.guarded = true;
	port.reorder_ppb = ONE / 2;
	port.duplicate_ppb = ONE / 2;
	port.reorder_frames = 2;
	port.reorder_wait_ps = NODE_US;
	port.buffer_units = 0;
	ends_reopen();
	ck_assert_uint_ge(arrivals(FRAMES, tags, NULL), FRAMES);
	send_words(&b, true);
	receive_all(&a);
	ck_assert_uint_eq(a.told.seen, FRAMES);
	ck_assert_uint_eq(a.told.lost, 0);
}

/* ---- duplicate ---- */

TEST(link_receive__copy_follows_its_original)
{
	uint32_t tags[2 * FRAMES];
	node_time_t times[2 * FRAMES];

	port.duplicate_ppb = ONE;
	ends_reopen();
	ck_assert_uint_eq(arrivals(8, tags, times), 16);
	for (uint32_t i = 0; i < 16; i++) {
		ck_assert_uint_eq(tags[i], i / 2);
		ck_assert_uint_eq(times[i], times[i & ~1u]);
	}
	ck_assert_uint_eq(counted()->duplicated, 8);
	ck_assert_uint_eq(counted()->duplicated_bytes, 8 * 996);
	ck_assert_uint_eq(counted()->rx_packets, 8);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
}

/* a copy has buffer, or is not made: the buffer never overflows */
TEST(link_receive__no_copy_without_buffer)
{
	uint32_t frames;

	port.duplicate_ppb = ONE;
	port.buffer_units = 3 * units_of_bytes(996);
	port.stop_units = 1;
	ends_reopen();
	send_frame(&a, 996, 0, 0);
	send_frame(&a, 996, 0, 1);
	frames = receive_all(&b); /* nothing is released */
	ck_assert_uint_eq(frames, 3);
	ck_assert_uint_eq(counted()->duplicated, 1);
	ck_assert_uint_eq(b.link.rx.held_units[0], port.buffer_units);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 0);
}

/* the peer must stop: what is left of the buffer is for what it has sent already */
TEST(link_receive__no_copy_while_the_peer_must_stop)
{
	port.duplicate_ppb = ONE;
	port.buffer_units = 8 * units_of_bytes(996);
	port.stop_units = 1;
	ends_reopen();
	send_frame(&a, 996, 0, 0);
	ck_assert_uint_eq(receive_all(&b), 2);
	link_stop_set(&b.link, 0, true);
	send_frame(&a, 996, 0, 1);
	ck_assert_uint_eq(receive_all(&b), 1);
	link_stop_set(&b.link, 0, false);
	send_frame(&a, 996, 0, 2);
	ck_assert_uint_eq(receive_all(&b), 2);
}

/* words are not packets: they arrive once, in order */
TEST(link_receive__words_are_not_impaired)
{
	port.reorder_ppb = port.duplicate_ppb = port.corrupt_ppb = ONE;
	port.reorder_wait_ps = NODE_MS;
	ends_reopen();
	link_stop_set(&a.link, 1, true);
	send_words(&a, false);
	receive_all(&b);
	link_stop_set(&a.link, 1, false);
	send_words(&a, false);
	receive_all(&b);
	ck_assert_uint_eq(b.told.stops, 1);
	ck_assert_uint_eq(b.told.gos, 1);
}

/* ---- corrupt ---- */

/* one bit of a frame that is captured whole, after its Ethernet header */
TEST(link_receive__one_bit_is_wrong)
{
	uint8_t sent[60], places[60] = { 0 };
	uint32_t distinct = 0;

	port.corrupt_ppb = ONE;
	ends_reopen();
	memset(sent, 0x5a, sizeof(sent));
	for (uint32_t i = 0; i < 200; i++) {
		uint8_t *to = link_send_packet(&a.link, a.link.tx.busy_until_ps, 64, 60, 60, 0, 0);
		struct record header;
		const uint8_t *bytes;
		uint32_t wrong = 0;
		node_time_t at;

		memcpy(to, sent, sizeof(sent));
		bytes = receive(&b, &header, &at);
		ck_assert_mem_eq(bytes, sent, 14);
		for (uint32_t k = 14; k < 60; k++) {
			wrong += (uint32_t)__builtin_popcount(bytes[k] ^ sent[k]);
			places[k] |= bytes[k] ^ sent[k];
		}
		ck_assert_uint_eq(wrong, 1);
		link_release(&b.link, 0, 1);
	}
	for (uint32_t k = 14; k < 60; k++)
		distinct += (uint32_t)__builtin_popcount(places[k]);
	ck_assert_uint_ge(distinct, 100);
	ck_assert_uint_eq(counted()->corrupted, 200);
}

/* of a generated frame only the front exists: its receiver refuses it, whatever kind it is */
TEST_RANGE(link_receive__damaged_generated_frame_is_refused, 0, FRAME_KINDS)
{
	struct frame_payload payload = { .source = 1, .message_bytes = 100, .payload_bytes = 100 };
	struct frame_spec spec = {
		.kind = (enum frame_kind)_i, .source = 1, .destination = 2, .frame_bytes = 996
	};
	uint8_t frame[256];
	uint32_t captured = frame_write(&spec, &payload, frame);
	struct record header;
	const uint8_t *bytes;
	node_time_t at;

	ck_assert_int_eq(frame_payload_read(frame, captured, 996, &payload), 0);
	port.corrupt_ppb = ONE;
	ends_reopen();
	memcpy(link_send_packet(&a.link, 0, 1000, captured, 996, 0, 0), frame, captured);
	bytes = receive(&b, &header, &at);
	ck_assert_int_ne(frame_payload_read(bytes, captured, 996, &payload), 0);
	ck_assert_mem_eq(bytes, frame, captured - 4);
}

/* ---- the link fails ---- */

/* what is delayed is lost with the link, counted, and its buffer is free */
TEST(link_down__delayed_packets_are_lost)
{
	uint32_t tags[2 * FRAMES];

	port.reorder_ppb = ONE;
	port.reorder_frames = 0;
	port.reorder_wait_ps = NODE_S;
	config.clock = CLOCK_REAL;
	ends_reopen();
	for (uint32_t i = 0; i < 3; i++)
		send_frame(&a, 996, 0, i);
	link_flush(&a.link, &(bool){ 0 });
	ring_refresh(&b.link.rx.ring);
	for (uint32_t i = 0; i < 3; i++) {
		struct record header;
		node_time_t at = link_next_at(&b.link);

		ck_assert_ptr_null(link_receive(&b.link, &header, at));
		link_done(&b.link, &header);
	}
	ck_assert_uint_eq(b.link.rx.held_units[0], 3 * units_of_bytes(996));
	link_down(&b.link, NODE_MS);
	ck_assert_uint_eq(drops(&b, DROP_LINK_DOWN), 3);
	ck_assert_uint_eq(counted()->dropped_bytes, 3 * 996);
	ck_assert_uint_eq(b.link.rx.held_units[0], 0);
	link_down(&a.link, NODE_MS);
	link_up(&a.link, NODE_MS);
	link_up(&b.link, NODE_MS);
	ck_assert_uint_eq(arrivals(0, tags, NULL), 0);
}
