/*  orchestrator/results/compare: variants of a scenario: their settings in the tree, and their rows
 *  in the table (TB-10, TB-11, TB-13). */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/results/compare.h"
#include "orchestrator/scenario/scenario_compare.h"
#include "tests/testing.h"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static char path[] = "/tmp/test_compare.XXXXXX";

static const char head[] = "name: three\n"
			   "run: {duration: 1ms}\n"
			   "topology: {generate: star, hosts: 3}\n"
			   "workloads: [{name: load, pattern: incast, to: h0}]\n";

static const char variants[] =
	"compare:\n"
	"  columns: [goodput(load), {metric: lost, name: \"lost, all\"}]\n"
	"  variants:\n"
	"    - {name: as it is}\n"
	"    - {name: by port, set: {switch.arbiter: by-port, run: {duration: 2ms}}}\n"
	"    - {name: many, set: {topology.hosts: 5, workloads.load.size: 1kB}}\n";

static void tear_down(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	plan_free(&plan);
	plan = (struct plan){ 0 };
	unlink(path);
	memcpy(path, "/tmp/test_compare.XXXXXX", sizeof(path));
}

/* the scenario with @section, as variant @variant */
static int scenario_read(const char *section, uint32_t variant, const char *setting)
{
	int fd = mkstemp(path), error;
	FILE *file = fdopen(fd, "w");

	fprintf(file, "%s%s", head, section);
	fclose(file);
	error = scenario_read_variant(path, &setting, setting != NULL, variant, &scenario, &errors);
	return error;
}

static void refused(const char *section, uint32_t variant, const char *place, const char *words)
{
	ck_assert_int_eq(scenario_read(section, variant, NULL), -22);
	ck_assert_msg(!strncmp(errors.texts[0] + strlen(path), place, strlen(place)), "%s",
		      errors.texts[0]);
	ck_assert_msg(strstr(errors.texts[0], words) != NULL, "%s", errors.texts[0]);
	tear_down();
}

TEST_GROUP(compare, .teardown = tear_down);

TEST(scenario_compare_read__columns_and_variants)
{
	const struct scenario_compare *compare;

	ck_assert_int_eq(scenario_read(variants, SCENARIO_NO_VARIANT, NULL), 0);
	compare = scenario.compare;
	ck_assert_uint_eq(compare->column_count, 2);
	ck_assert_str_eq(compare->columns[0].text, "goodput(load)");
	ck_assert_str_eq(compare->column_names[0], "goodput(load)");
	ck_assert_int_eq(compare->columns[0].place.line, 6);
	ck_assert_str_eq(compare->columns[1].text, "lost");
	ck_assert_str_eq(compare->column_names[1], "lost, all");
	ck_assert_uint_eq(compare->variant_count, 3);
	ck_assert_str_eq(compare->variants[1].name, "by port");
	ck_assert(scenario.switch_.arbiter == ARBITER_BY_FLOW);
}

/* a variant changes what it names, on top of --set, and nothing else */
TEST(scenario_read_variant__on_top_of_settings)
{
	ck_assert_int_eq(scenario_read(variants, 1, "run.duration=3ms"), 0);
	ck_assert(scenario.switch_.arbiter == ARBITER_BY_PORT);
	ck_assert_uint_eq(scenario.run.duration_ps, 2 * NODE_MS);
	ck_assert_uint_eq(scenario.host_count, 3);
	ck_assert_uint_eq(scenario.compare->variant_count, 3);
	tear_down();
	ck_assert_int_eq(scenario_read(variants, 2, "run.duration=3ms"), 0);
	ck_assert_uint_eq(scenario.run.duration_ps, 3 * NODE_MS);
	ck_assert_uint_eq(scenario.host_count, 5);
	ck_assert_uint_eq(scenario.workloads[0].message_bytes, 1000);
	tear_down();
	ck_assert_int_eq(scenario_read(variants, 0, NULL), 0);
	ck_assert_uint_eq(scenario.run.duration_ps, NODE_MS);
}

