#include "orchestrator/lab/lab_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/lab/lab_text.h"
#include "orchestrator/scenario/scenario_keys.h"

/* ---- reading ---- */

/* the file, as its keys are read */
struct record_row {
	const char *lab;
	uint64_t student;
	bool passed;
	const struct lab *of;
	struct lab_record *record;
};

static void lab_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	const struct record_row *row = target;
	const char *text = key_scalar(reader, node, "the name of the lab");

	(void)key;
	if (text && strcmp(text, row->of->name) != 0)
		key_refuse(reader, node, "this file is of lab '%.60s', not of '%s'", text,
			   row->of->name);
}

/* a mapping of questions and answers */
static void texts_read(struct reader *reader, const struct yaml_node *node,
		       const struct lab_question *questions, uint32_t count, char **texts)
{
	char hint[128];

	if (node->kind != YAML_MAPPING && (node->kind != YAML_SCALAR || *node->text)) {
		key_refuse(reader, node, "expected a mapping of names and texts");
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		const struct lab_question *question =
			lab_question_find(questions, count, child->key);

		if (!question) {
			suggest_sentence(child->key, &questions[0].name, count,
					 sizeof(questions[0]), hint, sizeof(hint));
			scenario_errors_at(reader->errors, reader->scenario, &child->key_place,
					   "the lab asks no '%.60s'%s", child->key, hint);
		} else if (!key_scalar(reader, child, "an answer")) {
			continue;
		} else if (strlen(child->text) > LAB_RECORD_TEXT_MAX) {
			key_refuse(reader, child, "an answer has at most %u bytes",
				   LAB_RECORD_TEXT_MAX);
		} else {
			texts[question - questions] = strdup(child->text);
			reader->out_of_memory |= !texts[question - questions];
		}
	}
}

static void predictions_read(struct reader *reader, const struct key *key,
			     const struct yaml_node *node, void *target)
{
	const struct record_row *row = target;

	(void)key;
	texts_read(reader, node, row->of->predictions, row->of->prediction_count,
		   row->record->predictions);
}

static void answers_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	const struct record_row *row = target;

	(void)key;
	texts_read(reader, node, row->of->answers, row->of->answer_count, row->record->answers);
}

static const struct key record_keys[] = {
	{ "lab", .read = lab_keep, .required = true },
	{ "student", key_count, KEY_FIELD(struct record_row, student), .min = 1, .max = UINT32_MAX,
	  .required = true },
	{ "predictions", .read = predictions_read },
	{ "answers", .read = answers_read },
	{ "passed", key_flag, KEY_FIELD(struct record_row, passed) },
};

int lab_record_read_memory(const char *path, const char *text, size_t length, const struct lab *lab,
			   uint32_t student, struct lab_record *record,
			   struct scenario_errors *errors)
{
	struct record_row row = { .of = lab, .record = record };
	char file[PATH_MAX];
	struct scenario named = { .file = file };
	struct reader reader = { .scenario = &named, .errors = errors };
	struct yaml_node *root;
	int error;

	*record = (struct lab_record){ 0 };
	snprintf(file, sizeof(file), "%s", path);
	error = yaml_read(path, text, length, 0, &root, errors);
	if (error)
		return error;
	keys_read(&reader, root, "a file of answers", record_keys, COUNT_OF(record_keys), &row);
	if (!errors->count && row.student != student)
		scenario_errors_add(errors, path, 0, 0,
				    "this file is of student %" PRIu64 ", not of %" PRIu32,
				    row.student, student);
	yaml_free(root);
	record->passed = row.passed;
	if (reader.out_of_memory)
		return -ENOMEM;
	return errors->count ? -EINVAL : 0;
}

int lab_record_read(const char *path, const struct lab *lab, uint32_t student,
		    struct lab_record *record, struct scenario_errors *errors)
{
	size_t length;
	char *text;
	int error = lab_text_read(path, &text, &length);

	*record = (struct lab_record){ 0 };
	if (error == -ENOENT)
		return 0;
	if (error) {
		scenario_errors_add(errors, path, 0, 0, "the answers cannot be read: %s",
				    strerror(-error));
		return -EINVAL;
	}
	error = lab_record_read_memory(path, text, length, lab, student, record, errors);
	free(text);
	return error;
}

void lab_record_free(struct lab_record *record)
{
	for (uint32_t i = 0; i < LAB_QUESTIONS_MAX; i++) {
		free(record->predictions[i]);
		free(record->answers[i]);
	}
	*record = (struct lab_record){ 0 };
}

/* ---- writing ---- */

void lab_record_name(const struct lab *lab, uint32_t student, char *name)
{
	snprintf(name, NAME_MAX + 1, "lab-%.200s-student-%" PRIu32 ".yaml", lab->name, student);
}

static void texts_write(const char *key, const struct lab_question *questions, uint32_t count,
			char *const *texts, FILE *out)
{
	const char *gap = "";

	fprintf(out, "%s: {", key);
	for (uint32_t i = 0; i < count; i++) {
		if (!texts[i])
			continue;
		fprintf(out, "%s%s: ", gap, questions[i].name);
		lab_text_quote(texts[i], out);
		gap = ", ";
	}
	fputs("}\n", out);
}

int lab_record_write(const char *path, const struct lab *lab, uint32_t student,
		     const struct lab_record *record)
{
	struct atomic_file file;
	int error = atomic_file_open(&file, path);

	if (error)
		return error;
	fprintf(file.stream,
		"# Predictions and answers of one student, written by 'heddle lab'.\nlab: ");
	lab_text_quote(lab->name, file.stream);
	fprintf(file.stream, "\nstudent: %" PRIu32 "\n", student);
	texts_write("predictions", lab->predictions, lab->prediction_count, record->predictions,
		    file.stream);
	texts_write("answers", lab->answers, lab->answer_count, record->answers, file.stream);
	fprintf(file.stream, "passed: %s\n", record->passed ? "yes" : "no");
	return atomic_file_commit(&file);
}
