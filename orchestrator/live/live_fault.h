/*  live_fault - the time line of a scenario's faults and pauses, beside real programs (FC-26,
 *  DU-6, DU-8).
 *
 *  It begins with the fabric, unless `heddle up --hold` was said, and can be started again. The
 *  daemon applies faults when it wakes for them, some milliseconds late on a busy machine; pauses
 *  take effect in the NICs. A link that a user has taken down stays down; one that a user brings up
 *  during a fault is up. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_FAULT_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_FAULT_H

#include "orchestrator/live/live_query.h"

/** live_faults_init() - live->faults, of live->plan.  Return: 0 or -ENOMEM. live_faults_fini() in
 *  any case. */
int live_faults_init(struct live *live);
void live_faults_fini(struct live *live);

/** live_faults_link_joins() - @link is new: faults of its switches that are present end for it,
 *  too, when they return. */
void live_faults_link_joins(struct live *live, uint32_t link);

/** live_faults_link_gone(), live_faults_node_gone() - @link, or switch @node, is removed: its
 *  faults do nothing any more, also when another one joins in its slot. */
void live_faults_link_gone(struct live *live, uint32_t link);
void live_faults_node_gone(struct live *live, uint32_t node);

/** live_faults_step() - applies what is due.  Return: ns until the next call; UINT64_MAX: none is
 *  needed. */
uint64_t live_faults_step(struct live *live);

/** live_faults_describe() - every fault, as JSON. */
json_t *live_faults_describe(const struct live *live);

/* the requests of these names: live_request.h */
live_query_fn live_fault_list, live_fault_start, live_fault_stop;

#endif
