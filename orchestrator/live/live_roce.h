/*  live_roce - what `ps` and `top` are told of a running fabric of kind roce beside what every
 *  fabric has: who is held, who marks, who was told to slow down, deadlocks (RC-1 ... RC-5, TB-8).
 *  Nothing in another kind of fabric. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROCE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROCE_H

#include <jansson.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

/** live_roce_port_put() - puts into @object, of port @port of node @config, "roce" and "classes":
 *  counters that are not 0. */
void live_roce_port_put(const struct node_config *config, struct stats_page *stats, uint32_t port,
			json_t *object);

/** live_roce_node_put() - puts the sums over its ports and flows into @object, of node @config:
 *  held, told_to_stop (classes, now), marked, pauses, cnps, in_error (queue pairs). */
void live_roce_node_put(const struct node_config *config, struct stats_page *stats, json_t *object);

/** live_roce_put() - puts "kind" and "deadlocks" into @object, of the whole fabric. @pages NULL for
 *  those that cannot be read. */
void live_roce_put(const struct plan *plan, struct stats_page *const *pages, json_t *object);

#endif
