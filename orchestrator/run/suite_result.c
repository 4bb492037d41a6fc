#include "orchestrator/run/suite_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/run/run_options.h"

/* the name of the test that fails with @status; NULL: expectations say it all */
static const char *status_name(int status)
{
	switch (status) {
	case EXIT_FINE:
	case EXIT_EXPECTATION:
		return NULL;
	case EXIT_USAGE:
		return "the scenario can be read";
	case EXIT_STALL:
		return "the fabric does not stall";
	case EXIT_NODE:
		return "no node fails";
	case EXIT_NOT_VALID:
		return "this machine is fast enough";
	case EXIT_INTERRUPTED:
		return "the run is not interrupted";
	default:
		return "the run ends in good order";
	}
}

static int test_add(json_t *tests, const char *name, bool ok, json_t *value, const char *message)
{
	return json_array_append_new(tests, json_pack("{s:s, s:b, s:o, s:s}", "name", name, "ok",
						      ok, "value", value, "message", message));
}

static int expectation_add(json_t *tests, const json_t *expectation)
{
	bool ok = json_is_true(json_object_get(expectation, "ok"));
	json_t *value = json_object_get(expectation, "value");
	char message[64] = "";

	if (!ok && json_is_number(value))
		snprintf(message, sizeof(message), "the value is %.12g", json_number_value(value));
	else if (!ok)
		snprintf(message, sizeof(message), "it has no value");
	return test_add(tests, json_string_value(json_object_get(expectation, "text")), ok,
			json_incref(value), message);
}

/* what a failed run says of it: @messages without the end of the last line, the verdict, or @name
 */
static const char *explanation(char *messages, const json_t *result, int status)
{
	const json_t *fidelity = json_object_get(result, "fidelity");
	const char *text = json_string_value(json_object_get(fidelity, "text"));
	size_t length = strlen(messages);

	if (status == EXIT_NOT_VALID && text)
		return text;
	while (length && messages[length - 1] == '\n')
		messages[--length] = 0;
	utf8_mend(messages);
	if (*messages)
		return messages;
	return status == EXIT_INTERRUPTED ? "a signal has ended it, or it has not begun"
					  : "'heddle run' prints the reason";
}

static int tests_add(json_t *tests, int status, const json_t *result, char *messages)
{
	const json_t *expectation;
	const char *name = status_name(status);
	bool missing = true;
	int error = 0;
	size_t i;

	json_array_foreach (json_object_get(result, "expectations"), i, expectation) {
		missing &= json_is_true(json_object_get(expectation, "ok"));
		error |= expectation_add(tests, expectation);
	}
	if (!name && status == EXIT_EXPECTATION && missing)
		name = "all expectations hold";
	if (name)
		error |= test_add(tests, name, false, json_null(),
				  explanation(messages, result, status));
	else if (!json_array_size(tests))
		error |= test_add(tests, "it runs; there are no expectations", true, json_null(),
				  "");
	return error;
}

json_t *suite_result_make(const char *file, int status, const json_t *result, const char *messages,
			  double wall_s)
{
	json_t *tests = json_array();
	char *copy = strdup(messages);
	int error = copy ? tests_add(tests, status, result, copy) : -1;

	free(copy);
	if (!error)
		return json_pack("{s:o, s:i, s:f, s:o}", "file", utf8_json(file), "status", status,
				 "wall_s", wall_s, "tests", tests);
	json_decref(tests);
	return NULL;
}

bool suite_test_failed(const json_t *test)
{
	return !json_is_true(json_object_get(test, "ok"));
}
