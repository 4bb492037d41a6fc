/*  output_names - checks the names of the files that a command will write: none is an input, no two
 *  are the same, and each can be written in its folder.
 *
 *  The check comes before the run. After a run of hours it would be too late: its own scenario
 *  would be overwritten, or its result would have no place. A file that is not regular (a terminal,
 *  a pipe, /dev/null) may be named several times. Some options make their folder; names in a folder
 *  that is not there yet are compared as text from the first part that is. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H
#define HEDDLE_ORCHESTRATOR_BASE_OUTPUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/why.h"
#include "orchestrator/base/origin.h"

#define OUTPUT_NAMES_MAX 300u
#define OUTPUT_STDOUT "-"

struct output_name {
	const char *option; /* named in the message */
	const char *path;
	bool makes_folder; /* the folder of the file is made if it is not there */
};

/** output_is_stdout() - does @path, which may be NULL, mean standard output? */
bool output_is_stdout(const char *path);

/** output_names_check() - checks the @count files of @names, of which none is standard output.
 *  Files are compared by inode, so links are found.
 *  @origin  the inputs; may be NULL.   @script  one more input file, or NULL.
 *  Return: 0; -EINVAL with a sentence in @why. O(count^2). */
int output_names_check(const struct output_name *names, unsigned count, const struct origin *origin,
		       const char *script, struct why *why);

#endif
