/*  Tests of lab_file.c, lab_names.c and lab_student.c: a lab from its text, every mistake at its
 *  place, and the values of a student. */
#include "orchestrator/lab/lab_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	{ HEAD "student: {}\n" RUNS ANSWERS CHECKS,
	  ":4:10:", "'student' must be a mapping of 1 to 24 names" },
	{ "title: t\nabout: a\nminutes: 0\n" RUNS ANSWERS CHECKS, ":3:10:", "expected 1 to 600" },
	{ HEAD RUNS "answers: {}\n" CHECKS, ":5:10:", "'answers' must be a list" },
	{ HEAD RUNS "answers: [3]\n" CHECKS, ":5:11:", "an answer must be a mapping" },
	{ HEAD RUNS "answers: [{name: V, ask: a}]\n" CHECKS, ":5:18:", "'V' is not a name here" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: furlong}]\n" CHECKS, ":5:35:", "no unit" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: 1us}]\n" CHECKS, ":5:35:", "no unit" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: us, file: yes}]\n" CHECKS,
	  ":5:11:", "one of 'unit', 'choices' and 'file'" },
	{ HEAD RUNS "answers: [{name: v, ask: a, choices: [a], file: yes}]\n" CHECKS,
	  ":5:11:", "one of 'unit', 'choices' and 'file'" },
	{ HEAD RUNS "answers: [{name: v, ask: a, unit: us, choices: [a]}]\n" CHECKS,
	  ":5:11:", "one of 'unit', 'choices' and 'file'" },
	{ HEAD RUNS "answers: [{name: v, ask: a, choices: []}]\n" CHECKS,
	  ":5:38:", "'choices' must be a list of texts" },
	{ HEAD RUNS ANSWERS "checks: [{run: a, expect: [a], holds: [b], says: x}]\n",
	  ":6:10:", "'values' and 'holds' go together" },
	{ HEAD RUNS ANSWERS
	  "checks: [{values: {a: {run: a, value: lost}}, expect: [a], says: x}]\n",
	  ":6:10:", "'run' and 'expect' go together" },
	{ HEAD "runs: [{name: a, run: b, compare: yes}, {name: c, run: b}]\npredict: [{name: p, "
	       "ask: a, measured: x, in: c}, {name: q, ask: a, measured: x}]\n" ANSWERS CHECKS,
	  ":5:78:", "run 'a' compares variants, so it has no single value" },
	{ HEAD RUNS
	  "predict: [{name: p, ask: a}, {name: q, ask: a}, {name: p, ask: a}]\n" ANSWERS CHECKS,
	  ":5:56:", "'p' is already given in line 5" },
	{ HEAD "student: {x: 1..2, case: [{a: 2, x: 2}]}\n" RUNS ANSWERS CHECKS,
	  ":4:34:", "there are two values called 'x'" },
	{ HEAD RUNS
	  "answers: [{name: v, ask: a, tolerance: 1%}, {name: w, ask: a}]\nchecks: [{run: "
	  "a.yaml, expect: ['x {v.tolerance} {w} {w.tolerance}'], says: look}]\n",
	  ":6:54:", "'w' has no tolerance" },
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

/* ---- limits ---- */

static char long_text[1 << 14];

/* @head, @count times @each with a number of its own, @tail; @each has one %u */
static int repeated(const char *head, const char *each, unsigned count, const char *tail)
{
	char *at = stpcpy(long_text, head);

	for (unsigned i = 0; i < count; i++) {
		at = stpcpy(at, i ? ", " : "");
		at += sprintf(at, each, i);
	}
	strcpy(at, tail);
	lab_free(&lab);
	scenario_errors_free(&errors);
	errors = (struct scenario_errors){ 0 };
	return read_text(long_text);
}

/* as many as there may be of each list, and one more at @place is refused with @says */
static void most(const char *head, const char *each, unsigned count, const char *tail,
		 const char *says)
{
	ck_assert_msg(!repeated(head, each, count, tail), "%s", errors.texts[0]);
	ck_assert_int_eq(repeated(head, each, count + 1, tail), -EINVAL);
	ck_assert_uint_ge(errors.count, 1);
	ck_assert_msg(!strncmp(errors.texts[0], says, strlen(says)), "%s", errors.texts[0]);
}

#define IN_FILE "labs/07-seven/lab.yaml:"
#define A_CHECK "{run: a.yaml, expect: ['lost == %u'], says: look}"

