/*  breakpoint - the prompt of a fabric whose clock is stopped: step, show, set, continue (TB-9,
 *  SE-8).
 *
 *  Commands are read from a terminal, a pipe or a script; 'help' lists them. A mistake at a
 *  terminal prints an explanation; in a script it ends the run, because later commands rely on it.
 *  The end of a script means 'continue', Ctrl-D at a terminal 'quit'. Ctrl-C at a terminal ends the
 *  command, and the clock stops at the end of the open window. 'step until' evaluates its condition
 *  after every window of the clock: these are the only moments at which the counters of all nodes
 *  belong to one time. A condition about `now` has its time exactly.
 *
 *  'back' and 'goto' return to an earlier time: the caller ends the run and repeats it from its
 *  start. The prompt then makes the changes of `set` again at their times, up to and at the time
 *  that is wanted, and stops there. Later changes are forgotten. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_BREAKPOINT_H
#define HEDDLE_ORCHESTRATOR_PROMPT_BREAKPOINT_H

#include <stdio.h>

#include "orchestrator/fabric/run.h"

enum breakpoint_outcome {
	BREAKPOINT_CONTINUE, /* run to the end */
	BREAKPOINT_QUIT,     /* end it here */
	BREAKPOINT_FAILED,   /* fabric.failure */
	BREAKPOINT_INTERRUPTED,
	BREAKPOINT_BAD_SCRIPT, /* already reported */
	/* repeat the run from its start, without --break-at, with this prompt: it goes back */
	BREAKPOINT_AGAIN,
};

struct breakpoint;

/** breakpoint_open() - commands of @in, which @name names in messages; NULL: a terminal, with a
 *  prompt. @out gets the answers. All are borrowed.
 *  Return: NULL if memory is short. breakpoint_close() later; NULL is fine there. */
struct breakpoint *breakpoint_open(FILE *in, const char *name, FILE *out);
void breakpoint_close(struct breakpoint *breakpoint);

/** breakpoint_repeats() - has the last prompt asked for a run from its start? The next one advances
 *  the clock itself. */
bool breakpoint_repeats(const struct breakpoint *breakpoint);

/** breakpoint_prompt() - executes commands until one of these outcomes; the clock of @run is
 *  stopped. */
enum breakpoint_outcome breakpoint_prompt(struct breakpoint *breakpoint, struct run *run);

#endif
