#include "orchestrator/course/lab_start.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/json_text.h"
#include "orchestrator/base/markdown.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/course/lab_describe.h"
#include "orchestrator/course/lab_execute.h"
#include "orchestrator/course/lab_predict.h"
#include "orchestrator/course/lab_view.h"
#include "orchestrator/lab/lab_answer.h"
#include "orchestrator/lab/lab_text.h"
#include "orchestrator/run/cmd_compare.h"
#include "orchestrator/run/cmd_run.h"

struct start_options {
	struct lab_opening opening;
	const char *only;
	unsigned view; /* enum run_view_kind */
	struct view_listen listen;
	bool no_view, explain, json, text_only, skip;
};

#define AT(member) offsetof(struct start_options, member)

static const struct option_word views[] = { { "read", RUN_VIEW_READ },
					    { "control", RUN_VIEW_CONTROL },
					    { 0 } };

static const struct option_row rows[] = {
	LAB_OPENING_ROWS(struct start_options),
	OPTION_TEXT("--run", "NAME", AT(only), "only this run"),
	{ .name = "--view",
	  .argument = "[control]",
	  .field = AT(view),
	  .take = option_value,
	  .words = views,
	  .otherwise = "read",
	  .help = "the first run, or that of --run, on a page in a browser, with the text of the "
		  "lab\nbeside the fabric, until Ctrl-C; --view=control: with changes" },
	OPTION_TAKE("--listen", "ADDRESS:PORT", AT(listen), option_listen, NULL,
		    "the page on another address than a free port of 127.0.0.1"),
	OPTION_FLAG("--no-view", AT(no_view), "no page; this is the default"),
	OPTION_FLAG("--skip", AT(skip), "run without predictions"),
	OPTION_FLAG("--text", AT(text_only), "print the text, and run nothing"),
	OPTION_FLAG("--explain", AT(explain), "print the explanation, and run nothing"),
	OPTION_FLAG("--json", AT(json),
		    "the lab with the values of the student as JSON, and run "
		    "nothing"),
};

static const struct command_words words = {
	"lab start",
	"usage: heddle lab start LAB [--student N] [--view] [options]\n"
	"Begins a lab: prints its question, your values and the commands, asks for predictions,\n"
	"and executes its runs. LAB is a number or a name ('heddle lab list').\n",
	"exit status: 0; 2: wrong usage, or predictions are missing and there is no terminal to\n"
	"ask for them; 4: a run failed; 130: interrupted\n",
	OPTIONS(rows),
	OPERANDS("lab", 1, 1),
};

/* ---- text ---- */

/* the README.md of the lab.  Return: 0 with *@text malloc'd; an exit status, reported */
static int readme_read(const struct lab *lab, char **text)
{
	char path[PATH_MAX + 16];
	size_t length;
	int error;

	snprintf(path, sizeof(path), "%s/README.md", lab->folder);
	error = lab_text_read(path, text, &length);
	return error ? options_wrong("lab start", "cannot read %s: %s", path, strerror(-error)) : 0;
}

/* the section below the line "## Question" */
static void question_print(const char *text)
{
	const char *from = strstr(text, "## Question\n"), *to;

	if (!from)
		return;
	from = strchr(from, '\n') + 1;
	to = strstr(from, "\n## ");
	markdown_print(from, to ? (size_t)(to - from) : strlen(from), stdout);
	putchar('\n');
}

static void values_print(const struct lab_opened *opened)
{
	for (uint32_t i = 0; i < opened->values.count; i++)
		printf("%s%s = %s", i ? ", " : "Your values: ", opened->values.list[i].name,
		       opened->values.list[i].text);
	printf("%s", opened->values.count ? "\n\n" : "");
}

static void questions_print(const struct lab_opened *opened, const char *head,
			    const struct lab_question *questions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct lab_question *question = &questions[i];
		struct why why;
		char *ask = lab_values_expand(&opened->values, question->ask, false, &why);

		printf("%s  %-16s ", i ? "" : head, question->name);
		markdown_inline(ask ? ask : why.text, stdout);
		if (*question->unit)
			printf(" (%s)", question->unit);
		for (const struct yaml_node *choice = question->choices ? question->choices->first
									: NULL;
		     choice; choice = choice->next)
			printf("%s%s", choice == question->choices->first ? " One of: " : ", ",
			       choice->text);
		if (question->tolerance)
			printf(" +- %s", question->tolerance);
		putchar('\n');
		free(ask);
	}
	printf("%s", count ? "\n" : "");
}

/* Return: 0 or an exit status, reported */
static int commands_print(const struct lab_opened *opened)
{
	int status = 0;

	printf("Runs:\n");
	for (uint32_t i = 0; i < opened->lab.run_count && !status; i++) {
		const struct lab_run *run = &opened->lab.runs[i];
		struct lab_settled settled;

		status = lab_settle("lab start", &opened->lab, &run->arguments, &opened->values,
				    &settled);
		if (!status) {
			printf("  %-16s ", run->name);
			lab_settled_print(&settled, run->compare, stdout);
			putchar('\n');
		}
		lab_settled_free(&settled);
	}
	putchar('\n');
	return status;
}

