#include "orchestrator/course/lab_predict.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/lab/lab_answer.h"

struct predict_options {
	struct lab_opening opening;
};

static const struct option_row rows[] = {
	LAB_OPENING_ROWS(struct predict_options),
};

static const struct command_words words = {
	"lab predict",
	"usage: heddle lab predict LAB [--student N] NAME=VALUE...\n"
	"Keeps what you expect, before you see it. Predictions are not marked. Without NAME=VALUE\n"
	"it prints what is kept.\n",
	"",
	OPTIONS(rows),
	OPERANDS("lab", 1, 0),
};

uint32_t lab_predict_missing(const struct lab_opened *opened)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < opened->lab.prediction_count; i++)
		missing += !opened->record.predictions[i];
	return missing;
}

/* one line, until it is a prediction or empty */
static void line_ask(const char *command, struct lab_opened *opened,
		     const struct lab_question *question, bool *ended)
{
	char line[LAB_RECORD_TEXT_MAX + 2], word[LAB_RECORD_TEXT_MAX + LAB_NAME_MAX + 4];
	char *list[] = { word };

	do {
		printf("  %s%s%s%s: ", question->name, *question->unit ? " (" : "", question->unit,
		       *question->unit ? ")" : "");
		fflush(stdout);
		*ended = !fgets(line, sizeof(line), stdin);
		if (*ended)
			putchar('\n');
		line[*ended ? 0 : strcspn(line, "\r\n")] = 0;
		snprintf(word, sizeof(word), "%s=%s", question->name, line);
	} while (*line && lab_take(command, list, 1, opened->lab.predictions,
				   opened->lab.prediction_count, opened->record.predictions));
}

int lab_predict_ask(const char *command, struct lab_opened *opened)
{
	bool ended = false;

	printf("Your predictions (an empty line leaves one open):\n");
	for (uint32_t i = 0; i < opened->lab.prediction_count && !ended; i++) {
		const struct lab_question *question = &opened->lab.predictions[i];
		char *ask;
		struct why why;

		if (opened->record.predictions[i])
			continue;
		ask = lab_values_expand(&opened->values, question->ask, false, &why);
		printf("%s\n", ask ? ask : why.text);
		free(ask);
		line_ask(command, opened, question, &ended);
	}
	return lab_keep(command, opened);
}

int lab_predict(int argc, char **argv)
{
	struct predict_options options = { 0 };
	struct lab_opened opened;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	status = lab_open("lab predict", &options.opening, argv[1], &opened)
			 ?: lab_take_words("lab predict", argv, count, &opened,
					   opened.lab.predictions, opened.lab.prediction_count,
					   opened.record.predictions);
	for (uint32_t i = 0; !status && i < opened.lab.prediction_count; i++) {
		const struct lab_question *question = &opened.lab.predictions[i];
		const char *text = opened.record.predictions[i];
		const char *unit = text ? lab_answer_unit(question, text) : "";

		printf("%-20s %s%s%s\n", question->name, text ? text : "not predicted yet",
		       *unit ? " " : "", unit);
	}
	lab_opened_free(&opened);
	return status;
}
