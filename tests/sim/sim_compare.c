/*  sim_compare - `heddle run --compare` in one process: the same table, as the results of a variant
 *  are the same bytes. Without notes about variants that stall.
 *  usage: sim_compare SCENARIO --json FILE [--set path=value]... [--only VARIANT]... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/compare.h"
#include "orchestrator/scenario/scenario.h"
#include "orchestrator/scenario/scenario_compare.h"
#include "tests/sim/sim.h"

#define WORDS_MAX 64u

struct words {
	const char *texts[WORDS_MAX + 1]; /* NULL-terminated */
	uint32_t count;
};

static struct words settings, only;
static const char *path, *json;

static int usage(void)
{
	fprintf(stderr, "usage: sim_compare SCENARIO --json FILE [--set path=value]... "
			"[--only VARIANT]...\n");
	return 2;
}

static bool words_read(int argc, char **argv)
{
	if (argc < 4 || argc % 2)
		return false;
	path = argv[1];
	for (int i = 2; i < argc; i += 2) {
		struct words *words = !strcmp(argv[i], "--set")    ? &settings
				      : !strcmp(argv[i], "--only") ? &only
								   : NULL;

		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (words && words->count < WORDS_MAX)
			words->texts[words->count++] = argv[i + 1];
		else
			return false;
	}
	return json;
}

static bool wanted(const char *name)
{
	for (uint32_t i = 0; i < only.count; i++)
		if (!strcmp(only.texts[i], name))
			return true;
	return !only.count;
}

static void variant_run(struct compare_table *table, const char *name)
{
	struct compare_row *row = &table->rows[table->row_count++];
	struct results results;
	struct sim sim;

	sim_open_variant(&sim, path, name, settings.texts);
	snprintf(table->scenario, sizeof(table->scenario), "%s", sim.plan.scenario);
	table->seed = sim.plan.seed;
	sim_run(&sim);
	sim_results(&sim, &results);
	row->name = name;
	compare_row_fill(row, table->compare, &sim.plan, &results);
	results_free(&results);
	sim_close(&sim);
}

int main(int argc, char **argv)
{
	struct compare_table table = { 0 };
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	FILE *out;
	int error;

	if (!words_read(argc, argv))
		return usage();
	error = scenario_read_file(path, settings.texts, settings.count, &scenario, &errors);
	scenario_errors_print(&errors, stderr);
	if (error || !scenario.compare)
		return usage();
	table.compare = scenario.compare;
	table.origin = scenario.origin;
	table.rows = calloc(table.compare->variant_count, sizeof(*table.rows));
	for (uint32_t v = 0; table.rows && v < table.compare->variant_count; v++)
		if (wanted(table.compare->variants[v].name))
			variant_run(&table, table.compare->variants[v].name);
	compare_text_write(&table, false, stdout);
	out = fopen(json, "w");
	if (!out || compare_json_write(&table, out) || fclose(out))
		return perror(json), 1;
	free(table.rows);
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return 0;
}