static int lab_print(const struct lab_opened *opened)
{
	const struct lab *lab = &opened->lab;
	char *text;
	int status = readme_read(lab, &text);

	if (status)
		return status;
	printf("Lab %s: %s (%" PRIu64 " minutes), student %u\n", lab->name, lab->title,
	       lab->minutes, opened->student);
	question_print(text);
	free(text);
	values_print(opened);
	questions_print(opened, "Predict, before the runs:\n", lab->predictions,
			lab->prediction_count);
	questions_print(opened, "Find out:\n", lab->answers, lab->answer_count);
	status = commands_print(opened);
	printf("Steps: %s/README.md\n", lab->folder);
	printf("Then: heddle lab check %s --student %u NAME=VALUE...\n\n", opened->words,
	       opened->student);
	return status;
}

static int explanation_print(const struct lab *lab)
{
	const char *explanation;
	char *text;
	int status = readme_read(lab, &text);

	if (status)
		return status;
	explanation = lab_text_explanation(text);
	markdown_print(explanation, strlen(explanation), stdout);
	free(text);
	return 0;
}

/* ---- JSON ---- */

static int lab_json(const struct lab_opened *opened)
{
	json_t *all = lab_describe("lab start", opened);

	if (!all)
		return options_wrong("lab start", "not enough memory");
	json_text_write(all, JSON_INDENT(1), stdout);
	return 0;
}

/* ---- running ---- */

/* Return: 0 or an exit status, reported */
static int predictions_get(const struct start_options *options, struct lab_opened *opened)
{
	if (options->skip || !lab_predict_missing(opened))
		return 0;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return lab_predict_ask("lab start", opened);
	return options_wrong("lab start",
			     "predict first: heddle lab predict %s --student %u NAME=VALUE...; or "
			     "skip that with --skip",
			     opened->words, opened->student);
}

static int run_start(const struct start_options *start, struct lab_opened *opened,
		     const struct lab_run *run)
{
	const struct view_lab beside = lab_view(opened);
	struct lab_settled settled;
	struct run_options options;
	int status =
		lab_settle("lab start", &opened->lab, &run->arguments, &opened->values, &settled);

	if (!status) {
		printf("$ ");
		lab_settled_print(&settled, run->compare, stdout);
		putchar('\n');
		fflush(stdout);
		/* while the page asks for predictions, the summary would tell them */
		lab_settled_options(&settled, start->view && lab_predict_missing(opened), &options);
		options.view = start->view;
		options.listen = start->listen;
		options.lab = start->view ? &beside : NULL;
		status = run->compare ? run_compare(&options) : run_single(&options);
		putchar('\n');
	}
	lab_settled_free(&settled);
	return status == EXIT_EXPECTATION || status == EXIT_STALL ? 0 : status;
}

/* what was predicted beside what a run measured; without a prediction it would be an answer only.
 * Return: 0 or an exit status, reported */
static int predictions_compare(const struct lab_opened *opened, const struct start_options *options)
{
	const struct lab *lab = &opened->lab;
	bool first = true;
	int status = 0;

	for (uint32_t i = 0; i < lab->prediction_count && !status; i++) {
		const struct lab_question *question = &lab->predictions[i];
		const struct lab_run *run = lab_run_find(lab, question->in);
		const char *text = opened->record.predictions[i], *unit;
		char shown[LAB_MEASURED_MAX], predicted[LAB_RECORD_TEXT_MAX + 32];

		if (!text || !question->measured ||
		    (options->only && strcmp(run->name, options->only) != 0))
			continue;
		status = lab_measure("lab start", opened, question, shown);
		if (!status) {
			unit = lab_answer_unit(question, text);
			printf("%s  %-20s ",
			       first ? "  prediction           predicted            measured\n"
				     : "",
			       question->name);
			snprintf(predicted, sizeof(predicted), "%s%s%s", text, *unit ? " " : "",
				 unit);
			utf8_pad(stdout, -20, predicted);
			printf(" %s\n", shown);
		}
		first = false;
	}
	return status;
}

/* the run that the page shows: one alone.  Return: 0 or an exit status, reported */
static int view_start(const struct start_options *options, struct lab_opened *opened)
{
	const struct lab_run *run = lab_run_find(&opened->lab, options->only);

	if (run->compare)
		return options_wrong("lab start",
				     "the page shows one run, and '%s' is a comparison: give --run",
				     run->name);
	return run_start(options, opened, run);
}

static int lab_begin(const struct start_options *options, struct lab_opened *opened)
{
	const struct lab *lab = &opened->lab;
	int status = lab_print(opened);

	if (!status && options->only && !lab_run_find(lab, options->only))
		status = options_wrong("lab start", "there is no run '%s'", options->only);
	if (status || options->text_only)
		return status;
	fflush(stdout);
	if (options->view && !options->no_view)
		return view_start(options, opened);
	status = predictions_get(options, opened);
	for (uint32_t i = 0; i < lab->run_count && !status; i++)
		if (!options->only || !strcmp(options->only, lab->runs[i].name))
			status = run_start(options, opened, &lab->runs[i]);
	return status ? status : predictions_compare(opened, options);
}

int lab_start(int argc, char **argv)
{
	struct start_options options = { .listen.address = VIEW_LISTEN_OWN };
	struct lab_opened opened;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	status = lab_open("lab start", &options.opening, argv[1], &opened);
	if (!status)
		status = options.explain ? explanation_print(&opened.lab)
			 : options.json  ? lab_json(&opened)
					 : lab_begin(&options, &opened);
	lab_opened_free(&opened);
	return status;
}
