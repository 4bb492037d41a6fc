#include "orchestrator/scenario/parameter_text.h"

#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/units.h"
#include "nodes/config/config.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/scenario/scenario_host_keys.h"
#include "orchestrator/scenario/scenario_link.h"
#include "orchestrator/scenario/scenario_run.h"
#include "orchestrator/scenario/scenario_workload.h"

#define TEXT_MAX 512u /* a range or a default */
#define PATH_MAX_BYTES 128u

static const struct section {
	const char *name;
	const struct parameter_table *table;
	bool list; /* its keys are those of an element */
} sections[] = {
	{ "run", &run_parameters, false },
	{ "links", &link_parameters, false },
	{ "links", &links_parameters, false },
	{ "switch", &switch_parameters, false },
	{ "congestion", &congestion_parameters, false },
	{ "congestion.settings", &congestion_setting_parameters, true },
	{ "roce", &roce_parameters, false },
	{ "classes", &class_parameters, true },
	{ "classes", &roce_class_parameters, true },
	{ "workloads", &scenario_workload_parameters, true },
	{ "pauses", &pause_parameters, true },
	{ "routing", &routing_parameters, false },
	{ "port-group", &port_group_parameters, false },
	{ "nic", &nic_parameters, false },
	{ "hosts", &host_parameters, true },
};

/* one key, with its whole path */
struct entry {
	char path[PATH_MAX_BYTES];
	const struct parameter *row;
	char range[TEXT_MAX], initial[TEXT_MAX];
};

typedef void entry_fn(const struct entry *entry, void *context);

/* ---- values ---- */

static const struct {
	enum quantity_kind kind;
	uint64_t one;     /* of the kind, for 1 of the field */
	const char *step; /* of a share */
} kinds[] = {
	[PARAMETER_UNIT_COUNT] = { QUANTITY_COUNT, 1, "" },
	[PARAMETER_UNIT_TIME] = { QUANTITY_TIME, 1, "" },
	[PARAMETER_UNIT_RATE] = { QUANTITY_RATE, 1, "" },
	[PARAMETER_UNIT_SIZE] = { QUANTITY_BYTES, 1, "" },
	[PARAMETER_UNIT_UNITS] = { QUANTITY_BYTES, UNIT_BYTES, "" },
	[PARAMETER_UNIT_PERMILLE] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000,
				      ", in steps of 0.1%" },
	[PARAMETER_UNIT_PPM] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000,
				 ", in steps of 10^-6" },
	[PARAMETER_UNIT_PPB] = { QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000000,
				 ", in steps of 10^-9" },
	[PARAMETER_UNIT_E15] = { QUANTITY_SHARE, 1, ", in steps of 10^-15" },
};

static void words_print(const struct parameter *row, char *text)
{
	size_t used = 0;

	for (uint64_t i = 0; i <= row->max - row->min && used < TEXT_MAX; i++)
		used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s`%s`", i ? ", " : "",
					 row->words[i]);
}

static const char *number(const struct parameter *row, uint64_t value, char *text)
{
	if (row->unit == PARAMETER_UNIT_UNITS && value == 1)
		return "1B"; /* rounded up */
	return value ? quantity_format(kinds[row->unit].kind, value * kinds[row->unit].one, text)
		     : "0";
}

static void range_make(const struct parameter *row, char *text)
{
	char min[QUANTITY_TEXT_MAX], max[QUANTITY_TEXT_MAX];
	bool word = row->zero && *row->zero;

	if (row->range_text)
		snprintf(text, TEXT_MAX, "%s", row->range_text);
	else if (row->unit == PARAMETER_UNIT_FLAG)
		snprintf(text, TEXT_MAX, "flag");
	else if (row->unit == PARAMETER_UNIT_WORD)
		words_print(row, text);
	else
		snprintf(text, TEXT_MAX, "%s .. %s%s%s%s%s", number(row, row->min, min),
			 number(row, row->max, max), kinds[row->unit].step, word ? ", `" : "",
			 word ? row->zero : "", word ? "`" : "");
}

const char *parameter_value(const struct parameter *row, uint64_t value, char *text)
{
	if (row->unit == PARAMETER_UNIT_FLAG)
		return value ? "yes" : "no";
	if (row->unit == PARAMETER_UNIT_WORD)
		return row->words[value - row->min];
	if (!value && row->zero && *row->zero)
		return row->zero;
	return number(row, value, text);
}

