/*  control_file - the library of the user's congestion control, as one result has it (SE-10).
 *
 *  The file is copied into sealed memory, and nodes load the copy. So all of them run the bytes
 *  of the digest, also if the file changes during the run. Nothing of it is executed here. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_CONTROL_FILE_H
#define HEDDLE_ORCHESTRATOR_BASE_CONTROL_FILE_H

#include <stdbool.h>

#include "orchestrator/base/sha256.h"

#define CONTROL_FILE_BYTES_MAX (16u << 20)
#define CONTROL_FILE_NAME_MAX 64u

struct control_file {
	int fd;                           /* of the copy; -1: there is no library */
	char name[CONTROL_FILE_NAME_MAX]; /* without folders, printable, cut if it is long */
	struct sha256 digest;
	bool used; /* the scenario selects it */
};

/** control_file_read() - copies the file at @path; what @file had is released.
 *  Return: 0; -errno; -EBADF: no regular file; -EFBIG; -ENOEXEC: no shared library for this kind
 *  of machine. */
int control_file_read(struct control_file *file, const char *path);

/** control_file_release() - idempotent; there is no library then. */
void control_file_release(struct control_file *file);

#endif
