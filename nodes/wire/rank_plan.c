#include "nodes/wire/rank_plan.h"

#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/config/config.h"

/* nodes/clock/places.h: places of a worker begin with a cache line of times */
#define PLACES_LINE 8u
#define WORKERS_MAX 256u

size_t rank_plan_bytes(uint32_t worker_count, uint32_t ring_count)
{
	return sizeof(struct rank_plan) + worker_count * sizeof(struct rank_worker) +
	       ring_count * sizeof(struct rank_ring);
}

static bool refuse(const char **why, const char *text)
{
	*why = text;
	return false;
}

static bool head_check(const struct rank_plan *plan, size_t length, uint32_t rank_count,
		       const char **why)
{
	if (length < sizeof(*plan) || plan->magic != RANK_PLAN_MAGIC || plan->bytes != length)
		return refuse(why, "it is no plan of ranks");
	if (plan->rank_count != rank_count || rank_count > RANKS_MAX)
		return refuse(why, "it is for another number of ranks");
	if (!plan->worker_count || plan->worker_count > WORKERS_MAX || !plan->place_count ||
	    plan->place_count > NODE_COUNT_MAX + WORKERS_MAX * PLACES_LINE ||
	    rank_plan_bytes(plan->worker_count, plan->ring_count) != length)
		return refuse(why, "its numbers of workers, places and rings are wrong");
	if (!plan->lookahead_ps || plan->lookahead_ps > NODE_TIME_NEVER / 2 ||
	    plan->rings_bytes > RANK_RINGS_BYTES_MAX || !memchr(plan->loop, 0, sizeof(plan->loop)))
		return refuse(why, "its clock, rings or event loop are wrong");
	return true;
}

/* ranks and places of workers rise */
static bool workers_check(const struct rank_plan *plan, const char **why)
{
	const struct rank_worker *workers = rank_plan_workers(plan);
	uint32_t next_place = 0, rank = 0;

	for (uint32_t w = 0; w < plan->worker_count; w++) {
		const struct rank_worker *worker = &workers[w];

		if (worker->rank < rank || worker->rank - rank > 1 ||
		    worker->rank >= plan->rank_count || worker->first_place < next_place ||
		    worker->first_place % PLACES_LINE || !worker->node_count ||
		    worker->first_place >= plan->place_count ||
		    worker->node_count > plan->place_count - worker->first_place)
			return refuse(why, "a worker is at no place or rank");
		rank = worker->rank;
		next_place = worker->first_place + worker->node_count;
	}
	return rank + 1 == plan->rank_count || refuse(why, "a rank has no worker");
}

static bool ring_check(const struct rank_plan *plan, const struct rank_ring *ring, uint64_t next_at)
{
	const struct rank_worker *to;

	if (ring->from_worker >= plan->worker_count || ring->to_worker >= plan->worker_count ||
	    ring->data_bytes < RING_BYTES_MIN || ring->data_bytes > RING_BYTES_MAX ||
	    ring->data_bytes & (ring->data_bytes - 1) || ring->captured_max > RING_CAPTURED_MAX ||
	    ring->at % RING_LINE || ring->at < next_at || ring->at > plan->rings_bytes ||
	    ring_bytes(ring->data_bytes) > plan->rings_bytes - ring->at)
		return false;
	to = &rank_plan_workers(plan)[ring->to_worker];
	return ring->to_place >= to->first_place &&
	       ring->to_place - to->first_place < to->node_count;
}

bool rank_plan_check(const void *bytes, size_t length, uint32_t rank_count, const char **why)
{
	const struct rank_plan *plan = bytes;
	uint64_t next_at = 0;

	if (!head_check(plan, length, rank_count, why) || !workers_check(plan, why))
		return false;
	for (uint32_t i = 0; i < plan->ring_count; i++) {
		const struct rank_ring *ring = &rank_plan_rings(plan)[i];

		if (!ring_check(plan, ring, next_at))
			return refuse(why, "a ring is wrong");
		next_at = ring->at + ring_bytes(ring->data_bytes);
	}
	return true;
}
