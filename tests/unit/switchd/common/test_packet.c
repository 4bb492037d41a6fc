/*  switchd/common/packet: the pool of cells, and the first-in first-out queue (FC-11, TB-26). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "switchd/common/packet.h"
#include "tests/testing.h"

#define PACKETS 5u
#define CELLS 60u
#define CAPTURED_MAX 9216u
#define MODEL_CELLS 400u
#define MODEL_STEPS 8000u

static struct packet_pool pool;

static void setup(void)
{
	ck_assert_int_eq(packet_pool_init(&pool, CELLS, CAPTURED_MAX), 0);
}

static void teardown(void)
{
	packet_pool_fini(&pool);
}

/* byte @at of the frame @seed */
static uint8_t byte_of(uint32_t seed, uint32_t at)
{
	return (uint8_t)(seed * 37 + at * 11 + at / 256);
}

static void bytes_make(uint32_t seed, uint32_t count, uint8_t *bytes)
{
	for (uint32_t i = 0; i < count; i++)
		bytes[i] = byte_of(seed, i);
}

/* Allocates a packet with a whole frame of @bytes, as received from a link.  Return: NULL and @why
 * if the pool cannot hold it. */
static struct packet *receive(uint32_t seed, uint32_t bytes, enum drop_reason *why)
{
	static uint8_t frame[2 * CAPTURED_MAX];
	struct link link = { .rx.rate_bps = 1000000000, .rx.ps_per_byte = 8000 };
	struct record record = { .wire_bytes = bytes + FRAME_FCS_BYTES, .captured_bytes = bytes };

	bytes_make(seed, bytes, frame);
	return packet_copy_in(&pool, &link, CAPTURED_MAX, &record, frame, 0, why);
}

static void packet_expect(const struct packet *packet, uint32_t seed, uint32_t bytes)
{
	static uint8_t out[CAPTURED_MAX + 1], expected[CAPTURED_MAX];

	out[bytes] = 0xa5;
	bytes_make(seed, bytes, expected);
	ck_assert_uint_eq(packet->captured_bytes, bytes);
	packet_copy_out(packet, out);
	ck_assert_mem_eq(out, expected, bytes);
	ck_assert_uint_eq(out[bytes], 0xa5);
	ck_assert_mem_eq(packet_whole(&pool, packet), expected, bytes);
}

TEST_GROUP(packet, .setup = setup, .teardown = teardown);

TEST(packet_pool_init__every_packet_has_its_own_memory)
{
	struct packet *packets[CELLS];

	for (uint32_t i = 0; i < CELLS; i++) {
		packets[i] = packet_alloc(&pool, PACKET_FIRST_BYTES);
		ck_assert_ptr_nonnull(packets[i]);
		ck_assert_uint_eq((uintptr_t)packets[i] % 64, 0);
		memset(packets[i], (int)i, sizeof(struct packet) + PACKET_FIRST_BYTES);
	}
	for (uint32_t i = 0; i < CELLS; i++) {
		ck_assert_uint_eq(packets[i]->frame_bytes, i * 0x01010101u);
		ck_assert_uint_eq(packets[i]->bytes[PACKET_FIRST_BYTES - 1], i);
	}
}

/* an overflow of the count must not give a smaller pool */
TEST(packet_pool_init__rejects_too_many)
{
	struct packet_pool large;

	ck_assert_int_eq(packet_pool_init(&large, 1ull << 32, 0), -ENOMEM);
	packet_pool_fini(&large);
}

/* TB-26: the cells that were in use at one time are touched, and no more */
TEST(packet_alloc__touches_what_is_used)
{
	ck_assert_uint_eq(pool.fresh, 0);
	for (uint32_t round = 0; round < 10; round++) {
		struct packet *a = packet_alloc(&pool, 60), *b = packet_alloc(&pool, 1000);

		packet_free(&pool, a);
		packet_free(&pool, b);
	}
	ck_assert_uint_eq(pool.fresh, 1 + packet_cells(1000));
}

/* where only headers are captured, every packet has one cell */
TEST(packet_cells_of_units__headers_need_one_cell)
{
	ck_assert_uint_eq(packet_cells_of_units(1000, FRAME_HEADERS_MAX), 1000);
}

