/*  show_line - the command `show` of the prompt (breakpoint.h): words after it to a table. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_SHOW_LINE_H
#define HEDDLE_ORCHESTRATOR_PROMPT_SHOW_LINE_H

#include <stddef.h>
#include <stdio.h>

#include "nodes/base/why.h"
#include "orchestrator/fabric/fabric_show.h"

/** show_line() - obeys "show @words" (modified) in a fabric whose clock is stopped:
 *  "NODE TABLE [PORT]", "TABLE NODE [PORT]" or "flow HOST HOST", with "--json" anywhere. Prints to
 *  @out.
 *  Return: 0; FABRIC_SHOW_REFUSED with a sentence in @why: nothing was printed; else the error of
 *  fabric_ask(), or -ENOMEM. */
int show_line(struct fabric *fabric, char *words, FILE *out, struct why *why);

#endif
