/*  suite_result - what one scenario of `heddle test` gave, as JSON (DU-9).
 *
 *  {"file", "status": of `heddle run`, "wall_s", "tests": [{"name", "ok", "value", "message"}]}
 *  Each expectation is a test. Whatever else fails is a further test, with a name of its own, so
 *  that a file with status 0 has no failed test and every other one has. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_SUITE_RESULT_H
#define HEDDLE_ORCHESTRATOR_RUN_SUITE_RESULT_H

#include <jansson.h>
#include <stdbool.h>

/** suite_result_make() - of the scenario @file: its run ended with exit status @status.
 *  @result   its JSON; borrowed. NULL: none was written.
 *  @messages its standard error; "" is fine.
 *  Return: json_decref() later; NULL if memory is short. */
json_t *suite_result_make(const char *file, int status, const json_t *result, const char *messages,
			  double wall_s);

/** suite_test_failed() - is @test of the list "tests" a failed one? */
bool suite_test_failed(const json_t *test);

#endif
