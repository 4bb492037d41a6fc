#include "orchestrator/atomic_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int atomic_file_open(struct atomic_file *file, const char *path)
{
	struct stat status;

	*file = (struct atomic_file){ 0 };
	if (snprintf(file->path, sizeof(file->path), "%s", path) >= (int)sizeof(file->path))
		return -ENAMETOOLONG;
	if (stat(path, &status) || S_ISREG(status.st_mode)) {
		int length = snprintf(file->written, sizeof(file->written), "%s.part.%ld", path, (long)getpid());

		if (length >= (int)sizeof(file->written))
			return -ENAMETOOLONG;
	}
	file->stream = fopen(file->written[0] ? file->written : path, "we");
	return file->stream ? 0 : -errno;
}

int atomic_file_commit(struct atomic_file *file)
{
	int error = fflush(file->stream) ? -errno : ferror(file->stream) ? -EIO : 0;

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
