/*  metric_fault - metrics of a fault. Without a fault: lost and astray are the sum of all, recovery
 *  is the longest, least the least. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_FAULT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_FAULT_H

#include "orchestrator/results/metric.h"

metric_value_fn metric_fault_counter, metric_fault_least, metric_fault_recovery;

#endif
