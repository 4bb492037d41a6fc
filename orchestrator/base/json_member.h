/*  json_member - members of a JSON object, read and put. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_JSON_MEMBER_H
#define HEDDLE_ORCHESTRATOR_BASE_JSON_MEMBER_H

#include <jansson.h>
#include <stdint.h>

/** member_text() - the text of @key, borrowed from @object; "" if it is missing or no text. */
static inline const char *member_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/** member_number() - the integer of @key; 0 if it is missing or no integer. */
static inline json_int_t member_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/** member_put() - @value as @key of @object. */
static inline void member_put(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

#endif
