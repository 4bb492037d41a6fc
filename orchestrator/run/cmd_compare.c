/*  cmd_compare - `heddle run --compare SCENARIO`: runs its variants one after the other, and prints
 *  one table of results (TB-10).
 *
 *  All variants are read, planned and checked before the first one is started. The row of a variant
 *  that stalls or fails says so; the others still run. */
#include "orchestrator/run/cmd_compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/run/run_execute.h"
#include "orchestrator/run/run_report.h"
#include "orchestrator/run/run_scenario.h"
#include "orchestrator/scenario/scenario_compare.h"
#include "orchestrator/scenario/scenario_idle.h"

/* the `compare` section; NULL with *@status after an error. *@origin: of that scenario; held */
static struct scenario_compare *compare_load(const struct run_options *options,
					     struct origin **origin, int *status)
{
	struct scenario_compare *compare;
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	int error = run_scenario_read(options, SCENARIO_NO_VARIANT, &scenario, &errors);

	scenario_errors_print(&errors, stderr);
	compare = error ? NULL : scenario.compare;
	if (error && !errors.count)
		options_wrong("run", "%s", strerror(-error));
	else if (!error && !compare)
		options_wrong("run",
			      "%s has no 'compare' section, which lists what to compare: "
			      "docs/scenario.md has an example",
			      options->scenario);
	if (compare && option_control_check("run", &options->settings, &scenario, true))
		compare = NULL;
	if (compare)
		scenario_idle_note(&scenario, "run");
	scenario.compare = compare ? NULL : scenario.compare;
	*origin = origin_hold(scenario.origin);
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	*status = EXIT_USAGE;
	return compare;
}

static bool variant_wanted(const struct run_options *options, const char *name)
{
	for (unsigned i = 0; i < options->only_count; i++) {
		if (!strcmp(options->only[i], name))
			return true;
	}
	return !options->only_count;
}

/* @variant: the number of variant @name.  Return: 0 or an exit status, reported for @option */
static int variant_find(const struct scenario_compare *compare, const char *option,
			const char *name, uint32_t *variant)
{
	const char *names[SCENARIO_VARIANTS_MAX];
	char hint[128];

	for (uint32_t v = 0; v < compare->variant_count; v++)
		names[v] = compare->variants[v].name;
	for (*variant = 0; *variant < compare->variant_count; ++*variant)
		if (!strcmp(names[*variant], name))
			return 0;
	suggest_sentence(name, names, compare->variant_count, sizeof(names[0]), hint, sizeof(hint));
	return options_wrong("run", "%s: there is no variant '%s'%s", option, name, hint);
}

/* the settings of the command line that variant @variant has values of its own for; @root: the tree
 * without a variant */
static void settings_note(const struct run_options *options, const struct scenario_compare *compare,
			  struct yaml_node *root, uint32_t variant)
{
	for (unsigned i = 0; i < options->settings.count; i++) {
		const char *text = options->settings.texts[i];
		char *path = strndup(text, strcspn(text, "="));

		if (path && scenario_compare_sets(root, variant, path))
			fprintf(stderr,
				"heddle run: no effect on variant '%s', which sets it itself: "
				"--set %s\n",
				compare->variants[variant].name, text);
		free(path);
	}
}

int run_variant_find(const struct run_options *options, const char *swept, uint32_t *variant)
{
	struct origin *origin;
	int status;
	struct scenario_compare *compare = compare_load(options, &origin, &status);

	if (compare)
		status = variant_find(compare, "--variant", options->variant, variant);
	if (compare && !status && swept &&
	    scenario_compare_sets(origin->effective, *variant, swept))
		status = options_wrong("run",
				       "variant '%s' sets %s itself: no other value has effect",
				       options->variant, swept);
	if (compare && !status)
		settings_note(options, compare, origin->effective, *variant);
	origin_release(origin);
	scenario_compare_free(compare);
	return status;
}

static int only_check(const struct run_options *options, const struct scenario_compare *compare)
{
	uint32_t variant;
	int status = 0;

	for (unsigned i = 0; i < options->only_count && !status; i++)
		status = variant_find(compare, "--only", options->only[i], &variant);
	return status;
}

static int table_json_write(const struct run_options *options, const struct compare_table *table)
{
	struct atomic_file file;
	int error = atomic_file_output(&file, options->json);

	return error ? error : atomic_file_end(&file, compare_json_write(table, file.stream));
}

