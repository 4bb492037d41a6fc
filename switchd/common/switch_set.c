#include "switchd/common/switch_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "switchd/common/switch.h"

/* ---- values as text ---- */

static void value_print(const struct parameter *row, uint64_t value, FILE *out)
{
	static const char *const units[PARAMETER_UNIT_COUNT_OF] = {
		[PARAMETER_UNIT_TIME] = " ps",     [PARAMETER_UNIT_RATE] = " b/s",
		[PARAMETER_UNIT_SIZE] = " bytes",  [PARAMETER_UNIT_UNITS] = " units",
		[PARAMETER_UNIT_PERMILLE] = "e-3", [PARAMETER_UNIT_PPM] = "e-6",
		[PARAMETER_UNIT_PPB] = "e-9",
	};

	if (!value && row->zero && *row->zero)
		fputs(row->zero, out);
	else if (row->unit == PARAMETER_UNIT_FLAG)
		fputs(value ? "yes" : "no", out);
	else if (row->unit == PARAMETER_UNIT_WORD)
		fputs(row->words[value - row->min], out);
	else if (row->unit == PARAMETER_UNIT_TIME && value % NODE_NS == 0)
		fprintf(out, "%" PRIu64 " ns", value / NODE_NS);
	else
		fprintf(out, "%" PRIu64 "%s", value, units[row->unit] ? units[row->unit] : "");
}

static void range_print(const struct parameter *row, FILE *out)
{
	if (row->zero && *row->zero)
		fprintf(out, "%s, or ", row->zero);
	if (row->unit != PARAMETER_UNIT_WORD && row->unit != PARAMETER_UNIT_FLAG) {
		value_print(row, row->min, out);
		fputs(" to ", out);
		value_print(row, row->max, out);
		return;
	}
	for (uint64_t value = row->min; value <= row->max; value++) {
		if (value > row->min)
			fputs(value < row->max ? ", " : " or ", out);
		value_print(row, value, out);
	}
}

/* the cells of @value: number or word, unit */
static void value_cells(const struct parameter *row, uint64_t value, FILE *out)
{
	static const char *const units[PARAMETER_UNIT_COUNT_OF] = {
		[PARAMETER_UNIT_RATE] = "b/s",    [PARAMETER_UNIT_SIZE] = "bytes",
		[PARAMETER_UNIT_UNITS] = "units", [PARAMETER_UNIT_PERMILLE] = "permille",
		[PARAMETER_UNIT_PPM] = "ppm",     [PARAMETER_UNIT_PPB] = "ppb",
	};
	bool word = (!value && row->zero && *row->zero) || row->unit == PARAMETER_UNIT_FLAG ||
		    row->unit == PARAMETER_UNIT_WORD;

	if (word)
		value_print(row, value, out);
	else if (row->unit == PARAMETER_UNIT_TIME)
		fprintf(out, "%" PRIu64 ".%06" PRIu64 "\tus", value / NODE_US, value % NODE_US);
	else
		fprintf(out, "%" PRIu64 "\t%s", value, units[row->unit] ? units[row->unit] : "");
}

/* a switch, and where its parameters are printed */
struct printing {
	const struct switch_shell *sw;
	FILE *out;
};

static bool name_print(void *context, const struct parameter_live *live)
{
	FILE *out = ((struct printing *)context)->out;

	fprintf(out, "%s%s (", live->stride ? "[CLASS.]" : "", live->name);
	range_print(live->row, out);
	fputs(")\n", out);
	return true;
}

static bool setting_print(void *context, const struct parameter_live *live)
{
	const struct printing *printing = context;
	const struct switch_shell *sw = printing->sw;
	const char *structure = (const char *)sw + sw->ops->settings->offset + live->offset;
	uint32_t count = live->stride ? sw->class_count : 1;

	for (uint32_t c = 0; c < count; c++) {
		fprintf(printing->out, "%s%s%s\t", live->stride ? sw->config->classes[c].name : "",
			live->stride ? "." : "", live->name);
		value_cells(live->row, parameter_get(live->row, structure + c * live->stride),
			    printing->out);
		fputc('\n', printing->out);
	}
	return true;
}

void switch_show_settings(const void *dataplane, int port, FILE *out)
{
	struct printing printing = { dataplane, out };

	(void)port;
	fputs("name:text\tvalue:any\tunit:text\n", out);
	parameters_live(printing.sw->ops->settings->table, setting_print, &printing);
}

/* ---- all of it or nothing ---- */

/* @number to the fields of @classes; bit 0: the field of a row without classes */
static int fields_set(struct switch_shell *sw, const struct parameter_live *live, uint32_t classes,
		      uint64_t number, struct why *why)
{
	const struct switch_settings *settings = sw->ops->settings;
	char *current = (char *)sw + settings->offset;
	_Alignas(max_align_t) char changed[SWITCH_SETTINGS_BYTES_MAX];
	int error = 0;

	ENSURE(settings->table->bytes, <=, SWITCH_SETTINGS_BYTES_MAX);
	memcpy(changed, current, settings->table->bytes);
	for (; classes; classes &= classes - 1) {
		char *structure =
			changed + live->offset + (size_t)__builtin_ctz(classes) * live->stride;

		parameter_put(live->row, structure, number);
		if (live->row->clears)
			*(uint64_t *)(structure + live->row->clears) = 0;
	}
	if (settings->check)
		error = settings->check(sw, changed, why);
	if (!error)
		memcpy(current, changed, settings->table->bytes);
	return error;
}

static int live_set(struct switch_shell *sw, const struct parameter_live *live, uint32_t classes,
		    const char *value, struct why *why, FILE *out)
{
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && parameter_fits(live->row, number))
		return fields_set(sw, live, classes, number, why);
	fprintf(out, "%.40s is not a value of %s: ", value, live->name);
	range_print(live->row, out);
	return -EINVAL;
}

static bool is_own(const struct switch_settings *settings, const char *name)
{
	size_t length = settings->own_name ? strlen(settings->own_name) : 0;

	return length && !strncmp(name, settings->own_name, length) &&
	       (!name[length] || (name[length] == '.' && name[length + 1]));
}

int switch_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct switch_shell *sw = dataplane;
	const struct switch_settings *settings = sw->ops->settings;
	struct printing printing = { sw, out };
	struct parameter_live live;
	uint32_t classes = node_live_find(settings->table, sw->config, name, &live);
	struct why why = { "" };
	int error;

	if (is_own(settings, name)) {
		error = settings->own_set(sw, name, value, &why);
	} else if (classes) {
		error = live_set(sw, &live, classes, value, &why, out);
	} else {
		parameters_live(settings->table, name_print, &printing);
		if (settings->own_name)
			fprintf(out, "%s\n", settings->own_name);
		return -ENOENT;
	}
	if (error) {
		fprintf(out, "%s\n", why.text);
		return error;
	}
	trace(sw->stats, (struct trace_entry){ .at_ps = sw->stats->now_ps,
					       .kind = TRACE_PARAMETER_SET,
					       .value = strtoul(value, NULL, 10) });
	if (settings->changed)
		settings->changed(sw, sw->stats->now_ps);
	if (sw->config->clock == CLOCK_VIRTUAL) /* what is due earlier; a real turn looks anyway */
		switch_settle(sw, sw->stats->now_ps);
	return 0;
}
