/*  live_load - the workloads of the scenario in a running fabric: what they have sent, and requests
 *  to start and stop them (TB-12, DU-8).
 *
 *  They run in the NICs. Here is when each began, and the counters of that moment, so that figures
 *  are those since the last start. Start and stop go to every NIC that sends. Counters and
 *  completion times are read from the statistics pages; of these times a NIC keeps the last ones
 *  (plan_real.c). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_LOAD_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_LOAD_H

#include "orchestrator/live/live_query.h"

/** live_loads_init() - live->loads, as the plan has them: those that do not wait begin at fabric
 *  time 0. Return: 0 or -ENOMEM. live_loads_fini() in any case. */
int live_loads_init(struct live *live);
void live_loads_fini(struct live *live);

/** live_load_node_starts() - @node is about to be started again: its workloads continue from now
 *  on, not from when they began, so that it does not send what it missed. */
void live_load_node_starts(struct live *live, uint32_t node);

/* the requests of these names: live_request.h */
live_query_fn live_load_list, live_load_start, live_load_stop, live_load_set;

#endif