/* TB-11: a mistake in a variant is reported at its place */
TEST(scenario_compare_read__rejects)
{
	const uint32_t none = SCENARIO_NO_VARIANT;

	refused("compare: {columns: [lost]}\n", none, ":5:10: ", "lacks the key 'variants'");
	refused("compare: {columns: [], variants: [{name: a}]}\n", none,
		":5:20: ", "list of 1 to 64 metrics");
	refused("compare: {columns: [lost], variants: []}\n", none,
		":5:38: ", "list of 1 to 64 variants");
	refused("compare: {columns: [lost], variants: [{set: {}}]}\n", none,
		":5:39: ", "lacks the key 'name'");
	refused("compare: {columns: [{name: x}], variants: [{name: a}]}\n", none,
		":5:21: ", "lacks the key 'metric'");
	refused("compare: {columns: [lost], variants: [{name: a}, {name: a}]}\n", none,
		":5:50: ", "two variants");
	refused("compare: {columns: [lost], variants: [{name: a, set: x}]}\n", none,
		":5:54: ", "must be a mapping");
	refused("compare: {columns: [lost], variants: [{name: a, sets: {}}]}\n", none,
		":5:49: ", "did you mean 'set'");
	refused("compare: {columns: [lost], variants: [{name: a, set: {compare.columns: [x]}}]}\n",
		none, ":5:55: ", "cannot change");
	refused("compare: {columns: [lost], variants: [{name: a, set: {switch.arbitr: "
		"by-port}}]}\n",
		0, ":5:55: ", "did you mean 'arbiter'");
	refused("compare: {columns: [lost], variants: [{name: a, set: {switch.arbiter: "
		"by-prt}}]}\n",
		0, ":5:71: ", "did you mean 'by-port'");
	refused("compare: {columns: [lost], variants: [{name: a, set: {workloads.lod.size: 1}}]}\n",
		0, ":5:55: ", "none is 'lod'");
	refused("compare: {columns: [lost], variants: [{name: a, set: {run.duration.x: 1}}]}\n", 0,
		":5:55: ", "single value");
}

TEST(scenario_read_variant__setting_is_named)
{
	ck_assert_int_eq(scenario_read(variants, 1, "compare.variants.1.set={links.rote: 1Gb/s}"),
			 -22);
	ck_assert_ptr_nonnull(
		strstr(errors.texts[0],
		       "--set compare.variants.1.set={links.rote: 1Gb/s}: 'links' has no"));
}

/* ---- the table ---- */

