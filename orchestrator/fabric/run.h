/*  run - advances a fabric in time: at full speed or slowed down, with a progress line (TB-9).
 */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_RUN_H
#define HEDDLE_ORCHESTRATOR_FABRIC_RUN_H

#include <stdbool.h>

#include "nodes/base/why.h"
#include "orchestrator/base/progress.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/fault_schedule.h"
#include "orchestrator/fabric/manager_pair.h"

enum run_outcome {
	RUN_REACHED, /* the clock is stopped at the requested time, or no event is left */
	RUN_FAILED,  /* fabric.failure */
	RUN_INTERRUPTED,
};

struct run {
	struct fabric fabric;
	struct fault_schedule faults;
	struct manager_pair managers; /* real clock */
	struct progress progress;
	/* end of the run; under the real clock a few hours at most */
	node_time_t end_ps;
	/* called about twenty times a second while the clock runs, with @follower; NULL: not */
	void (*follow)(void *follower, const struct fabric *fabric);
	void *follower;
	const char *once; /* why it cannot be repeated from its start; NULL: it can */
	bool steps; /* run_to() is called for each window of a step: the progress line stays */
	bool torn;  /* a signal has interrupted an action of the time line */
	node_time_t slow_ps_per_s; /* fabric time per second of wall time; 0: full speed */
	/* called with @viewer while the clock of a slowed run is stopped, also at the end (@last).
	 * NULL: nothing is called */
	void (*show)(void *viewer, bool last);
	void *viewer;
};

/** run_to() - advances the stopped clock to @until, not beyond run->end_ps. Under the real clock it
 *  waits for that time. */
enum run_outcome run_to(struct run *run, node_time_t until);

/** run_steps_end() - a step for which run->steps was set has ended, and the clock is stopped. */
void run_steps_end(struct run *run);

/** run_pause() - after RUN_INTERRUPTED under the virtual clock: stops the clock at the end of the
 *  open window, so that run_to() can continue.
 *  Return: 0; -EIO: fabric.failure; -EINTR: the time line was interrupted, the run cannot go on. */
int run_pause(struct run *run);

/** run_over() - is the end reached, or no event left? Only while the clock is stopped. */
bool run_over(const struct run *run);

/** run_stalled() - true if no event is left although nodes have data. Only while the clock is
 *  stopped.   @why  filled with the names of these nodes. */
bool run_stalled(const struct run *run, struct why *why);

#endif
