/*  Fuzzes what rankd takes from other ranks (SC-4, TB-23): the plan of ranks, letters, and the
 *  records of a window.
 *
 *  Input: [which of the three: 1][7 bytes are skipped][the bytes]. Records go through crossing.c
 *  into the rings of a small fabric of two ranks. What is accepted must be within the bounds that
 *  the headers promise; records that were accepted must be sound for the node that reads the
 *  ring. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/clock_gate.h"
#include "rankd/link/crossing.h"
#include "rankd/link/letter.h"

#define FRONT 8u
#define PLACES 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- plan ---- */

static void plan_try(const uint8_t *bytes, size_t length)
{
	void *copy = malloc(length + 1); /* aligned, and of its own size */
	const struct rank_plan *plan = copy;
	const char *why = "";

	assert(copy);
	memcpy(copy, bytes, length);
	if (rank_plan_check(copy, length, 2, &why)) {
		for (uint32_t i = 0; i < plan->ring_count; i++) {
			const struct rank_ring *ring = &rank_plan_rings(plan)[i];

			assert(ring->at + ring_bytes(ring->data_bytes) <= plan->rings_bytes);
			assert(ring->to_place < plan->place_count);
			assert(rank_plan_workers(plan)[ring->to_worker].rank < 2);
		}
	}
	free(copy);
}

/* ---- letters ---- */

static void letter_try(const uint8_t *bytes, size_t length, bool from_root)
{
	uint8_t *copy = malloc(length + 1);
	struct letter_read letter;

	assert(copy);
	memcpy(copy, bytes, length);
	if (letter_read(&letter, copy, length, from_root, PLACES)) {
		assert(letter.head.kind < LETTER_KINDS && letter.head.fds <= LETTER_FDS_MAX);
		assert(letter.bytes + letter.head.bytes == copy + length);
	}
	free(copy);
}

/* ---- records ---- */

static struct rank_plan *plan;
static struct clock_page *clock_page;
static struct places_page *places_page;
static uint8_t *rings;
static struct clock clock_here;
static struct places places;

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	assert(memory);
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

/* rank 0 has node 0, rank 1 node 8; the ring from rank 1 is the second one */
static void world_make(void)
{
	uint64_t ring = ring_bytes(RING_BYTES_MIN);
	size_t bytes = rank_plan_bytes(2, 2);

	plan = zeroed(bytes);
	*plan = (struct rank_plan){ .magic = RANK_PLAN_MAGIC,
				    .bytes = (uint32_t)bytes,
				    .rank_count = 2,
				    .worker_count = 2,
				    .place_count = PLACES,
				    .ring_count = 2,
				    .rings_bytes = 2 * ring,
				    .lookahead_ps = 1000,
				    .loop = "auto" };
	for (uint32_t i = 0; i < 2; i++) {
		rank_plan_workers(plan)[i] =
			(struct rank_worker){ .rank = i, .first_place = 8 * i, .node_count = 1 };
		rank_plan_rings(plan)[i] = (struct rank_ring){ .at = i * ring,
							       .data_bytes = RING_BYTES_MIN,
							       .captured_max = 224,
							       .from_worker = i,
							       .to_worker = !i,
							       .to_place = 8 * !i };
	}
	clock_page = zeroed(clock_bytes(2));
	clock_init(clock_page, 2, 1000);
	places_page = zeroed(places_bytes(2, PLACES));
	places_init(places_page, 2, PLACES);
	rings = zeroed(2 * ring);
	assert(!clock_attach(&clock_here, clock_page, clock_bytes(2)));
	assert(!places_attach(&places, places_page, places_bytes(2, PLACES)));
}

static void records_try(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length + 1);
	struct crossing crossing;
	struct ring_rx rx;
	struct record record;

	assert(copy);
	memcpy(copy, bytes, length);
	if (!plan)
		world_make();
	for (uint32_t i = 0; i < 2; i++) {
		struct ring_page *page = (struct ring_page *)(rings + rank_plan_rings(plan)[i].at);

		memset(page, 0, sizeof(*page));
		ring_init(page, RING_BYTES_MIN, 224);
	}
	assert(!crossing_init(&crossing, plan, 0, &clock_here, &places, rings));
	(void)crossing_deliver(&crossing, 0, copy, length, 1, 1000);
	crossing_publish(&crossing);
	assert(!ring_rx_attach(&rx, (struct ring_page *)(rings + rank_plan_rings(plan)[1].at),
			       ring_bytes(RING_BYTES_MIN)));
	ring_refresh(&rx);
	while (ring_peek(&rx, &record)) {
		assert(record.at_ps >= 1000);
		ring_pop(&rx, &record);
	}
	assert(!rx.broken);
	crossing_fini(&crossing);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < FRONT)
		return 0;
	switch (data[0] % 4) {
	case 0:
		plan_try(data + FRONT, size - FRONT);
		break;
	case 1:
		records_try(data + FRONT, size - FRONT);
		break;
	default:
		letter_try(data + FRONT, size - FRONT, data[0] % 4 == 2);
		break;
	}
	return 0;
}
