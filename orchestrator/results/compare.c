#include "orchestrator/results/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "orchestrator/base/json_text.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/results/results_origin.h"

#define GAP 2 /* between columns */

int compare_check(const struct scenario_compare *compare, const struct plan *plan,
		  struct scenario_errors *errors)
{
	int error = 0;

	for (uint32_t i = 0; i < compare->column_count; i++)
		error |= expect_metric_check(plan, &compare->columns[i], errors);
	return error ? -EINVAL : 0;
}

void compare_row_fill(struct compare_row *row, const struct scenario_compare *compare,
		      const struct plan *plan, const struct results *results)
{
	row->filled = true;
	row->fabric = plan_fabric(plan);
	if (!compare) {
		for (uint32_t i = 0; i < results->expectation_count && i < SCENARIO_COLUMNS_MAX;
		     i++)
			row->values[i] = results->expectations[i];
		return;
	}
	for (uint32_t i = 0; i < compare->column_count; i++)
		row->values[i] = expect_metric_evaluate(plan, compare->columns[i].text, results);
}

void compare_note(struct compare_row *row, const char *format, va_list arguments)
{
	if (!row->note[0])
		vsnprintf(row->note, sizeof(row->note), format, arguments);
}

/* ---- spread ---- */

enum measure { MEAN, DEVIATION, MINIMUM, MAXIMUM, MEASURES };

static const char *const measure_name[MEASURES] = { "mean", "deviation", "minimum", "maximum" };

/* of column @column over the rows that have a value; the deviation is that of a sample.
 * Return: false: there is none */
static bool measured(const struct compare_table *table, uint32_t column, enum measure measure,
		     double *value)
{
	double sum = 0, squares = 0, least = 0, most = 0, mean;
	uint32_t count = 0;

	for (uint32_t r = 0; r < table->row_count; r++) {
		const struct result_expectation *each = &table->rows[r].values[column];

		if (!table->rows[r].filled || !each->known)
			continue;
		least = !count || each->value < least ? each->value : least;
		most = !count || each->value > most ? each->value : most;
		sum += each->value;
		count++;
	}
	if (!count || (measure == DEVIATION && count < 2))
		return false;
	mean = sum / count;
	for (uint32_t r = 0; r < table->row_count; r++) {
		const struct result_expectation *each = &table->rows[r].values[column];

		if (table->rows[r].filled && each->known)
			squares += (each->value - mean) * (each->value - mean);
	}
	*value = measure == MEAN        ? mean
		 : measure == DEVIATION ? sqrt(squares / (count - 1))
		 : measure == MINIMUM   ? least
					: most;
	return true;
}

static void spread_row_fill(const struct compare_table *table, enum measure measure,
			    struct compare_row *row)
{
	*row = (struct compare_row){ .name = measure_name[measure], .filled = true };
	for (uint32_t c = 0; c < table->compare->column_count; c++) {
		struct result_expectation *value = &row->values[c];

		value->known = measured(table, c, measure, &value->value);
		if (value->known)
			expect_metric_show(table->compare->columns[c].text, value->value,
					   value->shown, sizeof(value->shown));
	}
}

/* ---- text ---- */

static const char *head_of(const struct compare_table *table)
{
	return table->head ? table->head : "variant";
}

static const char *shown(const struct compare_row *row, uint32_t column)
{
	return row->filled && row->values[column].known ? row->values[column].shown : "-";
}

static int wider(int columns, const char *text)
{
	return utf8_columns(text) > columns ? utf8_columns(text) : columns;
}

static void head_write(const struct compare_table *table, int names, const int *columns,
		       bool colour, FILE *out)
{
	fprintf(out, "%s", screen_paint(colour, SCREEN_BOLD));
	utf8_pad(out, -names, head_of(table));
	for (uint32_t c = 0; c < table->compare->column_count; c++)
		utf8_pad(out, GAP + columns[c], table->compare->column_names[c]);
	fprintf(out, "%s\n", screen_paint(colour, SCREEN_PLAIN));
}

static void row_write(const struct compare_table *table, const struct compare_row *row, int names,
		      const int *columns, bool colour, FILE *out)
{
	utf8_pad(out, -names, row->name);
	for (uint32_t c = 0; c < table->compare->column_count; c++)
		utf8_pad(out, GAP + columns[c], shown(row, c));
	if (row->note[0])
		fprintf(out, "%*s%s%s%s", GAP, "", screen_paint(colour, SCREEN_RED), row->note,
			screen_paint(colour, SCREEN_PLAIN));
	fputc('\n', out);
}

void compare_seed(struct compare_table *table, uint64_t seed)
{
	if (!table->seed_known)
		table->seed = seed;
	table->seed_known = true;
	table->seeds_differ |= table->seed != seed;
}

