#include "orchestrator/course/lab_score.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/ready_folder.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/results/score.h"
#include "orchestrator/run/run_execute.h"
#include "orchestrator/run/run_scenario.h"

struct score_options {
	const char *folder, *json;
	const char *only[SCORE_SCENARIOS_MAX];
	unsigned only_count;
	bool alone, quiet;
	/* what is run */
	struct ready_files files;
	const char *controls[SCORE_CONTROLS_MAX];
	unsigned control_count;
};

/* ---- options ---- */

static int only_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	struct score_options *options = field;

	if (strchr(value, ','))
		return options_wrong(command, "%s takes one scenario, not '%s': repeat %s",
				     row->name, value, row->name);
	return option_list_add(command, row, options->only, &options->only_count,
			       SCORE_SCENARIOS_MAX, value);
}

#define AT(member) offsetof(struct score_options, member)

static const struct option_row rows[] = {
	{ .name = "--json",
	  .argument = "[FILE]",
	  .field = AT(json),
	  .otherwise = OUTPUT_STDOUT,
	  .takes_next = option_is_json_file,
	  .help = "the points and values as JSON, to FILE.json, or to standard output instead of "
		  "the tables" },
	OPTION_TAKE("--only", "SCENARIO", 0, only_take, NULL,
		    "only this scenario; may be repeated"),
	OPTION_TEXT("--scenarios", "DIR", AT(folder),
		    "the scenarios in DIR instead of those that come with heddle"),
	OPTION_FLAG("--alone", AT(alone), "without the built-in controls beside the CONTROLs"),
	OPTION_FLAG("--quiet", AT(quiet), "no progress"),
};

static const struct command_words words = {
	"lab score",
	"usage: heddle lab score [CONTROL...] [options]\n"
	"Runs six scenarios with each CONTROL and with the built-in ones, and prints their\n"
	"points. A CONTROL is a shared library such as ./my.so, or one of\n" OPTION_CONTROL_WORDS
	".\n",
	"The expectations of a scenario are its goals. Its points are 100 times the geometric\n"
	"mean of how much of each goal is reached; the total is the mean over the scenarios:\n"
	"docs/own-congestion-control.md.\n"
	"exit status: 0; 2: wrong usage; 4: a control failed, which has no points there; 130: "
	"interrupted\n",
	OPTIONS(rows),
	OPERANDS("control", 0, 0),
};

static int files_find(struct score_options *options)
{
	char folder[PATH_MAX];
	int error;

	if (!options->folder && ready_folder("score", folder, sizeof(folder)))
		return options_wrong("lab score", "the scenarios of heddle are not beside it: give "
						  "--scenarios DIR");
	if (options->folder)
		snprintf(folder, sizeof(folder), "%s", options->folder);
	error = ready_files_list(folder, &options->files);
	if (error)
		return options_wrong("lab score", "no scenarios in %s: %s", folder,
				     strerror(-error));
	if (!options->files.count)
		return options_wrong("lab score", "no *.yaml in %s", folder);
	return options->files.count > SCORE_SCENARIOS_MAX
		       ? options_wrong("lab score", "more than %u scenarios in %s",
				       SCORE_SCENARIOS_MAX, folder)
		       : 0;
}

/* keeps the files of --only.  Return: 0 or an exit status, reported */
static int files_select(struct score_options *options)
{
	char names[SCORE_SCENARIOS_MAX][NODE_NAME_MAX], hint[128];
	const char *words_of[SCORE_SCENARIOS_MAX];
	bool wanted[SCORE_SCENARIOS_MAX] = { 0 };
	size_t kept = 0;

	for (size_t f = 0; f < options->files.count; f++) {
		ready_name(options->files.paths[f], names[f], sizeof(names[f]));
		words_of[f] = names[f];
		wanted[f] = !options->only_count;
	}
	for (unsigned i = 0; i < options->only_count; i++) {
		size_t f = 0;

		while (f < options->files.count && strcmp(names[f], options->only[i]) != 0)
			f++;
		suggest_sentence(options->only[i], words_of, options->files.count,
				 sizeof(words_of[0]), hint, sizeof(hint));
		if (f == options->files.count)
			return options_wrong("lab score", "--only: there is no scenario '%s'%s",
					     options->only[i], hint);
		wanted[f] = true;
	}
	for (size_t f = 0; f < options->files.count; f++) {
		if (wanted[f])
			options->files.paths[kept++] = options->files.paths[f];
		else
			free(options->files.paths[f]);
	}
	options->files.count = kept;
	return 0;
}

static void control_add(struct score_options *options, const char *control)
{
	for (unsigned i = 0; i < options->control_count; i++)
		if (!strcmp(options->controls[i], control))
			return;
	options->controls[options->control_count++] = control;
}

/* those that are given, and beside them, unless alone, the built-in ones: all but `none` */
static int controls_take(struct score_options *options, int count, char **names)
{
	const unsigned built_in = CONGESTION_NONE + 1; /* with tcp */

	if (count > (int)(SCORE_CONTROLS_MAX - built_in))
		return options_wrong("lab score", "more than %u controls",
				     SCORE_CONTROLS_MAX - built_in);
	if (options->alone && !count)
		return options_wrong("lab score", "--alone needs a CONTROL");
	for (int i = 0; i < count; i++)
		control_add(options, names[i]);
	if (options->alone)
		return 0;
	for (unsigned kind = 0; kind < CONGESTION_NONE; kind++)
		control_add(options, congestion_words[kind]);
	control_add(options, "tcp");
	return 0;
}

