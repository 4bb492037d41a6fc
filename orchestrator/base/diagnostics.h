/*  diagnostics - errors in a scenario, each with its place. They are collected and printed together
 *  (TB-11). */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DIAGNOSTICS_H
#define HEDDLE_ORCHESTRATOR_BASE_DIAGNOSTICS_H

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#define SCENARIO_ERRORS_MAX 20u /* kept; further ones are only counted */

/* where in the scenario a value comes from */
struct scenario_place {
	uint32_t setting; /* 0: the file; n: the n-th --set */
	int line, column; /* from 1; 0: the value is a default and has no place */
};

/* the parts of an error's text */
struct scenario_error_place {
	int line, column;  /* 0: of the whole file, or of a --set */
	size_t file_bytes; /* of the text, its beginning */
	size_t sentence;   /* where it begins in the text */
};

struct scenario_errors {
	unsigned count;                   /* of all errors, also those beyond SCENARIO_ERRORS_MAX */
	char *texts[SCENARIO_ERRORS_MAX]; /* "file:line:column: sentence"; owned */
	struct scenario_error_place places[SCENARIO_ERRORS_MAX];
};

/** scenario_errors_add() - adds "file:line:column: sentence"; with @line 0 "file: sentence".
 *  @errors is zeroed before the first call. Control characters become '?'. */
void scenario_errors_add(struct scenario_errors *errors, const char *file, int line, int column,
			 const char *format, ...) __attribute__((format(printf, 5, 6)));
void scenario_errors_add_v(struct scenario_errors *errors, const char *file, int line, int column,
			   const char *format, va_list arguments);

/** scenario_errors_print() - prints one line for each error, and the number of those that were not
 *  kept. */
void scenario_errors_print(const struct scenario_errors *errors, FILE *out);

/** scenario_errors_json() - an array of those that are kept: file, line and column (null: it is of
 *  the whole file), message, and text, which is all of it. */
json_t *scenario_errors_json(const struct scenario_errors *errors);
void scenario_errors_free(struct scenario_errors *errors);

#endif
