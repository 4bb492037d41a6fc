/*  orchestrator/tunnel/tunnel_link: records pass from ring to ring in datagrams of any length, in
 *  order, with their times; what is missing is counted as lost (SC-5). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tunnel/tunnel_link.h"
#include "tests/testing.h"

#define DATA_BYTES (1u << 19)
#define EPOCH_NS 7000000000ull
#define ITEMS_MAX 512u

static struct ring_page *pages[4];
static struct ring_tx node_tx;
static struct ring_rx node_rx;
static struct tunnel_link from, to;
static struct tunnel_counts sent, received;
static uint8_t items[ITEMS_MAX][TUNNEL_DATAGRAM_MAX];
static size_t item_bytes[ITEMS_MAX];
static uint32_t item_count;

static void set_up(void)
{
	for (int i = 0; i < 4; i++) {
		pages[i] = aligned_alloc(64, ring_bytes(DATA_BYTES));
		memset(pages[i], 0, ring_bytes(DATA_BYTES));
		ring_init(pages[i], DATA_BYTES, RING_CAPTURED_MAX);
	}
	/* node -> 0 -> from ~ to -> 1 -> node; the other directions are not used */
	ck_assert_int_eq(tunnel_link_init(&from, 3, 1, 77, pages[0], ring_bytes(DATA_BYTES),
					  pages[2], ring_bytes(DATA_BYTES)),
			 0);
	ck_assert_int_eq(tunnel_link_init(&to, 3, 0, 78, pages[3], ring_bytes(DATA_BYTES), pages[1],
					  ring_bytes(DATA_BYTES)),
			 0);
	ck_assert_int_eq(ring_tx_attach(&node_tx, pages[0], ring_bytes(DATA_BYTES)), 0);
	ck_assert_int_eq(ring_rx_attach(&node_rx, pages[1], ring_bytes(DATA_BYTES)), 0);
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	item_count = 0;
}

static void tear_down(void)
{
	for (int i = 0; i < 4; i++)
		free(pages[i]);
}

static void node_send(uint32_t sequence, uint32_t captured_bytes, node_time_t at_ps)
{
	struct record *record = ring_reserve(&node_tx, captured_bytes);

	ck_assert_ptr_nonnull(record);
	*record = (struct record){ .at_ps = at_ps,
				   .wire_bytes = captured_bytes + 4,
				   .captured_bytes = captured_bytes,
				   .sequence = sequence,
				   .kind = RECORD_PACKET,
				   .traffic_class = 1 };
	memset(record_captured(record), (int)sequence, captured_bytes);
	ring_commit(&node_tx, captured_bytes);
	ring_publish(&node_tx);
}

/* all that waits, as items of datagrams with @space */
static void send_all(size_t space)
{
	while (tunnel_link_waits(&from) && item_count < ITEMS_MAX) {
		size_t length =
			tunnel_link_send(&from, items[item_count], space, true, EPOCH_NS, &sent);

		ck_assert_uint_gt(length, 0);
		ck_assert_uint_le(length, space);
		item_bytes[item_count++] = length;
	}
}

static void take(uint32_t index, node_time_t now_ps)
{
	struct tunnel_item item;

	ck_assert_int_eq(tunnel_item_read(items[index], item_bytes[index], &item),
			 (int)item_bytes[index]);
	ck_assert_int_eq(item.kind, TUNNEL_RECORD);
	tunnel_link_take(&to, &item.record, (item.record.at_ns - EPOCH_NS) * NODE_NS, now_ps,
			 &received);
}

/* the next record of the node there is @sequence, whole; 0: there is none */
static void expect(uint32_t sequence, uint32_t captured_bytes, node_time_t at_ps)
{
	struct record header;
	const uint8_t *bytes;

	tunnel_link_publish(&to);
	ring_refresh(&node_rx);
	bytes = ring_peek(&node_rx, &header);
	ck_assert_int_eq(bytes != NULL, sequence != 0);
	ck_assert(!node_rx.broken);
	if (!sequence)
		return;
	ck_assert_uint_eq(header.sequence, sequence);
	ck_assert_uint_eq(header.captured_bytes, captured_bytes);
	ck_assert_uint_eq(header.wire_bytes, captured_bytes + 4);
	ck_assert_uint_eq(header.at_ps, at_ps);
	for (uint32_t i = 0; i < captured_bytes; i++)
		ck_assert_uint_eq(bytes[i], (uint8_t)sequence);
	ring_pop(&node_rx, &header);
	ring_release(&node_rx);
}

TEST_GROUP(two_ends, .setup = set_up, .teardown = tear_down);

TEST(tunnel_link__records_and_pieces_arrive_whole)
{
	for (uint32_t i = 1; i <= 5; i++)
		node_send(i, i * 1900, i * NODE_MS);
	send_all(1400);
	ck_assert_uint_gt(item_count, 20);
	ck_assert_uint_eq(sent.sent_frames, 5);
	ck_assert_uint_eq(sent.fragmented, 5);
	for (uint32_t i = 0; i < item_count; i++)
		take(i, 0);
	for (uint32_t i = 1; i <= 5; i++)
		expect(i, i * 1900, i * NODE_MS);
	expect(0, 0, 0);
	ck_assert_uint_eq(received.received_frames, 5);
	ck_assert_uint_eq(received.lost_frames + received.late_frames, 0);
}

