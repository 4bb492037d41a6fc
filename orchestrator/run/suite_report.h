/*  suite_report - the results of `heddle test` as TAP 13, JUnit XML and a table of failures (DU-9).
 *
 *  All are made from a list of suite_result.h. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_SUITE_REPORT_H
#define HEDDLE_ORCHESTRATOR_RUN_SUITE_REPORT_H

#include <jansson.h>
#include <stdio.h>

struct suite_counts {
	size_t files, tests, failed;
};

/** suite_count() - over all of @results. */
struct suite_counts suite_count(const json_t *results);

/** suite_tap_begin(), suite_tap_print(), suite_tap_end() - TAP: its head, the tests of one result,
 *  of which the first has number @first, and the plan. */
void suite_tap_begin(FILE *out);
void suite_tap_print(const json_t *result, size_t first, FILE *out);
void suite_tap_end(const json_t *results, FILE *out);

/** suite_failures_print() - a line for each failed test, as comments of TAP; "all N hold" if there
 *  is none. */
void suite_failures_print(const json_t *results, FILE *out);

/** suite_junit_write() - all as JUnit XML: a testsuite for each file, a testcase for each test. An
 *  expectation that does not hold is a failure; what else went wrong is an error. */
void suite_junit_write(const json_t *results, FILE *out);

#endif
