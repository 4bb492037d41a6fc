#include "orchestrator/cli/schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/stats/stats.h"
#include "orchestrator/base/embed.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/results/statistics.h"

#define DIALECT "https://json-schema.org/draft/2020-12/schema"
#define INDENT 2

EMBED("schema", "build/gen/schema.fields");

struct source {
	char *text; /* owned; lines end in NUL */
	char **lines;
	size_t count, at;
	json_t *schemas, *defines;
	struct why *why;
	bool failed;
};

/* one line in its parts, inside of the line */
struct field {
	char *name, *type, *unit; /* unit "": none */
	const char *meaning;      /* "": none */
	bool optional, array;
};

static void wrong(struct source *source, const char *what)
{
	if (!source->failed)
		why_say(source->why, 0, "line %zu: %s", source->at + 1, what);
	source->failed = true;
}

static bool is_blank(const char *line)
{
	line += strspn(line, " ");
	return !*line || *line == '#';
}

/* the next line that is not blank; NULL at the end */
static char *line_peek(struct source *source)
{
	while (source->at < source->count && is_blank(source->lines[source->at]))
		source->at++;
	return source->at < source->count ? source->lines[source->at] : NULL;
}

/* cuts " - meaning" from @line.  Return: the meaning, or "" */
static const char *meaning_cut(char *line)
{
	char *dash = strstr(line, " - ");

	if (!dash)
		return "";
	*dash = 0;
	return dash + 3;
}

/* ---- types ---- */

static const struct type_word {
	const char *word, *type; /* NULL: any type */
} type_words[] = {
	{ "text", "string" },   { "int", "integer" }, { "number", "number" }, { "bool", "boolean" },
	{ "object", "object" }, { "null", "null" },   { "any", NULL },
};

static const struct type_word *type_find(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(type_words); i++)
		if (!strcmp(type_words[i].word, word))
			return &type_words[i];
	return NULL;
}

/* a type with | in it: types, references and values */
static json_t *alternatives_make(char *words)
{
	json_t *values = json_array(), *types = json_array(), *all = json_array();
	bool nothing = false;

	for (char *rest = NULL, *word = strtok_r(words, "|", &rest); word;
	     word = strtok_r(NULL, "|", &rest)) {
		const struct type_word *type = type_find(word);

		nothing |= type && !strcmp(word, "null");
		if (*word == '@')
			json_array_append_new(all, json_pack("{s:o}", "$ref",
							     json_sprintf("#/$defs/%s", word + 1)));
		else if (type)
			json_array_append_new(types, json_string(type->type));
		else
			json_array_append_new(values, json_string(word));
	}
	if (json_array_size(values) && nothing)
		json_array_append_new(values, json_null());
	if (json_array_size(values))
		json_array_insert_new(all, 0, json_pack("{s:O}", "enum", values));
	else if (json_array_size(types))
		json_array_insert_new(all, 0, json_pack("{s:O}", "type", types));
	json_decref(values);
	json_decref(types);
	if (json_array_size(all) != 1)
		return json_pack("{s:o}", "anyOf", all);
	types = json_incref(json_array_get(all, 0));
	json_decref(all);
	return types;
}

/* ---- counters ---- */

static const struct counter_list {
	const char *name;
	const struct statistics *rows;
	enum statistic_group group;
} counter_lists[] = {
	{ "ports", &port_statistics, STATISTIC_BASIC },
	{ "port-congestion", &port_statistics, STATISTIC_CONGESTION },
	{ "port-paths", &port_statistics, STATISTIC_PATHS },
	{ "port-pauses", &port_statistics, STATISTIC_PAUSE },
	{ "classes", &class_statistics, STATISTIC_BASIC },
	{ "nodes", &node_statistics, STATISTIC_BASIC },
	{ "transports", &transport_statistics, STATISTIC_BASIC },
	{ "totals", &total_statistics, STATISTIC_BASIC },
};

static const char *const unit_text[] = {
	[STATISTIC_COUNT] = NULL,  [STATISTIC_BYTES] = "bytes", [STATISTIC_UNITS] = "units",
	[STATISTIC_PS] = "ps",     [STATISTIC_NS] = "ns",       [STATISTIC_BPS] = "bps",
	[STATISTIC_MOMENT] = "ps",
};

static json_t *counter_make(const struct statistic *row)
{
	json_t *type = row->unit == STATISTIC_MOMENT ? json_pack("[s, s]", "integer", "null")
						     : json_string("integer");

	return json_pack("{s:o, s:s*, s:s}", "type", type, "unit", unit_text[row->unit],
			 "description", row->what);
}

