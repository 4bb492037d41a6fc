/*  series_values - what a node's series are at a sample, as its log of changes says
 *  (nodes/stats/series.h). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_SERIES_VALUES_H
#define HEDDLE_ORCHESTRATOR_RESULTS_SERIES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/stats/series.h"
#include "orchestrator/plan/plan.h"

struct series_values {
	uint32_t port_count, flows_max;
	uint32_t flows_seen; /* slots below have had a value */
	uint64_t *ports, *classes, *lanes, *flows;
};

/** series_values_init() - all 0, of the node that @config describes.
 *  Return: 0 or -ENOMEM; series_values_fini() is due in any case. */
int series_values_init(struct series_values *values, const struct node_config *config);
void series_values_fini(struct series_values *values);

/** series_values_node() - the node that @entry, in the log of @node, is about. That of a flow in
 *  the log of a switch is about a flow of the NIC at that port (switchd/flow_channel/unacked.h).
 *  Return: its place in @plan; UINT32_MAX: there is no such node. O(1). */
uint32_t series_values_node(const struct plan *plan, uint32_t node,
			    const struct series_entry *entry);

/** series_values_at() - where the value of a key is, or NULL: the node has no such key. O(1). */
uint64_t *series_values_at(const struct series_values *values, uint32_t id, uint32_t port,
			   uint32_t index);

/** series_values_class() - series @id of class @c at @port of the node that @config describes. What
 *  a node does not sample follows from other series: of a switch without such queues it is the sum
 *  of the class's lanes, in whole units; of a NIC with one class it is that of its port. O(lanes).
 */
uint64_t series_values_class(const struct series_values *values, const struct node_config *config,
			     uint32_t id, uint32_t port, uint32_t c);

/** series_values_take() - a change. @entry is a copy, not trusted.
 *  Return: false: it is none of this node. */
bool series_values_take(struct series_values *values, const struct series_entry *entry);

#endif
