/*  nameless_file - a temporary file that leaves nothing: it is in no folder, and vanishes with its
 *  last descriptor. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_NAMELESS_FILE_H
#define HEDDLE_ORCHESTRATOR_BASE_NAMELESS_FILE_H

#include <stdio.h>

/** nameless_file() - an empty file for reading and writing on the disk of $TMPDIR, else of /tmp; in
 *  memory where that disk has no such files. Other programs write it as /proc/PID/fd/N.
 *  Return: a descriptor, -1 with errno. */
int nameless_file(void);

/** nameless_stream() - the same as a stream.
 *  Return: fclose() later; NULL with errno. */
FILE *nameless_stream(void);

#endif
