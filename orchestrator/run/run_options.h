/*  run_options - the options of `heddle run`, and its exit status. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_OPTIONS_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_OPTIONS_H

#include "orchestrator/base/output_names.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/command/options.h"
#include "orchestrator/command/view_option.h"
#include "orchestrator/fabric/capture_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/results/compare.h"
#include "orchestrator/results/results_csv.h"

enum run_view_kind {
	RUN_VIEW_NONE,
	RUN_VIEW_READ,
	RUN_VIEW_CONTROL, /* forks may be made */
};

struct view_lab;

struct run_options {
	const char *scenario;
	struct option_settings settings;
	const char *captures[CAPTURE_FILES_MAX];
	unsigned capture_count;
	uint32_t capture_bytes; /* kept of a frame */
	const char *events;     /* NULL: none */
	const char *record;     /* NULL: none */
	const char *json;       /* NULL: none; OUTPUT_STDOUT, as for the two above */
	const char *report;     /* NULL: none */
	const char *report_lab; /* in it: view_report.h; NULL: none */
	FILE *recording;        /* of the run, for the report; borrowed. NULL: none */
	const char *csv;
	bool csv_made;              /* the folder `csv` was made by this run */
	size_t csv_there;           /* length of the prefix of `csv` that existed before */
	unsigned view;              /* enum run_view_kind */
	struct view_listen listen;  /* of the page */
	const struct view_lab *lab; /* beside the fabric on the page; NULL: none */
	bool timing, quiet, verbose;
	const char *script;
	bool breaks;   /* there is a breakpoint */
	unsigned real; /* clock */
	node_time_t break_ps, slow_ps_per_s;
	bool compare;
	const char *variant;                     /* one variant, with all outputs; NULL: none */
	const char *sweep, *seeds;               /* run_sweep.h; NULL: a single run */
	const char *only[SCENARIO_VARIANTS_MAX]; /* variants; none: all */
	unsigned only_count;
	/* of the variant that is run: receives the results, instead of output; without columns
	 * those of the expectations */
	struct compare_row *row;
	const struct scenario_compare *columns;
	/* workers: RUN_PACK_BY_SIZE, OPTION_PACK_BY_CORES, 0: none, else how many */
	int pack;
	uint32_t ranks_here; /* on this machine, if fabric.ranks says that there are several */
	struct fabric_options fabric;
};

#define RUN_PACK_BY_SIZE -1

extern const struct run_options run_options_default; /* without any word */

/** run_options_read() - @options from the words of the command.
 *  Return: -1, or the exit status if there is nothing to run. */
int run_options_read(struct run_options *options, int argc, char **argv);

/** run_on_stdout() - is standard output a file of the run (the result as JSON, its events, its
 *  recording), so that nothing else is? */
bool run_on_stdout(const struct run_options *options);

#endif
