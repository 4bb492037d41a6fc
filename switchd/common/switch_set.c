#include "switchd/common/switch_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "switchd/common/switch.h"

const char *const switch_on_off[] = { "off", "on", NULL };
const char *const switch_yes_no[] = { "no", "yes", NULL };

/* ---- the list of parameters ---- */

static void words_print(const char *const *words, FILE *out)
{
	for (uint32_t i = 0; words[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", words[i]);
}

/* " (VALUES)" */
static void values_print(const struct switch_parameter *row, FILE *out)
{
	static const char *const units[] = { [PARAMETER_BYTES] = "bytes",
					     [PARAMETER_NS] = "ns",
					     [PARAMETER_US] = "us",
					     [PARAMETER_OWN] = NULL };
	const char *unit = row->unit ? row->unit : units[row->kind];

	fputs(" (", out);
	if (row->kind == PARAMETER_FLAG)
		fprintf(out, "%s, %s", row->words[true], row->words[false]);
	else if (row->kind == PARAMETER_CHOICE)
		words_print(row->words, out);
	else if (row->kind == PARAMETER_OWN)
		fputs(row->values, out);
	else
		fprintf(out, "%" PRIu64 "..%" PRIu64 "%s%s", row->min, row->max, unit ? " " : "",
			unit ? unit : "");
	fputc(')', out);
}

static void parameters_print(const struct switch_parameter *row, FILE *out)
{
	for (; row->name; row++) {
		fprintf(out, "%s%s", row->class_bytes ? "[CLASS.]" : "", row->name);
		values_print(row, out);
		fputc('\n', out);
	}
}

/* ---- names and values ---- */

/* set of the classes for which @name means parameter @row, bit 0 if the row has no classes; 0: it
 * means another one */
static uint32_t classes_of(const struct switch_shell *sw, const struct switch_parameter *row,
			   const char *name)
{
	size_t length = strcspn(name, ".");

	if (!strcmp(name, row->name))
		return row->class_bytes ? (1u << sw->class_count) - 1 : 1;
	if (row->kind == PARAMETER_OWN)
		return !strncmp(name, row->name, length) && !row->name[length] && name[length];
	for (uint32_t c = 0; row->class_bytes && name[length] && c < sw->class_count; c++) {
		const char *class = sw->config->classes[c].name;

		if (strlen(class) == length && !strncmp(name, class, length) &&
		    !strcmp(name + length + 1, row->name))
			return 1u << c;
	}
	return 0;
}

/* @value as a number: of a word, its place in the list */
static int value_parse(const struct switch_parameter *row, const char *value, uint64_t *number)
{
	char *end;

	for (*number = 0; row->words; ++*number) {
		if (!row->words[*number])
			return -EINVAL;
		if (!strcmp(row->words[*number], value))
			return 0;
	}
	errno = 0;
	*number = strtoull(value, &end, 10);
	return *value < '0' || *value > '9' || *end || errno || *number < row->min ||
			       *number > row->max
		       ? -EINVAL
		       : 0;
}

static void member_store(const struct switch_parameter *row, char *member, uint64_t number)
{
	switch (row->kind) {
	case PARAMETER_FLAG:
		*(bool *)member = number;
		break;
	case PARAMETER_NUMBER:
	case PARAMETER_CHOICE:
		*(uint32_t *)member = (uint32_t)number;
		break;
	case PARAMETER_BYTES:
		*(uint64_t *)member = number;
		break;
	case PARAMETER_NS:
		*(node_time_t *)member = number * NODE_NS;
		break;
	case PARAMETER_US:
		*(node_time_t *)member = number * NODE_US;
		break;
	case PARAMETER_OWN:
		break;
	}
}

/* ---- all of it or nothing ---- */

static int members_set(struct switch_shell *sw, const struct switch_parameter *row,
		       uint32_t classes, uint64_t number, char *why, size_t why_max)
{
	const struct switch_settings *settings = sw->ops->settings;
	char *current = (char *)sw + settings->offset;
	_Alignas(max_align_t) char changed[SWITCH_SETTINGS_BYTES_MAX];
	int error = 0;

	ENSURE(settings->bytes, <=, SWITCH_SETTINGS_BYTES_MAX);
	memcpy(changed, current, settings->bytes);
	for (; classes; classes &= classes - 1) {
		char *of_class = changed + (size_t)__builtin_ctz(classes) * row->class_bytes;

		member_store(row, of_class + row->offset, number);
		if (row->clears)
			*(uint64_t *)(of_class + row->clears) = 0;
	}
	if (settings->check)
		error = settings->check(sw, changed, why, why_max);
	if (!error)
		memcpy(current, changed, settings->bytes);
	return error;
}

static int parameter_set(struct switch_shell *sw, const struct switch_parameter *row,
			 const char *name, const char *value, FILE *out)
{
	char why[240] = "";
	uint64_t number;
	int error;

	if (row->kind == PARAMETER_OWN) {
		error = row->set(sw, name, value, why, sizeof(why));
	} else if (value_parse(row, value, &number)) {
		fprintf(out, "%.40s is not a value of %s", value, name);
		values_print(row, out);
		fputs(row->words ? "\n" : "; numbers are whole and have no unit\n", out);
		return -EINVAL;
	} else {
		error = members_set(sw, row, classes_of(sw, row, name), number, why, sizeof(why));
	}
	if (error)
		fprintf(out, "%s\n", why);
	else if (sw->ops->settings->changed)
		sw->ops->settings->changed(sw, sw->stats->now_ps);
	return error;
}

int switch_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct switch_shell *sw = dataplane;
	const struct switch_parameter *row = sw->ops->settings->parameters;
	int error = -ENOENT;

	trace(sw->stats, sw->stats->now_ps, TRACE_PARAMETER_SET, 0, 0,
	      (uint32_t)strtoul(value, NULL, 10));
	while (row->name && !classes_of(sw, row, name))
		row++;
	if (row->name)
		error = parameter_set(sw, row, name, value, out);
	if (error)
		parameters_print(sw->ops->settings->parameters, out);
	return error;
}
