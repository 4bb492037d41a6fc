#include "orchestrator/results/score.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/version.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/utf8.h"

#define GAP 2
#define CELL_MAX 64u

/* ---- points ---- */

static double rounded(double points)
{
	return floor(points * 10 + 0.5) / 10;
}

double score_points(const struct score *score, uint32_t control, uint32_t scenario)
{
	const struct compare_row *row = score->controls[control].rows[scenario];
	uint32_t goals = score->scenarios[scenario].goal_count;
	double product = 1;

	if (!row || !row->filled || !goals)
		return 0;
	for (uint32_t i = 0; i < goals; i++)
		product *= row->values[i].reached;
	return rounded(100 * pow(product, 1.0 / goals));
}

double score_total(const struct score *score, uint32_t control)
{
	double sum = 0;

	for (uint32_t i = 0; i < score->scenario_count; i++)
		sum += score_points(score, control, i);
	return score->scenario_count ? rounded(sum / score->scenario_count) : 0;
}

void score_sort(struct score *score)
{
	for (uint32_t i = 1; i < score->control_count; i++)
		for (uint32_t j = i; j && score_total(score, j) > score_total(score, j - 1); j--) {
			struct score_control moved = score->controls[j];

			score->controls[j] = score->controls[j - 1];
			score->controls[j - 1] = moved;
		}
}

/* ---- text ---- */

/* a cell of a table; row 0 is the heading */
typedef void cell_fn(const struct score *score, uint32_t scenario, uint32_t row, uint32_t column,
		     char text[CELL_MAX]);

static void cell_put(char text[CELL_MAX], const char *value)
{
	snprintf(text, CELL_MAX, "%s", value);
}

/* column 0 is the control; the last one is the total */
static void points_cell(const struct score *score, uint32_t scenario, uint32_t row, uint32_t column,
			char text[CELL_MAX])
{
	(void)scenario;
	if (!row)
		cell_put(text, !column ? "control"
			       : column > score->scenario_count
				       ? "total"
				       : score->scenarios[column - 1].name);
	else if (!column)
		cell_put(text, score->controls[row - 1].name);
	else if (column > score->scenario_count)
		snprintf(text, CELL_MAX, "%.1f", score_total(score, row - 1));
	else if (!score->controls[row - 1].rows[column - 1]->filled)
		cell_put(text, "failed");
	else
		snprintf(text, CELL_MAX, "%.1f", score_points(score, row - 1, column - 1));
}

/* row 1 has the bounds */
static void goals_cell(const struct score *score, uint32_t scenario, uint32_t row, uint32_t column,
		       char text[CELL_MAX])
{
	const struct score_scenario *of = &score->scenarios[scenario];
	const char *goal = column ? of->goals[column - 1] : "";
	size_t metric = strcspn(goal, "<>=!"), name = metric;
	const struct compare_row *values = row > 1 ? score->controls[row - 2].rows[scenario] : NULL;

	while (name && goal[name - 1] == ' ')
		name--;
	if (row < 2 && !column)
		cell_put(text, row ? "goal" : of->name);
	else if (!row)
		snprintf(text, CELL_MAX, "%.*s", (int)name, goal);
	else if (row == 1)
		cell_put(text, goal + metric);
	else if (!column)
		cell_put(text, score->controls[row - 2].name);
	else
		cell_put(text, values->filled ? values->values[column - 1].shown : "-");
}

static void table_write(const struct score *score, uint32_t scenario, cell_fn *cell, uint32_t rows,
			uint32_t columns, bool colour, FILE *out)
{
	int widths[SCORE_SCENARIOS_MAX + SCENARIO_COLUMNS_MAX] = { 0 };
	char text[CELL_MAX];

	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t c = 0; c < columns; c++) {
			cell(score, scenario, r, c, text);
			if (utf8_columns(text) > widths[c])
				widths[c] = utf8_columns(text);
		}
	for (uint32_t r = 0; r < rows; r++) {
		fputs(screen_paint(colour && !r, SCREEN_BOLD), out);
		for (uint32_t c = 0; c < columns; c++) {
			cell(score, scenario, r, c, text);
			utf8_pad(out, c ? GAP + widths[c] : -widths[c], text);
		}
		fprintf(out, "%s\n", screen_paint(colour && !r, SCREEN_PLAIN));
	}
}

void score_text_write(const struct score *score, bool colour, FILE *out)
{
	table_write(score, 0, points_cell, score->control_count + 1, score->scenario_count + 2,
		    colour, out);
	for (uint32_t i = 0; i < score->scenario_count; i++) {
		fputc('\n', out);
		table_write(score, i, goals_cell, score->control_count + 2,
			    score->scenarios[i].goal_count + 1, colour, out);
	}
}

/* ---- JSON ---- */

static json_t *goals_json(const struct score_scenario *scenario, const struct compare_row *row)
{
	json_t *goals = json_array();

	for (uint32_t i = 0; i < scenario->goal_count; i++) {
		const struct result_expectation *value = &row->values[i];
		bool known = row->filled && value->known;

		json_array_append_new(
			goals, json_pack("{s:s, s:o, s:f}", "goal", scenario->goals[i], "value",
					 known ? json_real(value->value) : json_null(), "reached",
					 known ? value->reached : 0.0));
	}
	return goals;
}

static json_t *control_json(const struct score *score, uint32_t index)
{
	const struct score_control *control = &score->controls[index];
	json_t *scenarios = json_array();

	for (uint32_t i = 0; i < score->scenario_count; i++)
		json_array_append_new(
			scenarios,
			json_pack("{s:s, s:f, s:s, s:o}", "scenario", score->scenarios[i].name,
				  "points", score_points(score, index, i), "note",
				  control->rows[i]->note, "goals",
				  goals_json(&score->scenarios[i], control->rows[i])));
	return json_pack("{s:s, s:s?, s:f, s:o}", "control", control->name, "digest",
			 control->digest[0] ? control->digest : NULL, "total",
			 score_total(score, index), "scenarios", scenarios);
}

int score_json_write(const struct score *score, FILE *out)
{
	json_t *scenarios = json_array(), *controls = json_array(), *root;
	char digest[SHA256_TEXT_MAX];
	int error = 0;

	for (uint32_t i = 0; i < score->scenario_count; i++)
		json_array_append_new(
			scenarios,
			json_pack("{s:s, s:s}", "name", score->scenarios[i].name, "digest",
				  sha256_text(&score->scenarios[i].origin->digest, digest)));
	for (uint32_t i = 0; i < score->control_count; i++)
		error |= json_array_append_new(controls, control_json(score, i));
	root = json_pack("{s:s, s:o, s:o}", "version", HEDDLE_VERSION, "scenarios", scenarios,
			 "controls", controls);
	if (!error)
		return json_text_write(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12), out);
	json_decref(root);
	return -ENOMEM;
}

void score_free(struct score *score)
{
	for (uint32_t i = 0; i < score->scenario_count; i++) {
		origin_release(score->scenarios[i].origin);
		for (uint32_t g = 0; g < score->scenarios[i].goal_count; g++)
			free(score->scenarios[i].goals[g]);
		for (uint32_t c = 0; c < score->control_count; c++)
			free(score->controls[c].rows[i]);
	}
}
