/*  cmd_run - options, exit status and one run, for `heddle run` and `heddle run --compare`
 *  (cmd_compare.c). For these two files only. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_RUN_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_RUN_H

#include "orchestrator/cli/options.h"
#include "orchestrator/fabric/capture_file.h"
#include "orchestrator/fabric/event_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/results/compare.h"
#include "orchestrator/results/results_csv.h"

#define JSON_STDOUT "-"

enum exit_status {
	EXIT_FINE = 0,
	EXIT_EXPECTATION = 1,
	EXIT_USAGE = 2, /* or a wrong scenario */
	EXIT_STALL = 3,
	EXIT_NODE = 4,
	EXIT_UNFAITHFUL = 5, /* real clock: the machine was too slow for this scenario */
	EXIT_INTERRUPTED = RESULTS_INTERRUPTED_STATUS,
};

struct options {
	const char *scenario;
	struct option_settings settings;
	const char *captures[CAPTURE_FILES_MAX];
	unsigned capture_count;
	uint32_t capture_bytes; /* kept of a frame */
	const char *events;     /* NULL: none */
	const char *json;       /* NULL: none; JSON_STDOUT */
	const char *csv;
	bool timing, quiet, verbose;
	const char *script;
	bool breaks;   /* there is a breakpoint */
	unsigned real; /* clock */
	node_time_t break_ps, slow_ps_per_s;
	bool compare;
	const char *only[SCENARIO_VARIANTS_MAX]; /* variants; none: all */
	unsigned only_count;
	/* of the variant that is run: receives the results, instead of output */
	struct compare_row *row;
	const struct scenario_compare *columns;
	struct fabric_options fabric;
};

/** cmd_run() - `heddle run`.  Return: the exit status: main.c. */
int cmd_run(int argc, char **argv);

/** run_scenario_load() - reads, plans and checks @options->scenario with variant @variant
 *  (scenario_read_variant).
 *  Return: 0 or an exit status, told. */
int run_scenario_load(const struct options *options, uint32_t variant, struct plan *plan);

/** run_outputs_check() - rejects output files of @options that are the same, or are inputs
 *  (@origin).
 *  Return: 0 or an exit status, told. */
int run_outputs_check(const struct options *options, const struct origin *origin);

/** run_scenario_play() - runs @plan. The results are written as @options say, or put into
 *  @options->row if that is set.
 *  Return: the exit status. */
int run_scenario_play(const struct options *options, const struct plan *plan);

#endif
