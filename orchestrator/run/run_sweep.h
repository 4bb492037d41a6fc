/*  run_sweep - `heddle run --sweep KEY=A..B` and `--seeds A..B`: one run for each value, and one
 *  table (SE-12).
 *
 *  The columns are those of the scenario's `compare` section, or else the metrics of its
 *  expectations. With --seeds the mean and the spread follow. Every value is checked before the
 *  first run; a run that stalls or fails says so in its row, and the others still run. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_SWEEP_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_SWEEP_H

#include "orchestrator/run/run_options.h"

/** run_sweep() - runs all values and writes the table.  Return: the exit status. */
int run_sweep(struct run_options *options);

#endif
