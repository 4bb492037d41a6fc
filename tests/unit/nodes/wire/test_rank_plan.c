/*  nodes/wire/rank_plan: a plan is accepted as a whole or refused (SC-4, TB-23). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/wire/rank_plan.h"
#include "tests/testing.h"

#define WORKERS 3u
#define RINGS 2u

static struct rank_plan *plan;
static size_t bytes;
static const char *why;

/* two ranks, the second with two workers; a link between worker 0 and worker 2 */
static void make(void)
{
	uint64_t ring = (ring_bytes(RING_BYTES_MIN) + 4095) / 4096 * 4096;

	bytes = rank_plan_bytes(WORKERS, RINGS);
	plan = calloc(1, bytes);
	ck_assert_ptr_nonnull(plan);
	*plan = (struct rank_plan){ .magic = RANK_PLAN_MAGIC,
				    .bytes = (uint32_t)bytes,
				    .rank_count = 2,
				    .worker_count = WORKERS,
				    .place_count = 24,
				    .ring_count = RINGS,
				    .rings_bytes = 2 * ring,
				    .lookahead_ps = 1000,
				    .loop = "auto" };
	for (uint32_t w = 0; w < WORKERS; w++)
		rank_plan_workers(plan)[w] = (struct rank_worker){ .rank = w > 0,
								   .first_place = 8 * w,
								   .node_count = 2 };
	for (uint32_t i = 0; i < RINGS; i++)
		rank_plan_rings(plan)[i] = (struct rank_ring){ .at = i * ring,
							       .data_bytes = RING_BYTES_MIN,
							       .captured_max = 224,
							       .from_worker = i ? 2 : 0,
							       .to_worker = i ? 0 : 2,
							       .to_place = i ? 1 : 16 };
}

static void done(void)
{
	free(plan);
}

TEST_GROUP(plan, .setup = make, .teardown = done);

static bool fine(void)
{
	return rank_plan_check(plan, bytes, 2, &why);
}

TEST(rank_plan_check__a_sound_one)
{
	ck_assert(fine());
}

TEST(rank_plan_check__another_number_of_ranks)
{
	ck_assert(!rank_plan_check(plan, bytes, 3, &why));
	ck_assert_str_eq(why, "it is for another number of ranks");
}

TEST(rank_plan_check__lengths)
{
	ck_assert(!rank_plan_check(plan, bytes - 1, 2, &why));
	ck_assert(!rank_plan_check(plan, 3, 2, &why));
	plan->ring_count++;
	ck_assert(!fine());
}

TEST(rank_plan_check__clock_and_loop)
{
	plan->lookahead_ps = 0;
	ck_assert(!fine());
	plan->lookahead_ps = 1000;
	memset(plan->loop, 'x', sizeof(plan->loop));
	ck_assert(!fine());
}

TEST(rank_plan_check__workers)
{
	struct rank_worker *workers = rank_plan_workers(plan);

	workers[2].rank = 2;
	ck_assert(!fine());
	workers[2].rank = 0;
	ck_assert(!fine());
	workers[2].rank = workers[1].rank = 0;
	ck_assert(!fine());
	ck_assert_str_eq(why, "a rank has no worker");
	workers[2].rank = workers[1].rank = 1;
	workers[2].node_count = 9;
	ck_assert(!fine());
	workers[2].node_count = 2;
	workers[2].first_place = 8;
	ck_assert(!fine());
	workers[2].first_place = 17;
	ck_assert(!fine());
	workers[2].first_place = 16;
	ck_assert(fine());
}

TEST(rank_plan_check__rings)
{
	struct rank_ring *ring = &rank_plan_rings(plan)[1], sound = *ring;

	ring->at = 64; /* in the ring before it */
	ck_assert(!fine());
	*ring = sound;
	ring->at += 4096; /* beyond the memory */
	ck_assert(!fine());
	*ring = sound;
	ring->data_bytes += 64;
	ck_assert(!fine());
	*ring = sound;
	ring->to_place = 2; /* of no node */
	ck_assert(!fine());
	*ring = sound;
	ring->to_worker = WORKERS;
	ck_assert(!fine());
	*ring = sound;
	ring->captured_max = RING_CAPTURED_MAX + 1;
	ck_assert(!fine());
	*ring = sound;
	ck_assert(fine());
}
