/*  atomic_file - a file that is complete or absent: it is written under a temporary name, and
 *  renamed at the end.
 *
 *  What exists and is no regular file (a terminal, a pipe, /dev/null), and a file without a name
 *  (O_TMPFILE, by /proc/self/fd/N), is written directly. A replaced file keeps its owner and mode.
 *  A symlink stays; the file that it points to is replaced. A symlink of another user is refused.
 *  The temporary file is always a new one (O_EXCL), so nothing that another user put there is
 *  opened. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_ATOMIC_FILE_H
#define HEDDLE_ORCHESTRATOR_BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdio.h>

struct atomic_file {
	FILE *stream;
	char path[PATH_MAX];    /* symlinks resolved */
	char written[PATH_MAX]; /* the temporary name; "" if written directly */
};

/** atomic_file_open() - starts to write file @path.
 *  Return: 0 with file->stream open; -ELOOP: a symlink of another user; -errno. atomic_file_why()
 *  explains it. */
int atomic_file_open(struct atomic_file *file, const char *path);

/** atomic_file_stdout() - standard output as such a file: what is written goes there at once. It
 *  stays open after commit or abort.
 *  Return: as atomic_file_open(). */
int atomic_file_stdout(struct atomic_file *file);

/** atomic_file_output() - the file that an option names: standard output if @path is "-". */
int atomic_file_output(struct atomic_file *file, const char *path);

/** atomic_file_why() - the text for @error, the return value of one of these functions. */
const char *atomic_file_why(int error);

/** atomic_file_commit() - closes the file and renames it to its path.  Return: 0; -errno: the path
 *  is unchanged. */
int atomic_file_commit(struct atomic_file *file);

/** atomic_file_abort() - discards the file; the path is unchanged. No effect if it is not open. */
void atomic_file_abort(struct atomic_file *file);

/** atomic_file_end() - commits the file, or with @error, that of its content, discards it.
 *  Return: @error, or as atomic_file_commit(). */
int atomic_file_end(struct atomic_file *file, int error);

/** atomic_file_folder() - creates folder @folder and its missing parents.  Return: 0 or -errno. */
int atomic_file_folder(const char *folder);

/** atomic_file_folder_there() - how many bytes of @folder name folders that exist. */
size_t atomic_file_folder_there(const char *folder);

/** atomic_file_folder_undo() - removes @folder and its parents that atomic_file_folder() made, if
 *  nothing is in them. @there  what atomic_file_folder_there() said before. */
void atomic_file_folder_undo(const char *folder, size_t there);

#endif
