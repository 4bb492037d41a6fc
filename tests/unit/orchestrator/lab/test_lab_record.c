/*  Tests of lab_record.c, lab_folder.c and lab_text.c: files and folders of labs. */
#include "orchestrator/lab/lab_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/lab/lab_folder.h"
#include "orchestrator/lab/lab_text.h"
#include "tests/testing.h"

static const char lab_yaml[] =
	"title: t\nabout: a\nminutes: 20\nruns: [{name: first, run: a.yaml}]\n"
	"predict: [{name: p, ask: how}, {name: q, ask: how}]\n"
	"answers: [{name: v, ask: how}, {name: w, ask: how}]\n"
	"checks: [{run: a.yaml, expect: [\"lost == {v}\"], says: look}]\n";

static struct lab lab;
static struct lab_record record;
static struct scenario_errors errors;
static char folder[] = "/tmp/test_lab_record.XXXXXX", path[64];

static void setup(void)
{
	errors = (struct scenario_errors){ 0 };
	record = (struct lab_record){ 0 };
	ck_assert_int_eq(
		lab_read_memory("labs/07-seven", lab_yaml, strlen(lab_yaml), &lab, &errors), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/record", folder);
}

static void teardown(void)
{
	unlink(path);
	rmdir(folder);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	lab_record_free(&record);
	lab_free(&lab);
	scenario_errors_free(&errors);
}

static void file_write(const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

TEST_GROUP(record, .setup = setup, .teardown = teardown);

TEST(lab_record__missing_file_has_no_answers)
{
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), 0);
	ck_assert_ptr_null(record.answers[0]);
}

TEST(lab_record__reads_what_it_writes)
{
	struct lab_record written = { .predictions = { NULL, "a \"quoted\" \\ text: {x}, #1" },
				      .answers = { "12 Gb/s" } };
	char name[NAME_MAX + 1];

	ck_assert_int_eq(lab_record_write(path, &lab, 3, &written), 0);
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), 0);
	ck_assert_ptr_null(record.predictions[0]);
	ck_assert_str_eq(record.predictions[1], written.predictions[1]);
	ck_assert_str_eq(record.answers[0], "12 Gb/s");
	ck_assert_ptr_null(record.answers[1]);
	lab_record_name(&lab, 3, name);
	ck_assert_str_eq(name, "lab-07-seven-student-3.yaml");
}

/* the file as a whole; what is no line of text is blank */
TEST(lab_record_write__file)
{
	struct lab_record written = { .predictions = { "one", "two" },
				      .answers = { NULL, "a\nb\x1f" },
				      .passed = true };
	char found[512] = "";
	FILE *file;

	ck_assert_int_eq(lab_record_write(path, &lab, 4294967295, &written), 0);
	file = fopen(path, "r");
	ck_assert_uint_gt(fread(found, 1, sizeof(found) - 1, file), 0);
	fclose(file);
	ck_assert_str_eq(found,
			 "# Predictions and answers of one student, written by 'heddle lab'.\n"
			 "lab: \"07-seven\"\nstudent: 4294967295\n"
			 "predictions: {p: \"one\", q: \"two\"}\nanswers: {w: \"a b \"}\n"
			 "passed: yes\n");
	ck_assert_int_eq(lab_record_read(path, &lab, 4294967295, &record, &errors), 0);
	ck_assert(record.passed);
	ck_assert_str_eq(record.answers[1], "a b ");
	ck_assert_str_eq(record.predictions[0], "one");
	ck_assert_int_eq(lab_record_write("/none/record", &lab, 3, &written), -ENOENT);
}

/* nothing after a key is no answer; as long as an answer may be */
TEST(lab_record_read__empty_and_long)
{
	char text[LAB_RECORD_TEXT_MAX + 100];

	file_write("lab: 07-seven\nstudent: 3\npredictions:\nanswers: {}\n");
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), 0);
	ck_assert_ptr_null(record.answers[0]);
	ck_assert(!record.passed);
	snprintf(text, sizeof(text), "lab: 07-seven\nstudent: 3\nanswers: {v: %0*d}\n",
		 (int)LAB_RECORD_TEXT_MAX, 1);
	file_write(text);
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), 0);
	ck_assert_uint_eq(strlen(record.answers[0]), LAB_RECORD_TEXT_MAX);
}

