/*  windows - the windows of the virtual clock in step with the other ranks (SC-4).
 *
 *  For each window:
 *  1. The workers here finish.
 *  2. Their records for other ranks are sent: one message for each pair of ranks that share a link.
 *  3. All ranks agree on the earliest event of all, records in flight included, and on the limit,
 *     which rank 0 has from the orchestrator.
 *  4. Records that have arrived are written to rings.
 *  5. Each rank opens the same window.
 *  While this rank waits, it calls look() of its owner, which can end the wait. So a rank that
 *  hangs cannot block this one. */
#ifndef HEDDLE_RANKD_LINK_WINDOWS_H
#define HEDDLE_RANKD_LINK_WINDOWS_H

#include "nodes/clock/clock_gate.h"
#include "rankd/link/crossing.h"
#include "rankd/link/letter.h"

struct windows {
	struct clock_gate gate;
	struct crossing crossing;
	uint64_t count;  /* that have ended */
	node_time_t end; /* of the last one */
	bool root;       /* this rank's clock page has the limit */
	/* called about every 5 ms of waiting. Return: 0; else the run ends */
	int (*look)(void *owner, enum letter_state state, uint64_t waited_ns);
	void *owner;
	/* of the clock, when it stopped */
	node_time_t earliest; /* here */
};

/** windows_run() - the clock has just been resumed on all ranks: until it must stop on all.
 *  Return: 0: it must stop, with windows->earliest of this rank; -EINVAL: crossing.why; else
 *  what look() has returned. */
int windows_run(struct windows *windows);

/** windows_wait() - sleeps a little, longer with each call after @turn was 0. */
void windows_wait(uint32_t *turn);

#endif
