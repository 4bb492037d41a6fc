#include "orchestrator/course/lab_judge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/exit_status.h"
#include "orchestrator/course/lab_execute.h"
#include "orchestrator/lab/lab_answer.h"

struct judging {
	const char *command;
	const struct lab *lab;
	const struct lab_values *values; /* of the student, and the answers */
	struct lab_verdict *verdict;
};

/* ---- which answers a text depends on: a bit for each ---- */

static uint32_t answers_of_text(const struct lab *lab, const char *text)
{
	struct lab_placeholder found;
	uint32_t answers = 0;

	for (size_t from = 0; text && lab_placeholder_find(text, from, &found);
	     from = found.at + found.length)
		for (uint32_t a = 0; a < lab->answer_count; a++)
			if (!strcmp(lab->answers[a].name, found.name))
				answers |= 1u << a;
	return answers;
}

static uint32_t answers_of_arguments(const struct lab *lab, const struct lab_arguments *arguments)
{
	uint32_t answers = answers_of_text(lab, arguments->scenario) |
			   answers_of_text(lab, arguments->seed) |
			   answers_of_text(lab, arguments->variant);

	for (const struct yaml_node *child = arguments->set ? arguments->set->first : NULL; child;
	     child = child->next)
		answers |= answers_of_text(lab, child->text);
	return answers;
}

static void judge(struct judging *judging, uint32_t answers, bool ok)
{
	for (uint32_t a = 0; a < judging->lab->answer_count; a++)
		if (!ok && answers & (1u << a))
			judging->verdict->right[a] = false;
}

/* ---- expectations of a run ---- */

/* Was a run or a comparison refused, and can the value of an answer be the reason? That is
 * reported; @answers are not right. A file of the student is to be mended instead.
 * Return: @status, or 0: the other checks go on */
static int refusal_judge(struct judging *judging, uint32_t answers, int status, bool *holds)
{
	uint32_t values = 0;

	for (uint32_t a = 0; a < judging->lab->answer_count; a++)
		values |= judging->lab->answers[a].kind == LAB_PATH ? 0 : 1u << a;
	if (status != EXIT_USAGE || !(answers & values))
		return status;
	judge(judging, answers, false);
	*holds = false;
	return 0;
}

/* Return: 0 or an exit status, reported */
static int expect_judge(struct judging *judging, const struct lab_check *check, bool *holds)
{
	uint32_t settings = answers_of_arguments(judging->lab, &check->arguments), all = settings;
	struct compare_row row;
	uint32_t i = 0;
	bool every = true;
	int status = lab_execute(judging->command, judging->lab, &check->arguments, check->expect,
				 NULL, judging->values, &row);

	for (const struct yaml_node *child = check->expect->first; child;
	     child = child->next, i++) {
		uint32_t compared = answers_of_text(judging->lab, child->text);
		bool ok = i < SCENARIO_COLUMNS_MAX && row.values[i].ok;

		all |= compared;
		every &= ok;
		if (!status && !check->fails)
			judge(judging, settings | compared, ok);
	}
	*holds = !status && (check->fails ? !every : every);
	if (!status && check->fails)
		judge(judging, all, *holds);
	return refusal_judge(judging, all, status, holds);
}

/* ---- values of several runs ---- */

static const struct lab_check_value *value_find(const struct lab_check *check, const char *name,
						size_t length, uint32_t *index)
{
	for (*index = 0; *index < check->value_count; ++*index)
		if (strlen(check->values[*index].name) == length &&
		    !memcmp(check->values[*index].name, name, length))
			return &check->values[*index];
	return NULL;
}

/* @text with the values of @measured for their names.  Return: malloc'd; NULL: memory is short */
static char *names_replace(const struct lab_check *check, const struct result_expectation *measured,
			   const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	char *result = NULL, number[QUANTITY_TEXT_MAX];
	size_t size;
	FILE *out = open_memstream(&result, &size);

	while (out && *text) {
		size_t length = strspn(text, letters);
		uint32_t v;

		if (length && value_find(check, text, length, &v))
			fputs(expect_value_text(check->values[v].metric, measured[v].value, number),
			      out);
		else
			fwrite(text, 1, length ? length : 1, out);
		text += length ? length : 1;
	}
	if (out && fclose(out)) {
		free(result);
		result = NULL;
	}
	return result;
}