TEST(lab_read_memory__most_of_each)
{
	most(HEAD "runs: [", "{name: r%u, run: a.yaml}", LAB_RUNS_MAX, "]\n" ANSWERS CHECKS,
	     IN_FILE "4:7: 'runs' must be a list of 1 to 16 elements");
	most(HEAD RUNS "predict: [", "{name: p%u, ask: a}", LAB_QUESTIONS_MAX, "]\n" ANSWERS CHECKS,
	     IN_FILE "5:10: 'predict' must be a list of 1 to 16 elements");
	most(HEAD RUNS "answers: [{name: v, ask: a, tolerance: 1%}, ", "{name: a%u, ask: a}",
	     LAB_QUESTIONS_MAX - 1, "]\n" CHECKS,
	     IN_FILE "5:10: 'answers' must be a list of 1 to 16 elements");
	most(HEAD RUNS ANSWERS "checks: [", A_CHECK, LAB_CHECKS_MAX, "]\n",
	     IN_FILE "6:9: 'checks' must be a list of 1 to 24 elements");
	most(HEAD RUNS ANSWERS "checks: [{values: {", "v%u: {run: a, value: lost}",
	     LAB_CHECK_VALUES_MAX, "}, holds: [v0 == 0], says: x}]\n",
	     IN_FILE "6:19: 'values' must be a mapping of 1 to 8 names");
	most(HEAD "student: {", "x%u: 1..2", LAB_VARIABLES_MAX, "}\n" RUNS ANSWERS CHECKS,
	     IN_FILE "4:10: 'student' must be a mapping of 1 to 24 names");
	/* of a choice with many values, and an answer */
	most(HEAD "student: {case: [{", "x%u: 1", LAB_VALUES_MAX - 1, "}]}\n" RUNS ANSWERS CHECKS,
	     IN_FILE "6:18: a lab has at most 64 values and answers");
	ck_assert_uint_eq(lab.answer_count, 1);
	ck_assert_int_eq(repeated(HEAD RUNS ANSWERS "checks: [{values: {", "%u", 0,
				  "}, holds: [a], says: x}]\n"),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], "'values' must be a mapping of 1 to 8"));
}

/* 31 bytes; a small letter first */
TEST(lab_read_memory__names)
{
	char name[LAB_NAME_MAX + 1] = "";
	static const char *const wrong[] = { "_a", "1a", "a-b", "aB" };

	memset(name, 'a', LAB_NAME_MAX - 1);
	ck_assert_int_eq(
		repeated(HEAD "runs: [{name: ", name, 1, ", run: a.yaml}]\n" ANSWERS CHECKS), 0);
	name[LAB_NAME_MAX - 1] = 'a';
	ck_assert_int_eq(
		repeated(HEAD "runs: [{name: ", name, 1, ", run: a.yaml}]\n" ANSWERS CHECKS),
		-EINVAL);
	ck_assert_str_eq(errors.texts[0],
			 IN_FILE "4:15: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is not a name here: a "
				 "small letter, then at most 30 of a-z 0-9 _");
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		ck_assert_int_eq(
			repeated(HEAD "student: {", wrong[i], 1, ": 1..2}\n" RUNS ANSWERS CHECKS),
			-EINVAL);
		ck_assert_ptr_nonnull(strstr(errors.texts[0], "' is not a name here: "));
	}
	ck_assert_int_eq(repeated(HEAD "student: {", "z_9", 1, ": 1..2}\n" RUNS ANSWERS CHECKS), 0);
}

TEST(lab_read_memory__ranges)
{
	static const struct {
		const char *range, *says;
	} rows[] = {
		{ "4294967295..4294967295", NULL },
		{ "0..4294967295", NULL },
		{ "000000000000000000000001..2", "must be a range such as 110..180" },
		{ "0..4294967296", "is empty or too large: expected LEAST..MOST" },
		{ "2..1", "is empty or too large" },
		{ "1..2us", "a range of whole numbers: " },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ck_assert_int_eq(
			repeated(HEAD "student: {x: ", rows[i].range, 1, "}\n" RUNS ANSWERS CHECKS),
			rows[i].says ? -EINVAL : 0);
		if (rows[i].says)
			ck_assert_msg(strstr(errors.texts[0], rows[i].says) != NULL, "%s",
				      errors.texts[0]);
	}
}

