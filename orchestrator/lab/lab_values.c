#include "orchestrator/lab/lab_values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/lab/lab_text.h"

#define TOLERANCE ".tolerance"

/* ---- placeholders ---- */

/* the placeholder that begins with the '{' at @text + @at; false: this is none */
static bool placeholder_read(const char *text, size_t at, struct lab_placeholder *found)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *name = text + at + 1, *rest;
	size_t length = islower((unsigned char)*name) ? strspn(name, letters) : 0;

	if (!length || length >= LAB_NAME_MAX)
		return false;
	*found = (struct lab_placeholder){ .at = at };
	memcpy(found->name, name, length);
	rest = name + length;
	if (!strncmp(rest, TOLERANCE, sizeof(TOLERANCE) - 1)) {
		found->tolerance = true;
		rest += sizeof(TOLERANCE) - 1;
	} else if (*rest && strchr("+-*", *rest) && isdigit((unsigned char)rest[1])) {
		size_t digits = strspn(rest + 1, "0123456789");

		if (digits > 18)
			return false;
		found->operation = *rest;
		found->operand = strtoull(rest + 1, NULL, 10);
		rest += 1 + digits;
	}
	found->length = (size_t)(rest - text) + 1 - at;
	return *rest == '}';
}

bool lab_placeholder_find(const char *text, size_t from, struct lab_placeholder *found)
{
	for (const char *at = text + from; (at = strchr(at, '{')); at++)
		if (placeholder_read(text, (size_t)(at - text), found))
			return true;
	return false;
}

/* ---- values ---- */

struct lab_value *lab_values_add(struct lab_values *values, const char *name, const char *text)
{
	struct lab_value *value = &values->list[values->count];
	struct why why;

	if (values->count == LAB_VALUES_MAX)
		return NULL;
	*value = (struct lab_value){ .text = strdup(text), .kind = QUANTITY_COUNT, .one = 1 };
	if (!value->text)
		return NULL;
	snprintf(value->name, sizeof(value->name), "%s", name);
	value->is_number = !quantity_parse(QUANTITY_COUNT, text, &value->number, &why);
	values->count++;
	return value;
}

const struct lab_value *lab_values_find(const struct lab_values *values, const char *name)
{
	for (uint32_t i = 0; i < values->count; i++)
		if (!strcmp(values->list[i].name, name))
			return &values->list[i];
	return NULL;
}

void lab_values_free(struct lab_values *values)
{
	for (uint32_t i = 0; i < values->count; i++)
		free(values->list[i].text);
	*values = (struct lab_values){ 0 };
}

/* ---- expansion ---- */

/* the number of @placeholder, which has an operation; false: a sentence in @why */
static bool operate(const struct lab_value *value, const struct lab_placeholder *placeholder,
		    uint64_t *number, struct why *why)
{
	uint64_t change;
	bool outside;

	if (!value->is_number)
		return why_say(why, false, "'%s' is no number, so '%c' has no meaning", value->name,
			       placeholder->operation);
	if (placeholder->operation == '*') {
		outside = __builtin_mul_overflow(value->number, placeholder->operand, number);
	} else {
		outside = __builtin_mul_overflow(placeholder->operand, value->one, &change);
		if (placeholder->operation == '+')
			outside |= __builtin_add_overflow(value->number, change, number);
		else
			outside |= __builtin_sub_overflow(value->number, change, number);
	}
	return !outside || why_say(why, false, "%s = %s is too %s here", value->name, value->text,
				   placeholder->operation == '-' ? "small" : "large");
}

static bool placeholder_put(const struct lab_values *values,
			    const struct lab_placeholder *placeholder, bool yaml, FILE *out,
			    struct why *why)
{
	const struct lab_value *value = lab_values_find(values, placeholder->name);
	char text[QUANTITY_TEXT_MAX];
	uint64_t number = 0;

	if (!value || (placeholder->tolerance && !value->tolerance))
		return why_say(why, false, "there is no %s '%s'", value ? "tolerance of" : "value",
			       placeholder->name);
	if (placeholder->tolerance) {
		fputs(value->tolerance, out);
	} else if (placeholder->operation) {
		if (!operate(value, placeholder, &number, why))
			return false;
		fputs(quantity_format(value->kind, number, text), out);
	} else if (value->is_file && yaml) {
		lab_text_quote(value->text, out);
	} else {
		fputs(value->text, out);
	}
	return true;
}

char *lab_values_expand(const struct lab_values *values, const char *text, bool yaml,
			struct why *why)
{
	struct lab_placeholder placeholder;
	size_t from = 0, size;
	char *result = NULL;
	FILE *out = open_memstream(&result, &size);
	bool fine = out;

	why_say(why, 0, "not enough memory");
	while (fine && lab_placeholder_find(text, from, &placeholder)) {
		fwrite(text + from, 1, placeholder.at - from, out);
		fine = placeholder_put(values, &placeholder, yaml, out, why);
		from = placeholder.at + placeholder.length;
	}
	if (fine)
		fputs(text + from, out);
	if (out && fclose(out))
		fine = false;
	if (!fine) {
		free(result);
		result = NULL;
	}
	return result;
}
