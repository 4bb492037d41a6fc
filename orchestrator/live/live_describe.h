/*  live_describe - data for `heddle ps` and `heddle top`: nodes, cost, counters, lateness (TB-8,
 *  TB-10). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H

#include "orchestrator/live/live_query.h"

/** live_describe() - answers "ps". */
json_t *live_describe(struct live_query *query);

#endif
