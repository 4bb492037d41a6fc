/*  score - congestion controls side by side in several scenarios, as points (SE-10).
 *
 *  The goals of a scenario are its expectations. A goal counts how much of its bound was reached, 0
 *  to 1 (expect.h). The points of a control in a scenario are 100 times the geometric mean of that
 *  over all goals, so a goal that is missed entirely leaves no points. The total is the mean over
 *  the scenarios. A control that fails has no points in that scenario. All are rounded to tenths.
 */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_SCORE_H
#define HEDDLE_ORCHESTRATOR_RESULTS_SCORE_H

#include "orchestrator/results/compare.h"

#define SCORE_SCENARIOS_MAX 64u
#define SCORE_CONTROLS_MAX 64u

struct score_scenario {
	char name[NODE_NAME_MAX];
	struct origin *origin; /* held */
	uint32_t goal_count;
	char *goals[SCENARIO_COLUMNS_MAX]; /* owned */
};

struct score_control {
	char name[CONTROL_FILE_NAME_MAX];
	char digest[SHA256_TEXT_MAX];                  /* of a library; "": it is built in */
	struct compare_row *rows[SCORE_SCENARIOS_MAX]; /* owned; those that are not filled failed */
};

struct score {
	uint32_t scenario_count, control_count;
	struct score_scenario scenarios[SCORE_SCENARIOS_MAX];
	struct score_control controls[SCORE_CONTROLS_MAX];
};

/** score_points() - of control @control in scenario @scenario, 0 to 100. */
double score_points(const struct score *score, uint32_t control, uint32_t scenario);

/** score_total() - the mean over all scenarios. */
double score_total(const struct score *score, uint32_t control);

/** score_sort() - the control with the highest total first; equal ones stay in their order. */
void score_sort(struct score *score);

/** score_text_write() - a table of points, then the values of each scenario. score_json_write():
 *  the same for programs.  Return: 0 or -errno. */
void score_text_write(const struct score *score, bool colour, FILE *out);
int score_json_write(const struct score *score, FILE *out);

/** score_free() - what @score owns. */
void score_free(struct score *score);

#endif
