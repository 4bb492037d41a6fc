/*  size_file - flow-size distributions: lines of "bytes,cumulative percent" (TB-12).
 *
 *  Both columns rise strictly, the last line says 100; between points the size is uniform, from 0
 *  bytes at 0 %. Empty lines, lines that start with '#' and one heading ("bytes,percent") are
 *  skipped. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SIZE_FILE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SIZE_FILE_H

#include "orchestrator/base/sha256.h"
#include "orchestrator/scenario/scenario.h"

#define SIZE_FILE_BYTES_MAX 65536u

/** size_file_parse() - parses @text (0-terminated, changed).
 *  @points  space for WORKLOAD_SIZES_MAX of them, filled; @count is set.   @file  for errors.
 *  Return: 0, or -EINVAL with errors at file:line:column. */
int size_file_parse(const char *file, char *text, struct size_point *points, uint32_t *count,
		    struct scenario_errors *errors);

/** size_file_read() - the same for the file @path, which must be a regular one of at most
 *  SIZE_FILE_BYTES_MAX.
 *  @digest  the file's bytes are added to it; NULL: to none.
 *  Return: also -errno when it cannot be read (no error added: the caller knows the place of its
 *  name): -EFBIG if it is longer, -EBADF if it is no regular file. */
int size_file_read(const char *path, struct sha256 *digest, struct size_point *points,
		   uint32_t *count, struct scenario_errors *errors);

#endif