static void title_write(const struct compare_table *table, bool colour, FILE *out)
{
	fprintf(out, "%s%s%s: %" PRIu32 " %s%s%s%s; %s clock", screen_paint(colour, SCREEN_BOLD),
		table->scenario, screen_paint(colour, SCREEN_PLAIN), table->row_count,
		table->head ? "value" : "variant", table->row_count == 1 ? "" : "s",
		table->head ? " of " : "", table->head ? table->head : "",
		table->real ? "real" : "virtual");
	if (!table->seeds_differ && (!table->head || strcmp(table->head, "seed") != 0))
		fprintf(out, ", seed %" PRIu64, table->seed);
	fprintf(out, "\n\n");
}

/* widens the columns to those of @row */
static void row_measure(const struct compare_table *table, const struct compare_row *row,
			int *names, int *columns)
{
	*names = wider(*names, row->name);
	for (uint32_t c = 0; c < table->compare->column_count; c++)
		columns[c] = wider(columns[c], shown(row, c));
}

void compare_text_write(const struct compare_table *table, bool colour, FILE *out)
{
	int names = utf8_columns(head_of(table)), columns[SCENARIO_COLUMNS_MAX];
	struct compare_row spread[MEASURES];
	uint32_t spreads = table->spread ? MEASURES : 0;

	for (uint32_t c = 0; c < table->compare->column_count; c++)
		columns[c] = utf8_columns(table->compare->column_names[c]);
	for (uint32_t r = 0; r < table->row_count; r++)
		row_measure(table, &table->rows[r], &names, columns);
	for (uint32_t m = 0; m < spreads; m++) {
		spread_row_fill(table, (enum measure)m, &spread[m]);
		row_measure(table, &spread[m], &names, columns);
	}
	title_write(table, colour, out);
	head_write(table, names, columns, colour, out);
	for (uint32_t r = 0; r < table->row_count; r++)
		row_write(table, &table->rows[r], names, columns, colour, out);
	if (spreads)
		fputc('\n', out);
	for (uint32_t m = 0; m < spreads; m++)
		row_write(table, &spread[m], names, columns, colour, out);
}

/* ---- JSON ---- */

static json_t *row_json(const struct compare_table *table, const struct compare_row *row)
{
	json_t *values = json_object();

	for (uint32_t c = 0; values && c < table->compare->column_count; c++) {
		const struct result_expectation *value = &row->values[c];

		json_object_set_new(values, table->compare->columns[c].text,
				    row->filled && value->known ? json_real(value->value)
								: json_null());
	}
	return json_pack("{s:s, s:s?, s:s, s:o}", "name", row->name, "fabric",
			 row->filled ? scenario_fabric_name[row->fabric] : NULL, "note", row->note,
			 "values", values);
}

static json_t *spread_json(const struct compare_table *table)
{
	json_t *spread = json_object();

	for (int m = 0; m < MEASURES; m++) {
		struct compare_row row;
		json_t *values = json_object();

		spread_row_fill(table, (enum measure)m, &row);
		for (uint32_t c = 0; c < table->compare->column_count; c++)
			json_object_set_new(values, table->compare->columns[c].text,
					    row.values[c].known ? json_real(row.values[c].value)
								: json_null());
		json_object_set_new(spread, measure_name[m], values);
	}
	return spread;
}

int compare_json_write(const struct compare_table *table, FILE *out)
{
	json_t *columns = json_array(), *variants = json_array(), *root;
	int error = 0;

	for (uint32_t c = 0; c < table->compare->column_count; c++)
		json_array_append_new(columns, json_pack("{s:s, s:s}", "name",
							 table->compare->column_names[c], "metric",
							 table->compare->columns[c].text));
	for (uint32_t r = 0; r < table->row_count; r++)
		error |= json_array_append_new(variants, row_json(table, &table->rows[r]));
	root = json_object();
	error |= results_origin_put(table->origin, root);
	error |= json_object_update_new(
		root,
		json_pack("{s:s, s:o, s:s, s:o, s:o}", "scenario", table->scenario, "seed",
			  table->seeds_differ ? json_null() : json_integer((json_int_t)table->seed),
			  "clock", table->real ? "real" : "virtual", "columns", columns, "variants",
			  variants));
	if (table->head)
		error |= json_object_set_new(root, "sweep", json_string(table->head));
	if (table->spread)
		error |= json_object_set_new(root, "spread", spread_json(table));
	if (!error)
		return json_text_write(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12), out);
	json_decref(root);
	return -ENOMEM;
}

/* ---- CSV ---- */

/* in quotes, because names of variants and metrics may contain commas */
static void quoted_write(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void compare_csv_write(const struct compare_table *table, FILE *out)
{
	if (table->head)
		quoted_write(table->head, out);
	else
		fprintf(out, "variant");
	for (uint32_t c = 0; c < table->compare->column_count; c++) {
		fputc(',', out);
		quoted_write(table->compare->columns[c].text, out);
	}
	fprintf(out, ",note\n");
	for (uint32_t r = 0; r < table->row_count; r++) {
		const struct compare_row *row = &table->rows[r];

		quoted_write(row->name, out);
		for (uint32_t c = 0; c < table->compare->column_count; c++) {
			fputc(',', out);
			if (row->filled && row->values[c].known)
				fprintf(out, "%.12g", row->values[c].value);
		}
		fputc(',', out);
		quoted_write(row->note, out);
		fputc('\n', out);
	}
}
