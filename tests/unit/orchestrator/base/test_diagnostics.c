/*  orchestrator/base/diagnostics: errors of a scenario as lines and as JSON, each with its place;
 *  those beyond the limit are counted (TB-11). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/diagnostics.h"
#include "tests/testing.h"

static struct scenario_errors errors;

static void tear_down(void)
{
	scenario_errors_free(&errors);
	ck_assert_uint_eq(errors.count, 0);
}

static void prints(const char *expected)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	scenario_errors_print(&errors, out);
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}

static void is_json(const char *expected)
{
	json_t *list = scenario_errors_json(&errors);
	char *text = json_dumps(list, JSON_COMPACT);

	ck_assert_str_eq(text, expected);
	free(text);
	json_decref(list);
}

/* @count errors, numbered from 1 */
static void add(unsigned count)
{
	for (unsigned i = 1; i <= count; i++)
		scenario_errors_add(&errors, "f", (int)i, 2, "error %u", i);
}

TEST_GROUP(diagnostics, .teardown = tear_down);

TEST(scenario_errors__none)
{
	prints("");
	is_json("[]");
}

/* none is left out of the JSON because of its file */
TEST(scenario_errors__of_any_name_of_a_file)
{
	scenario_errors_add(&errors, "b\xff", 7, 31, "no");
	is_json("[{\"file\":\"b?\",\"line\":7,\"column\":31,\"message\":\"no\","
		"\"text\":\"b?:7:31: no\"}]");
}

TEST(scenario_errors__of_a_place_and_of_the_file)
{
	scenario_errors_add(&errors, "a b.yaml", 7, 31, "no key '%s'", "x");
	scenario_errors_add(&errors, "--set p=1", 0, 5, "refused");
	prints("a b.yaml:7:31: no key 'x'\n--set p=1: refused\n");
	is_json("[{\"file\":\"a b.yaml\",\"line\":7,\"column\":31,\"message\":\"no key 'x'\","
		"\"text\":\"a b.yaml:7:31: no key 'x'\"},"
		"{\"file\":\"--set p=1\",\"line\":null,\"column\":null,\"message\":\"refused\","
		"\"text\":\"--set p=1: refused\"}]");
}

TEST(scenario_errors__control_characters)
{
	scenario_errors_add(&errors, "f\n", 1, 1, "a\033[31mb");
	prints("f?:1:1: a?[31mb\n");
}

/* the last one that is kept, and one more */
TEST_RANGE(scenario_errors__limit, 0, 2)
{
	json_t *list;
	char *text, *more;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	add(SCENARIO_ERRORS_MAX + (unsigned)_i);
	ck_assert_uint_eq(errors.count, SCENARIO_ERRORS_MAX + (unsigned)_i);
	scenario_errors_print(&errors, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "\nf:20:2: error 20\n"));
	ck_assert_ptr_null(strstr(text, "error 21"));
	more = strstr(text, "... and ");
	ck_assert_pstr_eq(more, _i ? "... and 1 more\n" : NULL);
	free(text);
	list = scenario_errors_json(&errors);
	ck_assert_uint_eq(json_array_size(list), SCENARIO_ERRORS_MAX);
	json_decref(list);
}

/* memory was short for the text */
TEST(scenario_errors__text_is_missing)
{
	add(1);
	errors.count = 2;
	prints("f:1:2: error 1\nout of memory\n");
	is_json("[{\"file\":\"f\",\"line\":1,\"column\":2,\"message\":\"error 1\","
		"\"text\":\"f:1:2: error 1\"},"
		"{\"file\":null,\"line\":null,\"column\":null,\"message\":\"out of memory\","
		"\"text\":\"out of memory\"}]");
}
