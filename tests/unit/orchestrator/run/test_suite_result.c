/*  orchestrator/run/suite_result, suite_report: the tests of a scenario, and what each exit status
 *  of its run adds (DU-9). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/run/run_options.h"
#include "orchestrator/run/suite_report.h"
#include "orchestrator/run/suite_result.h"
#include "tests/testing.h"

#define ONE_HOLDS "{\"expectations\": [{\"text\": \"a > 1\", \"ok\": true, \"value\": 2.0}]}"
#define ONE_FAILS "{\"expectations\": [{\"text\": \"a > 1\", \"ok\": false, \"value\": 0.5}]}"

/* the tests of a run with exit status @status, as "name|message" lines; failed ones begin with '!'
 */
static const char *tests_of(int status, const char *result, const char *messages)
{
	static char text[1024];
	json_t *json = result ? json_loads(result, 0, NULL) : NULL;
	json_t *made = suite_result_make("f", status, json, messages, 0.5), *test;
	size_t i, used = 0;

	ck_assert_ptr_nonnull(made);
	text[0] = 0;
	json_array_foreach (json_object_get(made, "tests"), i, test)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s|%s\n",
					 suite_test_failed(test) ? "!" : "",
					 json_string_value(json_object_get(test, "name")),
					 json_string_value(json_object_get(test, "message")));
	json_decref(made);
	json_decref(json);
	return text;
}

TEST(suite_result_make__each_expectation_is_a_test)
{
	ck_assert_str_eq(tests_of(EXIT_FINE, ONE_HOLDS, ""), "a > 1|\n");
	ck_assert_str_eq(tests_of(EXIT_EXPECTATION, ONE_FAILS, ""), "!a > 1|the value is 0.5\n");
	ck_assert_str_eq(tests_of(EXIT_EXPECTATION,
				  "{\"expectations\": [{\"text\": \"a > 1\", \"ok\": false, "
				  "\"value\": null}]}",
				  ""),
			 "!a > 1|it has no value\n");
	ck_assert_str_eq(tests_of(EXIT_FINE, "{\"expectations\": []}", ""),
			 "it runs; there are no expectations|\n");
}

TEST(suite_result_make__what_else_fails_is_a_test)
{
	ck_assert_str_eq(tests_of(EXIT_USAGE, NULL, "f:1:1: wrong\n"),
			 "!the scenario can be read|f:1:1: wrong\n");
	ck_assert_str_eq(tests_of(EXIT_STALL, ONE_HOLDS, "it stalled\n\n"),
			 "a > 1|\n!the fabric does not stall|it stalled\n");
	ck_assert_str_eq(tests_of(EXIT_NODE, NULL, ""),
			 "!no node fails|'heddle run' prints the reason\n");
	ck_assert_str_eq(
		tests_of(EXIT_INTERRUPTED, NULL, ""),
		"!the run is not interrupted|a signal has ended it, or it has not begun\n");
	ck_assert_str_eq(tests_of(EXIT_NOT_VALID, "{\"fidelity\": {\"text\": \"too slow\"}}", "x"),
			 "!this machine is fast enough|too slow\n");
	ck_assert_str_eq(tests_of(137, NULL, "bytes \xff\n"),
			 "!the run ends in good order|bytes ?\n");
	/* a status that no expectation explains is no success */
	ck_assert_str_eq(tests_of(EXIT_EXPECTATION, NULL, "why\n"), "!all expectations hold|why\n");
}

/* JSON takes UTF-8 only, which the name of a file need not be */
TEST(suite_result_make__any_name_of_a_file)
{
	json_t *made = suite_result_make("b\xff.yaml", EXIT_FINE, NULL, "", 0);

	ck_assert_str_eq(json_string_value(json_object_get(made, "file")), "b?.yaml");
	json_decref(made);
}

TEST(suite_junit_write__counts_failures_and_errors_apart)
{
	json_t *results = json_array(), *fails = json_loads(ONE_FAILS, 0, NULL);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	json_array_append_new(results, suite_result_make("a", EXIT_EXPECTATION, fails, "", 0.25));
	json_array_append_new(results, suite_result_make("b", EXIT_STALL, fails, "", 0));
	suite_junit_write(results, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "<testsuites tests=\"3\" failures=\"2\" errors=\"1\">"));
	ck_assert_ptr_nonnull(
		strstr(text, "name=\"a\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"0.250\">"));
	ck_assert_ptr_nonnull(
		strstr(text, "name=\"b\" tests=\"2\" failures=\"1\" errors=\"1\" time=\"0.000\">"));
	free(text);
	json_decref(fails);
	json_decref(results);
}