TEST(packet_cells__at_boundaries)
{
	ck_assert_uint_eq(packet_cells(0), 1);
	ck_assert_uint_eq(packet_cells(PACKET_FIRST_BYTES), 1);
	ck_assert_uint_eq(packet_cells(PACKET_FIRST_BYTES + 1), 2);
	for (uint32_t more = 1; more < 60; more++) {
		ck_assert_uint_eq(packet_cells(PACKET_FIRST_BYTES + more * PACKET_MORE_BYTES),
				  1 + more);
		ck_assert_uint_eq(packet_cells(PACKET_FIRST_BYTES + more * PACKET_MORE_BYTES + 1),
				  2 + more);
	}
}

/* TB-26: the reserved cells suffice for a frame of any length, and so for any mix of them */
TEST(packet_cells__reserve_suffices_for_any_frames)
{
	for (uint32_t bytes = 1; bytes <= UINT16_MAX; bytes++) {
		uint32_t in_buffer = bytes + FRAME_FCS_BYTES;

		if (in_buffer < PACKET_BUFFER_BYTES)
			in_buffer = PACKET_BUFFER_BYTES;
		ck_assert_uint_le(packet_cells(bytes), in_buffer / PACKET_BUFFER_BYTES);
		ck_assert_uint_le(packet_cells(bytes),
				  packet_cells_of_units(units_of_bytes(bytes), bytes));
	}
}

/* FC-9: an empty pool is normal, and ends when a packet is freed */
TEST(packet_alloc__fails_while_all_are_in_use)
{
	struct packet *last = NULL;

	for (uint32_t i = 0; i < CELLS; i++)
		last = packet_alloc(&pool, 60);
	ck_assert_uint_eq(pool.used, CELLS);
	ck_assert_ptr_null(packet_alloc(&pool, 60));
	ck_assert_uint_eq(pool.used, CELLS);
	packet_free(&pool, last);
	ck_assert_ptr_eq(packet_alloc(&pool, 60), last);
	ck_assert_ptr_null(packet_alloc(&pool, 60));
}

/* a long packet gets all of its cells or none; those that are free are left to a shorter packet */
TEST(packet_alloc__long_packet_gets_all_cells_or_none)
{
	uint32_t half_bytes = PACKET_FIRST_BYTES + (CELLS / 2 - 1) * PACKET_MORE_BYTES;
	enum drop_reason why = DROP_REASONS;
	struct packet *half = receive(1, half_bytes, &why), *other;

	ck_assert_uint_eq(pool.cells_used, CELLS / 2);
	ck_assert_ptr_null(receive(2, half_bytes + 1, &why));
	ck_assert_int_eq(why, DROP_BUFFER_OVERFLOW);
	ck_assert_uint_eq(pool.cells_used, CELLS / 2);
	ck_assert_uint_eq(pool.used, 1);
	other = receive(3, half_bytes, &why);
	ck_assert_ptr_nonnull(other);
	ck_assert_ptr_null(receive(4, 14, &why));
	packet_expect(half, 1, half_bytes);
	packet_expect(other, 3, half_bytes);
	packet_free(&pool, half);
	packet_free(&pool, other);
	ck_assert_uint_eq(pool.cells_used, 0);
}

TEST(packet_free__last_in_first_out)
{
	struct packet *a = packet_alloc(&pool, 60), *b = packet_alloc(&pool, 60);

	packet_free(&pool, a);
	packet_free(&pool, b);
	ck_assert_uint_eq(pool.used, 0);
	ck_assert_ptr_eq(packet_alloc(&pool, 60), b);
	ck_assert_ptr_eq(packet_alloc(&pool, 60), a);
	ck_assert_ptr_ne(packet_alloc(&pool, 60), a);
}

/* every length near every number of cells: all bytes are unchanged, and no others are written */
TEST(packet_copy_in__keeps_the_bytes_of_every_length)
{
	enum drop_reason why;

	for (uint32_t bytes = 1; bytes <= CAPTURED_MAX;
	     bytes += bytes < 700 || bytes > 9000 ? 1 : 61) {
		struct packet *packet = receive(bytes, bytes, &why), *copy;

		ck_assert_ptr_nonnull(packet);
		ck_assert_uint_eq(pool.cells_used, packet_cells(bytes));
		packet_expect(packet, bytes, bytes);
		copy = packet_copy(&pool, packet);
		ck_assert_int_eq(!copy, 2 * packet_cells(bytes) > CELLS);
		if (copy) {
			ck_assert_uint_eq(copy->frame_bytes, bytes);
			packet_free(&pool, packet);
			packet_expect(copy, bytes, bytes);
			packet_free(&pool, copy);
		} else {
			packet_free(&pool, packet);
		}
		ck_assert_uint_eq(pool.cells_used, 0);
	}
}

