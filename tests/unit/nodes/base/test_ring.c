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
	ring_init(page, DATA_BYTES);
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

TEST(ring_reserve__full_until_released)
{
	uint32_t count = 0;
	struct record header;

	while (push(count, 96))
		count++;
	ck_assert_uint_eq(count, DATA_BYTES / 128);
	ring_publish(&tx);
	ring_refresh(&rx);
	pop_expect(0, 96);
	ck_assert(!push(count, 96));
	ring_release(&rx);
	ck_assert(push(count, 96));
	ck_assert(!push(count + 1, 96));
	ring_publish(&tx);
	ring_refresh(&rx);
	for (uint32_t i = 1; i <= count; i++)
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

TEST(ring_peek__record_across_the_end_breaks_the_ring)
{
	uint32_t number = 0;

	for (; tx.tail < DATA_BYTES - 128; number++)
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
