/*  breakpoint - the prompt of a fabric whose clock is stopped: step, show, set, continue (TB-9).
 *
 *  Commands are read from a terminal, a pipe or a script; 'help' lists them. A mistake at a
 *  terminal prints an explanation; in a script it ends the run, because later commands rely on it.
 *  The end of a script means 'continue'. 'step until' evaluates its condition after every window of
 *  the clock: these are the only moments at which the counters of all nodes belong to one time. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_BREAKPOINT_H
#define HEDDLE_ORCHESTRATOR_CLI_BREAKPOINT_H

#include <stdio.h>

#include "orchestrator/fabric/run.h"

enum breakpoint_outcome {
	BREAKPOINT_CONTINUE, /* run to the end */
	BREAKPOINT_QUIT,     /* end it here */
	BREAKPOINT_FAILED,   /* fabric.failure */
	BREAKPOINT_INTERRUPTED,
	BREAKPOINT_BAD_SCRIPT, /* already reported */
};

/** breakpoint_prompt() - executes the commands of @in until one of these outcomes; the clock is
 *  stopped. @name of @in in messages; NULL: a terminal, with a prompt. @out answers. */
enum breakpoint_outcome breakpoint_prompt(struct run *run, FILE *in, const char *name, FILE *out);

#endif
