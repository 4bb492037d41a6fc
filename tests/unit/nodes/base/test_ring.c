/*  nodes/base/ring: order, batches, wrapping, and a consumer that trusts nothing in the ring (TB-2,
 *  TB-23). */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "tests/testing.h"

#define DATA_BYTES RING_BYTES_MIN

static struct ring_page *page;
static struct ring_tx tx;
static struct ring_rx rx;

static void setup(void)
{
	page = aligned_alloc(RING_LINE, ring_bytes(DATA_BYTES));
	memset(page, 0, ring_bytes(DATA_BYTES));
	ring_init(page, DATA_BYTES, RING_CAPTURED_MAX);
	ck_assert_int_eq(ring_tx_attach(&tx, page, ring_bytes(DATA_BYTES)), 0);
	ck_assert_int_eq(ring_rx_attach(&rx, page, ring_bytes(DATA_BYTES)), 0);
}

static void teardown(void)
{
	free(page);
}

/* Produces packet @number, whose bytes follow from the number.  Return: false if the ring is
 * full. */
static bool push(uint32_t number, uint32_t captured_bytes)
{
	struct record *record = ring_reserve(&tx, captured_bytes);

	if (!record)
		return false;
	*record = (struct record){ .at_ps = number,
				   .wire_bytes = captured_bytes,
				   .captured_bytes = captured_bytes,
				   .sequence = number,
				   .kind = RECORD_PACKET };
	memset(record_captured(record), (int)(number & 0xff), captured_bytes);
	ring_commit(&tx, captured_bytes);
	return true;
}

static void pop_expect(uint32_t number, uint32_t captured_bytes)
{
	struct record header;
	const uint8_t *bytes = ring_peek(&rx, &header);
	uint32_t wrong = 0;

	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(header.sequence, number);
	ck_assert_uint_eq(header.at_ps, number);
	ck_assert_uint_eq(header.captured_bytes, captured_bytes);
	for (uint32_t i = 0; i < captured_bytes; i++)
		wrong += bytes[i] != (number & 0xff);
	ck_assert_uint_eq(wrong, 0);
	ring_pop(&rx, &header);
}

TEST_GROUP(ring, .setup = setup, .teardown = teardown);

TEST(ring_attach__rejects_what_is_no_ring)
{
	struct ring_rx other;
	size_t size = ring_bytes(DATA_BYTES);

	ck_assert_int_eq(ring_rx_attach(&other, page, size - 1), -EINVAL);
	ck_assert_int_eq(ring_rx_attach(&other, page, sizeof(struct ring_page) - 1), -EINVAL);
	page->data_bytes = DATA_BYTES / 2;
	ck_assert_int_eq(ring_rx_attach(&other, page, size), -EINVAL);
	page->data_bytes = DATA_BYTES - 64;
	ck_assert_int_eq(ring_tx_attach(&tx, page, size), -EINVAL);
	page->data_bytes = 1u << 31;
	ck_assert_int_eq(ring_tx_attach(&tx, page, size), -EINVAL);
	page->data_bytes = DATA_BYTES;
	page->magic++;
	ck_assert_int_eq(ring_tx_attach(&tx, page, size), -EINVAL);
	page->magic--;
	page->segment_bytes *= 2;
	ck_assert_int_eq(ring_rx_attach(&other, page, size), -EINVAL);
	page->segment_bytes = 0;
	ck_assert_int_eq(ring_tx_attach(&tx, page, size), -EINVAL);
	ring_init(page, DATA_BYTES, RING_CAPTURED_MAX);
	page->captured_max = RING_CAPTURED_MAX + 1;
	ck_assert_int_eq(ring_rx_attach(&other, page, size), -EINVAL);
	ring_init(page, DATA_BYTES, RING_CAPTURED_MAX);
	ck_assert_int_eq(ring_rx_attach(&other, page, size), 0);
}

