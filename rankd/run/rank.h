/*  rank - what rank 0 and the others have in common: the plan, the memory of the clock and of
 *  all rings, the windows (SC-4). */
#ifndef HEDDLE_RANKD_RUN_RANK_H
#define HEDDLE_RANKD_RUN_RANK_H

#include "nodes/clock/places.h"
#include "nodes/wire/rank_plan.h"
#include "rankd/link/windows.h"

#define RANK_NO_PLACE UINT32_MAX /* in letters */

/* a memory and its descriptor */
struct rank_memory {
	int fd; /* -1 */
	void *memory;
	size_t bytes;
};

struct rank {
	uint32_t rank, rank_count;
	struct rank_plan *plan; /* checked; owned */
	struct rank_memory clock, places, rings;
	struct windows windows;
};

/** rank_map() - maps @fd, which becomes the rank's, also after an error. Return: 0 or -errno. */
int rank_map(struct rank_memory *memory, int fd);

/** rank_join() - the memories are mapped, and the plan is there: gets the windows ready. Only
 *  the workers of this rank are due. Return: 0, or -errno with a sentence in @why
 *  (crossing.why). */
int rank_join(struct rank *rank, const char **why);
void rank_end(struct rank *rank);

/** rank_is_here() - is worker @worker one of this rank? */
static inline bool rank_is_here(const struct rank *rank, uint32_t worker)
{
	return rank_plan_workers(rank->plan)[worker].rank == rank->rank;
}

/** rank_build() - a hash of the program workerd beside this one.   @path  filled with its path.
 *  Return: 0: there is no such program. */
uint64_t rank_build(char *path, size_t path_max);

/** rank_letter() - sends a letter without descriptors. Return: 0 or -ENOMEM. */
int rank_letter(uint32_t to, enum letter_kind kind, uint32_t place, uint32_t index, uint64_t number,
		const void *bytes, uint32_t length);

#endif
