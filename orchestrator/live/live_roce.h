/*  live_roce - data for `ps` and `top` of a running fabric of kind roce: pauses, marks, CNPs, queue
 *  pairs in error, deadlocks (RC-1 ... RC-5, TB-8). In other kinds of fabric nothing is added. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROCE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_ROCE_H

#include <jansson.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

/** live_roce_port_put() - adds "roce" and "classes" to @object, the counters of port @port of node
 *  @config that are not 0. */
void live_roce_port_put(const struct node_config *config, struct stats_page *stats, uint32_t port,
			json_t *object);

/** live_roce_node_put() - adds sums over ports and flows of node @config to @object:
 *  paused_classes, xoff_classes (now), marked, pauses, cnps, in_error (queue pairs). */
void live_roce_node_put(const struct node_config *config, struct stats_page *stats, json_t *object);

/** live_roce_put() - adds "kind" and "deadlocks" of the fabric to @object. @pages NULL for those
 *  that cannot be read. */
void live_roce_put(const struct plan *plan, struct stats_page *const *pages, json_t *object);

#endif
