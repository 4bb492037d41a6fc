/*  nicd/transport/tcp_receiver: segments out of order wait, and are delivered in order (RC-6). */
#include <stdlib.h>

#include "nicd/transport/tcp_receiver.h"
#include "nodes/base/random.h"
#include "tests/testing.h"

#define BYTES 100u

static struct tcp_receiver receiver;

static void start(uint32_t segments_max, uint32_t segments_each)
{
	ck_assert_int_eq(tcp_receiver_init(&receiver, 3, segments_max, segments_each), 0);
}

/* segment @n of 100 bytes */
static enum tcp_verdict take(uint32_t connection, uint32_t n)
{
	struct tcp_segment segment = { .payload.packet = n, .sequence = n * BYTES, .bytes = BYTES };

	return tcp_receiver_take(&receiver, connection, &segment, false, false);
}

static bool pop(uint32_t connection, uint32_t n)
{
	struct tcp_segment segment;

	return tcp_receiver_pop(&receiver, connection, &segment) && segment.payload.packet == n;
}

TEST(tcp_receiver_take__in_order)
{
	struct tcp_segment segment;

	start(4, 4);
	for (uint32_t n = 0; n < 100; n++) {
		ck_assert_int_eq(take(1, n), TCP_IN_ORDER);
		ck_assert_uint_eq(tcp_receiver_expected(&receiver, 1), (n + 1) * BYTES);
		ck_assert(!tcp_receiver_pop(&receiver, 1, &segment));
	}
	ck_assert_int_eq(take(1, 99), TCP_DUPLICATE);
	ck_assert_uint_eq(tcp_receiver_expected(&receiver, 0), 0);
	tcp_receiver_fini(&receiver);
}

/* the ACK number stays at the gap until it is closed, then jumps */
TEST(tcp_receiver_take__ack_stays_at_the_gap)
{
	struct tcp_segment segment;

	start(8, 8);
	take(0, 0);
	ck_assert_int_eq(take(0, 2), TCP_HELD);
	ck_assert_int_eq(take(0, 3), TCP_HELD);
	ck_assert_int_eq(take(0, 5), TCP_HELD);
	ck_assert_int_eq(take(0, 3), TCP_DUPLICATE);
	ck_assert_uint_eq(tcp_receiver_expected(&receiver, 0), BYTES);
	ck_assert_int_eq(take(0, 1), TCP_IN_ORDER);
	ck_assert(pop(0, 2));
	ck_assert(pop(0, 3));
	ck_assert(!tcp_receiver_pop(&receiver, 0, &segment));
	ck_assert_uint_eq(tcp_receiver_expected(&receiver, 0), 4 * BYTES);
	ck_assert_int_eq(take(0, 4), TCP_IN_ORDER);
	ck_assert(pop(0, 5));
	ck_assert_uint_eq(receiver.pool.count, 0);
	tcp_receiver_fini(&receiver);
}

/* the limit of a connection, and that of all; a rejected segment is sent again */
TEST(tcp_receiver_take__full_rejects)
{
	start(3, 2);
	ck_assert_int_eq(take(0, 1), TCP_HELD);
	ck_assert_int_eq(take(0, 2), TCP_HELD);
	ck_assert_int_eq(take(0, 3), TCP_REFUSED);
	ck_assert_int_eq(take(1, 1), TCP_HELD);
	ck_assert_int_eq(take(1, 2), TCP_REFUSED);
	ck_assert_int_eq(take(0, 0), TCP_IN_ORDER);
	ck_assert(pop(0, 1));
	ck_assert_int_eq(take(1, 2), TCP_HELD);
	tcp_receiver_fini(&receiver);
}

/* a segment longer than those that wait: none of them is delivered again or forgotten */
TEST(tcp_receiver_covered__longer_segment_releases_them)
{
	struct tcp_segment segment = { .payload.packet = 7, .sequence = 0, .bytes = 2 * BYTES + 1 };

	start(8, 8);
	ck_assert_int_eq(take(0, 1), TCP_HELD);
	ck_assert_int_eq(take(0, 2), TCP_HELD);
	ck_assert_int_eq(take(0, 4), TCP_HELD);
	ck_assert_int_eq(tcp_receiver_take(&receiver, 0, &segment, false, false), TCP_IN_ORDER);
	ck_assert(tcp_receiver_covered(&receiver, 0, &segment));
	ck_assert_uint_eq(segment.payload.packet, 1);
	ck_assert(tcp_receiver_covered(&receiver, 0, &segment));
	ck_assert_uint_eq(segment.payload.packet, 2);
	ck_assert(!tcp_receiver_covered(&receiver, 0, &segment));
	ck_assert(!tcp_receiver_pop(&receiver, 0, &segment));
	ck_assert_uint_eq(receiver.pool.count, 1);
	tcp_receiver_fini(&receiver);
}

