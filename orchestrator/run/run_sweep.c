#include "orchestrator/run/run_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/run/cmd_compare.h"
#include "orchestrator/run/run_output.h"
#include "orchestrator/run/run_scenario.h"
#include "orchestrator/run/sweep_values.h"
#include "orchestrator/scenario/scenario_compare.h"
#include "orchestrator/scenario/scenario_idle.h"

struct sweep {
	char key[256];
	struct sweep_values values;
	uint32_t variant; /* of the scenario, or SCENARIO_NO_VARIANT */
	char setting[512];
};

/* ---- what is swept ---- */

static int sweep_parse(const struct run_options *options, struct sweep *sweep)
{
	const char *text = options->seeds ? options->seeds : options->sweep;
	const char *equals = strchr(text, '=');
	struct why why;

	snprintf(sweep->key, sizeof(sweep->key), "seed");
	if (!options->seeds) {
		if (!equals || equals == text || equals - text >= (int)sizeof(sweep->key))
			return options_wrong("run", "--sweep takes KEY=A..B, not '%s'", text);
		snprintf(sweep->key, sizeof(sweep->key), "%.*s", (int)(equals - text), text);
		text = equals + 1;
	}
	if (!sweep_values_parse(text, &sweep->values, &why))
		return 0;
	return options_wrong("run", "%s: %s", options->seeds ? "--seeds" : "--sweep", why.text);
}

/* ---- columns ---- */

static char *metric_of(const char *expectation)
{
	size_t length = strcspn(expectation, "<>=!");

	while (length && expectation[length - 1] == ' ')
		length--;
	return strndup(expectation, length);
}

/* the metrics of the expectations, each once; NULL: memory is short */
static struct scenario_compare *columns_make(const struct scenario *scenario)
{
	struct scenario_compare *compare = calloc(1, sizeof(*compare));

	for (uint32_t i = 0; compare && i < scenario->expectation_count &&
			     compare->column_count < SCENARIO_COLUMNS_MAX;
	     i++) {
		struct scenario_text *column = &compare->columns[compare->column_count];
		char *metric = metric_of(scenario->expectations[i].text);
		uint32_t same = 0;

		while (metric && same < compare->column_count &&
		       strcmp(compare->columns[same].text, metric) != 0)
			same++;
		if (metric && same < compare->column_count) {
			free(metric);
			continue;
		}
		*column = scenario->expectations[i];
		column->text = metric;
		compare->column_names[compare->column_count++] = metric ? strdup(metric) : NULL;
		if (!metric || !compare->column_names[compare->column_count - 1]) {
			scenario_compare_free(compare);
			return NULL;
		}
	}
	return compare;
}

/* what has no effect in the scenario with the first value; a mistake is told with its row */
static void idle_note(const struct run_options *options, struct sweep *sweep)
{
	const char *texts[SCENARIO_SETTINGS_MAX + 1];
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	unsigned count = options->settings.count;

	if (count == SCENARIO_SETTINGS_MAX)
		return;
	memcpy(texts, options->settings.texts, count * sizeof(*texts));
	snprintf(sweep->setting, sizeof(sweep->setting), "%s=%s", sweep->key,
		 sweep->values.texts[0]);
	texts[count] = sweep->setting;
	if (!scenario_read_variant(options->scenario, texts, count + 1, sweep->variant, &scenario,
				   &errors))
		scenario_idle_note(&scenario, "run");
	scenario_errors_free(&errors);
	scenario_free(&scenario);
}