TEST(suite_junit_write__as_a_whole)
{
	json_t *results = json_array(), *fails = json_loads(ONE_FAILS, 0, NULL);
	json_t *holds = json_loads(ONE_HOLDS, 0, NULL);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	json_array_append_new(results, suite_result_make("a", EXIT_EXPECTATION, fails, "", 0.25));
	json_array_append_new(results, suite_result_make("b", EXIT_INTERRUPTED, holds, "no\n", 2));
	suite_junit_write(results, out);
	fclose(out);
	ck_assert_str_eq(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"3\" failures=\"1\" errors=\"1\">\n"
		"  <testsuite name=\"a\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"0.250\">\n"
		"    <testcase classname=\"a\" name=\"a &gt; 1\">\n"
		"      <failure message=\"the value is 0.5\"/>\n    </testcase>\n"
		"  </testsuite>\n"
		"  <testsuite name=\"b\" tests=\"2\" failures=\"0\" errors=\"1\" time=\"2.000\">\n"
		"    <testcase classname=\"b\" name=\"a &gt; 1\"/>\n"
		"    <testcase classname=\"b\" name=\"the run is not interrupted\">\n"
		"      <error message=\"no\"/>\n    </testcase>\n"
		"  </testsuite>\n</testsuites>\n");
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(results, 1), "status")),
			 EXIT_INTERRUPTED);
	free(text);
	json_decref(holds);
	json_decref(fails);
	json_decref(results);
}

/* XML has no other control characters, not even as a reference */
TEST(suite_junit_write__characters)
{
	json_t *results = json_pack("[{s:s, s:[{s:s, s:b}]}]", "file", "a\tb\rc\nd\x1f\x7f",
				    "tests", "name", "<&>\" \x01z", "ok", 1);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	suite_junit_write(results, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "classname=\"a\tb\rc&#10;d?\x7f\""));
	ck_assert_ptr_nonnull(strstr(text, "name=\"&lt;&amp;&gt;&quot; ?z\"/>\n"));
	free(text);
	json_decref(results);
}

/* ---- TAP and the table of failures ---- */

static json_t *two_files(void)
{
	json_t *results = json_loads(
		"[{\"file\": \"a.yaml\", \"status\": 0, \"tests\": [{\"name\": \"x #1\", \"ok\": "
		"true}, "
		"{\"name\": \"y\", \"ok\": true}]}, {\"file\": \"longer.yaml\", \"status\": 1, "
		"\"tests\": [{\"name\": \"back\\\\slash\\nline\", \"ok\": false, \"value\": 3, "
		"\"message\": "
		"\"the value\\nis \\\"3\\\"\"}]}]",
		0, NULL);

	ck_assert_ptr_nonnull(results);
	return results;
}

TEST(suite_tap__two_files)
{
	json_t *results = two_files();
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	suite_tap_begin(out);
	suite_tap_print(json_array_get(results, 0), 1, out);
	suite_tap_print(json_array_get(results, 1), 3, out);
	suite_tap_end(results, out);
	fclose(out);
	ck_assert_str_eq(text, "TAP version 13\n"
			       "ok 1 - a.yaml: x \\#1\n"
			       "ok 2 - a.yaml: y\n"
			       "not ok 3 - longer.yaml: back\\\\slash line\n"
			       "  ---\n"
			       "  message: \"the value\\nis \\\"3\\\"\"\n"
			       "  status: 1\n"
			       "  ...\n"
			       "1..3\n");
	free(text);
	json_decref(results);
}

TEST(suite_failures_print__table)
{
	json_t *results = two_files();
	struct suite_counts counts = suite_count(results);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_uint_eq(counts.files, 2);
	ck_assert_uint_eq(counts.tests, 3);
	ck_assert_uint_eq(counts.failed, 1);
	suite_failures_print(results, out);
	json_array_remove(results, 1);
	suite_failures_print(results, out);
	fclose(out);
	ck_assert_str_eq(text, "# 1 of 3 tests of 2 files failed:\n"
			       "#   longer.yaml  back\\slash\nline\n"
			       "#                  the value\n"
			       "#                  is \"3\"\n"
			       "# all 2 tests of 1 files hold\n");
	free(text);
	json_decref(results);
}
