/*  pause_cycle - finds PFC deadlocks: switches whose pauses stop each other for ever (RC-5, TB-22).
 *
 *  An output (switch, port, class) that its peer pauses waits for the peer's input to fall below
 *  its XON level. That input is full of packets that wait for outputs of the peer, some of which
 *  are paused by their own peers. If these waits return to the first output, none of them ends. A
 *  full input may still drain through an output that is not paused, so a cycle alone is only a
 *  suspicion. It counts once all its outputs have been paused without a break for so long that
 *  nothing else explains it (roce.pfc.watchdog), or all the time since the last message was sent.
 *
 *  PFC is refreshed, so such a fabric never runs out of events, by which run.h detects the stall of
 *  a fabric of flow channels.
 *
 *  Pure: reads the statistics pages of switches, of one moment, or under the real clock of nearly
 *  one. Deterministic: cycles have no output in common; if several choices are possible, the lowest
 *  node, port and class is first. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_PAUSE_CYCLE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_PAUSE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

/* an output that is paused */
struct pause_hop {
	uint32_t node, port, traffic_class;
	node_time_t since_ps;
};

struct pause_cycle {
	node_time_t since_ps; /* all of them have been paused since then */
	uint32_t length;
	struct pause_hop *hops; /* each waits for the next, the last for the first */
};

struct pause_cycles {
	uint32_t count;
	struct pause_cycle *list;
};

/** pause_cycles_find() - finds the cycles of outputs that have been paused since @before_ps or
 *  longer.
 *  @pages  of the plan's nodes, in its order; NULL for one that cannot be read: then no output
 *  waits for it.
 *  @cycles filled; pause_cycles_free() later.   Return: 0 or -ENOMEM.  O(paused outputs ^ 2). */
int pause_cycles_find(const struct plan *plan, struct stats_page *const *pages,
		      node_time_t before_ps, struct pause_cycles *cycles);
void pause_cycles_free(struct pause_cycles *cycles);

/** pause_cycles_before_ps() - the argument for it at @now: as long ago as the watchdog demands, or
 *  @drained_from_ps, when the last message was sent (NODE_TIME_NEVER: more may follow). */
node_time_t pause_cycles_before_ps(const struct plan *plan, node_time_t now,
				   node_time_t drained_from_ps);

/** pause_cycle_describe() - writes "s1 -> s2 -> s3 -> s1, class roce: each waits for the next since
 *  1.200 ms".  Return: @text. */
const char *pause_cycle_describe(const struct plan *plan, const struct pause_cycle *cycle,
				 char *text, size_t text_max);

#endif
