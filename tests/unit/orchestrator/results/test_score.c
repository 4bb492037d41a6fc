/*  orchestrator/results/score: points of controls, their order and their tables (SE-10). */
#include <errno.h>
#include "orchestrator/results/score.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

static struct score score;

static struct compare_row *row(bool filled, double first, double second)
{
	struct compare_row *row = calloc(1, sizeof(*row));

	row->filled = filled;
	row->values[0] = (struct result_expectation){
		.known = true, .value = 1, .reached = first, .shown = "one"
	};
	row->values[1] = (struct result_expectation){
		.known = true, .value = 2, .reached = second, .shown = "two"
	};
	return row;
}

static void setup(void)
{
	static const char *const names[] = { "low", "high" };

	score = (struct score){ .scenario_count = 2, .control_count = 2 };
	for (uint32_t s = 0; s < 2; s++) {
		struct score_scenario *scenario = &score.scenarios[s];

		snprintf(scenario->name, sizeof(scenario->name), "s%u", s);
		scenario->origin = origin_new("x", 1, NULL, 0);
		scenario->goal_count = 2;
		scenario->goals[0] = strdup("goodput(a) >= 1Gb/s");
		scenario->goals[1] = strdup("drops==0");
	}
	for (uint32_t c = 0; c < 2; c++)
		snprintf(score.controls[c].name, sizeof(score.controls[c].name), "%s", names[c]);
	strcpy(score.controls[1].digest, "abc");
	score.controls[0].rows[0] = row(true, 0.25, 1);
	score.controls[0].rows[1] = row(false, 1, 1);
	score.controls[1].rows[0] = row(true, 1, 1);
	score.controls[1].rows[1] = row(true, 0.5, 0);
}

static void teardown(void)
{
	score_free(&score);
}

TEST_GROUP(score, .setup = setup, .teardown = teardown);

TEST(score_points__geometric_mean)
{
	ck_assert_double_eq(score_points(&score, 0, 0), 50);
	ck_assert_double_eq(score_points(&score, 0, 1), 0); /* failed */
	ck_assert_double_eq(score_points(&score, 1, 0), 100);
	ck_assert_double_eq(score_points(&score, 1, 1), 0); /* one goal was missed entirely */
	ck_assert_double_eq(score_total(&score, 0), 25);
	ck_assert_double_eq(score_total(&score, 1), 50);
}

TEST(score_points__tenths)
{
	score.controls[0].rows[0]->values[0].reached = 0.333;
	ck_assert_double_eq(score_points(&score, 0, 0), 57.7);
}

static char *written(bool json)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (json)
		ck_assert_int_eq(score_json_write(&score, out), 0);
	else
		score_text_write(&score, false, out);
	fclose(out);
	return text;
}

TEST(score_text_write__the_best_first)
{
	char *text;

	score_sort(&score);
	text = written(false);
	ck_assert_str_eq(text, "control     s0      s1  total\n"
			       "high     100.0     0.0   50.0\n"
			       "low       50.0  failed   25.0\n"
			       "\n"
			       "s0    goodput(a)  drops\n"
			       "goal    >= 1Gb/s    ==0\n"
			       "high         one    two\n"
			       "low          one    two\n"
			       "\n"
			       "s1    goodput(a)  drops\n"
			       "goal    >= 1Gb/s    ==0\n"
			       "high         one    two\n"
			       "low            -      -\n");
	free(text);
}

/* characters of more than one byte do not move what follows */
TEST(score_text_write__characters_of_several_bytes)
{
	char *text;

	free(score.scenarios[0].goals[1]);
	score.scenarios[0].goals[1] = strdup("share(a, b)==1/2\xc2\xb1"
					     "2%");
	strcpy(score.controls[0].name, "l\xc3\xb6w");
	text = written(false);
	ck_assert_ptr_nonnull(strstr(text, "l\xc3\xb6w       50.0  failed   25.0\n"));
	ck_assert_ptr_nonnull(strstr(text, "s0    goodput(a)  share(a, b)\n"
					   "goal    >= 1Gb/s     ==1/2\xc2\xb1"
					   "2%\n"
					   "l\xc3\xb6w          one          two\n"));
	free(text);
}

