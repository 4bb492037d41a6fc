/*  pause_cycle - switches whose PFC holds each other for ever: the deadlock of a lossless Ethernet, found and named (RC-5, TB-22).
 *
 *  An output (switch, port, class) that the neighbour holds waits for the neighbour's input to fall below its level. That input is
 *  full of packets that wait for outputs of the neighbour, some of which are held by their own neighbours. Where these waits lead
 *  back to the first output, none of them moves by itself. A full input may still drain through an output that is not held, so a
 *  cycle alone is only suspicious: it counts once all its outputs have been held without a break for so long that nothing else
 *  explains it (roce.pfc.watchdog), or all the time since the last message was sent.
 *  PFC is refreshed, so such a fabric never falls silent: the end of events, by which run.h tells that a fabric of flow channels
 *  stands still, does not come.
 *  Pure: reads the statistics pages of switches, of one moment, or under the real clock of nearly one.
 *  Deterministic: cycles have no output in common; of several ways to choose them, the lowest node, port and class goes first.   */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_PAUSE_CYCLE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_PAUSE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

/* an output that is held */
struct pause_hop {
	uint32_t node, port, traffic_class;
	node_time_t since_ps;
};

struct pause_cycle {
	node_time_t since_ps; /* since then all of them have been held */
	uint32_t length;
	struct pause_hop *hops; /* each waits for the next, the last for the first */
};

struct pause_cycles {
	uint32_t count;
	struct pause_cycle *list;
};

/** pause_cycles_find() - the cycles of outputs that have been held since @before_ps or longer.
 *  @pages  of the plan's nodes, in its order; NULL for one that cannot be read: nobody waits for it.
 *  @cycles filled; pause_cycles_free() later.   Return: 0 or -ENOMEM.  O(held outputs ^ 2).                         */
int pause_cycles_find(const struct plan *plan, struct stats_page *const *pages, node_time_t before_ps,
		      struct pause_cycles *cycles);
void pause_cycles_free(struct pause_cycles *cycles);

/** pause_cycles_before_ps() - what to give it at @now: long ago enough by the watchdog, or @drained_from_ps, when the last message
 *  was sent (NODE_TIME_NEVER: more may come).                                                                       */
node_time_t pause_cycles_before_ps(const struct plan *plan, node_time_t now, node_time_t drained_from_ps);

/** pause_cycle_describe() - "s1 -> s2 -> s3 -> s1, class roce: each waits for the next since 1.200 ms".  Return: @text. */
const char *pause_cycle_describe(const struct plan *plan, const struct pause_cycle *cycle, char *text, size_t text_max);

#endif
