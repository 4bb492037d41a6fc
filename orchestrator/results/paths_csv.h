/*  paths_csv - paths.csv: a row for each output that a flow takes at a switch, in the order of time
 *  (SE-1). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_PATHS_CSV_H
#define HEDDLE_ORCHESTRATOR_RESULTS_PATHS_CSV_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/node_log.h"

/** paths_csv_write() - writes all of the file, from @events of each node.
 *  @pages  of all nodes: the names of flows
 *  Return: 0; -ENOMEM; another -errno: the events of a node are incomplete. */
int paths_csv_write(const struct plan *plan, struct stats_page *const *pages,
		    const struct node_log_source *events, FILE *out);

#endif
