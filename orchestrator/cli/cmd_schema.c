/*  cmd_schema - `heddle schema`: what `--json` of each command prints, as JSON Schema (DU-10). */
#include "orchestrator/cli/cmd_schema.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/options.h"
#include "orchestrator/cli/schema.h"

#define NAMES_MAX 64u

struct request {
	bool fields, json;
	const char *folder;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_FLAG("--fields", AT(fields), "its keys as a table: type, unit, meaning"),
	OPTION_TEXT("--write", "DIR", AT(folder), "all of them as files DIR/NAME.json"),
	OPTION_FLAG("--json", AT(json), "the list, for programs"),
};

static const struct command_words words = {
	"schema",
	"usage: heddle schema [NAME] [options]\n"
	"Prints the JSON Schema (draft 2020-12) of what 'heddle NAME --json' prints; without a "
	"NAME\n"
	"a list of all. A schema has a version. Within a version keys are added, never changed or\n"
	"removed (docs/json.md).\n",
	"exit status: 0 fine, 2 wrong usage, or DIR cannot be written\n",
	OPTIONS(options),
	OPERANDS("name", 0, 1),
};

/* ---- the commands that print JSON ---- */

static json_t *asked; /* the list that command_take() extends */

/* lab check -> lab-check */
static void name_of(const char *command, char *name, size_t max)
{
	snprintf(name, max, "%s", command);
	for (char *space = name; *space; space++)
		*space = *space == ' ' ? '-' : *space;
}

static void command_take(const struct command_words *command)
{
	char name[64];

	name_of(command->name, name, sizeof(name));
	for (unsigned i = 0; i < command->option_count; i++)
		if (!strcmp(command->options[i].name, "--json"))
			json_array_append_new(asked, json_string(name));
}

/* names of the schemas that the commands need */
static json_t *needed_list(const struct command *commands, size_t count)
{
	asked = json_array();
	commands_words_each(commands, count, command_take);
	return asked;
}

/* @name of @schemas, for the list; without version and about if there is none */
static json_t *entry_make(const json_t *schemas, const char *name)
{
	const json_t *schema = json_object_get(schemas, name);
	json_t *entry = json_pack("{s:s}", "name", name);

	json_object_set(entry, "version", json_object_get(schema, "version"));
	json_object_set(entry, "id", json_object_get(schema, "$id"));
	json_object_set(entry, "about", json_object_get(schema, "description"));
	return entry;
}

/* ---- output ---- */

static int list_print(const json_t *schemas, const json_t *needed, bool json)
{
	json_t *list = json_array(), *entry;
	const json_t *name;
	size_t i;

	json_array_foreach (needed, i, name) {
		entry = entry_make(schemas, json_string_value(name));
		json_array_append_new(list, entry);
		if (!json)
			printf("%-10s version %lld  %s\n", json_string_value(name),
			       (long long)member_number(entry, "version"),
			       member_text(entry, "about"));
	}
	if (json)
		client_json_print(list);
	json_decref(list);
	return 0;
}

static int one_print(const json_t *schemas, const char *word, bool fields)
{
	const char *names[NAMES_MAX], *name;
	char hint[128];
	json_t *schema;
	size_t count = 0;

	schema = json_object_get(schemas, word);
	if (schema && fields)
		schema_fields_print(schema, stdout);
	else if (schema)
		client_json_print(schema);
	if (schema)
		return 0;
	json_object_foreach ((json_t *)schemas, name, schema)
		if (count < NAMES_MAX)
			names[count++] = name;
	suggest_sentence(word, names, count, sizeof(*names), hint, sizeof(hint));
	return options_wrong("schema", "there is no schema '%s'%s; 'heddle schema' lists them",
			     word, hint);
}

static int all_write(const json_t *schemas, const char *folder)
{
	int error = atomic_file_folder(folder);
	const char *name;
	json_t *schema;

	if (error)
		return options_wrong("schema", "cannot make the folder %s: %s", folder,
				     strerror(-error));
	json_object_foreach ((json_t *)schemas, name, schema) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s.json", folder, name);
		errno = 0;
		if (json_dump_file(schema, path, JSON_INDENT(2)))
			return options_wrong("schema", "cannot write %s: %s", path,
					     strerror(errno));
	}
	return 0;
}

int cmd_schema(const struct command *commands, size_t count, int argc, char **argv)
{
	struct request request = { 0 };
	int operands, status = options_read(&words, argc, argv, &request, &operands);
	json_t *schemas, *needed;
	struct why why;

	if (status >= 0)
		return status;
	schemas = schema_read(schema_text, schema_length, &why);
	if (!schemas)
		return options_wrong("schema", "%s", why.text);
	needed = needed_list(commands, count);
	if (request.folder)
		status = all_write(schemas, request.folder);
	else if (operands)
		status = one_print(schemas, argv[1], request.fields);
	else
		status = list_print(schemas, needed, request.json);
	json_decref(needed);
	json_decref(schemas);
	return status;
}
