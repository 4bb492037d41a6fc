/*  run_execute - one run of a plan: processes -> clock to the end -> statistics -> results ->
 *  expectations.
 *
 *  No process, file or memory is left, however a run ends. The steps are the same under both clocks
 *  (TB-7, TB-8). A run under the real clock that is not valid ends with EXIT_NOT_VALID, even if an
 *  expectation failed: that outcome says nothing about the fabric. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_EXECUTE_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_EXECUTE_H

#include "orchestrator/run/run_output.h"

/** run_execute() - runs @plan and writes what @options say, and @output.
 *  Return: the exit status. */
int run_execute(const struct run_options *options, const struct plan *plan,
		struct run_output *output);

#endif