static void initial_make(const struct parameter *row, char *text)
{
	char value[QUANTITY_TEXT_MAX];

	if (row->required)
		snprintf(text, TEXT_MAX, "required");
	else if (row->initial_text)
		snprintf(text, TEXT_MAX, "%s", row->initial_text);
	else if (!row->initial && row->zero)
		snprintf(text, TEXT_MAX, "%s", row->zero);
	else
		snprintf(text, TEXT_MAX, "%s", parameter_value(row, row->initial, value));
}

/* ---- keys ---- */

/* a mapping of keys that are rows of @inner; a mechanism can be turned off as a whole */
static void mapping_make(const struct parameter *row, const struct parameter *first,
			 struct entry *entry)
{
	bool mechanism = parameter_is_switch(first);

	snprintf(entry->range, TEXT_MAX, "%s",
		 row->range_text && *row->range_text ? row->range_text
		 : mechanism                         ? "yes, no, or the keys below"
						     : "the keys below");
	if (row->initial_text || row->required)
		initial_make(row, entry->initial);
	else if (mechanism)
		initial_make(first, entry->initial);
}

static void each_key(const struct parameter_table *table, const char *place, entry_fn *fn,
		     void *context)
{
	for (size_t r = 0; r < table->count; r++) {
		const struct parameter *row = &table->rows[r];
		struct entry entry = { .row = row };

		if (!row->key || (!row->help && row->unit != PARAMETER_UNIT_TABLE))
			continue;
		snprintf(entry.path, sizeof(entry.path), "%s.%s", place, row->key);
		if (row->unit == PARAMETER_UNIT_TABLE) {
			mapping_make(row, row->table->rows, &entry);
		} else if (row->unit == PARAMETER_UNIT_KEY) {
			mapping_make(row, r + 1 < table->count ? row + 1 : row, &entry);
		} else {
			range_make(row, entry.range);
			initial_make(row, entry.initial);
		}
		fn(&entry, context);
		if (row->unit == PARAMETER_UNIT_TABLE)
			each_key(row->table, entry.path, fn, context);
	}
}

struct search {
	const char *path;
	FILE *out;
	bool found;
};

static void help_print(const struct entry *entry, void *context)
{
	struct search *search = context;
	size_t length = strlen(search->path);

	if (strncmp(entry->path, search->path, length) != 0 ||
	    (length && entry->path[length] && entry->path[length] != '.'))
		return;
	search->found = true;
	fprintf(search->out, "%s\n  %s\n  range    %s\n  default  %s\n", entry->path,
		entry->row->help, entry->range, entry->initial);
}

bool parameter_help(const char *path, FILE *out)
{
	struct search search = { .path = path, .out = out };

	for (size_t i = 0; i < COUNT_OF(sections); i++)
		each_key(sections[i].table, sections[i].name, help_print, &search);
	return search.found;
}

struct nearest {
	const char *path;
	char found[TEXT_MAX];
	unsigned distance;
};

static void nearest_take(const struct entry *entry, void *context)
{
	struct nearest *nearest = context;
	const char *word = entry->path;
	unsigned distance = suggest_distance(nearest->path, word);

	if (!suggest_nearest(nearest->path, &word, 1, sizeof(word)) ||
	    (*nearest->found && distance >= nearest->distance))
		return;
	nearest->distance = distance;
	snprintf(nearest->found, sizeof(nearest->found), "%s", word);
}

const char *parameter_hint(const char *path, char *out, size_t out_max)
{
	struct nearest nearest = { .path = path };
	const char *word = nearest.found;

	for (size_t i = 0; i < COUNT_OF(sections); i++)
		each_key(sections[i].table, sections[i].name, nearest_take, &nearest);
	return suggest_sentence(path, &word, *word ? 1 : 0, sizeof(word), out, out_max);
}

const char *parameter_section_of(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(sections); i++)
		for (size_t r = 0; !sections[i].list && r < sections[i].table->count; r++)
			if (sections[i].table->rows[r].key &&
			    !strcmp(sections[i].table->rows[r].key, word))
				return sections[i].name;
	return NULL;
}