/* fills @table from the scenario.  Return: 0 or an exit status, reported */
static int scenario_look(const struct run_options *options, struct sweep *sweep,
			 struct compare_table *table)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	int status = 0, error;

	sweep->variant = SCENARIO_NO_VARIANT;
	if (options->variant)
		status = run_variant_find(options, sweep->key, &sweep->variant);
	if (status)
		return status;
	error = run_scenario_read(options, sweep->variant, &scenario, &errors);
	scenario_errors_print(&errors, stderr);
	if (error)
		status = errors.count ? EXIT_USAGE : options_wrong("run", "%s", strerror(-error));
	if (!status) {
		table->compare = scenario.compare ? scenario.compare : columns_make(&scenario);
		scenario.compare = NULL;
		table->origin = origin_hold(scenario.origin);
		idle_note(options, sweep);
		if (!table->compare)
			status = options_wrong("run", "not enough memory");
		else if (!table->compare->column_count)
			status = options_wrong("run",
					       "%s has neither 'compare' nor 'expect', which are "
					       "the columns of the table",
					       options->scenario);
	}
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return status;
}

/* ---- rows ---- */

/* @row: of value @index.  Return: 0 or an exit status, reported */
static int value_load(struct run_options *options, struct sweep *sweep, uint32_t index,
		      struct compare_row *row, struct plan *plan)
{
	unsigned count = options->settings.count;
	int status;

	snprintf(sweep->setting, sizeof(sweep->setting), "%s=%s", sweep->key,
		 sweep->values.texts[index]);
	if (count == SCENARIO_SETTINGS_MAX)
		return options_wrong("run", "more than %u settings", SCENARIO_SETTINGS_MAX);
	options->settings.texts[options->settings.count++] = sweep->setting;
	options->row = row;
	status = run_scenario_load(options, sweep->variant, plan);
	options->settings.count = count;
	return status;
}

/* Seeds of a range differ in nothing that could be wrong, so two of them are enough. */
static int values_check(struct run_options *options, struct sweep *sweep)
{
	struct compare_row row;
	int status = 0;

	for (uint32_t i = 0; i < sweep->values.count && !status; i++) {
		struct plan plan = { 0 };

		if (options->seeds && !sweep->values.listed && i && i + 1 < sweep->values.count)
			continue;
		status = value_load(options, sweep, i, &row, &plan);
		plan_free(&plan);
	}
	return status;
}

static int value_run(struct run_options *options, struct sweep *sweep, uint32_t index,
		     struct compare_table *table)
{
	struct compare_row *row = &table->rows[index];
	struct plan plan = { 0 };
	int status;

	row->name = sweep->values.texts[index];
	if (!options->quiet)
		fprintf(stderr, "heddle run: %s=%s, %u of %u\n", sweep->key, row->name, index + 1,
			sweep->values.count);
	table->row_count++;
	status = value_load(options, sweep, index, row, &plan);
	return run_row(options, status, &plan, table, row, NULL);
}

static int values_run(struct run_options *options, struct sweep *sweep, struct compare_table *table)
{
	int worst = 0, status = 0;

	for (uint32_t i = 0; i < sweep->values.count && status != EXIT_INTERRUPTED; i++) {
		status = value_run(options, sweep, i, table);
		worst = status > worst ? status : worst;
	}
	options->row = NULL;
	return worst;
}

int run_sweep(struct run_options *options)
{
	struct compare_table table = { .real = options->real, .spread = options->seeds };
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	int status =
		    sweep ? sweep_parse(options, sweep) : options_wrong("run", "not enough memory"),
	    written;

	if (!status)
		status = scenario_look(options, sweep, &table);
	options->columns = table.compare;
	if (!status) {
		table.head = sweep->key;
		table.rows = calloc(sweep->values.count, sizeof(*table.rows));
		status = table.rows ? values_check(options, sweep)
				    : options_wrong("run", "not enough memory");
	}
	options->row = NULL;
	if (!status)
		status = run_output_check(options, table.origin);
	if (!status) {
		status = values_run(options, sweep, &table);
		written = run_table_write(options, &table);
		status = written ? written : status;
	}
	run_output_folder_end(options);
	free(table.rows);
	origin_release(table.origin);
	scenario_compare_free((struct scenario_compare *)table.compare);
	free(sweep);
	return status;
}