/* "NAME OP VALUE [+- TOLERANCE]"; VALUE may be a name as well.
 * Return: 0 or an exit status, reported */
static int hold_judge(struct judging *judging, const struct lab_check *check,
		      const struct result_expectation *measured, const char *text, bool *ok)
{
	size_t length = strcspn(text, " \t=!<>");
	char *comparison;
	struct why why;
	uint32_t v;
	int error;

	if (!value_find(check, text, length, &v))
		return options_wrong(judging->command,
				     "'%s' does not begin with one of the values "
				     "of this check",
				     text);
	comparison = names_replace(check, measured, text + length);
	if (!comparison)
		return options_wrong(judging->command, "not enough memory");
	error = expect_value_judge(check->values[v].metric, measured[v].value, comparison, ok,
				   &why);
	free(comparison);
	*ok &= measured[v].known;
	return error ? options_wrong(judging->command, "'%s': %s", text, why.text) : 0;
}

static int values_judge(struct judging *judging, const struct lab_check *check, bool *holds)
{
	struct result_expectation measured[LAB_CHECK_VALUES_MAX];
	uint32_t answers = 0;
	int status = 0;

	for (uint32_t v = 0; v < check->value_count && !status; v++) {
		const struct lab_check_value *value = &check->values[v];
		uint32_t own = answers_of_arguments(judging->lab, &value->arguments);
		struct compare_row row;

		status = lab_execute(judging->command, judging->lab, &value->arguments, NULL,
				     value->metric, judging->values, &row);
		measured[v] = row.values[0];
		if (status)
			return refusal_judge(judging, own, status, holds);
		answers |= own;
	}
	for (const struct yaml_node *child = check->holds->first; child && !status;
	     child = child->next) {
		uint32_t compared = answers_of_text(judging->lab, child->text);
		struct why why;
		char *text = lab_values_expand(judging->values, child->text, false, &why);
		bool ok = false;

		status = text ? hold_judge(judging, check, measured, text, &ok)
			      : options_wrong(judging->command, "%s", why.text);
		free(text);
		*holds &= ok;
		if (status)
			status = refusal_judge(judging, compared, status, holds);
		else
			judge(judging, answers | compared, ok);
	}
	return status;
}

/* ---- all checks ---- */

/* Return: 0 or an exit status, reported */
static int answers_take(const char *command, const struct lab_opened *opened,
			struct lab_values *values)
{
	struct why why = { "not enough memory" };

	for (uint32_t i = 0; i < opened->values.count; i++)
		if (!lab_values_add(values, opened->values.list[i].name,
				    opened->values.list[i].text))
			return options_wrong(command, "%s", why.text);
	for (uint32_t a = 0; a < opened->lab.answer_count; a++)
		if (lab_answer_take(&opened->lab.answers[a], opened->record.answers[a], values,
				    &why))
			return options_wrong(command, "%s: %s", opened->lab.answers[a].name,
					     why.text);
	return 0;
}

int lab_judge(const char *command, const struct lab_opened *opened, bool quiet,
	      struct lab_verdict *verdict)
{
	const struct lab *lab = &opened->lab;
	struct lab_values values = { 0 };
	struct judging judging = {
		.command = command, .lab = lab, .values = &values, .verdict = verdict
	};
	bool progress = !quiet && isatty(STDERR_FILENO);
	int status = answers_take(command, opened, &values);

	*verdict = (struct lab_verdict){ .passed = true };
	for (uint32_t a = 0; a < lab->answer_count; a++)
		verdict->right[a] = true;
	for (uint32_t c = 0; c < lab->check_count && !status; c++) {
		const struct lab_check *check = &lab->checks[c];
		bool *holds = &verdict->holds[c];

		if (progress)
			fprintf(stderr, "heddle %s: check %u of %u\n", command, c + 1,
				lab->check_count);
		*holds = true;
		if (check->expect)
			status = expect_judge(&judging, check, holds);
		if (!status && check->holds)
			status = values_judge(&judging, check, holds);
		verdict->passed &= *holds;
	}
	lab_values_free(&values);
	return status;
}
