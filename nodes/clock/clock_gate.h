/*  clock_gate - the virtual clock of several machines (SC-4): on each, a gate opens the windows
 *  of the nodes there, in step with the gates of the others.
 *
 *  Each machine has a clock page of its own, with a slot for every worker of the fabric. Only
 *  those of its own workers are ever due. The inbox of another machine's worker has the time of the
 *  earliest record that was sent there. The last worker to finish a window notifies the gate
 *  instead of opening the next one. The gate then exchanges records with other machines, agrees
 *  with their gates on the earliest event of all, and opens the same window [earliest, earliest +
 *  lookahead) on its machine. So windows are those of a run on one machine, and so are results. */
#ifndef HEDDLE_NODES_CLOCK_CLOCK_GATE_H
#define HEDDLE_NODES_CLOCK_CLOCK_GATE_H

#include "nodes/clock/clock.h"

struct clock_gate {
	struct clock clock;
	uint32_t seen;  /* of page->ended */
	uint32_t *wake; /* [clock.node_count] */
};

/** clock_gate_init() - from now on @clock has a gate. Before the clock runs for the first time.
 *  @clock copied; what it refers to is borrowed. Return: 0 or -ENOMEM; clock_gate_fini() later. */
int clock_gate_init(struct clock_gate *gate, const struct clock *clock);
void clock_gate_fini(struct clock_gate *gate);

/** clock_gate_told() - true if a window has ended, or the clock was resumed, since the last call
 *  that returned true. Everything that nodes wrote in that window is then visible. */
bool clock_gate_told(struct clock_gate *gate);

/** clock_gate_wait() - waits for clock_gate_told(), at most @timeout_ns. Yields the core a few
 *  times, then sleeps.   Return: as that. */
bool clock_gate_wait(struct clock_gate *gate, uint64_t timeout_ns);

/** clock_gate_earliest() - while no window is open: what was announced to inboxes becomes part of
 *  each worker's next event. Return: the earliest of all. O(workers). */
node_time_t clock_gate_earliest(struct clock_gate *gate);

/** clock_gate_open() - opens the window [@start, @end) and wakes its sleeping workers.
 *  Return: false if no worker here takes part: the window has ended already. */
bool clock_gate_open(struct clock_gate *gate, node_time_t start, node_time_t end);

/** clock_gate_run() - not on the machine of the orchestrator: the stopped clock runs. */
void clock_gate_run(struct clock_gate *gate);

#endif