/* a row with a goodput and losses, one without a value, one that failed */
static void table_make(struct compare_table *table, struct compare_row rows[3])
{
	struct results results = { .measured_ps = NODE_MS,
				   .all = { .goodput_bps = 5 },
				   .totals = { .lost = 7 } };
	struct result_group group = { .goodput_bps = 1500000000 };

	ck_assert_int_eq(scenario_read(variants, SCENARIO_NO_VARIANT, NULL), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(compare_check(scenario.compare, &plan, &errors), 0);
	results.groups = &group;
	results.group_count = 1;
	memset(rows, 0, 3 * sizeof(*rows));
	rows[0].name = "as it is";
	compare_row_fill(&rows[0], scenario.compare, &plan, &results);
	results.measured_ps = 0;
	rows[1].name = "b\xc3\xa4r";
	compare_row_fill(&rows[1], scenario.compare, &plan, &results);
	rows[2].name = "a \"third\"";
	strcpy(rows[2].note, "switch s0 was killed");
	*table = (struct compare_table){ .scenario = "three",
					 .seed = 1,
					 .compare = scenario.compare,
					 .row_count = 3,
					 .rows = rows };
}

/* what @write writes of that table; to be freed */
static char *table_output(int (*write)(const struct compare_table *table, FILE *out))
{
	struct compare_table table;
	struct compare_row rows[3];
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	table_make(&table, rows);
	ck_assert_int_eq(write(&table, out), 0);
	fclose(out);
	return text;
}

static int text_write(const struct compare_table *table, FILE *out)
{
	compare_text_write(table, false, out);
	return 0;
}

static int csv_write(const struct compare_table *table, FILE *out)
{
	compare_csv_write(table, out);
	return 0;
}

/* rows of different seeds have none in common */
TEST(compare_seed__of_all_rows)
{
	struct compare_table table;
	struct compare_row rows[3];
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table_make(&table, rows);
	compare_seed(&table, 7);
	compare_seed(&table, 7);
	compare_text_write(&table, false, out);
	fflush(out);
	ck_assert_ptr_nonnull(strstr(text, "virtual clock, seed 7\n"));
	compare_seed(&table, 8);
	rewind(out);
	compare_text_write(&table, false, out);
	fflush(out);
	ck_assert_ptr_nonnull(strstr(text, "virtual clock\n"));
	rewind(out);
	ck_assert_int_eq(compare_json_write(&table, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "\"seed\": null"));
	free(text);
}

TEST(compare_text_write__aligned)
{
	char *text = table_output(text_write);

	ck_assert_str_eq(text, "three: 3 variants; virtual clock, seed 1\n"
			       "\n"
			       "variant    goodput(load)  lost, all\n"
			       "as it is      1.500 Gb/s          7\n"
			       "b\xc3\xa4r                    -          7\n"
			       "a \"third\"              -          -  switch s0 was killed\n");
	free(text);
}

TEST(compare_json_write__values)
{
	char *text = table_output(compare_json_write);
	json_t *root = json_loads(text, 0, NULL), *row;

	row = json_array_get(json_object_get(root, "variants"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(row, "fabric")), "flow-channel");
	ck_assert(json_number_value(json_object_get(json_object_get(row, "values"),
						    "goodput(load)")) == 1.5e9);
	row = json_array_get(json_object_get(root, "variants"), 2);
	ck_assert(json_is_null(json_object_get(json_object_get(row, "values"), "lost")));
	ck_assert_str_eq(json_string_value(json_object_get(row, "note")), "switch s0 was killed");
	json_decref(root);
	free(text);
}

TEST(compare_csv_write__quotes_names)
{
	char *text = table_output(csv_write);

	ck_assert_str_eq(text, "variant,\"goodput(load)\",\"lost\",note\n"
			       "\"as it is\",1500000000,7,\"\"\n"
			       "\"b\xc3\xa4r\",,7,\"\"\n"
			       "\"a \"\"third\"\"\",,,\"switch s0 was killed\"\n");
	free(text);
}

TEST(compare_check__rejects_unknown_names)
{
	ck_assert_int_eq(
		scenario_read("compare: {columns: [goodput(lod)], variants: [{name: a}]}\n",
			      SCENARIO_NO_VARIANT, NULL),
		0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(compare_check(scenario.compare, &plan, &errors), -22);
	ck_assert_ptr_nonnull(strstr(errors.texts[0],
				     ":5:29: there is no workload 'lod' - did you mean 'load'?"));
}

/* rows are values of a key; mean and spread are over those that have a value */
TEST(compare_text_write__spread_of_values)
{
	struct compare_table table;
	struct compare_row rows[3];
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	table_make(&table, rows);
	table.head = "seed";
	table.spread = true;
	for (int i = 0; i < 2; i++) {
		rows[i].filled = true;
		rows[i].values[0].known = true;
		rows[i].values[0].value = 1e9 * (1 + 2 * i);
		rows[i].values[1].known = false;
	}
	compare_text_write(&table, false, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "three: 3 values of seed; virtual clock\n\nseed "));
	ck_assert_ptr_nonnull(strstr(text, "mean          2.000 Gb/s"));
	ck_assert_ptr_nonnull(strstr(text, "deviation     1.414 Gb/s"));
	ck_assert_ptr_nonnull(strstr(text, "minimum       1.000 Gb/s"));
	ck_assert_ptr_nonnull(strstr(text, "maximum       3.000 Gb/s"));
	free(text);
}

/* the mean of counts is none */
TEST(metric_show__count_and_mean_of_counts)
{
	static const struct {
		double value;
		const char *shown;
	} cases[] = { { 3, "3" },           { 1.0 / 3, "0.3333" }, { 12.5, "12.5" },
		      { 123456, "123456" }, { 4567.5, "4568" },    { 0, "0" } };
	char text[40];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_metric_show("drops", cases[i].value, text, sizeof(text));
		ck_assert_str_eq(text, cases[i].shown);
	}
}