/* TB-23: a node changes a record of which a piece has been sent: it is dropped, and what follows
 * passes */
TEST_RANGE(tunnel_link__record_that_changes_is_dropped, 0, 2)
{
	struct record *record = ring_reserve(&node_tx, 4000);
	uint8_t piece[TUNNEL_DATAGRAM_MAX];

	*record = (struct record){
		.at_ps = 5, .wire_bytes = 4004, .captured_bytes = 4000, .kind = RECORD_PACKET
	};
	ring_commit(&node_tx, 4000);
	node_send(2, 100, 6000);
	ck_assert(tunnel_link_waits(&from));
	ck_assert_uint_gt(tunnel_link_send(&from, piece, 1400, true, EPOCH_NS, &sent), 1000);
	if (_i) {
		record->captured_bytes = 100;
	} else {
		record->kind = RECORD_WORD;
		record->captured_bytes = 0;
	}
	ck_assert_uint_eq(tunnel_link_send(&from, piece, 1400, true, EPOCH_NS, &sent), 0);
	ck_assert_uint_eq(sent.drops[TUNNEL_DROP_MALFORMED], 1);
	ck_assert_uint_eq(from.sent_bytes, 0);
}

TEST(tunnel_link__a_word_arrives)
{
	struct record *record = ring_reserve(&node_tx, 0);
	struct record header;

	*record = (struct record){ .at_ps = NODE_MS,
				   .wire_bytes = 8,
				   .kind = RECORD_WORD,
				   .word = 0x123456789abcdef0ull };
	ring_commit(&node_tx, 0);
	ring_publish(&node_tx);
	send_all(1400);
	take(0, 0);
	tunnel_link_publish(&to);
	ring_refresh(&node_rx);
	ck_assert_ptr_nonnull(ring_peek(&node_rx, &header));
	ck_assert_uint_eq(header.kind, RECORD_WORD);
	ck_assert_uint_eq(header.word, 0x123456789abcdef0ull);
}

/* any one datagram of these is lost */
TEST_RANGE(tunnel_link__what_is_missing_is_lost, 0, 6)
{
	for (uint32_t i = 1; i <= 3; i++)
		node_send(i, 2000, i);
	send_all(1400);
	ck_assert_uint_eq(item_count, 6);
	for (uint32_t i = 0; i < item_count; i++)
		if (i != (uint32_t)_i)
			take(i, 0);
	for (uint32_t i = 1; i <= 3; i++)
		if ((uint32_t)_i / 2 + 1 != i)
			expect(i, 2000, i / NODE_NS);
	expect(0, 0, 0);
	if (_i == 5) {
		/* the last one: found by the number of records that were sent */
		ck_assert_uint_eq(received.lost_frames, 0);
		tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 3 }, &received);
	}
	ck_assert_uint_eq(received.lost_frames, 1);
	ck_assert_uint_eq(received.received_frames, 2);
	/* the other half of it has arrived */
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_INCOMPLETE], 1);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_REORDERED], 0);
}

/* The far end was plugged again. What is late of the link before does not reach the new one. */
TEST(tunnel_link_take__late_records_of_the_link_before)
{
	node_send(1, 100, 1000);
	node_send(2, 100, 2000);
	send_all(200); /* one in each */
	take(0, 0);
	expect(1, 100, 1000);
	from.generation = 99;
	from.number = 0;
	node_send(3, 100, 3000);
	node_send(4, 100, 4000);
	send_all(200);
	ck_assert_uint_eq(item_count, 4);
	take(2, 0);
	take(1, 0);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_REORDERED], 1);
	take(3, 0);
	expect(3, 100, 3000);
	expect(4, 100, 4000);
	expect(0, 0, 0);
	ck_assert_uint_eq(received.lost_frames, 0);
}

/* The count of another generation, or of no more records than have arrived, says nothing. */
TEST(tunnel_link_counted__of_this_generation)
{
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 3 }, &received);
	ck_assert_uint_eq(received.lost_frames, 0);
	node_send(1, 100, NODE_US);
	send_all(1400);
	take(0, 0);
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 76, 3 }, &received);
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 1 }, &received);
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 0 }, &received);
	ck_assert_uint_eq(received.lost_frames, 0);
	/* whole records, of which no part has come */
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 5 }, &received);
	tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 5 }, &received);
	ck_assert_uint_eq(received.lost_frames, 4);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_INCOMPLETE], 0);
}

/* A count of the records before one that has arrived in part does not end it. */
TEST(tunnel_link_counted__while_a_record_arrives)
{
	node_send(1, 100, NODE_US);
	node_send(2, 2000, 2 * NODE_US);
	send_all(1400);
	for (uint32_t i = 0; i < item_count; i++) {
		take(i, 0);
		tunnel_link_counted(&to, &(struct tunnel_count){ 3, 77, 1 }, &received);
	}
	expect(1, 100, NODE_US);
	expect(2, 2000, 2 * NODE_US);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_INCOMPLETE], 0);
}

