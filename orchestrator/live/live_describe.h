/*  live_describe - data for `heddle ps` and `heddle top`: nodes, cost, counters, lateness (TB-8,
 *  TB-10). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_DESCRIBE_H

#include "orchestrator/live/live_query.h"

/** live_describe() - answers "ps". */
json_t *live_describe(struct live_query *query);

/** live_describe_lateness() - the distribution: events in each bucket of lateness, by the bucket's
 *  end in nanoseconds. */
json_t *live_describe_lateness(const struct lateness_stats *lateness);

/** live_describe_peer_waited_ns() - how long the data of the peer at @port has waited for this
 *  node's ring; 0 if the peer cannot be read. */
uint64_t live_describe_peer_waited_ns(const struct fabric *fabric, const struct port_config *port);

#endif
