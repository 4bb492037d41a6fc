/*  exit_status - the exit statuses of all commands: one table (DU-10).
 *
 *  From a row follow the constant and its line in `heddle help exit-status`, heddle(1) and
 *  docs/json.md. --help of a command says what those that it has mean there.
 *
 *  In contracts, "an exit status, reported" means that its message has been printed to standard
 *  error: the caller prints none. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_EXIT_STATUS_H
#define HEDDLE_ORCHESTRATOR_BASE_EXIT_STATUS_H

#include <stdio.h>

/* clang-format off */
#define EXIT_STATUS_ROWS(ROW) \
	ROW(EXIT_FINE, 0, "done; of tests and checks: all hold") \
	ROW(EXIT_EXPECTATION, 1, \
	    "an expectation, test or answer does not hold; a fabric refuses a request") \
	ROW(EXIT_USAGE, 2, \
	    "wrong usage; a wrong scenario; no such file or fabric; a file cannot be written") \
	ROW(EXIT_STALL, 3, "the fabric stalled") \
	ROW(EXIT_NODE, 4, "a node failed; a fabric cannot start, has ended or does not answer") \
	ROW(EXIT_NOT_VALID, 5, "real clock: NOT VALID, this machine was too slow") \
	ROW(EXIT_UNHEALTHY, 6, "a fabric runs, but a host of it is not healthy") \
	ROW(EXIT_NO_PROGRAM, 126, "a program cannot be started in a host") \
	ROW(EXIT_SIGNAL, 128, "plus the number of the signal that ended a program in a host") \
	ROW(EXIT_INTERRUPTED, 130, "interrupted: SIGINT, SIGTERM or SIGHUP")
/* clang-format on */

#define EXIT_STATUS_VALUE(name, number, meaning) name = (number),
enum exit_status { EXIT_STATUS_ROWS(EXIT_STATUS_VALUE) };
#undef EXIT_STATUS_VALUE

/** exit_status_each() - calls @take with every status and what it means, in their order. */
void exit_status_each(void (*take)(int status, const char *meaning, FILE *out), FILE *out);

/** exit_status_print() - all, a line each. */
void exit_status_print(FILE *out);

#endif
