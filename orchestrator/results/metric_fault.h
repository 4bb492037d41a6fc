/*  metric_fault - metrics of a fault; without one: lost and astray the sum of all, recovery the longest, least the least. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_FAULT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_FAULT_H

#include "orchestrator/results/metric.h"

metric_value_fn metric_fault_lost, metric_fault_astray, metric_fault_least, metric_fault_recovery;

#endif
