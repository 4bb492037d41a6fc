/*  series_values - what a node's series are at a sample, as its log of changes says
 *  (nodes/stats/series.h). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_SERIES_VALUES_H
#define HEDDLE_ORCHESTRATOR_RESULTS_SERIES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/stats/series.h"

struct series_values {
	uint32_t port_count, flows_max;
	uint32_t flows_seen; /* slots below have had a value */
	uint64_t *ports, *classes, *lanes, *flows;
};

/** series_values_init() - all 0, of the node that @config describes.
 *  Return: 0 or -ENOMEM; series_values_fini() is due in any case. */
int series_values_init(struct series_values *values, const struct node_config *config);
void series_values_fini(struct series_values *values);

/** series_values_at() - where the value of a key is, or NULL: the node has no such key. O(1). */
uint64_t *series_values_at(const struct series_values *values, uint32_t id, uint32_t port,
			   uint32_t index);

/** series_values_take() - a change. @entry is a copy, not trusted.
 *  Return: false: it is none of this node. */
bool series_values_take(struct series_values *values, const struct series_entry *entry);

#endif
