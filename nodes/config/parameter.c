#include "nodes/config/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t parameter_get(const struct parameter *row, const void *structure)
{
	const void *field = (const char *)structure + row->offset;

	if (row->bytes == sizeof(uint64_t))
		return *(const uint64_t *)field;
	return row->bytes == sizeof(uint32_t) ? *(const uint32_t *)field : *(const bool *)field;
}

void parameter_put(const struct parameter *row, void *structure, uint64_t value)
{
	void *field = (char *)structure + row->offset;

	if (row->bytes == sizeof(uint64_t))
		*(uint64_t *)field = value;
	else if (row->bytes == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)value;
	else
		*(bool *)field = value;
}

bool parameter_fits(const struct parameter *row, uint64_t value)
{
	return (value >= row->min && value <= row->max) || (!value && row->zero);
}

bool parameters_each(const struct parameter_table *table, const char *place, void *structure,
		     parameter_fn *fn, void *context)
{
	char text[PARAMETER_NAME_MAX], *name = place ? text : NULL;

	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];

		if (row->unit == PARAMETER_UNIT_KEY)
			continue;
		if (name)
			snprintf(text, sizeof(text), "%s%s", place, row->field);
		if (row->unit != PARAMETER_UNIT_TABLE && !fn(context, name, row, structure))
			return false;
		for (uint32_t i = 0; row->table && i < (row->count ? row->count : 1); i++) {
			if (name && row->count)
				snprintf(text, sizeof(text), "%s%s[%" PRIu32 "].", place,
					 row->field, i);
			else if (name)
				snprintf(text, sizeof(text), "%s%s.", place, row->field);
			if (!parameters_each(row->table, name,
					     (char *)structure + row->offset +
						     i * row->table->bytes,
					     fn, context))
				return false;
		}
	}
	return true;
}

static bool default_put(void *context, const char *name, const struct parameter *row,
			void *structure)
{
	(void)context;
	(void)name;
	parameter_put(row, structure, row->initial == PARAMETER_DERIVED ? 0 : row->initial);
	return true;
}

void parameters_default(const struct parameter_table *table, void *structure)
{
	parameters_each(table, NULL, structure, default_put, NULL);
}

void parameters_take(const struct parameter_table *table, void *to, const void *from,
		     const void *given)
{
	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];

		if (row->bytes && (row->initial != PARAMETER_DERIVED || parameter_get(row, given)))
			parameter_put(row, to, parameter_get(row, from));
	}
}

bool parameters_equal(const struct parameter_table *table, const void *a, const void *b)
{
	for (size_t r = 0; r < table->count; r++)
		if (table->rows[r].bytes &&
		    parameter_get(&table->rows[r], a) != parameter_get(&table->rows[r], b))
			return false;
	return true;
}

/* the key of @row without the name of a mechanism's switch: "inputs" for "inputs.enabled" */
static int live_name_length(const struct parameter *row, const char *name)
{
	const char *dot = parameter_is_switch(row) ? strrchr(name, '.') : NULL;

	return (int)(dot ? dot - name : (ptrdiff_t)strlen(name));
}

static bool live_each(const struct parameter_table *table, const struct parameter_live *outer,
		      parameter_live_fn *fn, void *context)
{
	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];
		const char *name = row->key ? row->key : row->field;
		struct parameter_live live = *outer;
		size_t used = strlen(outer->name);

		live.row = row;
		if (row->live || (row->table && !row->count))
			snprintf(live.name + used, sizeof(live.name) - used, "%.*s%s",
				 live_name_length(row, name), name, row->table ? "." : "");
		if (row->live && !fn(context, &live))
			return false;
		if (!row->table)
			continue;
		live.offset += row->offset;
		live.stride = row->count ? row->table->bytes : 0;
		if (!live_each(row->table, &live, fn, context))
			return false;
	}
	return true;
}

bool parameters_live(const struct parameter_table *table, parameter_live_fn *fn, void *context)
{
	const struct parameter_live outermost = { .name = "" };

	return live_each(table, &outermost, fn, context);
}

static bool fits(void *context, const char *name, const struct parameter *row, void *structure)
{
	(void)context;
	(void)name;
	return parameter_fits(row, parameter_get(row, structure));
}

static bool check_one(void *why, const char *name, const struct parameter *row, void *structure)
{
	if (fits(NULL, name, row, structure))
		return true;
	return why_say(why, false, "%s is %" PRIu64 ", it must be %s%" PRIu64 "..%" PRIu64, name,
		       parameter_get(row, structure), row->zero ? "0 or " : "", row->min, row->max);
}

int parameters_check(const struct parameter_table *table, const char *place, const void *structure,
		     struct why *why)
{
	void *read_only = (void *)structure; /* nothing is written to it */

	/* names cost much more than checks, and are for a refusal only */
	if (parameters_each(table, NULL, read_only, fits, NULL))
		return 0;
	return parameters_each(table, place, read_only, check_one, why) ? 0 : -EINVAL;
}
