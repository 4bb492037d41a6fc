/*  Tests of lab_file.c, lab_names.c and lab_student.c: a lab from its text, every mistake at its
 *  place, and the values of a student. */
#include "orchestrator/lab/lab_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/lab/lab_answer.h"
#include "orchestrator/lab/lab_student.h"
#include "tests/testing.h"

#define HEAD "title: t\nabout: a\nminutes: 20\n"
#define RUNS "runs: [{name: first, run: a.yaml}]\n"
#define ANSWERS "answers: [{name: v, ask: how, unit: Gb/s, tolerance: 4%}]\n"
#define CHECKS \
	"checks: [{run: a.yaml, expect: [\"goodput == {v} +- {v.tolerance}\"], says: look}]\n"

static struct lab lab;
static struct scenario_errors errors;

static void setup(void)
{
	lab = (struct lab){ 0 };
	errors = (struct scenario_errors){ 0 };
}

static void teardown(void)
{
	lab_free(&lab);
	scenario_errors_free(&errors);
}

static int read_text(const char *text)
{
	return lab_read_memory("labs/07-seven", text, strlen(text), &lab, &errors);
}

TEST_GROUP(file, .setup = setup, .teardown = teardown);

TEST(lab_read_memory__all_keys)
{
	ck_assert_int_eq(
		read_text(HEAD
			  "student: {x: 3..5, d: [1us, 2us], case: [{n: 2, of: \"[a]\"}, {n: 3, "
			  "of: \"[b]\"}]}\n"
			  "runs:\n"
			  "  - {name: first, run: a.yaml, set: {run.duration: \"{d}\"}, seed: "
			  "\"{x}\"}\n"
			  "  - {name: both, run: ../../b.yaml, variant: PFC, compare: yes}\n"
			  "predict: [{name: p, ask: \"{n}?\", unit: \"%\", measured: goodput, in: "
			  "first}]\n"
			  "answers:\n"
			  "  - {name: v, ask: a, unit: Gb/s, tolerance: 4%}\n"
			  "  - {name: what, ask: a, choices: [a, b]}\n"
			  "  - {name: cure, ask: a, file: yes}\n"
			  "  - {name: part, ask: a, unit: share}\n"
			  "  - {name: count, ask: a}\n"
			  "checks:\n"
			  "  - {run: \"{cure}\", expect: [\"drops == {count-1}\"], fails: yes, "
			  "says: no}\n"
			  "  - {values: {pfc: {run: a.yaml, variant: \"{what}\", value: goodput}}, "
			  "holds: [\"pfc >= {v}\"], says: {part}}\n"),
		-EINVAL);
	/* a mapping where a text is needed: {part} must be in quotes */
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_str_eq(errors.texts[0],
			 "labs/07-seven/lab.yaml:17:100: 'says' is a mapping; expected a text");
}

TEST(lab_read_memory__questions)
{
	const struct lab_question *answers = lab.answers;

	ck_assert_int_eq(read_text(HEAD RUNS "answers:\n"
					     "  - {name: v, ask: a, unit: kB, tolerance: 4%}\n"
					     "  - {name: what, ask: a, choices: [a, b]}\n"
					     "  - {name: cure, ask: a, file: yes}\n"
					     "  - {name: part, ask: a, unit: share}\n"
					     "  - {name: count, ask: a}\n" CHECKS),
			 0);
	ck_assert_str_eq(lab.name, "07-seven");
	ck_assert_uint_eq(lab.answer_count, 5);
	ck_assert_int_eq(answers[0].kind, LAB_NUMBER);
	ck_assert_int_eq(answers[0].quantity, QUANTITY_BYTES);
	ck_assert_uint_eq(answers[0].one, 1000);
	ck_assert_int_eq(answers[1].kind, LAB_CHOICE);
	ck_assert_int_eq(answers[2].kind, LAB_PATH);
	ck_assert_int_eq(answers[3].quantity, QUANTITY_SHARE);
	ck_assert_str_eq(answers[3].unit, "");
	ck_assert_int_eq(answers[4].quantity, QUANTITY_COUNT);
	ck_assert_ptr_eq(lab_question_find(answers, 5, "part"), &answers[3]);
	ck_assert_ptr_null(lab_question_find(answers, 5, "other"));
}