TEST(lab_record_read__no_regular_file)
{
	ck_assert_int_eq(lab_record_read(folder, &lab, 3, &record, &errors), -EINVAL);
	ck_assert_ptr_nonnull(strstr(errors.texts[0], ": the answers cannot be read: Invalid "
						      "argument"));
	/* nor is one waited for */
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), -EINVAL);
}

static const struct {
	const char *text, *says;
} mistakes[] = {
	{ "lab: 07-seven\nstudent: 3\nanswers: x\n", "record:3:10: expected a mapping of names" },
	{ "lab: 07-seven\nstudent: 0\n", "record:2:10: " },
	{ "lab: 07-seven\nstudent: 3\npredictions: {v: 1}\n", "the lab asks no 'v'" },
	{ "lab: 07-seven\n", "record:1:1: a file of answers lacks the key 'student'" },
	{ "lab: 08-eight\nstudent: 3\n", "record:1:6: this file is of lab '08-eight'" },
	{ "lab: 07-seven\nstudent: 4\n", "record: this file is of student 4, not of 3" },
	{ "lab: 07-seven\nstudent: 3\nanswers: {x: 1}\n", "record:3:11: the lab asks no 'x'" },
	{ "lab: 07-seven\nstudent: 3\nanswers: [1]\n", "record:3:10: expected a mapping" },
	{ "lab: 07-seven\nstudent: 3\nanswers: {v: [1]}\n", "record:3:14: 'v' is a list" },
	{ "lab: 07-seven\nstudent: 3\nmark: 1\n", "record:3:1: a file of answers has no key" },
	{ "lab: [", "this is not YAML" },
};

TEST_RANGE(lab_record_read__mistakes, 0, COUNT_OF(mistakes))
{
	file_write(mistakes[_i].text);
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), -EINVAL);
	ck_assert_uint_ge(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], mistakes[_i].says) != NULL, "%s", errors.texts[0]);
}

TEST(lab_record_read__long_answer)
{
	char text[LAB_RECORD_TEXT_MAX + 100] = "lab: 07-seven\nstudent: 3\nanswers: {v: ";
	size_t length = strlen(text);

	memset(text + length, 'x', LAB_RECORD_TEXT_MAX + 1);
	strcpy(text + length + LAB_RECORD_TEXT_MAX + 1, "}\n");
	file_write(text);
	ck_assert_int_eq(lab_record_read(path, &lab, 3, &record, &errors), -EINVAL);
}

TEST(lab_text_read__refused)
{
	char *text = NULL;
	size_t length;

	ck_assert_int_eq(lab_text_read("/dev/zero", &text, &length), -EINVAL);
	ck_assert_int_eq(lab_text_read(folder, &text, &length), -EINVAL);
	ck_assert_int_eq(lab_text_read(path, &text, &length), -ENOENT);
	file_write("x");
	ck_assert_int_eq(truncate(path, LAB_TEXT_BYTES_MAX + 1), 0);
	ck_assert_int_eq(lab_text_read(path, &text, &length), -EFBIG);
	ck_assert_int_eq(truncate(path, LAB_TEXT_BYTES_MAX), 0);
	ck_assert_int_eq(lab_text_read(path, &text, &length), 0);
	ck_assert_uint_eq(length, LAB_TEXT_BYTES_MAX);
	ck_assert_int_eq(text[length], 0);
	free(text);
}

TEST(lab_text_explanation__is_a_line)
{
	ck_assert_str_eq(lab_text_explanation("a\n## Explanation\nb"), "## Explanation\nb");
	ck_assert_str_eq(lab_text_explanation("## Explanation"), "## Explanation");
	ck_assert_str_eq(lab_text_explanation("a ## Explanation\n## Explanations\n"), "");
	ck_assert_str_eq(lab_text_explanation("### Explanation\n## Explanation\r\nc"),
			 "## Explanation\r\nc");
	ck_assert_str_eq(lab_text_explanation("## Explanation x\n## Explanation\n"),
			 "## Explanation\n");
}

