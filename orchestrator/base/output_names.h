/*  output_names - the files that a run is to write, looked at before it starts: none may be one of its inputs, no two the same.
 *
 *  Afterwards would be too late: a run may take hours, and its own scenario would be gone. What is no regular file (a
 *  terminal, a pipe, /dev/null) may be named as often as one likes.                                                  */
#ifndef HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H
#define HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H

#include <stddef.h>

#include "orchestrator/base/origin.h"

#define OUTPUT_NAMES_MAX 300u

struct output_name {
	const char *option; /* for the message */
	const char *path;
};

/** output_names_check() - @count files that will be written, by whichever name.
 *  @origin  what is read; may be NULL.   @script  a file that is read besides, or NULL.
 *  Return: 0; -EINVAL with a sentence in @why. O(count^2).                                                          */
int output_names_check(const struct output_name *names, unsigned count, const struct origin *origin, const char *script,
		       char *why, size_t why_max);

#endif