/* the same for programs; a column without a value has none in any measure */
TEST(compare_json_write__spread_of_values)
{
	static const struct {
		const char *name;
		double value;
	} measures[] = {
		{ "mean", 2e9 }, { "deviation", 1414213562 }, { "minimum", 1e9 }, { "maximum", 3e9 }
	};
	struct compare_table table;
	struct compare_row rows[3];
	json_t *root, *spread;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	table_make(&table, rows);
	table.head = "seed";
	table.spread = table.real = true;
	for (int i = 0; i < 2; i++) {
		rows[i].filled = rows[i].values[0].known = true;
		rows[i].values[0].value = 1e9 * (1 + 2 * i);
		rows[i].values[1].known = false;
	}
	ck_assert_int_eq(compare_json_write(&table, out), 0);
	fclose(out);
	root = json_loads(text, 0, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(root, "sweep")), "seed");
	ck_assert_str_eq(json_string_value(json_object_get(root, "clock")), "real");
	spread = json_object_get(root, "spread");
	ck_assert_uint_eq(json_object_size(spread), 4);
	for (int m = 0; m < 4; m++) {
		const json_t *values = json_object_get(spread, measures[m].name);

		ck_assert_double_eq_tol(json_number_value(json_object_get(values, "goodput(load)")),
					measures[m].value, 1);
		ck_assert(json_is_null(json_object_get(values, "lost")));
	}
	json_decref(root);
	free(text);
}

TEST(compare_json_write__a_full_disk)
{
	struct compare_table table;
	struct compare_row rows[3];
	FILE *full = fopen("/dev/full", "w");

	table_make(&table, rows);
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(compare_json_write(&table, full), -ENOSPC);
	fclose(full);
}

TEST(compare_csv_write__head_and_colours)
{
	struct compare_table table;
	struct compare_row rows[3];
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	table_make(&table, rows);
	table.head = "run.seed";
	table.row_count = 1;
	compare_csv_write(&table, out);
	compare_text_write(&table, true, out);
	fclose(out);
	ck_assert_str_eq(text, "\"run.seed\",\"goodput(load)\",\"lost\",note\n"
			       "\"as it is\",1500000000,7,\"\"\n"
			       "\033[1mthree\033[0m: 1 value of run.seed; virtual clock, seed 1\n\n"
			       "\033[1mrun.seed  goodput(load)  lost, all\033[0m\n"
			       "as it is     1.500 Gb/s          7\n");
	free(text);
}

/* a value itself, or a section around it; a longer or a shorter name is another one */
TEST(scenario_compare_sets__paths)
{
	static const struct {
		const char *path;
		bool sets[4];
	} paths[] = {
		{ "switch.arbiter", { false, true, false, false } },
		{ "run.duration", { false, true, false, false } },
		{ "run", { false, true, false, false } },
		{ "runs", { false, false, false, false } },
		{ "ru", { false, false, false, false } },
		{ "topology", { false, false, false, false } },
		{ "topology.hosts", { false, false, true, false } },
		{ "topology.hosts.x", { false, false, true, false } },
		{ "workloads.load.sizes", { false, false, false, false } },
	};
	char text[1024];
	struct yaml_node *root;

	snprintf(text, sizeof(text), "%s%s", head, variants);
	ck_assert_int_eq(yaml_read("t", text, strlen(text), 0, &root, &errors), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		for (uint32_t v = 0; v < 4; v++)
			ck_assert_msg(scenario_compare_sets(root, v, paths[i].path) ==
					      paths[i].sets[v],
				      "%s of variant %u", paths[i].path, v);
	yaml_free(root);
	ck_assert_int_eq(yaml_read("t", "[1]", 3, 0, &root, &errors), 0);
	ck_assert(!scenario_compare_sets(root, 0, "run"));
	yaml_free(root);
}
