/*  results_csv - the results as CSV files (TB-13). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CSV_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CSV_H

#include "nodes/base/why.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/results/node_log.h"
#include "orchestrator/results/results.h"

#define RESULTS_INTERRUPTED_STATUS 130 /* exit status of an interrupted run, noted in its tables */

/* the logs of all nodes, an array each; NULL: out of memory */
struct results_logs {
	const struct node_log_source *series, *events;
};

/** results_csv_name() - the name of the @index-th file that results_csv_write() may write; NULL:
 *  there are no more. */
const char *results_csv_name(unsigned index);

/** results_csv_has() - is file @index written for @plan and @results? results_csv_of_samples() -
 *  is it made of samples? */
bool results_csv_has(const struct plan *plan, const struct results *results, unsigned index);
bool results_csv_of_samples(unsigned index);

/** results_csv_table() - the text of file @index. As results_csv_write().
 *  Return: 0 or -errno. */
int results_csv_table(const struct plan *plan, struct stats_page *const *pages,
		      const struct results_logs *logs, const struct results *results,
		      unsigned index, FILE *out);

/** results_csv_interrupted() - the last line of a table of a run that was interrupted at @end_ps.
 *  */
void results_csv_interrupted(node_time_t end_ps, FILE *out);

/** results_csv_open() - starts to write file @name in @folder, which exists.   Return: 0 or
 *  -errno. */
int results_csv_open(struct atomic_file *file, const char *folder, const char *name);

/** results_csv_write() - writes flows.csv, messages.csv, ports.csv, tables.csv, samples.csv,
 *  flow_samples.csv, paths.csv and, under the real clock, nodes.csv to folder @folder, which is
 *  created if missing. A file is complete or absent. Of an interrupted run its last line is
 *  "# interrupted=true end_ps=... exit_status=130".
 *  @why  a sentence on failure
 *  Return: 0 or -errno. */
int results_csv_write(const struct plan *plan, struct stats_page *const *pages,
		      const struct results_logs *logs, const struct results *results,
		      const char *folder, struct why *why);

#endif
