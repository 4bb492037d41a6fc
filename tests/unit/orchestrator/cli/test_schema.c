/*  orchestrator/cli/schema: from a line for each key to a JSON Schema (DU-10). */
#include <string.h>

#include "nodes/stats/stats.h"
#include "orchestrator/cli/schema.h"
#include "orchestrator/results/statistics.h"
#include "tests/testing.h"

static json_t *read_text(const char *text)
{
	struct why why = { "" };
	json_t *schemas = schema_read(text, strlen(text), &why);

	ck_assert_msg(schemas != NULL, "%s", why.text);
	return schemas;
}

/* is @json what the text says? */
static void same(const json_t *json, const char *text)
{
	json_t *wanted = json_loads(text, JSON_DECODE_ANY, NULL);
	char *found = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_ptr_nonnull(wanted);
	ck_assert_msg(json_equal(json, wanted), "%s\nis not\n%s", found, text);
	free(found);
	json_decref(wanted);
}

static void refused(const char *text, const char *why_wanted)
{
	struct why why = { "" };

	ck_assert_ptr_null(schema_read(text, strlen(text), &why));
	ck_assert_str_eq(why.text, why_wanted);
}

TEST(schema_read__keys_types_and_units)
{
	json_t *all = read_text("# a comment\n"
				"schema one 2 - of one\n"
				"object\n"
				"  name: text - its name\n"
				"  wait_ns?: int\n"
				"  weight: number kg - heavy\n"
				"  parts[]: object\n"
				"    state: up|down|null\n"
				"  more[]?: int|null\n"
				"  any: any\n");

	same(json_object_get(all, "one"),
	     "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"$id\": "
	     "\"urn:heddle:one:2\", \"version\": 2, \"title\": \"one\", \"description\": \"of "
	     "one\", \"type\": \"object\", \"required\": [\"name\", \"weight\", \"parts\", "
	     "\"any\"], \"properties\": {\"name\": {\"type\": \"string\", \"description\": \"its "
	     "name\"}, \"wait_ns\": {\"type\": \"integer\", \"unit\": \"ns\"}, \"weight\": "
	     "{\"type\": \"number\", \"unit\": \"kg\", \"description\": \"heavy\"}, \"parts\": "
	     "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"state\"], "
	     "\"properties\": {\"state\": {\"enum\": [\"up\", \"down\", null]}}}}, \"more\": "
	     "{\"type\": \"array\", \"items\": {\"type\": [\"integer\", \"null\"]}}, \"any\": "
	     "{}}}");
	json_decref(all);
}

TEST(schema_read__several_forms_share_what_is_defined)
{
	json_t *all = read_text("define b\n"
				"  x: int\n"
				"define a\n"
				"  b: @b\n"
				"define unused\n"
				"  y: int\n"
				"schema two 1 - of two\n"
				"array @a|null - many\n"
				"object @b - one\n");
	const json_t *two = json_object_get(all, "two");

	same(json_object_get(two, "anyOf"),
	     "[{\"type\": \"array\", \"description\": \"many\", \"items\": {\"anyOf\": "
	     "[{\"type\": [\"null\"]}, {\"$ref\": \"#/$defs/a\"}]}}, {\"$ref\": "
	     "\"#/$defs/b\", \"description\": \"one\"}]");
	same(json_object_get(two, "$defs"),
	     "{\"a\": {\"type\": \"object\", \"required\": [\"b\"], \"properties\": {\"b\": "
	     "{\"$ref\": \"#/$defs/b\"}}}, \"b\": {\"type\": \"object\", \"required\": [\"x\"], "
	     "\"properties\": {\"x\": {\"type\": \"integer\"}}}}");
	json_decref(all);
}

