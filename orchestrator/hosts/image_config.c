#include "orchestrator/hosts/image_config.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/json_member.h"

struct reading {
	struct why *why;
	int error;
};

/* the first mistake counts */
static void __attribute__((format(printf, 2, 3)))
refuse(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	if (reading->error)
		return;
	reading->error = -EINVAL;
	va_start(arguments, format);
	vsnprintf(reading->why->text, sizeof(reading->why->text), format, arguments);
	va_end(arguments);
}

static char *text_keep(struct reading *reading, const char *text)
{
	char *copy = strdup(text);

	if (!copy && !reading->error)
		reading->error = -ENOMEM;
	return copy;
}

/* a list of texts; missing or null: an empty one */
static size_t list_check(struct reading *reading, const json_t *list, const char *key)
{
	const json_t *element;
	size_t i;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || json_array_size(list) > IMAGE_WORDS_MAX) {
		refuse(reading, "its %s is no list of at most %u texts", key, IMAGE_WORDS_MAX);
		return 0;
	}
	json_array_foreach (list, i, element)
		if (!json_is_string(element))
			refuse(reading, "element %zu of its %s is no text", i + 1, key);
	return reading->error ? 0 : json_array_size(list);
}

/* the elements of two lists; @second may be NULL */
static char **list_join(struct reading *reading, const json_t *config, const char *first,
			const char *second)
{
	const json_t *lists[2] = { json_object_get(config, first),
				   second ? json_object_get(config, second) : NULL };
	size_t counts[2] = { list_check(reading, lists[0], first),
			     list_check(reading, lists[1], second ? second : "") };
	char **joined = calloc(counts[0] + counts[1] + 1, sizeof(*joined));
	size_t at = 0;

	if (!joined && !reading->error)
		reading->error = -ENOMEM;
	for (unsigned l = 0; l < 2 && joined; l++)
		for (size_t i = 0; i < counts[l] && !reading->error; i++)
			joined[at++] =
				text_keep(reading, json_string_value(json_array_get(lists[l], i)));
	return joined;
}

/* a text; missing or null: "" */
static char *member_keep(struct reading *reading, const json_t *config, const char *key)
{
	const json_t *value = json_object_get(config, key);

	if (value && !json_is_null(value) && !json_is_string(value))
		refuse(reading, "its %s is no text", key);
	return text_keep(reading, json_is_string(value) ? json_string_value(value) : "");
}

/* it becomes the name of a folder. Docker writes the name of the hash before it. */
static void id_read(struct reading *reading, const json_t *image, struct image_config *config)
{
	const char *id = json_string_value(json_object_get(image, "Id"));

	if (id && !strncmp(id, "sha256:", 7))
		id += 7;
	if (!id || strlen(id) != IMAGE_ID_DIGITS ||
	    strspn(id, "0123456789abcdef") != IMAGE_ID_DIGITS)
		refuse(reading, "its ID is not %u hexadecimal digits", IMAGE_ID_DIGITS);
	else
		memcpy(config->id, id, IMAGE_ID_DIGITS + 1);
}

static void values_check(struct reading *reading, const struct image_config *config)
{
	for (char **variable = config->variables; variable && *variable; variable++)
		if (**variable == '=' || !strchr(*variable, '='))
			refuse(reading, "'%.60s' of its Env is no variable", *variable);
	if (config->folder && *config->folder && *config->folder != '/')
		refuse(reading, "its WorkingDir '%.60s' is not absolute", config->folder);
	if (config->command && *config->command && !**config->command)
		refuse(reading, "the first word of its Entrypoint or Cmd is empty");
}

static void image_read(struct reading *reading, const json_t *image, struct image_config *config)
{
	const json_t *said = json_object_get(image, "Config"), *os = json_object_get(image, "Os");
	json_int_t bytes = member_number(image, "Size");

	id_read(reading, image, config);
	if (said && !json_is_null(said) && !json_is_object(said))
		refuse(reading, "its Config is no object");
	if (json_is_string(os) && strcmp(json_string_value(os), "linux") != 0)
		refuse(reading, "it is for '%.40s', not for linux", json_string_value(os));
	config->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	config->command = list_join(reading, said, "Entrypoint", "Cmd");
	config->variables = list_join(reading, said, "Env", NULL);
	config->user = member_keep(reading, said, "User");
	config->folder = member_keep(reading, said, "WorkingDir");
	values_check(reading, config);
}

int image_config_read(const char *text, size_t length, struct image_config *config, struct why *why)
{
	struct reading reading = { why, 0 };
	json_error_t wrong;
	json_t *all = json_loadb(text, length, 0, &wrong);

	*config = (struct image_config){ 0 };
	if (!all)
		refuse(&reading, "what podman says of it is no JSON: %s, line %d", wrong.text,
		       wrong.line);
	else if (!json_is_array(all) || json_array_size(all) != 1 ||
		 !json_is_object(json_array_get(all, 0)))
		refuse(&reading, "what podman says of it is not about one image");
	else
		image_read(&reading, json_array_get(all, 0), config);
	json_decref(all);
	if (reading.error)
		image_config_free(config);
	return reading.error;
}

static void list_free(char **list)
{
	for (char **text = list; text && *text; text++)
		free(*text);
	free(list);
}

void image_config_free(struct image_config *config)
{
	list_free(config->command);
	list_free(config->variables);
	free(config->user);
	free(config->folder);
	*config = (struct image_config){ 0 };
}
