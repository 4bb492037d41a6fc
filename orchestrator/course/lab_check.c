#include "orchestrator/course/lab_check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/json_text.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/course/lab_judge.h"
#include "orchestrator/lab/lab_answer.h"
#include "orchestrator/run/run_options.h"

struct check_options {
	struct lab_opening opening;
	bool json, quiet;
};

static const struct option_row rows[] = {
	LAB_OPENING_ROWS(struct check_options),
	OPTION_FLAG("--json", offsetof(struct check_options, json), "the verdict as JSON"),
	OPTION_FLAG("--quiet", offsetof(struct check_options, quiet), "no progress"),
};

static const struct command_words words = {
	"lab check",
	"usage: heddle lab check LAB [--student N] [NAME=VALUE...] [options]\n"
	"Are the answers right? LAB is the number or the name of a lab. Answers are kept in the\n"
	"current folder, so those that were given before need not be repeated.\n",
	"exit status: 0: all answers are right; 1: not; 2: wrong usage, or an answer is missing;\n"
	"4: a run failed; 130: interrupted\n",
	OPTIONS(rows),
	OPERANDS("lab", 1, 0),
};

/* Return: 0: all answers are there; an exit status, reported */
static int answers_complete(const struct lab_opened *opened)
{
	const struct lab *lab = &opened->lab;
	bool complete = true;

	for (uint32_t a = 0; a < lab->answer_count; a++) {
		const struct lab_question *question = &lab->answers[a];
		char *ask;
		struct why why;

		if (opened->record.answers[a])
			continue;
		ask = lab_values_expand(&opened->values, question->ask, false, &why);
		options_wrong("lab check", "the answer %s=VALUE is missing: %s", question->name,
			      ask ? ask : question->ask);
		free(ask);
		complete = false;
	}
	return complete ? 0 : EXIT_USAGE;
}

static void text_write(const struct lab_opened *opened, const struct lab_verdict *verdict,
		       bool colour)
{
	const struct lab *lab = &opened->lab;
	uint32_t right = 0;

	printf("Lab %s, student %u\n\n", lab->name, opened->student);
	printf("  %-20s %-24s %-10s %-10s\n", "answer", "given", "tolerance", "");
	for (uint32_t a = 0; a < lab->answer_count; a++) {
		const struct lab_question *question = &lab->answers[a];
		const char *text = opened->record.answers[a];
		const char *unit = lab_answer_unit(question, text);
		bool ok = verdict->right[a];
		char given[64];

		right += ok;
		snprintf(given, sizeof(given), "%.40s%s%.20s", text, *unit ? " " : "", unit);
		printf("  %-20s ", question->name);
		utf8_pad(stdout, -24, given);
		printf(" %-10s %s%s%s\n", question->tolerance ? question->tolerance : "-",
		       screen_paint(colour, ok ? SCREEN_GREEN : SCREEN_RED),
		       ok ? "ok" : "not right", screen_paint(colour, SCREEN_PLAIN));
	}
	putchar('\n');
	for (uint32_t c = 0; c < lab->check_count; c++)
		if (!verdict->holds[c])
			printf("  hint: %s\n", lab->checks[c].says);
	printf("%s: %u of %u answers are right\n", verdict->passed ? "passed" : "not passed", right,
	       lab->answer_count);
	if (verdict->passed)
		printf("The explanation: heddle lab start %s --explain\n", opened->words);
}

static int json_write(const struct lab_opened *opened, const struct lab_verdict *verdict)
{
	const struct lab *lab = &opened->lab;
	json_t *answers = json_array(), *hints = json_array(), *all;

	for (uint32_t a = 0; a < lab->answer_count; a++)
		json_array_append_new(
			answers, json_pack("{s:s, s:s, s:b}", "name", lab->answers[a].name, "given",
					   opened->record.answers[a], "right", verdict->right[a]));
	for (uint32_t c = 0; c < lab->check_count; c++)
		if (!verdict->holds[c])
			json_array_append_new(hints, json_string(lab->checks[c].says));
	all = json_pack("{s:s, s:i, s:b, s:o, s:o}", "lab", lab->name, "student",
			(int)opened->student, "passed", verdict->passed, "answers", answers,
			"hints", hints);
	if (!all)
		return options_wrong("lab check", "not enough memory");
	json_text_write(all, JSON_INDENT(1), stdout);
	return 0;
}

int lab_check(int argc, char **argv)
{
	struct check_options options = { 0 };
	struct lab_verdict verdict;
	struct lab_opened opened;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	status = lab_open("lab check", &options.opening, argv[1], &opened)
		 ?: lab_take_words("lab check", argv, count, &opened, opened.lab.answers,
				   opened.lab.answer_count, opened.record.answers)
		 ?: answers_complete(&opened)
		 ?: lab_judge("lab check", &opened, options.quiet || options.json, &verdict);
	if (!status && verdict.passed && !opened.record.passed) {
		opened.record.passed = true;
		status = lab_keep("lab check", &opened);
	}
	if (!status && options.json)
		status = json_write(&opened, &verdict);
	else if (!status)
		text_write(&opened, &verdict, screen_look(stdout).colours);
	if (!status && !verdict.passed)
		status = EXIT_EXPECTATION;
	lab_opened_free(&opened);
	return status;
}