static int table_csv_write(const struct run_options *options, const struct compare_table *table)
{
	struct atomic_file file;
	int error = atomic_file_folder(options->csv)
			    ?: results_csv_open(&file, options->csv, "compare.csv");

	if (error)
		return error;
	compare_csv_write(table, file.stream);
	return atomic_file_commit(&file);
}

int run_table_write(const struct run_options *options, const struct compare_table *table)
{
	int error;

	if (!options->quiet && !run_on_stdout(options))
		compare_text_write(table, screen_look(stdout).colours, stdout);
	error = options->json ? table_json_write(options, table) : 0;
	if (error)
		return options_wrong("run", "cannot write the table to %s: %s", options->json,
				     atomic_file_why(error));
	error = options->csv ? table_csv_write(options, table) : 0;
	if (error)
		return options_wrong("run", "cannot write %s/compare.csv: %s", options->csv,
				     atomic_file_why(error));
	return 0;
}

int run_row(struct run_options *options, int status, struct plan *plan, struct compare_table *table,
	    struct compare_row *row, struct run_report *report)
{
	struct run_output output = { 0 };

	if (!status) {
		snprintf(table->scenario, sizeof(table->scenario), "%s", plan->scenario);
		compare_seed(table, plan->seed);
		options->recording = report ? run_report_recording(report) : NULL;
		if (options->recording)
			status = run_output_open(&output, options, plan);
		if (!status)
			status = run_execute(options, plan, &output);
		run_output_end(&output);
	}
	if (status == EXIT_INTERRUPTED)
		snprintf(row->note, sizeof(row->note), "interrupted: results up to that moment");
	plan_free(plan);
	return status == EXIT_STALL ? 0 : status;
}

static int variants_run(struct run_options *options, const struct scenario_compare *compare,
			struct compare_table *table, struct run_report *report)
{
	int worst = 0, status = 0;

	for (uint32_t v = 0; v < compare->variant_count && status != EXIT_INTERRUPTED; v++) {
		struct compare_row *row = &table->rows[table->row_count];
		struct plan plan = { 0 };

		if (!variant_wanted(options, compare->variants[v].name))
			continue;
		table->row_count++;
		row->name = compare->variants[v].name;
		if (!options->quiet)
			fprintf(stderr, "heddle run: variant '%s', %" PRIu32 " of %" PRIu32 "\n",
				row->name, v + 1, compare->variant_count);
		options->row = row;
		status = run_scenario_load(options, v, &plan);
		status = run_row(options, status, &plan, table, row, report);
		worst = status > worst ? status : worst;
	}
	options->row = NULL;
	return worst;
}

/* checks every variant before the first one is run */
static int variants_check(const struct run_options *options, const struct scenario_compare *compare)
{
	int status = only_check(options, compare);

	for (uint32_t v = 0; v < compare->variant_count && !status; v++) {
		struct plan plan = { 0 };

		if (variant_wanted(options, compare->variants[v].name))
			status = run_scenario_load(options, v, &plan);
		if (status)
			options_wrong("run", "this is variant '%s'", compare->variants[v].name);
		plan_free(&plan);
	}
	return status;
}

int run_compare(struct run_options *options)
{
	struct compare_table table = { .real = options->real };
	struct run_report report = { 0 };
	int status, written;

	options->columns = table.compare = compare_load(options, &table.origin, &status);
	if (!table.compare) {
		origin_release(table.origin);
		return status;
	}
	table.rows = calloc(table.compare->variant_count, sizeof(*table.rows));
	status = table.rows ? variants_check(options, table.compare)
			    : options_wrong("run", "not enough memory");
	for (uint32_t v = 0; v < table.compare->variant_count && !status; v++)
		if (variant_wanted(options, table.compare->variants[v].name))
			settings_note(options, table.compare, table.origin->effective, v);
	if (!status)
		status = run_output_check(options, table.origin);
	if (!status)
		status = run_report_open(&report, options->report, options->report_lab);
	if (!status) {
		status = variants_run(options, table.compare, &table, &report);
		written = run_table_write(options, &table);
		status = run_report_end(&report, written ? written : status);
	}
	run_output_folder_end(options);
	free(table.rows);
	origin_release(table.origin);
	scenario_compare_free((struct scenario_compare *)table.compare);
	return status;
}