/* a lab that is wrong: where, and what is said */
static const struct {
	const char *text, *place, *says;
} mistakes[] = {
	{ "", ":1:1:", "a lab lacks the key 'title'" },
	{ "[]", ":1:1:", "a lab must be a mapping" },
	{ HEAD "runs: [", ":5:1:", "this is not YAML" },
	{ HEAD RUNS ANSWERS CHECKS "check: 3\n", ":7:1:", "did you mean 'checks'" },
	{ "title: t\nabout: a\nminutes: 0\n" RUNS ANSWERS CHECKS, ":3:10:", "expected 1 to 600" },
	{ HEAD RUNS "answers: {}\n" CHECKS, ":5:10:", "'answers' must be a list" },
	{ HEAD RUNS "answers: [3]\n" CHECKS, ":5:11:", "an answer must be a mapping" },
	{ HEAD RUNS "answers: [{name: V, ask: a}]\n" CHECKS, ":5:18:", "'V' is not a name here" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: furlong}]\n" CHECKS, ":5:35:", "no unit" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: 1us}]\n" CHECKS, ":5:35:", "no unit" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: us, file: yes}]\n" CHECKS,
	  ":5:11:", "one of 'unit', 'choices' and 'file'" },
	{ HEAD RUNS "answers: [{name: v, ask: a}, {name: v, ask: a}]\n" CHECKS,
	  ":5:37:", "'v' is already given in line 5" },
	{ HEAD RUNS "answers: [{name: w, ask: a, tolerance: 1%}]\n" CHECKS,
	  ":6:45:", "there is no value 'v' here" },
	{ HEAD RUNS "answers: [{name: v, ask: a}]\n" CHECKS, ":6:52:", "'v' has no tolerance" },
	{ HEAD RUNS "answers: [{name: v, ask: \"{v}\", tolerance: 1%}]\n" CHECKS,
	  ":5:27:", "there is no value 'v' here" },
	{ HEAD "runs: [{name: a, run: \"{v}\"}]\n" ANSWERS CHECKS, ":4:24:", "no value 'v' here" },
	{ HEAD "runs: [{name: a}]\n" ANSWERS CHECKS, ":4:8:", "a run lacks the key 'run'" },
	{ HEAD "runs: [{name: a, run: b, set: [3]}]\n" ANSWERS CHECKS,
	  ":4:31:", "must be a mapping" },
	{ HEAD "runs: [{name: a, run: b, set: {x: [3]}}]\n" ANSWERS CHECKS, ":4:35:", "in quotes" },
	{ HEAD "student: [3]\n" RUNS ANSWERS CHECKS, ":4:10:", "'student' must be a mapping" },
	{ HEAD "student: {x: 5..3}\n" RUNS ANSWERS CHECKS, ":4:14:", "is empty or too large" },
	{ HEAD "student: {x: 1..99999999999}\n" RUNS ANSWERS CHECKS, ":4:14:", "too large" },
	{ HEAD "student: {x: 5}\n" RUNS ANSWERS CHECKS, ":4:14:", "a range such as 110..180" },
	{ HEAD "student: {x: a..3}\n" RUNS ANSWERS CHECKS, ":4:14:", "a range of whole numbers" },
	{ HEAD "student: {x: []}\n" RUNS ANSWERS CHECKS, ":4:14:", "at least one value" },
	{ HEAD "student: {x: [1, {a: 2}]}\n" RUNS ANSWERS CHECKS, ":4:18:", "all values or all" },
	{ HEAD "student: {x: [{a: 2}, {b: 2}]}\n" RUNS ANSWERS CHECKS, ":4:27:", "no 'b'" },
	{ HEAD "student: {x: [{a: 2, b: 2}, {b: 2}]}\n" RUNS ANSWERS CHECKS, ":4:29:", "fewer" },
	{ HEAD "student: {v: 1..2}\n" RUNS ANSWERS CHECKS, ":6:18:", "two values called 'v'" },
	{ HEAD RUNS "predict: [{name: p, ask: a, measured: x, in: none}]\n" ANSWERS CHECKS,
	  ":5:46:", "there is no run 'none'" },
	{ HEAD "runs: [{name: a, run: b, compare: yes}]\npredict: [{name: p, ask: a, measured: "
	       "x}]\n" ANSWERS CHECKS,
	  ":5:39:", "compares variants" },
	{ HEAD RUNS ANSWERS "checks: [{run: a, says: x}]\n", ":6:10:", "go together" },
	{ HEAD RUNS ANSWERS "checks: [{holds: [a], says: x}]\n", ":6:10:", "go together" },
	{ HEAD RUNS ANSWERS "checks: [3]\n", ":6:10:", "a check must be a mapping" },
	{ HEAD RUNS ANSWERS "checks: [{says: x}]\n", ":6:10:", "a check has" },
	{ HEAD RUNS ANSWERS "checks: [{run: a, expect: lost, says: x}]\n",
	  ":6:27:", "a list of texts" },
	{ HEAD RUNS ANSWERS "checks: [{run: a, expect: [{}], says: x}]\n",
	  ":6:28:", "is a mapping" },
	{ HEAD RUNS ANSWERS "checks: [{values: 3, holds: [a], says: x}]\n",
	  ":6:19:", "'values' must" },
};

