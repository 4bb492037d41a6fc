/*  input_file - a whole file of text as one piece; "-" is standard input.
 *
 *  Standard input can be read once only, but a scenario is read again for each of its variants: the
 *  first reading keeps it for the later ones, until the program ends. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_INPUT_FILE_H
#define HEDDLE_ORCHESTRATOR_BASE_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define INPUT_STDIN "-"

/** input_file_is_stdin() - does @path mean standard input? */
bool input_file_is_stdin(const char *path);

/** input_file_read() - reads up to @max bytes, and one more so that the caller detects a file that
 *  is too large; @length of them.
 *  Return: allocated, without a 0 at its end; NULL with errno. */
char *input_file_read(const char *path, size_t max, size_t *length);

/** input_file_regular() - the regular file at @path, with a 0 after its @length bytes. Never waits:
 *  another file is refused before it is read.
 *  Return: 0 with *@text allocated; -EFBIG: more than @max bytes; -EBADF: no regular file;
 *  -errno. */
int input_file_regular(const char *path, size_t max, char **text, size_t *length);

#endif