/* ---- running ---- */

/* `heddle run FILE --cc CONTROL`, into a row.  Return: 0 or an exit status, reported */
static int run_prepare(struct run_options *run, const char *file, const char *control)
{
	const struct option_row row = { .name = "CONTROL" };

	*run = run_options_default;
	run->scenario = file;
	run->quiet = true;
	return option_control("lab score", &row, &run->settings, control);
}

static int scenario_note(struct score_scenario *scenario, const struct plan *plan)
{
	snprintf(scenario->name, sizeof(scenario->name), "%s", plan->scenario);
	scenario->origin = origin_hold(plan->origin);
	for (uint32_t i = 0; i < plan->expectation_count && i < SCENARIO_COLUMNS_MAX; i++) {
		scenario->goals[i] = strdup(plan->expectations[i].text);
		if (!scenario->goals[i])
			return options_wrong("lab score", "not enough memory");
		scenario->goal_count++;
	}
	return scenario->goal_count
		       ? 0
		       : options_wrong("lab score", "%s has no expectations, which are its goals",
				       plan->file);
}

static void control_note(struct score_control *control, const struct score_options *options,
			 unsigned index, const struct plan *plan)
{
	const char *name = options->controls[index], *slash = strrchr(name, '/');

	snprintf(control->name, sizeof(control->name), "%s", slash ? slash + 1 : name);
	if (plan->origin->control.used)
		sha256_text(&plan->origin->control.digest, control->digest);
}

/* reads scenario @s with control @c, and makes the row of its result */
static int cell_check(const struct score_options *options, struct score *score, uint32_t c,
		      uint32_t s)
{
	struct run_options run;
	struct plan plan = { 0 };
	int status = run_prepare(&run, options->files.paths[s], options->controls[c])
			     ?: run_scenario_load(&run, SCENARIO_NO_VARIANT, &plan);

	if (!status && !c) {
		score->scenario_count++;
		status = scenario_note(&score->scenarios[s], &plan);
	}
	if (!status && !s)
		control_note(&score->controls[c], options, c, &plan);
	plan_free(&plan);
	if (status)
		return status;
	score->controls[c].rows[s] = calloc(1, sizeof(struct compare_row));
	return score->controls[c].rows[s] ? 0 : options_wrong("lab score", "not enough memory");
}

/* all scenarios with all controls, so that nothing runs if one is wrong */
static int score_check(const struct score_options *options, struct score *score)
{
	int status = 0;

	for (uint32_t c = 0; c < options->control_count && !status; c++) {
		for (uint32_t s = 0; s < options->files.count && !status; s++)
			status = cell_check(options, score, c, s);
		score->control_count++;
	}
	return status;
}

static int cell_run(const struct score_options *options, struct score *score, uint32_t control,
		    uint32_t scenario)
{
	struct compare_row *row = score->controls[control].rows[scenario];
	struct run_output output = { 0 };
	struct plan plan = { 0 };
	struct run_options run;
	int status = run_prepare(&run, options->files.paths[scenario], options->controls[control]);

	run.row = row;
	status = status
		 ?: run_scenario_load(&run, SCENARIO_NO_VARIANT, &plan)
		 ?: run_execute(&run, &plan, &output);
	plan_free(&plan);
	if (status == EXIT_NODE)
		row->filled = false;
	if (row->note[0] && status != EXIT_INTERRUPTED)
		options_wrong("lab score", "%s in %s: %s", score->controls[control].name,
			      score->scenarios[scenario].name, row->note);
	return status == EXIT_EXPECTATION || status == EXIT_STALL ? 0 : status;
}

/* Return: 0, or the exit status; EXIT_NODE ends nothing */
static int score_run(const struct score_options *options, struct score *score)
{
	int worst = 0;

	for (uint32_t c = 0; c < score->control_count; c++) {
		for (uint32_t s = 0; s < score->scenario_count; s++) {
			int status;

			if (!options->quiet)
				fprintf(stderr, "heddle lab score: %s in %s\n",
					score->controls[c].name, score->scenarios[s].name);
			status = cell_run(options, score, c, s);
			if (status && status != EXIT_NODE)
				return status;
			worst = status ? status : worst;
		}
	}
	return worst;
}

/* ---- output ---- */

static int json_write(const struct score_options *options, const struct score *score)
{
	struct atomic_file file;
	int error = atomic_file_output(&file, options->json);

	if (!error)
		error = atomic_file_end(&file, score_json_write(score, file.stream));
	return error ? options_wrong("lab score", "cannot write the points to %s: %s",
				     options->json, atomic_file_why(error))
		     : 0;
}

static int score_write(const struct score_options *options, const struct score *score)
{
	if (!output_is_stdout(options->json))
		score_text_write(score, screen_look(stdout).colours, stdout);
	return options->json ? json_write(options, score) : 0;
}

int lab_score(int argc, char **argv)
{
	struct score_options options = { 0 };
	struct score *score = calloc(1, sizeof(*score));
	int count, written, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0 || !score) {
		free(score);
		return status >= 0 ? status : options_wrong("lab score", "not enough memory");
	}
	status = controls_take(&options, count, argv + 1)
		 ?: files_find(&options)
		 ?: files_select(&options)
		 ?: score_check(&options, score);
	if (!status) {
		status = score_run(&options, score);
		if (!status || status == EXIT_NODE) {
			score_sort(score);
			written = score_write(&options, score);
			status = written ? written : status;
		}
	}
	ready_files_free(&options.files);
	score_free(score);
	free(score);
	return status;
}
