#include "orchestrator/course/lab_execute.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/shell_word.h"
#include "orchestrator/lab/lab_text.h"
#include "orchestrator/run/cmd_compare.h"
#include "orchestrator/run/run_execute.h"
#include "orchestrator/run/run_scenario.h"

/* ---- values ---- */

/* Return: 0 or an exit status, reported */
static int expand(const char *command, const struct lab_values *values, const char *text, bool yaml,
		  char **result)
{
	struct why why;

	*result = lab_values_expand(values, text, yaml, &why);
	return *result ? 0 : options_wrong(command, "%s", why.text);
}

/* the path of scenario @name, beside lab.yaml; short if it is below the current folder.
 * Return: malloc'd; NULL if memory is short */
static char *scenario_path(const struct lab *lab, const char *name)
{
	char path[2 * PATH_MAX], whole[PATH_MAX], here[PATH_MAX];
	size_t length;

	snprintf(path, sizeof(path), "%s/%s", lab->folder, name);
	if (*name == '/' || !realpath(path, whole))
		return strdup(*name == '/' ? name : path);
	length = getcwd(here, sizeof(here)) ? strlen(here) : 0;
	if (length > 1 && !strncmp(whole, here, length) && whole[length] == '/')
		return strdup(whole + length + 1);
	return strdup(whole);
}

static int setting_add(const char *command, struct lab_settled *settled, const char *path,
		       const char *value)
{
	if (settled->count == SCENARIO_SETTINGS_MAX ||
	    asprintf(&settled->texts[settled->count], "%s=%s", path, value) < 0)
		return options_wrong(command, "too many settings");
	settled->count++;
	return 0;
}

/* path=@text, with values */
static int setting_settle(const char *command, struct lab_settled *settled, const char *path,
			  const char *text, const struct lab_values *values)
{
	char *value;
	int status = expand(command, values, text, true, &value);

	if (!status)
		status = setting_add(command, settled, path, value);
	free(value);
	return status;
}

int lab_settle(const char *command, const struct lab *lab, const struct lab_arguments *arguments,
	       const struct lab_values *values, struct lab_settled *settled)
{
	const struct yaml_node *child = arguments->set ? arguments->set->first : NULL;
	char *name;
	int status;

	*settled = (struct lab_settled){ 0 };
	status = expand(command, values, arguments->scenario, false, &name);
	if (!status) {
		settled->scenario = scenario_path(lab, name);
		free(name);
		if (!settled->scenario)
			return options_wrong(command, "not enough memory");
	}
	if (!status && arguments->variant)
		status = expand(command, values, arguments->variant, false, &settled->variant);
	for (; child && !status; child = child->next)
		status = setting_settle(command, settled, child->key, child->text, values);
	if (!status && arguments->seed)
		status = setting_settle(command, settled, "seed", arguments->seed, values);
	return status;
}

void lab_settled_free(struct lab_settled *settled)
{
	free(settled->scenario);
	free(settled->variant);
	for (unsigned i = 0; i < settled->count; i++)
		free(settled->texts[i]);
	*settled = (struct lab_settled){ 0 };
}

void lab_settled_print(const struct lab_settled *settled, bool compare, FILE *out)
{
	fputs(compare ? "heddle run --compare " : "heddle run ", out);
	shell_word_print(settled->scenario, out);
	if (settled->variant) {
		fputs(" --variant ", out);
		shell_word_print(settled->variant, out);
	}
	for (unsigned i = 0; i < settled->count; i++) {
		fputs(" --set ", out);
		shell_word_print(settled->texts[i], out);
	}
}

/* ---- running ---- */

void lab_settled_options(const struct lab_settled *settled, bool quiet, struct run_options *options)
{
	*options = run_options_default;
	options->scenario = settled->scenario;
	options->variant = settled->variant;
	options->quiet = quiet;
	for (unsigned i = 0; i < settled->count; i++)
		options->settings.texts[options->settings.count++] = settled->texts[i];
}

/* "expect=[...]", malloc'd.  Return: 0 or an exit status, reported */
static int expectations_settle(const char *command, const struct yaml_node *expect,
			       const struct lab_values *values, char **setting)
{
	size_t size;
	FILE *out = open_memstream(setting, &size);
	int status = out ? 0 : options_wrong(command, "not enough memory");

	if (out)
		fputs("expect=[", out);
	for (const struct yaml_node *child = expect->first; child && !status; child = child->next) {
		char *text;

		status = expand(command, values, child->text, false, &text);
		if (status)
			break;
		fputs(child == expect->first ? "" : ", ", out);
		lab_text_quote(text, out);
		free(text);
	}
	if (out) {
		putc(']', out);
		fclose(out);
	}
	return status;
}

static int settled_execute(const char *command, const struct lab_settled *settled,
			   const struct yaml_node *expect, const char *metric,
			   const struct lab_values *values, struct compare_row *row)
{
	struct scenario_compare columns = { .column_count = 1 };
	uint32_t variant = SCENARIO_NO_VARIANT;
	struct run_output output = { 0 };
	struct run_options options;
	struct plan plan = { 0 };
	char *expectations = NULL;
	int status = 0;

	lab_settled_options(settled, true, &options);
	options.row = row;
	if (metric) {
		status = expand(command, values, metric, false, &columns.columns[0].text);
		options.columns = &columns;
	} else {
		status = expectations_settle(command, expect, values, &expectations);
	}
	if (!status && expectations && options.settings.count == SCENARIO_SETTINGS_MAX)
		status = options_wrong(command, "too many settings");
	else if (!status && expectations)
		options.settings.texts[options.settings.count++] = expectations;
	if (!status && options.variant)
		status = run_variant_find(&options, NULL, &variant);
	status = status
		 ?: run_scenario_load(&options, variant, &plan)
		 ?: run_execute(&options, &plan, &output);
	plan_free(&plan);
	free(expectations);
	free(columns.columns[0].text);
	if (status == EXIT_NODE || status == EXIT_INTERRUPTED || status == EXIT_USAGE) {
		if (row->note[0])
			options_wrong(command, "%s", row->note);
		return status;
	}
	return 0;
}

int lab_execute(const char *command, const struct lab *lab, const struct lab_arguments *arguments,
		const struct yaml_node *expect, const char *metric, const struct lab_values *values,
		struct compare_row *row)
{
	struct lab_settled settled;
	int status = lab_settle(command, lab, arguments, values, &settled);

	*row = (struct compare_row){ .name = "" };
	if (!status)
		status = settled_execute(command, &settled, expect, metric, values, row);
	lab_settled_free(&settled);
	return status;
}