TEST_RANGE(lab_read_memory__mistakes, 0, COUNT_OF(mistakes))
{
	char place[128];

	ck_assert_int_eq(read_text(mistakes[_i].text), -EINVAL);
	ck_assert_uint_ge(errors.count, 1);
	snprintf(place, sizeof(place), "labs/07-seven/lab.yaml%s ", mistakes[_i].place);
	ck_assert_msg(!strncmp(errors.texts[0], place, strlen(place)), "%s", errors.texts[0]);
	ck_assert_msg(strstr(errors.texts[0], mistakes[_i].says) != NULL, "%s", errors.texts[0]);
}

/* ---- values of a student ---- */

/* the first 16 digits of: printf 03-innocent-flow/case/1 | sha256sum */
TEST(lab_student_index__documented_rule)
{
	ck_assert_uint_eq(lab_student_index("03-innocent-flow", "case", 1, UINT64_MAX),
			  8534970020963097281ull);
	ck_assert_uint_eq(lab_student_index("03-innocent-flow", "case", 4711, UINT64_MAX),
			  17187970181770748007ull);
	ck_assert_uint_eq(lab_student_index("03-innocent-flow", "case", 1, 6),
			  8534970020963097281ull % 6);
}

TEST(lab_student_values__ranges_and_choices)
{
	bool seen[3] = { false };

	ck_assert_int_eq(
		read_text(HEAD "student: {x: 3..5, d: [1us], case: [{n: 2, of: a}]}\n" RUNS ANSWERS
				  CHECKS),
		0);
	for (uint32_t student = 1; student < 40; student++) {
		struct lab_values values = { 0 };

		ck_assert_int_eq(lab_student_values(&lab, student, &values), 0);
		ck_assert_uint_eq(values.count, 4);
		ck_assert_uint_ge(lab_values_find(&values, "x")->number, 3);
		ck_assert_uint_le(lab_values_find(&values, "x")->number, 5);
		seen[lab_values_find(&values, "x")->number - 3] = true;
		ck_assert_str_eq(lab_values_find(&values, "d")->text, "1us");
		ck_assert_str_eq(lab_values_find(&values, "of")->text, "a");
		lab_values_free(&values);
	}
	ck_assert(seen[0] && seen[1] && seen[2]);
}

/* ---- answers ---- */

static const struct {
	const char *unit, *answer, *taken; /* NULL: refused */
} numbers[] = {
	{ ", unit: Gb/s", "24.85", "24850Mb/s" },
	{ ", unit: Gb/s", "24.85 Gb/s", "24850Mb/s" },
	{ ", unit: Gb/s", "24850Mb/s", "24850Mb/s" },
	{ ", unit: Gb/s", "24us", NULL },
	{ ", unit: us", "31.7", "31700ns" },
	{ ", unit: \"%\"", "25", "25%" },
	{ ", unit: \"%\"", "1/4", "25%" },
	{ ", unit: share", "1/4", "25%" },
	{ ", unit: share", "0.25", "25%" },
	{ "", "6", "6" },
	{ "", "6.5", NULL },
	{ "", "", NULL },
	{ "", "-1", NULL },
	{ ", choices: [a, b c]", "b c", "b c" },
	{ ", choices: [a, b]", "c", NULL },
	{ ", file: yes", "/dev/null", NULL },
	{ ", file: yes", "/none", NULL },
};

TEST_RANGE(lab_answer_take__kinds, 0, COUNT_OF(numbers))
{
	struct lab_values values = { 0 };
	char text[1024], why[LAB_WHY_MAX] = "";

	snprintf(text, sizeof(text),
		 HEAD RUNS "answers: [{name: v, ask: a%s}]\n"
			   "checks: [{run: a, expect: [\"lost == {v}\"], says: x}]\n",
		 numbers[_i].unit);
	ck_assert_int_eq(read_text(text), 0);
	if (numbers[_i].taken) {
		ck_assert_msg(!lab_answer_take(&lab.answers[0], numbers[_i].answer, &values, why),
			      "%s", why);
		ck_assert_str_eq(values.list[0].text, numbers[_i].taken);
	} else {
		ck_assert_int_eq(lab_answer_take(&lab.answers[0], numbers[_i].answer, &values, why),
				 -EINVAL);
		ck_assert_str_ne(why, "");
	}
	lab_values_free(&values);
}