/* the stream is longer than 2^32 bytes */
TEST(tcp_receiver_take__wraps)
{
	start(8, 8);
	receiver.streams[2].expected = 0u - BYTES;
	ck_assert_int_eq(take(2, 1), TCP_HELD);
	ck_assert_int_eq(take(2, 0), TCP_HELD);
	ck_assert_int_eq(
		tcp_receiver_take(&receiver, 2,
				  &(struct tcp_segment){ .sequence = 0u - BYTES, .bytes = BYTES },
				  0, 0),
		TCP_IN_ORDER);
	ck_assert(pop(2, 0));
	ck_assert(pop(2, 1));
	tcp_receiver_fini(&receiver);
}

/* RFC 3168: echoed from the mark to CWR; a mark on the packet with CWR starts again */
TEST(tcp_receiver_echo__until_cwr)
{
	struct tcp_segment segment = { .bytes = BYTES };

	start(8, 8);
	ck_assert(!tcp_receiver_echo(&receiver, 0));
	tcp_receiver_take(&receiver, 0, &segment, true, false);
	segment.sequence += BYTES;
	ck_assert(tcp_receiver_echo(&receiver, 0));
	tcp_receiver_take(&receiver, 0, &segment, false, false);
	segment.sequence += BYTES;
	ck_assert(tcp_receiver_echo(&receiver, 0));
	tcp_receiver_take(&receiver, 0, &segment, false, true);
	segment.sequence += BYTES;
	ck_assert(!tcp_receiver_echo(&receiver, 0));
	tcp_receiver_take(&receiver, 0, &segment, true, true);
	ck_assert(tcp_receiver_echo(&receiver, 0));
	tcp_receiver_fini(&receiver);
}

/* in any order, lost and duplicated, each segment is delivered once and in its place */
TEST_RANGE(tcp_receiver__any_order_is_delivered_in_order, 0, 10)
{
	enum { COUNT = 2000, NEAR = 40 };
	struct random random;
	uint32_t next = 0;

	random_init(&random, 99, (uint64_t)_i);
	start(30, 20);
	for (uint32_t step = 0; next < COUNT && step < 100000; step++) {
		uint32_t n = next + (uint32_t)random_below(&random, NEAR);
		enum tcp_verdict verdict;

		n -= n && !random_below(&random, 4);
		verdict = take(0, n);
		ck_assert(n != next || verdict == TCP_IN_ORDER);
		ck_assert(n >= next || verdict == TCP_DUPLICATE);
		if (verdict != TCP_IN_ORDER)
			continue;
		for (next++; pop(0, next); next++)
			;
		ck_assert_uint_eq(tcp_receiver_expected(&receiver, 0), next * BYTES);
		ck_assert_uint_eq(receiver.pool.count, receiver.streams[0].waiting);
	}
	ck_assert_uint_ge(next, COUNT);
	tcp_receiver_fini(&receiver);
}

/* lengths and places that no sender makes: nothing is delivered twice, nothing leaks */
TEST_RANGE(tcp_receiver__bad_segments_are_harmless, 0, 10)
{
	struct random random;
	struct tcp_segment segment;

	random_init(&random, 7, (uint64_t)_i);
	start(30, 20);
	for (uint32_t step = 0; step < 20000; step++) {
		uint32_t expected = tcp_receiver_expected(&receiver, 0);

		segment = (struct tcp_segment){
			.sequence = expected + (uint32_t)random_below(&random, 2000) - 500,
			.bytes = (uint32_t)random_below(&random, 400)
		};
		if (tcp_receiver_take(&receiver, 0, &segment, false, false) != TCP_IN_ORDER)
			continue;
		expected += segment.bytes;
		while (tcp_receiver_pop(&receiver, 0, &segment)) {
			ck_assert_uint_eq(segment.sequence, expected);
			expected += segment.bytes;
		}
		ck_assert_uint_eq(receiver.pool.count, receiver.streams[0].waiting);
	}
	tcp_receiver_fini(&receiver);
}
