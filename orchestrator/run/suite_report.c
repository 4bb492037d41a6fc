#include "orchestrator/run/suite_report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/json_member.h"
#include "orchestrator/run/run_options.h"
#include "orchestrator/run/suite_result.h"

static size_t failed_of(const json_t *result)
{
	const json_t *test;
	size_t i, failed = 0;

	json_array_foreach (json_object_get(result, "tests"), i, test)
		failed += suite_test_failed(test);
	return failed;
}

struct suite_counts suite_count(const json_t *results)
{
	struct suite_counts counts = { .files = json_array_size(results) };
	const json_t *result;
	size_t i;

	json_array_foreach (results, i, result) {
		counts.tests += json_array_size(json_object_get(result, "tests"));
		counts.failed += failed_of(result);
	}
	return counts;
}

/* ---- TAP ---- */

/* a description: '#' would begin a directive, a backslash hides it, a line would end it */
static void description_put(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '#' || *text == '\\')
			putc('\\', out);
		putc(*text == '\n' ? ' ' : *text, out);
	}
}

/* a text in quotes, which YAML reads as JSON does */
static void quoted_put(const char *text, FILE *out)
{
	json_t *string = json_string(text);

	json_dumpf(string, out, JSON_ENCODE_ANY);
	json_decref(string);
}

static void tap_test(const json_t *result, const json_t *test, size_t number, FILE *out)
{
	bool failed = suite_test_failed(test);

	fprintf(out, "%sok %zu - ", failed ? "not " : "", number);
	description_put(member_text(result, "file"), out);
	fputs(": ", out);
	description_put(member_text(test, "name"), out);
	fputc('\n', out);
	if (!failed)
		return;
	fputs("  ---\n  message: ", out);
	quoted_put(member_text(test, "message"), out);
	fprintf(out, "\n  status: %lld\n  ...\n", (long long)member_number(result, "status"));
}

void suite_tap_begin(FILE *out)
{
	fputs("TAP version 13\n", out);
}

void suite_tap_print(const json_t *result, size_t first, FILE *out)
{
	const json_t *test;
	size_t i;

	json_array_foreach (json_object_get(result, "tests"), i, test)
		tap_test(result, test, first + i, out);
}

void suite_tap_end(const json_t *results, FILE *out)
{
	fprintf(out, "1..%zu\n", suite_count(results).tests);
}

/* ---- the table ---- */

static void failure_print(const json_t *result, const json_t *test, int width, FILE *out)
{
	const char *message = member_text(test, "message");
	size_t length;

	fprintf(out, "#   %-*s  %s\n", width, member_text(result, "file"),
		member_text(test, "name"));
	for (; *message; message += length + (message[length] == '\n')) {
		length = strcspn(message, "\n");
		fprintf(out, "#   %-*s    %.*s\n", width, "", (int)length, message);
	}
}

void suite_failures_print(const json_t *results, FILE *out)
{
	struct suite_counts counts = suite_count(results);
	const json_t *result, *test;
	int width = 0, length;
	size_t i, t;

	if (!counts.failed) {
		fprintf(out, "# all %zu tests of %zu files hold\n", counts.tests, counts.files);
		return;
	}
	json_array_foreach (results, i, result) {
		length = (int)strlen(member_text(result, "file"));
		width = failed_of(result) && length > width ? length : width;
	}
	fprintf(out, "# %zu of %zu tests of %zu files failed:\n", counts.failed, counts.tests,
		counts.files);
	json_array_foreach (results, i, result)
		json_array_foreach (json_object_get(result, "tests"), t, test)
			if (suite_test_failed(test))
				failure_print(result, test, width, out);
}

/* ---- JUnit ---- */

/* XML 1.0 has no control characters but these three, however they are written */
static bool xml_has(unsigned char c)
{
	return c >= ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void xml_put(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\n':
			fputs("&#10;", out);
			break;
		default:
			putc(xml_has((unsigned char)*text) ? *text : '?', out);
		}
	}
}

static void attribute_put(const char *name, const char *text, FILE *out)
{
	fprintf(out, " %s=\"", name);
	xml_put(text, out);
	putc('"', out);
}

static bool is_expectation(const json_t *result)
{
	return member_number(result, "status") == EXIT_EXPECTATION;
}

/* did it fail for another reason than an expectation? */
static bool is_error(const json_t *result, const json_t *test)
{
	return suite_test_failed(test) && !is_expectation(result) &&
	       json_is_null(json_object_get(test, "value"));
}

static void case_write(const json_t *result, const json_t *test, FILE *out)
{
	const char *kind = is_error(result, test) ? "error" : "failure";

	fputs("    <testcase", out);
	attribute_put("classname", member_text(result, "file"), out);
	attribute_put("name", member_text(test, "name"), out);
	if (!suite_test_failed(test)) {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, ">\n      <%s", kind);
	attribute_put("message", member_text(test, "message"), out);
	fprintf(out, "/>\n    </testcase>\n");
}

/* how many errors @result has */
static size_t errors_of(const json_t *result)
{
	const json_t *test;
	size_t i, errors = 0;

	json_array_foreach (json_object_get(result, "tests"), i, test)
		errors += is_error(result, test);
	return errors;
}

static void file_write(const json_t *result, FILE *out)
{
	const json_t *tests = json_object_get(result, "tests"), *test;
	size_t i, errors = errors_of(result);

	fputs("  <testsuite", out);
	attribute_put("name", member_text(result, "file"), out);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
		json_array_size(tests), failed_of(result) - errors, errors,
		json_real_value(json_object_get(result, "wall_s")));
	json_array_foreach (tests, i, test)
		case_write(result, test, out);
	fputs("  </testsuite>\n", out);
}

void suite_junit_write(const json_t *results, FILE *out)
{
	struct suite_counts counts = suite_count(results);
	size_t i, errors = 0;
	const json_t *result;

	json_array_foreach (results, i, result)
		errors += errors_of(result);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
		counts.tests, counts.failed - errors, errors);
	json_array_foreach (results, i, result)
		file_write(result, out);
	fputs("</testsuites>\n", out);
}