TEST(lab_folders__number_and_name)
{
	static char *names[] = { "03-innocent-flow", "11-lanes", "own" };
	struct lab_folders labs = { .count = 3, .names = { names[0], names[1], names[2] } };

	ck_assert_str_eq(lab_folders_find(&labs, "3"), names[0]);
	ck_assert_str_eq(lab_folders_find(&labs, "03"), names[0]);
	ck_assert_str_eq(lab_folders_find(&labs, "11"), names[1]);
	ck_assert_str_eq(lab_folders_find(&labs, "innocent-flow"), names[0]);
	ck_assert_str_eq(lab_folders_find(&labs, "03-innocent-flow"), names[0]);
	ck_assert_str_eq(lab_folders_find(&labs, "own"), names[2]);
	ck_assert_ptr_null(lab_folders_find(&labs, "1"));
	ck_assert_ptr_null(lab_folders_find(&labs, ""));
	ck_assert_ptr_null(lab_folders_find(&labs, "flow"));
	ck_assert_ptr_null(lab_folders_find(&labs, "3x"));
	ck_assert_ptr_null(lab_folders_find(&labs, "-lanes"));
	/* the first one, and none without both a number and a name */
	labs.names[1] = labs.names[2];
	labs.names[2] = (char[]){ "12-own" };
	ck_assert_str_eq(lab_folders_find(&labs, "own"), names[2]);
	labs.names[1] = (char[]){ "13lanes" };
	ck_assert_ptr_null(lab_folders_find(&labs, "13"));
	ck_assert_ptr_null(lab_folders_find(&labs, "anes"));
}

TEST(lab_folders_list__those_with_a_lab)
{
	struct lab_folders labs;
	char deeper[128];

	snprintf(deeper, sizeof(deeper), "%s/05-five", folder);
	ck_assert_int_eq(mkdir(deeper, 0755), 0);
	ck_assert_int_eq(lab_folders_list(folder, &labs), 0);
	ck_assert_uint_eq(labs.count, 0);
	snprintf(path, sizeof(path), "%s/05-five/lab.yaml", folder);
	file_write(lab_yaml);
	ck_assert_int_eq(lab_folders_list(folder, &labs), 0);
	ck_assert_uint_eq(labs.count, 1);
	ck_assert_str_eq(labs.names[0], "05-five");
	lab_folders_free(&labs);
	unlink(path);
	rmdir(deeper);
	ck_assert_int_eq(lab_folders_list(deeper, &labs), -ENOENT);
}

/* in the order of their names, without those that begin with a dot; 256 at most */
TEST(lab_folders_list__order_and_most)
{
	struct lab_folders labs;
	char name[128];
	unsigned made = LAB_FOLDERS_MAX + 2;

	for (unsigned i = 0; i < made; i++) {
		sprintf(name, "%s/%s%03u", folder, i ? "" : ".", i * 7 % made);
		ck_assert_int_eq(mkdir(name, 0755), 0);
		snprintf(path, sizeof(path), "%s/lab.yaml", name);
		file_write("x");
		if (i == 4) {
			ck_assert_int_eq(lab_folders_list(folder, &labs), 0);
			ck_assert_uint_eq(labs.count, 4);
			for (unsigned l = 0; l < 4; l++)
				ck_assert_int_eq(atoi(labs.names[l]), 7 * ((int)l + 1));
			lab_folders_free(&labs);
		}
	}
	ck_assert_int_eq(lab_folders_list(folder, &labs), 0);
	ck_assert_uint_eq(labs.count, LAB_FOLDERS_MAX);
	lab_folders_free(&labs);
	for (unsigned i = 0; i < made; i++) {
		sprintf(name, "%s/%s%03u", folder, i ? "" : ".", i * 7 % made);
		snprintf(path, sizeof(path), "%s/lab.yaml", name);
		unlink(path);
		rmdir(name);
	}
}
