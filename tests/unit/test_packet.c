/*  switchd/packet: the pool and the first-in first-out queue (FC-11).                                                */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "switchd/packet.h"
#include "tests/testing.h"

#define PACKETS 5u
#define CAPTURED_MAX 128u

static struct packet_pool pool;

static void setup(void)
{
	ck_assert_int_eq(packet_pool_init(&pool, PACKETS, CAPTURED_MAX), 0);
}

static void teardown(void)
{
	packet_pool_fini(&pool);
}

TEST_GROUP(packet, .setup = setup, .teardown = teardown);

TEST(packet_pool_init__every_packet_has_its_own_room)
{
	struct packet *packets[PACKETS];

	for (uint32_t i = 0; i < PACKETS; i++) {
		packets[i] = packet_alloc(&pool);
		ck_assert_ptr_nonnull(packets[i]);
		ck_assert_uint_eq((uintptr_t)packets[i] % 64, 0);
		memset(packets[i], (int)i, sizeof(struct packet) + CAPTURED_MAX);
	}
	for (uint32_t i = 0; i < PACKETS; i++) {
		ck_assert_uint_eq(packets[i]->frame_bytes, i * 0x01010101u);
		ck_assert_uint_eq(packets[i]->bytes[CAPTURED_MAX - 1], i);
	}
}

/* more than can be counted is no smaller pool */
TEST(packet_pool_init__too_many)
{
	struct packet_pool large;

	ck_assert_int_eq(packet_pool_init(&large, 1ull << 32, 0), -ENOMEM);
	packet_pool_fini(&large);
}

/* FC-9: running out is normal, and ends when one comes back */
TEST(packet_alloc__all_in_use)
{
	struct packet *last = NULL;

	for (uint32_t i = 0; i < PACKETS; i++)
		last = packet_alloc(&pool);
	ck_assert_uint_eq(pool.used, PACKETS);
	ck_assert_ptr_null(packet_alloc(&pool));
	ck_assert_uint_eq(pool.used, PACKETS);
	packet_free(&pool, last);
	ck_assert_ptr_eq(packet_alloc(&pool), last);
	ck_assert_ptr_null(packet_alloc(&pool));
}

TEST(packet_free__last_in_first_out)
{
	struct packet *a = packet_alloc(&pool), *b = packet_alloc(&pool);

	packet_free(&pool, a);
	packet_free(&pool, b);
	ck_assert_uint_eq(pool.used, 0);
	ck_assert_ptr_eq(packet_alloc(&pool), b);
	ck_assert_ptr_eq(packet_alloc(&pool), a);
	ck_assert_ptr_ne(packet_alloc(&pool), a);
}

TEST(packet_queue_pop__first_in_first_out)
{
	struct packet_queue queue = { 0 };
	struct packet *packets[PACKETS];

	for (uint32_t i = 0; i < PACKETS; i++) {
		packets[i] = packet_alloc(&pool);
		packet_queue_push(&queue, packets[i]);
	}
	for (uint32_t i = 0; i < PACKETS; i++)
		ck_assert_ptr_eq(packet_queue_pop(&queue), packets[i]);
	ck_assert_ptr_null(queue.head);
}

TEST(packet_queue_push__again_after_empty)
{
	struct packet_queue queue = { 0 };
	struct packet *a = packet_alloc(&pool), *b = packet_alloc(&pool);

	packet_queue_push(&queue, a);
	ck_assert_ptr_eq(packet_queue_pop(&queue), a);
	packet_queue_push(&queue, b);
	packet_queue_push(&queue, a);
	ck_assert_ptr_eq(packet_queue_pop(&queue), b);
	ck_assert_ptr_eq(packet_queue_pop(&queue), a);
	ck_assert_ptr_null(queue.head);
}
