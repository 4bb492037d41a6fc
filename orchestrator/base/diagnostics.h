/*  diagnostics - mistakes of a scenario, each with its place, collected so that all are told at once (TB-11). */
#ifndef HEDDLE_ORCHESTRATOR_BASE_DIAGNOSTICS_H
#define HEDDLE_ORCHESTRATOR_BASE_DIAGNOSTICS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#define SCENARIO_ERRORS_MAX 20u /* kept; further ones are only counted */

/* where in the scenario something was said */
struct scenario_place {
	uint32_t setting; /* 0: in the file; n: in the n-th --set */
	int line, column; /* from 1; 0: nowhere, it is a default */
};

struct scenario_errors {
	unsigned count;                   /* all, also those beyond SCENARIO_ERRORS_MAX */
	char *texts[SCENARIO_ERRORS_MAX]; /* "file:line:column: sentence"; owned */
};

/** scenario_errors_add() - adds "file:line:column: sentence"; @line 0: only "file: sentence".  @errors zeroed before
 *  the first call. */
void scenario_errors_add(struct scenario_errors *errors, const char *file, int line, int column, const char *format,
			 ...) __attribute__((format(printf, 5, 6)));
void scenario_errors_add_v(struct scenario_errors *errors, const char *file, int line, int column, const char *format,
			   va_list arguments);

/** scenario_errors_print() - one line for each; says how many more there were. */
void scenario_errors_print(const struct scenario_errors *errors, FILE *out);
void scenario_errors_free(struct scenario_errors *errors);

#endif
