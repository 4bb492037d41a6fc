/*  run_ranks - `heddle run` that mpirun or srun has started once for each of several machines
 *  (SC-4).
 *
 *  Rank 0 is the run: it has the plan, all outputs and the prompt. The others become rankd, and
 *  need neither the scenario nor its files. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_RANKS_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_RANKS_H

#include "orchestrator/run/run_options.h"

/** run_ranks_join() - if there are several ranks: sets options->fabric.ranks on rank 0; on
 *  another rank this process becomes rankd.
 *  Return: -1: continue with the run; else an exit status, reported on rank 0 only. */
int run_ranks_join(struct run_options *options);

/** run_ranks_pack() - how many workers each rank has: what --pack says, or its cores.
 *  Return: 0, or an exit status, reported: @plan cannot be on so many ranks. */
int run_ranks_pack(const struct run_options *options, const struct plan *plan, uint32_t core_count,
		   uint32_t *workers);

#endif
