/*  atomic_file - a file that is complete or not there: written under another name, renamed when it is done.
 *
 *  What exists and is no regular file (a terminal, a pipe, /dev/null) is written directly. A file that is replaced keeps its
 *  access; a symlink stays one, and what it leads to is replaced. Nothing that others put there is followed or
 *  opened: a symlink of another user is refused, and the other name is always a new file (O_EXCL).                    */
#ifndef HEDDLE_ORCHESTRATOR_BASE_ATOMIC_FILE_H
#define HEDDLE_ORCHESTRATOR_BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdio.h>

struct atomic_file {
	FILE *stream;
	char path[PATH_MAX];    /* symlinks resolved */
	char written[PATH_MAX]; /* the name while writing; "" if written directly */
};

/** atomic_file_open() - starts file @path.
 *  Return: 0 with file->stream open; -ELOOP: a symlink of another user; -errno. atomic_file_why() has words for it.   */
int atomic_file_open(struct atomic_file *file, const char *path);

/** atomic_file_why() - @error of one of these functions in words. */
const char *atomic_file_why(int error);

/** atomic_file_commit() - everything is written: the file appears.  Return: 0, or -errno and it does not. */
int atomic_file_commit(struct atomic_file *file);

/** atomic_file_abort() - nothing appears. */
void atomic_file_abort(struct atomic_file *file);

/** atomic_file_folder() - makes folder @folder and those above it, as far as they are missing.  Return: 0 or -errno. */
int atomic_file_folder(const char *folder);

#endif
