/*  metric_roce - metrics of fabrics of kind roce: of traffic classes of ports, and of flows;
 *  elsewhere they have no value. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_ROCE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_ROCE_H

#include "orchestrator/results/metric.h"

metric_value_fn metric_class_counter, metric_class_queue_mean, metric_class_delay_mean,
	metric_class_throughput, metric_flow_counter, metric_rate_mean, metric_marked_share,
	metric_deadlocks;

#endif
