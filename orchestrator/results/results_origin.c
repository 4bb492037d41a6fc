#include "orchestrator/results/results_origin.h"

#include <errno.h>

#include "nodes/base/version.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/base/yaml_reader.h"

/* Return: NULL if memory is short. Recursion ends: a scenario has YAML_DEPTH_MAX levels, and
 * settings add a few. */
static json_t *value_json(const struct yaml_node *node)
{
	json_t *value;
	int error = 0;

	if (node->kind == YAML_SCALAR)
		return json_string(node->text);
	value = node->kind == YAML_MAPPING ? json_object() : json_array();
	for (const struct yaml_node *child = node->first; value && child && !error;
	     child = child->next)
		error = node->kind == YAML_MAPPING
				? json_object_set_new(value, child->key, value_json(child))
				: json_array_append_new(value, value_json(child));
	if (!error)
		return value;
	json_decref(value);
	return NULL;
}

static json_t *settings_json(const struct origin *origin)
{
	json_t *array = json_array();
	int error = 0;

	for (uint32_t i = 0; array && i < origin->setting_count && !error; i++)
		error = json_array_append_new(array, json_string(origin->settings[i]));
	if (!error)
		return array;
	json_decref(array);
	return NULL;
}

static int control_put(const struct control_file *control, json_t *object)
{
	char digest[SHA256_TEXT_MAX];

	return json_object_set_new(object, "control", utf8_json(control->name)) |
	       json_object_set_new(object, "control_digest",
				   json_string(sha256_text(&control->digest, digest)));
}

int results_origin_put(const struct origin *origin, json_t *object)
{
	char digest[SHA256_TEXT_MAX];
	int error = json_object_set_new(object, "version", json_string(HEDDLE_VERSION));

	error |= json_object_set_new(object, "digest",
				     origin ? json_string(sha256_text(&origin->digest, digest))
					    : json_null());
	if (origin && origin->control.used)
		error |= control_put(&origin->control, object);
	error |= json_object_set_new(object, "settings",
				     origin ? settings_json(origin) : json_null());
	error |= json_object_set_new(object, "effective",
				     origin && origin->effective ? value_json(origin->effective)
								 : json_null());
	return error ? -ENOMEM : 0;
}