/* adds the rows of the list called @name to @schema */
static void counters_add(struct source *source, json_t *schema, const char *name, bool nonzero)
{
	json_t *properties = json_object_get(schema, "properties");
	json_t *required = json_object_get(schema, "required");
	size_t known = 0;

	for (uint32_t i = 0; !strcmp(name, "drops") && i < DROP_REASONS; i++) {
		known++;
		json_object_set_new(properties, stats_drop_name[i],
				    json_pack("{s:s}", "type", "integer"));
		if (!nonzero)
			json_array_append_new(required, json_string(stats_drop_name[i]));
	}
	for (size_t l = 0; l < COUNT_OF(counter_lists); l++) {
		const struct counter_list *list = &counter_lists[l];

		for (size_t i = 0; !strcmp(list->name, name) && i < list->rows->count; i++) {
			const struct statistic *row = &list->rows->rows[i];

			known++;
			if (row->group != list->group)
				continue;
			json_object_set_new(properties, row->name, counter_make(row));
			if (!nonzero)
				json_array_append_new(required, json_string(row->name));
		}
	}
	if (!known)
		wrong(source, "there is no such list of counters");
}

/* ---- keys ---- */

static void members_read(struct source *source, json_t *schema, size_t indent);

static json_t *object_new(void)
{
	return json_pack("{s:s, s:{}, s:[]}", "type", "object", "properties", "required");
}

/* the schema of one value of @type, which is changed; its keys are the lines from @indent on */
static json_t *type_make(struct source *source, char *type, size_t indent)
{
	const struct type_word *word = type_find(type);
	json_t *schema;

	if (!strncmp(type, "map ", 4)) {
		schema = type_make(source, type + 4, indent);
		return json_pack("{s:s, s:o}", "type", "object", "additionalProperties", schema);
	}
	if (!strncmp(type, "counters ", 9)) {
		char *end = strchr(type + 9, ' ');

		schema = object_new();
		if (end)
			*end = 0;
		counters_add(source, schema, type + 9, end != NULL);
		members_read(source, schema, indent);
		return schema;
	}
	if (!strncmp(type, "object", 6)) {
		schema = object_new();
		members_read(source, schema, indent);
		if (!strcmp(type, "object|null"))
			json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
		return schema;
	}
	if (strchr(type, '|') || !word)
		return alternatives_make(type);
	return word->type ? json_pack("{s:s}", "type", word->type) : json_object();
}

/* the unit that the end of @name says; NULL: none */
static const char *unit_of(const char *name)
{
	static const char *const units[] = { "ps",   "ns",       "us",     "ms",  "s",
					     "bps",  "bytes",    "units",  "ppb", "percent",
					     "gbps", "permille", "minutes" };
	const char *end = strrchr(name, '_');

	for (size_t i = 0; end && i < COUNT_OF(units); i++)
		if (!strcmp(end + 1, units[i]))
			return units[i];
	return NULL;
}

/* the words of a type that has several */
static size_t type_length(const char *type)
{
	size_t first = strcspn(type, " "), more;

	if (!strncmp(type, "map ", 4))
		return first + 1 + strcspn(type + first + 1, " ");
	if (strncmp(type, "counters ", 9) != 0)
		return first;
	more = first + 1 + strcspn(type + first + 1, " ");
	return strncmp(type + more, " nonzero", 8) ? more : more + 8;
}

static bool field_split(char *line, struct field *field)
{
	char *colon;
	size_t length;

	*field = (struct field){ .meaning = meaning_cut(line) };
	colon = strstr(line, ": ");
	if (!colon || colon == line)
		return false;
	*colon = 0;
	field->name = line;
	field->type = colon + 2;
	length = type_length(field->type);
	field->unit = field->type + length;
	if (*field->unit)
		*field->unit++ = 0;
	if (colon > line && colon[-1] == '?') {
		field->optional = true;
		*--colon = 0;
	}
	if (colon - line > 2 && !strcmp(colon - 2, "[]")) {
		field->array = true;
		colon[-2] = 0;
	}
	return *field->type && *field->name;
}

