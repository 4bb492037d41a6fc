/*  breakpoint - the prompt of a fabric whose clock stands still: step, look, change, go on (TB-9).
 *
 *  Commands come from a terminal, from a pipe or from a script; 'help' lists them. On a terminal a
 *  mistake costs a line of explanation; in a script it ends the run, because what follows relied on
 *  it. The end of a script means 'continue'. 'step until' looks at its condition after every window
 *  of the clock: that is the finest moment at which the counters of all nodes stand at the same
 *  time. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_BREAKPOINT_H
#define HEDDLE_ORCHESTRATOR_CLI_BREAKPOINT_H

#include <stdio.h>

#include "orchestrator/fabric/run.h"

enum breakpoint_outcome {
	BREAKPOINT_CONTINUE, /* go on to the end of the run */
	BREAKPOINT_QUIT,     /* end it here */
	BREAKPOINT_FAILED,   /* fabric.failure */
	BREAKPOINT_INTERRUPTED,
	BREAKPOINT_BAD_SCRIPT, /* said so already */
};

/** breakpoint_prompt() - obeys @in until one of these happens; the clock stands.
 *  @name of @in in messages, NULL: it is somebody at a terminal, who gets a prompt. @out
 *  answers. */
enum breakpoint_outcome breakpoint_prompt(struct run *run, FILE *in, const char *name, FILE *out);

#endif
