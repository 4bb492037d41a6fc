#include "orchestrator/base/parameter_json.h"

json_t *parameter_json(const struct parameter *row, const void *structure)
{
	uint64_t value = parameter_get(row, structure);

	if (row->words)
		return json_string(row->words[value - row->min]);
	if (row->unit == PARAMETER_UNIT_FLAG)
		return json_boolean(value);
	return json_integer((json_int_t)value);
}

json_t *parameters_json(const struct parameter_table *table, const void *structure)
{
	json_t *json = json_object();
	int error = 0;

	for (size_t r = 0; r < table->count; r++)
		if (table->rows[r].bytes)
			error |= json_object_set_new(json, table->rows[r].field,
						     parameter_json(&table->rows[r], structure));
	if (!error)
		return json;
	json_decref(json);
	return NULL;
}