TEST(schema_read__counters_are_those_of_the_registry)
{
	json_t *all = read_text("schema c 1 - counters\n"
				"object\n"
				"  all: counters totals\n"
				"    own: int\n"
				"  some: counters drops nonzero\n");
	json_t *properties = json_object_get(json_object_get(all, "c"), "properties");
	json_t *counters = json_object_get(json_object_get(properties, "all"), "properties");
	const json_t *some = json_object_get(properties, "some");

	ck_assert_uint_eq(json_object_size(counters), total_statistics.count + 1);
	for (size_t i = 0; i < total_statistics.count; i++)
		ck_assert_ptr_nonnull(json_object_get(counters, total_statistics.rows[i].name));
	same(json_object_get(counters, "lost_units"),
	     "{\"type\": \"integer\", \"unit\": \"units\", \"description\": \"lost on links\"}");
	ck_assert_uint_eq(json_object_size(json_object_get(some, "properties")), DROP_REASONS);
	ck_assert_uint_eq(json_array_size(json_object_get(some, "required")), 0);
	json_decref(all);
}

TEST(schema_read__a_wrong_line_is_named)
{
	refused("schema x 1 - x\nobject\n  key int\n", "line 3: expected 'KEY: TYPE - meaning'");
	refused("schema x 1 - x\nobject\n      key: int\n", "line 3: is indented too far");
	refused("schema x 1 - x\nobject\n  a: int\n  a: text\n", "line 4: this key is there twice");
	refused("schema x - x\nobject\n", "line 1: expected 'schema NAME VERSION - about'");
	refused("schema x 1 - x\nlist\n",
		"line 2: expected 'array' or 'object', or a key below them");
	refused("schema x 1 - x\nobject\n  a: @b\n", "there is no 'define b'");
	refused("schema x 1 - x\nobject\n  a: counters dorps\n",
		"line 4: there is no such list of counters");
	refused("key: int\n", "line 1: expected 'schema NAME VERSION' or 'define NAME'");
}

TEST(schema_read__own_files_are_right)
{
	struct why why = { "" };
	json_t *all = schema_read(schema_text, schema_length, &why);

	ck_assert_msg(all != NULL, "%s", why.text);
	ck_assert_ptr_nonnull(json_object_get(all, "ps"));
	json_decref(all);
}

/* a line for each key, as `heddle schema NAME --fields` prints */
static void printed_as(const json_t *schema, const char *lines)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	schema_fields_print(schema, out);
	fclose(out);
	ck_assert_str_eq(text, lines);
	free(text);
}

TEST(schema_fields_print__keys)
{
	json_t *all = read_text("define b\n"
				"  x: int\n"
				"schema one 1 - of one\n"
				"object\n"
				"  name: text - its name\n"
				"  wait_ns?: int - how long\n"
				"  parts[]: object - of it\n"
				"    state: up|down|null\n"
				"  by: map number\n"
				"  own: map @b\n"
				"  none: object|null - or not\n"
				"    y: bool\n"
				"  other: @b|null\n"
				"  any: any\n");

	same(json_object_get(
		     json_object_get(json_object_get(json_object_get(all, "one"), "properties"),
				     "none"),
		     "type"),
	     "[\"object\", \"null\"]");
	printed_as(json_object_get(all, "one"),
		   "name                                         string                  its name\n"
		   "wait_ns                                      integer        ns       how long\n"
		   "parts                                        array                   of it\n"
		   "parts[]                                      object                  \n"
		   "parts[].state                                up|down|null            \n"
		   "by                                           object                  \n"
		   "by.*                                         number                  \n"
		   "own                                          object                  \n"
		   "own.*                                        object                  \n"
		   "own.*.x                                      integer                 \n"
		   "none                                         object|null             or not\n"
		   "none.y                                       boolean                 \n"
		   "other                                        object                  \n"
		   "other.x                                      integer                 \n"
		   "any                                          any                     \n");
	json_decref(all);
}

TEST(schema_fields_print__several_forms)
{
	json_t *all = read_text("define b\n"
				"  x: int - of b\n"
				"schema two 1 - of two\n"
				"array @b - many\n"
				"object @b - one\n");

	printed_as(json_object_get(all, "two"),
		   "# many\n"
		   "[]                                           object                  \n"
		   "[].x                                         integer                 of b\n"
		   "\n# one\n"
		   "x                                            integer                 of b\n");
	json_decref(all);
}
