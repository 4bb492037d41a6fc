/*  results_csv - the results as CSV files (TB-13). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CSV_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CSV_H

#include "orchestrator/results/results.h"

#define RESULTS_INTERRUPTED_STATUS 130 /* exit status of an interrupted run, told in its tables */

/** results_csv_name() - the name of the @index-th file that results_csv_write() may write; NULL: there are no more. */
const char *results_csv_name(unsigned index);

/** results_csv_write() - flows.csv, messages.csv, ports.csv, tables.csv, samples.csv, under the real clock nodes.csv, in folder @folder, which is made
 *  if missing; a file is complete or not there; of an interrupted run its last line is
 *  "# interrupted=true end_ps=... exit_status=130".  @why  a sentence on failure.  Return: 0 or -errno.                */
int results_csv_write(const struct plan *plan, struct stats_page *const *pages, const struct results *results,
		      const char *folder, char *why, unsigned why_max);

#endif
