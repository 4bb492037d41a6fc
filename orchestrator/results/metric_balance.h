/*  metric_balance - metrics of the links that switches choose among. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_BALANCE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_BALANCE_H

#include "orchestrator/results/metric.h"

metric_value_fn metric_imbalance, metric_imbalance_max;

#endif