/* of equal totals the first stays the first */
TEST(score_sort__three_and_equal_ones)
{
	strcpy(score.controls[2].name, "same");
	score.control_count = 3;
	score.controls[2].rows[0] = row(true, 0.25, 1);
	score.controls[2].rows[1] = row(false, 1, 1);
	score_sort(&score);
	ck_assert_str_eq(score.controls[0].name, "high");
	ck_assert_str_eq(score.controls[1].name, "low");
	ck_assert_str_eq(score.controls[2].name, "same");
	score.controls[2].rows[1]->filled = true;
	score_sort(&score);
	ck_assert_str_eq(score.controls[0].name, "same");
	ck_assert_str_eq(score.controls[1].name, "high");
	ck_assert_str_eq(score.controls[2].name, "low");
}

/* without scenarios or goals there are no points */
TEST(score_total__of_nothing)
{
	score.scenarios[1].goal_count = 0;
	ck_assert_double_eq(score_points(&score, 1, 1), 0);
	ck_assert_double_eq(score_total(&score, 1), 50);
	score.scenarios[1].goal_count = 2;
	score.scenario_count = 0;
	ck_assert_double_eq(score_total(&score, 1), 0);
	score.scenario_count = 2;
}

TEST(score_text_write__colour)
{
	static const char wanted[] =
		"\033[1mcontrol     s0      s1  total\033[0m\n"
		"low       50.0  failed   25.0\nhigh     100.0     0.0   50.0\n\n"
		"\033[1ms0    goodput(a)  drops\033[0m\ngoal    >= 1Gb/s    ==0\n";
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	score_text_write(&score, true, out);
	fclose(out);
	ck_assert_int_eq(strncmp(text, wanted, sizeof(wanted) - 1), 0);
	free(text);
}

TEST(score_json_write__as_a_whole)
{
	static const char wanted[] =
		"{'scenarios': [{'name': 's0', 'digest': ''}, {'name': 's1', 'digest': ''}],"
		" 'controls': [{'control': 'low', 'digest': null, 'total': 25.0, 'scenarios': ["
		"{'scenario': 's0', 'points': 50.0, 'note': '', 'goals': ["
		"{'goal': 'goodput(a) >= 1Gb/s', 'value': 1.0, 'reached': 0.25},"
		"{'goal': 'drops==0', 'value': 2.0, 'reached': 1.0}]},"
		"{'scenario': 's1', 'points': 0.0, 'note': 'it broke', 'goals': ["
		"{'goal': 'goodput(a) >= 1Gb/s', 'value': null, 'reached': 0.0},"
		"{'goal': 'drops==0', 'value': null, 'reached': 0.0}]}]}]}";
	char *text, *quoted = strdup(wanted);
	json_t *root, *expected, *scenario;
	size_t i;

	strcpy(score.controls[0].rows[1]->note, "it broke");
	score.control_count = 1;
	text = written(true);
	score.control_count = 2;
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	root = json_loads(text, 0, NULL);
	for (char *at = quoted; (at = strchr(at, '\''));)
		*at = '"';
	expected = json_loads(quoted, 0, NULL);
	ck_assert_ptr_nonnull(expected);
	ck_assert_int_eq(json_object_del(root, "version"), 0);
	json_array_foreach (json_object_get(root, "scenarios"), i, scenario) {
		ck_assert_uint_eq(json_string_length(json_object_get(scenario, "digest")), 64);
		json_object_set_new(scenario, "digest", json_string(""));
	}
	ck_assert_msg(json_equal(root, expected), "%s", text);
	json_decref(root);
	json_decref(expected);
	free(quoted);
	free(text);
}

TEST(score_json_write__values_and_digests)
{
	char *text = written(true);
	json_t *root = json_loads(text, 0, NULL), *control, *scenario;

	ck_assert_ptr_nonnull(root);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "scenarios")), 2);
	control = json_array_get(json_object_get(root, "controls"), 0);
	ck_assert(json_is_null(json_object_get(control, "digest")));
	ck_assert_double_eq(json_real_value(json_object_get(control, "total")), 25);
	scenario = json_array_get(json_object_get(control, "scenarios"), 1);
	ck_assert(json_is_null(
		json_object_get(json_array_get(json_object_get(scenario, "goals"), 0), "value")));
	control = json_array_get(json_object_get(root, "controls"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(control, "digest")), "abc");
	json_decref(root);
	free(text);
}

TEST(score_json_write__cannot_be_written)
{
	FILE *out = fopen("/dev/full", "w");

	setvbuf(out, NULL, _IONBF, 0);
	ck_assert_int_eq(score_json_write(&score, out), -ENOSPC);
	fclose(out);
}
