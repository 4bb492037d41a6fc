#include "orchestrator/lab/lab_answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* a number without unit, so that one may follow */
static bool is_plain(const char *text)
{
	return *text && strspn(text, "0123456789.+- ") == strlen(text);
}

const char *lab_answer_unit(const struct lab_question *question, const char *text)
{
	return is_plain(text) ? question->unit : "";
}

static int number_take(const struct lab_question *question, const char *text, char *canonical,
		       uint64_t *number, struct why *why)
{
	char with_unit[128];

	snprintf(with_unit, sizeof(with_unit), "%.100s%s", text, lab_answer_unit(question, text));
	if (strlen(text) > 100)
		return why_say(why, -EINVAL, "'%.20s...' is too long for a number", text);
	if (quantity_parse(question->quantity, with_unit, number, why))
		return -EINVAL;
	quantity_format(question->quantity, *number, canonical);
	return 0;
}

static int choice_take(const struct lab_question *question, const char *text, struct why *why)
{
	char list[300] = "";
	size_t used = 0;

	for (const struct yaml_node *node = question->choices->first; node; node = node->next) {
		if (!strcmp(node->text, text))
			return 0;
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", node->text);
	}
	return why_say(why, -EINVAL, "'%.60s' is not one of: %s", text, list);
}

static int path_take(const char *text, char *whole, struct why *why)
{
	struct stat status;

	if (!realpath(text, whole) || stat(whole, &status) || access(whole, R_OK))
		return why_say(why, -EINVAL, "the file '%.200s' cannot be read: %s", text,
			       strerror(errno));
	if (!S_ISREG(status.st_mode))
		return why_say(why, -EINVAL, "'%.200s' is no regular file", text);
	return 0;
}

int lab_answer_take(const struct lab_question *question, const char *text,
		    struct lab_values *values, struct why *why)
{
	char whole[PATH_MAX], canonical[QUANTITY_TEXT_MAX];
	struct lab_value *value;
	const char *put = text;
	uint64_t number = 0;
	int error = 0;

	switch (question->kind) {
	case LAB_NUMBER:
		error = number_take(question, text, canonical, &number, why);
		put = canonical;
		break;
	case LAB_CHOICE:
		error = choice_take(question, text, why);
		break;
	case LAB_PATH:
		error = path_take(text, whole, why);
		put = whole;
		break;
	}
	if (error)
		return error;
	value = lab_values_add(values, question->name, put);
	if (!value)
		return -ENOMEM;
	value->tolerance = question->tolerance;
	value->is_file = question->kind == LAB_PATH;
	value->is_number = question->kind == LAB_NUMBER;
	if (value->is_number) {
		value->kind = question->quantity;
		value->number = number;
		value->one = question->one;
	}
	return 0;
}
