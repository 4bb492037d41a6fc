/*  live_describe - what `heddle ps` and `heddle top` show of a running fabric: nodes, cost,
 *  counters, fidelity (TB-8, TB-10). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H

#include "orchestrator/live/live_query.h"

/** live_describe() - answers "ps". */
json_t *live_describe(struct live_query *asking);

#endif
