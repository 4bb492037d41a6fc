/*  output_names - checks the names of the files that a command will write: none is an input, and no
 *  two are the same.
 *
 *  The check comes before the run. After a run of hours it would be too late: its own scenario
 *  would be overwritten. A file that is not regular (a terminal, a pipe, /dev/null) may be named
 *  several times. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H
#define HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H

#include <stddef.h>

#include "orchestrator/base/origin.h"

#define OUTPUT_NAMES_MAX 300u

struct output_name {
	const char *option; /* named in the message */
	const char *path;
};

/** output_names_check() - checks the @count files of @names. Files are compared by inode, so links
 *  are found.
 *  @origin  the inputs; may be NULL.   @script  one more input file, or NULL.
 *  Return: 0; -EINVAL with a sentence in @why. O(count^2). */
int output_names_check(const struct output_name *names, unsigned count, const struct origin *origin,
		       const char *script, char *why, size_t why_max);

#endif