TEST(packet_copy_in__rejects_what_is_too_long)
{
	enum drop_reason why;

	ck_assert_ptr_null(receive(1, CAPTURED_MAX + 1, &why));
	ck_assert_int_eq(why, DROP_OVERSIZE);
}

/* The model: packets of random lengths are allocated and freed. Each keeps its bytes, and the
 * number of cells is that of the model. */
struct model {
	struct packet *packets[MODEL_CELLS];
	uint32_t lengths[MODEL_CELLS], seeds[MODEL_CELLS];
	uint32_t count, cells, cells_max;
};

static uint32_t length_draw(struct random *random)
{
	uint32_t boundary =
		PACKET_FIRST_BYTES + (uint32_t)random_below(random, 50) * PACKET_MORE_BYTES;

	switch (random_below(random, 3)) {
	case 0:
		return 14 + (uint32_t)random_below(random, PACKET_FIRST_BYTES);
	case 1:
		return boundary - 1 + (uint32_t)random_below(random, 3);
	default:
		return 1 + (uint32_t)random_below(random, CAPTURED_MAX);
	}
}

static void model_add(struct model *model, uint32_t seed, uint32_t bytes)
{
	enum drop_reason why;
	struct packet *packet = receive(seed, bytes, &why);
	bool fits = model->cells + packet_cells(bytes) <= MODEL_CELLS;

	ck_assert_int_eq(!packet, !fits);
	if (!fits)
		return;
	model->packets[model->count] = packet;
	model->lengths[model->count] = bytes;
	model->seeds[model->count++] = seed;
	model->cells += packet_cells(bytes);
	if (model->cells > model->cells_max)
		model->cells_max = model->cells;
}

static void model_remove(struct model *model, uint32_t i)
{
	packet_expect(model->packets[i], model->seeds[i], model->lengths[i]);
	packet_free(&pool, model->packets[i]);
	model->cells -= packet_cells(model->lengths[i]);
	model->count--;
	model->packets[i] = model->packets[model->count];
	model->lengths[i] = model->lengths[model->count];
	model->seeds[i] = model->seeds[model->count];
}

TEST(packet_alloc__agrees_with_a_model)
{
	static struct model model;
	struct random random;

	random_init(&random, 20, 1);
	packet_pool_fini(&pool);
	ck_assert_int_eq(packet_pool_init(&pool, MODEL_CELLS, CAPTURED_MAX), 0);
	for (uint32_t step = 0; step < MODEL_STEPS; step++) {
		if (!model.count || random_below(&random, 20) < (step / 500 % 2 ? 8 : 12))
			model_add(&model, step, length_draw(&random));
		else
			model_remove(&model, (uint32_t)random_below(&random, model.count));
		ck_assert_uint_eq(pool.used, model.count);
		ck_assert_uint_eq(pool.cells_used, model.cells);
		ck_assert_uint_eq(pool.fresh, model.cells_max);
	}
	while (model.count)
		model_remove(&model, 0);
	ck_assert_uint_eq(pool.cells_used, 0);
}

/* ---- parsing ---- */

#define IPV6_AT 14u
#define EXTENSION_AT 54u

/* Makes UDP over IPv6 after a number of extension headers of @extension_bytes each.  Return: the
 * length of the frame. */
static uint32_t odd_frame_make(uint32_t extensions, uint32_t extension_bytes, uint8_t *bytes)
{
	uint32_t at = EXTENSION_AT, all_bytes = EXTENSION_AT + extensions * extension_bytes + 8;

	memset(bytes, 0, all_bytes);
	bytes[5] = 1;
	bytes[11] = 2;
	bytes[12] = 0x86;
	bytes[13] = 0xdd;
	bytes[IPV6_AT] = 0x60;
	bytes[IPV6_AT + 4] = (uint8_t)((all_bytes - EXTENSION_AT) >> 8);
	bytes[IPV6_AT + 5] = (uint8_t)(all_bytes - EXTENSION_AT);
	bytes[IPV6_AT + 6] = extensions ? 60 : 17; /* destination options */
	for (uint32_t i = 0; i < extensions; i++, at += extension_bytes) {
		bytes[at] = i + 1 < extensions ? 60 : 17;
		bytes[at + 1] = (uint8_t)(extension_bytes / 8 - 1);
	}
	bytes[at + 1] = 7; /* source port */
	bytes[at + 3] = 9;
	bytes[at + 5] = 8; /* length */
	return all_bytes;
}