static void member_read(struct source *source, json_t *schema, size_t indent)
{
	struct field field;
	const char *unit;
	json_t *member;

	if (!field_split(source->lines[source->at] + indent, &field)) {
		wrong(source, "expected 'KEY: TYPE - meaning'");
		return;
	}
	if (json_object_get(json_object_get(schema, "properties"), field.name)) {
		wrong(source, "this key is there twice");
		return;
	}
	source->at++;
	member = type_make(source, field.type, indent + INDENT);
	unit = *field.unit ? field.unit : unit_of(field.name);
	if (unit)
		json_object_set_new(member, "unit", json_string(unit));
	if (field.array)
		member = json_pack("{s:s, s:o}", "type", "array", "items", member);
	if (*field.meaning)
		json_object_set_new(member, "description", json_string(field.meaning));
	json_object_set_new(json_object_get(schema, "properties"), field.name, member);
	if (!field.optional)
		json_array_append_new(json_object_get(schema, "required"), json_string(field.name));
}

/* the lines that are indented by @indent columns or more */
static void members_read(struct source *source, json_t *schema, size_t indent)
{
	const char *line;

	while (!source->failed && (line = line_peek(source)) && strspn(line, " ") >= indent) {
		if (strspn(line, " ") > indent)
			wrong(source, "is indented too far");
		else
			member_read(source, schema, indent);
	}
}

/* ---- schemas ---- */

/* "array" or "object" with the type of what is in it, or "object" and its keys */
static json_t *form_read(struct source *source)
{
	char *line = source->lines[source->at];
	const char *when = meaning_cut(line);
	bool array = !strncmp(line, "array", 5);
	char *type = strchr(line, ' ');
	char object[] = "object";
	json_t *form;

	if (!array && strncmp(line, "object", 6) != 0) {
		wrong(source, "expected 'array' or 'object', or a key below them");
		return json_object();
	}
	source->at++;
	form = type_make(source, type ? type + 1 : object, INDENT);
	if (array)
		form = json_pack("{s:s, s:o}", "type", "array", "items", form);
	if (*when)
		json_object_set_new(form, "description", json_string(when));
	return form;
}

static bool is_head(const char *line)
{
	return !strncmp(line, "schema ", 7) || !strncmp(line, "define ", 7);
}

/* "schema NAME VERSION - about" and its forms */
static void schema_make(struct source *source, char *line)
{
	const char *about = meaning_cut(line);
	char *name = line + 7, *version = strchr(name, ' ');
	json_t *schema, *forms = json_array();

	if (!version || atoi(version + 1) < 1) {
		wrong(source, "expected 'schema NAME VERSION - about'");
		json_decref(forms);
		return;
	}
	*version++ = 0;
	source->at++;
	while (!source->failed && (line = line_peek(source)) && !is_head(line))
		json_array_append_new(forms, form_read(source));
	schema = json_pack("{s:s, s:o, s:i, s:s, s:s}", "$schema", DIALECT, "$id",
			   json_sprintf("urn:heddle:%s:%s", name, version), "version",
			   atoi(version), "title", name, "description", about);
	if (json_array_size(forms) == 1) {
		json_object_del(json_array_get(forms, 0), "description");
		json_object_update(schema, json_array_get(forms, 0));
	} else {
		json_object_set(schema, "anyOf", forms);
	}
	json_decref(forms);
	json_object_set_new(source->schemas, name, schema);
}

/* "define NAME [counters LIST]", and its keys */
static void define_make(struct source *source, char *line)
{
	char *name = line + strlen("define "), *type = strchr(name, ' '), object[] = "object";

	if (type)
		*type++ = 0;
	source->at++;
	json_object_set_new(source->defines, name, type_make(source, type ? type : object, INDENT));
}

/* adds to $defs of @schema what @part of it refers to */
static void defines_add(struct source *source, json_t *schema, const json_t *part)
{
	const char *reference = json_string_value(json_object_get(part, "$ref")), *key;
	json_t *definitions = json_object_get(schema, "$defs"), *define, *value;
	size_t i;

	if (reference) {
		reference += strlen("#/$defs/");
		define = json_object_get(source->defines, reference);
		if (!define) {
			why_say(source->why, 0, "there is no 'define %s'", reference);
			source->failed = true;
		} else if (!json_object_get(definitions, reference)) {
			json_object_set(definitions, reference, define);
			defines_add(source, schema, define);
		}
	}
	json_object_foreach ((json_t *)part, key, value)
		if (strcmp(key, "$defs") != 0)
			defines_add(source, schema, value);
	json_array_foreach (part, i, value)
		defines_add(source, schema, value);
}

static void all_make(struct source *source)
{
	const char *name;
	json_t *schema;
	char *line;

	while (!source->failed && (line = line_peek(source))) {
		if (!strncmp(line, "schema ", 7))
			schema_make(source, line);
		else if (!strncmp(line, "define ", 7))
			define_make(source, line);
		else
			wrong(source, "expected 'schema NAME VERSION' or 'define NAME'");
	}
	json_object_foreach (source->schemas, name, schema) {
		json_object_set_new(schema, "$defs", json_object());
		defines_add(source, schema, schema);
		if (!json_object_size(json_object_get(schema, "$defs")))
			json_object_del(schema, "$defs");
	}
}

