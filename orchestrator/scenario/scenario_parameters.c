#include "orchestrator/scenario/scenario_parameters.h"

#include <string.h>

#include "nodes/base/units.h"

#define KEYS_MAX 64u /* of a mapping */

static const struct key *own_find(const struct parameters_reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->key_count; i++)
		if (!strcmp(reading->keys[i].name, name))
			return &reading->keys[i];
	return NULL;
}

static bool is_row(const struct parameter_table *table, const char *name)
{
	for (size_t r = 0; r < table->count; r++)
		if (table->rows[r].key && !strcmp(table->rows[r].key, name))
			return true;
	return false;
}

/* what follows @group in the key of @row; NULL if that is no key of this mapping itself */
static const char *name_in(const struct parameter *row, const char *group)
{
	size_t length = strlen(group);

	if (!row->key || strncmp(row->key, group, length) != 0 || strchr(row->key + length, '.'))
		return NULL;
	return row->key + length;
}

/* ---- values ---- */

static void mark_given(const struct parameters_reading *reading, const struct parameter *row)
{
	if (reading->given)
		parameter_put(row, reading->given, 1);
}

static void word_read(struct reader *reader, const struct parameter *row,
		      const struct yaml_node *node, void *structure)
{
	int index = key_word_index(reader, node, "a word", row->words, row->max - row->min + 1);

	if (index >= 0)
		parameter_put(row, structure, row->min + (uint64_t)index);
}

/* bytes, rounded up to units */
static void units_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       const struct parameter *row, void *structure)
{
	uint64_t bytes = UINT64_MAX;
	struct key size = { .name = key->name,
			    .bytes = sizeof(bytes),
			    .min = row->min ? (row->min - 1) * UNIT_BYTES + 1 : 0,
			    .max = row->max * UNIT_BYTES };

	key_size(reader, &size, node, &bytes);
	if (bytes != UINT64_MAX)
		parameter_put(row, structure, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
}

static void value_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       const struct parameter *row, void *structure)
{
	static const struct {
		key_read_fn *read;
		uint64_t one;
	} kinds[] = {
		[PARAMETER_UNIT_COUNT] = { key_count, 0 },
		[PARAMETER_UNIT_TIME] = { key_time, 0 },
		[PARAMETER_UNIT_RATE] = { key_rate, 0 },
		[PARAMETER_UNIT_SIZE] = { key_size, 0 },
		[PARAMETER_UNIT_PERMILLE] = { key_share, 1000 },
		[PARAMETER_UNIT_PPM] = { key_share, 1000000 },
		[PARAMETER_UNIT_PPB] = { key_share, 1000000000 },
		[PARAMETER_UNIT_E15] = { key_share, QUANTITY_SHARE_ONE },
		[PARAMETER_UNIT_FLAG] = { key_flag, 0 },
	};
	struct key number = { .name = key->name,
			      .offset = row->offset,
			      .bytes = row->bytes,
			      .min = row->min,
			      .max = row->max };

	if (row->zero && *row->zero && node->kind == YAML_SCALAR &&
	    !strcmp(node->text, row->zero)) {
		parameter_put(row, structure, 0);
	} else if (row->unit == PARAMETER_UNIT_WORD) {
		word_read(reader, row, node, structure);
	} else if (row->unit == PARAMETER_UNIT_UNITS) {
		units_read(reader, key, node, row, structure);
	} else {
		number.one = kinds[row->unit].one;
		number.zero = row->zero && !strcmp(row->zero, "0");
		kinds[row->unit].read(reader, &number, node, structure);
	}
}

bool scenario_parameter_parse(const struct parameter *row, const char *name, const char *text,
			      uint64_t *value, struct scenario_errors *errors)
{
	struct scenario scenario = { .file = (char *)name };
	struct reader reader = { .scenario = &scenario, .errors = errors };
	struct yaml_node node = { .kind = YAML_SCALAR, .key = (char *)name, .text = (char *)text };
	struct parameter field = *row;
	struct key key = { .name = name };

	*value = field.offset = 0;
	value_read(&reader, &key, &node, &field, value);
	*value = parameter_get(&field, value);
	return !errors->count;
}

static void row_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	const struct parameters_reading *reading = key->reading;
	const struct parameter *row = key->row;
	const struct key *own = own_find(reading, row ? row->key : key->name);
	struct parameters_reading inner = *reading;
	char what[PARAMETER_NAME_MAX], group[PARAMETER_NAME_MAX];

	(void)target;
	snprintf(what, sizeof(what), "'%s'", key->name);
	if (own) {
		own->read(reader, own, node, reading->target);
	} else if (row->unit == PARAMETER_UNIT_KEY) {
		snprintf(group, sizeof(group), "%s.", row->key);
		inner.group = group;
		inner.also = NULL;
		scenario_parameters_read(reader, node, what, &inner);
	} else if (row->unit == PARAMETER_UNIT_TABLE) {
		inner = (struct parameters_reading){
			.table = row->table,
			.structure = (char *)reading->structure + row->offset,
			.given = reading->given ? (char *)reading->given + row->offset : NULL,
		};
		scenario_parameters_read(reader, node, what, &inner);
	} else {
		value_read(reader, key, node, row, reading->structure);
		mark_given(reading, row);
	}
}

/* ---- mappings ---- */

/* adds the keys of @reading to the @count that @keys has. Return: their new number */
static size_t keys_add(const struct parameters_reading *reading, struct key keys[KEYS_MAX],
		       size_t count)
{
	const char *group = reading->group ? reading->group : "";

	for (size_t i = 0; i < reading->key_count && !*group; i++)
		if (!is_row(reading->table, reading->keys[i].name))
			keys[count++] = (struct key){ .name = reading->keys[i].name,
						      .read = row_read,
						      .required = reading->keys[i].required,
						      .reading = reading };
	for (size_t r = 0; r < reading->table->count && count < KEYS_MAX; r++) {
		const struct parameter *row = &reading->table->rows[r];
		const char *name = name_in(row, group);

		if (name)
			keys[count++] = (struct key){ .name = name,
						      .read = row_read,
						      .required = row->required,
						      .row = row,
						      .reading = reading };
	}
	return count;
}

void scenario_parameters_read(struct reader *reader, const struct yaml_node *mapping,
			      const char *what, const struct parameters_reading *reading)
{
	struct key keys[KEYS_MAX];
	size_t count = 0;

	for (const struct parameters_reading *each = reading; each; each = each->also)
		count = keys_add(each, keys, count);
	if (!keys[0].row || !parameter_is_switch(keys[0].row)) {
		keys_read(reader, mapping, what, keys, count, reading->structure);
		return;
	}
	if (mapping->kind == YAML_MAPPING && keys[0].row->unit == PARAMETER_UNIT_FLAG) {
		parameter_put(keys[0].row, reading->structure, true);
		mark_given(reading, keys[0].row);
	}
	keys_read_mechanism(reader, mapping, what, keys, count, reading->structure);
}