/* A transport header is found wherever it is: in the first cell, across two cells, or far
 * beyond. */
TEST(packet_parse__beyond_the_first_cell)
{
	static const uint32_t lengths[] = { 8, 40, 64, 72, 80, 248, 1024 };
	static uint8_t bytes[CAPTURED_MAX];
	struct link link = { .rx.rate_bps = 1000000000, .rx.ps_per_byte = 8000 };

	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (uint32_t count = 0; count < 3; count++) {
			uint32_t length = odd_frame_make(count, lengths[i], bytes);
			struct record record = { .wire_bytes = length + FRAME_FCS_BYTES,
						 .captured_bytes = length };
			struct frame_fields fields, expected;
			enum drop_reason why;
			struct packet *packet =
				packet_copy_in(&pool, &link, CAPTURED_MAX, &record, bytes, 0, &why);

			ck_assert_int_eq(frame_parse(bytes, length, length, &expected), 0);
			ck_assert_int_eq(packet_parse(&pool, packet, &fields), 0);
			ck_assert_mem_eq(&fields, &expected, sizeof(fields));
			ck_assert_uint_eq(fields.source_port, 7);
			packet_free(&pool, packet);
		}
}

/* What packet_parse() relies on: if the first bytes of a frame parse, they give the same fields as
 * all of it. Frames are headers with some bytes drawn at random. */
TEST(packet_parse__a_part_never_contradicts_the_whole)
{
	static const uint8_t protocols[] = { 0, 1, 2, 6, 17, 43, 44, 58, 60 };
	uint32_t understood = 0;
	uint8_t bytes[300];
	struct random random;

	random_init(&random, 21, 1);
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t length = odd_frame_make((uint32_t)random_below(&random, 4),
						 8 + 8 * (uint32_t)random_below(&random, 6), bytes);
		struct frame_fields whole, part;
		int error;

		for (uint32_t i = 0, changes = (uint32_t)random_below(&random, 4); i < changes; i++)
			bytes[EXTENSION_AT + random_below(&random, length - EXTENSION_AT)] =
				(uint8_t)random_below(&random, 256);
		if (random_below(&random, 2))
			bytes[IPV6_AT + 6] = protocols[random_below(&random, sizeof(protocols))];
		error = frame_parse(bytes, length, length, &whole);
		for (uint32_t captured = 14; captured < length; captured++) {
			if (frame_parse(bytes, captured, length, &part))
				continue;
			understood++;
			if (error || memcmp(&part, &whole, sizeof(part)))
				ck_abort_msg("round %u: %u of %u bytes", round, captured, length);
		}
	}
	ck_assert_uint_gt(understood, 10000);
}

/* ---- queues ---- */

TEST(packet_queue_pop__first_in_first_out)
{
	struct packet_queue queue = { 0 };
	struct packet *packets[PACKETS];

	for (uint32_t i = 0; i < PACKETS; i++) {
		packets[i] = packet_alloc(&pool, 60);
		packet_queue_push(&queue, packets[i]);
	}
	for (uint32_t i = 0; i < PACKETS; i++)
		ck_assert_ptr_eq(packet_queue_pop(&queue), packets[i]);
	ck_assert_ptr_null(queue.head);
}

TEST(packet_queue_push__works_after_empty)
{
	struct packet_queue queue = { 0 };
	struct packet *a = packet_alloc(&pool, 60), *b = packet_alloc(&pool, 60);

	packet_queue_push(&queue, a);
	ck_assert_ptr_eq(packet_queue_pop(&queue), a);
	packet_queue_push(&queue, b);
	packet_queue_push(&queue, a);
	ck_assert_ptr_eq(packet_queue_pop(&queue), b);
	ck_assert_ptr_eq(packet_queue_pop(&queue), a);
	ck_assert_ptr_null(queue.head);
}
