/*  run - takes a fabric from here to there in time: at full speed, slowed down to watch, with a
 *  progress line (TB-9).
 */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_RUN_H
#define HEDDLE_ORCHESTRATOR_FABRIC_RUN_H

#include <stdbool.h>

#include "orchestrator/base/progress.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/fault_player.h"
#include "orchestrator/fabric/manager_pair.h"

enum run_outcome {
	RUN_THERE,  /* the clock stands at the time asked for, or nothing will ever happen again */
	RUN_FAILED, /* fabric.failure */
	RUN_INTERRUPTED,
};

struct run {
	struct fabric fabric;
	struct fault_player faults;
	struct manager_pair managers; /* real clock */
	struct progress progress;
	/* the run is over here; not more than a few hours under the real clock */
	node_time_t end_ps;
	node_time_t slow_ps_per_s; /* fabric time per second of wall time; 0: as fast as it goes */
};

/** run_to() - lets the stopped clock go on until @until, not beyond run->end_ps. The real clock
 *  does not stop: it is waited for. */
enum run_outcome run_to(struct run *run, node_time_t until);

/** run_over() - is the end reached, or is nothing left to happen? Only while the clock stands. */
bool run_over(const struct run *run);

/** run_stalled() - is nothing left to happen although nodes still hold data? Only while the clock
 *  stands.
 *  @why names them, @why_max bytes. */
bool run_stalled(const struct run *run, char *why, size_t why_max);

#endif