TEST(lab_read__no_file)
{
	ck_assert_int_eq(lab_read("/none/05-five", &lab, &errors), -EINVAL);
	ck_assert_str_eq(errors.texts[0], "/none/05-five/lab.yaml: the lab cannot be read: No such "
					  "file or directory");
	ck_assert_int_eq(lab_read_memory("alone", "title: x\n", 9, &lab, &errors), -EINVAL);
	ck_assert_str_eq(lab.name, "alone");
	ck_assert_str_eq(lab.folder, "alone");
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

/* what is said of choices and files, and what is kept */
TEST(lab_answer_take__said)
{
	static const char *const path = "/tmp/heddle-test-answer";
	struct lab_values values = { 0 };
	struct why why = { "" };

	ck_assert_int_eq(read_text(HEAD RUNS
				   "answers: [{name: n, ask: a}, {name: c, ask: a, choices: [a, "
				   "b c, d]}, {name: f, ask: a, file: yes, tolerance: 1%}]\n"
				   "checks: [{run: a, expect: [\"lost == {n}\"], says: x}]\n"),
			 0);
	ck_assert_int_eq(lab_answer_take(&lab.answers[1], "e", &values, &why), -EINVAL);
	ck_assert_str_eq(why.text, "'e' is not one of: a, b c, d");
	ck_assert_int_eq(lab_answer_take(&lab.answers[1], "d", &values, &why), 0);
	ck_assert_int_eq(lab_answer_take(&lab.answers[0], "7", &values, &why), 0);
	ck_assert_str_eq(values.list[1].text, "7");
	ck_assert_uint_eq(values.list[1].number, 7);
	ck_assert(values.list[1].is_number && !values.list[1].is_file);
	ck_assert_int_eq(lab_answer_take(&lab.answers[2], "/none", &values, &why), -EINVAL);
	ck_assert_str_eq(why.text, "the file '/none' cannot be read: No such file or directory");
	ck_assert_int_eq(lab_answer_take(&lab.answers[2], "/dev/null", &values, &why), -EINVAL);
	ck_assert_str_eq(why.text, "'/dev/null' is no regular file");
	fclose(fopen(path, "w"));
	ck_assert_int_eq(
		lab_answer_take(&lab.answers[2], "/tmp/../tmp/heddle-test-answer", &values, &why),
		0);
	unlink(path);
	ck_assert_str_eq(values.list[2].text, path);
	ck_assert(values.list[2].is_file && !values.list[2].is_number);
	ck_assert_str_eq(values.list[2].tolerance, "1%");
	/* of many choices the first are named */
	ck_assert_int_eq(repeated(HEAD RUNS "answers: [{name: v, ask: a, tolerance: 1%, choices: [",
				  "longer-than-others-%u", 40, "]}]\n" CHECKS),
			 0);
	ck_assert_int_eq(lab_answer_take(&lab.answers[0], "x", &values, &why), -EINVAL);
	ck_assert_uint_eq(strlen(why.text), strlen("'x' is not one of: ") + 300 - 1);
	while (values.count < LAB_VALUES_MAX)
		lab_values_add(&values, "x", "1");
	ck_assert_int_eq(lab_answer_take(&lab.answers[0], "longer-than-others-39", &values, &why),
			 -ENOMEM);
	lab_values_free(&values);
}

TEST_RANGE(lab_answer_take__kinds, 0, COUNT_OF(numbers))
{
	struct lab_values values = { 0 };
	char text[1024];
	struct why why = { "" };

	snprintf(text, sizeof(text),
		 HEAD RUNS "answers: [{name: v, ask: a%s}]\n"
			   "checks: [{run: a, expect: [\"lost == {v}\"], says: x}]\n",
		 numbers[_i].unit);
	ck_assert_int_eq(read_text(text), 0);
	if (numbers[_i].taken) {
		ck_assert_msg(!lab_answer_take(&lab.answers[0], numbers[_i].answer, &values, &why),
			      "%s", why.text);
		ck_assert_str_eq(values.list[0].text, numbers[_i].taken);
	} else {
		ck_assert_int_eq(
			lab_answer_take(&lab.answers[0], numbers[_i].answer, &values, &why),
			-EINVAL);
		ck_assert_str_ne(why.text, "");
	}
	lab_values_free(&values);
}
