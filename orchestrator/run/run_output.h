/*  run_output - what a run writes: the summary, JSON and CSV at its end, captures and events while
 *  it runs; for a variant the row of a table (cmd_compare.c).
 *
 *  A new file of a run has a line in run_output_check(). One that is written at the end has a line
 *  in run_output_write(). One that nodes write is a member of struct run_output, and has a line in
 *  run_output_open(), run_output_complete() and run_output_end(). */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_OUTPUT_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_OUTPUT_H

#include "orchestrator/fabric/event_file.h"
#include "orchestrator/fabric/record_file.h"
#include "orchestrator/run/run_options.h"

/* the files that are written while the fabric runs; zeroed: there are none */
struct run_output {
	struct run_options *options; /* of run_output_open() */
	struct plan *plan;
	struct capture_files captures;
	struct event_file events;
	struct record_file record;
	const char *variant;                       /* that is recorded; NULL: none */
	struct node_files event_logs, series_logs; /* of the nodes */
};

/** run_output_check() - rejects output files of @options that are the same, or are inputs
 *  (@origin), or have no folder, and makes the folder of --csv.
 *  Return: 0 or an exit status, reported. run_output_folder_end() in any case. */
int run_output_check(struct run_options *options, const struct origin *origin);

/** run_output_folder_end() - removes the folder of --csv if it was made and nothing is in it. */
void run_output_folder_end(const struct run_options *options);

/** run_output_open() - begins the files that the nodes of @plan write, and sets the callbacks of
 *  @options->fabric for them. @output, @options and @plan are borrowed until run_output_end().
 *  Return: 0 or an exit status, reported. run_output_end() in any case. */
int run_output_open(struct run_output *output, struct run_options *options, struct plan *plan);

/** run_output_begin() - the nodes of @fabric are ready.
 *  Return: 0 or an exit status, reported. */
int run_output_begin(struct run_output *output, const struct fabric *fabric);

/** run_output_once() - a clause that says why the files cannot be begun again; NULL: they can. */
const char *run_output_once(const struct run_output *output);

/** run_output_again() - after run_output_end(), for a run that is repeated from its start: begins
 *  the files again.
 *  Return: 0 or an exit status, reported. */
int run_output_again(struct run_output *output);

/** run_output_follow() - for struct run: writes what is complete of the recording. */
void run_output_follow(void *output, const struct fabric *fabric);

/** run_output_write() - the results, as @options say, or into @options->row. @output has the logs
 *  of the nodes.
 *  Return: 0 or an exit status, reported. */
int run_output_write(struct run_output *output, const struct run_options *options,
		     const struct plan *plan, struct stats_page *const *pages,
		     const struct results *results, const struct fabric *fabric);

/** run_output_complete() - after the end of the nodes of a run with exit status @status: gives the
 *  files of @output their names.
 *  Return: the exit status. */
int run_output_complete(struct run_output *output, struct fabric *fabric, int status);

/** run_output_end() - deletes files that are not complete. Idempotent. */
void run_output_end(struct run_output *output);

/** run_remark() - why there is no usual result: into the row of a variant, or to standard error. */
void run_remark(const struct run_options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
