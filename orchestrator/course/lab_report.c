#include "orchestrator/course/lab_report.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/shell_word.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/course/lab_describe.h"
#include "orchestrator/course/lab_judge.h"
#include "orchestrator/course/lab_execute.h"
#include "orchestrator/run/cmd_compare.h"
#include "orchestrator/run/cmd_run.h"

struct report_options {
	struct lab_opening opening;
	bool quiet;
};

static const struct option_row rows[] = {
	LAB_OPENING_ROWS(struct report_options),
	OPTION_FLAG("--quiet", offsetof(struct report_options, quiet), "no progress"),
};

static const struct command_words words = {
	"lab report",
	"usage: heddle lab report LAB [--student N] [FILE.html]\n"
	"Writes what is handed in: the report of the first run, predictions beside measured "
	"values,\n"
	"answers with their marks, and the commands that repeat it. FILE.html is\n"
	"lab-NAME-student-N.html if it is not given.\n",
	"",
	OPTIONS(rows),
	OPERANDS("lab and file", 1, 2),
};

/* ---- what is in it ---- */

static bool answers_complete(const struct lab_opened *opened)
{
	for (uint32_t a = 0; a < opened->lab.answer_count; a++)
		if (!opened->record.answers[a])
			return false;
	return true;
}

/* the marks.  Return: 0 or an exit status, reported */
static int marks_add(const struct lab_opened *opened, bool quiet, json_t *all)
{
	json_t *answers = json_object_get(all, "answers");
	bool complete = answers_complete(opened);
	struct lab_verdict verdict;
	int status = complete ? lab_judge("lab report", opened, quiet, &verdict) : 0;

	if (status)
		return status;
	json_object_set_new(all, "passed", complete ? json_boolean(verdict.passed) : json_null());
	for (uint32_t a = 0; a < opened->lab.answer_count; a++)
		json_object_set_new(json_array_get(answers, a), "right",
				    complete ? json_boolean(verdict.right[a]) : json_null());
	if (!complete)
		printf("not checked: answers are missing\n");
	else
		printf("%s\n", verdict.passed ? "passed" : "not passed");
	return 0;
}

/* measured values of what was predicted.  Return: 0 or an exit status, reported */
static int measured_add(const struct lab_opened *opened, json_t *all)
{
	json_t *predict = json_object_get(all, "predict");
	int status = 0;

	for (uint32_t i = 0; i < opened->lab.prediction_count && !status; i++) {
		const struct lab_question *question = &opened->lab.predictions[i];
		bool shown_too = question->measured && opened->record.predictions[i];
		char shown[LAB_MEASURED_MAX];

		if (shown_too)
			status = lab_measure("lab report", opened, question, shown);
		json_object_set_new(json_array_get(predict, i), "measured",
				    shown_too ? json_string(shown) : json_null());
	}
	return status;
}

/* "heddle lab check LAB --student N NAME='ANSWER' ..." after the commands of the runs */
static void commands_add(const struct lab_opened *opened, json_t *all)
{
	json_t *commands = json_array(), *run;
	char *line = NULL;
	size_t i, size;
	FILE *out = open_memstream(&line, &size);

	json_array_foreach (json_object_get(all, "runs"), i, run)
		json_array_append(commands, json_object_get(run, "command"));
	if (out) {
		fprintf(out, "heddle lab check %s --student %u", opened->words, opened->student);
		for (uint32_t a = 0; a < opened->lab.answer_count; a++) {
			if (!opened->record.answers[a])
				continue;
			fprintf(out, " %s=", opened->lab.answers[a].name);
			shell_word_print(opened->record.answers[a], out);
		}
		fclose(out);
		json_array_append_new(commands, utf8_json(line));
		free(line);
	}
	json_object_set_new(all, "commands", commands);
	json_object_del(all, "folder");
}

/* ---- the file ---- */

static int report_write(const struct lab_opened *opened, const char *path, const char *text)
{
	const struct lab_run *run = lab_run_find(&opened->lab, NULL);
	struct lab_settled settled;
	struct run_options options;
	int status =
		lab_settle("lab report", &opened->lab, &run->arguments, &opened->values, &settled);

	if (!status) {
		lab_settled_options(&settled, true, &options);
		options.report = path;
		options.report_lab = text;
		status = run->compare ? run_compare(&options) : run_single(&options);
	}
	lab_settled_free(&settled);
	return status == EXIT_EXPECTATION || status == EXIT_STALL ? 0 : status;
}

/* Return: 0 or an exit status, reported */
static int report_make(const struct report_options *options, const struct lab_opened *opened,
		       const char *path)
{
	json_t *all = lab_describe("lab report", opened);
	char *text = NULL;
	int status = all ? 0 : EXIT_USAGE;

	if (!status)
		status = marks_add(opened, options->quiet, all);
	if (!status)
		status = measured_add(opened, all);
	if (!status) {
		commands_add(opened, all);
		text = json_dumps(all, JSON_COMPACT);
		status = text ? report_write(opened, path, text)
			      : options_wrong("lab report", "not enough memory");
	}
	if (!status)
		printf("%s\n", path);
	free(text);
	json_decref(all);
	return status;
}

int lab_report(int argc, char **argv)
{
	struct report_options options = { 0 };
	char name[NAME_MAX + 1];
	struct lab_opened opened;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	status = lab_open("lab report", &options.opening, argv[1], &opened);
	if (!status) {
		snprintf(name, sizeof(name), "lab-%.200s-student-%u.html", opened.lab.name,
			 opened.student);
		status = report_make(&options, &opened, count > 1 ? argv[2] : name);
	}
	lab_opened_free(&opened);
	return status;
}
