#include "orchestrator/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/output_names.h"

/* temporary names to try: others may be left over from a crash, or put there by another user */
#define NAMES_MAX 100

/* is it written directly: no regular file, or one without a name, which no rename can replace? */
static bool is_special(const struct stat *status)
{
	return !S_ISREG(status->st_mode) || !status->st_nlink;
}

/* The file that @path means. A symlink is followed if we or root own it: in a folder like /tmp any
 * user may have made it. One to a pipe (/dev/stdout), or to a file without a name, has no path to
 * its end, and is its own. */
static int target_find(const char *path, char *target)
{
	struct stat status;
	int error;

	if (!lstat(path, &status) && S_ISLNK(status.st_mode)) {
		if (status.st_uid != geteuid() && status.st_uid)
			return -ELOOP;
		if (realpath(path, target))
			return 0;
		error = -errno;
		if (error != -ENOENT || stat(path, &status) || !is_special(&status))
			return error;
	}
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(target, path);
	return 0;
}

/* Creates the temporary file, with the owner and the mode of the file @replaced. NULL: it replaces
 * none. */
static int new_file(struct atomic_file *file, const struct stat *replaced)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < NAMES_MAX; i++) {
		char number[16] = "";

		if (i)
			snprintf(number, sizeof(number), ".%d", i);
		if (snprintf(file->written, sizeof(file->written), "%s.part.%ld%s", file->path,
			     (long)getpid(), number) >= (int)sizeof(file->written))
			return -ENAMETOOLONG;
		fd = open(file->written, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0666);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	if (fd >= 0 && replaced) {
		/* for root, which may replace the file of another user */
		(void)!fchown(fd, replaced->st_uid, replaced->st_gid);
		fchmod(fd, replaced->st_mode & 0777);
	}
	return fd < 0 ? -EEXIST : fd;
}

/* Opens @path, which is special and what @seen says: between the look and the opening it
 * may have become another one. */
static int special_open(const char *path, const struct stat *seen)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &status) && status.st_dev == seen->st_dev && status.st_ino == seen->st_ino &&
	    is_special(&status))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

int atomic_file_open(struct atomic_file *file, const char *path)
{
	struct stat status;
	bool exists;
	int fd;

	*file = (struct atomic_file){ 0 };
	fd = target_find(path, file->path);
	if (fd)
		return fd;
	exists = !stat(file->path, &status);
	if (!exists || !is_special(&status))
		fd = new_file(file, exists ? &status : NULL);
	else
		fd = special_open(file->path, &status);
	if (fd < 0)
		return file->written[0] ? fd : -errno;
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	close(fd);
	if (file->written[0])
		unlink(file->written);
	return -ENOMEM;
}

int atomic_file_stdout(struct atomic_file *file)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	*file = (struct atomic_file){ .path = "standard output" };
	file->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (file->stream)
		return 0;
	if (fd < 0)
		return -errno;
	close(fd);
	return -ENOMEM;
}

int atomic_file_output(struct atomic_file *file, const char *path)
{
	return output_is_stdout(path) ? atomic_file_stdout(file) : atomic_file_open(file, path);
}

const char *atomic_file_why(int error)
{
	return error == -ELOOP ? "it is a symbolic link of another user" : strerror(-error);
}

/* Why the stream could not be written, which stdio does not keep: another write of the temporary
 * file, which is removed, fails for the same reason. */
static int stream_error(const struct atomic_file *file)
{
	if (file->written[0] && write(fileno(file->stream), "", 1) < 0)
		return -errno;
	return -EIO;
}

int atomic_file_commit(struct atomic_file *file)
{
	int error = fflush(file->stream) ? -errno : ferror(file->stream) ? stream_error(file) : 0;

	if (fclose(file->stream) && !error)
		error = -errno;
	file->stream = NULL;
	if (!file->written[0])
		return error;
	if (!error && rename(file->written, file->path))
		error = -errno;
	if (error)
		unlink(file->written);
	return error;
}

void atomic_file_abort(struct atomic_file *file)
{
	if (!file->stream)
		return;
	fclose(file->stream);
	file->stream = NULL;
	if (file->written[0])
		unlink(file->written);
}

int atomic_file_end(struct atomic_file *file, int error)
{
	if (!error)
		return atomic_file_commit(file);
	atomic_file_abort(file);
	return error;
}

int atomic_file_folder(const char *folder)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (char *at = path + 1;; at++) {
		char end = *at;

		if (end && end != '/')
			continue;
		*at = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
		if (!end)
			return 0;
		*at = end;
	}
}

size_t atomic_file_folder_there(const char *folder)
{
	size_t there = 0, length = strlen(folder);
	char path[PATH_MAX];
	struct stat status;

	for (size_t at = 1; at <= length && at < sizeof(path); at++) {
		if (folder[at] && folder[at] != '/')
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)at, folder);
		if (stat(path, &status))
			break;
		there = at;
	}
	return there;
}

void atomic_file_folder_undo(const char *folder, size_t there)
{
	char path[PATH_MAX];

	for (size_t at = strlen(folder); at > there; at--) {
		if ((folder[at] && folder[at] != '/') || folder[at - 1] == '/' ||
		    snprintf(path, sizeof(path), "%.*s", (int)at, folder) >= (int)sizeof(path))
			continue;
		if (rmdir(path))
			return;
	}
}
