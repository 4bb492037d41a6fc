/*  rank_plan - how the packed nodes of a fabric are distributed over machines (SC-4), as bytes:
 *  made by the orchestrator, passed on by rankd to the other machines.
 *
 *  A rank is one machine's part of the fabric. Workers, places (places.h) and rings have the
 *  same numbers and offsets on every rank, so that the configuration of a node holds on any of
 *  them. Each rank has memory for all, and touches that of its own nodes. A ring whose ends are
 *  on two ranks exists on both: rankd carries its records from one to the other.
 *  Layout: rank_plan, then its workers, then its rings. Machines of one architecture only. */
#ifndef HEDDLE_NODES_WIRE_RANK_PLAN_H
#define HEDDLE_NODES_WIRE_RANK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_PLAN_MAGIC 0x48445250u /* "HDRP" */
#define RANKS_MAX 256u
#define RANK_RINGS_BYTES_MAX (1ull << 46) /* of address space */

struct rank_worker {
	uint32_t rank;
	uint32_t first_place, node_count;
	uint32_t unused; /* rings that follow are aligned */
};

/* one direction of a link */
struct rank_ring {
	uint64_t at; /* in the memory of all rings */
	uint32_t data_bytes, captured_max;
	uint32_t from_worker, to_worker, to_place;
	uint32_t unused;
};

struct rank_plan {
	uint32_t magic, bytes; /* of the whole */
	uint64_t build;        /* of workerd: all ranks must run the same one */
	uint32_t rank_count, worker_count, place_count, ring_count;
	uint64_t rings_bytes;
	uint64_t lookahead_ps;
	uint64_t watchdog_ns; /* 0: none */
	uint32_t keep_user;   /* privilege.h */
	char loop[20];        /* event loop of the workers */
};

static inline struct rank_worker *rank_plan_workers(const struct rank_plan *plan)
{
	return (struct rank_worker *)(plan + 1);
}

static inline struct rank_ring *rank_plan_rings(const struct rank_plan *plan)
{
	return (struct rank_ring *)(rank_plan_workers(plan) + plan->worker_count);
}

/** rank_plan_bytes() - size of a plan with so many workers and rings. */
size_t rank_plan_bytes(uint32_t worker_count, uint32_t ring_count);

/** rank_plan_check() - are @bytes, aligned to 8, a plan for @rank_count ranks? Nothing in them is
 *  trusted: every number in it is then within its range, and rings are disjoint and in order.
 *  @why a sentence, if not. */
bool rank_plan_check(const void *bytes, size_t length, uint32_t rank_count, const char **why);

#endif
