/*  samples_csv - the samples of all nodes as tables: samples.csv has a row for each port and
 *  sample, flow_samples.csv one for each flow and sample (SE-1). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_SAMPLES_CSV_H
#define HEDDLE_ORCHESTRATOR_RESULTS_SAMPLES_CSV_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/node_log.h"

/** samples_csv_ports(), samples_csv_flows() - write all of the file, from @samples, the series of
 *  each node; none without run.sample.
 *  Return: 0; -ENOMEM; another -errno: the samples of a node are incomplete. */
int samples_csv_ports(const struct plan *plan, const struct node_log_source *samples, FILE *out);
int samples_csv_flows(const struct plan *plan, const struct node_log_source *samples, FILE *out);

#endif
