/*  cmd_compare - `heddle run --compare`: all variants of a scenario, and one table. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_CMD_COMPARE_H
#define HEDDLE_ORCHESTRATOR_RUN_CMD_COMPARE_H

#include "orchestrator/run/run_options.h"
#include "orchestrator/run/run_report.h"

/** run_compare() - runs the variants and writes their table.  Return: the exit status. */
int run_compare(struct run_options *options);

/** run_row() - runs @plan, whose loading ended with @status, and frees it; nothing is run after an
 *  error. Its results are in @row of @table.
 *  @report  records it; NULL: none.
 *  Return: 0, also if it stalled, which is a result; else an exit status, reported. */
int run_row(struct run_options *options, int status, struct plan *plan, struct compare_table *table,
	    struct compare_row *row, struct run_report *report);

/** run_table_write() - the table of several runs, as @options say.
 *  Return: 0 or an exit status, reported. */
int run_table_write(const struct run_options *options, const struct compare_table *table);

/** run_variant_find() - the number of @options->variant in the `compare` section of the scenario.
 *  @swept  a key that the variant must not set, because its value changes; NULL: none.
 *  Return: 0 or an exit status, reported. */
int run_variant_find(const struct run_options *options, const char *swept, uint32_t *variant);

#endif