TEST(tunnel_link__order_is_kept)
{
	for (uint32_t i = 1; i <= 3; i++)
		node_send(i, 100, i * NODE_US);
	send_all(1400);
	take(0, 0);
	take(2, 0);
	take(1, 0);
	take(0, 0);
	expect(1, 100, NODE_US);
	expect(3, 100, 3 * NODE_US);
	expect(0, 0, 0);
	ck_assert_uint_eq(received.lost_frames, 1);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_REORDERED], 2);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_INCOMPLETE], 0);
}

TEST(tunnel_link__late_records_are_counted_by_how_much)
{
	node_send(1, 100, 10 * NODE_MS);
	node_send(2, 100, 20 * NODE_MS);
	send_all(1400);
	take(0, 15 * NODE_MS);
	take(1, 15 * NODE_MS);
	expect(1, 100, 10 * NODE_MS);
	expect(2, 100, 20 * NODE_MS);
	ck_assert_uint_eq(received.late_frames, 1);
	ck_assert_uint_eq(received.lateness.max_ns, 5000000);
	ck_assert_uint_eq(received.lateness.events, 2);
}

/* the node there takes nothing: what does not fit is lost, and what follows is not confused */
TEST(tunnel_link__full_ring)
{
	uint32_t in_ring = 0, all = 100;

	for (uint32_t i = 1; i <= all; i++) {
		node_send(i, 9000, i * NODE_NS);
		send_all(9700);
		take(item_count - 1, 0);
	}
	in_ring = (uint32_t)received.received_frames;
	ck_assert_uint_gt(in_ring, 20);
	ck_assert_uint_eq(received.lost_frames, all - in_ring);
	ck_assert_uint_eq(received.drops[TUNNEL_DROP_RING_FULL], all - in_ring);
	for (uint32_t i = 1; i <= in_ring; i++)
		expect(i, 9000, i * NODE_NS);
	node_send(200, 64, 200 * NODE_NS);
	send_all(9700);
	take(item_count - 1, 0);
	expect(200, 64, 200 * NODE_NS);
}

TEST(tunnel_link_count__once_when_idle)
{
	uint8_t bytes[64];

	ck_assert_uint_eq(tunnel_link_count(&from, bytes, sizeof(bytes)), 0);
	node_send(1, 100, 1);
	send_all(1400);
	ck_assert_uint_eq(tunnel_link_count(&from, bytes, sizeof(bytes)), 0);
	ck_assert_uint_gt(tunnel_link_count(&from, bytes, sizeof(bytes)), 0);
	ck_assert_uint_eq(tunnel_link_count(&from, bytes, sizeof(bytes)), 0);
}

/* pages that are no rings, in either direction */
TEST(tunnel_link_init__no_rings)
{
	const size_t bytes = ring_bytes(DATA_BYTES);
	struct tunnel_link end;

	ck_assert_int_eq(tunnel_link_init(&end, 3, 1, 77, pages[0], bytes - 64, pages[2], bytes),
			 -EINVAL);
	ck_assert_int_eq(tunnel_link_init(&end, 3, 1, 77, pages[0], bytes, pages[2], bytes - 64),
			 -EINVAL);
	ck_assert_int_eq(tunnel_link_init(&end, 3, 1, 77, pages[0], bytes, pages[2], bytes), 0);
}

/* a record waits for the next datagram if the rest of this one is not worth a piece */
TEST(tunnel_link_send__waits_for_the_next_datagram)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];

	node_send(1, 500, 1000);
	ck_assert(tunnel_link_waits(&from));
	ck_assert_uint_eq(tunnel_link_send(&from, bytes, 400, false, EPOCH_NS, &sent), 0);
	ck_assert_uint_eq(from.sent_bytes, 0);
	/* nothing waits in an empty one */
	ck_assert_uint_eq(tunnel_link_send(&from, bytes, 400, true, EPOCH_NS, &sent), 400);
	ck_assert_uint_eq(sent.fragmented, 1);
	ck_assert_uint_eq(sent.sent_frames, 0);
	ck_assert_uint_gt(tunnel_link_send(&from, bytes, 400, false, EPOCH_NS, &sent), 0);
	ck_assert_uint_eq(sent.sent_frames, 1);
	ck_assert_uint_eq(tunnel_link_send(&from, bytes, 400, false, EPOCH_NS, &sent), 0);
	/* one that is in pieces anyway fills the rest, if that is long enough */
	node_send(2, 5000, 2000);
	ck_assert(tunnel_link_waits(&from));
	ck_assert_uint_eq(tunnel_link_send(&from, bytes, 100, false, EPOCH_NS, &sent), 0);
	ck_assert_uint_eq(tunnel_link_send(&from, bytes, 300, false, EPOCH_NS, &sent), 300);
}