static bool lines_split(struct source *source, const char *text, size_t length)
{
	source->text = strndup(text, length);
	source->lines = calloc(length + 1, sizeof(*source->lines));
	if (!source->text || !source->lines)
		return false;
	for (char *at = source->text; at;) {
		char *end = strchr(at, '\n');

		source->lines[source->count++] = at;
		if (end)
			*end++ = 0;
		at = end;
	}
	return true;
}

json_t *schema_read(const char *text, size_t length, struct why *why)
{
	struct source source = { .why = why };

	source.schemas = json_object();
	source.defines = json_object();
	if (lines_split(&source, text, length)) {
		all_make(&source);
	} else {
		why_say(why, 0, "not enough memory");
		source.failed = true;
	}
	free(source.text);
	free(source.lines);
	json_decref(source.defines);
	if (!source.failed)
		return source.schemas;
	json_decref(source.schemas);
	return NULL;
}

/* ---- for people ---- */

#define PATH_BYTES 256

struct printing {
	const json_t *root;
	FILE *out;
};

/* @schema, or what it refers to */
static const json_t *resolved(const struct printing *p, const json_t *schema)
{
	const char *reference = member_text(schema, "$ref");

	return *reference ? json_object_get(json_object_get(p->root, "$defs"),
					    reference + strlen("#/$defs/"))
			  : schema;
}

/* "a, b or null" of @list */
static void words_write(const json_t *list, char *out, size_t max)
{
	size_t i, used = strlen(out);
	json_t *word;

	json_array_foreach (list, i, word) {
		if (used + 1 < max)
			used += (size_t)snprintf(out + used, max - used, "%s%s", i ? "|" : "",
						 json_is_null(word) ? "null"
								    : json_string_value(word));
	}
}

static void type_write(const json_t *schema, char *out, size_t max)
{
	const json_t *type = json_object_get(schema, "type"), *one;
	size_t i;

	*out = 0;
	if (json_is_string(type))
		snprintf(out, max, "%s", json_string_value(type));
	else
		words_write(json_is_array(type) ? type : json_object_get(schema, "enum"), out, max);
	json_array_foreach (json_object_get(schema, "anyOf"), i, one) {
		if (json_object_get(one, "$ref"))
			snprintf(out, max, "object");
		else if (i)
			snprintf(out + strlen(out), max - strlen(out), "|...");
		else
			type_write(one, out, max);
	}
	if (!*out)
		snprintf(out, max, "any");
}

static void value_print(const struct printing *p, const json_t *schema, const char *path);

static void keys_print(const struct printing *p, const json_t *schema, const char *path)
{
	const char *key;
	json_t *member;

	json_object_foreach (json_object_get(schema, "properties"), key, member) {
		char below[PATH_BYTES];

		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "." : "", key);
		value_print(p, member, below);
	}
}

/* the line of @schema at @path, and those of its keys */
static void value_print(const struct printing *p, const json_t *schema, const char *path)
{
	const json_t *inner = resolved(p, schema), *more = json_object_get(inner, "items"), *one;
	char type[PATH_BYTES], below[PATH_BYTES];
	size_t i;

	type_write(inner, type, sizeof(type));
	if (*path)
		fprintf(p->out, "%-44s %-14s %-8s %s\n", path, type, member_text(inner, "unit"),
			member_text(schema, "description"));
	if (more) {
		snprintf(below, sizeof(below), "%s[]", path);
		value_print(p, more, below);
	}
	more = json_object_get(inner, "additionalProperties");
	if (json_is_object(more)) {
		snprintf(below, sizeof(below), "%s.*", path);
		value_print(p, more, below);
	}
	json_array_foreach (json_object_get(inner, "anyOf"), i, one) {
		if (!*path)
			fprintf(p->out, "%s# %s\n", i ? "\n" : "", member_text(one, "description"));
		if (!*path || json_object_get(one, "$ref"))
			keys_print(p, resolved(p, one), path);
		if (!*path && json_object_get(one, "items"))
			value_print(p, json_object_get(one, "items"), "[]");
	}
	keys_print(p, inner, path);
}

void schema_fields_print(const json_t *schema, FILE *out)
{
	struct printing p = { schema, out };

	value_print(&p, schema, "");
}