TEST(ring_publish__makes_records_visible)
{
	struct record header;

	ck_assert(push(1, 96));
	ring_refresh(&rx);
	ck_assert_ptr_null(ring_peek(&rx, &header));
	ck_assert(push(2, 10));
	ring_publish(&tx);
	ck_assert_ptr_null(ring_peek(&rx, &header));
	ring_refresh(&rx);
	pop_expect(1, 96);
	pop_expect(2, 10);
	ck_assert_ptr_null(ring_peek(&rx, &header));
	ck_assert(!rx.broken);
}

/* TB-2: a generated packet of at most 96 captured bytes takes two cache lines */
TEST(ring_commit__packet_takes_two_cache_lines)
{
	ck_assert(push(1, 96));
	ck_assert_uint_eq(tx.tail, 128);
	ck_assert(push(2, 97));
	ck_assert_uint_eq(tx.tail, 128 + 192);
	ck_assert(push(3, 0));
	ck_assert_uint_eq(tx.tail, 128 + 192 + 64);
}

/* space returns by segments */
TEST(ring_reserve__full_until_released)
{
	const uint32_t of_segment = page->segment_bytes / 128 - 1; /* and a pad */
	uint32_t count = 0;
	struct record header;

	while (push(count, 96))
		count++;
	ck_assert_uint_eq(count, 2 * of_segment);
	ring_publish(&tx);
	ring_refresh(&rx);
	for (uint32_t i = 0; i < of_segment; i++)
		pop_expect(i, 96);
	ring_release(&rx);
	ck_assert(!push(count, 96));
	pop_expect(of_segment, 96); /* the consumer has left the first segment */
	ck_assert(!push(count, 96));
	ring_release(&rx);
	for (uint32_t i = 0; i < of_segment; i++)
		ck_assert(push(count++, 96));
	ck_assert(!push(count, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	for (uint32_t i = of_segment + 1; i < count; i++)
		pop_expect(i, 96);
	ck_assert_ptr_null(ring_peek(&rx, &header));
}

/* The sizes do not divide the ring. A record never wraps, nothing is lost, and the order is
 * kept. */
TEST(ring_reserve__wraps_with_pads)
{
	uint32_t pushed = 0, popped = 0;

	while (popped < 2000) {
		while (push(pushed, pushed * 37 % 1500))
			pushed++;
		ring_publish(&tx);
		ring_refresh(&rx);
		for (; popped < pushed; popped++)
			pop_expect(popped, popped * 37 % 1500);
		ring_release(&rx);
		ck_assert(!rx.broken);
	}
}

TEST(ring_reserve__longest_record_fits)
{
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert(push(i, RING_CAPTURED_MAX));
		ring_publish(&tx);
		ring_refresh(&rx);
		pop_expect(i, RING_CAPTURED_MAX);
		ring_release(&rx);
	}
}

/* ---- segments (SC-2) ---- */

#define HEADERS_MAX 224u /* records of a line or a few: small segments */
#define LONG_BYTES (1u << 20)

/* a ring of 1 MiB for short records */
static void reopen_long(void)
{
	free(page);
	page = aligned_alloc(RING_LINE, ring_bytes(LONG_BYTES));
	memset(page, 0, ring_bytes(LONG_BYTES));
	ring_init(page, LONG_BYTES, HEADERS_MAX);
	ck_assert_int_eq(ring_tx_attach(&tx, page, ring_bytes(LONG_BYTES)), 0);
	ck_assert_int_eq(ring_rx_attach(&rx, page, ring_bytes(LONG_BYTES)), 0);
}

/* segments with a byte that is not zero */
static uint32_t segments_touched(void)
{
	uint32_t touched = 0;

	for (uint32_t i = 0; i < LONG_BYTES; i += page->segment_bytes) {
		bool any = false;

		for (uint32_t at = i; at < i + page->segment_bytes && !any; at++)
			any = page->data[at];
		touched += any;
	}
	return touched;
}

static void take_all(uint32_t *popped, uint32_t pushed)
{
	ring_publish(&tx);
	ring_refresh(&rx);
	for (; *popped < pushed; (*popped)++)
		pop_expect(*popped, 96);
	ring_release(&rx);
}

/* a small ring has small segments, which records of its length must fit in */
TEST(ring_init__segments)
{
	static struct ring_page sized;

	ring_init(&sized, RING_BYTES_MIN, HEADERS_MAX);
	ck_assert_uint_eq(sized.segment_bytes, RING_SEGMENT_BYTES_MIN);
	ring_init(&sized, RING_SEGMENTS_MAX * RING_SEGMENT_BYTES_MIN, HEADERS_MAX);
	ck_assert_uint_eq(sized.segment_bytes, RING_SEGMENT_BYTES_MIN);
	ring_init(&sized, 2 * RING_SEGMENTS_MAX * RING_SEGMENT_BYTES_MIN, HEADERS_MAX);
	ck_assert_uint_eq(sized.segment_bytes, 2 * RING_SEGMENT_BYTES_MIN);
	ring_init(&sized, 1u << 20, RING_CAPTURED_MAX);
	ck_assert_uint_eq(sized.segment_bytes, 32768); /* two records and the pad */
}

/* what is in flight fits in one segment: one that is written and one that is read */
TEST(ring_reserve__touches_what_is_in_flight)
{
	uint32_t pushed = 0, popped = 0;

	reopen_long();
	ck_assert_uint_eq(page->segment_bytes, LONG_BYTES / RING_SEGMENTS_MAX);
	while (pushed < 100000) {
		for (uint32_t i = 0; i < 20; i++)
			ck_assert(push(pushed++, 96));
		take_all(&popped, pushed);
	}
	ck_assert_uint_le(segments_touched(), 2);
	ck_assert(!rx.broken);
}

/* after a burst a ring has touched what was in flight, and uses that again */
TEST(ring_reserve__uses_the_segment_that_was_released_last)
{
	uint32_t pushed = 0, popped = 0, touched;

	reopen_long();
	for (; pushed < 1000; pushed++)
		ck_assert(push(pushed, 96));
	take_all(&popped, pushed);
	touched = segments_touched();
	ck_assert_uint_eq(touched, 1000 / 31 + 1); /* 31 records of two lines and a pad */
	for (uint32_t round = 0; round < 10000; round++) {
		ck_assert(push(pushed++, 96));
		take_all(&popped, pushed);
	}
	ck_assert_uint_eq(segments_touched(), touched);
}

/* the bound that plans rely on: no order of lengths overflows a ring of this capacity */
TEST_RANGE(ring_capacity__always_fits, 0, 8)
{
	uint64_t capacity = ring_capacity(LONG_BYTES, HEADERS_MAX), bytes = 0;
	uint32_t number = 0, state = 7 * (uint32_t)_i + 1, popped = 0;

	reopen_long();
	ck_assert_uint_gt(capacity, LONG_BYTES * 9 / 10);
	/* as long as a segment, so that the oldest one is used in part */
	for (int i = 0; i < _i * 9; i++)
		ck_assert(push(number++, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	for (; popped < number; popped++)
		pop_expect(popped, 96);
	ring_release(&rx);
	for (;;) {
		uint32_t captured = _i ? (state >> 16) % (HEADERS_MAX + 1) : HEADERS_MAX;

		state = state * 1103515245 + 12345;
		bytes += (sizeof(struct record) + captured + RING_LINE - 1) / RING_LINE * RING_LINE;
		if (bytes > capacity)
			break;
		ck_assert_msg(push(number++, captured), "full after %u records", number);
	}
}

TEST(ring_reserve__no_record_longer_than_those_of_the_ring)
{
	reopen_long();
	ck_assert(push(1, HEADERS_MAX));
	ck_assert_ptr_null(ring_reserve(&tx, HEADERS_MAX + 1));
	ck_assert_ptr_null(ring_reserve(&tx, UINT32_MAX));
}

TEST(ring_has_room__for_the_longest_record)
{
	uint32_t number = 0;
	struct record header;

	while (ring_has_room(&tx)) {
		ck_assert(push(number, number % 2 ? RING_CAPTURED_MAX : 700));
		number++;
	}
	ck_assert_uint_gt(number, 2);
	ck_assert(!push(number, RING_CAPTURED_MAX));
	ring_publish(&tx);
	ring_refresh(&rx);
	while (ring_peek(&rx, &header))
		ring_pop(&rx, &header);
	ring_release(&rx);
	ck_assert(ring_has_room(&tx));
	ck_assert(push(number, RING_CAPTURED_MAX));
}

/* a consumer that claims to have taken more than there is: the producer stays in the ring, and does
 * not write over the segment that it fills */
TEST_RANGE(ring_reserve__forged_head, 0, 3)
{
	static const uint64_t heads[] = { UINT64_MAX, 1ull << 40, LONG_BYTES };
	struct record *last = NULL;

	reopen_long();
	for (uint32_t i = 0; i < 20000; i++) {
		struct record *record;

		atomic_store(&page->head, heads[_i]);
		record = ring_reserve(&tx, 96);
		if (!record)
			break;
		ck_assert((uint8_t *)record >= page->data &&
			  (uint8_t *)(record + 4) <= page->data + LONG_BYTES);
		ck_assert_ptr_ne(record, last);
		last = record;
		ring_commit(&tx, 96);
	}
}

#define THREAD_RECORDS 20000u

static void *produce(void *unused)
{
	uint32_t pushed = 0;

	(void)unused;
	while (pushed < THREAD_RECORDS) {
		uint32_t batch = pushed % 7 + 1;

		for (; batch && pushed < THREAD_RECORDS && push(pushed, pushed * 37 % 300); batch--)
			pushed++;
		ring_publish(&tx);
		if (batch)
			sched_yield();
	}
	return NULL;
}

/* Both ends run at the same time. The thread sanitizer checks that one store publishes and one
 * store releases. */
TEST(ring_publish__two_threads_keep_order)
{
	pthread_t producer;
	uint32_t popped = 0, wrong = 0;
	struct record header;
	const uint8_t *bytes;

	ck_assert_int_eq(pthread_create(&producer, NULL, produce, NULL), 0);
	while (popped < THREAD_RECORDS && !rx.broken) {
		ring_refresh(&rx);
		for (; (bytes = ring_peek(&rx, &header)); popped++) {
			wrong += header.sequence != popped ||
				 header.captured_bytes != popped * 37 % 300;
			for (uint32_t i = 0; i < header.captured_bytes; i++)
				wrong += bytes[i] != (popped & 0xff);
			ring_pop(&rx, &header);
		}
		ring_release(&rx);
		sched_yield();
	}
	ck_assert_int_eq(pthread_join(producer, NULL), 0);
	ck_assert(!rx.broken);
	ck_assert_uint_eq(wrong, 0);
}

/* ---- a producer that breaks the rules: the ring is marked broken and no longer read ---- */

static void broken_expect(void)
{
	struct record header;

	ring_refresh(&rx);
	ck_assert_ptr_null(ring_peek(&rx, &header));
	ck_assert(rx.broken);
	ck_assert_ptr_null(ring_peek(&rx, &header));
	ring_refresh(&rx);
	ck_assert(rx.broken);
}

TEST_RANGE(ring_refresh__bad_tail_breaks_the_ring, 0, 6)
{
	static const uint64_t tails[] = {
		1, 63, DATA_BYTES + 64, UINT64_MAX, UINT64_MAX - 63, 1ull << 63
	};

	atomic_store(&page->tail, tails[_i]);
	broken_expect();
}

TEST(ring_refresh__tail_that_goes_back_breaks_the_ring)
{
	ck_assert(push(1, 96) && push(2, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	pop_expect(1, 96);
	atomic_store(&page->tail, 128);
	ring_refresh(&rx);
	ck_assert(rx.broken);
}

TEST_RANGE(ring_peek__bad_header_breaks_the_ring, 0, 6)
{
	struct record *record = ring_reserve(&tx, 96);

	*record =
		(struct record){ .kind = RECORD_PACKET, .wire_bytes = 1000, .captured_bytes = 96 };
	switch (_i) {
	case 0:
		record->kind = RECORD_KINDS;
		break;
	case 1:
		record->kind = UINT16_MAX;
		break;
	case 2: /* longer than what was published */
		record->captured_bytes = 97;
		break;
	case 3:
		record->captured_bytes = UINT32_MAX;
		break;
	case 4:
		record->wire_bytes = RING_CAPTURED_MAX + 1;
		break;
	case 5: /* a pad where there is nothing to skip */
		record->kind = RECORD_PAD;
		break;
	}
	ring_commit(&tx, 96);
	ring_publish(&tx);
	broken_expect();
}

TEST(ring_peek__time_that_goes_back_breaks_the_ring)
{
	ck_assert(push(7, 96) && push(6, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	pop_expect(7, 96);
	broken_expect();
}

TEST(ring_peek__pad_beyond_published_breaks_the_ring)
{
	ck_assert(push(1, 96));
	*ring_reserve(&tx, 0) = (struct record){ .kind = RECORD_PAD };
	ring_commit(&tx, 0);
	ring_publish(&tx);
	ring_refresh(&rx);
	pop_expect(1, 96);
	broken_expect();
}

/* a pad that names no segment */
TEST_RANGE(ring_peek__pad_to_nowhere_breaks_the_ring, 0, 2)
{
	static const uint64_t segments[] = { 2, UINT64_MAX };
	uint32_t number = 0;
	struct record *first = ring_reserve(&tx, 96), *pad;

	while (tx.tail < page->segment_bytes)
		ck_assert(push(number++, 96));
	pad = (struct record *)((uint8_t *)first + page->segment_bytes - RING_LINE);
	while (pad->word != 1 || pad->kind != RECORD_PAD)
		pad -= 2;
	ring_publish(&tx);
	ring_refresh(&rx);
	for (uint32_t i = 0; i + 1 < number; i++)
		pop_expect(i, 96);
	pad->word = segments[_i];
	broken_expect();
}

TEST(ring_peek__record_across_the_end_breaks_the_ring)
{
	uint32_t number = 0;

	/* the last place of the segment before the line of its pad */
	for (; tx.tail < page->segment_bytes - 256; number++)
		ck_assert(push(number, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	for (uint32_t i = 0; i < number; i++)
		pop_expect(i, 96);
	ring_release(&rx);
	*ring_reserve(&tx, 96) = (struct record){
		.kind = RECORD_PACKET, .at_ps = number, .wire_bytes = 1000, .captured_bytes = 200
	};
	ring_commit(&tx, 96);
	ck_assert(push(number + 1, 96) && push(number + 2, 96));
	ring_publish(&tx);
	broken_expect();
}

/* a fabric may be up for 212 days; a later time is none, and nothing that is added to it wraps */
TEST_RANGE(ring_peek__latest_time_of_a_record, 0, 2)
{
	struct record header;

	*ring_reserve(&tx, 96) = (struct record){ .kind = RECORD_PACKET,
						  .at_ps = NODE_TIME_LATEST + (uint64_t)_i,
						  .wire_bytes = 96,
						  .captured_bytes = 96 };
	ring_commit(&tx, 96);
	ring_publish(&tx);
	if (_i) {
		broken_expect();
		return;
	}
	ring_refresh(&rx);
	ck_assert_ptr_nonnull(ring_peek(&rx, &header));
	ck_assert_uint_ge(NODE_TIME_LATEST, 212 * 24 * 3600 * NODE_S);
}
