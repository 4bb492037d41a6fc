/*  results_csv - the results as CSV files (TB-13). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_CSV_H
#define HEDDLE_ORCHESTRATOR_RESULTS_CSV_H

#include "orchestrator/results.h"

/** results_csv_name() - the name of the @index-th file that results_csv_write() may write; NULL: there are no more. */
const char *results_csv_name(unsigned index);

/** results_csv_write() - flows.csv, messages.csv, ports.csv, tables.csv, samples.csv, under the real clock nodes.csv, in folder @folder, which is made
 *  if missing; a file is complete or not there.  @why  a sentence on failure.  Return: 0 or -errno.                */
int results_csv_write(const struct plan *plan, struct stats_page *const *pages, const struct results *results,
		      const char *folder, char *why, unsigned why_max);

#endif
